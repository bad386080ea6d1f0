"""The explanation of a score: errors, the F1 lost to each error type, and entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from corefine.corpus.copies import loss_tables
from corefine.corpus.corpus import Corpus
from corefine.errors import choose, emitting
from corefine.explaining.corrections import Attribution
from corefine.explaining.diagnosis import TYPES, Diagnosis, ErrorType
from corefine.explaining.error_analysis import GROUPS, Error, Errors
from corefine.explaining.naming import Naming
from corefine.explaining.phrases import Phrases
from corefine.kinds.kind_plan import KindSpec
from corefine.kinds.part_of_speech import LAYERS
from corefine.matching.matching import Matching
from corefine.metrics.classic import BCubed
from corefine.metrics.registry import MetricSpec, parse, title_of
from corefine.metrics.split_antecedents import AntecedentSet, DocumentSets, score_sets, sets_of
from corefine.metrics.table import EntityColumns, MentionTable
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables, plain_values
from corefine.scoring.request import PartOptions, Request
from corefine.scoring.score import tabulate_sides
from corefine.scoring.scores import Scores
from corefine.scoring.sides import SideLike

if TYPE_CHECKING:
    from corefine.explaining.entities import EntityTable
    from corefine.output.charts import Figure


_PLURALS = {
    ErrorType.SPAN: "span errors",
    ErrorType.MERGED: "merged entities",
    ErrorType.SPLIT: "split entities",
    ErrorType.EXTRA_MENTION: "extra mentions",
    ErrorType.EXTRA_ENTITY: "extra entities",
    ErrorType.MISSING_MENTION: "missing mentions",
    ErrorType.MISSING_ENTITY: "missing entities",
}


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """One document: its size, its scores, and its number of errors of each type."""

    document: str
    key_mentions: int
    response_mentions: int
    f1: dict[str, float]
    errors: dict[str, int]

    @property
    def error_count(self) -> int:
        """The number of all errors."""
        return sum(self.errors.values())


@dataclass(frozen=True, slots=True)
class SplitAntecedent:
    """A set of the key, the set of the response that it is aligned with, and how alike they are.

    Sets are aligned, and their elements compared, by B³.
    """

    document: str
    answer: str
    """``right``, ``partial``, ``missing`` (in the response) or ``extra`` (not in the key)."""
    anaphor: str
    """The first mention of the entity that is made of others."""
    key: tuple[str, ...] = ()
    """The first mention of each element; none where the side has no such set."""
    response: tuple[str, ...] = ()
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """The errors of a response and the F1 lost to them; returned by :func:`explain`."""

    scores: Scores
    errors: Errors
    attribution: Attribution
    diagnosis: Diagnosis
    phrases: Phrases

    @property
    def table(self) -> MentionTable:
        """The table of shared mentions."""
        return self.diagnosis.table

    @cached_property
    def entities(self) -> EntityTable:
        """The key entities one by one."""
        from corefine.explaining.entities import EntityTable

        naming = self.errors.naming
        return EntityTable.of(self.table, self.phrases, scores_of=self.scores, naming=naming)

    @property
    def matching(self) -> Matching:
        """The corpora that indices of entities and mentions refer to."""
        return self.errors.matching

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings of the scoring."""
        return self.scores.warnings

    @property
    def shares(self) -> dict[str, float]:
        """The share of each type among the errors."""
        counts = self.errors.counts()
        return {name: count / max(len(self.errors), 1) for name, count in counts.items()}

    @cached_property
    def documents(self) -> tuple[DocumentSummary, ...]:
        """A summary of every document or, if they are scored instead, group or window."""
        names, matching, unit = self.table.documents, self.matching, self.table.document
        sizes = [
            np.bincount(unit[mention >= 0], minlength=len(names)).tolist()
            for mention in (matching.key_mention, matching.response_mention)
        ]
        counts = np.zeros((len(names), len(TYPES)), np.int64)
        np.add.at(counts, (unit[self.errors.first_row], self.errors.type), 1)
        f1 = {
            str(metric): np.broadcast_to(
                metric.score_from(self.scores.counts.values).f1, len(names)
            ).tolist()
            for metric in self.scores.metrics.values()
        }
        return tuple(
            DocumentSummary(
                name,
                sizes[0][number],
                sizes[1][number],
                {metric: values[number] for metric, values in f1.items()},
                dict(zip(map(str, TYPES), counts[number].tolist(), strict=True)),
            )
            for number, name in enumerate(names)
        )

    @cached_property
    def split_antecedents(self) -> tuple[SplitAntecedent, ...]:
        """The split antecedents of both sides and how well they were found."""
        return split_antecedents(self.table)

    @property
    def lead(self) -> str:
        """The metric of which one number is shown: CoNLL, else the first."""
        names = list(self.scores.by_name)
        return "conll" if "conll" in names else names[0]

    def worst(self, count: int = 5, metric: str | None = None) -> list[DocumentSummary]:
        """The documents with the lowest F1 of a metric, by default the leading one.

        Among equal ones, those with more errors come first.
        """
        name = self.lead if metric is None else str(parse(metric))
        choose("metric", name, tuple(self.scores.by_name))
        ordered = sorted(
            self.documents,
            key=lambda summary: (summary.f1[name], -summary.error_count, summary.document),
        )
        return ordered[: max(count, 0)]

    def examples(self, type: ErrorType | str, count: int = 3) -> list[Error]:
        """Errors of a type with the greatest impact; equal ones are spread over documents."""
        earlier: Counter[int] = Counter()
        ranked = []
        for error in self.errors.of_type(type):
            before = earlier[error.document_number]
            ranked.append((-round(error.impact, 9), before, error.document, error.start, error))
            earlier[error.document_number] += 1
        return [row[-1] for row in sorted(ranked, key=lambda row: row[:-1])[: max(count, 0)]]

    def context(self, error: Error, width: int = 8) -> str:
        """The first mention of an error in brackets, with up to ``width`` words on either side."""
        return self.errors.context(error, width)

    def to_dict(self, *, errors: bool = True) -> dict[str, Any]:
        """The explanation as written to JSON; ``errors=False`` leaves the list of errors out."""
        counts, shares = self.errors.counts(), self.shares
        groups = {field: self.errors.by(field) for field in GROUPS}
        result: dict[str, Any] = {
            "signature": str(self.scores.signature),
            "kinds": list(self.scores.kind_sources),
            "scores": {name: score.to_dict() for name, score in self.scores.by_name.items()},
            "types": {
                name: {
                    "count": counts[name],
                    "share": shares[name],
                    **{field: by_type[name] for field, by_type in groups.items()},
                }
                for name in counts
            },
            "attribution": self.attribution.to_dict(),
            **self.entities.categories_dict(),
            "documents": list(map(plain_values, self.documents)),
        }
        if self.split_antecedents:
            result["split_antecedents"] = list(map(plain_values, self.split_antecedents))
        if self.scores.breakdowns:
            result["by"] = self.scores.to_dict(intervals=True)["by"]
        if self.scores.copies is not None:
            result["alignment"] = self.scores.copies.to_dict()
        if errors:
            result["errors"] = [error.to_dict() for error in self.errors]
        result["warnings"] = list(self.warnings)
        return result

    csv_table = "errors"
    default_rows: ClassVar[Mapping[str, int]] = {"worst": 3}

    @cached_property
    def costs(self) -> dict[ErrorType, float]:
        """F1 of the leading metric lost to each error type, cumulatively; the greatest first."""
        lost = self.attribution.gains[self.lead]
        return dict(sorted(lost.items(), key=lambda item: -item[1]))

    @property
    def verdict(self) -> str:
        """The points of the leading metric lost, and the three most expensive error types."""
        lost = sum(self.costs.values())
        if not len(self.errors):
            return "There are no errors: the response equals the key."
        title = title_of(self.lead)
        costs = [
            f"{_PLURALS[type_]} {100 * cost:.1f}"
            for type_, cost in self.costs.items()
            if abs(cost) >= 0.0005
        ]
        if not costs:
            return f"The errors of the response cost no {title} points."
        return f"Of {100 * lost:.1f} {title} points lost: {', '.join(costs[:3])}."

    @property
    def footer(self) -> str:
        return str(self.scores.signature)

    def table_functions(self) -> Tables:
        from corefine.explaining.tables import TABLES, breakdown_tables

        losses = loss_tables({"response": self.scores.copies})
        return {**TABLES, **breakdown_tables(self), **losses}

    @property
    def default_tables(self) -> tuple[str, ...]:
        asked = [name for name in self.table_names if name.startswith("by-") or name == "losses"]
        return ("types", "worst", "examples", *asked)

    def figures(self) -> dict[str, Figure]:
        """Charts: the F1 lost to each error type, and the flow of the worst documents."""
        from corefine.explaining.flow import flows
        from corefine.explaining.tables import error_profile

        return {"error-profile": error_profile(self), **flows(self)}


