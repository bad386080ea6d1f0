"""Scoring on a Dask cluster: workers read the shards and count, the client adds up.

Statistics of documents do not depend on how a corpus is cut, and their sums are exact before they
are rounded, so the result is the same to the last bit as that of one machine.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from multiprocessing import active_children
from pickle import PicklingError
from typing import Any, cast

from corefine.errors import CorefineError, MissingExtraError, UsageError, code_of
from corefine.output.progress import Progress, silent
from corefine.scoring.count import count
from corefine.scoring.counts import Counts
from corefine.scoring.drivers.cross_document import count_shards, match_shard, refuse_unsupported
from corefine.scoring.drivers.shards import (
    Shard,
    ShardPair,
    Shards,
    compare_documents,
    find_shards,
    pair_shards,
)
from corefine.scoring.request import Request
from corefine.scoring.sides import Side

TIMEOUT = 6.0
"""Seconds in which a scheduler has to answer, the library has to be loaded and a first worker has
to be there: with what a start and an end take, an error comes within ten."""
SHORTEST = 1.0
"""Seconds that each step has: a busy machine may take all others to load the library."""
LONGEST_TIMEOUT = 1e6
"""Seconds that a socket can be told to wait, and nobody will."""
LONGEST_GREETING = 1 << 20
"""Bytes of the message with which a scheduler begins; its length stands before it."""
LOOK = 0.5
"""Seconds between two looks at whether a cluster without results is still at work."""
_LEFT_OVER = "ignore:resource_tracker:UserWarning"
"""Where a run is ended by a signal, its semaphores are removed after it."""
_ADDRESS = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*)://)?(.*?)(?::(\d+))?/?", re.DOTALL)


@contextmanager
def connected(scheduler: str | None = None, timeout: float = TIMEOUT) -> Iterator[Any]:
    """A client of the scheduler at this address, or of workers on this machine.

    A scheduler that does not answer in time, or that has no worker, is an error.
    """
    address = None if scheduler is None else _address(scheduler)
    begun = time.monotonic()
    if find_spec("distributed") is None:
        raise MissingExtraError("the dask engine", "distributed", "dask")
    if address is not None:
        # Before the library is loaded, which takes seconds on a busy machine.
        try:
            _in_time(partial(_hear, address, timeout), timeout)
        except Exception as error:
            raise _no_answer(address, timeout, error) from None
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingExtraError("the dask engine", "distributed", "dask") from None
    with ExitStack() as opened:
        if address is None:
            cluster = opened.enter_context(_local_cluster(LocalCluster))
            address = cluster.scheduler_address
            begun = time.monotonic()
        client = opened.enter_context(_answering(Client, address, timeout, begun))
        _await_worker(client, timeout, begun)
        yield client


@contextmanager
def _local_cluster(kind: Any) -> Iterator[Any]:
    """Workers on this machine, which end with it whatever they are doing."""
    from distributed.core import Status

    others = active_children()
    with _interrupting_only_us():
        # Errors come back from the workers and are told once, by us.
        cluster = kind(
            n_workers=0,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",  # any port: the usual one may be taken
            silence_logs=logging.CRITICAL,
        )
    try:
        cluster.scale(os.cpu_count() or 1)
        yield cluster
    finally:
        with suppress(Exception):
            cluster.close(timeout=1)
        for process in active_children():
            if process not in others:
                process.kill()
        cluster.status = Status.closed  # or the library would try again when this process ends


@contextmanager
def _interrupting_only_us() -> Iterator[None]:
    """Start threads that leave interruptions to this one, and whose processes do not get them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _clear_away_quietly()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _clear_away_quietly() -> None:
    """Start the process that removes semaphores once all others have gone, without a word of it.

    It is started here, as in the thread that starts it interruptions would come through again.
    """
    from multiprocessing.resource_tracker import ensure_running

    sys.warnoptions.append(_LEFT_OVER)
    try:
        ensure_running()
    finally:
        sys.warnoptions.remove(_LEFT_OVER)


def _left(timeout: float, begun: float) -> float:
    """What is left of the time since it was begun, which is always enough for a look."""
    return max(timeout - (time.monotonic() - begun), min(SHORTEST, timeout))


