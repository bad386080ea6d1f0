"""Registry of formats: description, detection, reader and writer of each.

A format is a module that ends in :func:`register`. Its reader yields the documents of a
:class:`Source`; its writer yields bytes, or named files if a document has several. Other installed
packages can provide formats through entry points.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from corefine.corpus.joining import concatenate, refuse_repeats
from corefine.errors import FormatError, Location, UsageError
from corefine.formats.input.sources import HEAD, Source
from corefine.formats.plugins import blaming, load

SIDE_FORMATS = "--key-format, --response-format"
HOW_TO_NAME = (
    f"Name the format with {SIDE_FORMATS} (key_format=…, response_format=… in Python), or format=…"
)


Reader = Callable[[Source], Iterable[Document]]
"""Reads the documents of one source."""
ColumnReader = Callable[[Source, frozenset[str] | None], Corpus]
"""Reads one source into the columns of a corpus, with these token layers: None for all, an empty
set for words only."""
AgainstReader = Callable[[Sequence[Source], Corpus, str], Corpus]
"""Reads sources whose words are those of another corpus, with a rule to align them by."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Annotations that a format can represent, besides mentions of entities."""

    text: bool = True
    names: bool = False
    """Mentions without a position in a text."""
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
    """Discourse deixis and non-referring expressions."""
    attributes: bool = False
    """Further attributes of mentions."""
    topics: bool = False


@dataclass(frozen=True, slots=True)
class DocumentMark:
    """Lines that start documents, so that a file can be split without being read."""

    byte: int
    """First byte of every line that may start a document."""
    name: Callable[[bytes], str | None]
    """Name of the document that a line starts, empty if unnamed; None for other lines."""
    carried: Callable[[bytes], bool] | None = None
    """True if the line applies to all following documents, up to the next such line."""
    undivided: Callable[[bytes], bool] | None = None
    """True if a file with these first bytes cannot be split into documents by lines."""
    frequent: tuple[bytes, ...] = ()
    """Prefixes of lines with this byte that occur in every sentence and start no document."""


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
    fallback: Callable[[bytes, str], bool] | None = None
    """As ``detect``, asked if no format's ``detect`` is true."""
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
    read_labelled: Callable[..., Iterable[Document]] | None = None
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
    write_prompts: Callable[..., Iterable[bytes]] | None = None
    """Writer of prompts for language models, given a corpus and ``mentions``: true to mark them."""
    packages: Callable[[], object] | None = None
    """Imports optional packages that the format needs."""

    @property
    def module(self) -> str:
        """Name of the module that defines the format."""
        function = self.read or self.read_columns or self.write or self.write_files
        return getattr(getattr(function, "func", function), "__module__", "")

    def require(self) -> None:
        """Raise an error if the optional packages of the format are missing."""
        if self.packages is not None:
            self.packages()

    def refuse_missing(self, corpus: Corpus) -> None:
        """Raise an error if a corpus lacks the text or the spans that the format needs."""
        can = self.capabilities
        if (can.text and corpus.tokens is None) or not (can.names or corpus.has_places):
            raise UsageError(
                f"the format {self.name} needs a text with spans, which the corpus does not have",
                remedy="Choose a format that does not need them, such as labels.",
            )

    def corpus(
        self, source: Source | Sequence[Source], layers: frozenset[str] | None = None
    ) -> Corpus:
        """Read one or more sources; ``layers`` as in :class:`ColumnReader`."""
        sources = [source] if isinstance(source, Source) else source
        guard = (
            blaming(f"the format {self.name}", self.module) if _is_foreign(self) else nullcontext()
        )
        with guard, collector_paused():
            if self.read is not None:
                corpus = Corpus.from_documents(self._documents(sources), self.name)
                return _with_layers(corpus, layers)
            if self.read_columns is None:
                raise UsageError(f"the format {self.name} can be written but not read")
            parts = [self.read_columns(one, layers) for one in sources]
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


BEGIN = re.compile(rb"^(?:\xef\xbb\xbf)?#[ \t]*begin[ \t]+document\b", re.IGNORECASE | re.MULTILINE)
"""Start of a document in files of the CoNLL and SemEval shared tasks."""
_FIRST_TOKEN = re.compile(rb"(?:\xef\xbb\xbf)?(?:#.*\n|[ \t\r]*\n)*+(?:1(?:-[0-9]+)?|0\.1)\t")
"""Comments and a numbered first token, as in CoNLL-U."""
_BY_BEGINNING = (
    # With ten columns its lines look like those of CoNLL-U.
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*#FORMAT=WebAnno"), {"webanno": "columns.webanno"}),
    (
        BEGIN,
        {"conll-ud": "columns.conll_ud", "semeval": "columns.semeval", "conll": "columns.conll"},
    ),
    (
        _FIRST_TOKEN,
        {"ua": "conllu.universal_anaphora", "stanza": "conllu.stanza", "conllu": "conllu.conllu"},
    ),
)
"""Formats to try first, in this order, for files with a certain beginning, and their modules: most
runs import no others."""
_ORDER = (
    *("parquet", "webanno", "cas-json", "xmi", "ccl", "ecb", "mmax", "corenlp-xml", "ontonotes"),
    *("onf", "tei", "tbf", "i2b2", "litbank", "booknlp", "gap"),
    *("brat", "conll-ud", "semeval", "ua", "stanza", "conllu", "labels", "conll"),
)
"""Detection order; other formats follow by name, formats of plug-ins come last."""
_WITHOUT_FORMATS = {"input"}
ENTRY_POINTS = "corefine.formats"
"""Group of entry points of plug-ins: each is a :class:`Format`, or a module that calls
:func:`register`."""

