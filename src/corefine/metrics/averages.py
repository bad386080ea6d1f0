"""Averages of the F1 of several metrics: CoNLL, MCORES, and ``mean(muc,b3,lea)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.errors import UsageError
from corefine.metrics.base import Metric, Statistics, Triple, default
from corefine.metrics.blanc import Blanc
from corefine.metrics.ceaf import CeafE, CeafM
from corefine.metrics.classic import BCubed, Muc
from corefine.metrics.table import Table

_MUC, _B3, _CEAFM, _CEAFE, _BLANC = map(default, (Muc, BCubed, CeafM, CeafE, Blanc))


@dataclass(frozen=True)
class Average(Metric):
    """The mean F1 of the metrics in ``parts``. It has neither precision nor recall."""

    parts: tuple[Metric, ...] = ()

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        return ()

    def on_layer(self, layer: str) -> Metric:
        return replace(self, layer=layer, parts=tuple(part.on_layer(layer) for part in self.parts))

    def needs(self) -> tuple[Metric, ...]:
        needed = [part.needs() for part in self.parts]
        return tuple(dict.fromkeys(chain.from_iterable(needed)))

    def statistics(self, table: Table) -> Statistics:
        return {}

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        raise TypeError(f"{self} is computed from the statistics of its parts: use score_from")

    def score_from(self, totals: Mapping[str, Mapping[str, FloatArray]]) -> Triple:
        return self.mean([part.score_from(totals).f1 for part in self.parts])

    def mean(self, f1: Sequence[FloatArray]) -> Triple:
        """The average from the F1 of its parts."""
        return Triple(None, None, np.mean(f1, axis=0))


@dataclass(frozen=True)
class Conll(Average):
    """The CoNLL score, or MELA (Denis & Baldridge 2009): the mean F1 of MUC, B³ and CEAFe.

    Use it to compare with the shared tasks and with most papers since 2011. It averages three
    metrics that fail in different ways. It has no precision and recall, and hides which of the
    three changed.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics conll,muc,b3,ceafe
    """

    name = "conll"
    title = "CoNLL"
    summary = "Mean F1 of MUC, B³ and CEAFe, the ranking score of shared tasks."
    citation = "Denis & Baldridge 2009, Procesamiento del Lenguaje Natural 42; CoNLL-2011/2012"
    references = ("denis-baldridge-2009-mela", "pradhan-etal-2011-conll")
    aliases = ("mela",)

    parts: tuple[Metric, ...] = (_MUC, _B3, _CEAFE)


@dataclass(frozen=True)
class Mcores(Average):
    """MCORES' average: the mean F1 of MUC, B³, CEAFe and BLANC.

    Use it to compare with work on clinical records. It adds BLANC to the three metrics of the CoNLL
    score. It has no precision and recall.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics mcores
    """

    name = "mcores"
    title = "MCORES"
    summary = "Mean F1 of MUC, B³, CEAFe and BLANC, used for clinical records."
    citation = "Bodnari, Szolovits & Uzuner 2012, MCORES, JAMIA 19(5)"
    references = ("bodnari-etal-2012-mcores",)
    symmetric = False

    parts: tuple[Metric, ...] = (_MUC, _B3, _CEAFE, _BLANC)


@dataclass(frozen=True)
class Mean(Average):
    r"""The mean F1 of metrics of your choice.

    .. math:: F = \frac{\sum_{i=1}^{n} w_i F_i}{\sum_{i=1}^{n} w_i}

    The weights w are 1 unless they are written before a metric: ``mean(2*muc,b3)``.

    It has neither precision nor recall. Averages may be averaged again: ``mean(conll,lea)``.
    Without a list it is the mean of MUC, B³, CEAFm, CEAFe and BLANC.

    Use it to compare with work that averages other metrics than the CoNLL score does. List them in
    parentheses. It has no precision and recall, and hides which metric changed.

    .. code-block:: console

        $ corefine score key.conll response.conll --metrics 'mean(muc,b3,ceafm,ceafe,blanc)'
    """

    name = "mean"
    title = "Mean"
    summary = "Mean F1 of any metrics: mean(muc,b3,ceafm,ceafe,blanc)."
    citation = "Denis & Baldridge 2009, Procesamiento del Lenguaje Natural 42 (the idea)"
    references = ("denis-baldridge-2009-mela",)
    takes_metrics = True

    parts: tuple[Metric, ...] = (_MUC, _B3, _CEAFM, _CEAFE, _BLANC)
    weights: tuple[float, ...] = ()
    """The weights of the parts; empty if all are equal."""

    def __post_init__(self) -> None:
        if not self.parts:
            raise UsageError("mean() has no metrics", remedy="List them: mean(muc,lea).")
        if len(self.weights) not in (0, len(self.parts)):
            raise UsageError(f"mean has {len(self.parts)} metrics and {len(self.weights)} weights")
        for weight in self.weights:
            if not 0 < weight < float("inf"):
                raise UsageError(
                    f"the weight {weight:g} is not above 0", remedy="Write mean(2*muc,b3)."
                )
        if len(set(self.weights)) == 1:
            self._set(weights=())
        if len(set(map(str, self.parts))) < len(self.parts):
            raise UsageError(f"{self} contains a metric twice", remedy="List each metric once.")
        # The parts have the layer in their names.
        self._set(symmetric=all(part.symmetric for part in self.parts), layer="identity")

    @classmethod
    def from_metrics(cls, metrics: Sequence[Metric], weights: Sequence[float] = ()) -> Metric:
        return cls(tuple(metrics), tuple(weights))

    def mean(self, f1: Sequence[FloatArray]) -> Triple:
        if not self.weights:
            return super().mean(f1)
        return Triple(None, None, np.average(np.asarray(f1), axis=0, weights=self.weights))

    def __str__(self) -> str:
        written = [f"{weight:.17g}*" for weight in self.weights] or [""] * len(self.parts)
        parts = (f"{weight}{part}" for weight, part in zip(written, self.parts, strict=True))
        return f"mean({','.join(parts)})"
