"""Explanation: a response beside its key, with scores, errors, their cost, and entities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from corefine.errors import UsageError
from corefine.explaining.attribution import Attribution, check_corrections
from corefine.explaining.categories import Overlap
from corefine.explaining.corrections import Corrections
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType
from corefine.explaining.entities import EntityTable
from corefine.explaining.error_analysis import Context, Error, Errors, context_of
from corefine.explaining.members import place_in_run
from corefine.explaining.near_misses import NearMiss, near_misses
from corefine.explaining.phrases import Phrases
from corefine.explaining.split_antecedents import (
    SplitAntecedent,
    split_antecedents,
    split_scores,
)
from corefine.formats.tagged.losses import DETAILS, loss_tables
from corefine.kinds.kind_plan import KindSpec
from corefine.kinds.part_of_speech import LAYERS
from corefine.matching.matched import Matched
from corefine.metrics.information import InformationWeight, new_words
from corefine.metrics.registry import MetricSpec, parse
from corefine.metrics.table import MentionTable
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.request import PartOptions, Request
from corefine.scoring.score import tabulate_sides
from corefine.scoring.scores import Score, Scores
from corefine.scoring.sides import SideLike

if TYPE_CHECKING:
    from corefine.output.charts import Figure


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


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """What a response got wrong and what that costs; made by :func:`explain`."""

    scores: Scores
    errors: Errors
    attribution: Attribution
    entities: EntityTable
    diagnosis: Diagnosis
    kind_sources: tuple[str, ...] = ()
    """What the kinds of mentions are known from."""

    @property
    def table(self) -> MentionTable:
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
        """A summary of every document, or of what is scored instead: the groups of documents that
        share entities, or the windows of documents."""
        names, matched, unit = self.table.documents, self.matched, self.table.document
        sizes = [
            np.bincount(unit[mention >= 0], minlength=len(names)).tolist()
            for mention in (matched.key_mention, matched.response_mention)
        ]
        words = self._words()
        counts = self.errors.counts_by_unit(self.table).tolist()
        f1 = {
            str(metric): np.broadcast_to(
                metric.score_from(self.scores.counts.values).f1, len(names)
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

    @cached_property
    def split_antecedents(self) -> tuple[SplitAntecedent, ...]:
        """The split antecedents of both sides, and which of them were found."""
        return split_antecedents(self.table)

    @cached_property
    def split_scores(self) -> dict[str, dict[str, Score]]:
        """By metric, the scores without split antecedents, with them, and of them alone."""
        return split_scores(self.scores, self.table) if self.split_antecedents else {}

    @cached_property
    def near_misses(self) -> tuple[NearMiss, ...]:
        """Missing and extra mentions that overlap and are no span error, with the reason."""
        return near_misses(self.diagnosis, Phrases.of(self.matched))

    def _words(self) -> list[int] | list[None]:
        """The tokens of every document, group of documents or window; None without a text."""
        matched, tokens = self.matched, self.matched.key.tokens
        if tokens is None:
            return [None] * len(self.table.documents)
        if matched.windows is not None:
            return [int(count) for count in matched.windows.words]
        lengths = np.diff(tokens.offsets)
        if matched.grouping is not None:
            lengths = np.bincount(matched.grouping.of_document, lengths)
        return [int(count) for count in lengths]

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
                f"{metric} was not requested", remedy=f"Available: {', '.join(names)}."
            )
        ordered = sorted(
            self.documents, key=lambda summary: (summary.f1[name], -summary.error_count)
        )
        return ordered[: max(count, 0)]

    def examples(self, type: ErrorType | str, count: int = 3) -> list[Error]:
        """Some errors of a type: those that are worth most, equal ones spread over documents."""
        numbers = self.errors.numbers(type)
        turn = place_in_run(self.errors.document[numbers])
        order = np.lexsort((numbers, turn, -self.errors.worth[numbers].round(9)))
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
        if self.split_antecedents:
            result["split_antecedents"] = [each.to_dict() for each in self.split_antecedents]
            result["split_scores"] = {
                metric: {mode: score.to_dict() for mode, score in by_mode.items()}
                for metric, by_mode in self.split_scores.items()
            }
        if self.scores.breakdowns:
            result["by"] = self.scores.to_dict(intervals=True)["by"]
        if self.scores.copies is not None:
            result["alignment"] = self.scores.copies.to_dict()
        if errors:
            result["errors"] = [error.to_dict() for error in self.errors]
            result["near_misses"] = [couple.to_dict() for couple in self.near_misses]
        result["warnings"] = list(self.warnings)
        return result

    csv_table = "errors"

    def table_functions(self) -> Tables:
        from corefine.explaining.tables import TABLES, breakdown_tables

        losses = loss_tables({"response": self.scores.copies})
        return {**TABLES, **breakdown_tables(self), **losses}

    @property
    def default_tables(self) -> tuple[str, ...]:
        left_out = {"errors", "near-misses", *DETAILS}
        if not self.split_antecedents:
            left_out |= {"split-antecedents", "split-scores"}
        return tuple(name for name in self.table_names if name not in left_out)

    def figures(self) -> dict[str, Figure]:
        """Charts by name: what errors cost, and errors by what they have in common."""
        from corefine.explaining.figures import explanation_figures

        return explanation_figures(self)


def explain(
    key: SideLike,
    response: SideLike,
    metrics: MetricSpec = "default",
    *,
    kinds: KindSpec = "auto",
    order: Sequence[ErrorType | str] = TYPES,
    overlap: Overlap | None = None,
    lenient: bool = False,
    literal: bool = False,
    information: InformationWeight = new_words,
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[PartOptions],
) -> Explanation:
    """Find the errors in a response, and the F1 lost to each error type.

    ``metrics`` are the metrics to explain, ``order`` the order in which error types are corrected.
    ``kinds``, ``by`` and the settings are those of :func:`corefine.score`; ``overlap``,
    ``lenient``, ``literal`` and ``information`` are those of :func:`corefine.entities`.

    >>> explanation = explain([["a", "b", "c"]], [["a", "b"], ["c", "d"]], metrics="muc")
    >>> explanation.errors
    <Errors: 1 split entity, 1 extra mention>
    >>> round(explanation.attribution.gain_in_sequence("split entity", "muc"), 9)
    0.3
    """
    check_corrections(order)
    request = Request.of(metrics, kinds=kinds, shows_kinds=True, **settings)
    table = tabulate_sides(
        key,
        response,
        request,
        layers=LAYERS,
        key_format=key_format,
        response_format=response_format,
        progress=progress,
    )
    return explain_table(
        table,
        request,
        order=order,
        overlap=overlap,
        lenient=lenient,
        literal=literal,
        information=information,
    )


def explain_table(
    table: MentionTable,
    request: Request,
    *,
    order: Sequence[ErrorType | str] = TYPES,
    **entity_options: Any,
) -> Explanation:
    """The explanation of a key and a response that were matched; options as in :func:`explain`."""
    phrases = Phrases.of(table.matched)
    diagnosis = Diagnosis.of(table, phrases)
    keep = request.settings.singletons == "keep"
    corrections = Corrections.of(diagnosis, keep_singletons=keep)
    attribution = Attribution.of(table, request, corrections, order)
    scores = attribution.base
    return Explanation(
        scores,
        Errors.of(diagnosis, phrases, keep_singletons=keep),
        attribution,
        EntityTable.of(table, phrases, warnings=scores.warnings, **entity_options),
        diagnosis,
        scores.kind_sources,
    )
