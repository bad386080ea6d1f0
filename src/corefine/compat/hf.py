"""Stand-in for the metric ``coval`` of Hugging Face evaluate: ``hf.load("coval")``.

Evaluate copies this file and imports the copy; nothing is downloaded.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corefine.errors import MissingExtraError

try:
    import datasets
    import evaluate
except ImportError:
    raise MissingExtraError("a metric for Hugging Face evaluate", "evaluate", "hf") from None

from corefine.compat.coval import METRICS, evaluate_documents, get_coref_infos

DESCRIPTION = "MUC, B³, CEAFe, LEA and the CoNLL score of coreference resolution, as in coval."
INPUTS = """
predictions, references: lists of sentences, each a list of lines in CoNLL format. Returns recall,
precision and F1 of each metric from 0 to 1, and conll_score from 0 to 100.
"""


def load(path: str, *arguments: Any, **options: Any) -> Any:
    """A metric by name: ``coval`` from this file, others from ``evaluate.load``."""
    return evaluate.load(__file__ if path == "coval" else path, *arguments, **options)


class Coval(evaluate.Metric):
    """Scores of one document, given as lines of CoNLL."""

    def _info(self) -> Any:
        lines = datasets.Sequence(datasets.Value("string"))
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation="",
            inputs_description=INPUTS,
            features=datasets.Features({"predictions": lines, "references": lines}),
        )

    def _compute(
        self,
        predictions: Iterable[Iterable[str]],
        references: Iterable[Iterable[str]],
        keep_singletons: bool = True,
        NP_only: bool = False,
        min_span: bool = False,
        remove_nested: bool = False,
    ) -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            paths = [
                _written(Path(folder, name), sentences)
                for name, sentences in (("references", references), ("predictions", predictions))
            ]
            infos = get_coref_infos(
                paths[0], paths[1], NP_only, remove_nested, keep_singletons, min_span
            )
        results: dict[str, float] = {}
        for name, metric in METRICS.items():
            scores = evaluate_documents(infos, metric)
            for side, value in zip(("recall", "precision", "f1"), scores, strict=True):
                results[f"{name}/{side}"] = value
        parts = [results[f"{name}/f1"] for name in ("muc", "bcub", "ceafe")]
        return {**results, "conll_score": sum(parts) / 3 * 100}


def _written(path: Path, sentences: Iterable[Iterable[str]]) -> str:
    """Write the sentences as one document of a CoNLL file."""
    text = "\n".join("".join(f"{line}\n" for line in sentence) for sentence in sentences)
    path.write_text(f"#begin document (x); part 000\n{text}\n#end document\n", encoding="utf-8")
    return str(path)