@emitting
def explain(
    key: SideLike,
    response: SideLike,
    metrics: MetricSpec = "default",
    *,
    kinds: KindSpec = "auto",
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[PartOptions],
) -> Explanation:
    """Find the errors in a response, and the F1 lost to each error type.

    ``metrics`` are the metrics to explain; ``kinds``, ``by`` and the settings are those of
    :func:`corefine.score`.

    >>> explanation = explain([["a", "b", "c"]], [["a", "b"], ["c", "d"]], metrics="muc")
    >>> explanation.errors
    <Errors: 1 split entity, 1 extra mention>
    >>> round(explanation.attribution.gains["muc"]["split entity"], 9)
    0.3
    """
    request = Request.of(metrics, kinds=kinds, shows_kinds=True, **settings)
    formats = key_format, response_format
    table = tabulate_sides(key, response, request, formats, LAYERS, progress)
    return explain_table(table, request)


def explain_table(
    table: MentionTable,
    request: Request,
    *,
    naming: Naming | None = None,
) -> Explanation:
    """Explain a matched key and response; ``naming`` can come from another response to the key."""
    phrases = Phrases.of(table.matching)
    diagnosis = Diagnosis.of(table, phrases)
    keep = request.settings.singletons == "keep"
    attribution = Attribution(table, request, diagnosis)
    errors = Errors(diagnosis, phrases, keep_singletons=keep, naming=naming)
    return Explanation(attribution.base, errors, attribution, diagnosis, phrases)


