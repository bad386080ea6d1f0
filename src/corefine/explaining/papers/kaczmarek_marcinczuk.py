"""Kaczmarek & Marcińczuk 2015: the case study of section 4.7, Romeo and Juliet."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from corefine.corpus.expression import Expression
from corefine.explaining.papers.evaluation import Paper, load
from corefine.explaining.papers.results import Plot, Reason, Reproduction
from corefine.metrics.linguistic import LBCubed, LCeafE, LCeafM, Lmuc
from corefine.scoring.score import score
from corefine.scoring.scores import Score, Scores

PLAIN = ("muc", "b3", "ceafe", "ceafm", "blanc", "parent")
AWARE: dict[str, type[Lmuc | LBCubed | LCeafE | LCeafM]] = {
    "lmuc": Lmuc,
    "lb3": LBCubed,
    "lceafe": LCeafE,
    "lceafm": LCeafM,
}
WEIGHTS = "name=1,nominal=0,pronoun=0,singleton=1e-38"
"""The weights of the paper's footnote."""
SIZES = (1, 2, 5, 20)
"""Number of pronouns of Romeo, and of Juliet."""


def reproduce() -> Reproduction:
    """The case study, the special cases, and the case that only PARENT detects."""
    facts = load("kaczmarek_marcinczuk")
    study = facts["2015_table1"]
    names = {name: name if name in PLAIN else f"{name}({WEIGHTS})" for name in (*PLAIN, *AWARE)}
    found = _scores(study, ",".join(names.values()))
    scores = {name: found[full] for name, full in names.items()}

    def swapped(what: str, size: int) -> Scores:
        """Scores if the names, or one pronoun of each, are swapped."""
        return _scores(facts[f"romeo_juliet_{what}_n{size}"], "muc,b3,ceafe,parent")

    def close(found: Score, precision: float, recall: float) -> bool:
        differences = ((found.precision or 0) - precision, (found.recall or 0) - recall)
        return max(map(abs, differences)) < 1e-9

    curves = {
        f"{metric}, {what} swapped": [swapped(what, size)[metric].f1 for size in SIZES]
        for metric in ("muc", "b3", "parent")
        for what in ("names", "pronouns")
    }
    points = tuple(map(str, SIZES))
    return Paper("kaczmarek-marcinczuk").evaluate(
        {
            "SIZES": SIZES,
            "close": close,
            "facts": facts,
            "interpretation": lambda metric, printed: _interpretation(
                metric, printed, scores[metric], study
            ),
            "parent": lambda case: _scores(facts[case], "parent")["parent"],
            "scores": scores,
            "swapped": swapped,
        },
        plots=(Plot("romeo-juliet", "Romeo and Juliet", "pronouns of each", points, curves),),
    )


def _scores(case: dict[str, Any], metrics: Any) -> Scores:
    return score(case["key"], case["response"], metrics, kinds=case["kinds"])


def _interpretation(metric: str, printed: float, found: Score, study: dict[str, Any]) -> Reason:
    """The precision or the recall, if one of them is the number printed as F.

    The footnote weighs relations "between named entities and other mentions": literally, links
    between two names have no weight. This is tried as well, but it is not the metric of Chen & Ng
    and therefore explains nothing.
    """
    precision, recall = found.precision or 0.0, found.recall or 0.0
    for name, value in (("precision", precision), ("recall", recall)):
        if abs(100 * value - printed) <= 0.05 + 1e-9:
            fraction = Fraction(value).limit_denominator(100)
            return Reason(f"it is the {name} of {metric}, {fraction}", True, 100 * value)
    names = {mention for mention, kind in study["kinds"].items() if kind == "name"}

    def weight(first: Expression, second: Expression) -> float:
        return float((first.text in names) != (second.text in names))

    (other,) = _scores(study, [AWARE[metric](weights=weight, singleton=1e-38)]).values()
    text = (
        f"no reading gives it as F: P {100 * precision:.1f}, R {100 * recall:.1f} by definition; "
        f"without links of two names P {100 * (other.precision or 0):.1f}, "
        f"R {100 * (other.recall or 0):.1f}, F {100 * other.f1:.1f}"
    )
    return Reason(text, False)
