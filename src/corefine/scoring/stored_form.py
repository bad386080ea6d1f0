"""The file of a saved result, as types that msgspec checks; imported only to save or load one."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from corefine.formats.tagged.copies import Copies

FORMAT = 1
"""The version of the file: increased when older versions of corefine could not read what is
written."""
HOLDS = "corefine scores"

Columns = dict[str, list[float | int]]
"""Numbers per document, by the name of the statistic."""


class StoredBreakdown(Struct):
    """The statistics of the groups of a breakdown."""

    by: str
    metrics: list[str]
    parts: dict[str, dict[str, Columns]]
    genres: str | None = None
    """The source of genres: a pattern, or the name of a file."""
    rows: dict[str, list[int]] = {}
    """The numbers of the documents of each group, whose statistics ``parts`` has."""


class StoredHead(Struct):
    """The fields that distinguish a saved result from other files."""

    format: int
    holds: str


class StoredKey(Struct):
    """The fingerprint of the key; the code has 16 hexadecimal digits."""

    documents: int
    mentions: int
    code: str


class StoredForm(Struct):
    """A saved result; ``format`` and ``holds`` come first, so that the first bytes identify it."""

    format: int
    holds: str
    corefine: str
    signature: str
    name: str | None
    date: str | None
    metrics: dict[str, str]
    """Canonical names by the names that were requested."""
    settings: dict[str, Any]
    kinds: str
    kind_sources: list[str]
    by: list[str]
    tool: str | None
    """The scorer whose conventions the counts follow."""
    key: StoredKey
    documents: list[str]
    statistics: dict[str, Columns]
    breakdowns: list[StoredBreakdown]
    warnings: list[str]
    digest: str
    """A hash of the documents and their numbers, to detect changed and damaged files."""
    preset: str = ""
    copies: Copies | None = None
    kind_code: str = ""
    """The code of the mention kinds of the key."""
    warning_codes: list[str] = []
