"""Explanation: a response beside its key, with scores, errors, their cost, and entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.explaining.attribution import Attribution
from corefine.explaining.categories import Overlap
from corefine.explaining.context import Context, context_of
from corefine.explaining.corrections import Corrections
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType
from corefine.explaining.entities import EntityTable
from corefine.explaining.errors import Error, Errors
from corefine.explaining.layout import html_table, percent, signed_percent, text_table
from corefine.explaining.phrases import Phrases
from corefine.kinds import KindPlan, KindSpec, plan_of
from corefine.kinds.columns import LAYERS
from corefine.matching.matched import Matched
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.information import InformationWeight, new_words
from corefine.metrics.registry import MetricSpec, parse
from corefine.metrics.table import Table
from corefine.scoring.score import Side, as_corpus, metrics_for, settings_from
from corefine.scoring.scores import Scores
from corefine.scoring.statistics import CorpusStatistics
from corefine.scoring.tabulating import Tally, convention_warnings, kinds_needed, tabulate


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """One document: its size, its scores, and how many errors of each type it has."""

    number: int
    document: str
    words: int | None
    key_mentions: int
    response_mentions: int
    f1: dict[str, float]
    errors: dict[str, int]

    @property
    def error_count(self) -> int:
        """All its errors."""
        return sum(self.errors.values())

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain values."""
        return {
            "document": self.document,
            "words": self.words,
            "key_mentions": self.key_mentions,
            "response_mentions": self.response_mentions,
            "f1": self.f1,
            "errors": self.errors,
        }


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a response got wrong and what that costs; made by :func:`explain`."""

    scores: Scores
    errors: Errors
    attribution: Attribution
    entities: EntityTable
    diagnosis: Diagnosis
    kind_sources: tuple[str, ...] = ()
    """What the kinds of mentions are known from."""

    @property
    def table(self) -> Table:
        """The table that everything was counted from."""
        return self.diagnosis.table

    @property
    def matched(self) -> Matched:
        """The corpora that indices of entities and mentions lead to."""
        return self.errors.matched

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a careful reader of the numbers should know."""
        return self.scores.warnings

    @property
    def shares(self) -> dict[str, float]:
        """The share of the errors that each type has."""
        return {
            name: count / max(len(self.errors), 1) for name, count in self.errors.counts().items()
        }

    @cached_property
    def documents(self) -> tuple[DocumentSummary, ...]:
        """A summary of every document, or of every group of documents that share entities."""
        names, matched = self.table.documents, self.matched
        group = None if matched.grouping is None else matched.grouping.of_document

        def summed(values: IntArray) -> list[Any]:
            """Rows of documents, added up where documents are grouped."""
            total = np.zeros((len(names), *values.shape[1:]), np.int64)
            np.add.at(total, np.arange(len(values)) if group is None else group, values)
            return list(total.tolist())

        sizes = [
            summed(np.bincount(side.mentions.document, minlength=len(side.documents)))
            for side in (matched.key, matched.response)
        ]
        tokens = matched.key.tokens
        words = [None] * len(names) if tokens is None else summed(np.diff(tokens.offsets))
        counts = summed(self.errors.counts_by_document())
        f1 = {
            str(metric): np.broadcast_to(
                metric.score_from(self.scores.statistics.values).f1, len(names)
            ).tolist()
            for metric in self.scores.metrics.values()
        }
        return tuple(
            DocumentSummary(
                number,
                name,
                words[number],
                sizes[0][number],
                sizes[1][number],
                {metric: values[number] for metric, values in f1.items()},
                dict(zip(map(str, TYPES), counts[number], strict=True)),
            )
            for number, name in enumerate(names)
        )

    @property
    def lead(self) -> str:
        """The metric that stands for all where one number is shown: CoNLL's, or else the first."""
        names = list(self.scores.by_name)
        return "conll" if "conll" in names else names[0]

    def worst(self, count: int = 5, metric: str | None = None) -> list[DocumentSummary]:
        """Documents with the lowest F1 (of the leading metric unless one is named); of equal ones
        those with more errors first."""
        names = list(self.scores.by_name)
        name = self.lead if metric is None else str(parse(metric))
        if name not in names:
            raise UsageError(
                f"{metric} was not asked for", remedy=f"There are: {', '.join(names)}."
            )
        ordered = sorted(
            self.documents, key=lambda summary: (summary.f1[name], -summary.error_count)
        )
        return ordered[: max(count, 0)]

    def examples(self, type: ErrorType | str, count: int = 3) -> list[Error]:
        """Some errors of a type: those with the most mentions, spread over the documents."""
        numbers = self.errors.numbers(type)
        sizes = np.diff(self.errors.offsets)[numbers]
        turn = _turns(self.errors.document[numbers])
        order = np.lexsort((numbers, turn, -sizes))
        return [self.errors[number] for number in numbers[order][: max(count, 0)].tolist()]

    def context(self, error: Error, width: int = 8) -> Context:
        """The first mention of an error with up to ``width`` words of the text on either side."""
        return context_of(self.matched, error, width)

    def to_dict(self, *, errors: bool = True) -> dict[str, Any]:
        """The form in which an explanation is written as JSON; ``errors`` lists every error."""
        counts = self.errors.counts()
        result: dict[str, Any] = {
            "signature": str(self.scores.signature),
            "kinds": list(self.kind_sources),
            "scores": {name: score.to_dict() for name, score in self.scores.by_name.items()},
            "types": {
                name: {
                    "count": counts[name],
                    "share": self.shares[name],
                    "kind": self.errors.by_kind()[name],
                    "rest_kind": self.errors.by_rest_kind()[name],
                    "match": self.errors.by_match()[name],
                    "distance": self.errors.by_distance()[name],
                }
                for name in counts
            },
            "attribution": self.attribution.to_dict(),
            "categories": {
                name: {"count": count, "share": self.entities.shares[name]}
                for name, count in self.entities.counts.items()
            },
            "information_kept": self.entities.information_kept,
            "documents": [summary.to_dict() for summary in self.documents],
        }
        if errors:
            result["errors"] = [error.to_dict() for error in self.errors]
        result["warnings"] = list(self.warnings)
        return result

    def __repr__(self) -> str:
        return "\n".join(
            [
                text_table(*self._shown()),
                "F1 points gained when one type after another is corrected",
                str(self.scores.signature),
            ]
        )

    def _repr_html_(self) -> str:
        return (
            f"{html_table(*self._shown())}<p>F1 points gained when one type after another is "
            f"corrected</p><small>{escape(str(self.scores.signature))}</small>"
        )

    def _shown(self) -> tuple[list[str], list[list[str]]]:
        attribution, counts = self.attribution, self.errors.counts()
        metrics = attribution.metrics
        rows = [["response", "", *(percent(attribution.base[name].f1) for name in metrics)]]
        rows.extend(
            [
                str(type_),
                f"{counts[type_]:,}",
                *(signed_percent(attribution.gain_in_sequence(type_, name)) for name in metrics),
            ]
            for type_ in attribution.order
        )
        rows.append(["key", "", *(percent(attribution.final[name].f1) for name in metrics)])
        return ["", "errors", *metrics], rows


