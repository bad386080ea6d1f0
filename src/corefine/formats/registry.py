"""The formats that are known: what each can hold, how it is recognised, read and written.

A format is one module that ends in :func:`register`. Its reader takes a :class:`Source` and yields
corpora of whole documents, one after another; its writer yields bytes, or named files where the
format keeps a document in several.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError, UsageError
from corefine.formats.input.sources import Source

HOW_TO_NAME = "Name the format with --key-format, --response-format or format=…"


class Reader(Protocol):
    """Reads one source: the corpora of its documents, of about ``window`` bytes each (None: one).

    ``layers`` names the token layers that are wanted: None is all, an empty set only the words.
    """

    def __call__(
        self, source: Source, layers: frozenset[str] | None, window: int | None
    ) -> Iterator[Corpus]: ...


class ManyReader(Protocol):
    """Reads the documents of several sources, as :class:`Reader` reads those of one."""

    def __call__(
        self, sources: Sequence[Source], layers: frozenset[str] | None, window: int | None
    ) -> Iterator[Corpus]: ...


@dataclass(frozen=True, slots=True)
class Holds:
    """What a format can say beyond the mentions of entities."""

    text: bool = True
    """Tokens; without them a mention is only a name."""
    names: bool = False
    """Mentions that have no place in a text."""
    layers: frozenset[str] = frozenset()
    """Token layers."""
    entity_names: bool = True
    kinds: bool = False
    heads: bool = False
    types: bool = False
    minimum_spans: bool = False
    discontinuous: bool = False
    zeros: bool = False
    """Empty nodes as mentions."""
    relations: bool = False
    """Bridging and split antecedents."""
    attributes: bool = False
    """Whatever else the source said of a mention."""
    topics: bool = False


@dataclass(frozen=True, slots=True)
class DocumentMark:
    """How to see where a document begins without reading it."""

    byte: int
    """The first byte of every line that may begin one."""
    name: Callable[[bytes], str | None]
    """The name of the document that a line begins, empty if it has none; None for other lines."""
    carried: Callable[[bytes], bool] | None = None
    """Whether a line holds for all documents behind it, until another such line comes."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format and its functions."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    """Endings of file names, with their dot, that are usual for it."""
    sniff: Callable[[bytes, str], float]
    """How surely (0 to 1) a file is of this format, by its first bytes and its name."""
    read: Reader
    holds: Holds
    documentation: str
    """The page that describes it."""
    read_many: ManyReader | None = None
    """Reads many small files faster than one after another."""
    write: Callable[[Corpus], Iterable[bytes]] | None = None
    write_files: Callable[[Corpus], Iterable[tuple[str, bytes]]] | None = None
    """For formats of several files: their names in a directory, and their bytes."""
    companions: tuple[str, ...] = ()
    """Endings of files that belong to another one and are not read by themselves."""
    empty_files: bool = False
    """Whether an empty file with a usual ending is a document without mentions."""
    document_mark: DocumentMark | None = None
    """How documents begin, in files of which each document can be read by itself. Such files are
    streamed in any order, and a check goes on behind a document that is wrong."""
    losses: Callable[[Corpus], list[str]] | None = None
    """What of a corpus gets lost besides what ``holds`` tells."""
    side: str | None = None
    """``key`` or ``response``, where the same file could be read as either."""


MODULES = (
    "standoff.brat",
    "standoff.ccl",
    "columns.conll",
    "conllu.conllu",
    "standoff.i2b2",
    "jsonlines.e2e",
    "jsonlines.fastcoref",
    "jsonlines.maverick",
    "jsonlines.preco",
    "jsonlines.wl",
    "tables.labels",
    "standoff.litbank",
    "tables.parquet",
    "columns.semeval",
)
"""The modules of this room that each end in the registration of a format."""
_BEGINS = re.compile(rb"\A(?:\xef\xbb\xbf)?#[ \t]*begin[ \t]+document\b", re.IGNORECASE)
_WITH_BEGINNINGS = ("conll", "semeval")
"""The formats whose files begin with such a line: most files need none of the others."""

_formats: dict[str, Format] = {}
_loaded: set[str] = set()


def _load(modules: Iterable[str] = MODULES) -> None:
    """Import modules of formats, which register themselves."""
    for module in modules:
        if module not in _loaded:
            import_module(f"{__package__}.{module}")
            _loaded.add(module)


def register(format: Format) -> Format:
    """Make a format known under its name."""
    if format.name in _formats:
        raise ValueError(f"a format named {format.name!r} is already registered")
    _formats[format.name] = format
    return format


def all_formats() -> tuple[Format, ...]:
    """The known formats, in the order of their names."""
    _load()
    return tuple(_formats[name] for name in sorted(_formats))


def format_named(name: str) -> Format:
    """The format of this name."""
    if name not in _formats:
        _load()
    try:
        return _formats[name]
    except KeyError:
        known = ", ".join(sorted(_formats))
        raise UsageError(f"there is no format {name!r}", None, f"Known are: {known}.") from None


LONGEST_OPENING = 64 << 20
"""Bytes of the first line that formats may look at: what a line of JSON holds is told by its keys,
and these may stand anywhere in it."""


def recognise(source: Source, side: str | None = None) -> Format | None:
    """The format that a source most surely has; None if none recognises it.

    ``side`` says whether it is read as key or as response, where that decides.
    """
    head = source.head()
    if head.lstrip()[:1] in (b"{", b"["):
        head = source.first_line(LONGEST_OPENING)
    candidates = _candidates(head)
    sureness = [format.sniff(head, source.name) for format in candidates]
    best = max(sureness, default=0.0)
    found = [
        format
        for format, value in zip(candidates, sureness, strict=True)
        if value == best and value > 0
    ]
    if side is not None and all(format.side is not None for format in found):
        found = [format for format in found if format.side == side] or found
    if len(found) > 1:
        names = "; ".join(f"{format.name} ({format.title})" for format in found)
        raise FormatError(f"this could be any of: {names}", source.where(), HOW_TO_NAME)
    return found[0] if found else None


def _candidates(head: bytes) -> tuple[Format, ...]:
    """The formats that a file with this beginning can have."""
    if _BEGINS.match(head):
        _load(f"columns.{name}" for name in _WITH_BEGINNINGS)
        return tuple(_formats[name] for name in _WITH_BEGINNINGS)
    return all_formats()


def of_empty_file(source: Source) -> Format | None:
    """The format that a file has by its name if it is empty; None if it is not, or has none."""
    if source.head().strip():
        return None
    found = [format for format in all_formats() if format.empty_files and is_usual(source, format)]
    return found[0] if len(found) == 1 else None


def is_usual(source: Source, format: Format) -> bool:
    """Whether a source has a name that is usual for a format."""
    return source.name.removesuffix(".gz").endswith(format.suffixes)


def sniff(source: Source, side: str | None = None) -> Format:
    """The format of a source, or an error that says what was tried."""
    if not source.head().strip():
        by_name = of_empty_file(source)
        if by_name is not None:
            return by_name
        empty = "the file is empty" if not source.head() else "the file holds only white space"
        raise FormatError(empty, source.where(), "Check that this is the right file.")
    found = recognise(source, side)
    if found is None:
        tried = ", ".join(format.name for format in all_formats())
        raise FormatError(
            f"not a coreference file of a known format (tried: {tried})",
            source.where(),
            HOW_TO_NAME,
        )
    return found
