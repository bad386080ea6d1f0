"""Generated documents, the reduction, and measurement of the benchmark."""

from __future__ import annotations

import sys
from itertools import combinations
from resource import RUSAGE_CHILDREN, RUSAGE_SELF
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import giant, measuring
from benchmarks.documents import NEWS, NOVELS, Mentions, document
from benchmarks.measuring import MeasurementError, run_together

pytestmark = pytest.mark.slow


def spans(mentions: Mentions) -> set[tuple[int, int]]:
    return set(zip(mentions.first.tolist(), mentions.last.tolist(), strict=True))


@pytest.mark.parametrize("shape", [NOVELS, NEWS])
def test_mentions_lie_in_sentences_and_neither_repeat_nor_cross(shape):
    made = document(3, shape)
    ends = np.append(made.sentences[1:], len(made.words))
    for mentions in (made.key, made.response):
        assert len(spans(mentions)) == len(mentions)
        assert (mentions.first <= mentions.last).all()
        sentence = np.searchsorted(made.sentences, mentions.first, side="right") - 1
        assert (mentions.last < ends[sentence]).all()
        for (a, b), (c, d) in combinations(sorted(spans(mentions)), 2):
            assert c > b or d <= b or a == c


def test_work_in_other_processes_is_measured_too(monkeypatch):
    """Large files are scored by processes of their own."""
    seconds = {RUSAGE_SELF: 1.0, RUSAGE_CHILDREN: 0.0}
    monkeypatch.setattr(
        "benchmarks.measuring.resource.getrusage",
        lambda who: SimpleNamespace(ru_utime=seconds[who], ru_stime=0.0),
    )
    assert measuring.cpu_seconds(lambda: seconds.update({RUSAGE_CHILDREN: 5.0})) == 5.0


def test_all_processes_of_a_command_are_measured_together():
    hold = "import time; block = b'x' * 40_000_000; time.sleep(1.5)"
    start = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    alone = run_together([sys.executable, "-c", hold])
    both = run_together([sys.executable, "-c", f"block = b'x' * 40_000_000; {start}", hold])
    assert alone.peak > 40e6
    assert both.peak > alone.peak + 30e6
    assert both.wall > 0.4
    with pytest.raises(MeasurementError):
        run_together([sys.executable, "-c", "raise SystemExit(3)"])


def test_the_reduction_leaves_cells_only_with_much_noise():
    little = giant.leftover(4000, "even", "shuffles", 0.05)
    much = giant.leftover(4000, "even", "shuffles", 0.95)
    assert little["left"] == 0 < much["largest"] <= much["left"] < much["cells"]


def test_a_workload_runs_in_its_own_process(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"(a)\n(b)\n")
    cost, counts = measuring.workload("files.floor", key=str(file), response=str(file))
    assert counts == [2, 2, 2, 2, 2, 2]
    assert cost.peak > 0
