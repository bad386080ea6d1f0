"""Breakdowns of scores by groups of documents or mentions.

Groups of documents (genre, length, topic) sum the statistics of their documents. Groups of mentions
(kind, size, spread, distance) divide what a metric counts by labels of mentions or entities: recall
by the entities of the key, precision by those of the response. Distances are in tokens from the
start of a mention to the start of another, without empty nodes.

>>> str(parse("size(2,10)")), str(parse("size(2,5)"))
('size(2,10)', 'size')
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import first_words, words_by_document
from corefine.errors import FormatError, Location, UsageError, closest
from corefine.matching.places import require_text
from corefine.matching.settings import Settings
from corefine.matching.units import group_documents, levels_of
from corefine.metrics.base import Metric, RowLabels, Statistics, either_side
from corefine.metrics.pairs import PairMetric
from corefine.metrics.registry import resolve
from corefine.metrics.table import Labels, MentionTable
from corefine.scoring.count import cai_strube_tables, count_metric
from corefine.scoring.request import BREAKDOWNS as SUMMARIES

Parts = dict[str, dict[str, Statistics]]
"""Statistics per document, by group and metric."""


@dataclass(frozen=True)
class Breakdown(ABC):
    """A way to break down scores, with its parameters."""

    name: ClassVar[str]
    usual_metrics: ClassVar[str] = ""
    """Metrics that are broken down if none of the requested ones can be."""
    needs_kinds: ClassVar[bool] = False
    """True if it depends on mention kinds or semantic types."""
    of_documents: ClassVar[bool] = False
    """True if it groups documents, whose statistics add up to those of the group."""
    needs_text: ClassVar[bool] = False
    """True if it depends on the positions of mentions."""
    unknown: ClassVar[str] = ""
    """The group of documents or mentions of which the property is unknown, if there is one."""
    remedy: ClassVar[str] = ""
    """Advice if the property is unknown for all documents or mentions."""

    @property
    def summary(self) -> str:
        """The property that it breaks down by."""
        return SUMMARIES[self.name]

    @classmethod
    def from_parameters(cls, written: str) -> Breakdown:
        """The breakdown from the parameters in brackets after its name."""
        if written:
            raise UsageError(f"by {cls.name} takes no parameters, but {written!r} was given")
        return cls()

    @abstractmethod
    def can_divide(self, metric: Metric) -> bool:
        """True if the breakdown supports a metric."""

    def check(self, settings: Settings) -> None:  # noqa: B027 - most have nothing to check
        """Raise an error for settings that do not allow this breakdown."""

    def require_groups(self, groups: Sequence[str]) -> None:
        """Raise an error if all documents or mentions are in the group of unknown ones."""
        if self.unknown and list(groups) == [self.unknown]:
            raise UsageError(
                f"scores by {self.name} need a {self.summary}, which is unknown for all of them",
                remedy=self.remedy,
            )

    def order(self, groups: Iterable[str]) -> list[str]:
        """The groups in the order of their display."""
        return list(groups)

    def signature_parts(self, group: str) -> dict[str, str]:
        """The part of the signature of a score of this group."""
        return {str(self): group}

    def __str__(self) -> str:
        return self.name


class DocumentBreakdown(Breakdown):
    """A breakdown by groups of documents, for every metric; the groups add up to the whole."""

    of_documents = True

    @abstractmethod
    def groups_of(self, table: MentionTable) -> Sequence[str]:
        """The group of each document or window of a table."""

    def groups_of_saved(self, documents: Sequence[str]) -> Sequence[str]:
        """The group of each document of a saved result, if its id determines the group."""
        raise UsageError(
            f"scores by {self.name} cannot be computed from a saved result",
            remedy=f"Score again with --by {self.name} --save.",
        )

    def can_divide(self, metric: Metric) -> bool:
        return True

    def check(self, settings: Settings) -> None:
        if settings.scope != "document":
            raise UsageError(
                f"scores by {self.name} need separate documents, but --scope {settings.scope} "
                "links them",
                remedy="Use --scope document.",
            )

    def per_window(self, table: MentionTable, groups: Sequence[str]) -> Sequence[str]:
        """Repeat the group of each document for its windows, if documents are cut."""
        windows = table.matching.windows
        if windows is None:
            return groups
        return np.repeat(np.array(groups, object), np.diff(windows.offsets)).tolist()


class GroupBreakdown(Breakdown):
    """A breakdown of what a metric counts into groups of mentions, entities or pairs."""

    @abstractmethod
    def divided(
        self, metric: Any, table: MentionTable, settings: Settings
    ) -> dict[str, Statistics]:
        """The statistics of a metric by group."""


class MentionBreakdown(GroupBreakdown):
    """A breakdown by labels of mentions or entities; the groups add up to the whole."""

    @abstractmethod
    def labels(self, table: MentionTable) -> RowLabels:
        """The labels of the mentions of a table."""

    def can_divide(self, metric: Metric) -> bool:
        return all("mention" in part.divides_by for part in metric.needs())

    def divided(
        self, metric: Metric, table: MentionTable, settings: Settings
    ) -> dict[str, Statistics]:
        """The statistics by group, under the table's rule for twinless mentions."""
        divided = settings.twinless == "cai-strube" and metric.splits_twinless
        tables = cai_strube_tables(table) if divided else (table,)
        found = [self.by_label(metric, part.in_text_order) for part in tables]
        groups = {
            group: either_side(statistics, found[-1][group])
            for group, statistics in found[0].items()
        }
        return {group: counts for group, counts in groups.items() if counts_anything(counts)}

    def by_label(self, metric: Metric, table: MentionTable) -> dict[str, Statistics]:
        """The statistics by group in one table."""
        labels = table.shared(("labels", self), lambda: self.labels(table))
        return metric.by_label(table, labels)


