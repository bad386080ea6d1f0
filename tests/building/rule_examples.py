"""Examples of rules as whole files."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from corefine.curating.rules import all_rules

SUFFIXES = {"conll": ".conll", "conllu": ".conllu", "json": ".jsonl", "csv": ".csv"}
HEADER = "# newdoc id = x\n# global.Entity = eid-etype-head\n"
"""The lines before examples of CoNLL-U that name no document."""
UNITS = {3: (0, 1, 9), 4: (0, 1, 3, 9), 5: (0, 1, 3, 5, 9), 6: (0, 1, 3, 6, 7, 9)}
"""Columns of CoNLL-U that a line with so many cells gives."""


def whole_file(format: str, body: str) -> str:
    """The file of an example, which leaves out columns that do not matter."""
    if format == "conllu":
        body = body if "# newdoc" in body else HEADER + body
        return "\n".join([*map(_conllu_line, body.splitlines()), "", ""])
    if format == "conll":
        comments = [line for line in body.splitlines() if line.startswith("#")]
        rows = [line.split() for line in body.splitlines() if not line.startswith("#")]
        lines = [f"x 0 {n} {word} - - - - - - - {cell}" for n, (word, cell) in zip(count(), rows)]
        begin = "#begin document (x); part 000"
        return "\n".join([*comments, begin, *lines, "", "#end document", ""])
    return body


def _conllu_line(line: str) -> str:
    if line.startswith("#") or not line:
        return line
    given = line.split()
    cells = ["_"] * 10
    for place, cell in zip(UNITS[len(given)], given, strict=True):
        cells[place] = cell
    return "\t".join(cells)


def example(code: str, side: str, folder: Path) -> Path:
    """Write the wrong or right example of a rule to a file."""
    format, body = getattr(all_rules()[code], side)
    path = folder / f"{code}-{side}{SUFFIXES[format]}"
    path.write_text(whole_file(format, body), "utf-8")
    return path
