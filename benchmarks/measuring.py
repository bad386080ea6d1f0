"""Runs commands and workloads in processes of their own and measures them."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from time import perf_counter, sleep
from typing import Any

LAUNCHER = Path(__file__).with_name("launch.py")
#: What takes longer than this many seconds is measured once: five runs would take minutes.
LONG = 20.0


class MeasurementError(Exception):
    """A measured process failed; the message holds the end of what it said."""


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds, the median of so many runs, and the largest peak memory in bytes."""

    cpu: float
    peak: int
    runs: int = 1


def run(
    command: Sequence[str | Path], environment: Mapping[str, str] | None = None
) -> tuple[Cost, str]:
    """Runs a command once: what it cost, and what it wrote to standard output."""
    # Compiling the sources anew in each run would be measured as well.
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    reading, writing = os.pipe()
    try:
        finished = subprocess.run(
            [sys.executable, "-I", "-S", LAUNCHER, str(writing), *map(str, command)],
            pass_fds=[writing],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**inherited, **(environment or {})},
            check=False,
        )
    finally:
        os.close(writing)
    with os.fdopen(reading, encoding="ascii") as pipe:
        usage = pipe.read()
    if finished.returncode != 0 or not usage:
        said = "\n".join((finished.stderr or finished.stdout).strip().splitlines()[-8:])
        raise MeasurementError(f"failed: {' '.join(map(str, command))}\n{said}")
    return Cost(**json.loads(usage)), finished.stdout


def run_repeatedly(
    command: Sequence[str | Path],
    repeats: int,
    environment: Mapping[str, str] | None = None,
) -> Cost:
    """Runs a command so many times after one run that fills the caches."""
    first, _ = run(command, environment)
    if first.cpu > LONG:
        return first
    costs = [run(command, environment)[0] for _ in range(repeats)]
    return Cost(median(c.cpu for c in costs), max(c.peak for c in costs), len(costs))


def workload(name: str, **arguments: Any) -> tuple[Cost, Any]:
    """Runs a function of :mod:`benchmarks.workloads` in a fresh process.

    Gives what the whole process cost, and the figures that the function returned.
    """
    cost, output = run(workload_command(name, **arguments))
    return cost, json.loads(output)


def workload_command(name: str, **arguments: Any) -> list[str]:
    """The name may be that of a function in another module: ``scale_workloads.leftover``."""
    module, _, function = f"workloads.{name}".rpartition(".")
    module = module.rpartition(".")[2]
    return [sys.executable, "-m", f"benchmarks.{module}", function, json.dumps(arguments)]


@dataclass(frozen=True, slots=True)
class Together:
    """What a command cost with all the processes that it started."""

    wall: float
    cpu: float
    peak: int
    """The greatest sum of their memory, what they share counted once."""


def run_together(command: Sequence[str | Path], *, watched: bool = True) -> Together:
    """Runs a command once, looking at the memory of its processes all the while.

    To look at the memory of a process stops it for a moment. Where time is what counts it is not
    ``watched``, and its peak is 0.
    """
    before, begin = os.times(), perf_counter()
    peak = 0
    with TemporaryFile() as said:
        process = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=said)
        while watched and process.poll() is None:
            peak = max(peak, sum(map(_proportional_memory, _family(process.pid))))
            sleep(0.05)
        process.wait()
        said.seek(0)
        if process.returncode:
            words = said.read().decode("utf-8", "replace")
            raise MeasurementError(f"failed: {' '.join(map(str, command))}\n{words[-800:]}")
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return Together(perf_counter() - begin, cpu, peak)


def _family(pid: int) -> list[int]:
    """A process and all that it started; Linux only."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    except OSError:
        return []
    return [pid, *(one for child in text.split() for one in _family(int(child)))]


def _proportional_memory(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def cpu_seconds(task: Callable[[], object]) -> float:
    """What one call costs, all threads counted, and all processes that it started and ended."""
    start = _cpu_so_far()
    task()
    return _cpu_so_far() - start


def _cpu_so_far() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def cpu_medians(repeats: int, **tasks: Callable[[], object]) -> dict[str, float]:
    """The median cost of each task, after one call of each that fills caches and imports.

    The tasks take turns, so that a change in the machine's speed meets them all alike. ``runs`` is
    how many calls of each were counted: one where they are long.
    """
    first = sum(cpu_seconds(task) for task in tasks.values())
    rounds = [
        {name: cpu_seconds(task) for name, task in tasks.items()}
        for _ in range(repeats if first <= LONG else 1)
    ]
    return {name: median(r[name] for r in rounds) for name in tasks} | {"runs": len(rounds)}