@dataclass(frozen=True)
class BinnedBreakdown(Breakdown):
    """A breakdown by a number in bins; ``bounds`` are the numbers at which further bins begin."""

    bounds: tuple[int, ...] = ()
    default_bounds: ClassVar[tuple[int, ...]]
    smallest: ClassVar[int] = 0
    """The smallest possible number."""

    def __post_init__(self) -> None:
        bounds = self.bounds or self.default_bounds
        increasing = list(bounds) == sorted(set(bounds))
        if not increasing or bounds[0] <= self.smallest or len(bounds) > 100:
            raise self._refusal(_joined(bounds))
        object.__setattr__(self, "bounds", tuple(bounds))

    @classmethod
    def from_parameters(cls, written: str) -> Breakdown:
        try:
            return cls(tuple(int(bound) for bound in written.split(",")) if written else ())
        except ValueError:
            raise cls._refusal(written) from None

    @classmethod
    def _refusal(cls, written: str) -> UsageError:
        return UsageError(
            f"by {cls.name}: the bin edges {written!r} are not increasing integers above "
            f"{cls.smallest}",
            remedy=f"Write, for example, {cls.name}({_joined(cls.default_bounds)}).",
        )

    def __str__(self) -> str:
        if self.bounds == self.default_bounds:
            return self.name
        return f"{self.name}({_joined(self.bounds)})"

    def groups(self) -> tuple[str, ...]:
        """The names of all groups: the bins, such as ``0-19``, ``20-99`` and ``100+``."""
        begins = (self.smallest, *self.bounds)
        closed = [
            str(begin) if begin == end - 1 else f"{begin}-{end - 1}"
            for begin, end in pairwise(begins)
        ]
        return (*closed, f"{begins[-1]}+")

    def bin_of(self, values: IntArray) -> IntArray:
        """The number of the bin of each value."""
        return np.searchsorted(self.bounds, values, side="right")

    def order(self, groups: Iterable[str]) -> list[str]:
        present = set(groups)
        return [name for name in self.groups() if name in present]


def counts_anything(statistics: Statistics) -> bool:
    """True if any statistic of any document is not 0."""
    return any(column.any() for column in statistics.values())


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
    return known[match.group(1)].from_parameters((match.group(2) or "").strip())


