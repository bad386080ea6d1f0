"""A metric for Hugging Face evaluate, loaded from this file: ``evaluate.load(hf.__file__)``.

Evaluate copies the file and imports the copy, so the file needs only an installed corefine.
Nothing is downloaded.
"""

from __future__ import annotations

import re
from typing import Any

from corefine.errors import MissingExtraError

try:
    import datasets
    import evaluate
except ImportError:
    raise MissingExtraError("a metric for Hugging Face evaluate", "evaluate", "hf") from None

from corefine.integrations import flat_scores
from corefine.scoring.evaluator import Evaluator

_SPAN = re.compile(r"[\[(](\d+), (\d+)[\])]")
DESCRIPTION = "Coreference resolution scores: MUC, B³, CEAF, BLANC, LEA, CoNLL F1 and others."
CITATION = "For the reference of each metric, run: corefine metrics NAME --bibtex"
INPUTS = """
predictions, references: a list of documents. A document is a list of entities, an entity a list of
    mentions, a mention a span [start, end] of integers or a string. Spans are compared as they are.
    Documents are paired in order. All mentions must have the form (span or string) of those in the
    first document.
metrics: names of metrics, as in corefine.score.
Settings (match, singletons, …) are those of corefine.score.

Returns <metric>_precision, <metric>_recall, <metric>_f1 for each metric, and the signature.
"""


def _features(mention: Any) -> Any:
    side = datasets.Sequence(datasets.Sequence(mention))
    return datasets.Features({"predictions": side, "references": side})


class Coreference(evaluate.Metric):
    """Coreference scores of all documents that were added, micro-averaged."""

    def _info(self) -> Any:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=CITATION,
            inputs_description=INPUTS,
            # Evaluate takes the first form that fits the first document. It insists on strings
            # where they are asked for, and not on lists.
            features=[
                _features(datasets.Value("string")),
                _features(datasets.Sequence(datasets.Value("int64"))),
            ],
        )

    def _compute(
        self, predictions: Any, references: Any, metrics: str = "default", **settings: Any
    ) -> dict[str, Any]:
        judge = Evaluator(metrics, **settings)
        for response, key in zip(predictions, references, strict=True):
            judge.update(_hashable(key), _hashable(response))
        scores = judge.compute()
        return {**flat_scores(scores), "signature": str(scores.signature)}


def _hashable(entities: Any) -> list[list[Any]]:
    return [[_mention(mention) for mention in entity] for entity in entities]


def _mention(mention: Any) -> Any:
    """A string, or a span as a pair; Evaluate may hand spans over as text, such as ``[3, 4]``."""
    if not isinstance(mention, str):
        return tuple(mention)
    span = _SPAN.fullmatch(mention)
    return mention if span is None else (int(span[1]), int(span[2]))
