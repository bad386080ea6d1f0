"""One way to a score where heads, zeros, minimum spans, sets and other layers are annotated.

Every metric, under every way to match: the same bits and the same signature from all drivers and
all analyses.
"""

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
from tests.scoring.test_same_numbers import client, fact

__all__ = ["client"]

NAMES = [f"d{number}" for number in range(8)]
PARAMETERS = [
    "mean(muc,b3,ceafm,ceafe,blanc)",
    *(f"anaphors(kind={kind})" for kind in ("zero", "pronoun", "name", "nominal")),
    *(f"arcs(mode={mode})" for mode in ("immediate", "inferred", "anchor")),
    "blanc(rule=corefud)",
]
SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "exact": ("conllu", {}),
    "head": ("conllu", {"match": "head"}),
    "head, zeros by place": ("conllu", {"match": "head", "zeros": "linear"}),
    "partial, no singletons": ("conllu", {"match": "partial", "singletons": "drop"}),
    "head, twinless dropped": ("conllu", {"match": "head", "twinless": "drop"}),
    "head, added": ("conllu", {"match": "head", "twinless": "add-to-key"}),
    "head, cai-strube": ("conllu", {"match": "head", "twinless": "cai-strube"}),
    "missing documents": ("conllu", {"match": "head", "missing_documents": "count"}),
    "repeats refused": ("conllu", {"duplicates": "error"}),
    "crac22": ("conllu", {"preset": "crac22"}),
    "crac25": ("conllu", {"preset": "crac25"}),
    "ua": ("ua", {}),
    "minimum spans": ("ua", {"match": "min"}),
    "sets": ("ua", {"split_antecedents": "score"}),
    "sets, minimum spans": ("ua", {"match": "min", "split_antecedents": "score"}),
    "all layers": ("ua", {"layer": "all"}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("annotations")
    mixed = [*NAMES[1::2], *NAMES[::2]]
    for form in ("conllu", "ua"):
        write(made / f"key.{form}", NAMES, 0)
        write(made / f"response.{form}", mixed, 100)
        write(made / f"fewer.{form}", mixed[1:], 100)
        for side, names, seed in (("keys", NAMES, 0), ("responses", mixed, 100)):
            (made / side).mkdir(exist_ok=True)
            for number in range(2):
                part = names[4 * number : 4 * number + 4]
                write(made / side / f"shard-{number}.{form}", part, seed)
    return made


def sides(folder: Path, form: str, asked: dict[str, Any]) -> tuple[str, str]:
    response = "fewer" if "missing_documents" in asked else "response"
    return str(folder / f"key.{form}"), str(folder / f"{response}.{form}")


def metrics_of(asked: dict[str, Any], *, identity: bool = False) -> list[str]:
    """Every registered metric; without those that score other layers, where these are left out."""
    names = [*resolve("all"), *(str(metric()) for metric in registered()), *PARAMETERS]
    names = list(dict.fromkeys(names))
    if identity or "layer" in asked:
        parts = {name: metric.needs() for name, metric in resolve(names).items()}
        names = [
            name
            for name, needed in parts.items()
            if all(part.properties.layer == "identity" for part in needed)
        ]
    return names


def batches(key: str, response: str, metrics: list[str], asked: dict[str, Any]) -> corefine.Scores:
    sides = corefine.read(key), corefine.read(response)
    place = {name: number for number, name in enumerate(sides[1].documents)}
    evaluators = [corefine.Evaluator(metrics, **asked) for _ in range(2)]
    for number, names in enumerate((NAMES[:3], NAMES[3:4], NAMES[4:])):
        evaluators[number > 1].update(
            select_documents(sides[0], [NAMES.index(name) for name in names]),
            select_documents(sides[1], [place[name] for name in names if name in place]),
        )
    return evaluators[0].merge(evaluators[1]).compute()


@pytest.mark.parametrize(("form", "asked"), SETTINGS.values(), ids=list(SETTINGS))
def test_drivers_give_the_bits_of_the_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch, form: str, asked: dict[str, Any]
) -> None:
    key, response = sides(folder, form, asked)
    metrics = metrics_of(asked)
    whole = fact(corefine.score(key, response, metrics, **asked))
    assert fact(batches(key, response, metrics, asked)) == whole
    monkeypatch.setattr(streaming, "LARGEST_WINDOW", 1)
    assert fact(corefine.score(key, response, metrics, jobs=1, **asked)) == whole


@pytest.mark.filterwarnings("ignore")
@pytest.mark.xdist_group("dask")
@pytest.mark.parametrize("name", ["partial, no singletons", "crac25", "minimum spans", "sets"])
def test_shards_on_a_cluster_give_the_bits_of_the_whole(
    folder: Path, client: Any, name: str
) -> None:
    form, asked = SETTINGS[name]
    key, response = sides(folder, form, asked)
    metrics = metrics_of(asked)
    whole = fact(corefine.score(key, response, metrics, **asked))
    keys, responses = (str(folder / side / f"*.{form}") for side in ("keys", "responses"))
    assert fact(corefine.score(keys, responses, metrics, engine=client, **asked)) == whole


@pytest.mark.parametrize(("form", "asked"), SETTINGS.values(), ids=list(SETTINGS))
def test_analyses_give_the_bits_of_score(folder: Path, form: str, asked: dict[str, Any]) -> None:
    key, response = sides(folder, form, asked)
    metrics = metrics_of(asked)
    whole = fact(corefine.score(key, response, metrics, **asked))
    compared = corefine.compare(
        key, {"one": response, "two": key}, metrics=metrics, trials=9, replicates=9, **asked
    )
    assert fact(compared.scores["one"]) == whole
    if "split_antecedents" in asked or "layer" in asked:
        return  # errors are analysed for identity
    metrics = metrics_of(asked, identity=True)
    whole = fact(corefine.score(key, response, metrics, **asked))
    reported = corefine.report(key, response, metrics=metrics, replicates=9, worst=1, **asked)
    assert fact(reported.scores[Path(response).stem]) == whole
    assert fact(corefine.explain(key, response, metrics, **asked).scores) == whole
    assert fact(corefine.audit(key, response, metrics, **asked).scores) == whole


@pytest.mark.parametrize("jobs", [None, 1])
def test_minimum_spans_that_no_mention_has_are_refused(folder: Path, jobs: int | None) -> None:
    """Of the whole key; a document without them, or without mentions, is none."""
    key, response = sides(folder, "ua", {})
    bare = folder / "bare.ua"
    bare.write_text(re.sub(r"\|Min=\d+", "", Path(key).read_text("utf-8")), "utf-8")
    with pytest.raises(UsageError):
        corefine.score(str(bare), response, match="min", jobs=jobs)
    with pytest.raises(UsageError):
        corefine.explain(str(bare), response, match="min")
    empty = write(folder / "empty.ua", ["d4"], 0)
    response = write(folder / "one.ua", ["d4"], 1)
    assert corefine.score(empty, response, match="min", allow_empty=True)["muc"].f1 == 0


def test_all_layers_take_the_metrics_that_they_are_defined_for(folder: Path) -> None:
    key, response = sides(folder, "ua", {})
    scores = corefine.score(key, response, "muc,mor", layer="all")
    assert {"muc", "mor", "deixis(of=muc)", "nonreferring", "bridging.entity"} <= set(scores)
    assert "discourse deixis is not scored with mor" in scores.warnings
    with pytest.raises(UsageError, match="cannot be scored with mor"):
        corefine.score(key, response, "muc,mor", layer="deixis")
