"""Scoring files window by window, on one core or several, within a bound of memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, starmap
from typing import TYPE_CHECKING, Any, TypeVar

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.kinds import KindPlan
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.scoring.breakdowns import Breakdown, joined
from corefine.scoring.drivers.windows import Window, cut, indexed
from corefine.scoring.scores import Scores
from corefine.scoring.statistics import CorpusStatistics
from corefine.scoring.tabulating import Tally, convention_warnings, tabulate

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

SMALL = 48 << 20
"""Two files of together less than this are read whole: windows would only cost."""
MEMORY = 512 << 20
"""The default bound of memory, in bytes."""
BASE = 72 << 20
"""What a process takes before it reads anything: Python, NumPy and this package."""
FACTOR = 6
"""How many times its own size a window takes while it is read and counted."""
LARGEST_WINDOW = 32 << 20
"""Larger ones would gain nothing."""

Part = tuple[CorpusStatistics, tuple[Breakdown, ...], Tally, tuple[str, ...]]
Progress = Callable[[int], None]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Job:
    """What is counted in every window."""

    metrics: tuple[Metric, ...]
    settings: Settings
    kinds: KindPlan | None
    by: tuple[str, ...] = ()

    @property
    def layers(self) -> frozenset[str]:
        return frozenset() if self.kinds is None else self.kinds.layers

    def count(self, window: Window) -> Part:
        """The statistics of a window's documents."""
        return self.count_corpora(window.key.read(self.layers), window.response.read(self.layers))

    def count_corpora(self, key: Corpus, response: Corpus) -> Part:
        """The statistics of the documents of two corpora."""
        table, tally, warnings = tabulate(key, response, self.settings, self.kinds)
        divided = tuple(Breakdown.of(way, table, self.metrics) for way in self.by)
        return CorpusStatistics.of(table, self.metrics), divided, tally, warnings


def stream_scores(
    key: str,
    response: str,
    metrics: dict[str, Metric],
    settings: Settings,
    kinds: KindPlan | None = None,
    by: Sequence[str] = (),
    *,
    formats: tuple[str | None, str | None] = (None, None),
    jobs: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Scores | None:
    """The scores of two files that are never held whole; None where they must be.

    Files can be streamed if they are plain files of a format whose documents can be read one by
    one, and if both have the same documents, in whatever order. The result is the same to the last
    bit as that of reading them whole, for any window and any number of processes.
    """
    if settings.scope != "document" or (memory is None and jobs is None and _small(key, response)):
        return None
    processes = jobs or os.cpu_count() or 1
    job = Job(tuple(metrics.values()), settings, kinds, tuple(by))
    statistics: list[CorpusStatistics] = []
    breakdowns: list[tuple[Breakdown, ...]] = []
    tally = Tally()
    warnings: list[str] = []
    with _pool(processes) as pool:
        sides = [(key, formats[0], "key"), (response, formats[1], "response")]
        ours, theirs = _in_order(pool, indexed, sides, ahead=2)
        if ours is None or theirs is None or not _same_documents(ours[1].names, theirs[1].names):
            return None
        windows = list(cut(ours, theirs, _window_size(memory or MEMORY, processes)))
        parts = _in_order(pool, job.count, [(window,) for window in windows], 2 * processes)
        for window, part in zip(windows, parts, strict=True):
            statistics.append(part[0])
            breakdowns.append(part[1])
            tally += part[2]
            warnings.extend(part[3])
            if progress is not None:
                progress(window.size)
    return Scores(
        metrics,
        CorpusStatistics.concatenate(statistics),
        settings,
        tally.notes,
        (
            *dict.fromkeys(warnings),
            *tally.warnings,
            *convention_warnings(job.metrics, settings, by),
        ),
        breakdowns=joined(breakdowns),
    )


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


def _small(*paths: str) -> bool:
    try:
        return sum(os.path.getsize(path) for path in paths) < SMALL
    except OSError:
        return True


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
