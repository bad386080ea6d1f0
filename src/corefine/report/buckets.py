"""Buckets: F1 by entity size, distance, mention kind, semantic type, genre and document length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from corefine.comparing.comparison import PartStanding
from corefine.comparing.plan import Plan
from corefine.comparing.systems import part_standings
from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind
from corefine.explaining.error_analysis import KIND_NAMES
from corefine.explaining.explanation import Explanation
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import title_of
from corefine.metrics.table import MentionTable
from corefine.output.html import Element, element
from corefine.report.charts import Estimate, estimates
from corefine.report.page import by_metric, link, section
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
    metrics: tuple[str, ...]
    """The metrics that can be divided in this way."""
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

    def charts(
        self, names: Sequence[str], metrics: Sequence[str], lead: str, shown: Sequence[BoolArray]
    ) -> Element:
        """A chart for each metric; if it cannot be divided, the chart of LEA with a note."""
        other = "lea" if "lea" in self.metrics else self.metrics[0]
        without = [metric for metric in metrics if metric not in self.metrics]
        said = {
            metric: element(
                "p",
                f"{title_of(metric)} cannot be divided by {self.title}: this is {title_of(other)}.",
                class_="note",
            )
            for metric in without
        }
        charts = {
            " ".join([metric, *without]) if metric == other else metric:
                self.chart(names, metric, shown)
            for metric in self.metrics
        }  # fmt: skip
        return element("div", by_metric(said, lead), by_metric(charts, lead))

    def chart(self, names: Sequence[str], metric: str, shown: Sequence[BoolArray]) -> Element:
        """F1 with its interval in every group that the key has, and the number of errors there.

        ``shown`` are the errors that the page lists, by response.
        """
        title = f"{title_of(metric)} F1 by {self.title}"
        found = {(one.system, one.group): one for one in self.standings if one.metric == metric}
        rows = []
        several = len(names) > 1
        for group in self.groups:
            for series, name in enumerate(names):
                one = found.get((name, group))
                known = one is not None and group not in self.foreign
                errors = self._errors(series, group, name if several else "", shown[series])
                rows.append(
                    Estimate(
                        name if several else group,
                        one.score.f1 if known and one is not None else None,
                        one.interval if known and one is not None else None,
                        series,
                        group if several else "",
                        errors,
                    )
                )
        heads = (self.division.name, *(["system"] if several else []), "F1 [interval]", "errors")
        explained = _EXPLAINED.get(str(self.division), _BY.get(self.division.name, ""))
        said = [element("p", explained, class_="note")] if explained else []
        return element("div", estimates(title, rows, heads=heads), said)

    def _errors(self, response: int, group: str, name: str, shown: BoolArray) -> Element | str:
        """The number of errors of a response in a group, with a link to them."""
        number = self.groups.index(group)
        count = int(np.count_nonzero((self.errors[response] == number) & shown))
        chosen = {"response": name} if name else {}
        return (
            link(f"{count:,}", section("errors", {**chosen, self.title: group})) if count else "0"
        )


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
    """The buckets that were asked for and those that this data allows."""
    plan = replace(plan, replicates=min(plan.resamples, REPLICATES))
    found = []
    known = {division.name for division in asked}
    usual = [one for one in _usual(explanations[0].table, settings) if one.name not in known]
    for division in (*asked, *usual):
        divided = {name: one for name, one in metrics.items() if division.can_divide(one)}
        if not divided:
            continue
        breakdowns = tuple(
            BreakdownCounts.of(division, one.table, divided, settings) for one in explanations
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
                tuple(divided),
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


def _usual(table: MentionTable, settings: Settings) -> list[Breakdown]:
    """The divisions that are informative for this corpus."""
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
    """The group of each error: the one of its first mention, in the key if the key has it.

    The mention kind of an error is the most informative one among its mentions.
    """
    table, errors = explanation.table, explanation.errors
    rows = errors.first_row

    def numbers(names: Iterable[str]) -> IntArray:
        return np.array([place.get(name, -1) for name in names], np.int64)

    place = {group: number for number, group in enumerate(groups)}
    if division.name == "kind":
        return numbers(KIND_NAMES)[errors.kind]
    if division.of_documents:
        return numbers(division.groups_of(table))[table.document[rows]]
    if division.name == "type":
        types: IntArray = np.full(len(table.document), -1) if table.type is None else table.type
        return numbers((*table.types, UNTYPED))[types[rows]]
    if division.way.unit not in ("mention", "entity"):
        return np.full(len(rows), -1)
    labels = division.labels(table)
    of_key = table.key_entity[rows] >= 0
    return numbers(labels.names)[np.where(of_key, labels.key[rows], labels.response[rows])]
