"""Writing changes nothing but what it says: bytes, partitions, relations."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from corefine.formats import all_formats
from tests.building.commands import commands, options, run
from tests.building.law_files import (
    FORMS,
    HEALTHY,
    UNUSUAL,
    put_contest,
    put_sample,
    put_unusual,
)

WRITTEN = [one.name for one in all_formats() if one.write is not None]
SOURCES = [*UNUSUAL, *HEALTHY]
"""Names of files: unusual ones, and the sample of every format."""


REPEATED = ("rich.conll", "twice.conll")
"""Files with a mention in two entities, which ``check`` reports."""


def put_source(name: str, folder: Path) -> Path:
    return put_unusual(name, folder) if name in UNUSUAL else put_sample(name, folder)


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


# --- in place -------------------------------------------------------------------------------------


def repairs() -> list[tuple[str, ...]]:
    """Commands and options that repair their input, in place or elsewhere."""
    return [
        call
        for command in commands()
        if "--fix" in options(command)
        for call in ((command, "FILE", "--fix"), (command, "FILE", "--fix", "-o", "OUT"))
    ]


@pytest.mark.parametrize("command", repairs(), ids=" ".join)
@pytest.mark.parametrize("source", [name for name in SOURCES if name not in REPEATED])
def test_a_healthy_file_stays_as_it_is(source: str, command: tuple[str, ...], tmp_path: Path):
    path = put_source(source, tmp_path)
    before, out = contents(tmp_path), tmp_path / f"out{path.suffix}"
    places = {"FILE": path, "OUT": out}
    run(*(places.get(word, word) for word in command))
    after = contents(tmp_path)
    written = after.pop(out.name, None)
    assert after == before
    assert written in (None, path.read_bytes())


def damaged(random: Random) -> str:
    """Labels of a few documents, with entity ids and mentions that are used again and again."""
    rows = []
    for document in "abc":
        for _ in range(random.randint(1, 6)):
            entity = random.choice(["Obama", "Obama.2", "Obama.3", "Rome", "Rome.2"])
            rows.append(f"{document},{random.choice('uvwxyz')},{entity}")
    return "\n".join(["document,mention,entity", *rows, ""])


@pytest.mark.parametrize("command", repairs(), ids=" ".join)
@pytest.mark.parametrize("scope", [(), ("--scope", "document")], ids=" ".join)
@pytest.mark.parametrize("seed", range(6))
def test_repairs_keep_the_partition_and_are_done_once(
    command: tuple[str, ...], scope: tuple[str, ...], seed: int, tmp_path: Path
) -> None:
    path, copy = tmp_path / "labels.csv", tmp_path / "copy.csv"
    path.write_text(damaged(Random(seed)))
    copy.write_bytes(path.read_bytes())
    places = {"FILE": path, "OUT": tmp_path / "out.csv"}
    run(*(places.get(word, word) for word in command), *scope)
    repaired = places["OUT"] if places["OUT"].exists() else path
    scored, same = (run("score", copy, other, "--output", "json").f1 for other in (repaired, copy))
    assert scored == same
    again = {"FILE": repaired, "OUT": tmp_path / "again.csv"}
    once = repaired.read_bytes()
    run(*(again.get(word, word) for word in command), *scope)
    assert repaired.read_bytes() == once
    assert not again["OUT"].exists() or again["OUT"].read_bytes() == once


# --- conversion -----------------------------------------------------------------------------------


def atoms(data: bytes) -> Counter[str]:
    """The words and numbers of a file, however it is laid out."""
    return Counter(re.findall(r"\w+", data.decode("utf-8")))


def records(data: bytes) -> Any:
    """The values of a file of JSON or of JSON lines."""
    text = data.decode("utf-8")
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def has_all(written: Any, source: Any) -> bool:
    """True if every value of the source was written; there may be more fields."""
    if isinstance(source, dict) and isinstance(written, dict):
        return all(
            has_all(written.get(name), value)
            for name, value in source.items()
            if not name.endswith("id")  # numbers of annotations may change
        )
    if isinstance(source, list) and isinstance(written, list):
        pairs = zip(written, source, strict=False)
        return len(written) == len(source) and all(has_all(*pair) for pair in pairs)
    return bool(written == source)


def is_announced(messages: str) -> bool:
    """True if a conversion said that something is lost."""
    return bool(re.search(r"\blos(?:es?|t|ing)\b|\bwithout\b|\bdrop|\bcannot\b", messages))


@pytest.mark.parametrize("source", [*UNUSUAL, *(name for name in HEALTHY if name in WRITTEN)])
def test_a_conversion_to_the_same_format_drops_nothing_in_silence(source: str, tmp_path: Path):
    """Byte for byte where lines can stay as they are; else every word and value."""
    (tmp_path / "in").mkdir()
    path = put_source(source, tmp_path / "in")
    form = source.partition(".")[2] or source
    target = tmp_path / f"out{path.suffix}"
    answer = run("convert", path, target, "--to", form, "--format", form)
    if answer.status == 2 or is_announced(answer.messages):
        return
    if form in ("conll", "conllu"):
        assert target.read_bytes() == path.read_bytes()
    elif path.suffix in (".json", ".jsonl"):
        assert has_all(records(target.read_bytes()), records(path.read_bytes()))
    elif path.suffix != ".parquet":
        before = b" ".join(contents(path.parent).values())
        both = b" ".join(contents(tmp_path).values())
        assert atoms(before) + atoms(before) <= atoms(both)


SETTINGS = ((), ("--layer", "all", "--zeros", "linear"))


@pytest.mark.parametrize("target", WRITTEN)
@pytest.mark.parametrize("source", UNUSUAL)
def test_a_conversion_without_loss_keeps_every_score(source: str, target: str, tmp_path: Path):
    path = put_unusual(source, tmp_path)
    out = tmp_path / "out"
    answer = run("convert", path, out, "--to", target)
    assert answer.status in (0, 2)
    if answer.status == 2 or is_announced(answer.messages):
        return
    (read,) = out.glob("*.xml") if out.is_dir() and target == "mmax" else (out,)
    for settings in SETTINGS:
        itself = run("score", path, path, *settings, "--output", "json")
        if itself.status == 2:
            continue
        other = run("score", path, read, *settings, "--response-format", target, "--output", "json")
        assert other.status == 0, other.messages
        assert other.json["scores"] == itself.json["scores"]


# --- other outputs --------------------------------------------------------------------------------

LAYERS = ("--layer", "all", "--zeros", "linear", "--split-antecedents", "score")


@pytest.mark.parametrize("source", [*UNUSUAL, *(f"contest.{form}" for form in FORMS)])
def test_adjudicating_equal_annotations_gives_this_annotation(source: str, tmp_path: Path):
    """With relations, layers, and mentions in two entities."""
    form = source.partition(".")[2]
    made = source in UNUSUAL
    path = put_unusual(source, tmp_path) if made else put_contest(form, tmp_path)["a"]
    copy = tmp_path / f"copy.{form}"
    copy.write_bytes(path.read_bytes())
    gold = tmp_path / f"gold.{form}"
    answer = run("adjudicate", path, copy, "-o", gold, "--to", form, "--lossy")
    assert answer.status == 0, answer.messages
    for settings in ((), LAYERS):
        itself = run("score", path, path, *settings, "--output", "json")
        other = run("score", path, gold, *settings, "--output", "json")
        assert other.status == itself.status, other.messages
        assert itself.status == 2 or other.json["scores"] == itself.json["scores"]
