"""The same bits and the same signature, whichever driver or analysis computes a score."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.corpus.selection import select_documents
from corefine.errors import UsageError
from corefine.metrics.registry import registered, resolve
from corefine.scoring.drivers import streaming
from tests.building.anaphora_documents import write
from tests.building.refusals import refused

NAMES = [f"d{number}" for number in range(6)]
PARAMETERS = [
    "mean(muc,b3,ceafm,ceafe,blanc)",
    *(f"anaphors(kind={kind})" for kind in ("zero", "pronoun", "name", "nominal")),
    *(f"arcs(mode={mode})" for mode in ("immediate", "inferred", "anchor")),
    "blanc(rule=corefud)",
]
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "default": ("conll", {}),
    "by kind and overlap": ("conll", {"by": "kind,overlap"}),
    "windows, cai-strube": ("conll", {"window": 7, "singletons": "drop", "twinless": "cai-strube"}),
    "head, cai-strube": ("conllu", {"match": "head", "twinless": "cai-strube"}),
    "missing documents": ("conllu", {"match": "head", "missing_documents": "count"}),
    "sets, minimum spans": ("ua", {"match": "min", "split_antecedents": "score"}),
    "all layers": ("ua", {"layer": "all"}),
}
FAST = [*SETTINGS]
SETTINGS |= {
    "twinless dropped": ("conll", {"twinless": "drop"}),
    "twinless added": ("conll", {"twinless": "add-to-key", "words": "ignore"}),
    "by entity": ("conll", {"by": "size,spread(3,9),distance(2,5)", "kinds": "guess"}),
    "windows, by genre": ("conll", {"window": 7, "by": "genre,size", "genres": "d[0-2]"}),
    "head, zeros by place": ("conllu", {"match": "head", "zeros": "linear"}),
    "partial, no singletons": ("conllu", {"match": "partial", "singletons": "drop"}),
    "head, twinless added": ("conllu", {"match": "head", "twinless": "add-to-key"}),
    "crac22": ("conllu", {"preset": "crac22"}),
    "crac25": ("conllu", {"preset": "crac25"}),
    "ua": ("ua", {"duplicates": "error"}),
    "minimum spans": ("ua", {"match": "min"}),
    "sets": ("ua", {"split_antecedents": "score"}),
}


def each_setting(*fast: str) -> pytest.MarkDecorator:
    """All settings as tests of their own, these in the fast lane."""
    return pytest.mark.parametrize(
        ("form", "asked"),
        [
            pytest.param(*case, id=name, marks=[] if name in fast else pytest.mark.slow)
            for name, case in SETTINGS.items()
        ],
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In each format: key, response in another order, without a document, and both in shards."""
    made = tmp_path_factory.mktemp("sides")
    mixed = [*NAMES[1::2], *NAMES[::2]]
    for form in ("conll", "conllu", "ua"):
        write(made / f"key.{form}", NAMES, 0)
        write(made / f"response.{form}", mixed, 100)
        write(made / f"fewer.{form}", mixed[1:], 100)
        for side, names, seed in (("keys", NAMES, 0), ("responses", mixed, 100)):
            (made / side).mkdir(exist_ok=True)
            for number in range(2):
                part = names[3 * number : 3 * number + 3]
                write(made / side / f"shard-{number}.{form}", part, seed)
    # Without a newline at the end, so that the last document is not the last one read.
    response = made / "response.conll"
    response.write_text(response.read_text("utf-8").rstrip("\n"), "utf-8")
    return made


def sides(folder: Path, form: str, asked: dict[str, Any]) -> tuple[str, str]:
    response = "fewer" if "missing_documents" in asked else "response"
    return str(folder / f"key.{form}"), str(folder / f"{response}.{form}")


def shards(folder: Path, form: str) -> tuple[str, str]:
    return str(folder / "keys" / f"*.{form}"), str(folder / "responses" / f"*.{form}")


def metrics_of(form: str, asked: dict[str, Any]) -> list[str]:
    """Every metric that the settings and the format allow."""
    if form == "conll":
        return list(resolve("all"))
    names = [*resolve("all"), *(str(metric()) for metric in registered()), *PARAMETERS]
    parts = {name: metric.needs() for name, metric in resolve(dict.fromkeys(names)).items()}
    return [
        name
        for name, needed in parts.items()
        if "layer" not in asked or all(part.layer == "identity" for part in needed)
    ]


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


def numbers(found: Any) -> Any:
    """The facts but for the signatures, to nine decimals, where entities are in another order."""
    if isinstance(found, dict):
        return {name: numbers(one) for name, one in found.items() if name != "signatures"}
    return round(found, 9) if isinstance(found, float) else found


def as_scorer(asked: dict[str, Any]) -> bool:
    """True if entities are counted in the order of a published scorer, over all documents."""
    return "preset" in asked


def in_batches(key: str, response: str, metrics: Any, asked: dict[str, Any]) -> corefine.Scores:
    ours, theirs = corefine.read(key), corefine.read(response)
    place = {name: number for number, name in enumerate(theirs.documents)}
    evaluators = [corefine.Evaluator(metrics, **asked) for _ in range(2)]
    for number, names in enumerate((NAMES[:2], NAMES[2:3], NAMES[3:])):
        evaluators[number > 1].update(
            select_documents(ours, [NAMES.index(name) for name in names]),
            select_documents(theirs, [place[name] for name in names if name in place]),
        )
    return evaluators[0].merge(evaluators[1]).compute()


