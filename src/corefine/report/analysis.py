"""What a report is made of: each response scored, diagnosed and explained, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.auditing.audit import Audit, audit
from corefine.comparing.bootstrap import bootstrap
from corefine.comparing.comparison import Comparison
from corefine.comparing.gathering import panel_of
from corefine.comparing.panel import QUANTITIES
from corefine.comparing.plan import Plan
from corefine.comparing.systems import compare_scores
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.explaining.attribution import Attribution
from corefine.explaining.entities import EntityTable
from corefine.explaining.errors import Errors
from corefine.explaining.explanation import Explanation, explain
from corefine.kinds import KindSpec
from corefine.matching.matched import Matched
from corefine.metrics.registry import MetricSpec
from corefine.metrics.table import Table
from corefine.scoring.scores import Scores

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of the whole work that is done."""


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """One response against the key, by the name that the report has for it."""

    name: str
    explanation: Explanation

    @property
    def matched(self) -> Matched:
        """The corpora as they were scored."""
        return self.explanation.matched

    @property
    def table(self) -> Table:
        return self.explanation.table

    @property
    def scores(self) -> Scores:
        return self.explanation.scores

    @property
    def errors(self) -> Errors:
        return self.explanation.errors

    @property
    def entities(self) -> EntityTable:
        return self.explanation.entities

    @property
    def attribution(self) -> Attribution:
        return self.explanation.attribution


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """All responses against one key, with intervals over documents."""

    analyses: tuple[Analysis, ...]
    plan: Plan
    intervals: Mapping[tuple[str, str], tuple[float, float]]
    """By response and metric, the percentile interval of F1, where documents can be resampled."""
    comparison: Comparison | None
    """The responses compared, where there are several of them and of documents."""
    audits: tuple[Audit, ...]
    """By response, what the metrics make of changes to it whose worth is known."""

    @classmethod
    def of(
        cls,
        key: Corpus,
        responses: Sequence[tuple[str, Corpus]],
        metrics: MetricSpec,
        kinds: KindSpec,
        settings: Mapping[str, Any],
        *,
        plan: Plan,
        progress: Progress,
    ) -> Study:
        """Explain every response, then resample their documents."""
        analyses, audits = [], []
        steps = len(responses) + 1
        for number, (name, response) in enumerate(responses):
            progress(f"analysing {name}", number / steps)
            explanation = explain(key, response, metrics, kinds=kinds, **settings)
            analyses.append(Analysis(name, explanation))
            audits.append(audit(key, response, metrics, kinds=kinds, **settings))
        progress("resampling documents", len(responses) / steps)
        scores = {analysis.name: analysis.scores for analysis in analyses}
        several = len(scores) > 1 and len(analyses[0].table.documents) > 1
        comparison = compare_scores(scores, plan) if several else None
        progress("resampling documents", 1.0)
        intervals = _intervals(scores, comparison, plan)
        return cls(tuple(analyses), plan, intervals, comparison, tuple(audits))

    @property
    def key(self) -> Corpus:
        """The key as it was scored, the same for every response."""
        return self.analyses[0].matched.key

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(analysis.name for analysis in self.analyses)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Canonical names of the metrics that were asked for."""
        return tuple(self.analyses[0].scores.by_name)

    @property
    def lead(self) -> str:
        """The metric that charts of one number show: the CoNLL average, or else the first."""
        return "conll" if "conll" in self.metrics else self.metrics[0]

    @property
    def units(self) -> tuple[str, ...]:
        """What is scored on its own: documents or, where they share entities, groups of them."""
        return self.analyses[0].table.documents

    @property
    def unit(self) -> str:
        """What a unit is called."""
        return "document" if self.grouping is None else "group"

    @property
    def grouping(self) -> IntArray | None:
        """The group of every document, where the scope of entities is wider than a document."""
        grouping = self.analyses[0].matched.grouping
        return None if grouping is None else grouping.of_document

    def unit_f1(self, system: int, metric: str) -> FloatArray:
        """F1 of every unit on its own."""
        units = self.analyses[system].scores.documents.values()
        return np.array([scores[metric].f1 for scores in units])

    def document_f1(self, system: int, metric: str) -> FloatArray:
        """F1 of every document or, where documents share entities, of the group that it is in."""
        f1 = self.unit_f1(system, metric)
        return f1 if self.grouping is None else f1[self.grouping]

    def unit_words(self) -> list[int]:
        """How long each unit is."""
        words = self.document_words()
        if self.grouping is None:
            return words
        counts = np.bincount(self.grouping, words, minlength=len(self.units))
        return [int(count) for count in counts]

    def document_words(self) -> list[int]:
        """How long each document is: its words or, without a text, its distinct mentions."""
        tokens, count = self.key.tokens, len(self.key.documents)
        if tokens is None:
            sizes = []
            for analysis in self.analyses:
                table = analysis.table
                origin = table.document if table.origin is None else table.origin
                sizes.append(np.bincount(origin, minlength=count))
            return [int(size) for size in np.max(sizes, axis=0)]
        lengths = np.diff(tokens.offsets)
        if tokens.empty is not None:
            before = np.concatenate([[0], np.cumsum(tokens.empty)])
            lengths = lengths - np.diff(before[tokens.offsets])
        return [int(length) for length in lengths]

    def warnings(self) -> list[str]:
        """What there is to warn of, each once, with the response that it is about if not all."""
        said: dict[str, list[str]] = {}
        for analysis in self.analyses:
            for warning in dict.fromkeys(analysis.scores.warnings):
                said.setdefault(warning, []).append(analysis.name)
        everyone = len(self.analyses)
        return [
            warning if len(names) == everyone else f"{', '.join(names)}: {warning}"
            for warning, names in said.items()
        ]


def _intervals(
    scores: Mapping[str, Scores], comparison: Comparison | None, plan: Plan
) -> dict[tuple[str, str], tuple[float, float]]:
    """The intervals of a comparison or, for a single response, of a bootstrap of its own."""
    if comparison is not None:
        bounds = (
            (one.system, one.metric, one.percentile.get("f1")) for one in comparison.standings
        )
        return {(system, metric): (ends[0], ends[1]) for system, metric, ends in bounds if ends}
    panel = panel_of(scores)
    if len(panel.documents) < 2:
        return {}
    drawn = bootstrap(panel, replicates=plan.resamples, confidence=plan.confidence, seed=plan.seed)
    return {
        (system, metric): (float(low), float(high))
        for at, system in enumerate(panel.systems)
        for metric, (low, high) in zip(
            panel.names, drawn.scores.percentile[at, :, QUANTITIES.index("f1")], strict=True
        )
    }
