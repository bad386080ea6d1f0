"""Registry of formats: description, detection, reader and writer of each.

A format is a module that ends in :func:`register`. Its reader yields the documents of a
:class:`Source`; its writer yields bytes, or named files if a document has several. Other installed
packages can provide formats through entry points.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from corefine.corpus.joining import concatenate
from corefine.errors import FormatError, UsageError, closest
from corefine.formats.io.appearance import appearance, unknown_columns
from corefine.formats.io.sources import HEAD, Source
from corefine.plugins import blaming, load

HOW_TO_NAME = "Name it with --format (see 'corefine formats')."
"""Advice on files of unknown format; sides have options of their own."""


Reader = Callable[..., Iterable[Document]]
"""Reads the documents of one source."""
ColumnReader = Callable[[Source, frozenset[str] | None], Corpus]
"""Reads one source into the columns of a corpus, with these token layers: None for all, an empty
set for words only."""
Writer = Callable[..., Iterable[Any]]
"""Content of one file, in pieces, or names and contents of files."""
AgainstReader = Callable[[Sequence[Source], Corpus, str], Corpus]
"""Reads sources against the words of another corpus, with a rule to align them."""


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

    A reader is a function ``read(source)`` that yields documents; one with a parameter ``label``
    takes the label of coreference relations, which is named as in ``brat:alias``. A writer is a
    function ``write(corpus)``; one with a parameter ``suffix`` takes that of its target.
    """

    name: str
    title: str
    suffixes: tuple[str, ...] = ()
    """Usual suffixes of file names, with their dot."""
    read: Reader | None = None
    detect: Callable[[bytes, str], bool] | None = None
    """True if a file with these first bytes (at most 64 KiB) and this name has the format. Without
    bytes, true if an empty file of this name is a document without mentions."""
    write: Writer | None = None
    """Content of one file. A corpus is iterable: the argument can be treated as documents."""
    files: bool = False
    """True if ``write`` yields names and contents of files in a directory."""
    companions: tuple[str, ...] = ()
    """Suffixes of files that belong to another file and are not read alone."""
    read_columns: ColumnReader | None = None
    """Reader that builds columns directly, for the formats of large corpora."""
    document_mark: DocumentMark | None = None
    """Start of documents, in files of which each document can be read by itself. Such files are
    streamed in any order, and checks continue after a faulty document."""
    read_against: AgainstReader | None = None
    """Reader of text rewritten by a language model, which is aligned with its source."""
    write_prompts: Callable[..., Iterable[bytes]] | None = None
    """Writer of prompts for language models, given a corpus and ``mentions``: true to mark them."""

    @property
    def module(self) -> str:
        """Name of the module that defines the format."""
        function = self.read or self.read_columns or self.write
        return getattr(getattr(function, "func", function), "__module__", "")

    def require(self) -> None:
        """Raise an error if packages that the format is written with are missing."""
        if self.write is not None and not self.files and self.read_against is None:
            next(self.written(Corpus.without_mentions(())), None)

    def refuse_missing(self, corpus: Corpus) -> None:
        """Raise an error if a corpus lacks the text or the spans that the format needs."""
        from corefine.formats.losses import capabilities_of

        if corpus.tokens is not None and corpus.has_places:
            return
        can = capabilities_of(self)
        if ("text" in can and corpus.tokens is None) or not ("names" in can or corpus.has_places):
            raise UsageError(
                f"the format {self.name} needs a text with spans, which the corpus does not have",
                remedy="Choose a format that does not need them, such as labels.",
                code="needs-text",
            )

    def corpus(
        self, source: Source | Sequence[Source], layers: frozenset[str] | None = None
    ) -> Corpus:
        """Read one or more sources; ``layers`` as in :class:`ColumnReader`."""
        sources = [source] if isinstance(source, Source) else source
        with self._blamed(), collector_paused():
            if self.read is not None:
                corpus = Corpus.from_documents(self._documents(sources), self.name)
                return _with_layers(corpus, layers)
            if self.read_columns is None:
                raise UsageError(f"the format {self.name} can be written but not read")
            parts = [self.read_columns(one, layers) for one in sources]
        if len(parts) != 1:
            return concatenate(parts)
        parts[0].refuse_repeats()
        return parts[0]

    def written(self, corpus: Corpus, suffix: str = "") -> Iterator[Any]:
        """Content of one file with this suffix or, if ``files``, names and contents of files."""
        if self.write is None:
            raise UsageError(
                f"the format {self.name} can be read but not written", code="read-only-format"
            )
        options = {"suffix": suffix} if takes(self.write, "suffix") else {}
        with self._blamed():
            for piece in self.write(corpus, **options):
                if not isinstance(piece, tuple if self.files else bytes):
                    raise TypeError(f"write() yields {type(piece).__name__} instead of bytes")
                yield piece

    def _blamed(self) -> AbstractContextManager[None]:
        """Let errors of a plug-in name its package."""
        if self.module.startswith("corefine."):
            return nullcontext()
        return blaming(f"the format {self.name}", self.module)

    def _documents(self, sources: Iterable[Source]) -> Iterator[Document]:
        assert self.read is not None
        for source in sources:
            if not self.companions and not source.head().strip():
                raise _empty(source)
            for document in self.read(source):
                document.source = document.source or source.name
                yield document


