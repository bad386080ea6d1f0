"""Scoring on a Dask cluster: workers read shards and count, the client adds the counts.

Statistics of documents do not depend on how a corpus is divided, and their sums are exact before
they are rounded, so the result is identical to the bit with that of one machine.

Across documents, workers only match, since matching works within documents. They return both
corpora without their text, in which matched mentions have the same number as a name. The client
concatenates these corpora and counts them like any others.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from multiprocessing import active_children
from pathlib import Path
from pickle import PicklingError
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from corefine.corpus.columns import Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import keep_mentions, select_documents
from corefine.errors import (
    AlignmentError,
    Caution,
    CorefineError,
    FormatError,
    Location,
    MissingExtraError,
    UsageError,
    code_of,
)
from corefine.formats import Format, Source, find_sources, format_named, sniff
from corefine.formats.input.index import line_at, marked_lines
from corefine.formats.reading import choose_sources
from corefine.matching.documents import missing_cautions
from corefine.matching.fingerprint import Codes, Fingerprint, entity_sums, mention_codes
from corefine.matching.matched import Tally
from corefine.matching.settings import Settings
from corefine.matching.units import group_documents
from corefine.output.progress import Progress, silent
from corefine.scoring.count import Counts, count, match
from corefine.scoring.request import Request
from corefine.scoring.sides import Side


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
            with open(self.path, "rb") as file:
                return file.read()
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


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of a side, all of one format, and warnings about other files."""

    shards: list[Shard]
    warnings: tuple[str, ...] = ()


def find_shards(side: Side) -> Shards:
    """The shards of a path, a directory or a pattern, sorted by name.

    Local files of unknown formats are ignored with a warning; several formats are an error.
    """
    if side.path is None or side.path == "-":
        raise UsageError(
            f"the dask engine scores files, and the {side.what} is not a file",
            remedy="Give paths or glob patterns.",
        )
    if "://" in side.path:
        import fsspec

        try:
            system, _, paths = fsspec.get_fs_token_paths(side.path)
        except Exception as error:
            raise CorefineError(
                f"cannot be read: {error}", Location(side.path), "Check the address."
            ) from None
        addresses = [system.unstrip_protocol(path) for path in sorted(paths)]
        if not addresses:
            raise CorefineError(
                "no file matches the pattern", Location(side.path), "Check the pattern."
            )
        return Shards([Shard(address, side.format, side.what) for address in addresses])
    where = Location(side.path)
    chosen = choose_sources(find_sources(side.path), where, side.format, side.what)
    shards = [
        Shard(os.path.abspath(source.name), chosen.format.name, side.what)
        for source in chosen.sources
    ]
    for source in chosen.sources:
        source.close()  # workers open the files again
    return Shards(shards, chosen.warnings)


Named = list[tuple[Shard, tuple[str, ...]]]
"""Shards, and the ids of the documents in each."""


@dataclass(frozen=True, slots=True)
class ShardPair:
    """One shard of the key, and the shards of the response with its documents."""

    key: Shard
    responses: tuple[tuple[Shard, tuple[str, ...]], ...]

    def read(self, layers: frozenset[str]) -> tuple[Corpus, Corpus]:
        """The documents of the shard of the key, and those of the response."""
        key = self.key.read(layers)
        parts = [_some(shard.read(layers), names) for shard, names in self.responses]
        if not parts:
            nothing = keep_mentions(key, np.zeros(len(key.mentions), bool))
            parts = [replace(nothing, relations=(), annotations={})]
        return key, concatenate(parts)


def _some(corpus: Corpus, names: tuple[str, ...]) -> Corpus:
    if corpus.documents == names:
        return corpus
    place = {name: number for number, name in enumerate(corpus.documents)}
    return select_documents(corpus, [place[name] for name in names])


def pair_shards(key: Named, response: Named) -> list[ShardPair]:
    """A pair for each shard of the key, however the response is divided."""
    _refuse_repeated(key)
    owner = _refuse_repeated(response)
    pairs = []
    for shard, names in key:
        wanted: dict[Shard, list[str]] = {}
        for name in names:
            if name in owner:
                wanted.setdefault(owner[name], []).append(name)
        responses = tuple((other, tuple(found)) for other, found in wanted.items())
        pairs.append(ShardPair(shard, responses))
    return pairs


def _refuse_repeated(side: Named) -> dict[str, Shard]:
    """The shard of each document; an error if a document is in several."""
    owner: dict[str, Shard] = {}
    for shard, names in side:
        for name in names:
            if name in owner:
                raise FormatError(
                    f"document {name!r} occurs twice, first at {owner[name].path}",
                    Location(shard.path),
                    "A document must be in exactly one shard; rename or remove one of them.",
                )
            owner[name] = shard
    return owner