@each_setting(*FAST)
def test_streams_and_batches(folder, monkeypatch, form, asked):
    key, response = sides(folder, form, asked)
    metrics = metrics_of(form, asked)
    whole = fact(corefine.score(key, response, metrics, **asked))
    batches = fact(in_batches(key, response, metrics, asked))
    assert batches["signatures"] == whole["signatures"]
    if as_scorer(asked):
        assert numbers(batches) == numbers(whole)
    else:
        assert batches == whole
    for window in (1, 3000):
        monkeypatch.setattr(streaming, "LARGEST_WINDOW", window)
        assert fact(corefine.score(key, response, metrics, jobs=1, **asked)) == whole


@pytest.mark.filterwarnings("ignore")
@pytest.mark.xdist_group("dask")
@each_setting("default")
def test_shards_on_a_cluster(folder, client, form, asked):
    metrics = metrics_of(form, asked)
    if as_scorer(asked):
        with pytest.raises(UsageError, match="all documents at once"):
            corefine.score(*shards(folder, form), metrics, engine=client, **asked)
        return
    whole = fact(corefine.score(*sides(folder, form, {}), metrics, **asked))
    assert fact(corefine.score(*shards(folder, form), metrics, engine=client, **asked)) == whole


@pytest.mark.filterwarnings("ignore")
@pytest.mark.xdist_group("dask")
@pytest.mark.parametrize(
    "asked",
    [{"by": "overlap,kind"}, pytest.param({"twinless": "cai-strube"}, marks=pytest.mark.slow)],
)
def test_entities_across_documents_in_any_cut_and_order(folder, client, asked):
    asked = {"metrics": "all", "scope": "corpus", "kinds": "guess", **asked}
    key, response = sides(folder, "conll", {})
    whole = fact(corefine.score(key, response, **asked))
    ordered = write(folder / "ordered.conll", NAMES, 100)
    assert fact(corefine.score(key, ordered, **asked)) == whole
    assert fact(corefine.score(*shards(folder, "conll"), engine=client, **asked)) == whole


def test_an_evaluator_has_no_scope_beyond_documents():
    with refused("usage"):
        corefine.Evaluator(scope="corpus")


def test_python_objects(folder):
    metrics = [str(m()) for m in registered() if not any(p.needs_kinds for p in m().needs())]
    metrics = [name for name in metrics if not name.startswith("links")]
    files = sides(folder, "conll", {})
    whole = fact(corefine.score(*files, metrics))
    key, response = (corefine.read(path).to_dict() for path in files)
    assert fact(corefine.score(key, response, metrics)) == whole
    turned = {name: [entity[::-1] for entity in found[::-1]] for name, found in key.items()}
    assert fact(corefine.score(turned, response, metrics)) == whole
    evaluator = corefine.Evaluator(metrics)
    for name, entities in key.items():
        evaluator.update(entities, response[name], name)
    assert fact(evaluator.compute()) == whole


def test_a_signature_belongs_to_a_number(folder):
    key, response = sides(folder, "conll", {})
    one = corefine.score(key, response, "lea")["lea"].signature
    several = corefine.score(key, response, "all", singletons="keep")
    assert str(several["lea"].signature) == str(one)
    assert "kinds:" not in str(one)
    assert "kinds:pos" in str(several["lmuc"].signature)
    assert str(one).startswith("lea|match:exact|singletons:keep|")
    assert str(corefine.score(response, response, "lea")["lea"].signature) != str(one)
    rule = corefine.score(key, response, "muc,b3", twinless="cai-strube")
    assert "twinless:none" in str(rule["muc"].signature)
    assert "twinless:cai-strube" in str(rule["b3"].signature)


@pytest.mark.parametrize("jobs", [None, 1])
def test_minimum_spans_that_no_mention_has_are_refused(folder, jobs):
    """Of the whole key; a document without them, or without mentions, is none."""
    key, response = sides(folder, "ua", {})
    bare = folder / "bare.ua"
    bare.write_text(re.sub(r"\|Min=\d+", "", Path(key).read_text("utf-8")), "utf-8")
    with refused("usage"):
        corefine.score(str(bare), response, match="min", jobs=jobs)
    with refused("usage"):
        corefine.explain(str(bare), response, match="min")
    empty = write(folder / "empty.ua", ["d4"], 0)
    response = write(folder / "one.ua", ["d4"], 1)
    assert corefine.score(empty, response, match="min", allow_empty=True)["muc"].f1 == 0


def test_all_layers_take_the_metrics_that_they_are_defined_for(folder):
    key, response = sides(folder, "ua", {})
    scores = corefine.score(key, response, "muc,mor", layer="all")
    assert {"muc", "mor", "muc(layer=deixis)", "nonreferring", "bridging.entity"} <= set(scores)
    assert any("mor" in warning for warning in scores.warnings)
    with refused("usage"):
        corefine.score(key, response, "muc,mor", layer="deixis")