def takes(function: Callable[..., Any], parameter: str) -> bool:
    """True if a function has a parameter of this name."""
    from inspect import signature

    return parameter in signature(function).parameters


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
_FIRST_TOKEN = re.compile(rb"(?:#.*\n|[ \t\r]*\n)*+(?:1(?:-[0-9]+)?|0\.1)[ \t]")
"""Comments and a numbered first token, as in CoNLL-U."""
_BEGIN_NUMBERED = re.compile(BEGIN.pattern + rb".*\n" + _FIRST_TOKEN.pattern, re.IGNORECASE)
_RECORDS, _OTHERS = "records", "others"
_DETECTION = (
    # With ten columns its lines look like those of CoNLL-U.
    (re.compile(rb"\s*#FORMAT=WebAnno"), ("webanno",)),
    (_BEGIN_NUMBERED, ("conll-ud", "semeval")),
    (BEGIN, ("conll",)),
    (_FIRST_TOKEN, ("ua", "stanza", "conllu")),
    (re.compile(b""), (
        *("parquet", "webanno", "cas-json", "xmi", "ccl", "ecb", "mmax", "corenlp-xml"),
        *("ontonotes", "onf", "tei", "tbf", "i2b2", "litbank", "booknlp", "gap", "koconovel"),
        *("brat", "conll-ud", "semeval", "ua", "stanza", "conllu", "labels", "conll"),
        *(_RECORDS, _OTHERS, "answers:is_meant", "conll:is_meant", "conllu:is_meant"),
    )),
)  # fmt: skip
"""Formats in the order in which their predicates are asked, by the beginning of the file: most runs
import no others. ``records`` are the dialects of JSON, ``others`` the formats that are not listed,
as those of plug-ins; ``is_meant`` is true for files that can only be meant to have the format."""
_LISTED = {name for _, names in _DETECTION for name in names}
_MODULES = {"xmi": "cas", "cas-json": "cas", "answers": "tagged.tagged"}
"""Modules of formats that have another name."""
_NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")
JSON = ("json", "jsonl")
_OTHER_NAMES = {
    "csv": "labels",
    "tsv": "labels",
    "conll2012": "conll",
    "conll-2012": "conll",
    "conll-u": "conllu",
    "corefud": "conllu",
    "inception": "webanno",
    "conllua": "ua",
    **dict.fromkeys(JSON, "e2e"),
}
"""Names that people type; JSON is read in any dialect and written as e2e-coref has it."""
ENTRY_POINTS = "corefine.formats"
"""Group of entry points of plug-ins: each is a :class:`Format`, or a module that calls
:func:`register`."""


_formats: dict[str, Format] = {}


def register(format: Format) -> Format:
    """Add a format to the registry."""
    _validate(format)
    known = _formats.setdefault(format.name, format)
    if known is not format:
        raise UsageError(
            f"two formats are named {format.name!r}: that of {known.module} and that of "
            f"{format.module}",
            None,
            "Rename one of them, or uninstall the package that provides it.",
        )
    return format


def _validate(format: Format) -> None:
    """Refuse fields of a wrong type, and a format that is neither read nor written."""
    given: Any = format  # a plug-in may ignore the types
    problem = ""
    if not isinstance(given.name, str) or not _NAME.fullmatch(given.name):
        problem = f"the name {given.name!r} is not one word of small letters, digits and hyphens"
    elif not isinstance(given.title, str) or not given.title:
        problem = "title is missing"
    elif isinstance(given.suffixes, str) or any(one[:1] not in "._" for one in given.suffixes):
        problem = f"suffixes are {given.suffixes!r} instead of a tuple such as ('.x',)"
    elif not (given.read or given.read_columns or given.write):
        problem = "there is no function to read or write it"
    for name in ("read", "read_columns", "write", "detect"):
        if getattr(given, name) is not None and not callable(getattr(given, name)):
            problem = f"{name} is not a function"
    if problem:
        raise UsageError(f"the format {format.name!r} of {format.module}: {problem}")


@cache
def load_own() -> None:
    """Import all modules of formats, which register themselves."""
    import pkgutil

    for package in (__package__, f"{__package__}.tagged"):
        folder = import_module(package).__path__
        for module in pkgutil.iter_modules(folder, f"{package}."):
            import_module(module.name)


@cache
def _load_others() -> None:
    load(ENTRY_POINTS, "format", lambda found: isinstance(found, Format), register)


def all_formats() -> tuple[Format, ...]:
    """All formats, including those of plug-ins, by name."""
    load_own()
    _load_others()
    return tuple(_formats[name] for name in sorted(_formats))


