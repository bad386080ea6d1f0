"""Faults of a full or broken disk: the n-th call that changes a folder fails."""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_CHANGES = ("replace", "rename", "mkdir", "chmod", "link", "symlink", "truncate")


class Faults:
    """Counts the calls that change files below a folder, and fails one of them."""

    def __init__(self, folder: Path, failing: int | None = None) -> None:
        self.folder, self.failing = str(folder), failing
        self.calls: list[str] = []

    def counts(self, place: Any) -> bool:
        return isinstance(place, str | os.PathLike) and os.fspath(place).startswith(self.folder)

    def call(self, name: str) -> None:
        """Count a call, and fail if it is its turn."""
        self.calls.append(name)
        if len(self.calls) == self.failing:
            raise OSError(errno.ENOSPC, "No space left on device")


class FailingStream:
    """A file whose writing may fail in the middle."""

    def __init__(self, stream: Any, faults: Faults) -> None:
        self._stream, self._faults = stream, faults

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> FailingStream:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stream)

    def write(self, data: Any) -> int:
        try:
            self._faults.call("write")
        except OSError:
            self._stream.write(data[: len(data) // 2])
            self._stream.flush()
            raise
        return int(self._stream.write(data))

    def writelines(self, pieces: Any) -> None:
        for piece in pieces:
            self.write(piece)

    def close(self) -> None:
        if not self._stream.closed:
            self._stream.close()
            self._faults.call("close")


@contextmanager
def failing(folder: Path, number: int | None = None) -> Iterator[Faults]:
    """Fail the n-th change of files below a folder; without a number, only count them."""
    faults = Faults(folder, number)
    plain_open = builtins.open

    def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if not faults.counts(file) or not set(mode) & set("wxa+"):
            return plain_open(file, mode, *arguments, **options)
        faults.call("open")
        return FailingStream(plain_open(file, mode, *arguments, **options), faults)

    def counted(name: str) -> Callable[..., Any]:
        plain = getattr(os, name)

        def change(place: Any, *arguments: Any, **options: Any) -> Any:
            if faults.counts(place):
                faults.call(name)
            return plain(place, *arguments, **options)

        return change

    plain_sync = os.fsync

    def synced(descriptor: int) -> None:
        faults.call("fsync")
        plain_sync(descriptor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "open", opened)
        patch.setattr(io, "open", opened)
        patch.setattr(os, "fsync", synced)
        for name in _CHANGES:
            patch.setattr(os, name, counted(name))
        yield faults
