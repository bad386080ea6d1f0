"""Stand-in for ``ConllCorefScores`` of AllenNLP; it needs neither AllenNLP nor PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corefine.compat.e2e import CorefEvaluator
from corefine.errors import UsageError

Span = tuple[int, int]
Clusters = list[tuple[Span, ...]]


class ConllCorefScores:
    """The averages of MUC, B³ and CEAFe over all batches since the last reset."""

    def __init__(self, allow_singletons: bool = False) -> None:
        self.allow_singletons = allow_singletons
        self.reset()

    def __call__(
        self,
        top_spans: Any,
        antecedent_indices: Any,
        predicted_antecedents: Any,
        metadata_list: Sequence[Mapping[str, Any]],
    ) -> None:
        """Add a batch: tensors, arrays or lists as the model of AllenNLP gives them."""
        for spans, antecedents, predicted, metadata in zip(
            top_spans, antecedent_indices, predicted_antecedents, metadata_list, strict=True
        ):
            gold = [[tuple(map(int, span)) for span in cluster] for cluster in metadata["clusters"]]
            found, _ = self.get_predicted_clusters(
                spans, antecedents, predicted, self.allow_singletons
            )
            self._evaluator.update(found, gold)

    def get_metric(self, reset: bool = False) -> tuple[float, float, float]:
        """Precision, recall and F1, each an average over the three metrics."""
        result = self._evaluator.get_prf()
        if reset:
            self.reset()
        return result

    def reset(self) -> None:
        """Forget all documents."""
        self._evaluator = CorefEvaluator()

    @staticmethod
    def get_predicted_clusters(
        top_spans: Any,
        antecedent_indices: Any,
        predicted_antecedents: Any,
        allow_singletons: bool = False,
    ) -> tuple[Clusters, dict[Span, tuple[Span, ...]]]:
        """The clusters of a document from the antecedent that is predicted for each span."""
        spans = [(int(start), int(end)) for start, end in top_spans]
        numbers: dict[Span, int] = {}
        clusters: list[list[Span]] = []
        for place, predicted in enumerate(map(int, predicted_antecedents)):
            if predicted < 0:
                continue
            antecedent = int(antecedent_indices[place][predicted])
            if antecedent > place or (antecedent == place and not allow_singletons):
                raise UsageError(
                    f"the antecedent of span {place} is span {antecedent}, which does not precede "
                    "it"
                )
            if spans[antecedent] not in numbers:
                numbers[spans[antecedent]] = len(clusters)
                clusters.append([spans[antecedent]])
            number = numbers[spans[place]] = numbers[spans[antecedent]]
            clusters[number].append(spans[place])
        final = [tuple(cluster) for cluster in clusters]
        return final, {span: final[number] for span, number in numbers.items()}
