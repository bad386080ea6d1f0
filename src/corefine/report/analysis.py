"""The analysis for a report: each response is scored, diagnosed and explained once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from corefine.comparing.comparison import Comparison, Interval
from corefine.comparing.plan import Plan
from corefine.comparing.systems import compare_scores
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import words_by_document
from corefine.errors import code_of
from corefine.explaining.audit import METRICS as COREFERENCE
from corefine.explaining.audit import Audit, audit_table
from corefine.explaining.explanation import Explanation, explain_table
from corefine.explaining.outcomes import Outcomes
from corefine.metrics.base import Metric
from corefine.metrics.registry import resolve
from corefine.output.progress import Progress
from corefine.report.buckets import Buckets, buckets_of
from corefine.scoring.request import Request
from corefine.scoring.score import tabulate_for_analysis
from corefine.scoring.scores import Scores


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """All responses against one key, with intervals over documents."""

    names: tuple[str, ...]
    """The names of the responses, the best first."""
    explanations: tuple[Explanation, ...]
    plan: Plan
    intervals: Mapping[tuple[str, str], tuple[float, float]]
    """By response and metric, the percentile interval of F1 if documents can be resampled."""
    comparison: Comparison | None
    """The responses compared, if there are several responses and several documents."""
    audit: Audit | None
    """Test how the metrics react to changes of the best response of known worth."""
    buckets: tuple[Buckets, ...]
    """F1 by entity size, distance, mention kind and so on."""
    outcomes: tuple[Outcomes, ...]
    """By response, which mentions, links and entities of the key it got right."""
    averages: Mapping[tuple[str, str], tuple[float, Interval | None]] = field(default_factory=dict)
    """By response and metric, F1 averaged over data sets (macro) and its interval, for a suite."""
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By response, the data sets of a suite that it does not cover."""
    cautions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By response, the warnings about the data sets of a suite, instead of those of the scores."""

    @classmethod
    def of(
        cls,
        key: Corpus,
        responses: Iterable[tuple[str, Corpus]],
        request: Request,
        *,
        plan: Plan,
        progress: Progress,
        ranking: Sequence[str] | None = None,
    ) -> Analysis:
        """Match every response once, explain and audit it, then resample the documents."""
        audited = coreference_metrics(request.metrics)
        found: list[tuple[str, Explanation]] = []
        for name, response in responses:
            progress(f"analysing {name}", 0, 0)
            table = tabulate_for_analysis(key, response, request)
            # All responses have the same key.
            naming = found[0][1].errors.naming if found else None
            explained = explain_table(table, request, naming=naming)
            found.append((name, explained))
        if ranking is None:
            lead = plan.headline(list(found[0][1].scores.by_name))
            found.sort(key=lambda one: -one[1].scores[lead].f1)
        else:
            found.sort(key=lambda one: ranking.index(one[0]))
        names = [name for name, _ in found]
        explanations = [explained for _, explained in found]
        own = replace(request, metrics=audited, by=())
        audit = audit_table(explanations[0].table, own) if audited else None
        scores = {name: one.scores for name, one in zip(names, explanations, strict=True)}
        several = len(scores) > 1 and len(explanations[0].table.documents) > 1
        comparison = compare_scores(scores, plan) if several else None
        intervals = intervals_of_f1(scores, comparison, plan)
        buckets = buckets_of(
            names, explanations, dict(request.metrics), request.by, request.settings, plan
        )
        outcomes = tuple(Outcomes.of(one.diagnosis) for one in explanations)
        return cls(
            tuple(names),
            tuple(explanations),
            plan,
            intervals,
            comparison,
            audit,
            buckets,
            outcomes,
        )

    @property
    def key(self) -> Corpus:
        """The key as it was scored, the same for every response."""
        return self.explanations[0].matching.key

    @property
    def metrics(self) -> tuple[str, ...]:
        """Canonical names of the metrics that were asked for."""
        return tuple(self.explanations[0].scores.by_name)

    @property
    def lead(self) -> str:
        """The metric that charts of one number show (:meth:`Plan.headline`)."""
        return self.plan.headline(list(self.explanations[0].scores.by_name))

    @property
    def naming(self) -> IntArray:
        """By key entity: the mention that names it best."""
        return self.explanations[0].errors.naming.all()

    def ranked(self, name: str, metric: str) -> tuple[float, Interval | None]:
        """The F1 that a response is ranked by, with its interval: of a suite, its macro average."""
        found = self.averages.get((name, metric))
        if found is not None:
            return found
        ends = self.intervals.get((name, metric))
        f1 = self.explanations[self.names.index(name)].scores[metric].f1
        return f1, None if ends is None else Interval(*ends)

    def ranking(self, metric: str) -> list[str]:
        """The responses, the best under a metric first."""
        return sorted(self.names, key=lambda name: -self.ranked(name, metric)[0])

    @property
    def units(self) -> tuple[str, ...]:
        """The units of scoring: documents or, if they share entities, groups of documents."""
        return self.explanations[0].table.documents

    @property
    def unit(self) -> str:
        """The word for a unit."""
        return "document" if self.grouping is None else "group"

    @property
    def grouping(self) -> IntArray | None:
        """The group of each document if the scope of entities is wider than a document."""
        grouping = self.explanations[0].matching.grouping
        return None if grouping is None else grouping.of_document

    def unit_f1(self, system: int, metric: str) -> FloatArray:
        """F1 of every unit on its own."""
        units = self.explanations[system].scores.documents.values()
        return np.array([scores[metric].f1 for scores in units])

    def document_f1(self, system: int, metric: str) -> FloatArray:
        """F1 of each document or, if documents share entities, of its group."""
        f1 = self.unit_f1(system, metric)
        return f1 if self.grouping is None else f1[self.grouping]

    def document_words(self) -> list[int]:
        """The length of each document in words or, without a text, in distinct mentions."""
        tokens, count = self.key.tokens, len(self.key.documents)
        if tokens is None:
            sizes = []
            for explanation in self.explanations:
                table = explanation.table
                origin = table.document if table.origin is None else table.origin
                sizes.append(np.bincount(origin, minlength=count))
            return [int(size) for size in np.max(sizes, axis=0)]
        return [int(length) for length in words_by_document(tokens)]

    def warnings(self, wanted: Callable[[str], bool]) -> list[str]:
        """Warnings with a wanted code, one for each cause, with the responses that it is about."""
        scored = zip(self.names, (one.scores.warnings for one in self.explanations), strict=True)
        own = self.cautions or dict(scored)
        found = [(name, text) for name in self.names for text in dict.fromkeys(own[name])]
        joint = () if self.comparison is None else self.comparison.warnings
        told = {text for _, text in found}
        causes: dict[tuple[str, int], dict[str, list[str]]] = {}
        earlier: Counter[tuple[str, str]] = Counter()
        for name, text in found:
            code = code_of(text)
            if not wanted(code):
                continue
            # Two texts of one code about one response are two causes.
            cause = text if code == "other" else code, earlier[name, code]
            earlier[name, code] += 1
            causes.setdefault(cause, {}).setdefault(str(text), []).append(name)
        said = [self._said(texts) for texts in causes.values()]
        # The comparison repeats warnings of the scores, with the names of systems before them.
        said += [
            str(text)
            for text in joint
            if wanted(code_of(text)) and not any(text.endswith(one) for one in told)
        ]
        return said

    def _said(self, texts: Mapping[str, Sequence[str]]) -> str:
        """One line for each cause: the message for one response, and other responses with it."""
        (text, names), *others = texts.items()
        more = [name for _, some in others for name in some]
        if len(names) < len(self.names):
            text = f"{', '.join(names)}: {text}"
        return f"{text.rstrip('.')}; likewise {', '.join(more)}." if more else text


def coreference_metrics(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """The metrics that an audit can judge, without mention detection."""
    known = {metric.name for metric in resolve(COREFERENCE).values()}
    return {name: metric for name, metric in metrics.items() if metric.name in known}


def intervals_of_f1(
    scores: Mapping[str, Scores], comparison: Comparison | None, plan: Plan
) -> dict[tuple[str, str], tuple[float, float]]:
    """The intervals of a comparison or, for a single response, of a bootstrap of its own."""
    if comparison is not None:
        bounds = ((one.system, one.metric, one.interval) for one in comparison.standings)
        return {(system, metric): (ends[0], ends[1]) for system, metric, ends in bounds if ends}
    return {
        (system, metric): ends
        for system, one in scores.items()
        for metric, ends in one.intervals(**plan.bootstrap).items()
    }
