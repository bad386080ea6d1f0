"""Tasks in several processes: workers exit with their parent, tasks of lost ones are repeated."""

from __future__ import annotations

import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from itertools import islice, starmap
from typing import Any, TypeVar

from corefine.errors import CorefineError

Result = TypeVar("Result")

ATTEMPTS = 3
"""The number of attempts before lost workers are an error."""


def in_order(
    work: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], processes: int
) -> Generator[Result, None, None]:
    """The results of tasks in order; few of them wait to be taken.

    Everything runs in this process if one is enough, if the tasks cannot be pickled, and in
    daemonic processes, which may not have children. If a worker is killed, half as many continue:
    memory may have been short.
    """
    if processes <= 1 or not tasks or not _can_be_sent(work, *tasks[0]):
        yield from starmap(work, tasks)
        return
    from concurrent.futures.process import BrokenProcessPool

    done = 0
    for attempt in range(ATTEMPTS):
        try:
            for result in _with_pool(work, tasks[done:], max(1, processes >> attempt)):
                done += 1
                yield result
            return
        except BrokenProcessPool:
            continue
    raise CorefineError(
        f"a worker process was killed {ATTEMPTS} times",
        remedy="If it ran out of memory, use fewer processes (--jobs 1) or a smaller limit "
        "(--memory).",
    )


def _with_pool(
    work: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], processes: int
) -> Generator[Result, None, None]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # A forked process need not import anything again.
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(processes, context, _begin)
    finished = False
    try:
        remaining = iter(tasks)
        waiting = deque(pool.submit(work, *task) for task in islice(remaining, 2 * processes))
        while waiting:
            result = waiting.popleft().result()
            waiting.extend(pool.submit(work, *task) for task in islice(remaining, 1))
            yield result
        finished = True
    finally:
        if not finished:  # do not wait for tasks whose results nobody needs
            for process in list((pool._processes or {}).values()):
                process.kill()
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Set up a worker: it leaves signals to its parent, and exits with it."""
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        with suppress(OSError, AttributeError):  # C libraries without it
            ctypes.CDLL(None).prctl(set_parent_death_signal, int(signal.SIGKILL), 0, 0, 0)


def _can_be_sent(*things: Any) -> bool:
    """True if this process may have children, and things can be pickled."""
    from multiprocessing import current_process

    if current_process().daemon:
        return False
    try:
        pickle.dumps(things)
    except Exception:  # unnamed functions, for example
        return False
    return True
