"""Buckets: F1 by entity size, distance, mention kind, semantic type, genre and document length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from corefine.comparing.comparison import PartStanding
from corefine.comparing.plan import Plan
from corefine.comparing.systems import part_standings
from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind
from corefine.explaining.explanation import Explanation
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import title_of
from corefine.metrics.table import MentionTable
from corefine.output.charts import Figure, Series, dot_chart, fitted_limits
from corefine.output.markup import Element, element
from corefine.report.page import link, section, small_table
from corefine.scoring.breakdowns import (
    UNKNOWN,
    UNTYPED,
    Breakdown,
    BreakdownCounts,
    parse,
)

REPLICATES = 2_000
"""Bootstrap samples for the intervals of buckets, unless fewer are asked for."""
MOST_GENRES = 24
"""With more genres than this a chart of them cannot be read."""


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """One division of what the responses were scored on, with the scores of every group."""

    division: Breakdown
    metric: str
    breakdowns: tuple[BreakdownCounts, ...]
    """By response."""
    standings: tuple[PartStanding, ...]
    groups: tuple[str, ...]
    errors: tuple[IntArray, ...]
    """By response: the group of each error, as an index of ``groups``; -1: in none."""
    foreign: frozenset[str] = frozenset()
    """Groups that only responses have, in which nothing can be right."""

    @property
    def title(self) -> str:
        return self.division.summary

    def figure(self, names: Sequence[str]) -> Figure:
        """F1 with its interval in every group that the key has, a series a response."""
        metric = title_of(self.metric)
        found = {(one.system, one.group): one for one in self.standings}
        series = []
        for name in names:
            own = [found.get((name, group)) for group in self.scored]
            scores = [None if one is None else one.score.f1 for one in own]
            intervals = [None if one is None else one.interval for one in own]
            series.append(Series.of(name, scores, intervals))
        return dot_chart(
            f"{metric} F1 by {self.title}",
            self.scored,
            series,
            limits=fitted_limits(value for one in series for value in one.all_values()),
            value_title=f"{metric} F1",
            first=self.title,
            description=_EXPLAINED.get(str(self.division), _BY.get(self.division.name, "")),
        )

    @property
    def scored(self) -> tuple[str, ...]:
        """The groups that the key has: of mentions without a type the score says nothing."""
        return tuple(group for group in self.groups if group not in self.foreign)

    def errors_table(self, names: Sequence[str], shown: Sequence[BoolArray]) -> Element:
        """Errors by group and response, with links; ``shown`` are those that the page lists."""
        rows: list[list[str | Element]] = []
        for number, group in enumerate(self.groups):
            row: list[str | Element] = [group]
            for name, codes, listed in zip(names, self.errors, shown, strict=True):
                count = int(np.count_nonzero((codes == number) & listed))
                chosen = {"response": name} if len(names) > 1 else {}
                address = section("errors", {**chosen, self.title: group})
                row.append(link(f"{count:,}", address) if count else "0")
            rows.append(row)
        titles = ["errors", *(names if len(names) > 1 else ["number"])]
        return element("div", small_table(titles, rows), class_="bucket-errors")


_BY = {
    "size": "By the number of mentions of the entity.",
    "distance": "Words to the nearest earlier mention of the entity; first: there is none.",
    "kind": "Whether the mention is a name, a nominal or a pronoun.",
    "type": "The semantic type of the mention.",
    "genre": "What the id of a document begins with, or what --genres says.",
    "length": "Words of the document.",
    "spread": "Words between the first and the last mention of the entity.",
}
_EXPLAINED = {
    "size": "Mentions of the entity: a singleton, short (2 to 4), long (5 and more).",
}


def buckets_of(
    names: Sequence[str],
    explanations: Sequence[Explanation],
    metrics: dict[str, Metric],
    asked: Sequence[Breakdown],
    settings: Settings,
    plan: Plan,
) -> tuple[Buckets, ...]:
    """The buckets that were asked for and those that this data allows, in a metric that divides."""
    plan = replace(plan, replicates=min(plan.resamples, REPLICATES))
    found = []
    known = {division.name for division in asked}
    usual = [one for one in _usual(explanations[0].table, settings) if one.name not in known]
    for division in (*asked, *usual):
        metric = _divided(division, metrics)
        if metric is None:
            continue
        breakdowns = tuple(
            BreakdownCounts.of(division, one.table, {str(metric): metric}, settings)
            for one in explanations
        )
        scores = {
            name: [replace(one.scores, counts=replace(one.scores.counts, breakdowns=(counts,)))]
            for name, one, counts in zip(names, explanations, breakdowns, strict=True)
        }
        standings = part_standings(scores, plan)
        groups = tuple(dict.fromkeys(one.group for one in standings))
        if len(groups) < 2:
            continue
        errors = tuple(_error_groups(division, one, groups) for one in explanations)
        found.append(
            Buckets(
                division,
                str(metric),
                breakdowns,
                standings,
                groups,
                errors,
                _foreign(division, explanations[0].table),
            )
        )
    return tuple(found)


def _foreign(division: Breakdown, table: MentionTable) -> frozenset[str]:
    """The label of untyped mentions if all key mentions have a type: spurious ones."""
    if division.name != "type" or table.type is None:
        return frozenset()
    untyped = table.type[table.key_entity >= 0] < 0
    return frozenset() if untyped.any() else frozenset({UNTYPED})


def _divided(division: Breakdown, metrics: dict[str, Metric]) -> Metric | None:
    """LEA or, if it was not requested, the first metric that supports the breakdown."""
    ordered = sorted(metrics.values(), key=lambda metric: metric.name != "lea")
    fitting = [metric for metric in ordered if division.can_divide(metric)]
    return fitting[0] if fitting else None


def _usual(table: MentionTable, settings: Settings) -> list[Breakdown]:
    """The divisions that say something of this corpus."""
    matching = table.matching
    assert matching is not None
    has_text = matching.key.tokens is not None and matching.key.has_places
    has_text = has_text and matching.response.has_places
    names = ["size", *(["distance"] if has_text else [])]
    if len(set(np.unique(table.kinds).tolist()) - {int(Kind.UNKNOWN)}) > 1:
        names.append("kind")
    if table.types:
        names.append("type")
    divisions = [parse(name) for name in names]
    if len(table.documents) > 1:
        genres = set(parse("genre").genres.of_documents(table.documents))
        if UNKNOWN not in genres and 1 < len(genres) <= min(MOST_GENRES, len(table.documents) / 2):
            divisions.append(parse("genre"))
        if has_text:
            divisions.append(parse("length"))
    if settings.scope == "document":
        return divisions
    return [one for one in divisions if not one.of_documents]


def _error_groups(division: Breakdown, explanation: Explanation, groups: Sequence[str]) -> IntArray:
    """The group that each error is in: that of its first mention, as the key has it if it does.

    The mention kind of an error is the most informative one among its mentions.
    """
    table, errors = explanation.table, explanation.errors
    rows = np.array([error.rows[0] for error in errors], np.int64)
    place = {group: number for number, group in enumerate(groups)}
    if division.name == "kind":
        return np.array([place.get(error.kind, -1) for error in errors], np.int64)
    if division.of_documents:
        of_document = [place.get(group, -1) for group in division.groups_of(table)]
        numbers_of: IntArray = np.array(of_document, np.int64)
        return numbers_of[table.document[rows]]
    if division.name == "type":
        names = (*table.types, UNTYPED)
        of_type: IntArray = np.array([place.get(name, -1) for name in names], np.int64)
        types: IntArray = np.full(len(table.document), -1) if table.type is None else table.type
        found: IntArray = of_type[types[rows]]
        return found
    if division.way.unit not in ("mention", "entity"):
        return np.full(len(rows), -1)
    labels = division.labels(table)
    numbers: IntArray = np.array([place.get(name, -1) for name in labels.names], np.int64)
    of_key = table.key_entity[rows] >= 0
    return numbers[np.where(of_key, labels.key[rows], labels.response[rows])]
