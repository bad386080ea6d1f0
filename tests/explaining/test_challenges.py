"""Challenge sets: GAP and WinoBias, from made-up examples and, where they are, the real sets."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.errors import CorefineError, FormatError
from corefine.explaining.challenges.gap import GapResult
from corefine.explaining.challenges.winobias import WinoBiasResult
from tests.building.refusals import refused
from tests.conftest import ROOT

CHALLENGES = Path(os.environ.get("COREFINE_CHALLENGES", ROOT.parent / "shared" / "challenge"))
HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
EXAMPLES = [
    ("t-1", "Ann met Eve before she left.", "she", "Ann", "TRUE", "Eve", "FALSE"),
    ("t-2", "Bob saw Tom O'Neil, and he ran.", "he", "Bob", "FALSE", "Tom O'Neil", "TRUE"),
    ("t-3", "Kim's cat bit Lea; it hurt her.", "her", "Kim", "FALSE", "Lea", "TRUE"),
    ("t-4", "Jan told Max of his plan.", "his", "Jan", "FALSE", "Max", "FALSE"),
]
FEW = {"trials": 99, "replicates": 50}


def gap_file(folder: Path) -> str:
    lines = []
    for name, text, pronoun, a, a_truth, b, b_truth in EXAMPLES:
        at = [str(text.index(f" {pronoun}") + 1), str(text.index(a)), str(text.index(b))]
        lines.append("\t".join([name, text, pronoun, at[0], a, at[1], a_truth, b, at[2], b_truth]))
    path = folder / "gap.tsv"
    path.write_text(HEADER + "".join(f"{line}\thttp://x\n" for line in lines), "utf-8")
    return str(path)


def gap(key: str, response: object, **options: object) -> GapResult:
    result = corefine.challenge("gap", key, response, **FEW, **options)  # type: ignore[arg-type]
    assert isinstance(result, GapResult)
    return result


def test_answers_by_hand(tmp_path):
    """t-1 right, t-2 says A, t-3 unanswered: 2 false negatives, t-4 one false positive."""
    answers = tmp_path / "answers.tsv"
    answers.write_text("t-1\tTRUE\tFALSE\nt-2\ttrue\tfalse\nt-4\tFALSE\tTRUE\n")
    result = gap(gap_file(tmp_path), answers)
    outcomes = {g.name: (g.tp, g.fp, g.fn, g.tn) for g in result.groups}
    assert outcomes == {
        "overall": (1, 2, 3, 2),
        "masculine": (0, 2, 1, 1),
        "feminine": (1, 0, 2, 1),
    }
    overall, _, feminine = result.groups
    assert overall.f1 == pytest.approx(2 / 7)
    assert feminine.f1 == pytest.approx(1 / 2)
    assert result.bias is None  # F1 masculine is 0
    assert result.unanswered == 1
    assert gap(gap_file(tmp_path), answers).to_dict() == result.to_dict()


def test_the_block_does_not_matter(tmp_path, monkeypatch):
    answers = tmp_path / "answers.tsv"
    answers.write_text("t-1\tTRUE\tFALSE\nt-2\ttrue\tTRUE\nt-4\tFALSE\tTRUE\n")
    whole = gap(gap_file(tmp_path), answers)
    monkeypatch.setattr("corefine.explaining.challenges.gap.BLOCK", 7)
    assert gap(gap_file(tmp_path), answers).to_dict() == whole.to_dict()


def test_a_resolver_in_its_own_tokens(tmp_path):
    """Tokens that no white space divides are aligned by characters; t-4 is not answered."""
    records = [
        (["Ann", "met", "Eve", "before", "she", "left", "."], [[[0, 0], [4, 4]]], "t-1"),
        (
            ["Bob", "saw", "Tom", "O'", "Neil", ",", "and", "he", "ran", "."],
            [[[2, 4], [7, 7]], [[0, 0]]],
            "t-2",
        ),
        (
            ["Kim", "'s", "cat", "bit", "Lea", ";", "it", "hurt", "her", "."],
            [[[0, 1], [8, 8]]],
            "t-3",
        ),
    ]
    path = tmp_path / "response.jsonl"
    lines = [
        json.dumps({"doc_key": name, "sentences": [words], "clusters": clusters})
        for words, clusters, name in records
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    result = gap(gap_file(tmp_path), path)
    overall = result.groups[0]
    # t-1 and t-2 are right; in t-3 "Kim's" is not the name "Kim", so both answers are no.
    assert (overall.tp, overall.fp, overall.fn, overall.tn) == (2, 0, 3, 3)
    assert result.unanswered == 1
    records.append((["Jan", "told", "Max", "of", "his", "plan", "."], [], "t-4"))
    lines = [
        json.dumps({"doc_key": "", "sentences": [words], "clusters": clusters})
        for words, clusters, _ in records
    ]
    path.write_text("\n".join(lines), "utf-8")
    nameless = gap(gap_file(tmp_path), path)
    assert (nameless.groups[0].tp, nameless.unanswered) == (2, 0)


def test_a_language_model_may_tag_the_text(tmp_path):
    """t-1 is right and t-4 empty, which is no answer, as are those that are not there."""
    path = tmp_path / "tagged.jsonl"
    answers = {"t-1": "[Ann](#1) met [Eve](#2) before [she](#1) left.", "t-4": ""}
    records = [{"doc_id": name, "output": output} for name, output in answers.items()]
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    result = gap(gap_file(tmp_path), path)
    overall = result.groups[0]
    assert (overall.tp, overall.fp, overall.fn, overall.tn) == (1, 0, 6, 1)
    assert result.unanswered == 3


def test_answers_in_other_files(tmp_path):
    """A file with a header and a mark of byte order, and a packed one."""
    key = gap_file(tmp_path)
    lines = "t-1\tTRUE\tFALSE\r\n\nt-2\tFALSE\tTRUE\n"
    plain, headed, packed = (tmp_path / name for name in ("a.tsv", "b.tsv", "c.tsv.gz"))
    plain.write_text(lines)
    headed.write_text("\ufeffID\tA-coref\tB-coref\n" + lines)
    packed.write_bytes(gzip.compress(lines.encode()))
    expected = gap(key, plain).to_dict()
    assert (expected["overall"]["tp"], expected["unanswered"]) == (2, 2)
    assert gap(key, headed).to_dict() == gap(key, packed).to_dict() == expected


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ("t-1\tTRUE\tFALSE\nt-2\tmaybe\tFALSE\n", 2),
        ("t-1\tTRUE\tFALSE\nt-1\tTRUE\tFALSE\n", 2),
        ("t-1\tTRUE\tFALSE\nt-9\tTRUE\tFALSE\n", 2),
        ("t-1\tTRUE\tFALSE\nt-2\tTRUE\n", 2),
        ("t-1\tTRUE\tmaybe\n", 1),
        ("t-1,TRUE,FALSE\n", None),
    ],
)
def test_answers_that_cannot_be_read(tmp_path, answers, line):
    (tmp_path / "answers.tsv").write_text(answers)
    with pytest.raises(CorefineError) as caught:
        gap(gap_file(tmp_path), tmp_path / "answers.tsv")
    assert getattr(caught.value.where, "line", None) == line


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("ID\tText\n", 1),
        (HEADER + "x\tAnn left\tshe\t0\tAnn\t0\tTRUE\tBob\t4\tFALSE\t-\n", 2),
    ],
)
def test_keys_that_cannot_be_read(tmp_path, key, line):
    (tmp_path / "key.tsv").write_text(key)
    with pytest.raises(FormatError) as caught:
        gap(str(tmp_path / "key.tsv"), str(tmp_path / "key.tsv"))
    assert caught.value.where is not None
    assert caught.value.where.line == line


def wino(found: dict[str, bool]) -> dict[str, list[list[str]]]:
    return {
        name: [["doctor", "she"] if right else ["nurse", "she"]] for name, right in found.items()
    }


def test_winobias_by_hand():
    """Three pairs; the response fails on one pro and two anti sentences."""
    names = {c: [f"type1/{c}//{n}" for n in range(3)] for c in ("stereotype", "not_stereotype")}
    key = wino(dict.fromkeys([*names["stereotype"], *names["not_stereotype"]], True))
    right = dict(zip(names["stereotype"], (True, True, False), strict=True))
    right |= dict(zip(names["not_stereotype"], (True, False, False), strict=True))
    result = corefine.challenge("winobias", key, wino(right), metrics="muc", **FEW)  # type: ignore[arg-type]
    assert isinstance(result, WinoBiasResult)
    (found,) = result.types
    assert found.pro == pytest.approx(2 / 3)
    assert found.anti == pytest.approx(1 / 3)
    assert found.mean == pytest.approx(1 / 2)
    assert found.difference == pytest.approx(1 / 3)
    assert found.low <= found.difference <= found.high
    assert found.p == 1  # only one pair differs
    for unknown in ({"a": [["x"]]}, {"type1_pro": [["x"]]}):
        with refused("usage"):
            corefine.challenge("winobias", unknown, unknown)


def real(name: str) -> Path:
    if not (CHALLENGES / name).exists():
        pytest.skip(f"there is no {name} at {CHALLENGES}; set COREFINE_CHALLENGES")
    return CHALLENGES / name


@pytest.mark.slow
@pytest.mark.data
def test_the_counts_of_gaps_own_scorer(capsys):
    folder = real("gap")
    expected = json.loads((folder / "expected.json").read_text())
    files = [str(folder / "gap-validation.tsv"), str(folder / "nearest.tsv")]
    few = ["--output", "json"]
    assert main(["challenge", "gap", *files, *few]) == 0
    result = json.loads(capsys.readouterr().out)
    for group in ("overall", "masculine", "feminine"):
        for name in ("tp", "fp", "fn", "tn"):
            assert result[group][name] == expected[group][name]
        for name in ("precision", "recall", "f1"):
            assert round(100 * result[group][name], 1) == expected[group][name]
    assert round(result["bias"], 2) == expected["bias"]


@pytest.mark.slow
@pytest.mark.data
def test_what_coval_gives_on_winobias():
    folder = real("winobias")
    key, response = str(folder / "*_stereotype.conll"), str(folder / "*.rule.conll")
    result = corefine.challenge("winobias", key, response, **FEW)  # type: ignore[arg-type]
    assert isinstance(result, WinoBiasResult)
    shown = {
        (one.type, one.metric): (round(100 * one.pro, 2), round(100 * one.anti, 2))
        for one in result.types
    }
    assert shown == {
        ("type 1", "conll"): (60.11, 59.92),
        ("type 1", "muc"): (46.94, 46.69),
        ("type 2", "conll"): (66.82, 67.19),
        ("type 2", "muc"): (55.89, 56.39),
    }
