"""Split antecedents of key and response side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.matching.settings import SplitAntecedents
from corefine.metrics.bcubed import BCubed
from corefine.metrics.split_antecedents import AntecedentSet, SetPairs, score_sets, set_pairs
from corefine.metrics.table import EntityColumns, MentionTable
from corefine.scoring.count import metric_statistics
from corefine.scoring.scores import Score, Scores, summed


@dataclass(frozen=True, slots=True)
class SplitAntecedent:
    """A set of the key, the set of the response that it is aligned with, and how alike they are.

    Sets are aligned, and their elements compared, by B³.
    """

    document: str
    answer: str
    """``right``, ``in part``, ``missing`` (in the response) or ``extra`` (not in the key)."""
    anaphor: str
    """The first mention of the entity that is made of the others."""
    key: tuple[str, ...]
    """The first mention of each element; none where the side has no such set."""
    response: tuple[str, ...]
    precision: float
    recall: float
    f1: float

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        return {
            "document": self.document,
            "answer": self.answer,
            "anaphor": self.anaphor,
            "key": list(self.key),
            "response": list(self.response),
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }


def split_antecedents(table: MentionTable) -> tuple[SplitAntecedent, ...]:
    """All sets of both sides, by document, in the order of the key, then those it lacks.

    Windows have none: the entities that sets are made of are cut there.
    """
    if table.matched.windows is not None:
        return ()
    sets = set_pairs(table)
    if sets is None:
        return ()
    rows = sorted(_rows(table, sets), key=lambda row: row[0])
    return tuple(row for _, row in rows)


MODES: dict[SplitAntecedents, str] = {"ignore": "without", "score": "with", "only": "alone"}
"""Names of the treatments of split antecedents."""


def split_scores(scores: Scores, table: MentionTable) -> dict[str, dict[str, Score]]:
    """By metric, the scores without split antecedents, with them, and of them alone.

    Metrics that split antecedents are not defined for are left out, and so are all where the
    settings do not allow them.
    """
    settings = scores.settings
    try:
        for mode in MODES:
            replace(settings, split_antecedents=mode)
    except UsageError:
        return {}
    metrics = {
        str(metric): metric
        for metric in scores.metrics.values()
        if all(part.counts_split_antecedents for part in metric.needs())
    }
    found: dict[str, dict[str, Score]] = {name: {} for name in metrics}
    for mode, words in MODES.items():
        counted = MentionTable.of(
            replace(table.matched, settings=replace(settings, split_antecedents=mode))
        )
        totals = summed(metric_statistics(counted, metrics.values()))
        for name, metric in metrics.items():
            precision, recall, f1 = metric.score_from(totals)
            found[name][words] = Score(
                float(f1),
                None if precision is None else float(precision),
                None if recall is None else float(recall),
            )
    return found


def _rows(table: MentionTable, sets: SetPairs) -> Iterator[tuple[int, SplitAntecedent]]:
    (worth,) = score_sets(BCubed(), sets).values()
    aligned = {sets.pairs[place][0]: place for place in worth.aligned.tolist()}
    found = {sets.pairs[place][1] for place in aligned.values()}
    ours = _texts(table.matched.key, table.key)
    theirs = _texts(table.matched.response, table.response)
    for number, one in enumerate(sets.key.sets):
        place = aligned.get(number)
        numbers = (
            (0.0, 0.0, 0.0)
            if place is None
            else (float(worth.precision[place]), float(worth.recall[place]), float(worth.f1[place]))
        )
        other = None if place is None else sets.response.sets[sets.pairs[place][1]]
        answer = "missing" if other is None else "right" if numbers[2] == 1 else "partial"
        yield (
            one.document,
            SplitAntecedent(
                table.documents[one.document],
                answer,
                ours[one.owner],
                _elements(ours, one),
                () if other is None else _elements(theirs, other),
                *numbers,
            ),
        )
    for number, one in enumerate(sets.response.sets):
        if number not in found:
            yield (
                one.document,
                SplitAntecedent(
                    table.documents[one.document],
                    "extra",
                    theirs[one.owner],
                    (),
                    _elements(theirs, one),
                    0.0,
                    0.0,
                    0.0,
                ),
            )


def _elements(texts: list[str], one: AntecedentSet) -> tuple[str, ...]:
    return tuple(texts[element] for element in one.elements)


def _texts(corpus: Corpus, side: EntityColumns) -> list[str]:
    """The words of the first mention of each entity."""
    first = np.full(len(corpus.entities), -1)
    entity = corpus.mentions.entity
    first[entity[::-1]] = np.arange(len(entity))[::-1]
    return [corpus.text_of(int(first[source])) for source in side.source.tolist()]
