"""Breakdowns by groups of documents: genre, length, topic."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from corefine.corpus.words import words_by_document
from corefine.errors import FormatError, Location, UsageError
from corefine.matching.places import require_text
from corefine.matching.units import group_documents
from corefine.metrics.table import MentionTable
from corefine.scoring.breakdowns.breakdown import BinnedBreakdown, Breakdown, DocumentBreakdown

PREFIX = r"^([^/_-]+)[/_-]"
"""The part of an id before the first slash, underscore or hyphen, such as ``bc/cctv/00``."""
UNKNOWN = "(none)"
"""The group of documents whose id does not match."""
_LAYOUT = "Each line has a document id and a genre, separated by a tab or a comma."


@dataclass(frozen=True)
class Genre(DocumentBreakdown):
    """By the beginning of document ids, a pattern in them, or a table of documents."""

    name = "genre"

    pattern: str = PREFIX
    table: tuple[tuple[str, str], ...] | None = None
    source: str = ""
    """The name of the file of the table."""

    @classmethod
    def from_parameters(cls, written: str) -> Breakdown:
        return cls.of(written) if written else cls()

    @classmethod
    def of(cls, genres: str | os.PathLike[str] | Mapping[str, str]) -> Genre:
        """Genres from a mapping, from a file of documents and genres, or by a regular expression.

        The first group of a pattern is the genre or, without groups, the whole match.
        """
        if isinstance(genres, Mapping):
            return cls("", tuple(sorted((str(k), str(v)) for k, v in genres.items())), "mapping")
        written = os.fspath(genres)
        if Path(written).is_file():
            return cls("", _read(written), Path(written).name)
        try:
            re.compile(written)
        except re.error as error:
            raise UsageError(
                f"genres {written!r} is neither a file nor a valid regular expression: {error}",
                remedy="Give a file of document ids and genres, or a regular expression such "
                "as 'GUM_([a-z]+)_'.",
            ) from None
        return cls(written)

    def order(self, groups: Iterable[str]) -> list[str]:
        return sorted(groups, key=lambda genre: (genre == UNKNOWN, genre))

    def error_without_groups(self, groups: Sequence[str]) -> UsageError | None:
        if list(groups) != [UNKNOWN]:
            return None
        return UsageError(
            f"no document id matches {self.pattern!r}, so there are no genres",
            remedy="Give a file of document ids and genres, or another regular expression, "
            "with --genres.",
        )

    def signature_parts(self, group: str) -> dict[str, str]:
        source = self.source or self.pattern
        return {self.name: group} | ({} if self == Genre() else {"genres": source})

    def groups_of(self, table: MentionTable) -> Sequence[str]:
        windows = table.matched.windows
        if windows is None:
            return self.groups_of_saved(table.documents)
        counts = np.diff(windows.offsets)
        names = np.array(windows.documents, object)
        return self.groups_of_saved(np.repeat(names, counts).tolist())

    def groups_of_saved(self, documents: Sequence[str]) -> Sequence[str]:
        known = None if self.table is None else dict(self.table)
        return [self.of_document(name, known) for name in documents]

    def of_document(self, name: str, known: Mapping[str, str] | None = None) -> str:
        """The genre of a document; ``known`` is the table as a mapping."""
        if self.table is not None:
            known = dict(self.table) if known is None else known
            if name not in known:
                raise UsageError(
                    f"document {name!r} has no genre in {self.source}",
                    remedy="Give a genre for every document.",
                )
            return known[name]
        found = re.search(self.pattern, name)
        if found is None:
            return UNKNOWN
        return (found.group(1) if found.re.groups else found.group()) or UNKNOWN


def _read(path: str) -> tuple[tuple[str, str], ...]:
    """Documents and genres of a file; the first line can name its columns."""
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UsageError(f"cannot read the genre file {path!r}: {reason}") from None
    found: dict[str, str] = {}
    columns: tuple[int, int] | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = Location(path, number)
        cells = [cell.strip() for cell in line.split("\t" if "\t" in line else ",")]
        if columns is None:
            names = [cell.lower() for cell in cells]
            document = next((names.index(w) for w in ("document", "doc") if w in names), None)
            columns = (0, 1)
            if document is not None and "genre" in names:
                columns = document, names.index("genre")
                continue
        if len(cells) <= max(columns) or not cells[columns[0]] or not cells[columns[1]]:
            raise FormatError("this line has no document id or no genre", where, _LAYOUT)
        name, genre = cells[columns[0]], cells[columns[1]]
        if found.setdefault(name, genre) != genre:
            raise FormatError(
                f"document {name!r} has a different genre in an earlier line", where, _LAYOUT
            )
    if not found:
        raise FormatError("the genre file is empty", Location(path), _LAYOUT)
    return tuple(sorted(found.items()))


@dataclass(frozen=True)
class DocumentLength(BinnedBreakdown, DocumentBreakdown):
    """By the words of the document or window, without empty nodes."""

    name = "length"
    needs_text = True
    default_bounds = (500, 1000, 2000)

    def groups_of(self, table: MentionTable) -> Sequence[str]:
        key, response = table.matched.key, table.matched.response
        require_text(key, response, "scores by length")
        names = self.groups()
        if table.matched.windows is not None:
            lengths = np.asarray(table.matched.windows.words)
        else:
            tokens = key.tokens if key.tokens is not None else response.tokens
            assert tokens is not None
            lengths = words_by_document(tokens)
        return [names[number] for number in self.bin_of(lengths).tolist()]


@dataclass(frozen=True)
class Topic(DocumentBreakdown):
    """By the topic of documents: a column of the file, or the beginning of their ids."""

    name = "topic"

    def groups_of(self, table: MentionTable) -> Sequence[str]:
        grouping = group_documents(table.matched.key, "topic")
        assert grouping is not None
        topics = [grouping.names[number] for number in grouping.of_document.tolist()]
        windows = table.matched.windows
        if windows is None:
            return topics
        return np.repeat(np.array(topics, object), np.diff(windows.offsets)).tolist()


BREAKDOWNS: tuple[type[Breakdown], ...] = (Genre, DocumentLength, Topic)
