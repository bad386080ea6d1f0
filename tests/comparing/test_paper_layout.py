"""The table of a paper: systems by metrics, the best in bold, marks and a caption that says all."""

from __future__ import annotations

from typing import Any

import corefine
from corefine.cli import main
from corefine.formats.sample import SAMPLES, sample_path
from tests.building.refusals import refused

GOOD = {f"d{n}": [["a", "b", "c"], ["d", "e"]] for n in range(12)}
MIDDLING = {f"d{n}": [["a", "b"], ["c", "d", "e"]] for n in range(12)}
POOR = {f"d{n}": [["a", "d"], ["b", "e"], ["c"]] for n in range(12)}
KEY = GOOD
FEW: dict[str, Any] = {"trials": 999, "replicates": 99}


def rows(markdown: str) -> dict[str, list[str]]:
    lines = [line.strip("| ").split(" | ") for line in markdown.splitlines() if line[:1] == "|"]
    return {line[0]: line[1:] for line in lines}


def test_the_columns_of_a_paper():
    scores = corefine.score(KEY, MIDDLING)
    table = rows(scores.to_markdown("paper", name="mine"))
    parts = [f"{metric} {part}" for metric in ("MUC", "B³", "CEAFφ₄") for part in ("P", "R", "F₁")]
    assert table["System"] == [*parts, "CoNLL F₁"]
    muc = scores["muc"]
    assert table["mine"][:3] == [f"{100 * (v or 0):.2f}" for v in muc]
    assert table["mine"][-1] == f"{100 * scores['conll'].f1:.2f}"
    assert str(scores.signature) in scores.to_markdown("paper")
    chosen = corefine.score(KEY, MIDDLING, "lea,muc,conll")
    header = rows(chosen.to_markdown("paper", name="mine"))["System"]
    assert header[3:5] == ["CoNLL F₁", "LEA P"]


def test_the_best_is_bold_and_marks_are_explained():
    two = corefine.compare(KEY, {"good": GOOD, "poor": POOR}, "muc,conll", **FEW)
    text = two.to_markdown("paper")
    assert rows(text)["good"][2:] == ["**100.00**<sup>\\*</sup>", "**100.00**<sup>\\*</sup>"]
    assert "**" not in "".join(rows(text)["poor"])
    for said in (
        "approximate paired randomization, 999 permutations",
        "Holm correction over 2 comparisons",
        "12 documents (N = 12)",
        "significantly better than the other system",
        two.signature,
    ):
        assert said in text
    assert "points higher" not in text
    three = corefine.compare(KEY, {"g": GOOD, "m": MIDDLING, "p": POOR}, "muc", **FEW)
    assert "share a letter" in three.to_markdown("paper")
    assert rows(three.to_markdown("paper"))["g"][-1].endswith("<sup>a</sup>")
    based = corefine.compare(KEY, {"g": GOOD, "m": MIDDLING}, "muc", baseline="m", **FEW)
    assert "differs significantly from m" in based.to_latex("paper")


def test_other_results_have_none_and_every_form_has_the_caption(capsys):
    with refused("unknown-value"):
        corefine.explain(KEY, POOR).to_latex("paper")
    assert main(["score", "--sample", "--tables", "paper"]) == 0
    assert "Precision (P), recall (R)" in capsys.readouterr().out


def test_the_family_is_the_same_on_the_command_line_and_in_python(tmp_path):
    """Only the metrics that a paper's table shows are corrected for."""
    place = tmp_path / "table.md"
    few = ["--trials", "99", "--replicates", "9"]
    assert main(["compare", "--sample", "--tables", "paper", *few, "-o", str(place)]) == 0
    sides = [str(sample_path(name)) for name in SAMPLES]
    names = dict(zip(SAMPLES[1:], sides[1:], strict=True))
    direct = corefine.compare(sides[0], names, trials=99, replicates=9)
    assert direct.comparisons == 24
    assert "Holm correction over 12 comparisons" in place.read_text("utf-8")
    alone = corefine.compare(sides[0], names, "muc,b3,ceafe,conll", trials=99, replicates=9)
    assert rows(alone.to_markdown("paper")) == rows(direct.to_markdown("paper"))
    assert place.read_text("utf-8").rstrip("\n") == direct.to_markdown("paper").rstrip("\n")
