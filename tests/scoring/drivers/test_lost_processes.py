"""Runs that are killed in their middle, on both engines: the right bits or one clear error.

Workers and parents get every signal that ends a process; two seconds later nobody is left.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import corefine
from corefine.errors import UsageError
from tests.building.conll_documents import document
from tests.building.signal_defaults import default_signals

pytestmark = [
    pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look for processes in"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # those of Dask
    pytest.mark.xdist_group("dask"),  # one cluster at a time
]
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGQUIT)
SLOW = """
import os, sys, time
from corefine.cli import main
from corefine.scoring.drivers import streaming
count = streaming._count_window
def slow(*arguments):
    open(sys.argv[1] + f"/worker-{os.getpid()}", "w").close()
    time.sleep(float(sys.argv[2]))
    return count(*arguments)
streaming._count_window = slow
streaming.LARGEST_WINDOW = streaming.LEAST_WINDOW = 1 << 16
sys.exit(main(sys.argv[3:]))
"""
"""The command line with windows that take their time, so that a run has a middle."""


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("sides")
    paths = []
    for name, seed in (("key", 0), ("response", 100)):
        text = "".join(document(f"d{number}", seed + number) for number in range(600))
        (folder / f"{name}.conll").write_text(text, "utf-8")
        paths.append(str(folder / f"{name}.conll"))
    return paths[0], paths[1]


def descendants(parent: int) -> list[int]:
    """The processes below one, as far as they can be seen."""
    above: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if stat[0] != "Z":
                above.setdefault(int(stat[1]), []).append(int(entry))
    found, waiting = [], [parent]
    while waiting:
        children = above.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pids: list[int], seconds: float = 2) -> bool:
    """Whether processes end in time; those that do not are ended here."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(map(alive, pids)):
        time.sleep(0.02)
    left = [pid for pid in pids if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return not left


class Run:
    """A command in a process of its own, whose processes can be waited for."""

    def __init__(self, folder: Path, *arguments: str, slow: float | None = None) -> None:
        program = ["-m", "corefine"] if slow is None else ["-c", SLOW, str(folder), str(slow)]
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=default_signals,
            start_new_session=True,
        )

    def workers(self, count: int = 2) -> list[int]:
        """The processes that are at work, once there are as many."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            found = [int(path.name[7:]) for path in self.folder.glob("worker-*")]
            found = [pid for pid in found if alive(pid)]
            if len(found) >= count:
                return found
            time.sleep(0.01)
        raise AssertionError(f"no workers: {self.process.communicate()}")

    def result(self) -> tuple[int, str, str]:
        out, said = self.process.communicate(timeout=90)
        return self.process.returncode, out, said


def local(sides: tuple[str, str], *more: str) -> list[str]:
    return ["score", *sides, "--jobs", "2", "--memory", "400M", "--output", "json", *more]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_parent_that_is_ended_takes_its_workers_along(
    tmp_path: Path, sides: tuple[str, str], number: signal.Signals
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    run = Run(tmp_path, *local(sides, "-o", str(out / "scores.json")), slow=30)
    run.workers(1)
    everyone = [run.process.pid, *descendants(run.process.pid)]
    run.process.send_signal(number)
    # The pipes are ours to read, or a parent that is ended could wait for them.
    status, printed, said = run.result()
    assert gone(everyone)
    assert status == (-number if number == signal.SIGKILL else 128 + number)
    assert printed == ""
    assert "Traceback" not in said
    assert list(out.iterdir()) == []


def dask_workers(parent: int) -> list[int]:
    """Those children that run a worker of Dask."""
    found = []
    for pid in descendants(parent):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"spawn_main" in line:
            found.append(pid)
    return found


def wait_for_dask(run: Run, count: int = 1) -> list[int]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and run.process.poll() is None:
        found = dask_workers(run.process.pid)
        if len(found) >= count:
            return found
        time.sleep(0.02)
    raise AssertionError(f"no workers: {run.process.communicate()}")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_local_cluster_ends_with_its_parent(
    tmp_path: Path, sides: tuple[str, str], number: signal.Signals
) -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    run = Run(tmp_path, "score", *sides, "--engine", "dask", "--timeout", "60")
    wait_for_dask(run)
    everyone = [run.process.pid, *descendants(run.process.pid)]
    if number == signal.SIGINT:  # a terminal interrupts all of them
        os.killpg(run.process.pid, number)
    else:
        run.process.send_signal(number)
    status, printed, said = run.result()
    assert gone(everyone)
    assert status in (-number, 128 + number), said
    assert printed == ""
    # Of a parent that is killed at once, a worker that was just starting tells what it lacks.
    assert "Traceback" not in said or number in (signal.SIGKILL, signal.SIGQUIT)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_local_cluster_does_without_a_worker(
    tmp_path: Path, sides: tuple[str, str], number: signal.Signals
) -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    arguments = ["--engine", "dask", "--timeout", "60", "--output", "json"]
    run = Run(tmp_path, "score", *sides, *arguments)
    victim = wait_for_dask(run)[0]
    everyone = [run.process.pid, *descendants(run.process.pid)]
    os.kill(victim, number)
    status, printed, said = run.result()
    if status == 0:
        assert json.loads(printed)["scores"] == corefine.score(*sides).to_dict()["scores"]
    else:
        assert (status, said.count("error: ")) == (2, 1)
    assert "Traceback" not in said
    assert gone(everyone)


@pytest.fixture
def service() -> Iterator[int]:
    """The port of a service that is no scheduler: it says a line, and waits."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                connection.sendall(b"220 mail.example ESMTP\r\n")

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "tls://127.0.0.1:8786", "http://127.0.0.1:8786", "", ":8786", "127.0.0.1:99999"],
)
def test_an_address_that_is_no_scheduler(sides: tuple[str, str], address: str) -> None:
    with pytest.raises(UsageError):
        corefine.score(*sides, engine="dask", scheduler=address)


@pytest.mark.slow
@pytest.mark.parametrize("address", ["127.0.0.1:1/", "tcp://127.0.0.1:{}"])
def test_no_scheduler_answers(sides: tuple[str, str], service: int, address: str) -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    with pytest.raises(corefine.CorefineError):
        corefine.score(*sides, engine="dask", scheduler=address.format(service), timeout=2)


def test_a_cluster_without_workers(sides: tuple[str, str]) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    with (
        distributed.LocalCluster(n_workers=0, processes=True, dashboard_address=None) as cluster,
        pytest.raises(corefine.CorefineError, match="the cluster had no worker for 1 s"),
    ):
        corefine.score(*sides, engine="dask", scheduler=f"{cluster.scheduler_address}/", timeout=1)
