"""Inspect (inspect-ai): samples from a key, and a scorer with the metrics of the corpus."""

from __future__ import annotations

from typing import Any

from corefine.errors import MissingExtraError
from corefine.integrations.task import CoreferenceTask, corpus_numbers, flat_sums
from corefine.scoring.sides import SideLike

try:
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import SampleScore, Score, Scorer, Target, metric, scorer
    from inspect_ai.solver import TaskState, generate
except ImportError:
    raise MissingExtraError("a scorer for Inspect", "inspect-ai", "inspect") from None

RECORD = "corefine"
"""Key of a sample's record in the metadata of its score."""


@metric(scores="unreduced")
def corpus_level() -> Any:
    """Scores of all samples together: ``conll_f1``, ``muc_precision``, …, and ``coverage``.

    Samples of several epochs are summed as they are: no reducer averages them before.
    """

    def reduce(scores: list[SampleScore]) -> dict[str, float]:
        return corpus_numbers((one.score.metadata or {})[RECORD] for one in scores)

    return reduce


@scorer(metrics=[corpus_level()])
def coreference(key: SideLike, metrics: str = "default", **options: Any) -> Scorer:
    """A scorer of answers to the prompts of a key; samples are named after its documents.

    The value of a sample's score is its sums, and its metadata have the whole record, so that
    :func:`corefine.integrations.task.corpus_scores` makes scores of a log. The options are those
    of :class:`~corefine.integrations.task.CoreferenceTask`.
    """
    task = CoreferenceTask(key, metrics, **options)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion if state.output.choices else None
        record = task.count(str(state.sample_id), answer)
        return Score(value=flat_sums(record), answer=answer, metadata={RECORD: record})

    return score


def coreference_task(key: SideLike, metrics: str = "default", **options: Any) -> Task:
    """A task of Inspect: one sample a document, answered once, scored over the corpus.

    A sample that fails is scored as missed.
    """
    task = CoreferenceTask(key, metrics, **options)
    samples = [Sample(id=name, input=prompt) for name, prompt in task.prompts.items()]
    return Task(
        dataset=MemoryDataset(samples, name="coreference"),
        solver=generate(),
        scorer=coreference(key, metrics, **options),
        score_on_error=True,
    )
