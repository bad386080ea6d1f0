"""Scoring files window by window: the same bits, for any window, order and number of processes."""

from __future__ import annotations

import gzip
import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.errors import CorefineError, UsageError
from corefine.scoring.drivers import streaming
from corefine.scoring.drivers.streaming import cut
from tests.building.conll_documents import write
from tests.building.refusals import refused


def test_errors_name_the_line_of_the_file(tmp_path):
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
def test_little_memory_and_many_jobs_do_for_small_files(tmp_path, memory, jobs):
    key = write(tmp_path / "key.conll", ["d1", "d2"], 0)
    response = write(tmp_path / "response.conll", ["d2", "d1"], 5)
    found = corefine.score(key, response, jobs=jobs, memory=memory)
    assert found.by_name == corefine.score(key, response).by_name


def test_by_default_there_are_as_many_processes_as_fit(monkeypatch):
    for cores in (1, 2, 6, 64, 512):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        processes, window = streaming._plan(None, streaming.MEMORY)
        assert 1 <= processes <= cores
        assert cores > 5 or processes >= min(cores, 2)
        assert streaming._needed(window, processes) <= streaming.MEMORY
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert streaming._plan(20_000, 1 << 40)[0] == 4


def test_too_little_memory_for_large_files_names_what_would_do(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "LEAST_WHOLE", 1000)
    names = [f"d{number}" for number in range(20)]
    key = write(tmp_path / "key.conll", names, 0)
    with pytest.raises(UsageError, match="M") as caught:
        corefine.score(key, key, memory=64 << 20)
    enough = re.search(r"Allow at least (\d+)M", str(caught.value))
    assert enough is not None
    assert corefine.score(key, key, memory=int(enough[1]) << 20).by_name["lea"].f1 == 1
    rows = "".join(f"d1,{number},{number % 7}\n" for number in range(1000))
    content = f"document,mention,entity\n{rows}".encode()
    packed = gzip.compress(content)
    monkeypatch.setattr(streaming, "LEAST_WHOLE", 2 * len(packed))  # it counts unpacked
    for table, written in ((tmp_path / "key.csv", content), (tmp_path / "key.csv.gz", packed)):
        table.write_bytes(written)
        with refused("usage"):
            corefine.score(table, table, memory=64 << 20)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
@pytest.mark.parametrize("options", [{"memory": 1 << 30}, {"jobs": 2}])
def test_pipes_are_read_whole(tmp_path, options):
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


def test_a_file_that_is_deleted_while_it_is_streamed_is_an_error(tmp_path, monkeypatch):
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