def split_antecedents(table: MentionTable) -> tuple[SplitAntecedent, ...]:
    """All sets of both sides, by document, in the order of the key, then those it lacks.

    Windows have none: the entities that sets are made of are cut there.
    """
    found = sets_of(table) if table.matching.windows is None else []
    if not found:
        return ()
    ours = _texts(table.matching.key, table.key)
    theirs = _texts(table.matching.response, table.response)
    return tuple(row for sets in found for row in _rows(table, sets, ours, theirs))


def _rows(
    table: MentionTable, sets: DocumentSets, ours: list[str], theirs: list[str]
) -> Iterator[SplitAntecedent]:
    """The sets of a document: first the key's, then the ones that only the response has."""
    (scores,) = score_sets(BCubed(), sets).values()
    aligned = dict(zip(*(column.tolist() for column in scores.aligned), strict=True))
    document = table.documents[sets.document]
    for number, one in enumerate(sets.key.sets):
        anaphor, elements = ours[one.owner], _of(ours, one)
        if number in aligned:
            place = number, aligned[number]
            other = _of(theirs, sets.response.sets[aligned[number]])
            columns = (scores.precision, scores.recall, scores.f1)
            values = [float(column[place]) for column in columns]
            answer = "right" if values[2] == 1 else "partial"
            yield SplitAntecedent(document, answer, anaphor, elements, other, *values)
        else:
            yield SplitAntecedent(document, "missing", anaphor, elements)
    for number, one in enumerate(sets.response.sets):
        if number not in aligned.values():
            yield SplitAntecedent(document, "extra", theirs[one.owner], response=_of(theirs, one))


def _of(texts: list[str], one: AntecedentSet) -> tuple[str, ...]:
    return tuple(texts[element] for element in one.elements)


def _texts(corpus: Corpus, side: EntityColumns) -> list[str]:
    """The words of the first mention of each entity."""
    first = np.full(len(corpus.entities), -1)
    entity = corpus.mentions.entity
    first[entity[::-1]] = np.arange(len(entity))[::-1]
    return [corpus.text_of(int(first[source])) for source in side.source.tolist()]
