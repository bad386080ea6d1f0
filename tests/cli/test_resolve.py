"""``corefine resolve``: from files to a model, from a model to files."""

from __future__ import annotations

import json

import pytest

import corefine
from corefine.cli import main
from corefine.resolving import apply
from tests.building.commands import run
from tests.building.resolving_corpora import stories

pytest.importorskip("skops", reason="the extra resolve is not installed")
pytestmark = pytest.mark.slow  # resolvers are trained


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with documents to train on, documents to resolve, and a model."""
    folder = tmp_path_factory.mktemp("resolve")
    corefine.write(stories(*range(6)), folder / "seen.conll")
    corefine.write(stories(6, 7), folder / "unseen.conll")
    model = str(folder / "model.skops")
    assert main(["resolve", "train", str(folder / "seen.conll"), "-o", model]) == 0
    return folder


def test_train_apply_and_score(files):
    out = files / "response.conll"
    status, _, error = run(
        "resolve", "apply", files / "model.skops", files / "unseen.conll", "-o", out
    )
    assert (status, error) == (0, "")
    found = corefine.score(files / "unseen.conll", out, metrics="conll")["conll"].f1
    floor = corefine.score(
        files / "unseen.conll", apply("headmatch", files / "unseen.conll"), metrics="conll"
    )
    assert found > floor["conll"].f1


@pytest.mark.parametrize(
    ("source", "out", "format"),
    [
        ("unseen.conll", "out.conllu", "conllu"),
        ("unseen.conll", "out", "conll"),
        ("unseen.conll", "out.conllu.gz", "conllu"),
        ("unseen.conll", "out.jsonl", "e2e"),
        ("unseen.jsonl", "again.jsonl", "e2e"),
        ("unseen.jsonl", "from_jsonl.conll", "conll"),
        ("folder", "sieve.conll", "conll"),
    ],
)
def test_the_suffix_of_the_output_decides_its_format(source, out, format, files):
    unseen = corefine.read(files / "unseen.conll")
    corefine.write(unseen, files / "unseen.jsonl", "e2e", lossy=True)
    if not (files / "folder").exists():
        corefine.write(unseen, files / "folder", "litbank", lossy=True)
    status, _, error = run("resolve", "apply", "headmatch", files / source, "-o", files / out)
    assert status == 0, error
    assert (files / out).is_file()
    found = corefine.read(files / out)
    assert found.format == format
    expected = apply("headmatch", files / source)
    assert sorted(found.to_dict().values()) == sorted(expected.to_dict().values())


def test_markables_can_be_detected(files):
    out = files / "detected.conll"
    arguments = ("apply", "sieve", files / "unseen.conll", "-o", out, "--markables", "detected")
    assert run("resolve", *arguments)[0] == 0
    found = corefine.score(files / "unseen.conll", out, metrics="mentions")["mentions"]
    assert found.f1 > 0.9


def test_cross_validation_as_table_json_and_files(files):
    common = ("cross-validate", files / "seen.conll", "--folds", 3, "--preset", "soon,headmatch")
    status, table, _ = run("resolve", *common, "-m", "conll")
    assert status == 0
    assert [line.split()[0] for line in table.splitlines()[3:5]] == ["soon", "headmatch"]
    status, text, _ = run(
        "resolve", *common, "-m", "conll", "--output", "json", "--save", files / "folds"
    )
    found = json.loads(text)
    assert found["folds"] == 3
    value = found["presets"]["soon"]["scores"]["conll"]["f1"]
    written = corefine.score(files / "seen.conll", files / "folds" / "soon.conll", metrics="conll")
    assert written["conll"].f1 == pytest.approx(value)
    assert "all" in found["presets"]["soon"]["pairs"]


CROSSING = """#begin document ({0}); part 000
{0}\t0\t0\tthe\tDT\t(1
{0}\t0\t1\told\tJJ\t(2
{0}\t0\t2\tman\tNN\t1)
{0}\t0\t3\tAnna\tNNP\t2)

#end document
"""


def test_responses_that_would_lose_something_need_consent(files):
    (files / "crossing.conll").write_text(CROSSING.format("a") + CROSSING.format("b"), "utf-8")
    common = ("cross-validate", files / "crossing.conll", "--preset", "one-entity", "--folds", 2)
    folder = files / "crossing"
    status, _, error = run("resolve", *common, "--save", folder)
    assert status == 2
    assert "--lossy" in error
    assert run("resolve", *common, "--save", folder, "--lossy")[0] == 0
    assert len(corefine.read(folder / "one-entity.conll").mentions) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("apply", "{}/seen.conll", "{}/unseen.conll", "-o", "{}/x"), "not a corefine model"),
        (("train", "{}/seen.conll", "-o", "{}/x", "--threshold", "high"), "threshold cannot be"),
        (("train", "{}/seen.conll", "-o", "{}/no/x"), "cannot write"),
        # Wrong options are told before the documents are looked for.
        (("cross-validate", "{}/absent", "--folds", "1"), "folds cannot be 1"),
        (
            ("apply", "ruler", "{}/seen.conll", "-o", "{}/x.conll", "--detect-zeros"),
            "Add --markables detected",
        ),
        (("apply", "sieve", "{}/absent", "-o", "{}/x", "--to", "conlll"), "no format 'conlll'"),
        (("apply", "sieve", "{}/absent", "-o", "{}/x", "--kinds", "{}/none.tsv"), "none.tsv"),
    ],
)
def test_mistakes_give_one_line_and_status_2(arguments, message, files):
    given = [argument.replace("{}", str(files)) for argument in arguments]
    status, out, error = run("resolve", *given)
    assert status == 2
    assert out == ""
    assert message in error
    assert len(error.splitlines()) == 1
    assert not (files / "x").exists()
