"""Grid: one table as data, written as text, Markdown, LaTeX, CSV or JSON.

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
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal, overload

from corefine.errors import escaped
from corefine.output.plain_text import TextColumn, one_line, styled, text_table, wrapped_note

Unit = Literal["text", "percent", "difference", "decimal", "number", "integer", "p"]
"""The unit of a column, which decides how its values are shown."""

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
    "φ₃": r"$_{\phi_3}$",
    "φ₄": r"$_{\phi_4}$",
    "₁": "$_1$",
}
_LATEX_PATTERN = re.compile("|".join(map(re.escape, sorted(_LATEX, key=len, reverse=True))))

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
_FORMULA = re.compile(r"\s*[=+\-\uff1d\uff0b\uff0d]\s*\S|\s*[@\uff20][^\s@]*\(|[\t\n]")
"""Text that a spreadsheet would run: a formula, or ``@`` before a function call."""
_NUMBER = re.compile(r"[+\-]?[0-9][0-9.,]*%?([eE][+\-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Marked:
    """A number with a mark, and how it stands out."""

    value: float | None
    mark: str = ""
    """Shown after the number, for people only."""
    best: bool = False
    """The best number of its kind: bold."""
    decimals: int | None = None
    """Decimals shown to people, if other than those of the column."""
    spread: float | None = None
    """Standard deviation over runs, shown after ±."""
    tone: Literal["", "good", "bad"] = ""
    """Colour in a terminal: green or red."""

    @property
    def style(self) -> str:
        """The style of the number in a terminal."""
        return self.tone or ("bold" if self.best else "")


Value = str | int | float | None | Marked


class LazyRows(Sequence[tuple[Value, ...]]):
    """Rows that are computed when they are used: often few of many are shown."""

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
    """A column: its title, the unit of its values, and its name in files for programs.

    Columns of the same ``group`` share a heading. In a narrow terminal, columns with a
    ``priority`` above 0 are left out, those with the highest first, and texts are shortened to no
    less than ``shortest`` characters.
    """

    title: str
    unit: Unit = "text"
    name: str = ""
    group: str = ""
    priority: int = 0
    shortest: int = 12

    @property
    def heading(self) -> str:
        """The title, after the title of the group."""
        return f"{self.group} {self.title}" if self.group else self.title

    @property
    def field(self) -> str:
        """The name for programs."""
        return self.name or self.heading.lower()

    def shown(self, value: Value) -> str:
        """The value as people read it; NaN is a missing number."""
        if value is None or value != value:
            return ""
        if isinstance(value, str):
            return value
        if isinstance(value, Marked):
            return f"{self.number(value)} {value.mark}".rstrip()
        if self.unit == "percent":
            return _signed(f"{100 * value:.2f}")
        if self.unit == "difference":
            return _signed(f"{100 * value:+.2f}")
        if self.unit == "decimal":
            return _signed(f"{value:.3f}")
        if self.unit == "p":
            return p_value(value)
        if self.unit == "integer":
            return f"{value:,.0f}"
        if self.unit == "number" and isinstance(value, float):
            return f"{value:.4g}"
        return str(value)

    def parts(self, value: Value) -> tuple[str, str, bool]:
        """The value without its mark, the mark, and True if it is the best of its kind."""
        if isinstance(value, Marked):
            return self.number(value), value.mark, value.best
        return self.shown(value), "", False

    def number(self, marked: Marked) -> str:
        """A marked number without its mark."""
        if marked.decimals is not None and marked.value is not None:
            return f"{marked.value:.{marked.decimals}f}"
        number = self.shown(marked.value)
        return number if marked.spread is None else f"{number} ± {self.shown(marked.spread)}"


def p_value(p: float) -> str:
    """A p-value as in papers: ``.004``, ``< .001``."""
    if p < 0.001:
        return "< .001"
    return f"{p:.3f}".removeprefix("0") if p < 0.9995 else "1"


def _signed(number: str) -> str:
    """A number with a minus sign; one that is rounded to 0 has no sign."""
    return number.replace("-", "−") if number.strip("+-0.") else number.lstrip("+-")


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
    caption: str = ""
    """A sentence for a paper: with it, LaTeX is a floating table and the notes follow the caption.
    """

    @classmethod
    def of(
        cls,
        items: Sequence[Any],
        columns: Mapping[Column, str | Callable[[Any], Value]],
        title: str = "",
        notes: tuple[str, ...] = (),
    ) -> Grid:
        """One row per item: each value is an attribute (``score.f1``) or computed by a function."""
        sources = [attrgetter(one) if isinstance(one, str) else one for one in columns.values()]
        rows = LazyRows(items, lambda item: tuple(source(item) for source in sources))
        return cls(tuple(columns), rows, title, notes)

    def head(self, count: int | None) -> Grid:
        """The first rows, with a note on how many there are more; None keeps all."""
        if count is None or len(self.rows) <= count:
            return self
        more = f"… {len(self.rows) - count:,} more"
        return replace(self, rows=self.rows[:count], notes=(more, *self.notes))

    def to_text(self, width: int | None = None, *, color: bool = False) -> str:
        """Aligned text, fitted to ``width`` if that is given, with terminal colours on request.

        Numbers are never cut: columns that do not fit are left out, and a note names them.
        """
        columns = [
            self._text_column(column, [row[number] for row in self.rows])
            for number, column in enumerate(self.columns)
        ]
        table, left_out = text_table(columns, width, color=color)
        notes = [one_line(note) for note in (self.caption, *self.notes) if note]
        if left_out:
            hidden = f"Hidden at this width: {', '.join(left_out)}."
            notes.insert(0, f"{hidden} Widen the terminal, or choose with -m.")
        if width is not None:
            notes = [line for note in notes for line in wrapped_note(note, width)]
        title: list[str] = []
        if self.title:
            heading = one_line(self.title)
            title = [*([heading] if width is None else wrapped_note(heading, width)), ""]
        if color:
            title = [styled(line, "bold") for line in title]
            notes = [styled(line, "dim") for line in notes]
        return "\n".join([*title, *table, *notes])

    @staticmethod
    def _text_column(column: Column, values: Sequence[Value]) -> TextColumn:
        """Cells as text, the numbers aligned whatever marks follow them."""
        marks = [value.mark for value in values if isinstance(value, Marked)]
        width = max(map(len, marks), default=0)
        # Letters are separated from the number by a blank, signs such as * and ! are not.
        blank = " " if any(mark.isalpha() for mark in marks) else ""
        shown = [
            f"{column.number(value)}{blank}{value.mark:<{width}}"
            if isinstance(value, Marked) and width
            else column.shown(value)
            for value in values
        ]
        heading, *cells = [
            text if text.isprintable() else one_line(text) for text in (column.heading, *shown)
        ]
        styles = [value.style if isinstance(value, Marked) else "" for value in values]
        numeric = column.unit != "text"
        return TextColumn(heading, cells, styles, numeric, column.priority, column.shortest)

    def to_markdown(self) -> str:
        """A Markdown table; the caption and notes follow it."""

        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cells) + " |"

        rule = ["---" if column.unit == "text" else "---:" for column in self.columns]
        table = [line([markdown_text(column.heading) for column in self.columns]), line(rule)]
        table.extend(line(list(map(_markdown_cell, self.columns, row))) for row in self.rows)
        title = [f"**{markdown_text(self.title)}**", ""] if self.title else []
        if self.caption:
            notes = " ".join(f"Signature: `{one_line(note)}`." for note in self.notes)
            return "\n".join(
                [*title, *table, "", f"{markdown_text(self.caption)} {notes}".rstrip()]
            )
        below = ["", *map(_markdown_note, self.notes)] if self.notes else []
        return "\n".join([*title, *table, *below])

    def to_latex(self) -> str:
        """A booktabs table; notes are comments or, if there is a caption, follow it."""
        layout = "".join("l" if column.unit == "text" else "r" for column in self.columns)
        body = [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", *self._latex_groups()]
        grouped = any(column.group for column in self.columns)
        titles = (column.title if grouped else column.heading for column in self.columns)
        body += [_latex_row(list(map(latex_text, titles))), r"\midrule"]
        body += [_latex_row(list(map(_latex_cell, self.columns, row))) for row in self.rows]
        body += [r"\bottomrule", r"\end{tabular}"]
        if self.caption:
            caption = latex_text(self.caption)
            for note in self.notes:
                breakable = latex_text(note).replace(r"\textbar{}", r"\textbar{}\allowbreak{}")
                caption += rf" Signature: \texttt{{{breakable}}}."
            return "\n".join(
                [
                    r"% needs \usepackage{booktabs}",
                    r"\begin{table*}[t]",
                    r"\centering\small",
                    *body,
                    rf"\caption{{{caption}}}",
                    r"\end{table*}",
                ]
            )
        title = []
        if self.title:
            bold = rf"\noindent\textbf{{{latex_text(self.title)}}}\\[1ex]"
            title = [f"% {one_line(self.title)}", bold]
        return "\n".join([*title, *body, *(f"% {one_line(note)}" for note in self.notes)])

    def _latex_groups(self) -> list[str]:
        """The row of group headings and the rules below them; none without groups."""
        if not any(column.group for column in self.columns):
            return []
        cells, rules, first = [], [], 1
        for name, columns in groupby(self.columns, lambda column: column.group):
            count = len(list(columns))
            if not name:
                cells += [""] * count
            elif count == 1:
                cells.append(latex_text(name))
            else:
                cells.append(rf"\multicolumn{{{count}}}{{c}}{{{latex_text(name)}}}")
                rules.append(rf"\cmidrule(lr){{{first}-{first + count - 1}}}")
            first += count
        return [_latex_row(cells), *([" ".join(rules)] if rules else [])]

    def to_csv(self) -> str:
        """Values at full precision under names without blanks; no title and no notes.

        An apostrophe precedes text that a spreadsheet would run as a formula.
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
        """The table as written to JSON: rows of values at full precision."""
        return {
            "title": self.title,
            "columns": [column.field for column in self.columns],
            "rows": [[_plain(value) for value in row] for row in self.rows],
            "notes": list(self.notes),
        }


