"""Plain text for people: characters that every program can show, their widths, and tables.

A table that is too wide for a terminal is fitted in four steps, each taken only if those before do
not suffice:

1. headings are wrapped between words;
2. long texts are shortened in the middle;
3. columns are left out, those with the highest :attr:`~corefine.output.grid.Column.priority` first;
4. the table is transposed, with one line per column; if its rows do not fit side by side, there is
   one block of lines per row.

Numbers are never cut, and no row continues below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corefine.errors import escaped

# Not allowed in HTML and XML: control characters, half of a surrogate pair, non-characters.
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_NARROW = frozenset("ijlI.,:;!|' ()[]")
_BROAD = frozenset("mwMW@%—…")
ROUNDING = 1e-6
"""Widths that differ by less are the same, added up in another order."""


def showable(text: str) -> str:
    """The text with a replacement character for characters that no page can hold."""
    return _UNSHOWABLE.sub("\ufffd", text)


def all_showable(texts: list[str]) -> list[str]:
    """Many texts as by :func:`showable`, checked together since nearly all can be shown."""
    if _UNSHOWABLE.search("".join(texts)) is None:
        return texts
    return [showable(text) for text in texts]


def one_line(text: str) -> str:
    """The text in one line, without terminal control characters."""
    return escaped(" ".join(text.replace("\t", " ").splitlines()))


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def counted(count: int, what: str) -> str:
    """A number of things: ``1 document``, ``1,200 documents``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def cell_width(text: str) -> int:
    """The cells that a text takes in a terminal: two per wide character, none per combining one.

    >>> cell_width("北京 e\u0301")
    6
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        2 if east_asian_width(character) in "WF" else not combining(character) for character in text
    )


def padded(text: str, width: int, *, right: bool = False) -> str:
    """The text padded with blanks; ``right`` aligns it to the right."""
    blanks = " " * (width - cell_width(text))
    return blanks + text if right else text + blanks


def shortened_inside(text: str, width: int) -> str:
    """The text, or its beginning and end with an ellipsis between: names often differ there."""
    if cell_width(text) <= width:
        return text
    end = (width - 1) // 2
    tail = ""
    while len(tail) < len(text) and cell_width(text[-len(tail) - 1 :]) <= end:
        tail = text[-len(tail) - 1 :]
    head = text[: width - 1 - end]
    while cell_width(head) > width - 1 - end:
        head = head[:-1]
    return f"{head}…{tail}"


def wrapped_note(note: str, width: int) -> list[str]:
    """A note in lines of at most this width, broken between words or after bars (signatures)."""
    if cell_width(note) <= width:
        return [note]
    separator = " " if " " in note else "|"
    lines = [""]
    for part in re.findall(f"[^{separator}]*(?:[{separator}]|$)", note):
        if lines[-1] and cell_width(lines[-1] + part.rstrip(" ")) > width:
            lines.append("")
        lines[-1] += part
    return [line.rstrip(" ") for line in lines]


def text_width(text: str, size: float = 12.0) -> float:
    """About how wide a text is in a common sans-serif font, in the unit of ``size``.

    There is no font to measure here: the estimate is on the safe side for Latin text, and takes
    wide characters as square and combining ones as nothing.
    """
    from unicodedata import combining, east_asian_width  # only charts need them

    width = 0.0
    for character in text:
        if east_asian_width(character) in "WF":
            width += 1.0
        elif not combining(character):
            width += 0.35 if character in _NARROW else 0.62 if character not in _BROAD else 0.95
    return width * size


def fitted(text: str, width: float, size: float = 12.0) -> str:
    """The text, cut with an ellipsis where it would be wider than ``width``."""
    if text_width(text, size) <= width + ROUNDING:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…"


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
        width = min(self.width, max(self.shortest, *map(cell_width, self.heading_lines)))
        # Different texts stay different.
        texts = set(self.cells)
        while len({shortened_inside(text, width) for text in texts}) < len(texts):
            width += 1
        return width


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