def _address(scheduler: str) -> str:
    """The address as Dask writes it; one that cannot be a scheduler's is refused."""
    match = _ADDRESS.fullmatch(scheduler.strip())
    assert match is not None, "every string is an address of some kind"
    protocol, host, port = match.groups()
    remedy = "An address is tcp://HOST:PORT, such as tcp://127.0.0.1:8786."
    if protocol == "tls":
        remedy = "Create a client with certificates in Python and pass it as engine=client."
        problem = "a TLS connection needs certificates"
    elif protocol not in (None, "tcp"):
        problem = f"unknown protocol {protocol}:// in the scheduler address"
    elif not host:
        problem = "the scheduler address has no host"
    elif port is None:
        problem = f"the scheduler address {scheduler!r} has no port"
    elif not 0 < int(port[:9]) < 1 << 16:
        problem = f"invalid port {port}"
    else:
        return f"tcp://{host}:{port}"
    raise UsageError(problem, remedy=remedy)


@contextmanager
def _answering(kind: Any, address: str, timeout: float, begun: float) -> Iterator[Any]:
    """A client whose scheduler has answered; what the library writes to its log is not shown."""
    log = logging.getLogger("distributed")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        try:
            client = _client(kind, address, _left(timeout, begun))
        except Exception as error:
            # Whatever a service that is no scheduler makes of the library.
            raise _no_answer(address, timeout, error) from None
        try:
            yield client
        finally:
            with suppress(Exception):
                client.close(timeout=1)
            client.status = "closed"
    finally:
        log.setLevel(level)


def _no_answer(address: str, timeout: float, error: Exception) -> CorefineError:
    return CorefineError(
        f"no Dask scheduler answered at {address} within {timeout:g} seconds "
        f"({type(error).__name__})",
        remedy="Start one with 'dask scheduler' and workers with 'dask worker ADDRESS', or wait "
        "longer with --timeout.",
    )


def _in_time(work: Callable[[], None], timeout: float) -> None:
    """Do the work in so many seconds, however long others take to answer or to find a name."""
    failed: list[Exception] = []

    def attempt() -> None:
        try:
            work()
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(timeout)
    if thread.is_alive():
        raise TimeoutError("no answer")
    if failed:
        raise failed[0]


def _hear(address: str, timeout: float) -> None:
    """Wait for the greeting of a scheduler, which speaks first and says how long the greeting is.

    Other services wait for us, or begin with text, which read as a length would be a vast one.
    """
    _, host, port = cast("re.Match[str]", _ADDRESS.fullmatch(address)).groups()
    with socket.create_connection((host.strip("[]"), int(port)), timeout) as connection:
        length = b""
        while len(length) < 8:
            piece = connection.recv(8 - len(length))
            if not piece:
                raise ConnectionError("the connection was closed")
            length += piece
        if int.from_bytes(length, "little") > LONGEST_GREETING:
            raise ConnectionError("another service answered")


def _client(kind: Any, address: str, timeout: float) -> Any:
    """A client in so many seconds; whoever speaks another language may keep us for ever.

    One that fails is told that it is closed: it would close itself when it is collected, and
    complain of it.
    """
    client = kind.__new__(kind)
    wanted = True

    def work() -> None:
        usable = False
        try:
            client.__init__(address, set_as_default=False, timeout=timeout)
            usable = wanted
        finally:
            if not usable:
                client.status = "closed"

    try:
        _in_time(work, timeout)
    except Exception:
        wanted = False
        raise
    return client


def _await_worker(client: Any, timeout: float, begun: float) -> None:
    """Wait for a first worker, as long as is left of the time since it was begun."""
    try:
        client.wait_for_workers(1, _left(timeout, begun))
    except Exception:
        raise _no_workers(timeout) from None


def _no_workers(timeout: float) -> CorefineError:
    return CorefineError(
        f"the cluster had no worker for {timeout:g} s",
        remedy="Start workers with 'dask worker ADDRESS'. Local workers import your main "
        "module: put its calls under 'if __name__ == \"__main__\":'. Wait longer with --timeout.",
    )


