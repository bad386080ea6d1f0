"""The command line: ``python -m docs.making --help``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from corefine.errors import CorefineError
from docs.making import (
    DOCS,
    items,
    mention_kinds,
    metric_table,
    pages,
    papers,
    performance,
    regions_of,
    resolvers,
    rules,
    suspects,
)
from docs.making import with_regions as written

WITH_DATA = {**mention_kinds.TABLES, **resolvers.TABLES, **suspects.TABLES}
WITHOUT_DATA = {**items.REGIONS, **metric_table.REGIONS, **papers.REGIONS, **rules.REGIONS}
NAMES = (*WITHOUT_DATA, *performance.TABLES, *WITH_DATA)


def made(name: str, data: str | None) -> str | None:
    """A generated part; None if it needs corpora that are not there."""
    if name in WITHOUT_DATA:
        return WITHOUT_DATA[name]()
    if name in performance.TABLES:
        return performance.TABLES[name](performance.published())
    try:
        return None if data is None else WITH_DATA[name](Path(data))
    except (OSError, CorefineError):
        return None


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/tables",
        description="Generates the tables and figures of the documentation.",
        epilog=f"Tables: {', '.join(NAMES)}. COREFINE_DATA is the folder of real corpora; without "
        "it, tables that need them are left as they are.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all of them")
    names = parser.parse_args().names
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        parser.error(f"no such table: {', '.join(unknown)}")
    data = os.environ.get("COREFINE_DATA")
    for page in pages():
        text = page.read_text("utf-8")
        wanted = [name for name in regions_of(text) if not names or name in names]
        parts = {name: part for name in wanted if (part := made(name, data)) is not None}
        if written(text, parts) != text:
            page.write_text(written(text, parts), "utf-8")
            print(f"written: {page.name}")
        left = [name for name in wanted if name not in parts]
        if left:
            print(f"{page.name}: unchanged without their corpora: {', '.join(left)}")
    if not names:
        for name, figure in papers.figures().items():
            (DOCS / "images" / name).write_text(figure.to_svg(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