def latex_text(text: str) -> str:
    """Text without LaTeX commands."""
    return _LATEX_PATTERN.sub(lambda found: _LATEX[found[0]], one_line(text))


def markdown_text(text: str) -> str:
    """Text without Markdown or HTML markup, and without cell separators."""
    text = "".join(_MARKDOWN.get(character, character) for character in one_line(text))
    return text.replace("](", "]\\(")  # no link


def _csv_text(text: str) -> str:
    """Text for a cell: uniform line ends, no control characters, no formulas."""
    # csv does not quote a lone carriage return.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROL.sub(lambda found: escaped(found[0]), text)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _latex_row(cells: Sequence[str]) -> str:
    # The first cell must not look like an argument of the \\ before it.
    guard = "{}" if cells and cells[0].startswith(("[", "*")) else ""
    return guard + " & ".join(cells) + r" \\"


def _latex_cell(column: Column, value: Value) -> str:
    number, mark, best = column.parts(value)
    raised = rf"\textsuperscript{{{latex_text(mark)}}}" if mark else ""
    return (rf"\textbf{{{latex_text(number)}}}" if best else latex_text(number)) + raised


def _markdown_cell(column: Column, value: Value) -> str:
    number, mark, best = column.parts(value)
    raised = f"<sup>{markdown_text(mark)}</sup>" if mark else ""
    return (f"**{markdown_text(number)}**" if best else markdown_text(number)) + raised


def _markdown_note(note: str) -> str:
    note = one_line(note)
    return markdown_text(note) if "`" in note or "<" in note else f"`{note}`"


def _plain(value: Value) -> str | int | float | None:
    """A value for programs: the number without its mark; None if it is not finite."""
    if isinstance(value, Marked):
        value = value.value
    return None if isinstance(value, float) and not math.isfinite(value) else value