_formats: dict[str, Format] = {}


def register(format: Format) -> Format:
    """Add a format to the registry."""
    known = _formats.setdefault(format.name, format)
    if known is not format:
        raise UsageError(
            f"two formats are named {format.name!r}: that of {known.module} and that of "
            f"{format.module}",
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
        if package.ispkg and package.name.rpartition(".")[2] not in _WITHOUT_FORMATS:
            found = import_module(package.name)
            for module in pkgutil.iter_modules(found.__path__, f"{package.name}."):
                import_module(module.name)


@cache
def _load_others() -> None:
    load(ENTRY_POINTS, "format", lambda found: isinstance(found, Format), register)


def all_formats() -> tuple[Format, ...]:
    """All formats, including those of plug-ins, by name."""
    _load_own()
    _load_others()
    return tuple(_formats[name] for name in sorted(_formats))


def format_named(name: str) -> Format:
    """The format of this name, which may end in the label of relations: ``webanno:alias``."""
    plain, _, label = name.partition(":")
    for load_more in (_load_own, _load_others):
        if plain not in _formats:
            load_more()
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


def recognise(source: Source, side: str | None = None) -> Format | None:
    """The format of a source; None if unknown.

    The first format whose predicate is true is taken. ``side`` is ``key`` or ``response``, for
    formats that can be read as either.
    """
    head = source.head()[:HEAD]
    for format in _candidates(head):
        if _detects(format, format.detect, head, source.name):
            return format
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        from corefine.formats.jsonlines.records import keys_of

        found = format_of_record(keys_of(source), side, source.where())
        if found is not None:
            return found
    formats = all_formats()
    for format in formats:
        if _is_foreign(format) and _detects(format, format.detect, head, source.name):
            return format
    for format in formats:
        if _detects(format, format.fallback, head, source.name):
            return format
    return None


def _is_foreign(format: Format) -> bool:
    return format.module.partition(".")[0] != __name__.partition(".")[0]


def _candidates(head: bytes) -> Iterator[Format]:
    """Formats of corefine in detection order."""
    for beginning, modules in _BY_BEGINNING:
        if beginning.match(head):
            for name, module in modules.items():
                import_module(f"{__package__}.{module}")
                yield _formats[name]
    _load_own()
    others = sorted(name for name in _formats if name not in _ORDER)
    known = [_formats[name] for name in (*_ORDER, *others) if name in _formats]
    yield from (format for format in known if not _is_foreign(format))


def _detects(
    format: Format, predicate: Callable[[bytes, str], bool] | None, head: bytes, name: str
) -> bool:
    if predicate is None:
        return False
    if not _is_foreign(format):
        return predicate(head, name)
    with blaming(f"the format {format.name}", format.module):
        return predicate(head, name)


def format_of_record(shapes: Mapping[str, str], side: str | None, where: Location) -> Format | None:
    """The format of a JSON record with these keys; None if no format has them."""
    for load_more in (_load_own, _load_others):
        load_more()
        found = [
            _formats[name]
            for name in sorted(_formats)
            if (detect := _formats[name].detect_record) is not None and detect(shapes)
        ]
        if found:
            return choose_format(found, side, where)
    return None


def choose_format(found: Sequence[Format], side: str | None, where: Location) -> Format | None:
    """The only format, or the one of this side; several are an error."""
    if side is not None and all(format.side is not None for format in found):
        found = [format for format in found if format.side == side] or found
    if len(found) > 1:
        names = "; ".join(f"{format.name} ({format.title})" for format in found)
        raise FormatError(f"ambiguous format: {names}", where, HOW_TO_NAME)
    return found[0] if found else None


def of_empty_file(source: Source) -> Format | None:
    """The format of an empty file by its suffix; None if it is not empty, or unknown."""
    if source.head().strip():
        return None
    found = [format for format in all_formats() if format.empty_files and is_usual(source, format)]
    return found[0] if len(found) == 1 else None


def is_usual(source: Source, format: Format) -> bool:
    """True if the name of a source has a usual suffix of a format."""
    return source.name.removesuffix(".gz").endswith(format.suffixes)


def sniff(source: Source, side: str | None = None) -> Format:
    """The format of a source, or an error that describes what the file looks like."""
    if not source.head().strip():
        by_name = of_empty_file(source)
        if by_name is not None:
            return by_name
        empty = "the file is empty" if not source.head() else "the file has only white space"
        raise FormatError(empty, source.where(), "Check that this is the right file.")
    found = recognise(source, side)
    if found is None:
        from corefine.formats.appearance import appearance

        raise FormatError(
            f"unknown format: {appearance(source.head()[:HEAD])}", source.where(), HOW_TO_NAME
        )
    return found