def breakdowns_from(
    by: str | Breakdown | Sequence[str | Breakdown] | None,
    genres: str | os.PathLike[str] | Mapping[str, str] | None = None,
) -> tuple[Breakdown, ...]:
    """The requested breakdowns: one, several, or several separated by commas."""
    found: list[Breakdown] = []
    for one in [by] if isinstance(by, str | Breakdown) else by or ():
        # Commas inside brackets separate bounds.
        words = re.split(r",(?![^()]*\))", one) if isinstance(one, str) else ()
        found += [parse(word) for word in words] if isinstance(one, str) else [one]
    breakdowns = list(dict.fromkeys(found))
    names = [breakdown.name for breakdown in breakdowns]
    if len(set(names)) < len(names):
        raise UsageError(f"scores by {', '.join(names)}: one of them is requested twice")
    if genres is not None:
        if "genre" not in names:
            raise UsageError(
                "genres are given, but scores by genre are not requested", remedy="Add --by genre."
            )
        breakdowns[names.index("genre")] = Genre.of(genres)
    return tuple(breakdowns)


@dataclass(frozen=True, eq=False)
class BreakdownCounts:
    """The statistics of each group and metric, for the documents that have any of the group."""

    division: Breakdown
    metrics: dict[str, Metric]
    """The metrics that the breakdown supports, by canonical name."""
    documents: tuple[str, ...]
    parts: Parts
    """By group and metric: statistics of the documents in ``rows``."""
    rows: Mapping[str, IntArray]
    """By group: the numbers of the documents with anything to count."""

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
        if not chosen and division.usual_metrics:
            chosen = resolve(division.usual_metrics)
        needed = {str(part): part for metric in chosen.values() for part in metric.needs()}
        if isinstance(division, DocumentBreakdown):
            groups = division.groups_of(table)
            known = {
                name: count_metric(metric, table, settings) if values is None else values[name]
                for name, metric in needed.items()
            }
            return cls.of_documents(division, chosen, table.documents, groups, known)
        assert isinstance(division, GroupBreakdown)
        counted: Parts = {}
        for name, metric in needed.items():
            for group, statistics in division.divided(metric, table, settings).items():
                counted.setdefault(group, {})[name] = statistics
        parts: Parts = {}
        rows: dict[str, IntArray] = {}
        for group in division.order(counted):
            columns = [one != 0 for of in counted[group].values() for one in of.values()]
            rows[group] = np.flatnonzero(np.logical_or.reduce(columns))
            parts[group] = _selected(counted[group], rows[group])
        return cls(division, chosen, table.documents, parts, rows)

    @classmethod
    def of_documents(
        cls,
        division: DocumentBreakdown,
        metrics: dict[str, Metric],
        documents: tuple[str, ...],
        groups: Sequence[str],
        values: Mapping[str, Statistics],
    ) -> BreakdownCounts:
        """The sums of the statistics of documents by group."""
        members: dict[str, list[int]] = {}
        for number, group in enumerate(groups):
            members.setdefault(group, []).append(number)
        rows = {group: np.array(members[group], np.int64) for group in division.order(members)}
        parts = {group: _selected(values, numbers) for group, numbers in rows.items()}
        return cls(division, metrics, documents, parts, rows)

    @classmethod
    def concatenate(cls, breakdowns: Sequence[BreakdownCounts]) -> BreakdownCounts:
        """The breakdown of the documents of all parts."""
        first = breakdowns[0]
        if len(breakdowns) == 1:
            return first
        found: dict[str, list[tuple[int, BreakdownCounts]]] = {}
        offset = 0
        for one in breakdowns:
            for group in one.parts:
                found.setdefault(group, []).append((offset, one))
            offset += len(one.documents)
        parts: Parts = {}
        rows: dict[str, IntArray] = {}
        for group in first.division.order(found):
            pieces = found[group]
            rows[group] = np.concatenate([start + one.rows[group] for start, one in pieces])
            names = {
                metric: list(statistics)
                for _, one in pieces
                for metric, statistics in one.parts[group].items()
            }
            parts[group] = {
                metric: {
                    name: np.concatenate([one._own(group, metric, name) for _, one in pieces])
                    for name in columns
                }
                for metric, columns in names.items()
            }
        documents = tuple(name for one in breakdowns for name in one.documents)
        return cls(first.division, first.metrics, documents, parts, rows)

    def _own(self, group: str, metric: str, name: str) -> FloatArray:
        """A statistic of the documents of a group; zeros if the metric counts nothing there."""
        if metric not in self.parts[group]:
            return np.zeros(len(self.rows[group]))
        return self.parts[group][metric][name]

    def column(self, group: str, metric: str, name: str) -> FloatArray:
        """A statistic of all documents."""
        column = np.zeros(len(self.documents))
        if group in self.parts:
            column[self.rows[group]] = self._own(group, metric, name)
        return column

    def asked(self, group: str) -> dict[str, Metric]:
        """The metrics that count anything in a group."""
        counted = self.parts[group].keys()
        return {
            name: metric
            for name, metric in self.metrics.items()
            if all(str(part) in counted for part in metric.needs())
        }


