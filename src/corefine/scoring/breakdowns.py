"""Breakdowns of scores by groups of documents or mentions.

Groups of documents (genre, length, topic) sum the statistics of their documents. Groups of mentions
(kind, size, spread, distance) divide what a metric counts by labels of mentions or entities: recall
by the entities of the key, precision by those of the response. :data:`BREAKDOWNS` lists all.

>>> str(parse("size(2,10)")), str(parse("size(2,5)"))
('size(2,10)', 'size')
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import first_words, words_by_document
from corefine.errors import FormatError, Location, UsageError, closest
from corefine.matching.places import require_text
from corefine.matching.settings import Settings
from corefine.matching.units import group_documents, levels_of
from corefine.metrics.base import Metric, RowLabels, Statistics, either_side
from corefine.metrics.pairs import PairMetric
from corefine.metrics.registry import resolve
from corefine.metrics.table import MentionTable
from corefine.scoring.count import cai_strube_tables, concatenated, count_metric, selected
from corefine.scoring.request import BREAKDOWNS as SUMMARIES

PREFIX = r"^([^/_-]+)[/_-]"
"""The part of an id before the first slash, underscore or hyphen, such as ``bc/cctv/00``."""
UNKNOWN = "(none)"
"""The group of documents whose id does not match."""
MIXED, UNTYPED = "mixed", "untyped"
FIRST, SCATTERED = "first", "several documents"
LEVELS = ("document", "subtopic", "topic", "corpus")
_LAYOUT = "Each line has a document id and a genre, separated by a tab or a comma."


@dataclass(frozen=True)
class Genres:
    """The sources of genres: a pattern in document ids, or a table of documents."""

    source: str = PREFIX
    """The pattern, or the name of the file of the table."""
    table: tuple[tuple[str, str], ...] | None = None

    @classmethod
    def of(cls, genres: str | os.PathLike[str] | Mapping[str, str]) -> Genres:
        """Genres from a mapping, from a file of documents and genres, or by a regular expression.

        The first group of a pattern is the genre or, without groups, the whole match.
        """
        if isinstance(genres, Mapping):
            return cls("mapping", tuple(sorted((str(k), str(v)) for k, v in genres.items())))
        written = os.fspath(genres)
        if Path(written).is_file():
            return cls(Path(written).name, _read(written))
        try:
            re.compile(written)
        except re.error as error:
            raise UsageError(
                f"genres {written!r} is neither a file nor a valid regular expression: {error}",
                remedy="Give a file of document ids and genres, or a regular expression such "
                "as 'GUM_([a-z]+)_'.",
            ) from None
        return cls(written)

    def of_documents(self, documents: Sequence[str]) -> list[str]:
        """The genre of each document."""
        if self.table is None:
            return [self._matched(name) for name in documents]
        known = dict(self.table)
        missing = [name for name in documents if name not in known]
        if missing:
            raise UsageError(
                f"document {missing[0]!r} has no genre in {self.source}",
                remedy="Give a genre for every document.",
            )
        return [known[name] for name in documents]

    def _matched(self, name: str) -> str:
        """The part of a document id that the pattern matches."""
        found = re.search(self.source, name)
        if found is None:
            return UNKNOWN
        return (found.group(1) if found.re.groups else found.group()) or UNKNOWN


def _read(path: str) -> tuple[tuple[str, str], ...]:
    """Documents and genres of a file; the first line can name its columns."""
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the genre file {path!r}: {error}") from None
    found: dict[str, str] = {}
    columns = [0, 1]
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.split("\t" if "\t" in line else ",")]
        names = ["document" if cell.lower() == "doc" else cell.lower() for cell in cells]
        if not found and {"document", "genre"} <= {*names}:
            columns = [names.index("document"), names.index("genre")]
        elif line.strip():
            name, genre = [*map(dict(enumerate(cells)).get, columns)]
            if not name or not genre or found.setdefault(name, genre) != genre:
                raise FormatError(
                    "this line has no document, no genre, or another genre than an earlier line",
                    Location(path, number),
                    _LAYOUT,
                )
    if not found:
        raise FormatError("the genre file is empty", Location(path), _LAYOUT)
    return tuple(sorted(found.items()))


@dataclass(frozen=True)
class Breakdown:
    """A way to break down scores, with its parameters.

    ``bounds`` are the numbers at which further bins begin.
    """

    name: str
    bounds: tuple[int, ...] = ()
    genres: Genres = Genres()

    def __post_init__(self) -> None:
        bounds = self.bounds or self.way.bounds
        increasing = list(bounds) == sorted(set(bounds))
        if bounds and (not increasing or bounds[0] <= self.way.least or len(bounds) > 100):
            raise self._refusal(_joined(bounds))
        object.__setattr__(self, "bounds", tuple(bounds))

    @property
    def way(self) -> Way:
        """The kind of breakdown."""
        return BREAKDOWNS[self.name]

    @property
    def summary(self) -> str:
        """The property that it breaks down by."""
        return SUMMARIES[self.name]

    @property
    def of_documents(self) -> bool:
        """True if it groups documents, whose statistics add up to the statistics of the group."""
        return self.way.unit == "document"

    @property
    def needs_kinds(self) -> bool:
        """True if it depends on mention kinds or semantic types."""
        return self.way.unit in ("kind", "type")

    @property
    def genre_source(self) -> str | None:
        """The pattern of genres or the name of their table; None if it is not by genre."""
        return self.genres.source if self.name == "genre" else None

    def with_parameters(self, written: str) -> Breakdown:
        """The breakdown with the parameters in brackets after its name."""
        if not written:
            return self
        if self.name == "genre":
            return replace(self, genres=Genres.of(written))
        if not self.bounds:
            raise UsageError(f"by {self.name} takes no parameters, but {written!r} was given")
        try:
            return replace(self, bounds=tuple(int(bound) for bound in written.split(",")))
        except ValueError:
            raise self._refusal(written) from None

    def _refusal(self, written: str) -> UsageError:
        return UsageError(
            f"by {self.name}: the bin edges {written!r} are not increasing integers above "
            f"{self.way.least}",
            remedy=f"Write, for example, {self.name}({_joined(self.way.bounds)}).",
        )

    def can_divide(self, metric: Metric) -> bool:
        """True if the breakdown supports a metric."""
        unit = self.way.unit
        if unit in ("document", "pair"):
            return unit == "document" or isinstance(metric, PairMetric)
        return all(
            part.layer == "identity" and (unit == "type" or unit in part.divides_by)
            for part in metric.needs()
        )

    def check(self, settings: Settings) -> None:
        """Raise an error for settings that do not allow this breakdown."""
        if self.of_documents and settings.scope != "document":
            raise UsageError(
                f"scores by {self.name} need separate documents, but --scope {settings.scope} "
                "links them",
                remedy="Use --scope document.",
            )
        if self.name == "level" and settings.scope == "document":
            raise UsageError(
                "scores by level need entities across documents",
                remedy="Use --scope topic or --scope corpus.",
            )

    def require_groups(self, groups: Sequence[str]) -> None:
        """Raise an error if all documents or mentions are in the group of unknown ones."""
        remedies = {
            UNKNOWN: "Give a file of document ids and genres, or a regular expression, with "
            "--genres.",
            UNTYPED: "Give types in a 'type' column: --kinds FILE (kinds=…).",
        }
        if self.name in ("genre", "type") and len(groups) == 1 and groups[0] in remedies:
            raise UsageError(
                f"scores by {self.name}: no {'document' if self.of_documents else 'mention'} has "
                f"a {self.summary}",
                remedy=remedies[groups[0]],
            )

    def groups(self) -> tuple[str, ...]:
        """The names of all groups in order; of bins, such as ``0-19``, ``20-99`` and ``100+``."""
        if self.name == "level":
            return LEVELS
        if self.name == "size" and len(self.bounds) == 2 and self.bounds[0] == 2:
            return ("singleton", "short", "long")
        begins = (self.way.least, *self.bounds)
        closed = [
            str(begin) if begin == end - 1 else f"{begin}-{end - 1}"
            for begin, end in pairwise(begins)
        ]
        before = (FIRST,) if self.name == "distance" else ()
        after = (SCATTERED,) if self.name == "spread" else ()
        return (*before, *closed, f"{begins[-1]}+", *after)

    def order(self, groups: Iterable[str]) -> list[str]:
        """The groups in the order of their display; groups of unknown things come last."""
        if self.bounds or self.name == "level":
            present = set(groups)
            return [name for name in self.groups() if name in present]
        orders: dict[str, Callable[[str], Any]] = {
            "genre": lambda genre: (genre == UNKNOWN, genre),
            "kind": lambda kind: ("-" in kind, "unknown" in kind),
            "type": lambda group: (group == MIXED, group == UNTYPED),
        }
        return sorted(groups, key=orders.get(self.name, lambda group: 0))

    def bin_of(self, values: IntArray) -> IntArray:
        """The number of the bin of each value."""
        return np.searchsorted(self.bounds, values, side="right")

    def groups_of(self, table: MentionTable) -> Sequence[str]:
        """The group of each document or window of a table, of a breakdown of documents."""
        groups: Sequence[str] = self.way.divide(self, table)
        windows = table.matching.windows
        if windows is None or self.name == "length":
            return groups
        return np.repeat(np.array(groups, object), np.diff(windows.offsets)).tolist()

    def labels(self, table: MentionTable) -> RowLabels:
        """The labels of the mentions of a table, of a breakdown of mentions or entities."""
        labels: RowLabels = table.shared(("labels", self), lambda: self.way.divide(self, table))
        return labels

    def divided(
        self, metric: Metric, table: MentionTable, settings: Settings
    ) -> dict[str, Statistics]:
        """The statistics of a metric by group, under the table's rule for twinless mentions."""
        divide: Callable[..., dict[str, Statistics]] = self.way.divide
        if self.way.unit == "type":
            return divide(metric, table, settings)
        if self.way.unit == "pair":
            return divide(metric, table)
        split = settings.twinless == "cai-strube" and metric.splits_twinless
        tables = cai_strube_tables(table) if split else (table, table)
        precision, recall = (
            divide(metric, one)
            if self.way.unit == "kind"
            else metric.by_label(one, self.labels(one))
            for one in (table.in_text_order for table in tables)
        )
        return {group: either_side(precision[group], recall[group]) for group in precision}

    def keeps_zeros(self, group: str) -> bool:
        """True if metrics that count nothing in a group are scored there nonetheless."""
        return self.of_documents or (self.name in ("type", "overlap") and group != MIXED)

    def signature_parts(self, group: str) -> dict[str, str]:
        """The part of the signature of a score of this group."""
        source = self.genre_source
        return {str(self): group} | ({"genres": source} if source not in (None, PREFIX) else {})

    def __str__(self) -> str:
        if self.bounds == self.way.bounds:
            return self.name
        return f"{self.name}({_joined(self.bounds)})"


