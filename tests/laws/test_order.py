"""The order of documents, entities, mentions, systems, annotators and files changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

import corefine
from corefine.metrics.registry import registered
from tests.building.anaphora_documents import write
from tests.building.commands import run
from tests.building.law_files import CHOSEN, FORMS, HEADED, NAMES, SYSTEMS, each_form, put_contest

METRICS = [metric() for metric in registered()]


def shuffled(names: Sequence[str], seed: int) -> list[str]:
    return Random(seed).sample(list(names), len(names))


def plain(value: Any, ignored: tuple[str, ...] = ()) -> Any:
    """The content of JSON without fields, and without the order of lists."""
    if isinstance(value, dict):
        return {name: plain(one, ignored) for name, one in value.items() if name not in ignored}
    if isinstance(value, list):
        return sorted((plain(one, ignored) for one in value), key=repr)
    return round(value, 9) if isinstance(value, float) else value


@pytest.mark.parametrize("form", each_form("conllu"))
@pytest.mark.parametrize("settings", CHOSEN)
def test_order_of_documents(settings: str, form: str, tmp_path: Path) -> None:
    key = write(tmp_path / f"key.{form}", NAMES, 0)
    response = write(tmp_path / f"a.{form}", NAMES, 100)
    asked = (*CHOSEN[settings], "--output", "json")
    first = run("score", key, response, *asked)
    write(Path(key), shuffled(NAMES, 1), 0)
    write(Path(response), shuffled(NAMES, 2), 100)
    second = run("score", key, response, *asked)
    assert second.status == first.status
    if first.status == 0:
        assert plain(second.json["scores"]) == plain(first.json["scores"])


POSITIONS = (
    "number", "document_number", "id", "key_entity", "response_entity", "key_entities",
    "response_entities", "other_entity", "key_mentions", "response_mentions",
)  # fmt: skip
"""Fields that count documents, entities or mentions, from the beginning of the file."""


@pytest.mark.parametrize("command", ["explain", "entities", "audit", "describe", "suspects"])
def test_order_of_documents_in_analyses(command: str, tmp_path: Path) -> None:
    key, *systems = (tmp_path / f"{name}.conll" for name in ("key", "a", "b"))
    answers = []
    for seed in range(2):
        for number, path in enumerate((key, *systems)):
            write(path, shuffled(NAMES, seed), 100 * number)
        given = [key] if command == "describe" else [key, *systems]
        given = given[:2] if command in ("explain", "entities", "audit") else given
        answer = run(command, *given, "--output", "json")
        answers.append(plain(answer.json, POSITIONS))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("seed", range(5))
def test_order_of_entities_and_mentions(seed: int) -> None:
    random = Random(seed)
    sides = []
    for _ in range(2):
        spans = random.sample([(n, n + 1 + n % 3) for n in range(20)], 12)
        sides.append([spans[:4], spans[4:9], spans[9:11], spans[11:]])
    metrics = [str(metric) for metric in METRICS]
    first = corefine.score(sides[0], sides[1], metrics, kinds="none")
    for side in sides:
        random.shuffle(side)
        for entity in side:
            random.shuffle(entity)
    second = corefine.score(sides[0], sides[1], metrics, kinds="none")
    for metric in metrics:
        assert second[metric].f1 == pytest.approx(first[metric].f1, abs=1e-12), metric


@pytest.mark.parametrize("form", [*each_form("ua"), HEADED])
@pytest.mark.parametrize(
    "settings", ["default", "match=partial", "match=head", "twinless=drop", "scope=corpus"]
)
@pytest.mark.parametrize("command", ["agree", "adjudicate", "suspects", "compare"])
def test_order_of_systems_and_annotators(command, settings, form, tmp_path) -> None:
    files = put_contest(form, tmp_path)
    found = []
    for order in list(permutations(SYSTEMS))[::2]:
        systems = [files[name] for name in order]
        asked: tuple[object, ...] = (*CHOSEN[settings], "--output", "json")
        if command == "compare":
            asked = (*asked, "--trials", 20, "--replicates", 20)
        key = () if command in ("agree", "adjudicate") else (files["key"],)
        answer = run(command, *key, *systems, *asked)
        if answer.status == 2:
            assert (settings, form) != ("default", "conll"), answer.messages
            return
        found.append(summary(command, answer.json))
    assert found[1] == found[0]
    assert found[2] == found[0]


def summary(command: str, answer: Any) -> Any:
    """The numbers that must not depend on the order."""
    if command == "agree":
        pairs = {
            frozenset((pair["first"], pair["second"])): {
                metric: round(score["f1"], 9) for metric, score in pair["scores"].items()
            }
            for pair in answer["pairs"]
        }
        differences = [(one["document"], one["text"]) for one in answer["differences"]]
        return pairs, plain([answer["mean_f1"], answer["alpha"]]), differences
    if command == "compare":
        return plain([{k: row[k] for k in ("system", "metric", "f1")} for row in answer["scores"]])
    if command == "suspects":
        return plain(answer["systems"])
    return plain(answer["annotators"])


@pytest.mark.parametrize("form", FORMS)
def test_order_of_files(form: str, tmp_path: Path) -> None:
    """Documents in files whose names sort in another order."""
    for side, seed in (("key", 0), ("a", 100)):
        write(tmp_path / f"{side}.{form}", NAMES, seed)
        for turn in range(2):
            folder = tmp_path / f"{side}{turn}"
            folder.mkdir()
            for number, name in enumerate(shuffled(NAMES, seed + turn)):
                write(folder / f"{number}.{form}", [name], seed)
    found = [
        run("score", tmp_path / f"key{end}", tmp_path / f"a{end}", "--output", "json").json
        for end in (f".{form}", "0", "1")
    ]
    assert plain(found[1]["scores"]) == plain(found[2]["scores"]) == plain(found[0]["scores"])