def _selected(values: Mapping[str, Statistics], rows: IntArray) -> dict[str, Statistics]:
    return {
        metric: {name: column[rows] for name, column in columns.items()}
        for metric, columns in values.items()
    }


PREFIX = r"^([^/_-]+)[/_-]"
"""The part of an id before the first slash, underscore or hyphen, such as ``bc/cctv/00``."""
UNKNOWN = "(none)"
"""The group of documents whose id does not match."""
_LAYOUT = "Each line has a document id and a genre, separated by a tab or a comma."


@dataclass(frozen=True)
class Genre(DocumentBreakdown):
    """By the beginning of document ids, a pattern in them, or a table of documents."""

    name = "genre"
    unknown = UNKNOWN
    remedy = "Give a file of document ids and genres, or a regular expression, with --genres."

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

    def signature_parts(self, group: str) -> dict[str, str]:
        source = self.source or self.pattern
        return {self.name: group} | ({} if self == Genre() else {"genres": source})

    def groups_of(self, table: MentionTable) -> Sequence[str]:
        return self.per_window(table, self.groups_of_saved(table.matching.key.documents))

    def groups_of_saved(self, documents: Sequence[str]) -> Sequence[str]:
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
        found = re.search(self.pattern, name)
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
class DocumentLength(BinnedBreakdown, DocumentBreakdown):
    """By the words of the document or window, without empty nodes."""

    name = "length"
    needs_text = True
    default_bounds = (500, 1000, 2000)

    def groups_of(self, table: MentionTable) -> Sequence[str]:
        key, response = table.matching.key, table.matching.response
        require_text(key, response, "scores by length")
        names = self.groups()
        if table.matching.windows is not None:
            lengths = np.asarray(table.matching.windows.words)
        else:
            tokens = key.tokens if key.tokens is not None else response.tokens
            # Without a text, there are no mentions either.
            none = np.zeros(len(key.documents), np.int64)
            lengths = none if tokens is None else words_by_document(tokens)
        return [names[number] for number in self.bin_of(lengths).tolist()]


@dataclass(frozen=True)
class Topic(DocumentBreakdown):
    """By the topic of documents: a column of the file, or the beginning of their ids."""

    name = "topic"

    def groups_of(self, table: MentionTable) -> Sequence[str]:
        grouping = group_documents(table.matching.key, "topic")
        assert grouping is not None
        topics = [grouping.names[number] for number in grouping.of_document.tolist()]
        return self.per_window(table, topics)


MIXED, UNTYPED = "mixed", "untyped"


class MentionKind(MentionBreakdown):
    """By the kind of the mention (name, nominal, pronoun).

    In MUC each mention except the first of an entity has one link, to the mention before it; in
    PARENT the referring mention of a pair counts; pairs have the kinds of both mentions
    (``name-pronoun``).
    """

    name = "kind"
    needs_kinds = True

    def can_divide(self, metric: Metric) -> bool:
        return all("kind" in part.divides_by for part in metric.needs())

    def labels(self, table: MentionTable) -> RowLabels:
        names = tuple(kind.name.lower() for kind in Kind)
        return RowLabels(names, table.kinds, table.kinds)

    def by_label(self, metric: Metric, table: MentionTable) -> dict[str, Statistics]:
        return metric.by_kind(table)

    def order(self, groups: Iterable[str]) -> list[str]:
        # Single kinds before pairs of kinds, and unknown kinds last.
        return sorted(groups, key=lambda group: ("-" in group, "unknown" in group))


