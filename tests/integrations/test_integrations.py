"""Adapters for other packages, each tested with the real package where it is installed."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import corefine
from corefine.errors import MissingExtraError, UsageError
from corefine.integrations import flat_scores
from corefine.integrations.frames import corpus_from_frame, scores_to_frame
from corefine.scoring.evaluator import Evaluator
from tests.building.refusals import refused

ROOT = Path(__file__).resolve().parents[2]
SKIP = "{0} is not installed (extra {0})"


def made_documents(count: int) -> list[tuple[list, list]]:
    """Pairs of key and response, as lists of entities of spans."""
    rng = np.random.default_rng(8)
    pairs = []
    for _ in range(count):
        size = int(rng.integers(0, 30))
        sides = [rng.integers(0, 6, size), rng.integers(0, 6, size)]
        found = rng.random(size) < 0.8
        key, response = (
            [
                [(i, i + 1) for i in np.flatnonzero((side == entity) & kept).tolist()]
                for entity in range(6)
                if ((side == entity) & kept).any()
            ]
            for side, kept in zip(sides, (np.ones(size, bool), found), strict=True)
        )
        pairs.append((key, response))
    return pairs


PAIRS = made_documents(30)


def whole_scores(metrics: str = "all"):
    judge = Evaluator(metrics)
    for key, response in PAIRS:
        judge.update(key, response)
    return judge.compute()


# ── data frames


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(library):
    frames = pytest.importorskip(library, reason=SKIP.format(library))
    labels = {"document": [*"babaa"], "mention": [*"xxyyz"], "entity": [*"11112"]}
    expected = {"a": [["x", "y"], ["z"]], "b": [["x", "y"]]}
    assert corpus_from_frame(frames.DataFrame(labels)).to_dict() == expected
    named = frames.DataFrame({"e": labels["entity"], "m": [3, 4, 5, 6, 7]})
    corpus = corpus_from_frame(named, "e", "m", document=None)
    assert corpus.to_dict() == {"": [[3, 4, 5, 6], [7]]}
    rows = corpus_from_frame(named, "e", None, None)
    assert corefine.score(rows, rows, metrics="lea")["lea"].f1 == 1
    with refused("usage"):
        corpus_from_frame(frames.DataFrame(labels), entity="cluster")
    for values in ([1, None, 3], [1.0, float("nan"), 3.0], ["a", None, "b"]):
        with pytest.raises(UsageError, match="row 1 "):
            corpus_from_frame(frames.DataFrame({"entity": values}), mention=None, document=None)
    scores = whole_scores("muc,conll")
    frame = scores_to_frame(scores, library)
    assert list(frame.columns) == ["metric", "precision", "recall", "f1"]
    assert frame["f1"].to_list() == [scores["muc"].f1, scores["conll"].f1]
    assert frame["precision"].to_list()[0] == scores["muc"].precision


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"corefine\[polars\]"):
        scores_to_frame(whole_scores("muc"), "polars")


# ── spaCy


@pytest.fixture(scope="module")
def spacy():
    return pytest.importorskip("spacy", reason=SKIP.format("spacy"))


def doc_with(nlp, text: str, groups: dict[str, list[tuple[int, int]]]):
    doc = nlp(text)
    for key, spans in groups.items():
        doc.spans[key] = [doc[start:stop] for start, stop in spans]
    return doc


TEXT = "Anna saw her dog. It barked at her."
KEY = {"coref_clusters_1": [(0, 1), (2, 3), (8, 9)], "coref_clusters_2": [(2, 4), (5, 6)]}
RESPONSE = {"coref_clusters_1": [(0, 1), (2, 3)], "coref_clusters_2": [(2, 4), (8, 9)]}


def test_corpora_of_spacy(spacy):
    from corefine.integrations.spacy import corpus_from_docs

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    named = doc_with(nlp, TEXT, {**KEY, "others_1": [(0, 2)], "coref_clusters_3": []})
    named.user_data["doc_id"] = "story"
    corpus = corpus_from_docs([doc_with(nlp, "Rain.", {}), named])
    assert corpus.to_dict() == {"1": [], "story": [[(0, 1), (2, 3), (8, 9)], [(2, 4), (5, 6)]]}
    assert corpus.text_of(3) == "her dog"
    assert corpus.tokens is not None
    assert corpus.tokens.sentences.tolist() == [0, 2, 7]
    assert list(corpus.entities.names or ()) == ["coref_clusters_1", "coref_clusters_2"]
    parsed = spacy.tokens.Doc(
        nlp.vocab, words=["Anna", "saw", "her", "dog"], heads=[1, 1, 3, 1],
        deps=["nsubj", "ROOT", "poss", "dobj"], pos=["PROPN", "VERB", "PRON", "NOUN"],
    )  # fmt: skip
    parsed.spans["coref_clusters_1"] = [parsed[0:1], parsed[2:4]]
    document = corpus_from_docs([parsed])[0]
    assert [mention.head for mention in document.mentions] == [0, 3]
    assert document.layers["upos"] == ["PROPN", "VERB", "PRON", "NOUN"]


@pytest.mark.parametrize("metrics", ["conll,muc,lea", "mentions,muc"])
def test_the_scorer_of_spacy(spacy, metrics):
    """The scores of the same lists, also of other tokens; coref_f1 is the CoNLL F1."""
    from spacy.training import Example

    from corefine.integrations.spacy import make_coref_scorer

    nlp = spacy.blank("en")
    examples = [
        Example(doc_with(nlp, TEXT, RESPONSE), doc_with(nlp, TEXT, KEY)),
        Example(doc_with(nlp, TEXT, KEY), doc_with(nlp, TEXT, KEY)),
    ]
    expected = corefine.score(
        {"1": list(KEY.values()), "2": list(KEY.values())},
        {"1": list(RESPONSE.values()), "2": list(KEY.values())},
        metrics=f"{metrics},conll",
    )
    scorer = make_coref_scorer(metrics=metrics)
    plain = scorer(examples)
    predicted = examples[0].predicted
    with predicted.retokenize() as retokenizer:
        retokenizer.split(predicted[1], ["s", "aw"], heads=[(predicted[1], 0)] * 2)
    for found in (plain, scorer(examples)):
        assert {name.split("_")[1] for name in found} == {"f1", *metrics.split(",")}
        assert found["coref_f1"] == expected["conll"].f1 < 1
        assert found["coref_muc_p"] == expected["muc"].precision
        assert found["coref_muc_r"] == expected["muc"].recall
    with pytest.raises(UsageError, match="mucc"):
        make_coref_scorer(metrics="mucc")


def test_a_pipeline_finds_the_scorer_by_its_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (target,) = project["entry-points"]["spacy_scorers"].values()
    module, _, name = target.partition(":")
    assert callable(getattr(import_module(module), name))


# ── Hugging Face evaluate


@pytest.mark.slow
def test_evaluate_loads_the_metric_from_its_file_without_a_network(tmp_path):
    pytest.importorskip("evaluate", reason="evaluate is not installed (extra hf)")
    script = """
