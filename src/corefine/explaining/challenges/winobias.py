"""WinoBias: F1 on pro- and anti-stereotypical sentences (Zhao et al. 2018).

The documents are of type 1 or 2, and pro- or anti-stereotypical, according to their ids or file
names (``type1``, ``not_stereotype`` or ``anti``). Each condition is scored separately. The bias is
the F1 of pro minus that of anti; the two sentences that differ only in their pronoun have the same
id but for the condition, and are resampled and permuted as a pair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from corefine.comparing.plan import Plan
from corefine.comparing.randomization import randomization_test
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.explaining.challenges.gap import interval_of
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.output.grid import Column, Grid
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables, plain_values
from corefine.scoring.count import Counts, count
from corefine.scoring.request import Request
from corefine.scoring.resampling import F1, Panel, replicated
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
    p: float
    """The p-value of the difference, by swapping pairs."""


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
    rows: dict[tuple[str, str], list[int]] = {}
    for number in range(len(read.documents)):
        rows.setdefault(_condition(read, number), []).append(number)
    scores = count(read, other, request).scores()
    types: list[WinoBiasType] = []
    for name in sorted({type_ for type_, _ in rows}):
        pro, anti = (scores.counts.select(rows.get((name, one), [])) for one in ("pro", "anti"))
        types += _judged(f"type {name}", pro, anti, request.canonical, plan, progress)
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
    # Sentences that differ only in their pronoun have the same name without the condition.
    names, others = ([_CONDITION.sub("", name) for name in one.documents] for one in (pro, anti))
    if len(set(names)) < len(names) or sorted(names) != sorted(others):
        raise UsageError(
            f"the sentences of {type_} are not pairs of a pro- and an anti-stereotypical one",
            remedy="Give all documents of both conditions, with ids that differ in the condition.",
        )
    paired = anti.select([others.index(name) for name in names])
    panel = Panel.of_values(tuple(names), {"pro": pro.values, "anti": paired.values}, metrics)
    tested = randomization_test(panel, trials=plan.trials, seed=plan.seed)
    resampled = replicated(panel, plan.resamples, plan.seed, progress=progress)[:, F1]
    for number, name in enumerate(metrics):
        one, other = panel.whole[number, F1].tolist()
        interval = interval_of(resampled[number, 0] - resampled[number, 1], plan)
        assert interval is not None
        p = float(tested.p_values[0, number])
        yield WinoBiasType(type_, name, one, other, (one + other) / 2, one - other, *interval, p)


def scores_grid(result: WinoBiasResult) -> Grid:
    """One row per type and metric."""
    return Grid.of(
        result.types,
        {
            Column("type"): "type",
            Column("metric"): "metric",
            **{Column(name, "percent"): name for name in ("pro", "anti", "mean")},
            **{Column(name, "difference"): name for name in ("difference", "low", "high")},
            Column("p", "p"): "p",
        },
        f"WinoBias: F1, with {100 * result.plan.confidence:g}% confidence intervals of pro − anti",
        (result.signature,),
    )
