"""Moosavi & Strube 2016: section 5, Tables 1, 3 and 5, Figures 2 to 8 and the claims on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from corefine.auditing.simulations import key_of
from corefine.comparing.agreement import tau_matrix
from corefine.papers.lea_claims import claims_of
from corefine.papers.lea_generated import mention_effect
from corefine.papers.results import Cell, Curve, Matrix, Plot, Reproduction, load, percent
from corefine.scores import Scores
from corefine.scoring import score

METRICS = ("muc", "b3", "ceafm", "ceafe", "blanc", "lea")
SYSTEMS = (
    "fernandes martschat bjorkelund chang chen chunyuang shou yuan xu uryupina songyang zhokova "
    "xinxin li"
).split()
#: Table 5 as printed: F1 of the CoNLL-2012 systems.
TABLE_5: dict[str, list[float]] = {
    name: [float(value) for value in values.split()]
    for name, values in {
        "muc": "70.51 66.97 67.58 66.38 63.71 63.82 62.91 62.55 66.18 60.89 59.83 53.52 48.27 50.84",
        "b3": "57.58 54.62 54.47 52.99 51.76 51.21 49.44 50.11 50.30 46.24 45.90 35.66 35.73 32.29",
        "ceafm": "61.42 58.77 58.19 57.10 55.77 55.10 53.16 54.53 51.31 49.31 49.58 39.66 37.99 36.28",
        "ceafe": "53.86 51.46 50.21 48.94 48.10 47.58 46.66 45.99 41.25 42.93 42.36 32.16 31.90 25.21",
        "blanc": "58.75 55.04 55.42 53.86 52.87 52.65 50.44 52.10 46.47 46.04 45.10 34.80 36.54 31.85",
        "conll": "60.65 57.68 57.42 56.10 54.52 54.20 53.00 52.88 52.58 50.02 49.36 40.45 38.63 36.11",
        "lea": "53.28 49.99 49.98 48.50 46.24 45.84 43.97 44.76 46.83 41.15 41.25 29.98 29.22 27.32",
    }.items()
}
RANKS: dict[str, list[int]] = {
    "muc": [1, 3, 2, 4, 7, 6, 8, 9, 5, 10, 12, 13, 14, 11],
    "b3": [1, 2, 3, 4, 5, 6, 9, 8, 7, 10, 11, 13, 12, 14],
    "ceafe": [1, 2, 3, 4, 5, 6, 7, 8, 11, 9, 10, 12, 13, 14],
    "conll": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
    "lea": [1, 2, 2, 4, 6, 6, 8, 8, 5, 10, 10, 12, 12, 14],
}
SHARED = "systems without a significant difference share a rank, which needs their outputs"
MISPRINT = "by the printed scores the ranks are songyang 11, zhokova 12, li 13"
TABLE_3_MISPRINT = "a misprint: the definition gives 35.29"

FIGURES = {
    "fig2": ("Figure 2: resolved links, no wrong links", "links resolved (%)", True),
    "fig3": ("Figure 3: resolved links among wrong ones", "links resolved (%)", True),
    "fig4": ("Figure 4: entities resolved, the largest first", "entities resolved (%)", True),
    "fig5": ("Figure 5: entities resolved, the smallest first", "entities resolved (%)", True),
    "fig6": ("Figure 6: one entity split", "sizes of the parts", False),
    "fig7": ("Figure 7: extra mentions", "mentions added – size of the entity", False),
    "fig8": ("Figure 8: mentions found, no right link", "mentions found (%)", True),
}


def reproduce() -> Reproduction:
    """All of it. The responses of Figures 2, 3 and 8 are those of the authors' test data."""
    facts = load("moosavi_strube")
    figures = {
        name: {point: _figure_scores(facts, found) for point, found in _points(facts, name).items()}
        for name in FIGURES
    }
    return Reproduction(
        "moosavi-strube",
        "Moosavi & Strube 2016, Which coreference evaluation metric do you trust?, ACL",
        (*_section5(facts["section5"]), *_table3(facts["table3"]), *_table5()),
        (*claims_of(figures), *mention_effect()),
        tuple(_plot(name, points) for name, points in figures.items()),
        matrices=(_taus(),),
    )


def _section5(facts: dict[str, Any]) -> list[Cell]:
    lea = score(facts["key"], facts["response"], "lea")["lea"]
    precision, recall = facts["published"]["lea"]
    return [
        Cell("section 5", "example", "LEA P", precision, lea.precision, decimals=2),
        Cell("section 5", "example", "LEA R", recall, lea.recall, decimals=2),
    ]


def _table3(facts: dict[str, Any]) -> list[Cell]:
    cells = []
    for response in ("cr1", "cr2"):
        scores = score(facts["key"], facts[response]["response"])
        for metric, printed in facts[response]["published"].items():
            why = TABLE_3_MISPRINT if (response, metric) == ("cr2", "blanc") else ""
            computed = percent(scores[metric].f1)
            cells.append(
                Cell("Table 3", response, metric, printed, computed, decimals=2, cuts=True, why=why)
            )
    return cells


def _table5() -> list[Cell]:
    """The ranks, from the printed scores."""
    cells = []
    for metric, ranks in RANKS.items():
        values = np.array(TABLE_5[metric])
        computed = 1 + (values[:, None] < values[None, :]).sum(axis=1)
        for system, printed, rank in zip(SYSTEMS, ranks, computed.tolist(), strict=True):
            why = {"lea": SHARED, "muc": MISPRINT}.get(metric, "")
            cells.append(Cell("Table 5, ranks", system, metric, printed, rank, decimals=0, why=why))
    return cells


def _taus() -> Matrix:
    names = tuple(TABLE_5)
    values = tau_matrix(np.array([TABLE_5[name] for name in names]).T)
    title = "Kendall's τ between metrics over the 14 systems of Table 5"
    return Matrix("table-5-tau", title, names, tuple(tuple(row) for row in values.tolist()))


def _points(facts: dict[str, Any], figure: str) -> dict[str, list[str]]:
    """The points of a figure and the response at each, as typed in."""
    prefix = f"{figure}_"
    found = {
        name.removeprefix(prefix).removeprefix("dec").removeprefix("inc"): chains
        for name, chains in facts.items()
        if name.startswith(prefix)
    }
    return found


def _figure_scores(facts: dict[str, Any], chains: list[str]) -> Scores:
    return score(key_of(facts["figure_key"]), [chain.split() for chain in chains], list(METRICS))


def _plot(figure: str, points: dict[str, Scores]) -> Plot:
    title, axis, lines = FIGURES[figure]
    curves = [
        Curve(metric, tuple(scores[metric].f1 for scores in points.values())) for metric in METRICS
    ]
    return Plot(figure.replace("fig", "figure-"), title, axis, tuple(points), tuple(curves), lines)