def count_on_dask(
    key: Side,
    response: Side,
    request: Request,
    client: Any = None,
    scheduler: str | None = None,
    progress: Progress = silent,
    timeout: float | None = None,
) -> Counts:
    """The counts of two sides in shards, made by the workers of a cluster.

    A task that a lost worker had is done again by another; it is a pure function of its files, so
    nothing is counted twice. A shard that cannot be read is an error that names it.
    """
    if request.settings.scope != "document":
        refuse_unsupported(request)
    patience = TIMEOUT if timeout is None else timeout
    if not 0 < patience < LONGEST_TIMEOUT:
        raise UsageError(
            f"timeout cannot be {timeout}", remedy="Give a number of seconds, such as 10."
        )
    sides = find_shards(key), find_shards(response)
    if client is None:
        with connected(scheduler, patience) as opened:
            return _Cluster(opened, patience).counted(*sides, request, progress)
    if scheduler is not None:
        raise UsageError("a Dask client already has a scheduler", remedy="Leave out the scheduler.")
    if not hasattr(client, "submit") or getattr(client, "asynchronous", False):
        raise UsageError(
            f"engine cannot be {type(client).__name__}",
            remedy="Use 'local', 'dask' or a synchronous Dask client.",
        )
    _await_worker(client, patience, time.monotonic())
    return _Cluster(client, patience).counted(*sides, request, progress)


def _count_shard(pair: ShardPair, request: Request) -> Counts:
    return _without_missing(count(*pair.read(request.layers), _forgiving(request)), request)


def _forgiving(request: Request) -> Request:
    """The request for a part: documents were compared before, over all shards."""
    return request.with_settings(missing_documents="count")


def _without_missing(counts: Counts, request: Request) -> Counts:
    """The counts under the request as it was made, without a word on documents of this part."""
    warnings = tuple(w for w in counts.warnings if code_of(w) != "missing-documents")
    return replace(counts, request=request, warnings=warnings)


@dataclass(frozen=True, slots=True)
class _Cluster:
    """A client, and how long its cluster may be without a worker."""

    client: Any
    patience: float

    def counted(self, ours: Shards, theirs: Shards, request: Request, progress: Progress) -> Counts:
        """The counts of all shards."""
        tasks: list[tuple[Any, ...]] = [(shard,) for shard in (*ours.shards, *theirs.shards)]
        listed = self._gather(Shard.names, tasks, silent)
        count = len(ours.shards)
        key = list(zip(ours.shards, listed[:count], strict=True))
        response = list(zip(theirs.shards, listed[count:], strict=True))
        pairs = pair_shards(key, response)
        warnings = compare_documents(key, response, request.settings)
        tasks = [(pair, request) for pair in pairs]
        if request.settings.scope == "document":
            whole = Counts.sum(self._gather(_count_shard, tasks, progress))
        else:
            whole = count_shards(self._gather(match_shard, tasks, progress), request)
        said = (*ours.warnings, *theirs.warnings, *warnings, *whole.warnings)
        return replace(whole, warnings=said)

    def _gather(self, work: Any, tasks: list[tuple[Any, ...]], progress: Progress) -> list[Any]:
        """The results in order; an error of ours is raised as it is, any other says what to do.

        What is left is cancelled, so no two calls may share a task: tasks are submitted as not
        pure.
        """
        futures: list[Any] = []
        results = []
        try:
            try:
                futures.extend(self.client.submit(work, *task, pure=False) for task in tasks)
            except (TypeError, AttributeError, PicklingError) as error:
                raise UsageError(
                    f"the request cannot be sent to the workers: {error}",
                    remedy="With Dask, metrics and sources of mention kinds must be picklable.",
                ) from None
            for future in futures:
                results.append(self._result(future))
                progress("scoring", len(results), len(futures))
        except CorefineError:
            raise
        except Exception as error:
            raise CorefineError(
                f"the cluster failed: {type(error).__name__}: {error}",
                remedy="Check the worker logs and try again.",
            ) from None
        finally:
            if getattr(self.client, "status", "running") == "running":
                self.client.cancel(futures)
        return results

    def _result(self, future: Any) -> Any:
        """The result of a task; it is awaited as long as there is a worker that may give it."""
        last_seen = time.monotonic()
        while not future.done():
            try:
                return future.result(timeout=LOOK)
            except TimeoutError:
                if future.done():  # the task itself ran out of time somewhere
                    break
            if self.client.status == "running" and self.client.nthreads():
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > self.patience:
                raise _no_workers(self.patience)
        return future.result()
