"""Generated parts of the documentation, and their places in the pages.

A page has ``<!-- made: NAME -->`` before and ``<!-- end: NAME -->`` after a generated part;
``scripts/tables`` generates all of them and writes them into the pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
REGION = re.compile(
    r"(?P<open><!-- made: (?P<name>[\w-]+) -->\n)(?P<text>.*?)(?P<close><!-- end: (?P=name) -->\n)",
    re.DOTALL,
)

MakeTable = Callable[[Path], str]
"""Generates a table, as Markdown, from the corpora in a folder."""


def pages() -> list[Path]:
    """The pages of the documentation."""
    return sorted(DOCS.rglob("*.md"))


def regions_of(page: str) -> dict[str, str]:
    """The generated parts of a page by name."""
    return {found["name"]: found["text"].strip("\n") for found in REGION.finditer(page)}


def with_regions(page: str, parts: Mapping[str, str]) -> str:
    """The page with these parts in their places; others are unchanged."""

    def written(found: re.Match[str]) -> str:
        text = f"\n{parts[found['name']]}\n\n" if found["name"] in parts else found["text"]
        return f"{found['open']}{text}{found['close']}"

    return REGION.sub(written, page)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1) -> str:
    """A Markdown table; the first columns are left-aligned, the others right-aligned."""
    lines = [columns, ["---" if place < left else "---:" for place in range(len(columns))], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
