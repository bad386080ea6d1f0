"""``corefine.score``: from a key and a response, however they are given, to scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from corefine.errors import UsageError, choose
from corefine.kinds.kind_plan import KindSpec
from corefine.metrics.registry import MetricSpec
from corefine.scoring.count import Tabulation, count, tabulate
from corefine.scoring.counts import Counts
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores
from corefine.scoring.sides import Side, SideLike
from corefine.showing.progress import Progress, silent

ENGINES = ("local", "dask")


def score(
    key: SideLike,
    response: SideLike,
    metrics: MetricSpec = "default",
    *,
    kinds: KindSpec = "auto",
    by: str | Sequence[str] | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int | None = None,
    memory: int | None = None,
    engine: Any = "local",
    scheduler: str | None = None,
    timeout: float | None = None,
    tool: str | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> Scores:
    """Score a response against a key.

    Both may be a path, an open file, a :class:`~corefine.Corpus`, a list of entities, a dict of
    documents, a data frame with a row for each mention, or records as JSON gives them.
    ``metrics`` is ``"default"``, ``"all"``, a name such as ``"lea"`` or ``"blanc(rule=luo2014)"``,
    several of them, or :class:`~corefine.metrics.Metric` objects. ``kinds`` is the source of
    mention types (name, nominal, pronoun): ``"auto"`` (what the file says, else its parts of
    speech), ``"format"``, ``"pos"``, ``"guess"``, ``"none"``, a file, a dict from mentions to types
    (or from documents to such dicts), or a function of an
    :class:`~corefine.corpus.expression.Expression`. ``by`` adds scores by part (``"kind"``,
    ``"type"``, ``"overlap"``: see :mod:`corefine.scoring.breakdowns`). The settings
    (``singletons``, ``duplicates``, ``match``, …) are those of :class:`~corefine.Settings`.

    Large files are read document by document, in ``jobs`` processes and within ``memory`` bytes;
    ``engine`` is ``"local"``, ``"dask"`` (with the address of its ``scheduler``) or a Dask client,
    and the sides may then be patterns of paths. A cluster has ``timeout`` seconds, 8 by default,
    to answer and to have a worker. The result is the same to the last bit. ``tool``
    scores by the conventions of another scorer, such as ``"perl-8.01"``.

    >>> scores = score([["a", "b", "c"]], [["a", "b"], ["c"]], metrics="muc,lea")
    >>> scores["muc"].recall
    0.5
    >>> scores["lea"].f1
    0.4444444444444444
    """
    if memory is not None:
        # What one process may take for one alignment of CEAF.
        settings["alignment_memory"] = memory // (jobs or os.cpu_count() or 1)
    if tool is not None:
        return _score_as(
            tool, Side.of(key, "key", key_format), Side.of(response, "response", response_format),
            metrics, by, settings, progress,
        )  # fmt: skip
    request = Request.of(metrics, kinds=kinds, by=by, **settings)
    return count_sides(
        Side.of(key, "key", key_format),
        Side.of(response, "response", response_format),
        request,
        jobs=jobs,
        memory=memory,
        engine=engine,
        scheduler=scheduler,
        timeout=timeout,
        progress=progress,
    ).scores()


def count_sides(
    key: Side,
    response: Side,
    request: Request,
    *,
    jobs: int | None = None,
    memory: int | None = None,
    engine: Any = "local",
    scheduler: str | None = None,
    timeout: float | None = None,
    progress: Progress = silent,
) -> Counts:
    """The counts of two sides, obtained by the driver that fits them."""
    if isinstance(engine, str) and choose("engine", engine, ENGINES) == "local":
        if scheduler is not None:
            raise UsageError("scheduler needs --engine dask (engine='dask')")
        if timeout is not None:
            raise UsageError("timeout needs --engine dask (engine='dask')")
        if key.path is not None and response.path is not None:
            from corefine.scoring.drivers.streaming import refuse_whole, stream

            counts = stream(key, response, request, jobs=jobs, memory=memory, progress=progress)
            if counts is not None:
                return counts
            if memory is not None:
                refuse_whole(key, response, memory)
        return count(*read_sides(key, response, request.layers, progress), request)
    from corefine.scoring.drivers.dask import count_on_dask

    client = None if isinstance(engine, str) else engine
    return count_on_dask(key, response, request, client, scheduler, progress, timeout)


def tabulate_sides(
    key: SideLike,
    response: SideLike,
    request: Request,
    *,
    layers: frozenset[str] = frozenset(),
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
) -> Tabulation:
    """The table of two sides, read whole; ``layers`` are columns wanted beside the request's."""
    sides = Side.of(key, "key", key_format), Side.of(response, "response", response_format)
    corpora = read_sides(*sides, request.layers | layers, progress)
    return tabulate(*corpora, request)


def read_sides(
    key: Side, response: Side, layers: frozenset[str], progress: Progress = silent
) -> tuple[Any, Any]:
    """The corpora of both sides."""
    if key.path == "-" and response.path == "-":
        raise UsageError("only one of key and response can come from standard input")
    return key.read(layers, progress), response.read(layers, progress)


def _score_as(
    tool: str,
    key: Side,
    response: Side,
    metrics: MetricSpec,
    by: str | Sequence[str] | None,
    settings: dict[str, Any],
    progress: Progress,
) -> Scores:
    if by:
        raise UsageError("scores by part cannot be had by another scorer's conventions")
    from corefine.scoring.conventions.imitation import count_as
    from corefine.scoring.conventions.tools import tool_named

    conventions = tool_named(tool)
    settings.pop("alignment_memory", None)
    corpora = read_sides(key, response, frozenset(), progress)
    return count_as(*corpora, conventions, metrics, settings).scores()
