"""Tables of the documentation that are made from real corpora, and their places in the pages.

A page has ``<!-- table NAME -->`` before and ``<!-- end of table -->`` behind a table of this name;
``scripts/tables`` makes the tables anew and writes them between the two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(
    r"(?P<head><!-- table (?P<name>\S+) -->\n)(?P<table>.*?)(?P<tail><!-- end of table -->)", re.S
)

MakeTable = Callable[[Path], str]
"""Makes a table, as Markdown, of the corpora in a folder."""


def tables_of(page: str) -> dict[str, str]:
    """The tables that stand in a page, by name."""
    return {found["name"]: found["table"].rstrip("\n") for found in BLOCK.finditer(page)}


def with_tables(page: str, tables: dict[str, str]) -> str:
    """The page with these tables in their places; others stay as they are."""

    def written(found: re.Match[str]) -> str:
        name = found["name"]
        table = f"{tables[name]}\n" if name in tables else found["table"]
        return f"{found['head']}{table}{found['tail']}"

    return BLOCK.sub(written, page)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1) -> str:
    """A Markdown table; the first columns are set to the left, the others to the right."""
    lines = [columns, ["---" if place < left else "---:" for place in range(len(columns))], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
