"""A table as lines of aligned text that fit a terminal.

A table that is too wide is fitted in four steps, each taken only if those before do not suffice:

1. headings are wrapped between words;
2. long texts are shortened in the middle;
3. columns are left out, those with the highest :attr:`~corefine.output.grid.Column.priority` first;
4. the table is transposed, with one line per column; if its rows do not fit side by side, there is
   one block of lines per row.

Numbers are never cut, and no row continues below.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corefine.output.plain_text import cell_width, padded, shortened_inside

GAP = 2
"""Blanks between columns."""
STYLES = {"bold": "1", "dim": "2", "good": "32", "bad": "31"}
"""Styles of cells and their terminal codes: green for good, red for bad."""


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A heading and its cells as text, with a style (or "") per cell."""

    heading: str
    cells: Sequence[str]
    styles: Sequence[str]
    numeric: bool = False
    priority: int = 0
    shortest: int = 12
    """Terminal cells that a shortened text keeps."""
    wrapped: bool = False
    """Wrap the heading between words."""

    @property
    def heading_lines(self) -> list[str]:
        """The heading, one word per line if it is wrapped and wider than the cells."""
        cells = max(map(cell_width, self.cells), default=0)
        if not self.wrapped or cell_width(self.heading) <= cells:
            return [self.heading]
        lines: list[str] = []
        words = self.heading.split() or [""]
        room = max(cells, *map(cell_width, words))
        for word in words:
            if lines and cell_width(lines[-1]) + 1 + cell_width(word) <= room:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        return lines

    @property
    def width(self) -> int:
        """Terminal cells that the column needs."""
        return max(map(cell_width, (*self.heading_lines, *self.cells)))

    @property
    def least_width(self) -> int:
        """Terminal cells that the column needs if its texts are shortened."""
        if self.numeric:
            return self.width
        return min(self.width, max(self.shortest, *map(cell_width, self.heading_lines)))


def text_table(
    columns: Sequence[TextColumn], width: int | None = None, *, color: bool = False
) -> tuple[list[str], list[str]]:
    """Lines of a table, and the headings of columns that do not fit ``width``."""
    if width is None or _total(column.width for column in columns) <= width:
        return _lines(columns, [column.width for column in columns], color), []
    columns = [replace(column, wrapped=True) for column in columns]
    kept = list(range(len(columns)))
    while _total(columns[place].least_width for place in kept) > width:
        optional = [place for place in kept if columns[place].priority]
        if not optional:
            break
        # Among columns of equal priority the last one goes first.
        kept.remove(max(optional, key=lambda place: (columns[place].priority, place)))
    left_out = [column.heading for place, column in enumerate(columns) if place not in kept]
    columns = [columns[place] for place in kept]
    widths = _shared_widths(columns, width)
    if _total(widths) > width:
        return _transposed(columns, width, color), left_out
    return _lines(columns, widths, color), left_out


def _total(widths: Iterable[int]) -> int:
    found = list(widths)
    return sum(found) + GAP * (len(found) - 1)


def _shared_widths(columns: Sequence[TextColumn], width: int) -> list[int]:
    """Least widths, then what is left goes to the narrowest of the shortened columns."""
    widths = [column.least_width for column in columns]
    for _ in range(width - _total(widths)):
        short = [place for place, one in enumerate(columns) if widths[place] < one.width]
        if not short:
            break
        widths[min(short, key=widths.__getitem__)] += 1
    return widths


def _lines(columns: Sequence[TextColumn], widths: Sequence[int], color: bool) -> list[str]:
    headings = [column.heading_lines for column in columns]
    height = max(map(len, headings))
    lines = []
    for line in range(height):
        cells = [[*[""] * (height - len(one)), *one][line] for one in headings]
        lines.append(_line(columns, widths, cells, ["bold"] * len(columns), color))
    for row in range(len(columns[0].cells)):
        cells = [column.cells[row] for column in columns]
        lines.append(_line(columns, widths, cells, [one.styles[row] for one in columns], color))
    return lines


def _line(
    columns: Sequence[TextColumn],
    widths: Sequence[int],
    cells: Sequence[str],
    styles: Sequence[str],
    color: bool,
) -> str:
    # Blanks at the end of a line are left out, also inside colour codes.
    last = max((place for place, cell in enumerate(cells) if cell), default=-1)
    parts = [
        padded(shortened_inside(cell, width), width, right=column.numeric)
        for column, width, cell in zip(columns, widths, cells, strict=True)
    ][: last + 1]
    parts[-1:] = [text.rstrip() for text in parts[-1:]]
    if color:
        parts = [styled(text, style) for text, style in zip(parts, styles, strict=False)]
    return (" " * GAP).join(parts)


def _transposed(columns: Sequence[TextColumn], width: int, color: bool) -> list[str]:
    """One line per column; the rows are side by side or, if they do not fit, one by one."""
    headings = TextColumn("", [column.heading for column in columns], ["bold"] * len(columns))
    rows = [
        TextColumn(
            "",
            [column.cells[row] for column in columns],
            [column.styles[row] for column in columns],
            numeric=True,
        )
        for row in range(len(columns[0].cells))
    ]
    together = [headings, *rows]
    if _total(column.width for column in together) <= width:
        return _lines(together, [column.width for column in together], color)[1:]
    room = max(width - headings.width - GAP, 1)
    lines: list[str] = []
    for row in rows:
        values = replace(row, numeric=False)
        widths = [headings.width, min(values.width, room)]
        lines += ["", *_lines([headings, values], widths, color)[1:]]
    return lines[1:]


def styled(text: str, style: str) -> str:
    """Text with the terminal codes of a style; blanks around it stay plain."""
    inside = text.strip()
    if not inside or style not in STYLES:
        return text
    return text.replace(inside, f"\x1b[{STYLES[style]}m{inside}\x1b[0m", 1)
