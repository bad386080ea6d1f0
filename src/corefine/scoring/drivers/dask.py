"""Scoring on a Dask cluster: workers read the shards and count, the client adds up.

Statistics of documents do not depend on how a corpus is cut, and their sums are exact before they
are rounded, so the result is the same to the last bit as that of one machine.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from corefine.errors import AlignmentError, CorefineError, MissingExtraError, UsageError
from corefine.kinds import KindPlan
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.scoring.breakdowns import joined
from corefine.scoring.drivers.dask_cells import score_across_documents
from corefine.scoring.drivers.local import Job
from corefine.scoring.drivers.shards import Shard, find_shards, pair_shards
from corefine.scoring.scores import Scores
from corefine.scoring.statistics import CorpusStatistics
from corefine.scoring.tabulating import Tally, convention_warnings

Progress = Callable[[int], None]


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


def score_on_dask(
    key: str,
    response: str,
    metrics: dict[str, Metric],
    settings: Settings,
    kinds: KindPlan | None = None,
    by: Sequence[str] = (),
    *,
    client: Any,
    formats: tuple[str | None, str | None] = (None, None),
    progress: Progress | None = None,
) -> Scores:
    """The scores of two sides in shards, counted by the workers of a cluster.

    A task that a lost worker had is done again by another; it is a pure function of its files, so
    nothing is counted twice. A shard that cannot be read is an error that names it.
    """
    ours = find_shards(key, formats[0], "key")
    theirs = find_shards(response, formats[1], "response")
    if settings.scope != "document":
        if by:
            raise UsageError("scores by part cannot be had across documents on a cluster")
        return score_across_documents(ours, theirs, metrics, settings, client)
    names = _gather(
        client, [client.submit(Shard.names, shard, pure=False) for shard in (*ours, *theirs)]
    )
    key_names = list(zip(ours, names[: len(ours)], strict=True))
    response_names = list(zip(theirs, names[len(ours) :], strict=True))
    warnings = _check(key_names, response_names, settings)
    job = Job(tuple(metrics.values()), settings, kinds, tuple(by))
    tasks = pair_shards(key_names, response_names)
    parts = _gather(
        client, [client.submit(type(task).count, task, job, pure=False) for task in tasks], progress
    )
    tally = Tally()
    for part in parts:
        tally += part[2]
        warnings.extend(part[3])
    return Scores(
        metrics,
        CorpusStatistics.concatenate([part[0] for part in parts]),
        settings,
        tally.notes,
        (
            *dict.fromkeys(warnings),
            *tally.warnings,
            *convention_warnings([*metrics.values()], settings, by),
        ),
        breakdowns=joined([part[1] for part in parts]),
    )


def _gather(client: Any, futures: list[Any], progress: Progress | None = None) -> list[Any]:
    """The results in order; an error of ours is raised as it is, any other says what to do.

    What is left is cancelled, so no two calls may share a task: tasks are submitted as not pure.
    """
    results = []
    try:
        for future in futures:
            results.append(future.result())
            if progress is not None:
                progress(1)
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


def _check(
    key: list[tuple[Shard, tuple[str, ...]]],
    response: list[tuple[Shard, tuple[str, ...]]],
    settings: Settings,
) -> list[str]:
    """Refuse documents that one side lacks, or say what becomes of them."""
    ours = {name: shard for shard, names in key for name in names}
    theirs = {name: shard for shard, names in response for name in names}
    missing = [name for name in ours if name not in theirs]
    extra = [name for name in theirs if name not in ours]
    if settings.missing_documents == "error" and (missing or extra):
        name, side, shard = (
            (missing[0], "response", ours[missing[0]])
            if missing
            else (extra[0], "key", theirs[extra[0]])
        )
        raise AlignmentError(
            f"document {name!r} of the shard {shard.path} is in no shard of the {side}",
            remedy="Give it, or pass --missing-documents count.",
        )
    warnings = []
    if missing:
        warnings.append(f"{len(missing):,} documents missing from the response count as missed")
    if extra:
        warnings.append(f"{len(extra):,} documents of the response are not in the key: left out")
    return warnings