import json, sys
import evaluate
metric = evaluate.load(sys.argv[1])
pairs = json.loads(sys.argv[2])
for key, response in pairs[:4]:
    metric.add(prediction=response, reference=key)
metric.add_batch(predictions=[r for _, r in pairs[4:]], references=[k for k, _ in pairs[4:]])
spans = metric.compute(metrics="all")
words = evaluate.load(sys.argv[1]).compute(
    predictions=[[["a", "b"], ["c"]]],
    references=[[["a", "b", "c"]]],
    metrics="muc",
    singletons="drop",
)
print(json.dumps([spans, words]))
"""
    module = ROOT / "src" / "corefine" / "integrations" / "hf.py"
    offline = {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    finished = subprocess.run(
        [sys.executable, "-c", script, str(module), json.dumps(PAIRS)],
        env={**os.environ, **offline, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stderr
    spans, words = json.loads(finished.stdout.splitlines()[-1])
    expected = whole_scores()
    assert spans == {**flat_scores(expected), "signature": str(expected.signature)}
    assert words["muc_recall"] == 0.5
    assert "singletons:drop" in words["signature"]


# ── PyTorch


def join_processes(rank: int, store: str, results: str) -> None:
    import torch

    from corefine.integrations.torch import CoreferenceMetric

    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=2
    )
    metric = CoreferenceMetric("all")
    for key, response in PAIRS[rank::2]:
        metric.update(response, key)
    metric.sync()
    torch.save(metric.compute(), f"{results}-{rank}")
    torch.distributed.destroy_process_group()


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason=SKIP.format("torch"))


def approximately(scores):
    return pytest.approx(flat_scores(scores), abs=1e-13)


def test_the_torch_metric_updates_computes_resets_and_merges(torch):
    from corefine.integrations.torch import CoreferenceMetric

    halves = [CoreferenceMetric("all"), CoreferenceMetric("all")]
    for number, (key, response) in enumerate(PAIRS):
        batch = halves[number % 2](response, key)
        alone = corefine.score(key, response, metrics="all")
        assert {name: value.item() for name, value in batch.items()} == flat_scores(alone)
    merged = halves[0].merge(halves[1])
    found = {name: value.item() for name, value in merged.compute().items()}
    assert found == approximately(whole_scores())
    restored = CoreferenceMetric("all")
    restored.load_state_dict(merged.state_dict())
    assert torch.equal(restored.totals, merged.totals)
    merged.reset()
    assert not merged.totals.any()
    with pytest.raises(UsageError):
        merged.merge(CoreferenceMetric("all", singletons="drop"))


@pytest.mark.slow
def test_the_torch_metric_adds_up_over_processes(torch, tmp_path):
    context = multiprocessing.get_context("spawn")
    store, results = str(tmp_path / "store"), str(tmp_path / "result")
    processes = [
        context.Process(target=join_processes, args=(rank, store, results)) for rank in (0, 1)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    for rank in (0, 1):
        found = torch.load(f"{results}-{rank}")
        assert {k: v.item() for k, v in found.items()} == approximately(whole_scores())
