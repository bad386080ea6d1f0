"""The formats that are known: what each can hold, how it is recognised, read and written.

A format is one module that ends in :func:`register`: those in the packages beside this module are
found, and so are those that other installed packages bring by entry points. Its reader turns a
:class:`Source` into a corpus; its writer yields bytes, or named files where the format keeps a
document in several.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from typing import Protocol

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from corefine.corpus.joining import concatenate
from corefine.errors import FormatError, Location, UsageError
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import HEAD, Source
from corefine.formats.plugins import offered

SIDE_FORMATS = "--key-format, --response-format"
HOW_TO_NAME = (
    f"Name the format with {SIDE_FORMATS} (key_format=…, response_format=… in Python), or format=…"
)


class Reader(Protocol):
    """Reads the documents of one source."""

    def __call__(self, source: Source, /) -> Iterable[Document]: ...


class LabelledReader(Protocol):
    """Reads the documents of one source, whose coreference relations have this label."""

    def __call__(self, source: Source, /, *, label: str) -> Iterable[Document]: ...


class ColumnReader(Protocol):
    """Reads one source into the columns of a corpus.

    ``layers`` names the token layers to read: None for all, an empty set for words only.
    """

    def __call__(self, source: Source, layers: frozenset[str] | None, /) -> Corpus: ...


class ManyReader(Protocol):
    """Reads the documents of several sources, as :class:`ColumnReader` reads those of one."""

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
    """A format: its description and its functions.

    A reader is a function ``read(source)`` that yields documents. A writer is a function
    ``write(documents)`` that yields bytes, or ``write_files(documents)`` that yields names and
    contents of files.
    """

    name: str
    title: str
    suffixes: tuple[str, ...] = ()
    """Usual suffixes of file names, with their dot."""
    read: Reader | None = None
    detect: Callable[[bytes, str], bool] | None = None
    """True if a file with these first bytes (at most 64 KiB) and this name has the format."""
    detect_record: Callable[[Mapping[str, str]], bool] | None = None
    """True if a JSON record with these keys has the format; see ``records.shapes_of``."""
    capabilities: Capabilities = Capabilities()
    documentation: str = ""
    """Page that describes the format."""
    write: Callable[[Corpus], Iterable[bytes]] | None = None
    """Content of one file. A corpus is iterable: the argument can be treated as documents."""
    write_as: Mapping[str, Callable[[Corpus], Iterable[bytes]]] = field(default_factory=dict)
    """Writers for some suffixes, instead of ``write``."""
    write_files: Callable[[Corpus], Iterable[tuple[str, bytes]]] | None = None
    """Names and contents of files in a directory, for formats of several files per document."""
    companions: tuple[str, ...] = ()
    """Suffixes of files that belong to another file and are not read by themselves."""
    empty_files: bool = False
    """True if an empty file with a usual suffix is a document without mentions."""
    read_labelled: LabelledReader | None = None
    """Reader that takes the label of coreference relations, named as ``format:label``."""
    read_columns: ColumnReader | None = None
    """Reader that builds columns directly, for the formats of large corpora."""
    document_mark: DocumentMark | None = None
    """Start of documents, in files of which each document can be read by itself. Such files are
    streamed in any order, and checks continue after a faulty document."""
    side: str | None = None
    """``key`` or ``response``, if the same file can be read as either."""
    read_against: AgainstReader | None = None
    """Reader of text rewritten by a language model, which is aligned with its source."""
    write_prompts: PromptWriter | None = None
    """Writer of prompts for language models."""
    packages: Callable[[], object] | None = None
    """Imports optional packages that the format needs."""
    sniff: Callable[[bytes, str], float] | None = None
    read_many: ManyReader | None = None
    losses: Callable[[Corpus], list[str]] | None = None

    def require(self) -> None:
        """Raise an error if the optional packages of the format are missing."""
        if self.packages is not None:
            self.packages()

    def corpus(
        self, source: Source | Sequence[Source], layers: frozenset[str] | None = None
    ) -> Corpus:
        """Read one or more sources; ``layers`` as in :class:`ColumnReader`."""
        sources = [source] if isinstance(source, Source) else source
        if self.read is not None:
            with collector_paused():
                corpus = Corpus.from_documents(self._documents(sources), self.name)
            return _with_layers(corpus, layers)
        if self.read_many is not None:
            return self.read_many(sources, layers)
        if self.read_columns is None:
            raise UsageError(f"the format {self.name} can be written but not read")
        with collector_paused():
            parts = [self.read_columns(one, layers) for one in sources]
        if len(parts) > 1:
            refuse_repeats(*parts)
        return concatenate(parts)

    def _documents(self, sources: Iterable[Source]) -> Iterator[Document]:
        assert self.read is not None
        for source in sources:
            for document in self.read(source):
                document.source = document.source or source.name
                yield document


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which costs as much as reading while many objects are made."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _with_layers(corpus: Corpus, layers: frozenset[str] | None) -> Corpus:
    """The corpus with only these token layers; the running text counts as the layer ``text``."""
    tokens = corpus.tokens
    if layers is None or tokens is None:
        return corpus
    kept = {name: column for name, column in tokens.layers.items() if name in layers}
    text = tokens.text if "text" in layers else None
    return replace(corpus, tokens=replace(tokens, layers=kept, text=text))


def refuse_repeats(*corpora: Corpus) -> None:
    """Raise an error if two documents have the same name."""
    names = [name for corpus in corpora for name in corpus.documents]
    if len(set(names)) == len(names):
        return
    seen: dict[str, Location | None] = {}
    for corpus in corpora:
        for number, name in enumerate(corpus.documents):
            if name in seen:
                raise repeated_document(name, seen[name], corpus.location(number))
            seen[name] = corpus.location(number)


def repeated_document(name: str, first: Location | None, again: Location | None) -> FormatError:
    """The error for a document that occurs twice."""
    return FormatError(
        f"document {shown(name)!r} occurs twice, first at {first}",
        again,
        "Rename or remove one of them, or give them different parts.",
    )


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
            f"two formats are named {format.name!r}: that of {_module(known)} and that of "
            f"{_module(format)}",
            None,
            "Rename one of them, or uninstall the package that provides it.",
        )
    return format


def _module(format: Format) -> str:
    return (format.read or format.read_columns or format.write).__module__


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
    """The format of this name, which may end in the label of relations: ``webanno:alias``."""
    plain, _, label = name.partition(":")
    for load in (_load_own, _load_others):
        if plain not in _formats:
            load()
    format = _formats.get(plain)
    if format is None:
        known = ", ".join(sorted(_formats))
        raise UsageError(f"there is no format {name!r}", None, f"Formats: {known}.")
    if not label:
        return format
    if format.read_labelled is None:
        raise UsageError(
            f"the format {plain} has no relations with labels", None, "Name it without a label."
        )
    return replace(format, read=partial(format.read_labelled, label=label))


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
        if format.detect_record is not None:
            return 0.96 * (bool(keys) and format.detect_record(keys))
        if format.detect is not None:
            return 0.96 * format.detect(head[:HEAD], source.name)
        return 0.0 if format.sniff is None else format.sniff(head[:HEAD], source.name)

    sureness = {format.name: sure(format) for format in _candidates(head)}
    if max(sureness.values()) < SURE:
        others = (format for format in all_formats() if format.name not in sureness)
        sureness |= {format.name: sure(format) for format in others}
    best = max(sureness.values())
    found = [_formats[name] for name in sorted(sureness) if sureness[name] == best > 0]
    return choose_format(found, side, source.where())


def format_of_record(shapes: Mapping[str, str], side: str | None, where: Location) -> Format | None:
    """The format of a JSON record with these keys; None if no format has them."""
    found = [
        format
        for format in all_formats()
        if format.detect_record is not None and format.detect_record(shapes)
    ]
    return choose_format(found, side, where)


def choose_format(found: Sequence[Format], side: str | None, where: Location) -> Format | None:
    """The only format, or the one of this side; several are an error."""
    if side is not None and all(format.side is not None for format in found):
        found = [format for format in found if format.side == side] or found
    if len(found) > 1:
        names = "; ".join(f"{format.name} ({format.title})" for format in found)
        raise FormatError(f"ambiguous format: {names}", where, HOW_TO_NAME)
    return found[0] if found else None


def _keys_of(head: bytes) -> dict[str, str]:
    """The keys of a first JSON record; empty if there is none."""
    if not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[")):
        return {}
    from corefine.formats.jsonlines.records import keys_of

    return keys_of(head)


def _is_spread(head: bytes) -> bool:
    from corefine.formats.jsonlines.records import is_spread

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
