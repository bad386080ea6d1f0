"""Stand-in for ``CorefEvaluator`` of e2e-coref, coref (SpanBERT), coref-hoi and their descendants.

>>> evaluator = CorefEvaluator()
>>> evaluator.update([((0, 0), (2, 2))], [((0, 0), (2, 2), (4, 4))], {}, {})
>>> [round(value, 4) for value in evaluator.get_prf()]
[0.9333, 0.5815, 0.694]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from corefine.compat import Clusters, count_clusters
from corefine.scoring.scorers.profiles import PROFILES

PROFILE = PROFILES["e2e"]
METRICS = ("muc", "b3", "ceafe")


class CorefEvaluator:
    """The averages of MUC, B³ and CEAFe over all documents so far."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], float] = defaultdict(float)

    def update(
        self,
        predicted: Clusters,
        gold: Clusters,
        mention_to_predicted: Mapping[Any, Any] | None = None,
        mention_to_gold: Mapping[Any, Any] | None = None,
    ) -> None:
        """Add a document. The mappings of mentions to clusters are derived from the clusters."""
        counts = count_clusters(gold, predicted, PROFILE)
        for metric in METRICS:
            for name, value in counts[metric].items():
                self._sums[metric, name] += value

    def get_precision(self) -> float:
        return sum(self._ratio(metric, "precision") for metric in METRICS) / len(METRICS)

    def get_recall(self) -> float:
        return sum(self._ratio(metric, "recall") for metric in METRICS) / len(METRICS)

    def get_f1(self) -> float:
        """The CoNLL score: the average of three F1, not the F1 of the averages."""
        total = 0.0
        for metric in METRICS:
            precision, recall = self._ratio(metric, "precision"), self._ratio(metric, "recall")
            if precision + recall:
                total += 2 * precision * recall / (precision + recall)
        return total / len(METRICS)

    def get_prf(self) -> tuple[float, float, float]:
        return self.get_precision(), self.get_recall(), self.get_f1()

    def _ratio(self, metric: str, side: str) -> float:
        part, whole = self._sums[metric, f"{side}_part"], self._sums[metric, f"{side}_whole"]
        return part / whole if whole else 0.0
