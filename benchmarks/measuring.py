"""CPU time and memory of commands and functions, each in its own process."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from time import perf_counter, sleep
from typing import Any

LAUNCHER = Path(__file__).with_name("launch.py")
#: Anything longer than this many seconds is measured once.
LONG = 20.0


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run."""

    factors: tuple[int, ...]
    """Sizes of the corpus, as multiples of about 100 documents."""
    mentions: tuple[int, ...]
    """Sizes of the giant document."""
    repeats: int


class MeasurementError(Exception):
    """A measured process failed; the message has the end of its output."""


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds, the median of so many runs, and the largest peak memory in bytes."""

    cpu: float
    peak: int
    runs: int = 1


def run(
    command: Sequence[str | Path], environment: Mapping[str, str] | None = None
) -> tuple[Cost, str]:
    """Run a command once; returns its cost and its standard output."""
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
    """Run a command repeatedly, after one run that fills the caches."""
    first, _ = run(command, environment)
    if first.cpu > LONG:
        return first
    costs = [run(command, environment)[0] for _ in range(repeats)]
    return Cost(median(c.cpu for c in costs), max(c.peak for c in costs), len(costs))


def workload(name: str, **arguments: Any) -> tuple[Cost, Any]:
    """Run a function of a module of the benchmark, ``files.floor``, in a fresh process.

    Returns the cost of the whole process, and the result of the function.
    """
    cost, output = run(workload_command(name, **arguments))
    return cost, json.loads(output)


def workload_command(name: str, **arguments: Any) -> list[str]:
    """The command that runs a function of the benchmark and prints its result as JSON."""
    return [sys.executable, "-m", "benchmarks.measuring", name, json.dumps(arguments)]


@dataclass(frozen=True, slots=True)
class Together:
    """Cost of a command with all processes that it started."""

    wall: float
    cpu: float
    peak: int
    """Largest sum of their memory, with shared memory counted once."""


def run_together(command: Sequence[str | Path], *, watched: bool = True) -> Together:
    """Run a command once, and sample the memory of its processes.

    Sampling interrupts a process briefly. For exact times, use ``watched=False``; the peak is 0.
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
    """A process and its descendants; Linux only."""
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
    """CPU seconds of one call, with all threads and finished child processes."""
    start = _cpu_so_far()
    task()
    return _cpu_so_far() - start


def _cpu_so_far() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def cpu_medians(repeats: int, **tasks: Callable[[], object]) -> dict[str, float]:
    """The median cost of each task, after one call of each that fills caches and imports.

    The tasks are interleaved, so that changes in the machine's speed affect all of them. ``runs``
    is the number of calls of each: one for long tasks.
    """
    first = sum(cpu_seconds(task) for task in tasks.values())
    rounds = [
        {name: cpu_seconds(task) for name, task in tasks.items()}
        for _ in range(repeats if first <= LONG else 1)
    ]
    return {name: median(r[name] for r in rounds) for name in tasks} | {"runs": len(rounds)}


def main() -> None:
    module, _, function = sys.argv[1].rpartition(".")
    workload_function = getattr(import_module(f"benchmarks.{module}"), function)
    print(json.dumps(workload_function(**json.loads(sys.argv[2]))))


if __name__ == "__main__":
    main()
