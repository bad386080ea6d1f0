"""Scoring on a Dask cluster: workers read shards and count, the client adds the counts.

Statistics of documents do not depend on how a corpus is divided, and their sums are exact before
they are rounded, so the result is identical to the bit with that of one machine. If entities cross
documents, workers only read the shards, and the client counts.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from pickle import PicklingError
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import keep_mentions, select_documents
from corefine.errors import (
    CorefineError,
    FormatError,
    Location,
    MissingExtraError,
    UsageError,
    code_of,
)
from corefine.formats import Format, Source, find_sources, format_named, sniff
from corefine.formats.io.index import line_at, marked_lines
from corefine.formats.reading import choose_sources
from corefine.matching.documents import missing_documents
from corefine.output.progress import Progress, silent
from corefine.scoring.count import Counts, count
from corefine.scoring.request import Request
from corefine.scoring.sides import File

TIMEOUT = 6.0
"""Default seconds to wait for the scheduler and for a worker."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a side: a path, or an address that fsspec knows."""

    path: str
    format: str | None = None
    side: str | None = None
    """``key`` or ``response``, for formats that are detected by it."""

    def content(self) -> bytes:
        """The bytes of the file; errors name the shard."""
        try:
            if "://" in self.path:
                import fsspec

                with fsspec.open(self.path, "rb") as stream:
                    data: bytes = stream.read()
                return data
            return Path(self.path).read_bytes()
        except Exception as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise CorefineError(
                f"cannot read the shard: {reason.lower()}",
                Location(self.path),
                "Check that all workers can access it.",
            ) from None

    def names(self) -> tuple[str, ...]:
        """The ids of its documents, found without reading their content if the format allows it."""
        content = self.content()
        _, format = self._opened(content)
        mark = format.document_mark
        if mark is None or content.startswith(b"\x1f\x8b"):
            return self.read(frozenset()).documents
        found = (mark.name(line_at(content, place)) for place, _ in marked_lines(content, mark))
        names = tuple(name for name in found if name is not None)
        return names if names and all(names) else self.read(frozenset()).documents

    def read(self, layers: frozenset[str]) -> Corpus:
        """Its documents."""
        source, format = self._opened(self.content())
        return format.corpus(source, layers)

    def _opened(self, content: bytes) -> tuple[Source, Format]:
        # Files with a path may have others next to them, such as the text of annotations.
        path = None if "://" in self.path else Path(self.path)
        source = Source(self.path, path, content=content)
        return source, (
            sniff(source, self.side) if self.format is None else format_named(self.format)
        )


def find_shards(file: File) -> tuple[list[Shard], tuple[str, ...]]:
    """The shards of a path, a directory or a pattern, sorted by name, and warnings.

    Local files of unknown formats are ignored with a warning; several formats are an error.
    """
    where = Location(file.path)
    if "://" in file.path:
        import fsspec

        try:
            system, _, paths = fsspec.get_fs_token_paths(file.path)
        except Exception as error:
            raise CorefineError(f"cannot be read: {error}", where, "Check the address.") from None
        if not paths:
            raise CorefineError("no file matches the pattern", where, "Check the pattern.")
        addresses = [system.unstrip_protocol(path) for path in sorted(paths)]
        return [Shard(address, file.format, file.what) for address in addresses], ()
    sources = find_sources(file.path)
    sources, format, warnings = choose_sources(sources, where, file.format, file.what)
    for source in sources:
        source.close()  # workers open the files again
    paths = [os.path.abspath(source.name) for source in sources]
    return [Shard(path, format.name, file.what) for path in paths], warnings


@dataclass(frozen=True, slots=True)
class ShardPair:
    """One shard of the key, and the shards of the response with its documents."""

    key: Shard
    responses: dict[Shard, list[str]]

    def read(self, layers: frozenset[str]) -> tuple[Corpus, Corpus]:
        """The documents of the key in the shard, and of the response."""
        key = self.key.read(layers)
        parts = []
        for shard, names in self.responses.items():
            corpus = shard.read(layers)
            parts.append(select_documents(corpus, [corpus.documents.index(name) for name in names]))
        if not parts:
            nothing = keep_mentions(key, np.zeros(len(key.mentions), bool))
            parts = [replace(nothing, relations=(), annotations={})]
        return key, concatenate(parts)


def _owners(shards: Sequence[Shard], names: Sequence[tuple[str, ...]]) -> dict[str, Shard]:
    """The shard of each document; an error if a document is in several."""
    owner: dict[str, Shard] = {}
    for shard, documents in zip(shards, names, strict=True):
        for name in documents:
            if name in owner:
                raise FormatError(
                    f"document {name!r} occurs twice, first at {owner[name].path}",
                    Location(shard.path),
                    "A document must be in exactly one shard; rename or remove one of them.",
                )
            owner[name] = shard
    return owner


