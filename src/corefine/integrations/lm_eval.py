"""lm-evaluation-harness: the configuration of a task with the metrics of the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from corefine.errors import MissingExtraError, UsageError
from corefine.integrations.task import CoreferenceTask, corpus_numbers
from corefine.scoring.sides import SideLike

try:
    import datasets
    import lm_eval  # noqa: F401 - to say early that it is missing
except ImportError:
    raise MissingExtraError("a task for lm-evaluation-harness", "lm-eval", "lm-eval") from None


def coreference_task(
    name: str,
    key: SideLike,
    metrics: str = "default",
    *,
    report: Iterable[str] = ("conll_f1", "coverage"),
    max_gen_toks: int = 4096,
    **options: Any,
) -> dict[str, Any]:
    """A task for ``lm_eval.simple_evaluate(tasks=[…])``.

    ``report`` names the numbers to be shown: ``conll_f1``, ``muc_precision``, …, and ``coverage``,
    the share of words that were copied. The options are those of
    :class:`~corefine.integrations.task.CoreferenceTask`. In the log, the value of a sample is its
    record, of which :func:`corefine.integrations.task.corpus_scores` makes scores again.
    """
    wanted = tuple(report)
    task = CoreferenceTask(key, metrics, **options)
    _check(task, wanted)
    rows = [{"doc_id": name, "prompt": prompt} for name, prompt in task.prompts.items()]

    def count(doc: Mapping[str, Any], results: list[str]) -> dict[str, Any]:
        record = task.count(doc["doc_id"], results[0] if results else None)
        return dict.fromkeys(wanted, record)

    return {
        "task": name,
        "custom_dataset": lambda **_: {"test": datasets.Dataset.from_list(rows)},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{prompt}}",
        "doc_to_target": "",
        "process_results": count,
        "metric_list": [
            {"metric": each, "aggregation": aggregation(each), "higher_is_better": True}
            for each in wanted
        ],
        # The harness stops at an empty line by default, which texts have.
        "generation_kwargs": {"until": [], "max_gen_toks": max_gen_toks, "do_sample": False},
        "num_fewshot": 0,
    }


def aggregation(name: str) -> Callable[[list[Mapping[str, Any]]], float]:
    """The function that makes this number of the records of all samples."""

    def aggregate(records: list[Mapping[str, Any]]) -> float:
        return corpus_numbers(records)[name]

    return aggregate


def _check(task: CoreferenceTask, names: Iterable[str]) -> None:
    """Refuse numbers that there will not be, before a model is asked anything."""
    known = list(corpus_numbers([task.count(task.key.documents[0], None)]))
    for name in names:
        if name not in known:
            raise UsageError(f"there is no {name!r}", remedy=f"There are: {', '.join(known)}.")
