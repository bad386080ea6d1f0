"""Grid: one table as data, written as text, Markdown, LaTeX, CSV, JSON or to a terminal.

A grid holds values, not strings: scores from 0 to 1, counts, names. People see percent with two
decimals; programs get the numbers at full precision. HTML is written by
:mod:`corefine.output.html`.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Literal, overload

from corefine.errors import escaped
from corefine.output.plain_text import folded, one_line, shortened_inside

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
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "³": r"$^3$",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "−": "$-$",
}

_MARKDOWN = {
    "\\": "\\\\",
    "|": "\\|",
    "*": "\\*",
    "`": "\\`",
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
}

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]\s*\S|[\t\n]")
"""What a spreadsheet takes for a formula or a command; a sign alone is neither."""
_NUMBER = re.compile(r"[+\-]?[0-9][0-9.,]*%?([eE][+\-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Marked:
    """A number and what is said of it."""

    value: float | None
    mark: str = ""
    """Stands behind the number, for people only."""
    best: bool = False
    """The number is the best of its kind."""
    decimals: int | None = None
    """How many decimals people see, where that is not what its column says."""


Value = str | int | float | None | Marked


class LazyRows(Sequence[tuple[Value, ...]]):
    """Rows that are made of their items when they are asked for: few are shown of many."""

    def __init__(self, items: Sequence[Any], row: Callable[[Any], tuple[Value, ...]]) -> None:
        self._items, self._row = items, row

    @overload
    def __getitem__(self, index: int) -> tuple[Value, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> LazyRows: ...
    def __getitem__(self, index: int | slice) -> tuple[Value, ...] | LazyRows:
        items = self._items[index]
        return LazyRows(items, self._row) if isinstance(index, slice) else self._row(items)

    def __len__(self) -> int:
        return len(self._items)


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title and what its values are; ``name`` is its name in files for programs.

    Columns of the same ``group`` stand under one heading.
    """

    title: str
    sort: Sort = "text"
    name: str = ""
    group: str = ""

    @property
    def heading(self) -> str:
        """The title, after that of the group."""
        return f"{self.group} {self.title}" if self.group else self.title

    @property
    def field(self) -> str:
        """The name for programs."""
        return self.name or self.heading.lower()

    def shown(self, value: Value) -> str:
        """The value as a person reads it."""
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if isinstance(value, Marked):
            return f"{self.number(value)} {value.mark}".rstrip()
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

    def number(self, marked: Marked) -> str:
        """A marked number without its mark."""
        if marked.decimals is None or marked.value is None:
            return self.shown(marked.value)
        return f"{marked.value:.{marked.decimals}f}"


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

    @classmethod
    def of(
        cls,
        items: Sequence[Any],
        columns: Mapping[Column, str | Callable[[Any], Value]],
        title: str = "",
        notes: tuple[str, ...] = (),
    ) -> Grid:
        """One row an item: a value is an attribute of it (``score.f1``) or made by a function."""
        sources = [attrgetter(one) if isinstance(one, str) else one for one in columns.values()]
        rows = LazyRows(items, lambda item: tuple(source(item) for source in sources))
        return cls(tuple(columns), rows, title, notes)

    def head(self, count: int | None) -> Grid:
        """The first rows, with a note on how many more there are; None keeps them all."""
        if count is None or len(self.rows) <= count:
            return self
        more = f"… {len(self.rows) - count:,} more"
        return replace(self, rows=self.rows[:count], notes=(more, *self.notes))

    def _aligned_cells(self) -> list[list[str]]:
        """Cells of one line, the numbers of a column in line whatever marks stand behind."""
        if not self.rows:
            return []
        columns = []
        for column, values in zip(self.columns, zip(*self.rows, strict=True), strict=True):
            width = max(len(value.mark) if isinstance(value, Marked) else 0 for value in values)
            columns.append(
                [
                    f"{column.number(value)} {value.mark:<{width}}"
                    if isinstance(value, Marked) and width
                    else one_line(column.shown(value))
                    for value in values
                ]
            )
        return [list(row) for row in zip(*columns, strict=True)]

    def to_text(self) -> str:
        """Aligned with blanks: for terminals without colour, files and tests."""
        cells = [[one_line(column.heading) for column in self.columns], *self._aligned_cells()]
        widths = [max(len(row[number]) for row in cells) for number in range(len(self.columns))]
        lines = [one_line(self.title), ""] if self.title else []
        for row in cells:
            padded = (
                cell.ljust(width) if column.sort == "text" else cell.rjust(width)
                for cell, width, column in zip(row, widths, self.columns, strict=True)
            )
            lines.append("  ".join(padded).rstrip())
        return "\n".join([*lines, *map(one_line, self.notes)])

    def to_markdown(self) -> str:
        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cells) + " |"

        rule = ["---" if column.sort == "text" else "---:" for column in self.columns]
        table = [line([markdown_text(column.heading) for column in self.columns]), line(rule)]
        table.extend(line(list(map(_markdown_cell, self.columns, row))) for row in self.rows)
        title = [f"**{markdown_text(self.title)}**", ""] if self.title else []
        notes = ["", *map(_markdown_note, self.notes)] if self.notes else []
        return "\n".join([*title, *table, *notes])

    def to_latex(self) -> str:
        """A booktabs table under its title; notes are comments."""
        layout = "".join("l" if column.sort == "text" else "r" for column in self.columns)
        lines = []
        if self.title:
            lines = [
                f"% {one_line(self.title)}",
                rf"\noindent\textbf{{{latex_text(self.title)}}}\\[1ex]",
            ]
        lines += [rf"\begin{{tabular}}{{{layout}}}", r"\toprule"]
        lines.append(_latex_row([latex_text(column.heading) for column in self.columns]))
        lines.append(r"\midrule")
        lines.extend(_latex_row(list(map(_latex_cell, self.columns, row))) for row in self.rows)
        lines += [r"\bottomrule", r"\end{tabular}"]
        return "\n".join([*lines, *(f"% {one_line(note)}" for note in self.notes)])

    def to_csv(self) -> str:
        """Full precision, and names of columns without blanks; a table has no title here.

        Text that a spreadsheet would run as a formula has an apostrophe before it.
        """
        import csv

        def cell(value: Value) -> str | int | float:
            value = _plain(value)
            if isinstance(value, str):
                return _csv_text(value)
            return "" if value is None else value

        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([cell(column.field) for column in self.columns])
        writer.writerows([cell(value) for value in row] for row in self.rows)
        return stream.getvalue().rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """The form in which a table is written as JSON: rows of values at full precision."""
        return {
            "title": self.title,
            "columns": [column.field for column in self.columns],
            "rows": [[_plain(value) for value in row] for row in self.rows],
            "notes": list(self.notes),
        }

    def print_to_terminal(self) -> None:
        """With colour and rules; columns that do not fit beside the others stand below them."""
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        console = Console()
        cells = self._aligned_cells()
        parts, widths = self._parts(cells, console.width)
        for row in cells:
            # What says what a row is stands in one line where rows go on below.
            for at in range(self._leading):
                if len(parts) > 1 or " " not in row[at]:
                    row[at] = shortened_inside(row[at], widths[at])
        for place, part in enumerate(parts):
            title = Text(one_line(self.title)) if self.title and not place else None
            table = Table(title=title, title_justify="left")
            for at in part:
                heading = Text(one_line(self.columns[at].heading))
                is_text = self.columns[at].sort == "text"
                justify: Literal["left", "right"] = "left" if is_text else "right"
                table.add_column(heading, justify=justify, width=widths[at])
            for values, row in zip(self.rows, cells, strict=True):
                best = [isinstance(value, Marked) and value.best for value in values]
                table.add_row(*(Text(row[at], "bold" if best[at] else "") for at in part))
            console.print(table)
        for note in self.notes:
            for line in folded(one_line(note), console.width):
                console.print(Text(line, style="dim"))

    @property
    def _leading(self) -> int:
        """The number of first columns that are text: they say what a row is."""
        texts = [column.sort == "text" for column in self.columns]
        return texts.index(False) if False in texts else min(1, len(texts))

    def _parts(self, cells: list[list[str]], width: int) -> tuple[list[list[int]], list[int]]:
        """The columns that stand beside each other, and how wide each is; no number is cut.

        The first columns of text, which say what a row is, stand in every part.
        """
        texts = [column.sort == "text" for column in self.columns]
        widths = []
        for number, column in enumerate(self.columns):
            words = one_line(column.heading).split()
            widths.append(max(map(len, (*words, *(row[number] for row in cells))), default=1))
        leading = self._leading
        numbers = max((w for w, text in zip(widths, texts, strict=True) if not text), default=0)
        rule = 3  # a rule and two blanks
        room = width - 1 - rule - numbers - rule * leading
        # The narrow ones stay as they are, the others share what is left.
        for place, at in enumerate(sorted(range(leading), key=widths.__getitem__)):
            widths[at] = min(widths[at], max(room // (leading - place), 1))
            room -= widths[at]
        for at in range(leading, len(widths)):
            if texts[at]:
                widths[at] = min(widths[at], width - 1 - rule)
        head = list(range(leading))
        used = 1 + sum(widths[at] + rule for at in head)
        parts, left = [list(head)], width - used
        for at in range(leading, len(widths)):
            if widths[at] + rule > left and parts[-1] != head:
                parts.append(list(head))
                left = width - used
            widths[at] = widths[at] if not texts[at] else min(widths[at], max(left - rule, 1))
            parts[-1].append(at)
            left -= widths[at] + rule
        return parts, widths


def latex_text(text: str) -> str:
    """Text in which nothing is a command of LaTeX."""
    return "".join(_LATEX.get(character, character) for character in one_line(text))


def markdown_text(text: str) -> str:
    """Text in which nothing is markup of Markdown or HTML, and no cell ends."""
    text = "".join(_MARKDOWN.get(character, character) for character in one_line(text))
    return text.replace("](", "]\\(")  # no link


def _csv_text(text: str) -> str:
    """Text for a cell: lines end in one way, nothing commands a terminal or a spreadsheet."""
    # csv does not quote a carriage return that stands alone.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROL.sub(lambda found: escaped(found[0]), text)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _latex_row(cells: Sequence[str]) -> str:
    # What stands first may look like an argument of the \\ before it.
    guard = "{}" if cells and cells[0].startswith(("[", "*")) else ""
    return guard + " & ".join(cells) + r" \\"


def _latex_cell(column: Column, value: Value) -> str:
    if not isinstance(value, Marked):
        return latex_text(column.shown(value))
    number = latex_text(column.number(value))
    raised = rf"\textsuperscript{{{latex_text(value.mark)}}}" if value.mark else ""
    return (rf"\textbf{{{number}}}" if value.best else number) + raised


def _markdown_cell(column: Column, value: Value) -> str:
    if not isinstance(value, Marked):
        return markdown_text(column.shown(value))
    number = markdown_text(column.number(value))
    raised = f"<sup>{markdown_text(value.mark)}</sup>" if value.mark else ""
    return (f"**{number}**" if value.best else number) + raised


def _markdown_note(note: str) -> str:
    note = one_line(note)
    return markdown_text(note) if "`" in note or "<" in note else f"`{note}`"


def _plain(value: Value) -> str | int | float | None:
    """A value for programs: the number alone, and nothing where it is none."""
    if isinstance(value, Marked):
        value = value.value
    return None if isinstance(value, float) and not math.isfinite(value) else value
