"""Kinds from a separate file with one line per mention, which gives its place and kind.

The columns, separated by tabs, are document, start, end (the last token, counted from 0 like the
start) and kind. A header line may put the columns in another order and add a semantic type:
``doc`` or ``document``, ``start``, ``end``, ``kind`` or ``mtype``, ``type`` or ``etype``.
The tokens of a discontinuous mention follow its end: ``15 disc:11,12,15``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.columns import Kind, Pieces
from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError, Location, UsageError, closest
from corefine.formats.io.lines import shown

_OTHER_WORDS = {
    Kind.NAME: "nam named prop proper propn",
    Kind.NOMINAL: "noun nom common",
    Kind.PRONOUN: "pro pron prn pronominal",
    Kind.ZERO: "null",
    Kind.UNKNOWN: "verb - _",
}
WORDS: dict[str, Kind] = {"": Kind.UNKNOWN} | {
    word: kind for kind in Kind for word in (kind.name.lower(), *_OTHER_WORDS[kind].split())
}


def kind_of(value: object) -> Kind:
    """Convert a word, a number or a :class:`~corefine.corpus.corpus.Kind` to a kind.

    >>> kind_of("PROP"), kind_of(3)
    (<Kind.NAME: 1>, <Kind.PRONOUN: 3>)
    """
    if value is None:
        return Kind.UNKNOWN
    if isinstance(value, int) and not isinstance(value, bool):
        return Kind(value)
    word = str(value).strip().lower()
    if word not in WORDS:
        raise ValueError(f"{value!r} is not a mention kind.{closest(word, WORDS)}")
    return WORDS[word]


KNOWN = "Mention kinds are name, nominal, pronoun, zero and unknown (or PROP, NOM, PRON, VERB)."

_HEADERS = {
    "document": ("document", "doc", "doc_id", "docid"),
    "start": ("start", "first", "begin"),
    "end": ("end", "last"),
    "kind": ("kind", "mtype", "mention_kind"),
    "type": ("type", "etype", "entity_type"),
}
_NEEDED = ("document", "start", "end", "kind")
"""The columns that a file must have, in the order of a file without a header."""
_LAYOUT = (
    "Each line has four tab-separated fields: document, start, end (last token, counting "
    "from 0), type."
)


SpanEnds = tuple[int, ...]
"""Start and stop of a mention; for a discontinuous one, -1 followed by all its tokens."""


@dataclass(frozen=True, slots=True, eq=False)
class SideFile:
    """Kinds and types by document and place."""

    path: str
    places: dict[str, dict[SpanEnds, tuple[int, str]]]

    def look_up(self, corpus: Corpus) -> tuple[NDArray[np.uint8], list[str | None]]:
        """The kind and the type of each mention of a corpus, if the file has it."""
        if not corpus.has_places:
            raise UsageError(
                f"{self.path} gives mention kinds by position, but these mentions are only names",
                remedy="Give the types as a dict from mentions to types.",
            )
        mentions = corpus.mentions
        tables = [self.places.get(name, {}) for name in corpus.documents]
        nothing = (0, "")
        broken = {} if mentions.pieces is None else _discontinuous(mentions.pieces)
        columns = (mentions.document.tolist(), mentions.start.tolist(), mentions.stop.tolist())
        rows = [
            tables[document].get(broken.get(index, (start, stop)), nothing)
            for index, (document, start, stop) in enumerate(zip(*columns, strict=True))
        ]
        return np.array([row[0] for row in rows], np.uint8), [row[1] or None for row in rows]


def _discontinuous(pieces: Pieces) -> dict[int, SpanEnds]:
    """The places of the mentions that have several parts."""
    places: dict[int, SpanEnds] = {}
    for mention, start, stop in zip(
        pieces.mention.tolist(), pieces.start.tolist(), pieces.stop.tolist(), strict=True
    ):
        places[mention] = (*places.get(mention, (-1,)), *range(start, stop))
    return places


def read_side_file(path: str) -> SideFile:
    """Read a file of kinds, or say in which line it cannot be read."""
    try:
        with open(path, encoding="utf-8-sig", newline=None) as stream:
            lines = stream.read().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UsageError(
            f"cannot read the file of mention kinds {path!r}: {reason}",
            remedy="--kinds takes auto, format, pos, guess, none or the path of such a file.",
        ) from None
    places: dict[str, dict[SpanEnds, tuple[int, str]]] = {}
    columns: Sequence[str] = ()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        where = Location(os.fspath(path), number)
        if not columns:
            columns = _columns(cells, where)
            if columns is not _NEEDED:
                continue
        row = dict(zip(columns, cells, strict=False))
        if not row.keys() >= {*_NEEDED}:
            raise FormatError(f"only {len(cells)} column(s)", where, _LAYOUT)
        place = _place(row["start"], row["end"], where)
        try:
            kind = int(kind_of(row["kind"]))
        except ValueError as error:
            raise FormatError(str(error), where, KNOWN) from None
        table = places.setdefault(row["document"], {})
        if table.setdefault(place, (kind, row.get("type", "")))[0] != kind:
            raise FormatError(
                f"this mention of {row['document']!r} has a different type in an earlier line",
                where,
                "Give each mention one type.",
            )
    if not columns:
        raise FormatError("the file of mention kinds is empty", Location(os.fspath(path)), _LAYOUT)
    return SideFile(os.path.basename(path), places)


def _columns(cells: list[str], where: Location) -> Sequence[str]:
    """The columns of a header line; the default ones if the first line is a mention."""
    names = {word: column for column, words in _HEADERS.items() for word in words}
    columns = [names.get(cell.lower(), cell) for cell in cells]
    if "document" not in columns and "start" not in columns:
        return _NEEDED
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise FormatError(f"no column named {missing[0]}", where, _LAYOUT)
    return columns


def _place(start: str, end: str, where: Location) -> SpanEnds:
    end, _, parts = end.partition(" disc:")
    tokens = parts.split(",") if parts else []
    for text in (start, end, *tokens):
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise FormatError(
                f"{shown(text)!r} is not a token number", where, _LAYOUT, code="not-a-number"
            )
    if int(end) < int(start):
        raise FormatError(
            f"the mention ends at token {end}, before its start {start}", where, _LAYOUT
        )
    return (-1, *sorted(map(int, tokens))) if tokens else (int(start), int(end) + 1)
