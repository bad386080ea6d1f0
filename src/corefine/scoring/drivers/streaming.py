"""Scoring files window by window, on one core or several, within a bound of memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, starmap
from typing import TYPE_CHECKING, Any, TypeVar

from corefine.errors import UsageError
from corefine.scoring.count import count
from corefine.scoring.counts import Counts
from corefine.scoring.drivers.windows import Window, cut, indexed
from corefine.scoring.request import Request
from corefine.scoring.sides import Side
from corefine.showing.progress import Progress, silent

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

MEMORY = 512 << 20
"""The default bound of memory, in bytes."""
BASE = 72 << 20
"""What a process takes before it reads anything: Python, NumPy and this package."""
FACTOR = 6
"""How many times its own size a window takes while it is read and counted."""
LARGEST_WINDOW = 32 << 20
"""Larger ones would gain nothing."""

Result = TypeVar("Result")


def stream(
    key: Side,
    response: Side,
    request: Request,
    *,
    jobs: int | None = None,
    memory: int | None = None,
    progress: Progress = silent,
) -> Counts | None:
    """The counts of two files that are never held whole; None where they must be.

    Files can be streamed if they are plain files of a format whose documents can be read one by
    one, and if both have the same documents, in whatever order. The result is the same to the last
    bit as that of reading them whole, for any window and any number of processes.
    """
    if request.settings.scope != "document" or key.path is None or response.path is None:
        return None
    processes = jobs or os.cpu_count() or 1
    with _pool(processes) as pool:
        ours, theirs = _in_order(pool, indexed, [(key,), (response,)], ahead=2)
        if ours is None or theirs is None or not _same_documents(ours[1].names, theirs[1].names):
            return None
        windows = list(cut(ours, theirs, _window_size(memory or MEMORY, processes)))
        total, done = sum(window.size for window in windows), 0
        parts = []
        tasks = [(window, request) for window in windows]
        for window, part in zip(
            windows, _in_order(pool, _count_window, tasks, 2 * processes), strict=True
        ):
            parts.append(part)
            done += window.size
            progress("scoring", done, total)
    return Counts.sum(parts)


def _count_window(window: Window, request: Request) -> Counts:
    layers = request.layers
    return count(window.key.read(layers), window.response.read(layers), request)


def _window_size(memory: int, processes: int) -> int:
    """The bytes of both sides that each process may read at once."""
    room = memory - BASE * (processes + (processes > 1))
    size = room // (FACTOR * processes)
    if size < 1 << 20:
        raise UsageError(
            f"{memory >> 20} MB are too little for {processes} process(es)",
            remedy="Allow more with --memory, or fewer processes with --jobs.",
        )
    return min(size, LARGEST_WINDOW)


def _same_documents(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether both have the same documents, each once; other files get their errors elsewhere."""
    return len(ours) == len(theirs) and len(set(ours)) == len(ours) and set(ours) == set(theirs)


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor | None]:
    """Processes to work in; None where this one does it alone."""
    if processes == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(processes, get_context(_method()))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(
    pool: ProcessPoolExecutor | None,
    work: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    ahead: int,
) -> Iterator[Result]:
    """What the work makes of each task, in their order; few results ever wait to be taken."""
    if pool is None:
        yield from starmap(work, tasks)
        return
    remaining = iter(tasks)
    waiting = deque(pool.submit(work, *task) for task in islice(remaining, ahead))
    while waiting:
        result = waiting.popleft().result()
        waiting.extend(pool.submit(work, *task) for task in islice(remaining, 1))
        yield result


def _method() -> str:
    """A forked process need not import anything again; elsewhere it starts afresh."""
    return "fork" if os.name == "posix" and os.uname().sysname == "Linux" else "spawn"