def _joined(bounds: Iterable[int]) -> str:
    return ",".join(map(str, bounds))


def parse(written: str) -> Breakdown:
    """The breakdown of a name, with bounds or other parameters in brackets."""
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", written, re.DOTALL)
    known = BREAKDOWNS
    if match is None or match.group(1) not in known:
        raise UsageError(
            f"by cannot be {written!r}",
            remedy=f"Use one of: {', '.join(known)}.{closest(written, known)}",
        )
    return Breakdown(match.group(1)).with_parameters((match.group(2) or "").strip())


def breakdowns_from(
    by: str | Breakdown | Sequence[str | Breakdown] | None,
    genres: str | os.PathLike[str] | Mapping[str, str] | None = None,
) -> tuple[Breakdown, ...]:
    """The requested breakdowns: one, several, or several separated by commas."""
    found: list[Breakdown] = []
    for one in [by] if isinstance(by, str | Breakdown) else by or ():
        # Commas inside brackets separate bounds.
        found += map(parse, re.split(r",(?![^()]*\))", one)) if isinstance(one, str) else [one]
    breakdowns = list(dict.fromkeys(found))
    names = [breakdown.name for breakdown in breakdowns]
    if len(set(names)) < len(names):
        raise UsageError(f"scores by {', '.join(names)}: one of them is requested twice")
    if genres is not None:
        if "genre" not in names:
            raise UsageError(
                "genres are given, but scores by genre are not requested", remedy="Add --by genre."
            )
        breakdowns[names.index("genre")] = Breakdown("genre", genres=Genres.of(genres))
    return tuple(breakdowns)


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The documents with anything to count in a group, by number, and their statistics."""

    documents: IntArray
    values: Mapping[str, Statistics]
    """The statistics by metric; 0 where it counts nothing."""


@dataclass(frozen=True, eq=False)
class BreakdownCounts:
    """The statistics of each group of a breakdown."""

    division: Breakdown
    metrics: Mapping[str, Metric]
    """The metrics that the breakdown supports, by canonical name."""
    documents: tuple[str, ...]
    groups: Mapping[str, Group]

    @property
    def by(self) -> str:
        """The name of the breakdown, with its parameters."""
        return str(self.division)

    @classmethod
    def of(
        cls,
        division: Breakdown,
        table: MentionTable,
        metrics: Mapping[str, Metric],
        settings: Settings,
        values: Mapping[str, Statistics] | None = None,
    ) -> BreakdownCounts:
        """Break down the metrics that can be; ``values`` are their statistics, if known."""
        chosen = {name: one for name, one in metrics.items() if division.can_divide(one)}
        if not chosen and division.way.usual_metrics:
            chosen = resolve(division.way.usual_metrics)
        needed = {str(part): part for metric in chosen.values() for part in metric.needs()}
        if division.of_documents:
            known = {
                name: count_metric(metric, table, settings) if values is None else values[name]
                for name, metric in needed.items()
            }
            labels = division.groups_of(table)
            return cls.of_documents(division, chosen, table.documents, labels, known)
        counted = {
            name: division.divided(metric, table, settings) for name, metric in needed.items()
        }
        none = np.zeros(len(table.documents))
        groups = {}
        for name in dict.fromkeys(chain.from_iterable(counted.values())):
            statistics = {
                metric: found.get(name) or dict.fromkeys(next(iter(found.values())), none)
                for metric, found in counted.items()
                if found
            }
            columns = [column for one in statistics.values() for column in one.values()]
            rows = np.flatnonzero(np.any(columns, axis=0) | division.keeps_zeros(name))
            if len(rows):
                groups[name] = Group(rows, selected(statistics, rows))
        return cls(division, chosen, table.documents, groups)

    @classmethod
    def of_documents(
        cls,
        division: Breakdown,
        metrics: Mapping[str, Metric],
        documents: tuple[str, ...],
        labels: Sequence[str],
        values: Mapping[str, Statistics],
    ) -> BreakdownCounts:
        """A breakdown by groups of documents, which have the statistics of their documents."""
        members: dict[str, list[int]] = {}
        for number, label in enumerate(labels):
            members.setdefault(label, []).append(number)
        rows = {label: np.array(found) for label, found in members.items()}
        groups = {label: Group(found, selected(values, found)) for label, found in rows.items()}
        return cls(division, metrics, documents, groups)

    @classmethod
    def sum(cls, parts: Sequence[BreakdownCounts]) -> BreakdownCounts:
        """The breakdown of the documents of all parts."""
        first = parts[0]
        offsets = np.cumsum([0, *(len(part.documents) for part in parts[:-1])]).tolist()
        found: dict[str, list[tuple[int, Group]]] = {}
        for offset, part in zip(offsets, parts, strict=True):
            for name, group in part.groups.items():
                found.setdefault(name, []).append((offset, group))
        groups = {
            name: Group(
                np.concatenate([offset + group.documents for offset, group in several]),
                concatenated([group.values for _, group in several]),
            )
            for name, several in found.items()
        }
        documents = tuple(chain.from_iterable(part.documents for part in parts))
        return cls(first.division, first.metrics, documents, groups)

    @cached_property
    def parts(self) -> dict[str, dict[str, Statistics]]:
        """By group: the statistics of its documents, of the metrics that count anything there."""
        found = {}
        for name in self.division.order(self.groups):
            every = self.division.keeps_zeros(name)
            found[name] = {
                metric: statistics
                for metric, statistics in self.groups[name].values.items()
                if every or any(column.any() for column in statistics.values())
            }
        return found

    def column(self, group: str, metric: str, name: str) -> FloatArray:
        """A statistic of a group, for all documents."""
        column = np.zeros(len(self.documents))
        if group in self.groups:
            column[self.groups[group].documents] = self.groups[group].values[metric][name]
        return column

    def asked(self, group: str) -> dict[str, Metric]:
        """The metrics that count anything in a group."""
        counted = self.parts[group].keys()
        return {
            name: metric
            for name, metric in self.metrics.items()
            if all(str(part) in counted for part in metric.needs())
        }


# --- groups of documents --------------------------------------------------------------------------


def _length(by: Breakdown, table: MentionTable) -> Sequence[str]:
    """By the words of the document or window, without empty nodes."""
    key, response = table.matching.key, table.matching.response
    require_text(key, response, "scores by length")
    if table.matching.windows is not None:
        lengths = np.asarray(table.matching.windows.words)
    else:
        tokens = key.tokens if key.tokens is not None else response.tokens
        # Without a text, there are no mentions either.
        none = np.zeros(len(key.documents), np.int64)
        lengths = none if tokens is None else words_by_document(tokens)
    names = by.groups()
    return [names[number] for number in by.bin_of(lengths).tolist()]


def _topic(_: Breakdown, table: MentionTable) -> Sequence[str]:
    """By a column of the file, or the beginning of document ids."""
    grouping = group_documents(table.matching.key, "topic")
    assert grouping is not None
    return [grouping.names[number] for number in grouping.of_document.tolist()]


# --- labels of mentions and entities --------------------------------------------------------------


def _size(by: Breakdown, table: MentionTable) -> RowLabels:
    """By the number of mentions of the entity: by default ``singleton``, ``short`` or ``long``."""
    ours, theirs = (np.append(by.bin_of(side.size), 0) for side in (table.key, table.response))
    return _labelled(by, ours[table.key_entity], theirs[table.response_entity], of_entities=True)


def _spread(by: Breakdown, table: MentionTable) -> RowLabels:
    """By the tokens between the first and the last mention of the entity.

    Entities of several documents have no spread and are a group of their own.
    """

    def of_mentions(corpus: Corpus) -> IntArray:
        entity, entities = corpus.mentions.entity, len(corpus.entities)
        spread = _range(entity, first_words(corpus), entities)
        scattered = _range(entity, corpus.mentions.document, entities) > 0
        group: IntArray = np.where(scattered, len(by.bounds) + 1, by.bin_of(spread))
        return np.take(group, entity)

    matching = table.matching
    require_text(matching.key, matching.response, "scores by spread")
    columns = of_mentions(matching.key), of_mentions(matching.response)
    return _labelled(by, *_by_side(table, *columns), of_entities=True)


def _range(owner: IntArray, values: IntArray, owners: int) -> IntArray:
    """The largest minus the smallest value of each owner."""
    greatest, least = np.zeros(owners, np.int64), np.full(owners, np.iinfo(np.int64).max)
    np.maximum.at(greatest, owner, values)
    np.minimum.at(least, owner, values)
    return np.asarray(greatest - least)


def _distance(by: Breakdown, table: MentionTable) -> RowLabels:
    """By the tokens from the start of the mention before it in the same entity and document.

    Mentions without one are ``first``. In MUC each mention has the link to the one before it, so
    ``first`` has links only if entities cross documents.
    """

    def of_mentions(corpus: Corpus) -> tuple[IntArray, IntArray]:
        """The group of each mention, and its position in text order."""
        mentions, first = corpus.mentions, first_words(corpus)
        count = len(mentions)
        place, group = np.empty(count, np.int64), np.zeros(count, np.int64)
        place[np.lexsort((mentions.stop, mentions.start, mentions.document))] = np.arange(count)
        order = np.lexsort((place, mentions.entity))
        before, after = order[:-1], order[1:]
        follows = (mentions.entity[before] == mentions.entity[after]) & (
            mentions.document[before] == mentions.document[after]
        )
        before, after = before[follows], after[follows]
        group[after] = 1 + by.bin_of(first[after] - first[before])
        return group, place

    matching = table.matching
    require_text(matching.key, matching.response, "scores by distance")
    (ours, our_order), (theirs, their_order) = map(of_mentions, (matching.key, matching.response))
    labels = _labelled(by, *_by_side(table, ours, theirs))
    orders = _by_side(table, our_order, their_order)
    return replace(labels, key_order=orders[0], response_order=orders[1])


def _labelled(
    by: Breakdown, key: IntArray, response: IntArray, *, of_entities: bool = False
) -> RowLabels:
    return RowLabels(by.groups(), key.astype(np.uint8), response.astype(np.uint8), of_entities)


def _by_side(table: MentionTable, key: IntArray, response: IntArray) -> tuple[IntArray, IntArray]:
    """Values of the mentions of both corpora by row; 0 for rows that are not on a side."""
    ours, theirs = table.matching.key_mention, table.matching.response_mention
    return np.append(key, 0)[ours], np.append(response, 0)[theirs]


# --- semantic types and pairs of mentions ---------------------------------------------------------


def _by_type(metric: Metric, table: MentionTable, settings: Settings) -> dict[str, Statistics]:
    """Each semantic type scored alone, as in MCORES; pairs across types are ``mixed``."""

    def tables() -> dict[str, MentionTable]:
        types = np.full(len(table.document), -1) if table.type is None else table.type
        return {
            group: table.restricted(types == number)
            for number, group in [*enumerate(table.types), (-1, UNTYPED)]
            if (types == number).any()
        }

    parts: dict[str, MentionTable] = table.shared("tables by type", tables)
    found = {group: count_metric(metric, part, settings) for group, part in parts.items()}
    if isinstance(metric, PairMetric):
        found[MIXED] = {
            name: column - sum((one[name] for one in found.values()), np.zeros(len(column)))
            for name, column in count_metric(metric, table, settings).items()
        }
    return found


def _by_level(metric: PairMetric, table: MentionTable) -> dict[str, Statistics]:
    """Pairs by the smallest unit that contains both mentions (ECB+; Cattan et al. 2021).

    ``document``: one document; ``subtopic``: two documents of one subtopic; ``topic``: two
    subtopics of one topic; ``corpus``: two topics. Where documents have no subtopics, links across
    the documents of a topic are at the level ``topic``.
    """
    assert table.origin is not None
    topic, subtopic = levels_of(table.matching.key)
    units = {
        "document": table.origin,
        "subtopic": subtopic[table.origin],
        "topic": topic[table.origin],
        "corpus": np.zeros_like(table.origin),
    }
    return metric.by_unit(table, units)


@dataclass(frozen=True, slots=True)
class Way:
    """A kind of breakdown, and what it needs."""

    unit: str
    """Unit of the groups: documents, entities, mentions (by label, kind or type), or pairs."""
    divide: Callable[..., Any]
    """By unit: the groups of documents, the labels of rows, or the statistics by group."""
    bounds: tuple[int, ...] = ()
    """The usual bounds of bins."""
    least: int = 0
    """The smallest possible number."""
    needs_text: bool = False
    """True if it depends on the positions of mentions."""
    usual_metrics: str = ""
    """Metrics that are broken down if none of the requested ones can be."""


BREAKDOWNS = {
    "kind": Way("kind", lambda metric, table: metric.by_kind(table)),
    "type": Way("type", _by_type),
    "overlap": Way("pair", PairMetric.by_overlap, usual_metrics="pairs"),
    "size": Way("entity", _size, (2, 5), 1),
    "spread": Way("entity", _spread, (100, 1000), needs_text=True),
    "distance": Way("mention", _distance, (20, 100, 500), needs_text=True),
    "genre": Way(
        "document", lambda by, table: by.genres.of_documents(table.matching.key.documents)
    ),
    "length": Way("document", _length, (500, 1000, 2000), needs_text=True),
    "topic": Way("document", _topic),
    "level": Way("pair", _by_level, usual_metrics="pairs.coreferent"),
}
"""All breakdowns by name, in the order of the help."""
