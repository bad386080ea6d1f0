"""Tasks for evaluation harnesses: sums for each sample, scores of the corpus.

Each adapter runs with its real package, offline, on recorded answers.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import corefine
from corefine.errors import FormatError, UsageError
from corefine.formats.tagged.dialects import WRITTEN
from corefine.formats.tagged.writing import ANNOTATED, tagged_text
from corefine.integrations.task import (
    CoreferenceTask,
    corpus_numbers,
    corpus_scores,
    flat_sums,
)
from corefine.scoring.stored import from_record
from tests.building.refusals import refused

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "tagged"
KEY, ANSWERS = EXAMPLE / "key.jsonl", EXAMPLE / "answers.jsonl"
SKIP = "{0} is not installed (extra {0})"
METRICS = "muc,conll,lea"


def recorded() -> dict[str, str | None]:
    lines = map(json.loads, ANSWERS.read_text().splitlines())
    return {line["doc_id"]: line["output"] for line in lines}


def records(metrics: str = METRICS) -> list[dict[str, Any]]:
    task = CoreferenceTask(str(KEY), metrics)
    return [task.count(name, answer) for name, answer in recorded().items()]


def expected() -> dict[str, float]:
    return corpus_numbers(records())


# ── what all adapters share


def test_samples_that_were_counted_one_by_one_have_the_scores_of_the_corpus():
    logged = json.loads(json.dumps(records("default")))
    one_by_one, whole = corpus_scores(logged).to_dict(), corefine.score(KEY, ANSWERS).to_dict()
    # Warnings count per call; everything else is the same to the bit.
    assert {**one_by_one, "warnings": []} == {**whole, "warnings": []}
    everything = corpus_scores(json.loads(json.dumps(records("all"))))
    assert everything.by_name == corefine.score(KEY, ANSWERS, "all").by_name


def test_the_average_over_documents_is_not_the_score_of_the_corpus():
    """MUC: 4 of 4 links, 1 of 2, none of a document without any, 4 of 5, 4 of 8; no wrong one."""
    counted = records("muc")
    average = mean(from_record(record)["muc"].f1 for record in counted)
    assert average == pytest.approx((1 + 2 / 3 + 0 + 8 / 9 + 2 / 3) / 5)
    assert corpus_scores(counted)["muc"].f1 == pytest.approx(2 * (13 / 19) / (1 + 13 / 19))
    assert corpus_numbers(counted)["coverage"] == 76 / 114
    assert flat_sums(counted[0])["muc/recall_part"] == 4


def test_a_failed_sample_counts_as_missed():
    task = CoreferenceTask(str(KEY), "mentions")
    gone = corpus_scores([task.count("market", None), task.count("harbour", "  ")])
    assert gone["mentions"].recall == 0
    assert gone.copies is not None
    assert all(one.failure for one in gone.copies.documents)


def test_prompts_have_an_example_of_their_dialect():
    for dialect, row in WRITTEN.items():
        example = tagged_text(ANNOTATED, row)
        prompt = CoreferenceTask(str(KEY), dialect=dialect).prompts["night"]
        assert example in prompt
        assert "a quiet night" in prompt
        words = ["Anna", "saw", "her", "dog"]
        read = corefine.read_tagged(example, words, dialect).to_dict()[""]
        assert read == [[(0, 1), (2, 3)], [(2, 4)]]
    own = CoreferenceTask(str(KEY), mentions=True, instruction="").prompts["night"]
    assert own == "It was [a quiet night](#) ."


def test_records_that_are_refused():
    with refused("usage"):
        CoreferenceTask(str(KEY), "muc").count("x", "")
    for mixed in ([*records("muc"), *records("b3")[:1]], []):
        with refused("usage"):
            corpus_scores(mixed)
    changed = records("muc")[0]
    changed["numbers"]["values"]["muc"]["recall_part"] = [99]
    for record in (changed, {"muc": 1}):
        with pytest.raises(FormatError):
            corpus_scores([record])


@pytest.mark.parametrize("package", ["inspect_ai", "lm_eval", "lighteval"])
def test_a_missing_package_is_named(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"corefine.integrations.{package}", raising=False)
    with refused("missing-extra"):
        importlib.import_module(f"corefine.integrations.{package}")


# ── the adapters


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_inspect_scores_the_corpus(tmp_path):
    pytest.importorskip("inspect_ai", reason=SKIP.format("inspect"))
    from inspect_ai import eval as run
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from corefine.integrations.inspect_ai import RECORD, coreference_task

    answers = recorded()
    prompts = CoreferenceTask(str(KEY)).prompts

    def answer(messages: Any, *_: Any) -> Any:
        name = next(name for name, prompt in prompts.items() if prompt == messages[-1].text)
        if answers[name] is None:
            raise RuntimeError("the model does not answer")
        output = ModelOutput.from_content("mockllm/model", answers[name] or "")
        output.usage = ModelUsage()
        return output

    (log,) = run(
        coreference_task(str(KEY), METRICS),
        model=get_model("mockllm/model", custom_outputs=answer),
        epochs=2,
        fail_on_error=False,
        display="none",
        log_dir=str(tmp_path),
    )
    assert log.results is not None
    found = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    assert found == pytest.approx(expected())
    assert log.samples is not None
    assert len(log.samples) == 10
    logged = [one.scores["coreference"].metadata[RECORD] for one in log.samples if one.epoch == 1]
    assert corpus_scores(logged) == corefine.score(KEY, ANSWERS, METRICS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lm_evaluation_harness_scores_the_corpus(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    lm_eval = pytest.importorskip("lm_eval", reason=SKIP.format("lm-eval"))
    from lm_eval.api.model import LM

    from corefine.integrations.lm_eval import coreference_task

    answers = recorded()

    class Recorded(LM):  # type: ignore[misc]
        def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str]:
            return [answers[request.doc["doc_id"]] or "" for request in requests]

        def loglikelihood(self, requests: Any) -> Any:
            raise NotImplementedError

        def loglikelihood_rolling(self, requests: Any) -> Any:
            raise NotImplementedError

    task = coreference_task("coref", str(KEY), METRICS, report=expected())
    result = lm_eval.simple_evaluate(model=Recorded(), tasks=[task])
    found = result["results"]["coref"]
    assert {name: found[f"{name},none"] for name in expected()} == pytest.approx(expected())
    logged = [sample["conll_f1"] for sample in result["samples"]["coref"]]
    assert corpus_scores(logged) == corefine.score(KEY, ANSWERS, METRICS)
    with pytest.raises(UsageError):
        coreference_task("coref", str(KEY), METRICS, report=["blanc_f1"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lighteval_scores_the_corpus(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    pytest.importorskip("lighteval", reason=SKIP.format("lighteval"))
    from lighteval.logging.info_loggers import MetricsLogger
    from lighteval.metrics import apply_metric
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.lighteval_task import LightevalTask

    from corefine.integrations.lighteval import coreference_task

    prompts = tmp_path / "prompts"
    prompts.mkdir()
    corefine.write(corefine.read(KEY), prompts / "test.jsonl", "markdown", blind=True)
    task = LightevalTask(coreference_task("coref", str(KEY), prompts, METRICS))
    LightevalTask.load_datasets({task.full_name: task}, 1)
    answers, documents = recorded(), task.get_docs()
    responses = [ModelResponse(text=[answers[one.specific["doc_id"]] or ""]) for one in documents]
    log = MetricsLogger()
    for output in apply_metric(responses, documents, task.metrics):
        log.log(task.full_name, output)
    log.aggregate({task.full_name: task}, bootstrap_iters=2)
    assert dict(log.metric_aggregated[task.full_name]) == pytest.approx(expected())
