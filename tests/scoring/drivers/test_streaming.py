"""Scoring files window by window: the same bits, for any window, order and number of processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.cli.options import MEMORY
from corefine.errors import CorefineError, UsageError
from corefine.kinds import plan_of
from corefine.matching.settings import Settings
from corefine.metrics import resolve
from corefine.scoring.drivers.local import Job, stream_scores
from corefine.scoring.drivers.windows import cut, indexed
from corefine.scoring.statistics import CorpusStatistics

METRICS = resolve("all")
WORDS = [
    ("Anna", "NNP"),
    ("house", "NN"),
    ("she", "PRP"),
    ("House", "NN"),
    ("dom", "NN"),
    ("Dom", "NN"),
    ("jest", "VBZ"),
    ("się", "PRP"),
    ("the", "DT"),
    ("which", "WDT"),
    ("Warsaw", "NNP"),
]


def document(name: str, seed: int, length: int = 30) -> str:
    chance = np.random.default_rng(seed)
    rows = []
    tagged = chance.random() < 0.5  # kinds come from the side that has tags, document by document
    for number in range(length):
        cell = f"({chance.integers(6)})" if chance.random() < 0.4 else "-"
        word, tag = WORDS[(number * int(name[1:]) + number) % len(WORDS)]
        rows.append(f"{name} 0 {number} {word} {tag if tagged else '-'} * - - - - * {cell}")
        if chance.random() < 0.1:
            rows.append("")
    return "\n".join([f"#begin document ({name}); part 000", *rows, "", "#end document", ""])


def write(path: Path, names: list[str], seed: int, before: str = "") -> str:
    parts = [document(name, seed + int(name[1:])) for name in names]
    path.write_text(before + "".join(parts), "utf-8")
    return str(path)


@settings(max_examples=25)
@given(
    order=st.permutations([f"d{n}" for n in range(7)]),
    size=st.integers(1, 6000),
    seed=st.integers(0, 1000),
    kinds=st.sampled_from(["auto", "guess", "auto,guess"]),
)
def test_any_order_and_window_gives_the_same_bits(
    order: list[str], size: int, seed: int, kinds: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("stream")
    names = [f"d{n}" for n in range(7)]
    key = write(folder / "key.conll", names, 0, "# a comment before all\n")
    response = write(folder / "response.conll", order, seed)
    whole = corefine.score(key, response, "all", kinds=kinds)
    ours, theirs = indexed(key, None), indexed(response, None)
    assert ours is not None
    assert theirs is not None
    job = Job(tuple(METRICS.values()), Settings(), plan_of(kinds))
    windows = list(cut(ours, theirs, size))
    parts = [job.count(window)[0] for window in windows]
    statistics = CorpusStatistics.concatenate(parts)
    assert statistics.documents == tuple(names)
    for metric, columns in whole.statistics.values.items():
        for name, column in columns.items():
            if metric in statistics.values:
                assert np.array_equal(statistics.values[metric][name], column), (metric, name)
    lines = [line for window in windows for line in window.response.read(frozenset()).tokens.lines]  # type: ignore[union-attr]
    source = Path(response).read_text("utf-8").split("\n")
    assert all(source[line - 1].startswith("d") for line in lines)


@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_give_the_same_scores_and_warnings(tmp_path: Path, jobs: int) -> None:
    names = [f"d{n}" for n in range(40)]
    key = write(tmp_path / "key.conll", names, 0)
    response = write(tmp_path / "response.conll", names[::-1], 7)
    whole = corefine.score(key, response)
    streamed = stream_scores(key, response, resolve("default"), Settings(), jobs=jobs)
    assert streamed is not None
    assert streamed == whole
    assert streamed.documents == whole.documents
    assert str(streamed.signature) == str(whole.signature)


@pytest.mark.parametrize("jobs", [1, 2])
def test_breakdowns_and_twinless_rules_are_streamed(tmp_path: Path, jobs: int) -> None:
    names = [f"d{n}" for n in range(9)]
    key = write(tmp_path / "key.conll", names, 0)
    response = write(tmp_path / "response.conll", names[::-1], 7)
    metrics, chosen = resolve("b3,lb3,muc,pairs"), Settings(twinless="cai-strube")
    whole = corefine.score(
        key, response, "b3,lb3,muc,pairs", twinless="cai-strube", by="kind,overlap"
    )
    by = ("kind", "overlap")
    streamed = stream_scores(key, response, metrics, chosen, plan_of("auto"), by, jobs=jobs)
    assert streamed is not None
    assert streamed == whole
    assert streamed.breakdown == whole.breakdown
    assert streamed.warnings == whole.warnings


def test_what_cannot_be_streamed_is_left_to_be_read_whole(tmp_path: Path) -> None:
    key = write(tmp_path / "key.conll", ["d1", "d2"], 0)
    response = write(tmp_path / "response.conll", ["d1"], 0)
    assert stream_scores(key, response, METRICS, Settings(), jobs=1) is None
    assert stream_scores(key, "-", METRICS, Settings(), jobs=1) is None
    assert stream_scores(key, key, METRICS, Settings(scope="corpus"), jobs=1) is None
    assert stream_scores(key, key, METRICS, Settings()) is None


def test_errors_name_the_line_of_the_file(tmp_path: Path) -> None:
    names = [f"d{n}" for n in range(5)]
    key = write(tmp_path / "key.conll", names, 0)
    lines = Path(key).read_text("utf-8").split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("d3"))
    lines[at] = lines[at].rsplit(" ", 1)[0] + " (9"
    bad = tmp_path / "bad.conll"
    bad.write_text("\n".join(lines), "utf-8")
    with pytest.raises(CorefineError, match=rf"bad\.conll:{at + 1}: "):
        stream_scores(key, str(bad), METRICS, Settings(), jobs=1)
    lines[at] = "d3 0 0 otherword NN * - - - - * -"
    bad.write_text("\n".join(lines), "utf-8")
    with pytest.raises(CorefineError, match=rf"key\.conll:{at + 1}: the texts differ"):
        stream_scores(key, str(bad), METRICS, Settings(), jobs=1)


def test_memory_is_written_as_people_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert MEMORY.convert("512M", None, None) == 512 << 20
    assert MEMORY.convert("1.5 GiB", None, None) == 3 << 29
    assert main(["score", "a", "b", "--memory", "much"]) == 2
    assert "512M or 2G" in capsys.readouterr().err


def test_too_little_memory_is_said(tmp_path: Path) -> None:
    key = write(tmp_path / "key.conll", ["d1", "d2"], 0)
    with pytest.raises(UsageError, match="too little"):
        stream_scores(key, key, METRICS, Settings(), jobs=2, memory=100 << 20)
