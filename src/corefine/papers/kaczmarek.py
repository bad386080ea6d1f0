"""Kaczmarek & Marcińczuk 2015: Tables 1 to 3, the cases of section 4.5, Romeo and Juliet."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from corefine.corpus.expression import Expression
from corefine.metrics.linguistic import LBCubed, LCeafE, LCeafM, Lmuc
from corefine.papers.kaczmarek_claims import SIZES, claims_of
from corefine.papers.kaczmarek_tables import TABLE_2, TABLE_3, table_2, table_3
from corefine.papers.results import (
    Cell,
    Curve,
    Exhibit,
    Explanation,
    Plot,
    Reproduction,
    in_words,
    load,
)
from corefine.scoring.score import score
from corefine.scoring.scores import Score

WEIGHTS = "name=1,nominal=0,pronoun=0,singleton=1e-38"
PLAIN = ("muc", "b3", "ceafe", "ceafm", "blanc", "parent")
METRICS: dict[str, type[Lmuc | LBCubed | LCeafE | LCeafM]] = {
    "lmuc": Lmuc,
    "lb3": LBCubed,
    "lceafe": LCeafE,
    "lceafm": LCeafM,
}
EXHIBITS = (
    Exhibit("Figure 1", "Two ways to split mentions", "examples, no numbers"),
    Exhibit("Figure 2", "Key and response of the case study", "a drawing"),
    Exhibit("section 4.7", "Referring mentions of the case study"),
    Exhibit("Table 1", "F1 of ten metrics in the case study"),
    Exhibit("section 5.1", "Size of the corpus"),
    Exhibit("Table 2", "IKAR with different mentions"),
    Exhibit("section 5.5", "What is said of Table 2"),
    Exhibit("Table 3", "Three tools by PARENT"),
    Exhibit("section 6", "Best precision and recall"),
    Exhibit("section 1", "Romeo and Juliet", "an example, no numbers"),
)
SIZE = "a count of the corpus KPWr"


def reproduce() -> Reproduction:
    """The case study, the special cases and the case that only PARENT sees."""
    facts = load("kaczmarek")
    study = facts["2015_table1"]
    scores = _case_study(study)
    return Reproduction(
        "kaczmarek-marcinczuk",
        "Kaczmarek & Marcińczuk 2015, Evaluation of coreference resolution tools for Polish, BSNLP",
        EXHIBITS,
        (*_table1(study, scores), *in_words(table_2()), *in_words(table_3()), *_text(study)),
        tuple(claims_of(facts, scores)),
        (_plot(facts),),
    )


def _case_study(facts: dict[str, Any]) -> dict[str, Score]:
    """By metric, the aware ones under the weights of the paper's footnote."""
    asked = {name: name if name in PLAIN else f"{name}({WEIGHTS})" for name in (*PLAIN, *METRICS)}
    scores = score(facts["key"], facts["response"], [*asked.values()], kinds=facts["kinds"])
    return {name: scores[one] for name, one in asked.items()}


def _table1(facts: dict[str, Any], scores: dict[str, Score]) -> list[Cell]:
    cells = []
    for metric, printed in facts["published"].items():
        found = scores[metric]
        reading = None if metric in PLAIN else _reading(metric, printed, found, facts)
        cells.append(Cell("Table 1", metric, "F", printed, 100 * found.f1, explanation=reading))
    return cells


def _reading(metric: str, printed: float, found: Score, facts: dict[str, Any]) -> Explanation:
    """Whether the printed F is the precision or the recall; else that no reading was found.

    The paper's footnote weighs relations "between named entities and other mentions". Taken to the
    letter a link between two names weighs nothing. That is tried and told, but it is not the metric
    of Chen & Ng, so it explains nothing.
    """
    assert found.precision is not None
    assert found.recall is not None
    parts = {"precision": found.precision, "recall": found.recall}
    for name, value in parts.items():
        if abs(100 * value - printed) <= 0.05 + 1e-9:
            part = Fraction(value).limit_denominator(100)
            return Explanation(f"it is the {name} of {metric}, {part}", True, 100 * value)
    other = _without_names_among_themselves(metric, facts)
    tried = f"P {100 * found.precision:.1f}, R {100 * found.recall:.1f} by definition"
    letters = ", ".join(f"{part} {100 * value:.1f}" for part, value in other.items())
    text = f"no reading gives it as F: {tried}; without links of two names {letters}"
    return Explanation(text, False)


def _without_names_among_themselves(metric: str, facts: dict[str, Any]) -> dict[str, float]:
    """P, R and F where only a link between a name and a mention that is none weighs anything."""
    names = {mention for mention, kind in facts["kinds"].items() if kind == "name"}

    def weight(first: Expression, second: Expression) -> float:
        return float((first.text in names) != (second.text in names))

    asked = METRICS[metric](weights=weight, singleton=1e-38)
    (found,) = score(facts["key"], facts["response"], [asked], kinds=facts["kinds"]).values()
    return {"P": found.precision or 0.0, "R": found.recall or 0.0, "F": found.f1}


def _text(facts: dict[str, Any]) -> list[Cell]:
    """The case study in words, the size of the corpus, and what is said of Tables 2 and 3."""
    found = score(facts["key"], facts["response"], "parent", kinds=facts["kinds"])["parent"]
    # Of key entities with a name: every referring mention of the case study is of one.
    referring = sum(kind != "name" for kind in facts["kinds"].values())
    linked = round((found.recall or 0.0) * referring)
    cells = [
        Cell("section 4.7", "referring mentions", "all", 9, referring, 0),
        Cell("section 4.7", "referring mentions", "linked rightly", 2, linked, 0),
        Cell("section 4.7", "response", "PARENT", 22.2, 100 * found.f1),
    ]
    for name, count in (("documents", 689), ("links", 27_452), ("links but zeros", 14_141)):
        cells.append(
            Cell("section 5.1", "KPWr", name, count, None, 0, source="not derivable", reason=SIZE)
        )
    said = (
        ("PARENT, all mentions", "P", 11, TABLE_2["all.parent"]["P"]),
        ("BLANC, all mentions", "R", 66, TABLE_2["all.blanc"]["R"]),
        ("PARENT, all mentions", "R", 32, TABLE_2["all.parent"]["R"]),
    )
    cells += [
        Cell("section 5.5", row, part, printed, value, 0, source="derived")
        for row, part, printed, value in said
    ]
    for part, tool, printed in (("P", "bartek", 17.67), ("R", "ikar", 32.26)):
        best, row = max((numbers[part], row) for row, numbers in TABLE_3.items())
        assert row.startswith(tool)
        cells.append(Cell("section 6", tool, f"best {part}", printed, best, 2, source="derived"))
    return cells


def _plot(facts: dict[str, Any]) -> Plot:
    curves = []
    for metric in ("muc", "b3", "parent"):
        for swapped in ("names", "pronouns"):
            values = []
            for size in SIZES:
                case = facts[f"romeo_juliet_{swapped}_n{size}"]
                scores = score(case["key"], case["response"], metric, kinds=case["kinds"])
                values.append(scores[metric].f1)
            curves.append(Curve(f"{metric}, {swapped} swapped", tuple(values)))
    points = tuple(map(str, SIZES))
    return Plot("romeo-juliet", "Romeo and Juliet", "pronouns of each", points, tuple(curves))
