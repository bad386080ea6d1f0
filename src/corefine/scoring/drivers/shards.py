"""Shards: a corpus in several files, wherever they are, and what a worker does with one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import keep_mentions, select_documents
from corefine.errors import CorefineError, Location, UsageError
from corefine.formats import Format, Source, find_sources, format_named, sniff
from corefine.formats.input.index import line_at, marked_lines
from corefine.formats.reading import without_companions
from corefine.scoring.drivers.local import Job, Part


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a side: a path, or an address that fsspec knows."""

    path: str
    format: str | None = None
    side: str | None = None
    """``key`` or ``response``, where the format that is not named depends on it."""

    def content(self) -> bytes:
        """The bytes of the file; whatever goes wrong names the shard."""
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
                f"the shard cannot be read: {reason.lower()}",
                Location(self.path),
                "Check that all workers can reach it.",
            ) from None

    def names(self) -> tuple[str, ...]:
        """The ids of its documents, without reading what is in them where the format allows it."""
        content = self.content()
        _, format = self._opened(content)
        mark = format.document_mark
        if mark is None or content.startswith(b"\x1f\x8b"):
            return self.read(frozenset()).documents
        found = (
            mark.name(line_at(content, place)) for place, _ in marked_lines(content, mark.byte)
        )
        names = tuple(name for name in found if name is not None)
        return names if names and all(names) else self.read(frozenset()).documents

    def read(self, layers: frozenset[str]) -> Corpus:
        """Its documents."""
        source, format = self._opened(self.content())
        return concatenate(list(format.read(source, layers, None)))

    def _opened(self, content: bytes) -> tuple[Source, Format]:
        # Only what has a path has other files beside it, such as the text of annotations.
        path = None if "://" in self.path else Path(self.path)
        source = Source(self.path, path, content=content)
        return source, (
            sniff(source, self.side) if self.format is None else format_named(self.format)
        )


def find_shards(place: str, format: str | None = None, side: str | None = None) -> list[Shard]:
    """The shards that a path, a directory or a pattern stands for, sorted by name."""
    if "://" in place:
        import fsspec

        system, _, paths = fsspec.get_fs_token_paths(place)
        return [Shard(system.unstrip_protocol(path), format, side) for path in sorted(paths)]
    known = None if format is None else format_named(format)
    sources = without_companions(find_sources(place), known)
    return [Shard(os.path.abspath(source.name), format, side) for source in sources]


@dataclass(frozen=True, slots=True)
class ShardTask:
    """One shard of the key, and where the response has its documents."""

    key: Shard
    responses: tuple[tuple[Shard, tuple[str, ...]], ...]

    def count(self, job: Job) -> Part:
        """The statistics of the documents of this shard."""
        key = self.key.read(job.layers)
        parts = [_some(shard.read(job.layers), names) for shard, names in self.responses]
        if not parts:
            parts = [keep_mentions(key, np.zeros(len(key.mentions), bool))]
        return job.count_corpora(key, concatenate(parts))


def _some(corpus: Corpus, names: tuple[str, ...]) -> Corpus:
    if corpus.documents == names:
        return corpus
    place = {name: number for number, name in enumerate(corpus.documents)}
    return select_documents(corpus, [place[name] for name in names])


def pair_shards(
    key: list[tuple[Shard, tuple[str, ...]]], response: list[tuple[Shard, tuple[str, ...]]]
) -> list[ShardTask]:
    """A task for each shard of the key, whatever the cut of the response."""
    owner: dict[str, Shard] = {}
    for shard, names in response:
        for name in names:
            if name in owner:
                raise UsageError(
                    f"document {name!r} is in two shards, {owner[name].path} and {shard.path}",
                    remedy="A document must be in one shard, whole.",
                )
            owner[name] = shard
    tasks = []
    for shard, names in key:
        wanted: dict[Shard, list[str]] = {}
        for name in names:
            if name in owner:
                wanted.setdefault(owner[name], []).append(name)
        responses = tuple((other, tuple(found)) for other, found in wanted.items())
        tasks.append(ShardTask(shard, responses))
    return tasks
