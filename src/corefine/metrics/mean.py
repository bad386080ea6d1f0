"""Averages of any metrics, by their names: ``mean(muc,b3,ceafm,ceafe,blanc)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corefine.errors import UsageError
from corefine.metrics.averages import Average
from corefine.metrics.base import Metric, Properties
from corefine.metrics.bcubed import BCubed
from corefine.metrics.blanc import Blanc
from corefine.metrics.ceaf import CeafE, CeafM
from corefine.metrics.muc import Muc
from corefine.metrics.registry import register


@register
@dataclass(frozen=True)
class Mean(Average):
    r"""The mean F1 of metrics of your choice.

    .. math:: F = \frac{1}{n} \sum_{i=1}^{n} F_i

    It has neither precision nor recall. Averages may be averaged again: ``mean(conll,lea)``.
    Without a list it is the mean of MUC, B³, CEAFm, CEAFe and BLANC.
    """

    name = "mean"
    title = "Mean"
    summary = "Mean F1 of any metrics: mean(muc,b3,ceafm,ceafe,blanc)."
    use = (
        "Use it to compare with work that averages other metrics than the CoNLL score does. "
        "List them in parentheses. It has no precision and recall, and hides which metric "
        "changed."
    )
    example = "corefine score key.conll response.conll --metrics 'mean(muc,b3,ceafm,ceafe,blanc)'"
    citation = "Denis & Baldridge 2009, Procesamiento del Lenguaje Natural 42 (the idea)"
    properties = Properties(symmetric=False)
    takes_metrics = True

    parts: tuple[Metric, ...] = (Muc(), BCubed(), CeafM(), CeafE(), Blanc())  # type: ignore[misc]

    def __post_init__(self) -> None:
        if not self.parts:
            raise UsageError("mean() has no metrics", remedy="List them: mean(muc,lea).")
        names = list(map(str, self.parts))
        if len(set(names)) < len(names):
            raise UsageError(f"{self} contains a metric twice", remedy="List each metric once.")

    @classmethod
    def from_metrics(cls, metrics: Sequence[Metric]) -> Metric:
        return cls(tuple(metrics))

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, str]) -> Metric:
        return cls()

    @property
    def symmetric(self) -> bool:
        return all(part.symmetric for part in self.parts)

    def needs(self) -> tuple[Metric, ...]:
        return tuple(dict.fromkeys(need for part in self.parts for need in part.needs()))

    def __str__(self) -> str:
        return f"mean({','.join(map(str, self.parts))})"
