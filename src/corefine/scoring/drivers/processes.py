"""Processes that share work: they end with the one that started them, and may be lost.

The work is a pure function of each task, so that what a lost process had is done again by another.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from itertools import islice, starmap
from typing import Any, TypeVar

from corefine.errors import CorefineError

Result = TypeVar("Result")

ATTEMPTS = 3
"""How often work is begun before lost processes are an error."""
WATCH = 0.5
"""Seconds between two looks at whether the parent is still there."""


def in_order(
    work: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], processes: int
) -> Generator[Result, None, None]:
    """What the work makes of each task, in their order; few results ever wait to be taken.

    One process does it alone, as does any number where the tasks cannot be sent to others. Where a
    process is killed, half as many take what is left: it may have been for want of memory.
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

    pool = ProcessPoolExecutor(processes, get_context(_method()), _begin, (os.getpid(),))
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
        if not finished:
            # Nobody waits for what is left: not for a window that takes seconds, nor for more.
            for process in list((pool._processes or {}).values()):
                process.kill()
        pool.shutdown(cancel_futures=True)


def _begin(parent: int) -> None:
    """Set up a process: it ends with its parent, and leaves signals to it."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, too
    if sys.platform == "linux":
        _die_with_parent()
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _die_with_parent() -> None:
    """Ask the kernel to kill this process when the thread that started it ends."""
    import ctypes

    set_parent_death_signal = 1
    with suppress(OSError, AttributeError):  # a C library without it: watching has to do
        ctypes.CDLL(None).prctl(set_parent_death_signal, int(signal.SIGKILL), 0, 0, 0)


def _watch(parent: int) -> None:
    """End this process once its parent has gone: for systems that do not do it themselves."""
    from multiprocessing import parent_process

    started_by = parent_process()
    assert started_by is not None
    # Where a parent is told by its number, an orphan has another one.
    while started_by.is_alive() and (os.name != "posix" or os.getppid() == parent):
        started_by.join(WATCH)
    os._exit(1)


def _can_be_sent(*things: Any) -> bool:
    """Whether things can be pickled: a function without a name, as a source of kinds, cannot."""
    import pickle

    try:
        pickle.dumps(things)
    except Exception:
        return False
    return True


def _method() -> str:
    """A forked process need not import anything again; elsewhere it starts afresh."""
    return "fork" if os.name == "posix" and os.uname().sysname == "Linux" else "spawn"
