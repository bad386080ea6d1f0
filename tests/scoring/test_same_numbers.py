"""One way to a score: the same bits and the same signature, whichever way a number is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import corefine
from corefine.corpus.selection import select_documents
from corefine.errors import UsageError
from corefine.metrics.registry import registered, resolve
from corefine.scoring.drivers import streaming
from tests.building.conll_documents import write, write_shards

NAMES = [f"d{number}" for number in range(12)]
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "no singletons": {"singletons": "drop"},
    "twinless dropped": {"twinless": "drop"},
    "twinless added": {"twinless": "add-to-key"},
    "cai-strube": {"twinless": "cai-strube"},
    "words ignored": {"words": "ignore"},
    "guessed kinds": {"kinds": "guess"},
    "by kind": {"by": "kind,overlap"},
    "by entity": {"by": "size,spread(3,9),distance(2,5)"},
    "windows, by genre": {"window": 7, "by": "genre,size", "genres": "d[0-5]"},
    "windows, no singletons, cai-strube": {
        "window": 7,
        "singletons": "drop",
        "twinless": "cai-strube",
    },
}
CORPUS_SETTINGS: dict[str, dict[str, Any]] = {
    "corpus": {"scope": "corpus"},
    "no singletons": {"scope": "corpus", "singletons": "drop"},
    "twinless dropped": {"scope": "corpus", "twinless": "drop"},
    "twinless added": {"scope": "corpus", "twinless": "add-to-key"},
    "cai-strube": {"scope": "corpus", "twinless": "cai-strube"},
}


@dataclass
class Sides:
    """Key and response as files, as shards, and their documents in another order."""

    key: str
    response: str
    shuffled: str
    key_shards: str
    response_shards: str


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Sides:
    folder = tmp_path_factory.mktemp("sides")
    mixed = [*NAMES[1::2], *NAMES[::2]]
    shuffled = folder / "shuffled.conll"
    write(shuffled, mixed, 100)
    # Without a newline at the end, so that the last document is not the last one read.
    shuffled.write_text(shuffled.read_text("utf-8").rstrip("\n"), "utf-8")
    return Sides(
        write(folder / "key.conll", NAMES, 0),
        write(folder / "response.conll", NAMES, 100),
        str(shuffled),
        write_shards(folder / "key", NAMES, 0, 4),
        write_shards(folder / "response", mixed, 100, 3),
    )


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as connected,
    ):
        yield connected


def fact(scores: corefine.Scores) -> dict[str, Any]:
    """All that must be the same: numbers of the whole, of documents and parts, and signatures."""
    return {
        "scores": {name: score.to_dict() for name, score in scores.by_name.items()},
        "signatures": {name: str(score.signature) for name, score in scores.by_name.items()},
        "documents": {
            document: {name: score.to_dict() for name, score in found.items()}
            for document, found in scores.documents.items()
        },
        "parts": scores.to_dict().get("by"),
    }


def streamed(sides: Sides, monkeypatch: pytest.MonkeyPatch, window: int, jobs: int) -> Any:
    monkeypatch.setattr(streaming, "LARGEST_WINDOW", window)
    return lambda **asked: corefine.score(sides.key, sides.shuffled, "all", jobs=jobs, **asked)


def in_batches(sides: Sides, seed: int) -> Callable[..., corefine.Scores]:
    def scores(**asked: Any) -> corefine.Scores:
        chance = np.random.default_rng(seed)
        key, response = corefine.read(sides.key), corefine.read(sides.shuffled)
        place = {name: number for number, name in enumerate(response.documents)}
        evaluators = [corefine.Evaluator("all", **asked) for _ in range(2)]
        cuts = [0, *sorted(chance.choice(np.arange(1, len(NAMES)), 4, replace=False)), len(NAMES)]
        for number, (first, last) in enumerate(pairwise(cuts)):
            names = NAMES[first:last]
            evaluators[number >= 3].update(
                select_documents(key, [NAMES.index(name) for name in names]),
                select_documents(response, [place[name] for name in names]),
            )
        return evaluators[0].merge(evaluators[1]).compute()

    return scores


@pytest.mark.parametrize("asked", SETTINGS.values(), ids=list(SETTINGS))
@pytest.mark.parametrize("window", [1, 3000])
def test_streams_and_batches_give_the_bits_of_the_whole(
    sides: Sides, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], window: int
) -> None:
    whole = fact(corefine.score(sides.key, sides.response, "all", **asked))
    assert fact(streamed(sides, monkeypatch, window, 1)(**asked)) == whole
    assert fact(in_batches(sides, window)(**asked)) == whole


@pytest.mark.parametrize("name", ["default", "by kind"])
def test_two_processes_give_the_bits_of_the_whole(
    sides: Sides, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    whole = fact(corefine.score(sides.key, sides.response, "all", **SETTINGS[name]))
    assert fact(streamed(sides, monkeypatch, 3000, 2)(**SETTINGS[name])) == whole


@pytest.mark.filterwarnings("ignore")
@pytest.mark.xdist_group("dask")
@pytest.mark.parametrize("asked", SETTINGS.values(), ids=list(SETTINGS))
def test_shards_on_a_cluster_give_the_bits_of_the_whole(
    sides: Sides, client: Any, asked: dict[str, Any]
) -> None:
    whole = fact(corefine.score(sides.key, sides.response, "all", **asked))
    spread = corefine.score(sides.key_shards, sides.response_shards, "all", engine=client, **asked)
    assert fact(spread) == whole


@pytest.mark.filterwarnings("ignore")
@pytest.mark.xdist_group("dask")
@pytest.mark.parametrize("asked", CORPUS_SETTINGS.values(), ids=list(CORPUS_SETTINGS))
def test_entities_across_documents_have_the_same_bits_in_any_cut_and_order(
    sides: Sides, client: Any, asked: dict[str, Any]
) -> None:
    metrics = [
        str(metric())
        for metric in registered()
        if not metric().needs_mentions and not any(p.needs_mentions for p in metric().needs())
    ]
    whole = fact(corefine.score(sides.key, sides.response, metrics, **asked))
    assert fact(corefine.score(sides.key, sides.shuffled, metrics, **asked)) == whole
    spread = corefine.score(
        sides.key_shards, sides.response_shards, metrics, engine=client, **asked
    )
    assert fact(spread) == whole


@pytest.mark.filterwarnings("ignore")
@pytest.mark.xdist_group("dask")
@pytest.mark.parametrize(
    "asked",
    [
        {"by": "overlap"},
        {"metrics": "parent"},
        {"metrics": "lea(importance=information)"},
    ],
    ids=str,
)
def test_what_a_driver_cannot_honour_is_refused(
    sides: Sides, client: Any, asked: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="the dask engine cannot compute"):
        corefine.score(
            sides.key_shards, sides.response_shards, engine=client, scope="corpus",
            **{"metrics": "lea", **asked},
        )  # fmt: skip
    with pytest.raises(UsageError, match="one by one"):
        corefine.Evaluator(scope="corpus")


@pytest.mark.parametrize(
    "name", ["default", "no singletons", "twinless dropped", "twinless added", "cai-strube"]
)
def test_analyses_give_the_bits_of_score(sides: Sides, name: str) -> None:
    asked = SETTINGS[name]
    metrics = list(resolve("all"))
    whole = fact(corefine.score(sides.key, sides.response, metrics, **asked))
    compared = corefine.compare(
        sides.key, {"one": sides.response, "two": sides.key}, metrics=metrics,
        trials=9, replicates=9, **asked,
    )  # fmt: skip
    assert fact(compared.scores["one"]) == whole
    reported = corefine.report(
        sides.key, sides.response, metrics=metrics, replicates=9, worst=1, **asked
    )
    assert fact(reported.scores["response"]) == whole
    assert fact(corefine.explain(sides.key, sides.response, metrics, **asked).scores) == whole
    assert fact(corefine.audit(sides.key, sides.response, metrics, **asked).scores) == whole


def test_python_objects_give_the_bits_of_files(sides: Sides) -> None:
    metrics = [str(m()) for m in registered() if not any(p.needs_kinds for p in m().needs())]
    metrics = [name for name in metrics if not name.startswith("links")]
    whole = fact(corefine.score(sides.key, sides.response, metrics))
    key, response = (corefine.read(path).to_dict() for path in (sides.key, sides.shuffled))
    assert fact(corefine.score(key, response, metrics)) == whole
    turned = {name: [entity[::-1] for entity in found[::-1]] for name, found in key.items()}
    assert fact(corefine.score(turned, response, metrics)) == whole
    evaluator = corefine.Evaluator(metrics)
    for name, entities in key.items():
        evaluator.update(entities, response[name], name)
    assert fact(evaluator.compute()) == whole


def test_a_signature_belongs_to_a_number(sides: Sides) -> None:
    one = corefine.score(sides.key, sides.response, "lea")["lea"].signature
    several = corefine.score(sides.key, sides.response, "all", singletons="keep")
    assert str(several["lea"].signature) == str(one)
    assert "kinds:" not in str(one)
    assert "kinds:pos" in str(several["lmuc"].signature)
    assert str(one).startswith("lea|match:exact|singletons:keep|")
    other = corefine.score(sides.response, sides.response, "lea")["lea"].signature
    assert str(other) != str(one)
    rule = corefine.score(sides.key, sides.response, "muc,b3", twinless="cai-strube")
    assert "twinless:none" in str(rule["muc"].signature)
    assert "twinless:cai-strube" in str(rule["b3"].signature)
