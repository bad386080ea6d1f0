"""LightEval: a task with the prompts of a key, and a metric at the level of the corpus.

The prompts come from a folder of JSON lines, as ``corefine convert KEY FOLDER/test.jsonl --blind
--to markdown`` writes them.
"""

from __future__ import annotations

import os
from typing import Any

from corefine.errors import MissingExtraError
from corefine.integrations.task import CoreferenceTask, corpus_numbers
from corefine.scoring.sides import SideLike

try:
    from lighteval.metrics.metrics_corpus import CorpusLevelComputation
    from lighteval.metrics.metrics_sample import SampleLevelComputation
    from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.lighteval_task import LightevalTaskConfig
    from lighteval.tasks.requests import Doc, SamplingMethod
except ImportError:
    raise MissingExtraError("a task for LightEval", "lighteval", "lighteval") from None


class Sums(SampleLevelComputation):
    """The counts of one answer."""

    def __init__(self, task: CoreferenceTask) -> None:
        self._task = task

    def compute(self, doc: Doc, model_response: ModelResponse, **_: Any) -> dict[str, Any]:
        answers = model_response.final_text
        return self._task.count(doc.specific["doc_id"], answers[0] if answers else None)


class CorpusLevel(CorpusLevelComputation):
    """Scores of all samples together: ``conll_f1``, ``muc_precision``, …, and ``coverage``."""

    def compute_corpus(self, items: list[dict[str, Any]]) -> dict[str, float]:
        return corpus_numbers(items)


def coreference_metric(task: CoreferenceTask) -> CorpusLevelMetric:
    """The metric of a task: sums for each sample, scores of the corpus."""
    return CorpusLevelMetric(
        metric_name="coreference",
        higher_is_better=True,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=Sums(task),
        corpus_level_fn=CorpusLevel(),
    )


def coreference_task(
    name: str,
    key: SideLike,
    prompts: str | os.PathLike[str],
    metrics: str = "default",
    *,
    generation_size: int | None = None,
    **options: Any,
) -> LightevalTaskConfig:
    """A task for ``TASKS_TABLE``: what a model is asked about each document, and its metric.

    ``prompts`` is a folder with ``test.jsonl``, and ``generation_size`` limits the tokens of an
    answer. The options are those of :class:`~corefine.integrations.task.CoreferenceTask`.
    """
    task = CoreferenceTask(key, metrics, **options)

    def ask(line: dict[str, Any], task_name: str) -> Doc:
        document = str(line["doc_id"])
        return Doc(
            task_name=task_name,
            query=task.prompts[document],
            choices=[""],
            gold_index=0,
            specific={"doc_id": document},
        )

    return LightevalTaskConfig(
        name=name,
        prompt_function=ask,
        hf_repo=os.fspath(prompts),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        generation_size=generation_size,
        metrics=[coreference_metric(task)],
    )
