"""Scores: precision, recall and F1 by metric, with the signature that makes them comparable."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from corefine._version import __version__
from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError, closest, missing_attribute
from corefine.matching.matching import Fingerprint
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.registry import parse
from corefine.output.grid import Grid
from corefine.output.result import Result, Tables
from corefine.scoring.placements import headline
from corefine.scoring.request import Request

if TYPE_CHECKING:
    from corefine.corpus.copies import Copies
    from corefine.output.charts import Figure
    from corefine.scoring.breakdowns import BreakdownCounts
    from corefine.scoring.count import Counts
    from corefine.scoring.resampling import PartIntervals


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that a number depends on: metric, settings, key and version.

    >>> print(Signature("lea", {"match": "exact"}, "1d.3m.0a1b2c", "1.0"))
    lea|match:exact|average:micro|key:1d.3m.0a1b2c|corefine:1.0
    """

    metric: str | None = None
    """The metric's canonical name; None for what several metrics have in common."""
    settings: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    version: str = __version__
    preset: str = ""
    """The preset that the settings come from; it does not affect comparability."""
    average: str = "micro"
    """Over documents, over data sets: ``macro(27)``, or over groups of documents: ``topics``."""
    remarks: Mapping[str, str] = field(default_factory=dict)
    """Circumstances that do not affect comparability, such as the share of copied words."""

    def __str__(self) -> str:
        named = [] if self.metric is None else [self.metric]
        preset = [f"preset:{self.preset}"] if self.preset else []
        remarks = [f"{name}:{value}" for name, value in self.remarks.items()]
        return "|".join([*named, *preset, *self._parts(remarks)])

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def conventions(self) -> str:
        """The signature without the metric, the name of the preset and remarks."""
        return "|".join(self._parts([]))

    def _parts(self, remarks: list[str]) -> list[str]:
        settings = [f"{name}:{value}" for name, value in self.settings.items()]
        key = [f"key:{self.key}"] if self.key else []
        average, version = f"average:{self.average}", f"corefine:{self.version}"
        return [*settings, *remarks, average, *key, version]


@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """Precision, recall and F1 of one metric, from 0 to 1; averages have F1 only.

    >>> from corefine import score
    >>> precision, recall, f1 = score([["a", "b", "c"]], [["a", "b"]])["muc"]
    >>> precision, recall
    (1.0, 0.5)
    """

    f1: float
    precision: float | None = None
    recall: float | None = None
    signature: Signature | None = field(default=None, compare=False, repr=False)
    """Everything that the number depends on."""

    def __iter__(self) -> Iterator[float | None]:
        """Precision, recall and F1, in this order: ``p, r, f = scores["lea"]``."""
        return iter((self.precision, self.recall, self.f1))

    def __repr__(self) -> str:
        return f"Score(precision={self.precision}, recall={self.recall}, f1={self.f1})"

    def __float__(self) -> float:
        return self.f1

    def __getitem__(self, name: object) -> float:
        raise TypeError(f"a score has no [{name!r}]; use .precision, .recall and .f1, or to_dict()")

    if not TYPE_CHECKING:  # so that type checkers find names that are missing

        def __getattr__(self, name):
            others = ("f_score", "fscore", "f1_score", "fmeasure", "f_measure")
            raise missing_attribute(self, name, dict.fromkeys(others, "score.f1"))

    @property
    def p(self) -> float | None:
        """Precision."""
        return self.precision

    @property
    def r(self) -> float | None:
        """Recall."""
        return self.recall

    @property
    def f(self) -> float:
        """F1."""
        return self.f1

    def to_dict(self) -> dict[str, float]:
        """Precision and recall, unless it is an average of F1, and F1."""
        if self.precision is None or self.recall is None:
            return {"f1": self.f1}
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}


_DETAILED = ("documents", "long", "paper", "alignment", "tags")
"""Tables that are shown only if they are named."""


