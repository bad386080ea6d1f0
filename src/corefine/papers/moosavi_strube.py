"""Moosavi & Strube 2016: section 5, Tables 1, 3 and 5, Figures 2 to 8 and the claims on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from corefine.comparing.tau import tau_matrix
from corefine.explaining.pairing import competition_ranks
from corefine.papers.lea_claims import claims_of
from corefine.papers.lea_generated import mention_effect
from corefine.papers.results import Cell, Curve, Matrix, Plot, Reproduction, load, percent
from corefine.scoring.score import score
from corefine.scoring.scores import Scores

METRICS = ("muc", "b3", "ceafm", "ceafe", "blanc", "lea")
#: Table 5 as printed: F1 of the CoNLL-2012 systems.
_PRINTED = """
system       muc    b3 ceafm ceafe blanc conll   lea
fernandes  70.51 57.58 61.42 53.86 58.75 60.65 53.28
martschat  66.97 54.62 58.77 51.46 55.04 57.68 49.99
bjorkelund 67.58 54.47 58.19 50.21 55.42 57.42 49.98
chang      66.38 52.99 57.10 48.94 53.86 56.10 48.50
chen       63.71 51.76 55.77 48.10 52.87 54.52 46.24
chunyuang  63.82 51.21 55.10 47.58 52.65 54.20 45.84
shou       62.91 49.44 53.16 46.66 50.44 53.00 43.97
yuan       62.55 50.11 54.53 45.99 52.10 52.88 44.76
xu         66.18 50.30 51.31 41.25 46.47 52.58 46.83
uryupina   60.89 46.24 49.31 42.93 46.04 50.02 41.15
songyang   59.83 45.90 49.58 42.36 45.10 49.36 41.25
zhokova    53.52 35.66 39.66 32.16 34.80 40.45 29.98
xinxin     48.27 35.73 37.99 31.90 36.54 38.63 29.22
li         50.84 32.29 36.28 25.21 31.85 36.11 27.32
"""
_HEADER, *_ROWS = (line.split() for line in _PRINTED.strip().splitlines())
SYSTEMS = tuple(row[0] for row in _ROWS)
TABLE_5 = {
    name: tuple(float(row[place]) for row in _ROWS)
    for place, name in enumerate(_HEADER[1:], start=1)
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
        computed = competition_ranks(np.array(TABLE_5[metric])).tolist()
        for system, printed, rank in zip(SYSTEMS, ranks, computed, strict=True):
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
