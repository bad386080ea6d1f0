"""Tables 1, 4 and 5 of Moosavi & Strube (2016): as printed, and what follows from what is printed.

The outputs behind them are of systems on a licensed corpus. F follows from P and R, the CoNLL
average from three F, ranks from scores, and some of Table 1 from the counts that section 2 prints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from corefine.explaining.pairing import competition_ranks
from corefine.papers.printed import PrintedTable, derive, f_measure, mean, printed_table
from corefine.papers.results import Cell, Explanation

TABLE_1 = printed_table("""
row              muc.R muc.P muc.F  b3.R  b3.P  b3.F ceafe.R ceafe.P ceafe.F blanc.R blanc.P blanc.F
base             69.31 76.23 72.60 55.83 66.07 60.52 54.88   59.41   57.05   57.46   65.77   61.31
more_precise     69.31 82.29 75.24 53.94 69.32 60.67 50.92   55.85   53.27   53.60   66.45   59.25
less_precise_a   69.31 69.46 69.38 60.53 63.98 62.21 64.82   53.06   58.35   68.68   67.02   67.68
less_precise_b   69.31 74.70 71.90 60.61 69.14 64.60 69.50   47.61   56.51   68.74   67.37   67.87
""")
TABLE_4 = printed_table("""
system     muc.R muc.P muc.F  b3.R  b3.P  b3.F ceafe.R ceafe.P ceafe.F conll lea.R lea.P lea.F
wiseman    69.31 76.23 72.60 55.83 66.07 60.52 54.88   59.41   57.05   63.39 51.78 62.12 56.48
martschat  68.55 77.22 72.63 54.64 66.78 60.11 52.85   60.30   56.33   63.02 50.64 62.87 56.10
peng       69.54 75.80 72.53 56.91 65.40 60.86 55.49   55.98   55.73   63.04 51.91 58.97 55.21
sys-sing    0.00  0.00  0.00 19.72 39.05 26.20 50.32    4.99    9.08   11.76  0.00  0.00  0.00
sys-1ent   88.01 29.58 44.28 84.87  2.53  4.91  1.50   19.63    2.80   17.33 82.31  2.27  4.43
""")
_TABLE_5 = printed_table("""
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
""")
SYSTEMS = tuple(_TABLE_5)
TABLE_5 = {name: tuple(row[name] for row in _TABLE_5.values()) for name in _TABLE_5[SYSTEMS[0]]}
"""By metric, the F1 of the systems of the CoNLL-2012 shared task."""
RANKS: dict[str, list[int]] = {
    "muc": [1, 3, 2, 4, 7, 6, 8, 9, 5, 10, 12, 13, 14, 11],
    "b3": [1, 2, 3, 4, 5, 6, 9, 8, 7, 10, 11, 13, 12, 14],
    "ceafe": [1, 2, 3, 4, 5, 6, 7, 8, 11, 9, 10, 12, 13, 14],
    "conll": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
    "lea": [1, 2, 2, 4, 6, 6, 8, 8, 5, 10, 10, 12, 12, 14],
}
#: Section 2: the CoNLL-2012 test set, and what was removed or added.
SECTIONS, MENTIONS, ENTITIES = 348, 19_764, 4_532
PAIRS_ADDED, ENTITIES_ADDED = 1_350, 283
LICENSED = "needs outputs of systems on the CoNLL-2012 test set, which is licensed"
SIGNIFICANCE = "systems without a significant difference share a rank, which needs their outputs"
NO_MEAN = "BLANC's F is the mean of two F, which are not printed"
AVERAGED = ("muc", "b3", "ceafe")


def table_1(stand_in: Mapping[str, Mapping[str, float]]) -> list[Cell]:
    """Its 48 numbers; ``stand_in`` has the same rows and columns on another corpus."""
    cells = []
    for row, printed in TABLE_1.items():
        for column, number in printed.items():
            metric, part = column.split(".")
            cell = _follows("Table 1", TABLE_1, row, column) or _counted(row, column)
            cell = cell or Cell(
                "Table 1", row, column, number, None, 2, source="not derivable",
                reason=NO_MEAN if (metric, part) == ("blanc", "F") else LICENSED,
            )  # fmt: skip
            cells.append(replace(cell, stand_in=stand_in[row][column]))
    return cells


def _precision_with_links(before: float, recall: float, added: float, links: float) -> float:
    """MUC's precision when so many wrong links are added."""
    right = recall / 100 * links
    return 100 * right / (100 * right / before + added)


def _precision_with_entities(
    precision: float, recall: float, after: float, added: float, entities: float
) -> float:
    """CEAFe's precision when so many entities are added and its recall is ``after``."""
    response = recall * entities / precision
    return after * entities / (response + added)