def summed(values: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """The sums of statistics over all documents, by metric."""
    return {
        metric: {name: _exact_sum(column) for name, column in columns.items()}
        for metric, columns in values.items()
    }


def _exact_sum(column: FloatArray) -> FloatArray:
    return np.float64(column[0] if len(column) == 1 else math.fsum(column.tolist()))  # type: ignore[return-value]


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result, Mapping[str, Score]):
    """The scores of a response by metric, as returned by :func:`corefine.score`.

    A metric is found under its name as requested or in canonical form, as an item or an attribute.
    Statistics per document are kept for confidence intervals and tests.

    >>> from corefine import score
    >>> scores = score([["a", "b", "c"]], [["a", "b"], ["c"]], "muc,lea")
    >>> scores["muc"].recall, scores.muc.recall
    (0.5, 0.5)
    >>> print(scores.to_csv())
    metric,precision,recall,f1
    muc,1.0,0.5,0.6666666666666666
    lea,0.6666666666666666,0.3333333333333333,0.4444444444444444
    >>> scores.plot()
    <Figure: F1 by metric>
    """

    counts: Counts
    """Statistics per document, from which all scores are computed."""
    kind_sources: tuple[str, ...] = ()
    """The sources of mention kinds, if they were looked up."""
    warnings: tuple[str, ...] = ()
    version: str = __version__
    """The version of corefine that counted; a saved result may have an older one."""
    elsewhere: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("to_df", "to_dataframe", "to_frame"), "to_pandas() or to_polars()"),
        **dict.fromkeys(("per_document", "by_document"), "documents"),
        **dict.fromkeys(("confidence_intervals", "ci"), "intervals()"),
        **dict.fromkeys(("conll_f1", "f1"), "conll.f1"),
        "to_html": "to_markdown(), or corefine.report(key, response)",
    }
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    @property
    def request(self) -> Request:
        """Metrics, settings, mention kinds and breakdowns."""
        return self.counts.request

    @property
    def breakdowns(self) -> tuple[BreakdownCounts, ...]:
        """The statistics of each requested breakdown."""
        return self.counts.breakdowns

    @property
    def key(self) -> Fingerprint:
        """The fingerprint of the key."""
        return self.counts.provenance.key

    @property
    def copies(self) -> Copies | None:
        """Statistics of the alignment of text that a language model wrote."""
        return self.counts.provenance.copies

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics by the names they were asked for."""
        return self.request.metrics

    @property
    def settings(self) -> Settings:
        """The settings under which the response was scored."""
        return self.request.settings

    @property
    def strata(self) -> tuple[int, ...]:
        """Documents per data set, if scores are averaged over data sets; else empty."""
        return ()

    @property
    def signature(self) -> Signature:
        """The settings, key and version that the scores depend on."""
        return self._signature()

    def signature_of(self, metric: str) -> Signature:
        """The signature of one score: metric, settings that affect it, and key."""
        found = self._metric(metric)
        return self._signature(str(found), found)

    def _signature(
        self, name: str | None = None, metric: Metric | None = None, **part: str
    ) -> Signature:
        request, counts = self.request, self.counts
        settings, key, conditions, remarks = self._conventions
        parts = dict(settings)
        if parts["twinless"] == "cai-strube" and metric is not None:
            split = any(
                each.splits_twinless and each.layer == "identity" for each in metric.needs()
            )
            parts["twinless"] = "cai-strube" if split else "none"  # without effect on others
        depends_on_kinds = request.depends_on_kinds and (
            metric is None or any(each.needs_kinds for each in metric.needs())
        )
        if depends_on_kinds or "kind" in part or "type" in part:
            code = counts.provenance.kind_code
            parts["kinds"] = "+".join(self.kind_sources) or "none"
            parts["kinds"] += f".{code >> 40:06x}" if code else ""
        if request.scorer is not None and (metric is None or request.follows_scorer(metric)):
            parts["as"] = request.scorer.name
            parts.pop("duplicates")  # the scorer has its own rule
            others = [name for name, one in request.canonical.items() if metric is None
                      and not request.follows_scorer(one)]  # fmt: skip
            parts["as"] += f"(not {','.join(others)})" if others else ""
        parts.update(conditions, **part)
        return Signature(name, parts, key, self.version, request.preset, remarks=remarks)

    @cached_property
    def _conventions(self) -> tuple[dict[str, str], str, dict[str, str], dict[str, str]]:
        """The settings, the key, conditions and remarks as signatures write them."""
        copies, conditions, remarks = self.copies, {}, {}
        if copies is not None:
            conditions["align"] = copies.rule
            if copies.listed:
                conditions["unfound"] = self.settings.unfound
                remarks["in-order"] = f"{copies.in_order}/{copies.listed}"
            if copies.chunks:
                conditions["chunks"] = copies.chunks
            remarks["copied"] = f"{copies.total.copied}/{copies.total.words}"
        parts = self.settings.signature_parts()
        return parts, str(self.counts.provenance.key), conditions, remarks

    @cached_property
    def by_name(self) -> dict[str, Score]:
        """The scores by canonical name."""
        return self._scored(self.counts.values, self.request.canonical)

    @cached_property
    def placement_range(self) -> tuple[str, float, float] | None:
        """The headline metric, and its least and greatest F1 over places of repeated strings.

        None if no string of the response occurs several times.
        """
        if not self.counts.placements:
            return None
        metric = headline(self.request)
        f1 = np.append(metric.score_from(self.counts.placements)[2], self.by_name[str(metric)].f1)
        return str(metric), float(f1.min()), float(f1.max())

    def applies(self, name: str) -> bool:
        """False if a metric, by canonical name, counts nothing in any document."""
        parts = self.request.canonical[name].needs()
        return any(
            values.any() for part in parts for values in self.counts.values[str(part)].values()
        )

    @cached_property
    def breakdown(self) -> dict[str, dict[str, dict[str, Score]]]:
        """The scores of parts: ``kind``, ``size(2,10)``, … → group → canonical name → score.

        A metric is left out where it cannot be divided so, and where a group has nothing that it
        counts.
        """
        return {
            breakdown.by: {
                group: self._scored(
                    breakdown.parts[group],
                    breakdown.asked(group),
                    **breakdown.division.signature_parts(group),
                )
                for group in breakdown.parts
            }
            for breakdown in self.breakdowns
        }

    def broken_down(
        self, by: str | Sequence[str], genres: str | Mapping[str, str] | None = None
    ) -> Scores:
        """The scores with breakdowns by groups of documents, which work for saved results too.

        >>> from corefine import score
        >>> key = {"bc/1": [["a", "b"]], "nw/1": [["c", "d"]]}
        >>> scores = score(key, {"bc/1": [["a", "b"]], "nw/1": []}, "muc")
        >>> scores.broken_down("genre").breakdown["genre"]["nw"]["muc"].f1
        0.0
        """
        from corefine.scoring.breakdowns import BreakdownCounts, breakdowns_from

        counts, metrics = self.counts, dict(self.request.canonical)
        found = list(counts.breakdowns)
        for division in breakdowns_from(by, genres):
            if division.name != "genre":
                raise UsageError(
                    f"scores by {division.name} cannot be computed from a saved result",
                    remedy=f"Score again with --by {division.name} --save.",
                )
            division.check(self.settings)
            groups = division.genres.of_documents(counts.documents)
            found.append(
                BreakdownCounts.of_documents(
                    division, metrics, counts.documents, groups, counts.values
                )
            )
        request = replace(self.request, by=tuple(one.division for one in found))
        return replace(self, counts=replace(counts, request=request, breakdowns=tuple(found)))

    def intervals(
        self, *, replicates: int = 10_000, confidence: float = 0.95, seed: int = 0
    ) -> dict[str, tuple[float, float]]:
        """Confidence intervals of F1 by metric, from a bootstrap over documents.

        Empty with fewer than two documents.
        """
        from corefine.scoring.resampling import Panel, f1_intervals

        if len(self.counts.documents) < 2:
            return {}
        panel = Panel.of({"": self})
        return f1_intervals(panel, replicates=replicates, confidence=confidence, seed=seed)

    def part_intervals(
        self, *, replicates: int = 10_000, confidence: float = 0.95, seed: int = 0
    ) -> PartIntervals:
        """Intervals of F1 for the parts, as :attr:`breakdown` names them: (low, high).

        Percentiles of ``replicates`` bootstrap replicates over documents. Parts with fewer than two
        documents are left out.
        """
        from corefine.scoring.resampling import part_intervals

        return part_intervals(self, replicates=replicates, confidence=confidence, seed=seed)

    def _scored(
        self, values: Mapping[str, Statistics], metrics: Mapping[str, Metric], **part: str
    ) -> dict[str, Score]:
        totals = summed(values)
        triples = [metric.score_from(totals) for metric in metrics.values()]
        return {
            name: self._score(triple, self._cuts(metric), self._signature(name, metric, **part))
            for (name, metric), triple in zip(metrics.items(), triples, strict=True)
        }

    def _score(self, triple: Iterable[Any], cut: bool, signature: Signature | None = None) -> Score:
        """The score of precision, recall and F1 as they are shown."""
        values = [None if value is None else float(value) for value in triple]
        if cut:
            values = [
                None if value is None else math.floor(value * 10000) / 10000 for value in values
            ]
        precision, recall, f1 = values
        assert f1 is not None
        return Score(f1, precision, recall, signature)

    @property
    def cuts(self) -> bool:
        """True if percentages are truncated to two decimals, as the Perl scorer prints them."""
        return self.request.scorer is not None and self.request.scorer.truncates

    def _cuts(self, metric: Metric) -> bool:
        return self.cuts and self.request.follows_scorer(metric)

    @cached_property
    def documents(self) -> dict[str, dict[str, Score]]:
        """The scores of every document on its own: document id → canonical name → score."""
        names = self.counts.documents
        result: dict[str, dict[str, Score]] = {name: {} for name in names}
        for metric, columns in self._by_document.items():
            cut = self._cuts(self.request.canonical[metric])
            for name, *triple in zip(names, *columns, strict=True):
                result[name][metric] = self._score(triple, cut)
        return result

    @property
    def _by_document(self) -> dict[str, list[list[Any]]]:
        """Precision, recall and F1 of each document, by canonical name."""
        count = len(self.counts.documents)
        return {
            name: [
                [None] * count if value is None else np.broadcast_to(value, count).tolist()
                for value in metric.score_from(self.counts.values)
            ]
            for name, metric in self.request.canonical.items()
        }

    @cached_property
    def group_average(self) -> dict[str, Score]:
        """The mean over groups of documents of P, R and F1, by canonical name.

        Every group counts alike, large or small. Empty unless the scope makes several groups.
        """
        scope = self.settings.scope
        if scope == "document" or len(self.counts.documents) < 2:
            return {}
        found = {}
        for name, columns in self._by_document.items():
            precision, recall, f1 = (
                None if None in column else float(np.mean(column)) for column in columns
            )
            assert f1 is not None
            signature = replace(self.signature_of(name), average=f"{scope}s")
            found[name] = Score(f1, precision, recall, signature)
        return found

    def __getitem__(self, name: str) -> Score:
        return self.by_name[str(self._metric(name))]

    def __getattr__(self, name: str) -> Score:
        """A metric's score as an attribute: ``scores.lea``."""
        if name.startswith("_") or "counts" not in self.__dict__:
            raise AttributeError(name)  # while it is being unpickled
        if name in self.by_name:
            return self.by_name[name]
        if name in self.elsewhere:
            raise missing_attribute(self, name, self.elsewhere)
        hint = closest(name, self) or f"; metrics: {', '.join(self)}"
        raise AttributeError(f"Scores has no attribute {name!r}{hint}")

    def figures(self) -> dict[str, Figure]:
        """Charts by name: precision, recall and F1 by metric, and F1 of the documents."""
        from corefine.scoring.tables import scores_figures

        return scores_figures(self)

    def _metric(self, name: str) -> Metric:
        """The metric of this name, as it was asked for or in any form that means the same."""
        if name in self.metrics:
            return self.metrics[name]
        known = self.request.canonical
        try:
            return known[name if name in known else str(parse(name))]
        except UsageError as error:
            raise KeyError(str(error)) from None
        except KeyError:
            raise KeyError(f"{name} was not requested; available: {', '.join(known)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return self.by_name == other.by_name

    def to_dict(self, *, documents: bool = False, intervals: bool = False) -> dict[str, Any]:
        """The form in which scores are written as JSON.

        With ``documents`` also each one's, with ``intervals`` those of F1 (or of its parts).
        """

        def plain(scores: Mapping[str, Score]) -> dict[str, Any]:
            return {name: score.to_dict() for name, score in scores.items()}

        result: dict[str, Any] = {
            "signature": str(self.signature),
            "signatures": {name: str(score.signature) for name, score in self.by_name.items()},
            "scores": plain(self.by_name),
        }
        if intervals and not self.breakdowns:
            for name, bounds in self.intervals().items():
                result["scores"][name]["interval"] = list(bounds)
        if self.cuts:
            result["cut"] = "percentages are truncated to two decimals, not rounded"
        if self.group_average:
            result[f"{self.settings.scope}_average"] = plain(self.group_average)
        if documents:
            result["documents"] = {name: plain(one) for name, one in self.documents.items()}
        if self.breakdowns:
            result["by"] = {
                by: {group: plain(scores) for group, scores in groups.items()}
                for by, groups in self.breakdown.items()
            }
            for by, groups in self.part_intervals().items() if intervals else ():
                for group, ends in groups.items():
                    for name, interval in ends.items():
                        result["by"][by][group][name]["interval"] = list(interval)
        if self.copies is not None:
            result["alignment"] = self.copies.to_dict()
        return {**result, "warnings": list(self.warnings)}

    def save(
        self,
        path: str | PathLike[str],
        *,
        name: str | None = None,
        date: str | datetime | None = None,
    ) -> None:
        """Store the statistics by document with the signature, as :func:`corefine.load_scores`
        reads them; ``.gz`` at the end of the name compresses.

        ``name`` is that of the system and ``date`` when it was run [default: now].
        """
        from corefine.scoring.stored import store

        store(self, path, name=name, date=date)

    def table_functions(self) -> Tables:
        """The tables by name, with the tables of requested breakdowns."""
        from corefine.scoring import tables

        found: dict[str, Callable[..., Grid]] = {"scores": tables.scores_grid}
        for one in self.counts.breakdowns:
            found[f"by-{one.division.name}"] = tables.breakdown_table(one.by)
        if self.group_average:
            found[f"{self.settings.scope}s"] = tables.groups_grid
        found |= {"documents": tables.documents_grid, "long": tables.long_grid}
        found["paper"] = tables.scores_paper
        if self.copies is not None:
            from corefine.corpus.copies import loss_tables

            found |= loss_tables({"response": self.copies})
        return found

    @property
    def default_tables(self) -> tuple[str, ...]:
        return tuple(name for name in self.table_functions() if name not in _DETAILED)

    @property
    def csv_table(self) -> str:
        return "long" if self.breakdowns else "scores"
