"""The range of a score over the places of strings that occur several times.

A language model that lists mentions as strings does not say which occurrence it means. The headline
score is counted for the placement that agrees least with the key, the one that agrees most, the one
by proximity alone, and 100 seeded ones. Two mentions agree if they are in the same entity on both
sides; the placements that agree least and most are chosen per document, among the seeded ones and
the assignments that match the fewest and the most mentions. The order in which strings are listed
has no effect on any of these placements.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import IntArray, Strings
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Span
from corefine.corpus.selection import select_documents
from corefine.metrics.base import Metric, Statistics
from corefine.scoring.request import Request

if TYPE_CHECKING:
    from corefine.formats.tagged.copies import Choice
    from corefine.scoring.count import Counts

SEEDED = 100
"""Number of seeded placements."""
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
    known = next((part.placements for part in parts if part.placements), {})
    return {
        name: {
            statistic: sum(
                (
                    part.placements[name][statistic]
                    if part.placements
                    else part.values[name][statistic].sum()
                    for part in parts
                ),
                start=np.zeros(1),
            )
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
    for number, copied in enumerate(response.copies.documents):
        if copied.choices:
            part = slice(*bounds[number : number + 2])
            fixed = list(
                zip(mentions.start[part].tolist(), mentions.stop[part].tolist(), strict=True)
            )
            spans.append(
                placements_of(copied.choices, mentions.entity[part], fixed, entities[number])
            )
            rows.append(bounds[number] + np.concatenate([choice.rows for choice in copied.choices]))
    row, span = np.concatenate(rows), np.concatenate(spans, axis=1)
    known = mentions.attributes.get("unfound") or Strings.blank(len(mentions))
    for places in span:
        yield _with_places(response, row, places[:, 0], places[:, 1], known)


def _with_places(
    response: Corpus, rows: IntArray, start: IntArray, stop: IntArray, known: Strings
) -> Corpus:
    """The response with the mentions of these rows at other places; -1 is no place."""
    mentions = response.mentions
    starts, stops = mentions.start.copy(), mentions.stop.copy()
    starts[rows], stops[rows] = np.maximum(start, 0), np.where(start < 0, 1, stop)
    apart = known.lengths > 0
    apart[rows] = start < 0
    strings = Strings.from_list(np.where(apart, "?", "").tolist())
    attributes = {**mentions.attributes, "unfound": strings}
    return replace(
        response, mentions=replace(mentions, start=starts, stop=stops, attributes=attributes)
    )


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
    """The span of each mention of the choices, in each placement; (-1, -1) if it has none.

    ``entity`` and ``spans`` are those of all mentions of the document, ``key_entity`` the entity of
    the key at each span. The first placement agrees least with the key, the second most.
    """
    from scipy.optimize import linear_sum_assignment

    random = np.random.default_rng(0)
    rows = np.concatenate([choice.rows for choice in choices]).astype(np.int64)
    places = [place for choice in choices for place in choice.places]
    found = np.array([key_entity.get(place, -1) for place in places] + [-1], np.int64)
    cells = _fixed_cells(entity, spans, key_entity, set(rows.tolist()))
    partner = _partners(cells, choices, entity, found)
    parts, first = [], 0
    for choice in choices:
        count, size = len(choice.places), len(choice.rows)
        fits = np.zeros((size, count), bool)
        for row, fitting in enumerate(choice.fits):
            fits[row, list(fitting)] = True
        spare = max(0, size - count) if fits.all() else size
        numbers = np.concatenate([np.arange(first, first + count), np.full(spare, -1)])
        own = np.array([partner.get(one, -2) for one in entity[list(choice.rows)].tolist()])
        here = found[numbers]
        agrees = (here >= 0) + (here[None, :] == own[:, None]).astype(float)
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
    agreement = _agreement(placed, entity[rows], found, cells)
    placed = placed[[int(agreement.argmin()), int(agreement.argmax()), *range(2, len(placed))]]
    spans_of: IntArray = np.array([*places, (-1, -1)], np.int64)[placed]
    return spans_of


Overlaps = Counter[tuple[int, int]]
"""Number of mentions that a response entity and a key entity share."""


def _fixed_cells(
    entity: IntArray, spans: Sequence[Span], key_entity: Mapping[Span, int], moving: set[int]
) -> Overlaps:
    """The cells of mentions whose place is known."""
    return Counter(
        (label, key_entity[span])
        for row, (label, span) in enumerate(zip(entity.tolist(), spans, strict=True))
        if row not in moving and span in key_entity
    )


def _partners(
    cells: Overlaps, choices: Sequence[Choice], entity: IntArray, found: IntArray
) -> dict[int, int]:
    """A key entity for each response entity, one to one where possible, by mentions in common."""
    from scipy.optimize import linear_sum_assignment

    weight = defaultdict[tuple[int, int], float](float, cells)
    first = 0
    for choice in choices:
        count = len(choice.places)
        for label in entity[list(choice.rows)].tolist():
            for other in found[first : first + count].tolist():
                if other >= 0:
                    weight[label, other] += 1 / (count + 1)
        first += count
    ours, theirs = (sorted({pair[side] for pair in weight}) for side in (0, 1))
    table = np.zeros((len(ours), len(theirs)))
    for (label, other), value in weight.items():
        table[ours.index(label), theirs.index(other)] = value
    pairs = zip(*linear_sum_assignment(-table), strict=True) if table.size else ()
    return {ours[row]: theirs[column] for row, column in pairs}


def _agreement(placed: IntArray, entity: IntArray, found: IntArray, cells: Overlaps) -> IntArray:
    """Pairs of mentions, or mentions with themselves, that are in the same entity on both sides."""
    labels = sorted({*entity.tolist(), *(label for label, _ in cells)})
    others = sorted({*found[found >= 0].tolist(), *(other for _, other in cells)})
    table = np.zeros((len(placed), len(labels), len(others) + 1), np.int64)
    for (label, other), count in cells.items():
        table[:, labels.index(label), others.index(other)] = count
    column = np.append(np.searchsorted(others, found[:-1]), len(others))
    column[found < 0] = len(others)
    number = np.arange(len(placed))[:, None]
    np.add.at(table, (number, np.searchsorted(labels, entity)[None, :], column[placed]), 1)
    agreeing: IntArray = (table[:, :, :-1] ** 2).sum(axis=(1, 2))
    return agreeing
