"""Logs of decisions: JSON lines below a header, appended so that nothing confirmed is lost.

An adjudication logs decisions on entities; the marks of suspects are logged in the same way. A mark
refers to the place of a suspect, so that it outlives a change of the systems.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from corefine.errors import CorefineError, FormatError, Location
from corefine.explaining.suspects import MARKS, Suspects

Record = dict[str, Any]


def read_records(
    path: str | os.PathLike[str], header: Mapping[str, Any]
) -> Iterator[tuple[Record, Location]]:
    """The records of a log with this header, and their places; none if there is no file.

    A last line that was cut off, as by a lost process, is ignored.
    """
    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        *lines, _ = file.read().split(b"\n")
    for number, line in enumerate(lines, 1):
        where = Location(os.fspath(path), number)
        try:
            record = json.loads(line)
        except ValueError:
            raise FormatError("not a record of a log", where) from None
        if number > 1:
            yield record, where
        elif record != header:
            raise CorefineError(
                "the log was made with other files",
                where,
                "Use the files and names that it was made with, or another log.",
            )


def append_records(
    path: str | os.PathLike[str], header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]
) -> None:
    """Append records to a log. They are on disk when this returns."""
    lines = list(records)
    with open(path, "a+b") as file:
        if file.seek(0, os.SEEK_END) == 0:
            lines.insert(0, header)
        else:
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
        for record in lines:
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


_MARKS_HEADER = {"suspects": 1}


@dataclass(frozen=True, slots=True)
class Mark:
    """The judgement of a suspect: who made it, when and why."""

    suspect: str
    mark: str
    by: str = ""
    reason: str = ""
    time: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    def __post_init__(self) -> None:
        if self.mark not in MARKS:
            raise ValueError(self.mark)


def read_marks(path: str | os.PathLike[str]) -> list[Mark]:
    """The marks of a log, in order; a suspect may have been marked more than once."""
    marks = []
    for record, where in read_records(path, _MARKS_HEADER):
        try:
            marks.append(Mark(**record))
        except (TypeError, ValueError):
            raise FormatError("not the mark of a suspect", where) from None
    return marks


def with_marks(suspects: Suspects, marks: Iterable[Mark]) -> Suspects:
    """The suspects with their last marks."""
    return replace(suspects, marks={one.suspect: one.mark for one in marks})


def append_marks(path: str | os.PathLike[str], marks: Iterable[Mark]) -> None:
    """Append marks to a log. They are on disk when this returns."""
    append_records(path, _MARKS_HEADER, map(asdict, marks))
