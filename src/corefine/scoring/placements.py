"""The range of a score over the places of strings that occur several times.

A language model that lists mentions as strings does not say which occurrence it means. The headline
score is counted for the placement that agrees least with the key, the one that agrees most, the one
by proximity alone, and 100 seeded ones. Two mentions agree if they are in the same entity on both
sides; the placements that agree least and most are chosen per document, among the seeded ones and
the assignments that match the fewest and the most mentions. The order in which strings are listed
has no effect on any of these placements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray, Strings
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Span
from corefine.corpus.selection import select_documents
from corefine.matching.matching import unfound
from corefine.metrics.base import Metric, Statistics
from corefine.scoring.request import Request

if TYPE_CHECKING:
    from corefine.corpus.copies import Choice
    from corefine.scoring.count import Counts

SEEDED = 100
"""Number of seeded placements."""
NOWHERE = (-1, -1)
"""The span of a string that has no place."""
Placements = Mapping[str, Statistics]
"""Sums over all documents of statistics, by metric: one value per placement."""


def headline(request: Request) -> Metric:
    """The metric whose range is computed: the CoNLL average, or the first one."""
    known = request.canonical
    return known.get("conll") or next(iter(known.values()))


def count_placements(key: Corpus, response: Corpus, counts: Counts) -> Placements:
    """The statistics of the headline metric for each placement."""
    from corefine.scoring.count import count_table, tabulate

    metric = headline(counts.request)
    request = replace(counts.request, metrics={str(metric): metric}, by=())
    rows = list(range(len(key)))
    if request.settings.scope == "document":
        assert response.copies is not None
        names = {one.document for one in response.copies.documents if one.choices}
        rows = [row for row, name in enumerate(key.documents) if name in names]
        place = {name: row for row, name in enumerate(response.documents)}
        response = select_documents(response, [place[key.documents[row]] for row in rows])
        key = select_documents(key, rows)
    chosen = set(key.documents)
    others = [row for row, name in enumerate(counts.documents) if name not in chosen]
    varied = [
        count_table(tabulate(key, one, request), request).values for one in _placed(key, response)
    ]
    return {
        name: {
            statistic: counts.values[name][statistic][others].sum()
            + np.array([values[name][statistic].sum() for values in varied])
            for statistic in columns
        }
        for name, columns in varied[0].items()
    }


def join_placements(parts: Sequence[Counts]) -> Placements:
    """Add the statistics of parts by placement; a part without repeated strings has only one."""

    def sums(part: Counts, name: str, statistic: str) -> FloatArray:
        if part.placements:
            return part.placements[name][statistic]
        total: FloatArray = part.values[name][statistic].sum(keepdims=True)
        return total

    known = next((part.placements for part in parts if part.placements), {})
    return {
        name: {
            statistic: sum((sums(part, name, statistic) for part in parts), start=np.zeros(1))
            for statistic in columns
        }
        for name, columns in known.items()
    }


def _placed(key: Corpus, response: Corpus) -> Iterator[Corpus]:
    """The response under each placement."""
    mentions = response.mentions
    bounds = np.searchsorted(mentions.document, np.arange(len(response) + 1)).tolist()
    entities = _entities_at(key)
    rows, spans = list[IntArray](), list[IntArray]()
    assert response.copies is not None
    nowhere = unfound(response).tolist()
    documents = zip(response.copies.documents, entities, pairwise(bounds), strict=True)
    for copied, here, (first, stop) in documents:
        if copied.choices:
            columns = (mentions.start[first:stop].tolist(), mentions.stop[first:stop].tolist())
            placed = zip(nowhere[first:stop], *columns, strict=True)
            known = [NOWHERE if apart else (start, end) for apart, start, end in placed]
            spans.append(placements_of(copied.choices, mentions.entity[first:stop], known, here))
            rows.append(first + np.concatenate([choice.rows for choice in copied.choices]))
    row, span = np.concatenate(rows), np.concatenate(spans, axis=1)
    for places in span:
        yield _with_places(response, row, places[:, 0], places[:, 1])


def _with_places(response: Corpus, rows: IntArray, start: IntArray, stop: IntArray) -> Corpus:
    """The response with the mentions of these rows at other places; -1 is no place."""
    mentions = response.mentions
    starts, stops = mentions.start.copy(), mentions.stop.copy()
    starts[rows], stops[rows] = np.maximum(start, 0), np.where(start < 0, 1, stop)
    known = mentions.attributes.get("unfound")
    apart = np.zeros(len(mentions), bool) if known is None else known.lengths > 0
    apart[rows] = start < 0
    strings = Strings.from_list(np.where(apart, "?", "").tolist())
    attributes = {**mentions.attributes, "unfound": strings}
    moved = replace(mentions, start=starts, stop=stops, attributes=attributes)
    return replace(response, mentions=moved)


def _entities_at(key: Corpus) -> list[dict[tuple[int, int], int]]:
    """The key entity at each span of words, by document."""
    mentions, tokens = key.mentions, key.tokens
    assert tokens is not None
    before, base = tokens.words_before, tokens.offsets[mentions.document]
    start, stop = (before[base + at] - before[base] for at in (mentions.start, mentions.stop))
    found: list[dict[tuple[int, int], int]] = [{} for _ in range(len(key))]
    columns = (mentions.document, start, stop, mentions.entity)
    for document, low, high, entity in zip(*(column.tolist() for column in columns), strict=True):
        found[document][low, high] = entity
    return found


def placements_of(
    choices: Sequence[Choice],
    entity: IntArray,
    spans: Sequence[Span],
    key_entity: Mapping[Span, int],
) -> IntArray:
    """The span of each mention of the choices, in each placement; :data:`NOWHERE` if it has none.

    ``entity`` and ``spans`` are those of all mentions of the document, ``key_entity`` the entity of
    the key at each span. The first placement agrees least with the key, the second most.
    """
    from scipy.optimize import linear_sum_assignment

    random = np.random.default_rng(0)
    rows = np.concatenate([choice.rows for choice in choices]).astype(np.int64)
    places = [place for choice in choices for place in choice.places]
    fixed = np.setdiff1d(np.arange(len(spans)), rows)
    label = np.unique(entity, return_inverse=True)[1]
    code = _codes([*spans, *places], key_entity)
    shared = np.zeros((label.max() + 1, code.max(initial=-1) + 2), np.int64)
    np.add.at(shared, (label[fixed], code[fixed]), 1)  # code -1 is the last column
    at_places = code[len(spans) :]
    divided = np.split(at_places, np.cumsum([len(choice.places) for choice in choices])[:-1])
    labels_of = [label[list(choice.rows)] for choice in choices]
    partner = _partners(shared, labels_of, divided)
    parts, first = [], 0
    for choice, labels, found in zip(choices, labels_of, divided, strict=True):
        count, size = len(found), len(labels)
        fits = np.zeros((size, count), bool)
        for row, fitting in enumerate(choice.fits):
            fits[row, list(fitting)] = True
        spare = max(0, size - count) if fits.all() else size
        numbers = np.concatenate([np.arange(first, first + count), np.full(spare, -1)])
        here = np.append(found, np.full(spare, -1))
        agrees = (here >= 0) + (here == partner[labels, None]).astype(float)
        # As many mentions as possible have a place.
        cost = np.hstack([np.where(fits, 0, np.inf), np.full((size, spare), 2 * size + 1)])
        near = [-1 if one < 0 else first + one for one in choice.near]
        if fits.all():
            drawn = random.permuted(np.tile(numbers, (SEEDED, 1)), axis=1)[:, :size]
        else:
            costs = cost + random.random((SEEDED, *cost.shape))
            drawn = np.array([numbers[linear_sum_assignment(one)[1]] for one in costs])
        least, most = (numbers[linear_sum_assignment(cost + sign * agrees)[1]] for sign in (1, -1))
        parts.append(np.concatenate([[least, most, near], drawn]))
        first += count
    placed = np.concatenate(parts, axis=1)
    entity_at = np.append(at_places, -1)
    agreement = [_agreement(shared, label[rows], entity_at[numbers]) for numbers in placed]
    chosen = [int(np.argmin(agreement)), int(np.argmax(agreement)), *range(2, len(placed))]
    spans_of: IntArray = np.array([*places, NOWHERE], np.int64)[placed[chosen]]
    return spans_of


def _codes(spans: Sequence[Span], key_entity: Mapping[Span, int]) -> IntArray:
    """The key entities at spans, numbered from 0, and -1 at other spans."""
    found = [key_entity.get(span, -1) for span in spans]
    numbers = {entity: number for number, entity in enumerate(sorted({*found} - {-1}))}
    return np.array([numbers.get(entity, -1) for entity in found], np.int64)


def _partners(
    shared: IntArray, labels_of: Sequence[IntArray], found: Sequence[IntArray]
) -> IntArray:
    """A key entity for each response entity, one to one where possible, by mentions in common.

    The choices are given as the entities of their mentions and the key entities at their places.
    """
    from scipy.optimize import linear_sum_assignment

    weight = shared[:, :-1].astype(float)
    for labels, others in zip(labels_of, found, strict=True):
        for label in labels:
            np.add.at(weight[label], others[others >= 0], 1 / (len(others) + 1))
    partner = np.full(len(shared), -2)
    ours, theirs = linear_sum_assignment(-weight)
    partner[ours] = theirs
    return partner


def _agreement(shared: IntArray, labels: IntArray, found: IntArray) -> int:
    """Pairs of mentions, or mentions with themselves, that are in the same entity on both sides."""
    table = shared.copy()
    np.add.at(table, (labels, found), 1)
    return int((table[:, :-1] ** 2).sum())
