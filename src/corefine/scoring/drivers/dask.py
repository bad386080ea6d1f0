"""Scoring on a Dask cluster: workers read the shards and count, the client adds up.

Statistics of documents do not depend on how a corpus is cut, and their sums are exact before they
are rounded, so the result is the same to the last bit as that of one machine.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from corefine.errors import CorefineError, MissingExtraError
from corefine.scoring.count import count
from corefine.scoring.counts import Counts
from corefine.scoring.drivers.cells import count_cells, joined_counts, refuse_unsupported
from corefine.scoring.drivers.shards import (
    Shard,
    ShardPair,
    compare_documents,
    find_shards,
    pair_shards,
)
from corefine.scoring.request import Request
from corefine.scoring.sides import Side
from corefine.showing.progress import Progress, silent


def connect(scheduler: str | None = None) -> Any:
    """A client of the scheduler at this address, or of workers on this machine."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("the engine dask", "distributed", "dask") from None
    make: Any = Client
    try:
        if scheduler is not None:
            return make(scheduler, set_as_default=False)
        # Errors come back from the workers and are told once, by us.
        return make(
            processes=True,
            dashboard_address=None,
            set_as_default=False,
            silence_logs=logging.CRITICAL,
        )
    except (OSError, TimeoutError) as error:
        raise CorefineError(
            f"no scheduler answers at {scheduler}: {error}",
            remedy="Start one with 'dask scheduler', and workers with 'dask worker ADDRESS'.",
        ) from None


def count_on_dask(
    key: Side,
    response: Side,
    request: Request,
    client: Any = None,
    scheduler: str | None = None,
    progress: Progress = silent,
) -> Counts:
    """The counts of two sides in shards, made by the workers of a cluster.

    A task that a lost worker had is done again by another; it is a pure function of its files, so
    nothing is counted twice. A shard that cannot be read is an error that names it.
    """
    if request.settings.scope != "document":
        refuse_unsupported(request)
    ours, theirs = find_shards(key), find_shards(response)
    if client is None:
        with connect(scheduler) as opened:
            return _counted(opened, ours, theirs, request, progress)
    return _counted(client, ours, theirs, request, progress)


def _counted(
    client: Any, ours: list[Shard], theirs: list[Shard], request: Request, progress: Progress
) -> Counts:
    listed = _gather(client, Shard.names, [(shard,) for shard in (*ours, *theirs)], silent)
    key = list(zip(ours, listed[: len(ours)], strict=True))
    response = list(zip(theirs, listed[len(ours) :], strict=True))
    pairs = pair_shards(key, response)
    warnings = compare_documents(key, response, request.settings)
    tasks = [(pair, request) for pair in pairs]
    if request.settings.scope == "document":
        whole = Counts.sum(_gather(client, _count_shard, tasks, progress))
    else:
        whole = joined_counts(_gather(client, count_cells, tasks, progress), request)
    return replace(whole, warnings=(*warnings, *whole.warnings))


def _count_shard(pair: ShardPair, request: Request) -> Counts:
    return _without_missing(count(*pair.read(request.layers), _forgiving(request)), request)


def _forgiving(request: Request) -> Request:
    """The request for a part: documents were compared before, over all shards."""
    return request.with_settings(missing_documents="count")


def _without_missing(counts: Counts, request: Request) -> Counts:
    """The counts under the request as it was made, without a word on documents of this part."""
    warnings = tuple(w for w in counts.warnings if "missing from the response" not in w)
    return replace(counts, request=request, warnings=warnings)


def _gather(client: Any, work: Any, tasks: list[tuple[Any, ...]], progress: Progress) -> list[Any]:
    """The results in order; an error of ours is raised as it is, any other says what to do.

    What is left is cancelled, so no two calls may share a task: tasks are submitted as not pure.
    """
    futures = [client.submit(work, *task, pure=False) for task in tasks]
    results = []
    try:
        for future in futures:
            results.append(future.result())
            progress("scoring", len(results), len(futures))
    except CorefineError:
        raise
    except Exception as error:
        raise CorefineError(
            f"the cluster could not finish: {type(error).__name__}: {error}",
            remedy="Look at the logs of its workers, and start again.",
        ) from None
    finally:
        client.cancel(futures)
    return results
