"""Averages of the F1 of several metrics: the CoNLL score, and MCORES' average."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.metrics.base import Metric, Properties, Statistics, Triple
from corefine.metrics.bcubed import BCubed
from corefine.metrics.blanc import Blanc
from corefine.metrics.ceaf import CeafE
from corefine.metrics.muc import Muc
from corefine.metrics.registry import register
from corefine.metrics.table import Table


class Average(Metric):
    """The mean F1 of the metrics in ``parts``. It has neither precision nor recall."""

    parts: ClassVar[tuple[Metric, ...]]

    def needs(self) -> tuple[Metric, ...]:
        return self.parts

    def statistics(self, table: Table) -> Statistics:
        return {}

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        raise TypeError(f"{self} is computed from the statistics of its parts: use score_from")

    def score_from(self, totals: Mapping[str, Mapping[str, FloatArray]]) -> Triple:
        return self.mean([part.score_from(totals).f1 for part in self.parts])

    def mean(self, f1: Sequence[FloatArray]) -> Triple:
        """The average from the F1 of its parts."""
        return Triple(None, None, np.mean(f1, axis=0))


@register
class Conll(Average):
    """The CoNLL score, or MELA (Denis & Baldridge 2009): the mean F1 of MUC, B³ and CEAFe."""

    name = "conll"
    title = "CoNLL"
    summary = "Mean F1 of MUC, B³ and CEAFe, the ranking score of shared tasks."
    use = (
        "Use it to compare with the shared tasks and with most papers since 2011. It averages "
        "three metrics that fail in different ways. It has no precision and recall, and hides "
        "which of the three changed."
    )
    example = "corefine score key.conll response.conll --metrics conll,muc,b3,ceafe"
    citation = "Denis & Baldridge 2009, Procesamiento del Lenguaje Natural 42; CoNLL-2011/2012"
    aliases = ("mela",)
    parts = (Muc(), BCubed(), CeafE())


@register
class Mcores(Average):
    """MCORES' average: the mean F1 of MUC, B³, CEAFe and BLANC."""

    name = "mcores"
    title = "MCORES"
    summary = "Mean F1 of MUC, B³, CEAFe and BLANC, used for clinical records."
    use = (
        "Use it to compare with work on clinical records. It adds BLANC to the three metrics "
        "of the CoNLL score. It has no precision and recall."
    )
    example = "corefine score key.conll response.conll --metrics mcores"
    citation = "Bodnari, Szolovits & Uzuner 2012, MCORES, JAMIA 19(5)"
    properties = Properties(symmetric=False)
    parts = (Muc(), BCubed(), CeafE(), Blanc())
