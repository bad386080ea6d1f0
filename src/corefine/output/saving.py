"""Atomic writing of files and folders, never over inputs."""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from corefine.errors import CorefineError, Location, UsageError

Place = str | os.PathLike[str]

_protected: ContextVar[tuple[Place, ...]] = ContextVar("protected", default=())
"""Inputs that must not be overwritten."""


@contextmanager
def protecting(inputs: Iterable[Place]) -> Iterator[None]:
    """Protect inputs from being overwritten within the context."""
    token = _protected.set(tuple(inputs))
    try:
        yield
    finally:
        _protected.reset(token)


def write_atomically(
    path: Place, data: bytes | str | Iterable[bytes], inputs: Iterable[Place] = ()
) -> None:
    """Write data to a file, which appears whole or not at all; ``-`` is standard output.

    The data is written to a temporary file in the target's directory, which then replaces the
    target and keeps its permissions. Text is written in UTF-8. A symbolic link is kept and the file
    that it points to is replaced. A pipe or a device is written to and never replaced. A file that
    is one of the ``inputs`` of the data is refused.
    """
    refuse_inputs(path, inputs)
    if "\0" in os.fspath(path):
        raise _unwritable(os.fspath(path), OSError(None, "invalid file name"))
    if isinstance(data, str):
        # Half of a surrogate pair, as in a file name that is not UTF-8, cannot be encoded.
        data = data.encode("utf-8", "backslashreplace")
    pieces = (data,) if isinstance(data, bytes) else data
    name = os.fspath(path)
    try:
        if name == "-":
            _write_standard_output(pieces)
        else:
            _write_file(Path(name), pieces)
    except OSError as error:
        if name == "-" and isinstance(error, BrokenPipeError):
            raise  # whoever read standard output has had enough: nothing is wrong
        raise _unwritable(name, error) from None


def check_page(path: Place) -> None:
    """Raise an error if the file name of a page does not end in .html."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in ("", ".html", ".htm"):
        raise UsageError(
            f"a page is written as HTML, not as {suffix}",
            Location(os.fspath(path)),
            "Choose a name that ends in .html.",
        )


def write_page(path: Place, html: str, inputs: Iterable[Place] = ()) -> None:
    """Write a page of HTML to a file, which appears whole or not at all."""
    check_page(path)
    write_atomically(path, html, inputs)


def write_folder(
    path: Place, files: Iterable[tuple[str, bytes]], inputs: Iterable[Place] = ()
) -> None:
    """Write named files to a new or empty folder, which appears whole or not at all.

    A symbolic link to a folder stays one. A folder that is one of the ``inputs`` is refused.
    """
    name = os.fspath(path)
    if name == "-":
        raise UsageError("this format writes several files, so the target must be a directory")
    refuse_inputs(path, inputs)
    try:
        _write_folder(Path(os.path.realpath(name)), files, Location(name))
    except OSError as error:
        raise _unwritable(name, error) from None


def make_folder(path: Place) -> Path:
    """The folder, which is made where it is missing."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot create the directory: {(error.strerror or str(error)).lower()}",
            Location(str(folder)),
            "Choose another one.",
        ) from None
    return folder


def refuse_inputs(output: Place, inputs: Iterable[Place]) -> None:
    """Refuse an output that is one of the inputs, by device and inode.

    Inputs are paths, folders, patterns, or ``-``; those that do not exist are no concern here.
    """
    name = os.fspath(output)
    mode, identity = _identity(name, 1)
    if identity is None or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return
    for place in (*inputs, *_protected.get()):
        for found in _files(os.fspath(place)):
            if _identity(found, 0)[1] == identity:
                raise UsageError(
                    "this is an input file, which would be overwritten",
                    Location("standard output" if name == "-" else name),
                    "Choose another output.",
                    code="output-is-input",
                )


def _identity(name: str, descriptor: int) -> tuple[int, tuple[int, int] | None]:
    """The type of what a name leads to, with its device and inode; nothing where it is missing."""
    try:
        found = os.fstat(descriptor) if name == "-" else os.stat(name)
    except (OSError, ValueError):
        return 0, None
    return found.st_mode, (found.st_dev, found.st_ino)


def _files(place: str) -> Iterator[str]:
    """The files and folders that a path, a folder or a pattern refers to."""
    try:
        if place == "-" or os.path.exists(place):
            yield place
            for folder, _, names in os.walk(place) if os.path.isdir(place) else ():
                yield from (os.path.join(folder, name) for name in names)
        elif glob.has_magic(place):
            yield from glob.iglob(place, recursive=True)
    except ValueError:  # a null character in a name: no file has it
        return


def _unwritable(name: str, error: Exception) -> CorefineError:
    reason = getattr(error, "strerror", None) or str(error)
    return CorefineError(
        f"cannot write: {reason.lower()}",
        Location("standard output" if name == "-" else name),
        "Choose an existing directory with write permission.",
        code="cannot-write",
    )


def _write_standard_output(pieces: Iterable[bytes]) -> None:
    if sys.stdout is None:
        raise OSError(None, "standard output is closed")
    sys.stdout.flush()
    sys.stdout.buffer.writelines(pieces)
    sys.stdout.buffer.flush()


def _write_file(path: Path, pieces: Iterable[bytes]) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(None, "this is a directory")
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as stream:
            stream.writelines(pieces)
        return
    with _replacing(path.resolve()) as temporary:
        with open(temporary, "xb") as stream:
            stream.writelines(pieces)
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))


def _write_folder(path: Path, files: Iterable[tuple[str, bytes]], where: Location) -> None:
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError("the target exists and is not an empty directory", where, code="not-empty")
    with _replacing(path) as temporary:
        temporary.mkdir()
        for name, content in files:
            file = temporary / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder, and move it to the file or folder at the end."""
    import secrets  # slow to import, and most runs write no file

    temporary = path.with_name(f".corefine-{secrets.token_hex(8)}")
    try:
        yield temporary
        temporary.replace(path)
    except BaseException:  # an interruption by the user as well
        if temporary.is_dir():
            from shutil import rmtree

            rmtree(temporary, ignore_errors=True)
        else:
            temporary.unlink(missing_ok=True)
        raise
