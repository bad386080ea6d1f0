"""WinoBias: F1 on pro- and anti-stereotypical sentences (Zhao et al. 2018).

The documents are of type 1 or 2, and pro- or anti-stereotypical, according to their ids or file
names (``type1``, ``not_stereotype`` or ``anti``). Each condition is scored separately. The bias is
the F1 of pro minus that of anti; sentences that differ only in their pronoun, according to their
ids, are resampled and permuted as pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.comparing.plan import Plan
from corefine.comparing.randomization import randomization_test
from corefine.corpus.arrays import FloatArray
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.output.grid import Column, Grid
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables, plain_values
from corefine.scoring.count import Counts, count
from corefine.scoring.request import Request
from corefine.scoring.resampling import Panel, drawn_counts
from corefine.scoring.sides import read_side

_TYPE = re.compile(r"type[-_ ]?([12])", re.IGNORECASE)
_ANTI = re.compile(r"anti|not[-_]stereo", re.IGNORECASE)
_PRO = re.compile(r"pro(?![a-z])|stereo", re.IGNORECASE)
_CONDITION = re.compile(r"anti|pro(?![a-z])|not[-_]|stereotyped?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WinoBiasType:
    """One type of sentences under one metric: F1 on pro and anti, their mean and difference."""

    type: str
    metric: str
    pro: float
    anti: float
    mean: float
    difference: float
    low: float
    high: float
    """The interval of the difference."""
    p: float | None
    """The p-value of the difference, by swapping pairs; None if sentences are not paired."""


@dataclass(frozen=True, slots=True, repr=False)
class WinoBiasResult(Result):
    """F1 on WinoBias by type and condition, and the difference."""

    types: tuple[WinoBiasType, ...]
    plan: Plan
    signature: str
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        types = [plain_values(one) for one in self.types]
        values = plain_values(self) | {"plan": self.plan.signature(False)}
        return {"challenge": "winobias", **values, "types": types}

    def table_functions(self) -> Tables:
        return {"scores": scores_grid}


def judge_winobias(
    key: Any,
    response: Any,
    plan: Plan,
    *,
    metrics: MetricSpec = "conll,muc",
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> WinoBiasResult:
    """Score a response to WinoBias; see :func:`corefine.challenge`."""
    request = Request.of(metrics, kinds="none", **settings)
    if request.settings.scope != "document" or request.settings.window is not None:
        raise UsageError("WinoBias is scored per document; scope and window do not apply")
    read = read_side(key, "key", key_format, frozenset(), progress)
    other = read_side(response, "response", response_format, frozenset(), progress)
    conditions = [_condition(read, number) for number in range(len(read.documents))]
    scores = count(read, other, request).scores()
    asked = {str(metric): metric for metric in request.metrics.values()}
    types: list[WinoBiasType] = []
    for number in "12":
        pro, anti = (
            scores.counts.select(
                [row for row, one in enumerate(conditions) if one == (number, name)]
            )
            for name in ("pro", "anti")
        )
        if bool(pro.documents) != bool(anti.documents):
            raise UsageError(
                f"type {number} has documents of one condition only",
                remedy="Give pro- and anti-stereotypical documents together.",
            )
        if pro.documents:
            types += _judged(f"type {number}", pro, anti, asked, plan, progress)
    return WinoBiasResult(tuple(types), plan, str(scores.signature), scores.warnings)


def _condition(corpus: Corpus, number: int) -> tuple[str, str]:
    """The type of a document, and ``pro`` or ``anti``."""
    source = corpus.sources[number] if corpus.sources else ""
    for name in (corpus.documents[number], re.split(r"[/\\]", source)[-1]):
        kind = _TYPE.search(name)
        if kind is not None and (_ANTI.search(name) or _PRO.search(name)):
            return kind.group(1), "anti" if _ANTI.search(name) else "pro"
    raise UsageError(
        f"neither the id of document {corpus.documents[number]!r} nor its file name gives the "
        "type (1 or 2) and the condition (pro- or anti-stereotypical)",
        remedy="Keep WinoBias's document ids (nw/dev_type1/not_stereotype//0) or file names.",
    )


def _judged(
    type_: str,
    pro: Counts,
    anti: Counts,
    metrics: Mapping[str, Metric],
    plan: Plan,
    progress: Progress,
) -> Iterator[WinoBiasType]:
    """The scores of one type by each metric."""
    names = [[_CONDITION.sub("", name) for name in side.documents] for side in (pro, anti)]
    paired = sorted(names[0]) == sorted(names[1]) and len(set(names[0])) == len(names[0])
    p_values: list[float | None] = [None] * len(metrics)
    if paired:
        anti = anti.select([names[1].index(name) for name in names[0]])
        panel = Panel.of_values(pro.documents, {"pro": pro.values, "anti": anti.values}, metrics)
        tested = randomization_test(panel, trials=plan.trials, seed=plan.seed, progress=progress)
        p_values = tested.p_values[0].tolist()
    # The same draws for both conditions keep the pairs together.
    differences = _replicates(pro, metrics, plan, plan.seed)
    differences -= _replicates(anti, metrics, plan, plan.seed if paired else plan.seed + 1)
    for (name, metric), p, sample in zip(metrics.items(), p_values, differences, strict=True):
        first, second = (float(metric.score_from(side.totals()).f1) for side in (pro, anti))
        low, high = np.quantile(sample, [plan.alpha / 2, 1 - plan.alpha / 2]).tolist()
        difference = first - second
        yield WinoBiasType(
            type_, name, first, second, (first + second) / 2, difference, low, high, p
        )


def _replicates(side: Counts, metrics: Mapping[str, Metric], plan: Plan, seed: int) -> FloatArray:
    """F1 of every metric in every replicate: metrics × replicates."""
    blocks = []
    for counts in drawn_counts(len(side.documents), plan.resamples, 500, seed):
        totals = {
            metric: {name: counts @ column for name, column in columns.items()}
            for metric, columns in side.values.items()
        }
        blocks.append(np.stack([metric.score_from(totals).f1 for metric in metrics.values()]))
    return np.concatenate(blocks, axis=1)


def scores_grid(result: WinoBiasResult) -> Grid:
    """One row per type and metric."""
    return Grid.of(
        result.types,
        {
            Column("type"): "type",
            Column("metric"): "metric",
            Column("pro", "percent"): "pro",
            Column("anti", "percent"): "anti",
            Column("mean", "percent"): "mean",
            Column("difference", "difference"): "difference",
            Column("low", "difference"): "low",
            Column("high", "difference"): "high",
            Column("p", "p"): "p",
        },
        f"WinoBias: F1, with {100 * result.plan.confidence:g}% confidence intervals of pro − anti",
        (result.signature,),
    )
