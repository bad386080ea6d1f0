"""Errors that tests expect: their code, and where the problem is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corefine.errors import CorefineError


@contextmanager
def refused(code: str, place: str | None = None) -> Iterator[None]:
    """Expect an error with this code, at a place such as ``x.conll:3`` or ``x.conll``.

    Without a place the error must have none: a problem of arguments, not of a file.
    """
    with pytest.raises(CorefineError) as caught:
        yield
    error = caught.value
    assert error.code == code, error
    assert error.message
    assert place_of(error) == place, error


def place_of(error: CorefineError) -> str | None:
    """The name of the file and the line of an error, where they are known."""
    if error.where is None:
        return None
    name = Path(error.where.source).name
    return name if error.where.line is None else f"{name}:{error.where.line}"
