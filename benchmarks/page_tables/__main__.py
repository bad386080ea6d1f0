"""The command line: ``python -m benchmarks.page_tables --help``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from benchmarks.page_tables import (
    PAGES,
    MakeTable,
    mention_kinds,
    resolvers,
    tables_of,
    with_tables,
)

TABLES: dict[str, MakeTable] = {**mention_kinds.TABLES, **resolvers.TABLES}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/tables",
        description="Makes tables of the documentation from real corpora and writes them into it.",
        epilog=f"Tables: {', '.join(TABLES)}.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all of them")
    names = parser.parse_args().names
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        parser.error(f"no such table: {', '.join(unknown)}")
    folder = os.environ.get("COREFINE_DATA")
    if folder is None:
        parser.error("COREFINE_DATA must name the folder of the corpora")
    for page in sorted(PAGES.rglob("*.md")):
        text = page.read_text("utf-8")
        wanted = [name for name in tables_of(text) if not names or name in names]
        if wanted:
            made = {name: TABLES[name](Path(folder)) for name in wanted}
            page.write_text(with_tables(text, made), "utf-8")
            print(f"{page.name}: {', '.join(wanted)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
