"""Processes that are killed: the right bits or one clear error, and nobody left behind."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from corefine.scoring.drivers.processes import in_order
from tests.building.conll_documents import write
from tests.building.refusals import refused
from tests.building.signal_defaults import default_signals

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look into")


def die_once(number: int, folder: str, kind: int) -> int:
    """The square, but the first process that takes number 5 is killed."""
    if number == 5:
        try:
            os.close(os.open(f"{folder}/died", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return number * number
        faulthandler.disable()  # that of pytest, which would tell of it in the log
        os.kill(os.getpid(), kind)
        time.sleep(600)
    return number * number


def always_die(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_tasks_of_a_killed_process_are_repeated(tmp_path, kind):
    tasks = [(number, str(tmp_path), int(kind)) for number in range(12)]
    assert list(in_order(die_once, tasks, 2)) == [number * number for number in range(12)]
    assert (tmp_path / "died").exists()


def test_a_process_that_is_killed_each_time_is_an_error():
    with refused("error"):
        list(in_order(always_die, [(number,) for number in range(4)], 2))


def _squares_in_two_processes() -> list[int]:
    return list(in_order(abs, [(0,), (-1,), (2,)], 2))


def test_what_cannot_be_sent_is_done_here():
    assert list(in_order(lambda number: number + os.getpid(), [(1,)], 4)) == [1 + os.getpid()]
    with multiprocessing.get_context("fork").Pool(1) as pool:  # daemonic processes
        assert pool.apply(_squares_in_two_processes) == [0, 1, 2]


SLOW = """
import os, sys, time
from corefine.cli import main
from corefine.scoring.drivers import streaming
def wait(*arguments):
    open(sys.argv[1] + f"/worker-{os.getpid()}", "w").close()
    time.sleep(600)
streaming._count_window = wait
streaming.LARGEST_WINDOW = streaming.LEAST_WINDOW = 1 << 16
sys.exit(main(sys.argv[2:]))
"""
"""The command line with windows that take their time, so that a run has a middle."""
OPTIONS = ["--jobs", "2", "--memory", "400M", "--output", "json"]


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("sides")
    names = [f"d{number}" for number in range(300)]
    return [write(folder / f"{seed}.conll", names, seed) for seed in (0, 100)]


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, str(folder), "score", *arguments, *OPTIONS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=default_signals,
        start_new_session=True,
    )


def stat(pid: int | str) -> list[str]:
    """State and parent of a process; nothing of one that has ended."""
    try:
        found = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
    return found if found[0] != "Z" else []


def descendants(parent: int) -> list[int]:
    children = [
        int(entry)
        for entry in os.listdir("/proc")
        if entry.isdigit() and stat(entry)[1:2] == [str(parent)]
    ]
    return [*children, *(pid for child in children for pid in descendants(child))]


def waited(condition: Callable[[], object], seconds: float = 600) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not condition():
        time.sleep(0.02)
    return bool(condition())


def gone(pids: list[int]) -> bool:
    """True if processes end in time; those that do not are ended here."""
    left = [] if waited(lambda: not any(map(stat, pids)), 150) else list(filter(stat, pids))
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return not left


@pytest.mark.slow
@pytest.mark.parametrize("name", ["TERM", "HUP", "INT", "QUIT", "KILL"])
def test_workers_end_with_their_parent(tmp_path, sides, name):
    number = getattr(signal, f"SIG{name}")
    out = tmp_path / "out"
    out.mkdir()
    process = start(tmp_path, *sides, "-o", str(out / "scores.json"))
    assert waited(lambda: list(tmp_path.glob("worker-*")))
    everyone = [process.pid, *descendants(process.pid)]
    process.send_signal(number)
    # The pipes are ours to read, or a parent that is ended could wait for them.
    printed, said = process.communicate(timeout=900)
    assert gone(everyone)
    assert process.returncode in (-number, 128 + number)
    assert printed == ""
    assert "Traceback" not in said
    assert list(out.iterdir()) == []
