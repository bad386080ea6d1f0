"""A number in a table, a page, JSON or a sentence is the number that is computed directly."""

from __future__ import annotations

import csv
import io
import re
from itertools import accumulate
from pathlib import Path

import pytest

import corefine
from tests.building.commands import run
from tests.building.law_files import FORMS, SYSTEMS, each_form, put_contest

SHOWN = ("table", "markdown", "latex", "csv")
QUICK = ("--trials", 20, "--replicates", 20)


def two_places(value: float) -> str:
    return f"{100 * value:.2f}"


def numbers(text: str) -> list[str]:
    """The numbers of a text with two decimals or more, cut to two."""
    return re.findall(r"(?<![\d.])-?\d+\.\d\d", text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shown", SHOWN)
def test_every_layout_of_scores_has_the_same_numbers(shown, form, tmp_path) -> None:
    files = put_contest(form, tmp_path)
    scores = corefine.score(files["key"], files["a"])
    answer = run("score", files["key"], files["a"], "--output", shown)
    expected = []
    for score in scores.values():
        expected += [score.precision, score.recall, score.f1]
    found = numbers(answer.output)
    if shown == "csv":
        rows = csv.DictReader(io.StringIO(answer.output))
        values = {row["metric"]: row for row in rows}
        for name, score in scores.items():
            assert float(values[name]["f1"]) == score.f1
        return
    for value in expected:
        assert value is None or two_places(value) in found


@pytest.mark.parametrize("form", FORMS)
def test_documents_add_up_to_what_is_computed_for_each(form: str, tmp_path: Path) -> None:
    """Each row of ``--per-document`` is the score of this document alone."""
    files = put_contest(form, tmp_path)
    key, response = corefine.read(files["key"]), corefine.read(files["a"])
    scores = corefine.score(key, response)
    theirs = {document.name: document for document in response}
    for document in key:
        sides = ([document], [theirs[document.name]])
        corpora = [corefine.Corpus.from_documents(side, key.format) for side in sides]
        alone = corefine.score(*corpora, allow_empty=True)
        for metric, score in scores.documents[document.name].items():
            assert score.f1 == pytest.approx(alone[metric].f1, abs=1e-12), (document.name, metric)


@pytest.mark.parametrize("form", FORMS)
def test_sentences_of_a_comparison(form: str, tmp_path: Path) -> None:
    files = put_contest(form, tmp_path)
    one, two = files["a"], files["b"]
    f1 = [100 * corefine.score(files["key"], side)["conll"].f1 for side in (one, two)]
    answer = run("compare", files["key"], one, two, *QUICK, "-m", "conll", "--output", "json")
    assert f"{abs(f1[0] - f1[1]):.2f}" in answer.json["verdict"]
    saved = tmp_path / "saved.json"
    run("score", files["key"], two, "--save", saved)
    verdict = run("gate", files["key"], one, "--against", saved, *QUICK, "--output", "table").output
    for value in (f1[0], f1[1], abs(f1[0] - f1[1])):
        assert f"{value:.2f}" in verdict


@pytest.mark.parametrize("form", ["conll", "ua"])
def test_sentences_about_suspects(form: str, tmp_path: Path) -> None:
    """The points that are contested are gained if the key is corrected at all suspects."""
    files = put_contest(form, tmp_path)
    systems = {name: corefine.read(files[name]) for name in SYSTEMS}
    key = corefine.read(files["key"])
    found = corefine.suspects(key, systems)
    corrected = found.corrected()
    for name, response in systems.items():
        before = corefine.score(key, response, "lea")["lea"].f1
        after = corefine.score(corrected, response, "lea")["lea"].f1
        assert found.f1[name] == pytest.approx(before, abs=1e-12)
        assert found.contested[name] == pytest.approx(after - before, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_entities_are_the_entities_of_the_key(form: str, tmp_path: Path) -> None:
    """Sizes, shared mentions and totals of ``entities``."""
    files = put_contest(form, tmp_path)
    answer = run("entities", files["key"], files["a"], "--output", "json").json
    scores = corefine.score(files["key"], files["a"], "mentions,b3")
    sizes = sum(entity["size"] for entity in answer["entities"])
    shares = [entity["share"] for entity in answer["categories"].values()]
    counts = [entity["count"] for entity in answer["categories"].values()]
    assert sum(counts) == len(answer["entities"])
    assert shares == pytest.approx([count / sum(counts) for count in counts])
    key = corefine.read(files["key"])
    assert sizes == sum(len({tuple(m.spans) for m in d.mentions}) for d in key)
    assert scores["mentions"].recall is not None


@pytest.mark.parametrize("form", each_form("ua"))
def test_mentions_that_a_report_pairs_have_the_same_words(form: str, tmp_path: Path) -> None:
    """Under exact matching, with every rule for twinless mentions and several systems."""
    from tests.report.test_report import unpacked

    files = put_contest(form, tmp_path)
    systems = {name: files[name] for name in SYSTEMS}
    shown: list[tuple[str, dict[str, Path]]] = [("none", systems)]
    for rule in ("drop", "add-to-key"):  # each response has a key of its own: one per report
        with pytest.raises(corefine.CorefineError) as refused:
            corefine.report(files["key"], systems, twinless=rule, zeros="linear")
        assert refused.value.code == "several-keys"
        shown.append((rule, {"a": systems["a"]}))
    for rule, responses in shown:
        made = corefine.report(files["key"], responses, twinless=rule, zeros="linear", replicates=5)
        for name, chunk in unpacked(made).items():
            for view in chunk["responses"] if name != "meta" else ():
                ours, theirs = (list(accumulate(side["step"])) for side in (view, chunk["key"]))
                for row, step in enumerate(view["twin"]):
                    if step is not None:
                        assert ours[row] == theirs[row + step], (rule, name, row)