class SemanticType(GroupBreakdown):
    """By semantic type: each type is scored alone, as in MCORES, for every metric of identity.

    Pairs across types are ``mixed``.
    """

    name = "type"
    unknown = UNTYPED
    remedy = "Give types in a 'type' column: --kinds FILE (kinds=…)."
    needs_kinds = True

    def can_divide(self, metric: Metric) -> bool:
        return all(part.layer == "identity" for part in metric.needs())

    def divided(
        self, metric: Metric, table: MentionTable, settings: Settings
    ) -> dict[str, Statistics]:
        tables = table.shared("tables by type", lambda: self._tables(table))
        found = {group: count_metric(metric, part, settings) for group, part in tables.items()}
        if isinstance(metric, PairMetric):
            mixed = {
                name: column - sum((one[name] for one in found.values()), np.zeros(len(column)))
                for name, column in count_metric(metric, table, settings).items()
            }
            found |= {MIXED: mixed} if counts_anything(mixed) else {}
        return found

    def _tables(self, table: MentionTable) -> dict[str, MentionTable]:
        """The table of the mentions of each type."""
        types = np.full(len(table.document), -1) if table.type is None else table.type
        return {
            group: table.restricted(types == number)
            for number, group in [*enumerate(table.types), (-1, UNTYPED)]
            if (types == number).any()
        }

    def order(self, groups: Iterable[str]) -> list[str]:
        return sorted(groups, key=lambda group: (group == MIXED, group == UNTYPED))


class PairBreakdown(GroupBreakdown):
    """A breakdown of pairs of mentions."""

    def can_divide(self, metric: Metric) -> bool:
        return isinstance(metric, PairMetric)


class WordOverlap(PairBreakdown):
    """Pairs by the words of the two mentions: ``exact``, ``partial`` or ``none``."""

    name = "overlap"
    usual_metrics = "pairs"

    def divided(
        self, metric: PairMetric, table: MentionTable, settings: Settings
    ) -> dict[str, Statistics]:
        return metric.by_overlap(table)


FIRST, SCATTERED = "first", "several documents"


class EntityBreakdown(BinnedBreakdown, MentionBreakdown):
    """A breakdown by a number of the entity; CEAFe and the CoNLL score support it too."""

    def can_divide(self, metric: Metric) -> bool:
        return all("entity" in part.divides_by for part in metric.needs())


class EntitySize(EntityBreakdown):
    """By the number of mentions of the entity: ``singleton``, ``short``, ``long``.

    By default, ``size(2,5)``, entities of 2 to 4 mentions are short and larger ones long. With
    other bounds, the groups are named by their sizes.
    """

    name = "size"
    default_bounds = (2, 5)
    smallest = 1

    def groups(self) -> tuple[str, ...]:
        if len(self.bounds) == 2 and self.bounds[0] == 2:
            return ("singleton", "short", "long")
        return super().groups()

    def labels(self, table: MentionTable) -> RowLabels:
        ours, theirs = (
            np.append(self.bin_of(side.size), 0) for side in (table.key, table.response)
        )
        labels = _labels(ours[table.key_entity], theirs[table.response_entity])
        return RowLabels(self.groups(), *labels, of_entities=True)


class EntitySpread(EntityBreakdown):
    """By the tokens between the first and the last mention of the entity.

    Entities of several documents have no spread and are a group of their own.
    """

    name = "spread"
    needs_text = True
    default_bounds = (100, 1000)

    def groups(self) -> tuple[str, ...]:
        return (*super().groups(), SCATTERED)

    def labels(self, table: MentionTable) -> RowLabels:
        key, response = table.matching.key, table.matching.response
        require_text(key, response, "scores by spread")
        labels = by_row(table, self._of_mentions(key), self._of_mentions(response))
        return RowLabels(self.groups(), *_labels(*labels), of_entities=True)

    def _of_mentions(self, corpus: Corpus) -> IntArray:
        entity, document = corpus.mentions.entity, corpus.mentions.document
        spread = _range(entity, first_words(corpus), len(corpus.entities))
        scattered = _range(entity, document, len(corpus.entities)) > 0
        group: IntArray = np.where(scattered, len(self.bounds) + 1, self.bin_of(spread))
        return np.take(group, entity)