def _counted(row: str, column: str) -> Cell | None:
    """What follows from the counts of section 2: how many links and entities were added.

    MUC's recall stays that of the base, since no right link is added or removed.
    """
    base = TABLE_1["base"]
    printed = TABLE_1.get(row, {})
    if column == "muc.R" and row != "base":
        return Cell("Table 1", row, column, printed[column], base[column], 2, source="derived")
    if column == "muc.P" and row in ("less_precise_a", "less_precise_b"):
        added = PAIRS_ADDED if row == "less_precise_a" else ENTITIES_ADDED
        found = derive(
            _precision_with_links,
            base["muc.P"],
            base["muc.R"],
            decimals=2,
            exact=(added, MENTIONS - ENTITIES),
        )
    elif column == "ceafe.P" and row == "less_precise_a":
        found = derive(
            _precision_with_entities,
            base["ceafe.P"],
            base["ceafe.R"],
            printed["ceafe.R"],
            decimals=2,
            exact=(PAIRS_ADDED, ENTITIES),
        )
    else:
        return None
    return Cell(
        "Table 1", row, column, printed[column], found.value, 2, source="derived",
        slack=found.slack,
    )  # fmt: skip


def table_4(boundaries: Mapping[str, Mapping[str, float]]) -> list[Cell]:
    """Its 65 numbers; ``boundaries`` has the rows of the boundary systems on another corpus."""
    cells = []
    for row, printed in TABLE_4.items():
        for column, number in printed.items():
            cell = _follows("Table 4", TABLE_4, row, column)
            if cell is None and row == "wiseman" and column in TABLE_1["base"]:
                # The base of Table 1 is this system.
                repeated = TABLE_1["base"][column]
                cell = Cell("Table 4", row, column, number, repeated, 2, source="derived")
            if cell is None and row == "sys-sing" and column.startswith(("muc", "lea")):
                # Singletons have no link, whatever the key without singletons.
                cell = Cell("Table 4", row, column, number, boundaries[row][column], 2)
            cells.append(
                cell
                or Cell(
                    "Table 4", row, column, number, None, 2, source="not derivable",
                    reason=LICENSED, stand_in=boundaries.get(row, {}).get(column),
                )
            )  # fmt: skip
    return cells


def _follows(name: str, table: PrintedTable, row: str, column: str) -> Cell | None:
    """F from P and R, the CoNLL average from three F."""
    printed = table[row]
    metric, _, part = column.partition(".")
    if column == "conll":
        found = derive(mean, *(printed[f"{one}.F"] for one in AVERAGED), decimals=2)
    elif part == "F" and metric != "blanc":
        found = derive(f_measure, printed[f"{metric}.P"], printed[f"{metric}.R"], decimals=2)
    else:
        return None
    return Cell(
        name, row, column, printed[column], found.value, 2, source="derived", slack=found.slack
    )


def table_5() -> list[Cell]:
    """Its 98 scores and 70 ranks."""
    cells = []
    for number, system in enumerate(SYSTEMS):
        for metric, column in TABLE_5.items():
            if metric != "conll":
                cells.append(
                    Cell(
                        "Table 5", system, metric, column[number], None, 2,
                        source="not derivable", reason=LICENSED,
                    )
                )  # fmt: skip
                continue
            found = derive(mean, *(TABLE_5[one][number] for one in AVERAGED), decimals=2)
            cells.append(
                Cell(
                    "Table 5", system, metric, column[number], found.value, 2, source="derived",
                    slack=found.slack,
                )
            )  # fmt: skip
    return [*cells, *_ranks()]


def _ranks() -> list[Cell]:
    cells = []
    for metric, ranks in RANKS.items():
        scores = np.array(TABLE_5[metric])
        computed = competition_ranks(scores).tolist()
        slip = _slip(metric, ranks) if metric != "lea" else None
        for number, (system, printed) in enumerate(zip(SYSTEMS, ranks, strict=True)):
            place = (
                Cell(
                    "Table 5", system, f"{metric} rank", printed, None, 0,
                    source="not derivable", reason=SIGNIFICANCE, stand_in=computed[number],
                )
                if metric == "lea"
                else Cell(
                    "Table 5", system, f"{metric} rank", printed, computed[number], 0,
                    source="derived", explanation=slip,
                )
            )  # fmt: skip
            cells.append(place)
    return cells


def _slip(metric: str, ranks: list[int]) -> Explanation | None:
    """One digit of one score with which all printed ranks would be right, if there is one."""
    scores = np.array(TABLE_5[metric])
    if competition_ranks(scores).tolist() == ranks:
        return None
    for number, system in enumerate(SYSTEMS):
        text = f"{scores[number]:.2f}"
        for place, digit in ((p, d) for p in range(len(text)) for d in "0123456789"):
            if text[place] in (".", digit):
                continue
            other = f"{text[:place]}{digit}{text[place + 1 :]}"
            changed = scores.copy()
            changed[number] = float(other)
            if competition_ranks(changed).tolist() != ranks:
                continue
            average = mean(*(TABLE_5[one][number] for one in AVERAGED))
            return Explanation(
                f"all 14 printed ranks are right if the {metric} of {system} is {other}, one digit "
                f"from {text}; its average of {average:.2f} is that with {text}",
                True,
            )
    return None
