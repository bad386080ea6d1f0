"""Breakdown by the genre of documents: from their ids, or from a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from corefine.errors import FormatError, Location, UsageError
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.table import MentionTable
from corefine.scoring.breakdowns.breakdown import Breakdown, Parts
from corefine.scoring.breakdowns.registry import register

PREFIX = r"^([^/_-]+)[/_-]"
"""What stands before the first slash, underscore or hyphen of an id, such as ``bc/cctv/00``."""
UNKNOWN = "(none)"
"""The group of documents whose id does not match."""
_LAYOUT = "Each line has a document id and a genre, separated by a tab or a comma."


@register
@dataclass(frozen=True)
class Genre(Breakdown):
    """By what the id of a document begins with, by a pattern in it, or by a table of documents.

    A genre's scores are those of its documents, for every metric, and add up to the whole.
    """

    name = "genre"

    pattern: str = PREFIX
    table: tuple[tuple[str, str], ...] | None = None
    source: str = ""
    """What the table was read from."""

    @classmethod
    def from_parameters(cls, written: str) -> Breakdown:
        return cls.of(written) if written else cls()

    @classmethod
    def of(cls, genres: str | os.PathLike[str] | Mapping[str, str]) -> Genre:
        """Genres from a mapping, from a file of documents and genres, or by a regular expression.

        A pattern's first group is the genre or, without one, all that it matches.
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

    def can_divide(self, metric: Metric) -> bool:
        return True

    def refusal(self, settings: Settings) -> UsageError | None:
        if settings.scope == "document":
            return None
        return UsageError(
            f"scores by genre need separate documents, but --scope {settings.scope} links them",
            remedy="Use --scope document.",
        )

    def parts(self, table: MentionTable, metrics: Mapping[str, Metric]) -> Parts:
        genres = np.array(self._of_documents(table), object)
        counted = {name: metric.count(table) for name, metric in metrics.items()}
        return {
            genre: {
                name: {
                    statistic: np.where(genres == genre, column, 0.0)
                    for statistic, column in statistics.items()
                }
                for name, statistics in counted.items()
            }
            for genre in self.order(set(genres.tolist()))
        }

    def order(self, groups: Iterable[str]) -> list[str]:
        return sorted(groups, key=lambda genre: (genre == UNKNOWN, genre))

    def nothing_known(self, groups: Sequence[str]) -> UsageError | None:
        if list(groups) != [UNKNOWN]:
            return None
        return UsageError(
            f"no document id matches {self.pattern!r}, so there are no genres",
            remedy="Give a file of document ids and genres, or another regular expression, "
            "with --genres.",
        )

    def signature_parts(self, group: str) -> dict[str, str]:
        told = self.source or self.pattern
        return {self.name: group} | ({} if self == Genre() else {"genres": told})

    def _of_documents(self, table: MentionTable) -> list[str]:
        """The genre of what the table scores on its own: documents, or windows of them."""
        matched = table.matched
        if matched.windows is None:
            return [self.of_document(name) for name in table.documents]
        known = [self.of_document(name) for name in matched.key.documents]
        return [
            genre
            for genre, count in zip(known, np.diff(matched.windows.offsets).tolist(), strict=True)
            for _ in range(count)
        ]

    def of_document(self, name: str) -> str:
        """The genre of a document."""
        if self.table is not None:
            known = dict(self.table)
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
    """Documents and genres of a file; a first line may name its columns."""
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