def _turns(document: IntArray) -> IntArray:
    """How many of the same document come before each; documents stand together."""
    opens = np.ones(len(document), bool)
    opens[1:] = document[1:] != document[:-1]
    first = np.flatnonzero(opens)
    return np.arange(len(document)) - np.repeat(first, np.diff(np.append(first, len(document))))


def explain(
    key: Side,
    response: Side,
    metrics: MetricSpec = "default",
    *,
    kinds: KindSpec = "auto",
    order: Sequence[ErrorType | str] = TYPES,
    overlap: Overlap | None = None,
    lenient: bool = False,
    strict: bool = False,
    information: InformationWeight = new_words,
    **settings: Any,
) -> Explanation:
    """List the errors of a response, and find out how many points of F1 each type costs.

    ``metrics`` are those whose cost is told, ``order`` the types of errors in the order in which
    they are corrected. ``kinds`` and the settings are those of :func:`corefine.score`;
    ``overlap``, ``lenient``, ``strict`` and ``information`` those of :func:`corefine.entities`.

    >>> explanation = explain([["a", "b", "c"]], [["a", "b"], ["c", "d"]], metrics="muc")
    >>> explanation.errors
    <Errors: 1 split entity, 1 extra mention>
    >>> round(explanation.attribution.gain_in_sequence("split entity", "muc"), 9)
    0.3
    """
    chosen, plan = settings_from(settings), plan_of(kinds)
    asked = metrics_for(metrics, chosen)
    layers = plan.layers | LAYERS
    return explain_corpora(
        as_corpus(key, "key", layers),
        as_corpus(response, "response", layers),
        asked,
        chosen,
        plan,
        order=order,
        overlap=overlap,
        lenient=lenient,
        strict=strict,
        information=information,
    )


def explain_corpora(
    key: Corpus,
    response: Corpus,
    metrics: dict[str, Metric],
    settings: Settings,
    kinds: KindPlan,
    *,
    order: Sequence[ErrorType | str] = TYPES,
    **entity_options: Any,
) -> Explanation:
    """The explanation of two corpora; the options of entities are those of :func:`explain`."""
    table, tally, warnings = tabulate(key, response, settings, kinds)
    assert table.matched is not None
    told = tally.kind_sources or ()
    if kinds_needed(kinds, metrics.values()) is None:
        # Kinds are only shown: the scores do not depend on them, and unknown ones do no harm.
        tally = Tally(tally.key, tally.response, tally.common)
    statistics = CorpusStatistics.of(table, metrics.values())
    warnings += (*tally.warnings, *convention_warnings([*metrics.values()], settings))
    scores = Scores(metrics, statistics, settings, tally.notes, warnings)
    phrases = Phrases.of(table.matched)
    diagnosis = Diagnosis.of(table, phrases)
    corrections = Corrections.of(diagnosis, keep_singletons=settings.singletons == "keep")
    return Explanation(
        scores,
        Errors.of(diagnosis, phrases),
        Attribution.of(scores, corrections, order),
        EntityTable.of(table, phrases, warnings=warnings, **entity_options),
        diagnosis,
        told,
    )
