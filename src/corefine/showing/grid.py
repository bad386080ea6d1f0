"""Grid: one table, written as text, Markdown, LaTeX, CSV or to a terminal.

A grid holds values, not strings: scores from 0 to 1, counts, names. People see percent with two
decimals; programs get the numbers at full precision.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Sort = Literal["text", "percent", "difference", "decimal", "number", "integer"]

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "³": r"$^3$",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "−": "$-$",
}


@dataclass(frozen=True, slots=True)
class Marked:
    """A number and what is said of it: marks that stand behind it, or that it is the best."""

    value: float | None
    mark: str = ""
    best: bool = False


Value = str | int | float | None | Marked


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title and what its values are; ``name`` is its name in files for programs."""

    title: str
    sort: Sort = "text"
    name: str = ""

    def shown(self, value: Value) -> str:
        """The value as a person reads it."""
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if isinstance(value, Marked):
            return f"{self.shown(value.value)} {value.mark}".rstrip()
        if self.sort == "percent":
            return f"{100 * value:.2f}"
        if self.sort == "difference":
            return f"{100 * value:+.2f}".replace("-", "−")
        if self.sort == "decimal":
            return f"{value:.3f}".replace("-", "−")
        if self.sort == "integer":
            return f"{value:,.0f}"
        if self.sort == "number" and isinstance(value, float):
            return f"{value:.4g}"
        return str(value)


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of values under columns, with a title above and notes below.

    >>> grid = Grid((Column("metric"), Column("F1", "percent")), [("lea", 0.5), ("b3", 0.25)])
    >>> print(grid.to_text())
    metric     F1
    lea     50.00
    b3      25.00
    """

    columns: tuple[Column, ...]
    rows: Sequence[tuple[Value, ...]]
    title: str = ""
    notes: tuple[str, ...] = ()

    def cells(self) -> list[list[str]]:
        """The rows as a person reads them."""
        return [
            [column.shown(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def _aligned_cells(self) -> list[list[str]]:
        """As :meth:`cells`, with the numbers of a column in line whatever marks stand behind."""
        columns = []
        for column, values in zip(self.columns, zip(*self.rows, strict=True), strict=False):
            width = max(len(value.mark) if isinstance(value, Marked) else 0 for value in values)
            columns.append(
                [
                    f"{column.shown(value.value)} {value.mark:<{width}}"
                    if isinstance(value, Marked) and width
                    else column.shown(value)
                    for value in values
                ]
            )
        return [list(row) for row in zip(*columns, strict=True)]

    def to_text(self) -> str:
        """Aligned with blanks: for terminals without colour, files and tests."""
        cells = [[column.title for column in self.columns], *self._aligned_cells()]
        widths = [max(len(row[number]) for row in cells) for number in range(len(self.columns))]
        lines = [self.title, ""] if self.title else []
        for row in cells:
            padded = (
                cell.ljust(width) if column.sort == "text" else cell.rjust(width)
                for cell, width, column in zip(row, widths, self.columns, strict=True)
            )
            lines.append("  ".join(padded).rstrip())
        return "\n".join([*lines, *self.notes])

    def to_markdown(self) -> str:
        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

        rule = ["---" if column.sort == "text" else "---:" for column in self.columns]
        table = [line([column.title for column in self.columns]), line(rule)]
        table.extend(line(list(map(_markdown_cell, self.columns, row))) for row in self.rows)
        title = [f"**{self.title}**", ""] if self.title else []
        notes = ["", *(f"`{note}`" for note in self.notes)] if self.notes else []
        return "\n".join([*title, *table, *notes])

    def to_latex(self) -> str:
        """A booktabs table."""
        layout = "".join("l" if column.sort == "text" else "r" for column in self.columns)
        lines = [rf"\begin{{tabular}}{{{layout}}}", r"\toprule"]
        lines.append(_latex_row([latex_text(column.title) for column in self.columns]))
        lines.append(r"\midrule")
        lines.extend(_latex_row(list(map(_latex_cell, self.columns, row))) for row in self.rows)
        lines += [r"\bottomrule", r"\end{tabular}"]
        return "\n".join([*lines, *(f"% {note}" for note in self.notes)])

    def to_csv(self) -> str:
        """Full precision, and names of columns without blanks."""
        import csv

        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([column.name or column.title.lower() for column in self.columns])
        writer.writerows([_plain(value) for value in row] for row in self.rows)
        return stream.getvalue().rstrip("\n")

    def print_to_terminal(self) -> None:
        """With colour and rules, as wide as the terminal."""
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(title=Text(self.title) if self.title else None, title_justify="left")
        for column in self.columns:
            table.add_column(
                Text(column.title), justify="left" if column.sort == "text" else "right"
            )
        for values, cells in zip(self.rows, self._aligned_cells(), strict=True):
            table.add_row(
                *(
                    Text(cell, style="bold" if isinstance(value, Marked) and value.best else "")
                    for value, cell in zip(values, cells, strict=True)
                )
            )
        console = Console()
        console.print(table)
        for note in self.notes:
            console.print(Text(note, style="dim"))


def latex_text(text: str) -> str:
    """Text in which nothing is a command of LaTeX."""
    return "".join(_LATEX.get(character, character) for character in text)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(column: Column, value: Value) -> str:
    if not isinstance(value, Marked):
        return latex_text(column.shown(value))
    number = latex_text(column.shown(value.value))
    raised = rf"\textsuperscript{{{latex_text(value.mark)}}}" if value.mark else ""
    return (rf"\textbf{{{number}}}" if value.best else number) + raised


def _markdown_cell(column: Column, value: Value) -> str:
    if not isinstance(value, Marked):
        return column.shown(value)
    number = column.shown(value.value)
    raised = f"<sup>{value.mark}</sup>" if value.mark else ""
    return (f"**{number}**" if value.best else number) + raised


def _plain(value: Value) -> str | int | float:
    """A value for programs: the number alone."""
    if isinstance(value, Marked):
        value = value.value
    return "" if value is None else value