def format_named(name: str) -> Format:
    """The format of this name, which may end in the label of relations: ``webanno:alias``.

    Names of corpora, tools and suffixes are other names of formats.

    >>> [format_named(name).name for name in ("corefud", "conll-2012", ".CONLLUA", "tsv")]
    ['conllu', 'conll', 'ua', 'labels']
    """
    plain, _, label = name.partition(":")
    for load_more in (load_own, _load_others):
        if plain not in _formats:
            load_more()
    format = _formats.get(plain) or _called(plain.lower().removeprefix("."))
    if format is None:
        hint = closest(plain, [*_formats, *_OTHER_NAMES], 3).strip()
        remedy = f"{hint} 'corefine formats' lists all names.".strip()
        raise UsageError(f"there is no format {name!r}", None, remedy, code="unknown-format")
    if not label:
        return format
    field = "read_columns" if format.read is None else "read"
    read: Any = getattr(format, field)
    if read is None or not takes(read, "label"):
        message = f"the format {format.name} has no relations with labels"
        raise UsageError(message, None, "Name it without a label.")
    labelled: dict[str, Any] = {field: partial(read, label=label)}
    return replace(format, **labelled)


def _called(name: str) -> Format | None:
    """The format of another name, or of a suffix that no other format has."""
    suffix = f".{name}"
    found = _formats.get(_OTHER_NAMES.get(name, name))
    if found is None:
        having = [one for one in _formats.values() if suffix in one.suffixes]
        return having[0] if len(having) == 1 else None
    write = found.write
    if write is not None and suffix in found.suffixes and takes(write, "suffix"):
        return replace(found, write=lambda corpus: write(corpus, suffix=suffix))
    if name in JSON:
        return replace(found, read=None, read_columns=_read_detected, document_mark=None)
    return found


def _read_detected(source: Source, layers: frozenset[str] | None) -> Corpus:
    """Read JSON of any dialect."""
    return sniff(source).corpus(source, layers)


def recognise(source: Source, side: str | None = None) -> Format | None:
    """The format of a source; None if unknown.

    The first format whose predicate is true is taken. ``side`` is ``key`` or ``response``, for
    formats that can be read as either.
    """
    head = source.head()[:HEAD].removeprefix(b"\xef\xbb\xbf")
    if b"global.columns" in head and unknown_columns(head):
        return None
    for beginning, names in _DETECTION:
        for name in names if beginning.match(head) else ():
            found = _recognised(name, source, head, side)
            if found is not None:
                return found
    return None


def _recognised(name: str, source: Source, head: bytes, side: str | None) -> Format | None:
    """The format that an entry of the detection order recognises."""
    if name == _OTHERS:
        others = (one for one in all_formats() if one.name not in _LISTED)
        return next((one for one in others if detects(one, head, source.name)), None)
    if name == _RECORDS:
        if head.lstrip()[:1] not in (b"{", b"["):
            return None
        from corefine.formats.io.records import format_of_record, keys_of

        return format_of_record(keys_of(source), side, source.where())
    plain, _, predicate = name.partition(":")
    module = import_module(f"{__package__}.{_MODULES.get(plain, plain.replace('-', '_'))}")
    format = _formats[plain]
    if predicate:
        return format if getattr(module, predicate)(head, source.name) else None
    return format if detects(format, head, source.name) else None


def detects(format: Format, head: bytes, name: str) -> bool:
    """True if a file with these first bytes and this name has a format."""
    if format.detect is None:
        return False
    with format._blamed():
        return format.detect(head, name)


def of_answer(source: Source, side: str | None) -> Format | None:
    """The format of answers of language models, if a response of unknown format may be one."""
    from corefine.formats.tagged.tagged import may_be_answer

    is_answer = side == "response" and may_be_answer(source.head()[:HEAD], source.name)
    return _formats["answers"] if is_answer else None


def of_empty_file(source: Source) -> Format | None:
    """The format of an empty file by its suffix; None if it is not empty, or unknown."""
    if source.head().strip():
        return None
    return next((one for one in all_formats() if detects(one, b"", source.name)), None)


def is_usual(source: Source, format: Format) -> bool:
    """True if the name of a source has a usual suffix of a format."""
    return source.name.lower().removesuffix(".gz").endswith(format.suffixes)


def _empty(source: Source) -> FormatError:
    what = "the file has only white space" if source.head() else "the file is empty"
    source.close()
    return FormatError(what, source.where(), "Check that this is the right file.")


def sniff(source: Source, side: str | None = None) -> Format:
    """The format of a source, or an error that describes what the file looks like."""
    if not source.head().strip():
        by_name = of_empty_file(source)
        if by_name is not None:
            return by_name
        raise _empty(source)
    found = recognise(source, side) or of_answer(source, side)
    if found is None:
        raise FormatError(
            f"unknown format: {appearance(source.head())}",
            source.where(),
            HOW_TO_NAME,
            code="unknown-format",
        )
    return found
