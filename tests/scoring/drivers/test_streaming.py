"""Scoring files window by window: the same bits, for any window, order and number of processes."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.errors import CorefineError, UsageError
from corefine.scoring.count import Counts
from corefine.scoring.drivers import streaming
from corefine.scoring.drivers.streaming import cut, indexed
from corefine.scoring.request import Request
from corefine.scoring.sides import Side
from tests.building.conll_documents import write


@settings(max_examples=5)
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
    ours, theirs = indexed(Side.of(key)), indexed(Side.of(response))
    assert ours is not None
    assert theirs is not None
    request = Request.of("all", kinds=kinds)
    windows = list(cut(ours, theirs, size))
    found = Counts.sum([streaming._count_window(window, request) for window in windows]).scores()
    assert found.counts.documents == tuple(names)
    assert found.by_name == whole.by_name
    assert found.documents == whole.documents
    assert found.warnings == whole.warnings
    lines = [line for window in windows for line in window.response.read(frozenset()).tokens.lines]  # type: ignore[union-attr]
    source = Path(response).read_text("utf-8").split("\n")
    assert all(source[line - 1].startswith("d") for line in lines)


def test_errors_name_the_line_of_the_file(tmp_path: Path) -> None:
    names = [f"d{n}" for n in range(5)]
    key = write(tmp_path / "key.conll", names, 0)
    lines = Path(key).read_text("utf-8").split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("d3"))
    lines[at] = lines[at].rsplit(" ", 1)[0] + " (9"
    bad = tmp_path / "bad.conll"
    bad.write_text("\n".join(lines), "utf-8")
    with pytest.raises(CorefineError, match=rf"bad\.conll:{at + 1}: "):
        corefine.score(key, bad, "all", jobs=1)
    lines[at] = "d3 0 0 otherword NN * - - - - * -"
    bad.write_text("\n".join(lines), "utf-8")
    with pytest.raises(CorefineError, match=rf"key\.conll:{at + 1}: "):
        corefine.score(key, bad, "all", jobs=1)


@pytest.mark.parametrize(
    ("memory", "jobs"), [(1 << 20, None), (64 << 20, 1), (100 << 20, 2), (100 << 20, 20_000)]
)
def test_little_memory_and_many_jobs_do_for_small_files(
    tmp_path: Path, memory: int, jobs: int | None
) -> None:
    key = write(tmp_path / "key.conll", ["d1", "d2"], 0)
    response = write(tmp_path / "response.conll", ["d2", "d1"], 5)
    found = corefine.score(key, response, jobs=jobs, memory=memory)
    assert found.by_name == corefine.score(key, response).by_name


def test_by_default_there_are_as_many_processes_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores in (1, 2, 6, 64, 512):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        processes, window = streaming._plan(None, streaming.MEMORY)
        assert 1 <= processes <= cores
        assert cores > 5 or processes >= min(cores, 2)
        assert streaming._needed(window, processes) <= streaming.MEMORY
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert streaming._plan(20_000, 1 << 40)[0] == 4


def test_too_little_memory_for_large_files_names_what_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "LEAST_WHOLE", 1000)
    names = [f"d{number}" for number in range(20)]
    key = write(tmp_path / "key.conll", names, 0)
    with pytest.raises(UsageError, match="M") as caught:
        corefine.score(key, key, memory=64 << 20)
    enough = re.search(r"Allow at least (\d+)M", str(caught.value))
    assert enough is not None
    assert corefine.score(key, key, memory=int(enough[1]) << 20).by_name["lea"].f1 == 1
    table = tmp_path / "key.csv"
    rows = "".join(f"d1,{number},{number % 7}\n" for number in range(1000))
    table.write_text(f"document,mention,entity\n{rows}")
    with pytest.raises(UsageError):
        corefine.score(table, table, memory=64 << 20)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
@pytest.mark.parametrize("options", [{"memory": 1 << 30}, {"jobs": 2}])
def test_pipes_are_read_whole(tmp_path: Path, options: dict[str, int]) -> None:
    key = write(tmp_path / "key.conll", [f"d{number}" for number in range(300)], 0)
    content = Path(key).read_bytes()
    assert len(content) > 1 << 16  # more than a pipe holds
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True)
    writer.start()
    assert corefine.score(key, pipe, "muc", **options)["muc"].f1 == 1
    writer.join(10)
    assert not writer.is_alive()


def test_a_file_that_is_deleted_while_it_is_streamed_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = write(tmp_path / "key.conll", ["d1", "d2"], 0)
    response = write(tmp_path / "response.conll", ["d1", "d2"], 0)

    def cut_and_delete(*arguments: Any) -> Any:
        windows = list(cut(*arguments))
        os.remove(response)
        return windows

    monkeypatch.setattr(streaming, "cut", cut_and_delete)
    with pytest.raises(CorefineError) as caught:
        corefine.score(key, response, "muc", jobs=1)
    assert caught.value.where is not None
    assert caught.value.where.source == response
