"""Scoring on a Dask cluster: workers read shards and count, the client adds the counts.

Statistics of documents do not depend on how a corpus is divided, and their sums are exact before
they are rounded, so the result is identical to the bit with that of one machine.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing import active_children
from pickle import PicklingError
from typing import Any
from urllib.parse import urlsplit

from corefine.errors import CorefineError, MissingExtraError, UsageError, code_of
from corefine.output.progress import Progress, silent
from corefine.scoring.count import count
from corefine.scoring.counts import Counts
from corefine.scoring.drivers.cross_document import count_shards, match_shard, refuse_unsupported
from corefine.scoring.drivers.shards import (
    Shard,
    ShardPair,
    compare_documents,
    find_shards,
    pair_shards,
)
from corefine.scoring.request import Request
from corefine.scoring.sides import Side

TIMEOUT = 6.0
"""Default seconds to wait for the scheduler and for a worker."""
LOOK = 0.5
"""Seconds between two checks that the cluster still has workers."""


def count_on_dask(
    key: Side,
    response: Side,
    request: Request,
    client: Any = None,
    scheduler: str | None = None,
    progress: Progress = silent,
    timeout: float | None = None,
) -> Counts:
    """The counts of two sides in shards, computed by the workers of a cluster.

    Tasks of lost workers are repeated by others: they are pure functions of their files.
    """
    if request.settings.scope != "document":
        refuse_unsupported(request)
    timeout = TIMEOUT if timeout is None else timeout
    if not 0 < timeout < 1e6:
        raise UsageError(
            f"timeout cannot be {timeout}", remedy="Give a number of seconds, such as 10."
        )
    if client is None:
        with _connected(scheduler, timeout) as opened:
            return _count(opened, key, response, request, progress, timeout)
    if scheduler is not None:
        raise UsageError("a Dask client already has a scheduler", remedy="Leave out the scheduler.")
    if not hasattr(client, "submit") or getattr(client, "asynchronous", False):
        raise UsageError(
            f"engine cannot be {type(client).__name__}",
            remedy="Use 'local', 'dask' or a synchronous Dask client.",
        )
    return _count(client, key, response, request, progress, timeout)


@contextmanager
def _connected(scheduler: str | None, timeout: float) -> Iterator[Any]:
    """A client of the scheduler at this address, or of workers on this machine."""
    address = None if scheduler is None else _address(scheduler)
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("the dask engine", "distributed", "dask") from None
    connect: Any = distributed.Client
    # Errors of workers are raised here, and not written to logs as well.
    logs = [logging.getLogger(name) for name in ("distributed", "asyncio")]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL + 1)
    try:
        if address is None:
            with _local_cluster(distributed.LocalCluster) as cluster:
                # Created in two steps: a client that is interrupted while it connects would
                # otherwise wait without end for its scheduler when it is deleted.
                client = connect.__new__(connect)
                try:
                    client.__init__(cluster.scheduler_address, set_as_default=False)
                    yield client
                finally:
                    with suppress(Exception):
                        client.close(timeout=1)
                    client.status = "closed"
            return
        try:
            client = connect(address, set_as_default=False, timeout=timeout)
        except Exception as error:
            raise CorefineError(
                f"no Dask scheduler answered at {address} within {timeout:g} seconds "
                f"({type(error).__name__})",
                remedy="Start one with 'dask scheduler' and workers with 'dask worker ADDRESS', "
                "or wait longer with --timeout.",
            ) from None
        with client:
            yield client
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


@contextmanager
def _local_cluster(make: Any) -> Iterator[Any]:
    """Workers on this machine, started without signals from the keyboard: these are for us."""
    from distributed.core import Status
    from distributed.gc import disable_gc_diagnosis

    others = set(active_children())
    if hasattr(signal, "pthread_sigmask"):
        _start_resource_tracker()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        cluster = make(
            n_workers=0,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        )
        # Its callback logs only, and Python discards an interruption that is raised in a callback.
        disable_gc_diagnosis()  # type: ignore[no-untyped-call]
        cluster.scale(os.cpu_count() or 1)  # a worker that fails to start is replaced
    finally:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield cluster
    finally:
        with suppress(Exception):  # an interrupted library cannot always close in order
            cluster.close(timeout=1)
        for process in set(active_children()) - others:
            process.kill()
        cluster.status = Status.closed  # or the library would close it again at exit


def _start_resource_tracker() -> None:
    """Start the process that removes semaphores, before signals are blocked.

    Starting it unblocks SIGINT in the thread that starts it, and so in the workers if that is the
    thread of the cluster. Semaphores of an interrupted run are removed without a warning.
    """
    from multiprocessing.resource_tracker import ensure_running

    sys.warnoptions.append("ignore:resource_tracker:UserWarning")
    try:
        ensure_running()
    finally:
        sys.warnoptions.pop()


def _address(scheduler: str) -> str:
    """The address of a scheduler in the form that Dask uses."""
    try:
        parts = urlsplit(scheduler if "://" in scheduler else f"tcp://{scheduler}")
        if parts.scheme == "tcp" and parts.hostname and parts.port:
            return f"tcp://{parts.netloc}"
    except ValueError:
        pass
    raise UsageError(
        f"{scheduler!r} is not the address of a scheduler",
        remedy="Write tcp://HOST:PORT, such as tcp://127.0.0.1:8786. For TLS, create a client with "
        "certificates in Python and pass it as engine=client.",
    )


def _count(
    client: Any, key: Side, response: Side, request: Request, progress: Progress, timeout: float
) -> Counts:
    """The counts of all shards."""
    ours, theirs = find_shards(key), find_shards(response)
    shards = [*ours.shards, *theirs.shards]
    names = _gather(client, Shard.names, [(shard,) for shard in shards], silent, timeout)
    named = list(zip(shards, names, strict=True))
    key_shards, response_shards = named[: len(ours.shards)], named[len(ours.shards) :]
    tasks = [(pair, request) for pair in pair_shards(key_shards, response_shards)]
    warnings = compare_documents(key_shards, response_shards, request.settings)
    if request.settings.scope == "document":
        whole = Counts.sum(_gather(client, _count_shard, tasks, progress, timeout))
    else:
        whole = count_shards(_gather(client, match_shard, tasks, progress, timeout), request)
    return replace(whole, warnings=(*ours.warnings, *theirs.warnings, *warnings, *whole.warnings))


def _count_shard(pair: ShardPair, request: Request) -> Counts:
    """The counts of one shard; missing documents were reported before, for all shards."""
    counts = count(*pair.read(request.layers), request.with_settings(missing_documents="count"))
    warnings = tuple(text for text in counts.warnings if code_of(text) != "missing-documents")
    return replace(counts, request=request, warnings=warnings)


def _gather(
    client: Any, work: Any, tasks: Sequence[tuple[Any, ...]], progress: Progress, timeout: float
) -> list[Any]:
    """The results of tasks in order. Errors of corefine are raised as they are."""
    futures: list[Any] = []
    results = []
    try:
        # Not pure: results are cancelled at the end, and calls must not share them.
        futures.extend(client.submit(work, *task, pure=False) for task in tasks)
        for future in futures:
            results.append(_result(client, future, timeout))
            progress("scoring", len(results), len(futures))
    except CorefineError:
        raise
    except (PicklingError, TypeError, AttributeError) as error:
        raise UsageError(
            f"the request cannot be sent to the workers: {error}",
            remedy="With Dask, metrics and sources of mention kinds must be picklable.",
        ) from None
    except Exception as error:
        raise CorefineError(
            f"the cluster failed: {type(error).__name__}: {error}",
            remedy="Check the worker logs and try again.",
        ) from None
    finally:
        if getattr(client, "status", "running") == "running":
            client.cancel(futures)
    return results


def _result(client: Any, future: Any, timeout: float) -> Any:
    """The result of a task; an error if the cluster has no worker for so many seconds."""
    last_seen = time.monotonic()
    while not future.done():
        try:
            return future.result(timeout=LOOK)
        except TimeoutError:
            if future.done():  # the task itself timed out
                break
        if client.status == "running" and client.nthreads():
            last_seen = time.monotonic()
        elif time.monotonic() - last_seen > timeout:
            raise CorefineError(
                f"the cluster had no worker for {timeout:g} s",
                remedy="Start workers with 'dask worker ADDRESS'. Local workers import your main "
                "module: put its calls under 'if __name__ == \"__main__\":'. Wait longer with "
                "--timeout.",
            )
    return future.result()
