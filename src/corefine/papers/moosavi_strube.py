"""Moosavi & Strube 2016: Tables 1, 3, 4 and 5, Figures 2 to 8, and the claims on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from corefine.comparing.tau import tau_matrix
from corefine.papers.lea_claims import claims_of, example_claims, system_claims
from corefine.papers.lea_counts import count_claims, text_cells
from corefine.papers.lea_generated import boundaries, directions, mention_effect, stand_in
from corefine.papers.lea_tables import TABLE_5, table_1, table_4, table_5
from corefine.papers.printed import one_digit_apart
from corefine.papers.results import (
    Cell,
    Curve,
    Exhibit,
    Explanation,
    Matrix,
    Plot,
    Reproduction,
    in_words,
    load,
    percent,
)
from corefine.scoring.score import score
from corefine.scoring.scores import Scores

METRICS = ("muc", "b3", "ceafm", "ceafe", "blanc", "lea")
DRAWN = "drawn without numbers"
EXHIBITS = (
    Exhibit("Table 1", "Counterintuitive recall and precision"),
    Exhibit("section 2", "Counts of the test set and of what was changed"),
    Exhibit("section 3.1", "MUC of all key mentions in one entity"),
    Exhibit("section 3.2", "B³ of the two boundary systems"),
    Exhibit("Figure 1", "Sample text", "a text"),
    Exhibit("Table 2", "Outputs cr1 and cr2", "entities, no numbers"),
    Exhibit("Table 3", "F1 of cr1 and cr2"),
    Exhibit("section 5", "The example of LEA"),
    Exhibit("Table 4", "Three systems and two boundary systems"),
    Exhibit("Table 5", "Scores and ranks of the shared task"),
    Exhibit("section 6", "Mentions found, and linked wrongly"),
    *(Exhibit(f"Figure {number}", "F1 of the metrics", DRAWN) for number in range(2, 9)),
    Exhibit("section 7.1", "Mention detection in Figure 3"),
    Exhibit("section 7.4", "Error of one extra mention"),
)

FIGURES = {
    "fig2": ("Figure 2: correct links only", "links resolved (%)", True),
    "fig3": ("Figure 3: correct links among wrong links", "links resolved (%)", True),
    "fig4": ("Figure 4: entities resolved, largest first", "entities resolved (%)", True),
    "fig5": ("Figure 5: entities resolved, smallest first", "entities resolved (%)", True),
    "fig6": ("Figure 6: one entity split", "sizes of the parts", False),
    "fig7": ("Figure 7: extra mentions", "mentions added – size of the entity", False),
    "fig8": ("Figure 8: mentions without correct links", "mentions found (%)", True),
}


def reproduce() -> Reproduction:
    """All of it. The responses of Figures 2, 3 and 8 are those of the authors' test data."""
    facts = load("moosavi_strube")
    figures = {
        name: {point: _figure_scores(facts, found) for point, found in _points(facts, name).items()}
        for name in FIGURES
    }
    outputs = {
        name: score(facts["table3"]["key"], facts["table3"][name]["response"], list(METRICS))
        for name in ("cr1", "cr2")
    }
    cells = (
        *in_words(table_1(stand_in())),
        *_table3(facts["table3"], outputs),
        *_section5(facts["section5"]),
        *_whole_numbers(facts),
        *in_words(table_4(boundaries())),
        *table_5(),
        *in_words(text_cells()),
    )
    return Reproduction(
        "moosavi-strube",
        "Moosavi & Strube 2016, Which coreference evaluation metric do you trust?, ACL",
        EXHIBITS,
        cells,
        (
            *count_claims(),
            *mention_effect(),
            *example_claims(outputs),
            *system_claims(),
            *claims_of(figures),
        ),
        tuple(_plot(name, points) for name, points in figures.items()),
        notes=(_labels(facts),),
        matrices=(_taus(),),
        directions=tuple(directions()),
    )


def _section5(facts: dict[str, Any]) -> list[Cell]:
    lea = score(facts["key"], facts["response"], "lea")["lea"]
    precision, recall = facts["published"]["lea"]
    return [
        Cell("section 5", "example", "lea P", precision, lea.precision, 2),
        Cell("section 5", "example", "lea R", recall, lea.recall, 2),
    ]


def _whole_numbers(facts: dict[str, Any]) -> list[Cell]:
    """What the text says is 100%, on the key of the figures."""
    key = figure_key(facts["figure_key"])
    mentions = [mention for entity in key for mention in entity]
    singletons = score(key, [[mention] for mention in mentions], "b3")["b3"].precision
    one_entity = score(key, [mentions], "b3")["b3"].recall
    detected = min(
        score(key, [chain.split() for chain in chains], "mentions")["mentions"].f1
        for chains in _points(facts, "fig3").values()
    )
    return [
        Cell("section 3.2", "all singletons", "b3 P", 100, percent(singletons), 0),
        Cell("section 3.2", "one entity", "b3 R", 100, percent(one_entity), 0),
        Cell("section 7.1", "Figure 3", "mentions F", 100, percent(detected), 0),
    ]


def _table3(facts: dict[str, Any], outputs: dict[str, Scores]) -> list[Cell]:
    cells = []
    for response, scores in outputs.items():
        for metric, printed in facts[response]["published"].items():
            computed = 100 * scores[metric].f1
            slip = Explanation(
                f"the definition gives {computed:.2f}, one digit from the printed number",
                one_digit_apart(printed, computed, 2),
            )
            cells.append(
                Cell("Table 3", response, metric, printed, computed, 2, cuts=True, explanation=slip)
            )
    return cells


def _taus() -> Matrix:
    names = tuple(TABLE_5)
    values = tau_matrix(np.array([TABLE_5[name] for name in names]).T)
    title = "Kendall's τ between metrics over the 14 systems of Table 5"
    return Matrix("table-5-tau", title, names, tuple(tuple(row) for row in values.tolist()))


def _labels(facts: dict[str, Any]) -> str:
    """What the labels of Figure 8 stand for: the mentions that the responses have."""
    key = sum(facts["figure_key"])
    found = {
        point: sum(len(chain.split()) for chain in chains) / key
        for point, chains in _points(facts, "fig8").items()
    }
    told = ", ".join(f"{label}% is {100 * share:.1f}%" for label, share in found.items())
    return f"The labels of Figure 8 are the authors'; of the {key} mentions {told}."


def _points(facts: dict[str, Any], figure: str) -> dict[str, list[str]]:
    """The points of a figure and the response at each, as typed in."""
    prefix = f"{figure}_"
    return {
        name.removeprefix(prefix).removeprefix("dec").removeprefix("inc"): chains
        for name, chains in facts.items()
        if name.startswith(prefix)
    }


def _figure_scores(facts: dict[str, Any], chains: list[str]) -> Scores:
    response = [chain.split() for chain in chains]
    return score(figure_key(facts["figure_key"]), response, list(METRICS))


def figure_key(sizes: list[int]) -> list[list[str]]:
    """Entities of these sizes; ``e3.1`` is the second mention of the fourth entity."""
    return [[f"e{entity}.{number}" for number in range(size)] for entity, size in enumerate(sizes)]


def _plot(figure: str, points: dict[str, Scores]) -> Plot:
    title, axis, lines = FIGURES[figure]
    curves = [
        Curve(metric, tuple(scores[metric].f1 for scores in points.values())) for metric in METRICS
    ]
    return Plot(figure.replace("fig", "figure-"), title, axis, tuple(points), tuple(curves), lines)
