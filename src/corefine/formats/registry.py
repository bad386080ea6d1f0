"""The formats that are known: what each can hold, how it is recognised, read and written.

A format is one module that ends in :func:`register`: those in the packages beside this module are
found, and so are those that other installed packages bring by entry points. Its reader turns a
:class:`Source` into a corpus; its writer yields bytes, or named files where the format keeps a
document in several.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Protocol

from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError, UsageError
from corefine.formats.input.sources import Source
from corefine.formats.plugins import offered

SIDE_FORMATS = "--key-format, --response-format"
HOW_TO_NAME = f"Name the format with {SIDE_FORMATS} or format=…"


class Reader(Protocol):
    """Reads one source: the corpus of its documents.

    ``layers`` names the token layers that are wanted: None is all, an empty set only the words.
    """

    def __call__(self, source: Source, layers: frozenset[str] | None, /) -> Corpus: ...


class ManyReader(Protocol):
    """Reads the documents of several sources, as :class:`Reader` reads those of one."""

    def __call__(self, sources: Sequence[Source], layers: frozenset[str] | None, /) -> Corpus: ...


class AgainstReader(Protocol):
    """Reads sources whose words are those of another corpus, with a rule to align them by."""

    def __call__(self, sources: Sequence[Source], source: Corpus, align: str, /) -> Corpus: ...


class PromptWriter(Protocol):
    """Writes the text of a corpus for a model to tag, with or without its mentions marked."""

    def __call__(self, corpus: Corpus, /, *, mentions: bool) -> Iterable[bytes]: ...


@dataclass(frozen=True, slots=True)
class Capabilities:
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
    annotations: bool = False
    """Discourse deixis and expressions that refer to nothing."""
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
    undivided: Callable[[bytes], bool] | None = None
    """Whether a file that begins so is one whole, and its documents do not begin with lines."""
    frequent: tuple[bytes, ...] = ()
    """How lines with this byte begin that are in every sentence, and neither of the above."""


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
    capabilities: Capabilities
    documentation: str
    """The page that describes it."""
    sniff_keys: Callable[[frozenset[str]], float] | None = None
    """For JSON lines: how surely a file is of this format, by the keys of its first line."""
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
    read_against: AgainstReader | None = None
    """For text that was written again by a language model, and is read beside its source."""
    write_prompts: PromptWriter | None = None
    """For such text: what a model is asked."""
    packages: Callable[[], object] | None = None
    """Imports the packages of its extra, where it needs one."""

    def require(self) -> None:
        """Say before the work begins that the format's extra is not installed."""
        if self.packages is not None:
            self.packages()


BEGIN = re.compile(rb"^(?:\xef\xbb\xbf)?#[ \t]*begin[ \t]+document\b", re.IGNORECASE | re.MULTILINE)
"""What begins a document in files of the shared tasks."""
_FIRST_TOKEN = re.compile(rb"(?:\xef\xbb\xbf)?(?:#.*\n|[ \t\r]*\n)*+(?:1(?:-[0-9]+)?|0\.1)\t")
"""Comments, and then a first token with its number: how files of CoNLL-U begin."""
_BEGINNINGS = (
    # With ten columns its lines look like those of CoNLL-U.
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*#FORMAT=WebAnno"), {"webanno": "columns.webanno"}),
    (
        BEGIN,
        {"conll": "columns.conll", "semeval": "columns.semeval", "conll-ud": "columns.conll_ud"},
    ),
    (
        _FIRST_TOKEN,
        {
            "conllu": "conllu.conllu",
            "stanza": "conllu.stanza",
            "ua": "conllu.universal_anaphora",
        },
    ),
)
"""The formats of files that begin so, and their modules. Most files need no others: these are asked
first, and all the rest only where none of them is sure."""
_HELPERS = {"building", "input", "text"}
"""The packages beside this module that hold no formats."""
ENTRY_POINTS = "corefine.formats"
"""The group of entry points by which other packages bring formats: each names a :class:`Format`, or
a module that calls :func:`register`."""
SURE = 0.9
"""From here on a format of corefine is taken without asking those of other packages."""

_formats: dict[str, Format] = {}


def register(format: Format) -> Format:
    """Make a format known under its name."""
    known = _formats.setdefault(format.name, format)
    if known is not format:
        raise UsageError(
            f"two formats are named {format.name!r}: that of {known.read.__module__} and that "
            f"of {format.read.__module__}",
            None,
            "Rename one of them, or uninstall the package that provides it.",
        )
    return format


@cache
def _load_own() -> None:
    """Import all modules of the packages of formats, which register themselves."""
    import pkgutil

    here = sys.modules[__package__]
    for package in pkgutil.iter_modules(here.__path__, f"{__package__}."):
        if package.ispkg and package.name.rpartition(".")[2] not in _HELPERS:
            found = import_module(package.name)
            for module in pkgutil.iter_modules(found.__path__, f"{package.name}."):
                import_module(module.name)


@cache
def _load_others() -> None:
    """Load the formats that other installed packages bring."""
    for found in offered(ENTRY_POINTS, "format", lambda thing: isinstance(thing, Format)):
        register(found)


def all_formats() -> tuple[Format, ...]:
    """The known formats, those of other packages included, in the order of their names."""
    _load_own()
    _load_others()
    return tuple(_formats[name] for name in sorted(_formats))


def format_named(name: str) -> Format:
    """The format of this name."""
    for load in (_load_own, _load_others):
        if name not in _formats:
            load()
    try:
        return _formats[name]
    except KeyError:
        known = ", ".join(sorted(_formats))
        raise UsageError(f"there is no format {name!r}", None, f"Formats: {known}.") from None


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
        if _is_spread(head):
            head = source.first_bytes(LONGEST_OPENING)
    keys = _keys_of(head)

    def sure(format: Format) -> float:
        by_keys = format.sniff_keys
        return format.sniff(head, source.name) if by_keys is None or keys is None else by_keys(keys)

    sureness = {format.name: sure(format) for format in _candidates(head)}
    if max(sureness.values()) < SURE:
        others = (format for format in all_formats() if format.name not in sureness)
        sureness |= {format.name: sure(format) for format in others}
    best = max(sureness.values())
    found = [_formats[name] for name in sorted(sureness) if sureness[name] == best > 0]
    if side is not None and all(format.side is not None for format in found):
        found = [format for format in found if format.side == side] or found
    if len(found) > 1:
        names = "; ".join(f"{format.name} ({format.title})" for format in found)
        raise FormatError(f"ambiguous format: {names}", source.where(), HOW_TO_NAME)
    return found[0] if found else None


def _keys_of(head: bytes) -> frozenset[str] | None:
    """The keys of a first line of JSON, decoded once for all formats; None if there is none."""
    if not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[")):
        return None
    from corefine.formats.jsonlines.json_records import keys_of

    return keys_of(head)


def _is_spread(head: bytes) -> bool:
    from corefine.formats.jsonlines.json_records import is_spread

    return is_spread(head)


def _candidates(head: bytes) -> list[Format]:
    """The formats of corefine that a file with this beginning can have."""
    for beginning, modules in _BEGINNINGS:
        if beginning.match(head):
            for module in modules.values():
                import_module(f"{__package__}.{module}")
            return [_formats[name] for name in modules]
    _load_own()
    return [_formats[name] for name in sorted(_formats)]


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
        empty = "the file is empty" if not source.head() else "the file has only white space"
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
