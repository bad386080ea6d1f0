"""Processes that are killed: the right bits or one clear error, and nobody left behind."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from corefine.errors import CorefineError
from corefine.scoring.drivers.processes import in_order
from tests.building.signal_defaults import default_signals

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
FATAL = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT,
         signal.SIGSEGV, signal.SIGUSR1]  # fmt: skip


def die_once(number: int, folder: str, kind: int) -> int:
    """The square, but the first process that takes number 5 is killed."""
    if number == 5:
        try:
            os.close(os.open(f"{folder}/died", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return number * number
        faulthandler.disable()  # that of pytest, which would tell of it in the log
        os.kill(os.getpid(), kind)
        time.sleep(60)
    return number * number


def always_die(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.slow
@pytest.mark.parametrize("kind", FATAL)
def test_what_a_killed_process_had_is_done_again(tmp_path: Path, kind: signal.Signals) -> None:
    tasks = [(number, str(tmp_path), int(kind)) for number in range(12)]
    assert list(in_order(die_once, tasks, 2)) == [number * number for number in range(12)]
    assert (tmp_path / "died").exists()


@pytest.mark.slow
def test_a_process_that_is_killed_each_time_is_one_clear_error() -> None:
    with pytest.raises(CorefineError, match="was killed 3 times"):
        list(in_order(always_die, [(number,) for number in range(4)], 2))


def test_what_cannot_be_sent_is_done_here() -> None:
    assert list(in_order(lambda number: number + os.getpid(), [(1,)], 4)) == [1 + os.getpid()]


PARENT = """
import os, sys, time
from corefine.cli.runtime import unwound_by_signals, Ended
from corefine.scoring.drivers.processes import in_order
from corefine.output.saving import write_atomically
def work(number):
    os.write(1, f"{os.getpid()}\\n".encode())  # whole lines, whoever else writes
    time.sleep(600)
def pieces():
    yield b"half"
    print("temporary", len(os.listdir(sys.argv[1])), flush=True)
    list(in_order(work, [(1,), (2,)], 2))
with unwound_by_signals():
    try:
        write_atomically(sys.argv[1] + "/out", pieces())
    except Ended as ended:
        sys.exit(128 + ended.signal)
"""


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look for processes in")
@pytest.mark.parametrize("kind", [*FATAL, signal.SIGINT])
def test_no_process_outlives_its_parent(tmp_path: Path, kind: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=default_signals,
    )
    assert parent.stdout is not None
    lines = [parent.stdout.readline().split() for _ in range(3)]
    workers = [int(line[0]) for line in lines if line[0] != "temporary"]
    assert len(workers) == 2
    parent.send_signal(kind)
    deadline = time.monotonic() + 15  # it takes well under two seconds where nothing else runs
    while time.monotonic() < deadline and (parent.poll() is None or any(map(alive, workers))):
        time.sleep(0.02)
    left = [pid for pid in workers if alive(pid)]
    ended = parent.poll() is not None
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert ended
    assert not left
    if kind in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        assert os.listdir(tmp_path) == []


def test_daemonic_processes_do_the_work_themselves() -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_squares_in_two_processes) == [0, 1, 4]


def _squares_in_two_processes() -> list[int]:
    return list(in_order(_square, [(0,), (1,), (2,)], 2))


def _square(number: int) -> int:
    return number * number
