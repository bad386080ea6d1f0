"""Logs of decisions: JSON lines below a header, which are the truth about a curation.

A log is locked while it is open, so that one process at a time decides. A record is on disk before
anything else learns of it. A last line that was cut off, as by a lost process, is ignored.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import IO, Any

from corefine.errors import CorefineError, FormatError, Location, UsageError
from corefine.output.saving import refuse_inputs, write_atomically

Record = dict[str, Any]


class LogError(CorefineError):
    """A log cannot be used or written."""


class DecisionLog:
    """A log that is open for reading and appending, and locked for others."""

    def __init__(self, path: str | os.PathLike[str], header: Mapping[str, Any]) -> None:
        self.path = os.fspath(path)
        self.header = dict(header)
        try:
            # Without a buffer, in which a record that was refused would wait to be written.
            self._file = open(self.path, "a+b", buffering=0)  # noqa: SIM115 - closed by close()
        except OSError as error:
            raise LogError(f"the log cannot be opened: {error.strerror}", self._where()) from None
        _lock(self._file, self._where())
        self._file.seek(0)
        self._end = self._file.read().rfind(b"\n") + 1
        """End of the last whole line."""

    def __enter__(self) -> DecisionLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the log and let others use it. All records are on disk already."""
        try:
            self._file.close()
        except OSError as error:
            raise LogError(f"the log was not closed: {error.strerror}", self._where()) from None

    def _where(self, line: int | None = None) -> Location:
        return Location(self.path, line)

    def records(self) -> list[tuple[Record, Location]]:
        """All records and their places; an error if the log was made with other files."""
        self._file.seek(0)
        return read_records(self._file.read(), self.path, self.header)

    def append(self, record: Mapping[str, Any]) -> None:
        """Append a record, which is on disk when this returns; on failure the log is as before."""
        try:
            line = json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n"
        except (UnicodeEncodeError, ValueError) as error:
            raise LogError("the decision has characters that cannot be written") from error
        self._require_place()
        if self._end == 0:
            line = json.dumps(self.header, ensure_ascii=False).encode() + b"\n" + line
        try:
            self._file.truncate(self._end)
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file.fileno())
        except OSError as error:
            # The rest of a failed write is cut off by the next one, or ignored as a cut line.
            with contextlib.suppress(OSError):
                self._file.truncate(self._end)
            raise LogError(f"the log was not written: {error.strerror}", self._where()) from None
        self._end += len(line)

    def _require_place(self) -> None:
        """Raise an error if the file was moved or deleted since it was opened."""
        try:
            same = os.path.samestat(os.stat(self.path), os.fstat(self._file.fileno()))
        except OSError:
            same = False
        if not same:
            raise LogError(
                "the log was moved or deleted", self._where(), "Put it back, and start again."
            )


def read_records(
    content: bytes, path: str, header: Mapping[str, Any] | None = None
) -> list[tuple[Record, Location]]:
    """The records of a log and their places, without its header, which must be the given one."""
    *lines, _ = content.split(b"\n")
    records = []
    for number, line in enumerate(lines, 1):
        where = Location(path, number)
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise FormatError("not a record of a log", where) from None
        if not isinstance(record, dict):
            raise FormatError("not a record of a log", where)
        if number == 1 and header is not None and record != header:
            raise CorefineError(
                "the log was made with other files",
                where,
                "Use the files and names that it was made with, or another log.",
            )
        records.append((record, where))
    return records[1:] if header is not None else records


def _lock(file: IO[bytes], where: Location) -> None:
    """Lock a file until it is closed, or raise an error if another process has locked it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise LogError(
            "another process is using the log", where, "Stop it, or use another log."
        ) from None


def merge_logs(logs: Sequence[str | os.PathLike[str]], target: str | os.PathLike[str]) -> int:
    """Join logs of curators who worked on different documents; returns the number of entries.

    An error if two logs are about other annotations or have entries on the same document, or if
    the target has entries already.
    """
    lines: list[Mapping[str, Any]] = []
    owners: dict[str, str] = {}
    for log in logs:
        path = os.fspath(log)
        with open(path, "rb") as file:
            records = read_records(file.read(), path)
        for number, (record, where) in enumerate(records):
            if number == 0:
                if "adjudication" not in record or record != (lines or [record])[0]:
                    raise FormatError("the log was made with other files than the first one", where)
                lines = lines or [record]
                continue
            document = str(record.get("document"))
            if owners.setdefault(document, path) != path:
                raise FormatError(
                    f"{owners[document]} has decisions on the document {document!r}, too",
                    where,
                    "Merge logs of different documents.",
                )
            lines.append(record)
    if not lines:
        raise UsageError("there are no decisions to merge", remedy="Give logs with decisions.")
    refuse_inputs(target, logs)
    if os.path.exists(target) and os.path.getsize(target):
        raise CorefineError(
            "the log has decisions already", Location(os.fspath(target)), "Choose another name."
        )
    # Each log is in order; entries of different logs concern different documents.
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
    write_atomically(target, text, inputs=logs)
    return len(lines) - 1
