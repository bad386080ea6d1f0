"""Shards: the files of a corpus that workers read one by one."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import keep_mentions, select_documents
from corefine.errors import (
    AlignmentError,
    Caution,
    CorefineError,
    FormatError,
    Location,
    UsageError,
)
from corefine.formats import Format, Source, find_sources, format_named, sniff
from corefine.formats.input.index import line_at, marked_lines
from corefine.formats.reading import choose_sources
from corefine.formats.registry import refuse_repeats
from corefine.matching.documents import missing_cautions
from corefine.matching.settings import Settings
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
        corpus = format.corpus(source, layers)
        refuse_repeats(corpus)
        return corpus

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