def compare_documents(key: Named, response: Named, settings: Settings) -> list[Caution]:
    """Warnings about documents of one side only; an error if these are not allowed."""
    ours = {name: shard for shard, names in key for name in names}
    theirs = {name: shard for shard, names in response for name in names}
    missing = [name for name in ours if name not in theirs]
    extra = [name for name in theirs if name not in ours]
    if settings.missing_documents == "error" and (missing or extra):
        side = "response" if missing else "key"
        name, shard = (missing[0], ours[missing[0]]) if missing else (extra[0], theirs[extra[0]])
        raise AlignmentError(
            f"document {name!r} of shard {shard.path} is missing from the {side}",
            remedy="Add it, or use --missing-documents count.",
        )
    if len(missing) == len(ours):
        raise AlignmentError(
            "key and response have no documents in common",
            remedy="Check that both belong to the same corpus.",
        )
    return missing_cautions(missing, extra)


@dataclass(frozen=True, slots=True, eq=False)
class MatchedShard:
    """The mentions of a shard, matched."""

    key: Corpus
    response: Corpus
    given: Corpus
    """The key as it was read, without its text, for the fingerprint."""
    codes: Codes
    """The codes of its mentions."""
    tally: Tally
    warnings: tuple[str, ...]


def refuse_unsupported(request: Request) -> None:
    """Raise an error for what needs the text or the kinds of mentions."""
    settings = request.settings
    if request.by:
        refused = f"scores by {', '.join(map(str, request.by))}"
    elif settings.singletons == "drop" and settings.match != "exact":
        refused = f"--singletons drop with --match {settings.match}"
    else:
        refused = ", ".join(name for name, one in request.needed.items() if one.needs_mentions)
    if refused:
        raise UsageError(
            f"the dask engine cannot compute {refused} across documents, because workers return "
            "entities without text",
            remedy="Use --engine local.",
        )


def match_shard(pair: ShardPair, request: Request) -> MatchedShard:
    """Match the mentions of the documents of one shard."""
    key, response = pair.read(frozenset())
    own = replace(request.settings, scope="document", missing_documents="count", singletons="keep")
    matched = match(key, response, own)
    tokens = matched.key.tokens
    if request.settings.singletons == "drop" and tokens is not None and tokens.has_empty:
        raise UsageError(
            "the dask engine cannot drop singletons across documents that have zeros",
            remedy="Use --engine local.",
        )
    rows = np.empty(len(matched.response.mentions), np.int64)
    both = matched.response_mention >= 0
    rows[matched.response_mention[both]] = np.flatnonzero(both)
    return MatchedShard(
        _numbered(matched.key, np.arange(len(matched.key.mentions))),
        _numbered(matched.response, rows),
        _numbered(key, np.arange(len(key.mentions))),
        mention_codes(key),
        matched.tally,
        tuple(text for text in matched.warnings if code_of(text) != "missing-documents"),
    )


def _numbered(corpus: Corpus, names: np.ndarray) -> Corpus:
    """The corpus without its text, with numbers as the names of mentions."""
    mentions = corpus.mentions
    row = np.arange(len(mentions))
    return Corpus(
        corpus.documents,
        corpus.entities,
        Mentions(mentions.document, mentions.entity, row, row + 1, names),
        topics=corpus.topics,
        named=corpus.named,
    )


def count_shards(shards: Sequence[MatchedShard], request: Request) -> Counts:
    """The counts of all shards; entities with the same id in a group of documents are one."""
    key = concatenate([shard.key for shard in shards])
    response = concatenate([shard.response for shard in shards])
    by_name = request.with_settings(match="exact", zeros="linear", missing_documents="error")
    tally = Tally()
    for shard in shards:
        tally += shard.tally
    warnings = dict.fromkeys(chain.from_iterable(shard.warnings for shard in shards))
    return replace(
        count(key, response, by_name),
        request=request,
        tally=tally,
        key=_fingerprint(shards, request.settings.scope),
        warnings=tuple(warnings),
    )


def _fingerprint(shards: Sequence[MatchedShard], scope: str) -> Fingerprint:
    given = concatenate([shard.given for shard in shards])
    grouping = group_documents(given, scope)
    names = given.entities.names
    assert grouping is not None
    assert names is not None
    group = grouping.of_document[given.entities.document]
    _, entity = np.unique(names.codes() * len(grouping.names) + group, return_inverse=True)
    codes = np.concatenate([shard.codes for shard in shards])
    sums = entity_sums(codes, entity[given.mentions.entity], len(entity))
    return Fingerprint.of_entities(len(given.documents), len(given.mentions), sums)


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
        client = connect.__new__(connect)
        try:
            client.__init__(address, set_as_default=False, timeout=timeout)
        except Exception as error:
            client.status = "closed"  # or it would be closed, and might wait, when it is deleted
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
