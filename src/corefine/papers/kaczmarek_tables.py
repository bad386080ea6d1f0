"""Tables 2 and 3 of Kaczmarek & Marcińczuk (2015), and what follows from what is printed."""

from __future__ import annotations

from corefine.papers.printed import derive, f_measure, printed_table
from corefine.papers.results import Cell

TABLE_2 = printed_table("""
row             P     R     F
goldnz.blanc    69.02 71.38 70.11
goldnz.parent   34.94 30.78 32.73
nonzero.blanc   56.12 70.18 58.62
nonzero.parent   7.15 30.26 11.57
goldall.blanc   69.94 67.71 68.73
goldall.parent  31.10 33.95 32.46
all.blanc       57.99 66.35 60.39
all.parent      11.09 32.26 16.50
""")
TABLE_3 = printed_table("""
row             P     R     F
ikar.nonzero     7.15 30.26 11.57
ikar.all        11.09 32.26 16.50
bartek.nonzero  13.49  5.29  7.60
bartek.all      17.67  4.89  7.66
ruler.nonzero   14.77  5.10  7.59
ruler.all       14.07  3.00  4.95
""")
CORPUS = "needs the outputs of IKAR, Bartek and Ruler on KPWr, which are not printed"
NO_MEAN = "BLANC's F is the mean of two F, which are not printed"


def _derived_f(table: str, row: str, printed: dict[str, float]) -> Cell:
    found = derive(f_measure, printed["P"], printed["R"], decimals=2)
    return Cell(table, row, "F", printed["F"], found.value, 2, source="derived", slack=found.slack)


def table_2() -> list[Cell]:
    """P and R are of systems; PARENT's F follows from them, BLANC's does not."""
    cells = []
    for row, printed in TABLE_2.items():
        for part, number in printed.items():
            if part == "F" and row.endswith("parent"):
                cells.append(_derived_f("Table 2", row, printed))
                continue
            reason = NO_MEAN if part == "F" else CORPUS
            cells.append(
                Cell("Table 2", row, part, number, None, 2, source="not derivable", reason=reason)
            )
    return cells


def table_3() -> list[Cell]:
    """The rows of IKAR repeat Table 2; of the others F follows from P and R."""
    cells = []
    for row, printed in TABLE_3.items():
        tool, mentions = row.split(".")
        repeated = TABLE_2[f"{mentions}.parent"] if tool == "ikar" else {}
        for part, number in printed.items():
            if part in repeated:
                cells.append(
                    Cell("Table 3", row, part, number, repeated[part], 2, source="derived")
                )
            elif part == "F":
                cells.append(_derived_f("Table 3", row, printed))
            else:
                cells.append(
                    Cell(
                        "Table 3", row, part, number, None, 2, source="not derivable",
                        reason=CORPUS,
                    )
                )  # fmt: skip
    return cells
