"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from corefine.errors import CorefineError, Location


def write_atomically(path: str | os.PathLike[str], data: bytes | str | Iterable[bytes]) -> None:
    """Write data to a file, which appears whole or not at all; ``-`` is standard output.

    The data goes to a temporary file beside the target, which then takes the target's place with
    the permissions that the target had. Text is written in UTF-8. A symbolic link stays one: the
    file that it leads to is replaced. A pipe or a device is written to and never replaced.
    """
    if isinstance(data, str):
        data = data.encode("utf-8")
    pieces = (data,) if isinstance(data, bytes) else data
    name = os.fspath(path)
    try:
        if name == "-":
            sys.stdout.flush()
            sys.stdout.buffer.writelines(pieces)
            sys.stdout.buffer.flush()
        else:
            _write_file(Path(name), pieces)
    except BrokenPipeError:
        raise  # whoever read standard output has had enough: that is no fault of the path
    except OSError as error:
        raise CorefineError(
            f"cannot be written: {(error.strerror or str(error)).lower()}",
            Location(name),
            "Choose a place that exists and that you may write to.",
        ) from None


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
    target = path.resolve()
    import secrets  # slow to import, and most runs write no file

    temporary = target.with_name(f".corefine-{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb") as stream:
            stream.writelines(pieces)
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    except BaseException:  # an interruption by the user as well
        temporary.unlink(missing_ok=True)
        raise