def pair_shards(key: dict[str, Shard], response: dict[str, Shard]) -> list[ShardPair]:
    """A pair for each shard of the key, however the response is divided."""
    pairs = {shard: ShardPair(shard, {}) for shard in key.values()}
    for name, shard in key.items():
        if name in response:
            pairs[shard].responses.setdefault(response[name], []).append(name)
    return list(pairs.values())


def count_on_dask(
    key: File,
    response: File,
    request: Request,
    client: Any = None,
    scheduler: str | None = None,
    progress: Progress = silent,
    timeout: float | None = None,
) -> Counts:
    """The counts of two sides in shards, computed by the workers of a cluster.

    Tasks of lost workers are repeated by others: they are pure functions of their files.
    """
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
    """A client of the scheduler at this address, or of workers in this process."""
    address = None if scheduler is None else _address(scheduler)
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("the dask engine", "distributed", "dask") from None
    with _silenced("distributed"):
        if address is None:
            # A scheduler has an HTTP server even without a dashboard: at any port that is free.
            with distributed.Client(  # type: ignore[no-untyped-call]
                processes=False, threads_per_worker=1, dashboard_address=":0", set_as_default=False
            ) as client:
                yield client
        else:
            with _client_at(distributed.Client, address, timeout) as client:
                yield client


@contextmanager
def _silenced(name: str) -> Iterator[None]:
    """Silence a logger for a while: errors of workers are raised and need not be logged too."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


def _client_at(connect: Any, address: str, timeout: float) -> Any:
    """The client of a running scheduler."""
    client = connect.__new__(connect)
    try:
        client.__init__(address, set_as_default=False, timeout=timeout)
    except Exception as error:
        client.status = "closed"  # or it would be closed, and might wait, when it is deleted
        raise CorefineError(
            f"no Dask scheduler answered at {address} within {timeout:g} seconds "
            f"({type(error).__name__})",
            remedy="Start one with 'dask scheduler', or wait longer with timeout= (in Python).",
        ) from None
    return client


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
    client: Any, key: File, response: File, request: Request, progress: Progress, timeout: float
) -> Counts:
    """The counts of all shards."""
    try:
        client.wait_for_workers(1, timeout=timeout)
    except TimeoutError:
        raise _no_worker(timeout) from None
    tasks: list[tuple[Any, ...]]
    (ours, warnings), (theirs, more) = find_shards(key), find_shards(response)
    if request.settings.scope != "document":
        tasks = [(shard, request.layers) for shard in (*ours, *theirs)]
        corpora = _gather(client, Shard.read, tasks, progress, timeout)
        sides = concatenate(corpora[: len(ours)]), concatenate(corpora[len(ours) :])
        whole = count(*sides, request)
    else:
        shards = [(shard,) for shard in (*ours, *theirs)]
        names = _gather(client, Shard.names, shards, silent, timeout)
        owner = _owners(ours, names[: len(ours)])
        other = _owners(theirs, names[len(ours) :])
        more += tuple(
            missing_documents(
                owner,
                other,
                request.settings,
                lambda name: Location(owner.get(name, other.get(name, ours[0])).path),
                ([ours[0].path], [theirs[0].path]),
            )
        )
        tasks = [(pair, request) for pair in pair_shards(owner, other)]
        whole = Counts.sum(_gather(client, _count_pair, tasks, progress, timeout))
    return _with_warnings(whole, *warnings, *more, *whole.provenance.warnings)


def _count_pair(pair: ShardPair, request: Request) -> Counts:
    """The counts of one shard; missing documents were reported before, for all shards."""
    counts = count(*pair.read(request.layers), request.with_settings(missing_documents="count"))
    known = counts.provenance.warnings
    others = [text for text in known if code_of(text) != "missing-documents"]
    return replace(_with_warnings(counts, *others), request=request)


def _with_warnings(counts: Counts, *warnings: str) -> Counts:
    return replace(counts, provenance=replace(counts.provenance, warnings=warnings))


def _no_worker(timeout: float) -> CorefineError:
    return CorefineError(
        f"the cluster had no worker for {timeout:g} s",
        remedy="Start workers with 'dask worker ADDRESS', or wait longer (timeout= in Python).",
    )


def _result(client: Any, future: Any, timeout: float) -> Any:
    """The result of a task; an error if the cluster has lost all its workers."""
    while True:
        try:
            return future.result(timeout=timeout)
        except TimeoutError:
            if future.done():  # the task itself timed out
                raise
            if not client.nthreads():
                raise _no_worker(timeout) from None


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
