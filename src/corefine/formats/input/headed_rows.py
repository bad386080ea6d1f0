"""Rows of a table with tabs, whose first line names the columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corefine.errors import FormatError
from corefine.formats.input.lines import text_lines
from corefine.formats.input.sources import Source


def headed_rows(source: Source, header: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of a table with the cells of these columns, which it must have."""
    columns: list[int] = []
    width = 0
    for line, text in text_lines(source):
        cells = text.split("\t")
        if not columns:
            if missing := [name for name in header if name not in cells]:
                raise FormatError(
                    f"the first line has no column {missing[0]}",
                    source.where(line),
                    f"It must name the tab-separated columns {', '.join(header)}.",
                )
            columns, width = [cells.index(name) for name in header], len(cells)
            continue
        if not text.strip():
            continue
        if len(cells) != width:
            other = "fewer" if len(cells) < width else "more"
            raise FormatError(
                f"{len(cells)} cells, {other} than in the first line",
                source.where(line),
                "Separate cells with tabs, and write all of them.",
            )
        yield line, [cells[column] for column in columns]
    if not columns:
        raise FormatError("the file is empty", source.where(), "Check that this is the right file.")


def has_header(head: bytes, header: Sequence[str]) -> bool:
    """True if the first line of a file names all these columns."""
    cells = head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0].rstrip(b"\r").split(b"\t")
    return {column.encode() for column in header} <= set(cells)
