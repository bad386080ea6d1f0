"""Stand-ins for the evaluators of e2e-coref, coref (SpanBERT), coref-hoi and their descendants.

Descendants differ in entities of one mention. B³ and CEAFe of :class:`CorefEvaluator` ignore them;
those of :class:`LongdocCorefEvaluator` (longdoc, fast-coref) and of
:class:`OfficialCoNLL2012CorefEvaluator` (Maverick) count them.

>>> evaluator = CorefEvaluator()
>>> evaluator.update([((0, 0), (2, 2))], [((0, 0), (2, 2), (4, 4))], {}, {})
>>> [round(value, 4) for value in evaluator.get_prf()]
[0.9333, 0.5815, 0.694]
>>> muc, b_cubed, ceafe = evaluator.evaluators
>>> muc.get_prf()
(1.0, 0.5, 0.6666666666666666)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from corefine.compat import SIDES, Clusters, count_clusters, ratios
from corefine.errors import choose
from corefine.scoring.scorers.e2e import PROFILE
from corefine.scoring.scorers.profile import ScorerProfile

METRICS = ("muc", "b3", "ceafe")


@dataclass
class Evaluator:
    """Precision, recall and F1 of sums over all documents so far."""

    p_num: float = 0
    p_den: float = 0
    r_num: float = 0
    r_den: float = 0

    def add(self, r_num: float, r_den: float, p_num: float, p_den: float) -> None:
        """Add the sums of a document."""
        self.r_num += r_num
        self.r_den += r_den
        self.p_num += p_num
        self.p_den += p_den

    def get_precision(self) -> float:
        return self.get_prf()[0]

    def get_recall(self) -> float:
        return self.get_prf()[1]

    def get_f1(self) -> float:
        return self.get_prf()[2]

    def get_prf(self) -> tuple[float, float, float]:
        recall, precision, f1 = ratios(self.r_num, self.r_den, self.p_num, self.p_den)
        return precision, recall, f1

    def get_counts(self) -> tuple[float, float, float, float]:
        return self.p_num, self.p_den, self.r_num, self.r_den

    def get_prf_str(self) -> str:
        """Percentages in one line, as fast-coref logs them."""
        precision, recall, f1 = (100 * value for value in self.get_prf())
        return f"Recall: {recall:.1f}, Precision: {precision:.1f}, F-score: {f1: .1f}\n"


class MentionEvaluator(Evaluator):
    """Precision, recall and F1 of sets of mentions."""

    def update(
        self, predicted_mentions: Iterable[Hashable], gold_mentions: Iterable[Hashable]
    ) -> None:
        """Add a document."""
        predicted, gold = set(predicted_mentions), set(gold_mentions)
        common = len(predicted & gold)
        self.add(common, len(gold), common, len(predicted))

    @property
    def tp(self) -> float:
        return self.p_num

    @property
    def fp(self) -> float:
        return self.p_den - self.p_num

    @property
    def fn(self) -> float:
        return self.r_den - self.r_num


class CorefEvaluator:
    """MUC, B³ and CEAFe over all documents so far, and their averages.

    B³ and CEAFe ignore entities of one mention. Numbers are the averages of the three metrics, or
    those of the metric that is named.
    """

    profile: ScorerProfile = PROFILE

    def __init__(self) -> None:
        self.evaluators = [Evaluator() for _ in METRICS]

    def update(
        self,
        predicted: Clusters,
        gold: Clusters,
        mention_to_predicted: Mapping[Any, Any] | None = None,
        mention_to_gold: Mapping[Any, Any] | None = None,
    ) -> None:
        """Add a document. The mappings of mentions to clusters are derived from the clusters."""
        counts = count_clusters(gold, predicted, self.profile)
        for metric, evaluator in zip(METRICS, self.evaluators, strict=True):
            evaluator.add(*(counts[metric][name] for name in SIDES))

    def get_precision(self, metric: str = "conll2012") -> float:
        return self.get_prf(metric)[0]

    def get_recall(self, metric: str = "conll2012") -> float:
        return self.get_prf(metric)[1]

    def get_f1(self, metric: str = "conll2012") -> float:
        """By default the CoNLL score: the average of three F1, not the F1 of the averages."""
        return self.get_prf(metric)[2]

    def get_prf(self, metric: str = "conll2012") -> tuple[float, float, float]:
        named = dict(zip(("muc", "b_cubed", "ceafe"), self.evaluators, strict=True))
        choose("the metric", metric, (*named, "conll2012"))
        asked = [named[metric]] if metric in named else self.evaluators
        precision, recall, f1 = map(fmean, zip(*(one.get_prf() for one in asked), strict=True))
        return precision, recall, f1


class LongdocCorefEvaluator(CorefEvaluator):
    """The ``CorefEvaluator`` of longdoc and fast-coref: entities of one mention count."""

    profile = replace(PROFILE, ignores_singletons=False)


class OfficialCoNLL2012CorefEvaluator(LongdocCorefEvaluator):
    """The evaluator of Maverick, which is asked for a metric; entities of one mention count."""


OfficialMentionEvaluator = MentionEvaluator
"""The name of the evaluator of mentions in Maverick."""
