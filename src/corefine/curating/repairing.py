"""Repairs of files: edits of the source text, each for a finding that has one reading.

Everything outside the edits stays byte for byte: comments, columns, encodings and line ends.
"""

from __future__ import annotations

import os
from bisect import bisect, insort
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import pairwise
from pathlib import Path
from typing import Any

from corefine.curating.checking import (
    Checked,
    Finding,
    Options,
    check_source,
    require_file,
    rule_findings,
)
from corefine.curating.parsing import Edit, decoded, parser_of
from corefine.errors import CorefineError, Location, UsageError
from corefine.formats.io.sources import Source
from corefine.formats.registry import Format, format_named, sniff
from corefine.output.grid import Column, Grid
from corefine.output.result import Result, Tables
from corefine.output.saving import write_atomically

MOST_ROUNDS = 100
"""Repairs that touch each other are made one after the other, in so many rounds."""


@dataclass(frozen=True, repr=False)
class Repairs(Result):
    """The repairs of a file: its content before and after, and a log; from :func:`repair`."""

    source: str
    log: tuple[Finding, ...]
    """Findings that were repaired, in the order of their repair."""
    before: bytes
    after: bytes
    checked: Checked
    """The check of the repaired content."""

    @property
    def verdict(self) -> str:
        left = len(self.checked.findings)
        return f"{self.source}: {len(self.log):,} repaired, {left:,} left."

    @property
    def default_tables(self) -> tuple[str, ...]:
        return ()

    def table_functions(self) -> Tables:
        return {"repairs": repairs_grid}

    def to_dict(self) -> dict[str, Any]:
        repairs = [{**one.to_dict(), "repairable": True} for one in self.log]
        return {"file": self.source, "repairs": repairs, "left": self.checked.to_dict()}

    def diff(self) -> str:
        """The changed lines, as a unified diff without context."""
        before, after = (decoded(content).split("\n") for content in (self.before, self.after))
        return "\n".join(unified_diff(before, after, self.source, self.source, n=0, lineterm=""))


def repairs_grid(repairs: Repairs) -> Grid:
    """One row per repair."""
    columns = {Column("line", "integer"): "line", Column("rule"): "code"}
    return Grid.of(repairs.log, {**columns, Column("message"): "message"})


def repair(
    path: str | os.PathLike[str],
    target: str | os.PathLike[str] | None = None,
    format: str | None = None,
    *,
    in_place: bool = False,
    select: str | None = None,
    ignore: str | None = None,
    scope: str | None = None,
) -> Repairs:
    """Repair a file where there is one reading, and write it to ``target`` or ``in_place``.

    Nothing is written if nothing is repaired. ``select``, ``ignore`` and ``scope`` are those of
    :func:`check`.

    >>> from corefine.formats.sample import sample_path
    >>> repair(sample_path("key")).log
    ()
    """
    if in_place and target is not None:
        raise UsageError("a file is repaired in place or written to another, not both")
    require_file(path, "repair")
    name = os.fspath(path)
    if name in ("-", "<stdin>"):
        raise UsageError("standard input is not repaired", remedy="Give the name of a file.")
    source = Source(name, Path(name))
    options = Options.of(select, ignore, scope)
    try:
        chosen = sniff(source) if format is None else format_named(format)
        source.head()
        packed = source.is_packed
        before = source.read_all()
    finally:
        source.close()
    _refuse_unrepairable(name, chosen, packed)
    checked = check_source(Source.of_content(name, before), chosen, options)
    if not checked.is_readable:
        return Repairs(name, (), before, before, checked)
    after, log = _repaired(name, before, chosen, options)
    checked = check_source(Source.of_content(name, after), chosen, options)
    if target is not None and after != before:
        write_atomically(target, after, inputs=(name,))
    elif in_place and after != before:
        _replace(name, before, after)
    return Repairs(name, tuple(log), before, after, checked)


def _refuse_unrepairable(name: str, format: Format, packed: bool) -> None:
    if packed:
        raise UsageError("a compressed file is not repaired", Location(name), "Unpack it first.")
    if parser_of(format.name) is None:
        raise UsageError(
            f"files of the format {format.name} can only be reported, not repaired",
            Location(name),
            "Leave out --fix; conll, conllu, ua, labels and JSON lines can be repaired.",
        )


def _repaired(
    name: str, content: bytes, format: Format, options: Options
) -> tuple[bytes, list[Finding]]:
    """The content with all repairs, and the findings that were repaired."""
    log: list[Finding] = []
    for _ in range(MOST_ROUNDS):
        findings = rule_findings(name, content, format, None, options)
        done = _without_conflicts([one for one in findings if one.edits])
        if not done:
            return content, log
        content = edited(content, [edit for one in done for edit in one.edits])
        log += done
    raise CorefineError(
        f"repairs do not come to an end in {MOST_ROUNDS} rounds",
        Location(name, log[-1].line),
        f"Nothing was written. Correct this line by hand, or use --ignore {log[-1].code}.",
    )


def _without_conflicts(findings: Sequence[Finding]) -> list[Finding]:
    """Findings whose edits overlap neither each other nor the edits of an earlier finding."""
    taken: list[Edit] = []
    done = []
    for finding in findings:
        edits = sorted(finding.edits)
        places = [bisect(taken, edit) for edit in edits]
        beside = [
            (e, other)
            for e, at in zip(edits, places, strict=True)
            for other in taken[max(at - 1, 0) : at + 1]
        ]
        if not any(_touch(*pair) for pair in (*beside, *pairwise(edits))):
            for edit in edits:
                insort(taken, edit)
            done.append(finding)
    return done


def _touch(one: Edit, other: Edit) -> bool:
    """True if two edits overlap, or one inserts where the other begins or ends."""
    if one.start < one.stop and other.start < other.stop:
        return one.start < other.stop and other.start < one.stop
    return one.start <= other.stop and other.start <= one.stop


def edited(content: bytes, edits: Sequence[Edit]) -> bytes:
    """The content with edits that do not touch each other.

    >>> edited(b"(1|(2)", [Edit(2, 2, ")"), Edit(3, 6, "-")])
    b'(1)|-'
    """
    parts, place = [], 0
    for start, stop, text in sorted(edits):
        parts += [content[place:start], text.encode("utf-8", "surrogateescape")]
        place = stop
    return b"".join([*parts, content[place:]])


def _replace(name: str, before: bytes, after: bytes) -> None:
    """Write a file in place, unless it has changed since it was read."""
    path = Path(name)
    refusal = ""
    if path.read_bytes() != before:
        refusal = "the file changed while it was checked"
    elif not os.access(path, os.W_OK):
        refusal = "the file is not writable"
    elif path.stat().st_nlink > 1:
        refusal = "the file has several names (hard links), which would no longer be one file"
    if refusal:
        remedy = "Nothing was written; use --fix -o OUT, or check again."
        raise CorefineError(refusal, Location(name), remedy)
    write_atomically(path, after)
