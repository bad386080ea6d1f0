"""The file of a stored result, as types that msgspec checks.

Imported only when a result is stored or loaded: msgspec is not loaded before.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from corefine.corpus.copying import Copies

FORMAT = 1
"""The version of the file: it is raised when an older corefine could not read what is written."""
HOLDS = "corefine scores"

Columns = dict[str, list[float | int]]
"""Numbers by document, by the name of the statistic."""


class Head(Struct):
    """What tells a stored result from any other file."""

    format: int
    holds: str


class StoredKey(Struct):
    """The fingerprint of the key; the code in sixteen digits."""

    documents: int
    mentions: int
    code: str


class StoredBreakdown(Struct):
    """The statistics of parts."""

    by: str
    metrics: list[str]
    parts: dict[str, dict[str, Columns]]
    genres: str | None = None
    """Where genres came from: a pattern, or the name of a file."""


class StoredForm(Struct):
    """A whole file. ``format`` and ``holds`` come first, so that the first bytes tell it."""

    format: int
    holds: str
    corefine: str
    signature: str
    name: str | None
    date: str | None
    metrics: dict[str, str]
    """Canonical names by the names that were asked for."""
    settings: dict[str, Any]
    kinds: str
    kind_sources: list[str]
    by: list[str]
    tool: str | None
    key: StoredKey
    documents: list[str]
    statistics: dict[str, Columns]
    breakdowns: list[StoredBreakdown]
    warnings: list[str]
    digest: str
    """Of the documents and their numbers: a file that was changed or damaged is found out."""
    preset: str = ""
    """The preset that settings and metrics come from, and what was given otherwise."""
    copies: Copies | None = None
    """How well the text was copied, if a language model wrote the response."""