def _labels(key: IntArray, response: IntArray) -> tuple[Labels, Labels]:
    return key.astype(np.uint8), response.astype(np.uint8)


def _range(owner: IntArray, values: IntArray, owners: int) -> IntArray:
    """The largest minus the smallest value of each owner."""
    greatest, least = np.zeros(owners, np.int64), np.full(owners, np.iinfo(np.int64).max)
    np.maximum.at(greatest, owner, values)
    np.minimum.at(least, owner, values)
    return np.asarray(greatest - least)


class MentionDistance(BinnedBreakdown, MentionBreakdown):
    """By the tokens from the nearest earlier mention of the same entity in the document.

    Mentions without one are ``first``. In MUC each mention has the link to the one before it, so
    ``first`` has links only if entities cross documents.
    """

    name = "distance"
    needs_text = True
    default_bounds = (20, 100, 500)

    def groups(self) -> tuple[str, ...]:
        return (FIRST, *super().groups())

    def labels(self, table: MentionTable) -> RowLabels:
        key, response = table.matching.key, table.matching.response
        require_text(key, response, "scores by distance")
        (ours, our_order), (theirs, their_order) = map(self._of_mentions, (key, response))
        labels = _labels(*by_row(table, ours, theirs))
        orders = by_row(table, our_order, their_order)
        return RowLabels(self.groups(), *labels, False, *orders)

    def _of_mentions(self, corpus: Corpus) -> tuple[IntArray, IntArray]:
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
        group[after] = 1 + self.bin_of(first[after] - first[before])
        return group, place


LEVELS = ("document", "subtopic", "topic", "corpus")


class Level(PairBreakdown):
    """Pairs by the smallest unit that contains both mentions (ECB+; Cattan et al. 2021).

    ``document``: one document; ``subtopic``: two documents of one subtopic; ``topic``: two
    subtopics of one topic; ``corpus``: two topics. Where documents have no subtopics, links across
    the documents of a topic are at the level ``topic``.
    """

    name = "level"
    usual_metrics = "pairs.coreferent"

    def check(self, settings: Settings) -> None:
        if settings.scope == "document":
            raise UsageError(
                "scores by level need entities across documents",
                remedy="Use --scope topic or --scope corpus.",
            )

    def divided(
        self, metric: PairMetric, table: MentionTable, settings: Settings
    ) -> dict[str, Statistics]:
        assert table.origin is not None
        topic, subtopic = levels_of(table.matching.key)
        units = {
            "document": table.origin,
            "subtopic": subtopic[table.origin],
            "topic": topic[table.origin],
            "corpus": np.zeros_like(table.origin),
        }
        counted = metric.by_unit(table, units)
        return {level: counted[level] for level in LEVELS if counts_anything(counted[level])}

    def order(self, groups: Iterable[str]) -> list[str]:
        present = set(groups)
        return [level for level in LEVELS if level in present]


def by_row(table: MentionTable, key: IntArray, response: IntArray) -> tuple[IntArray, IntArray]:
    """Values of the mentions of both corpora by row; 0 for rows that are not on a side."""
    ours, theirs = table.matching.key_mention, table.matching.response_mention
    return np.append(key, 0)[ours], np.append(response, 0)[theirs]


BREAKDOWNS: dict[str, type[Breakdown]] = {
    one.name: one
    for one in (
        MentionKind,
        SemanticType,
        WordOverlap,
        EntitySize,
        EntitySpread,
        MentionDistance,
        Genre,
        DocumentLength,
        Topic,
        Level,
    )
}
"""All breakdowns by name, in the order of the help."""
