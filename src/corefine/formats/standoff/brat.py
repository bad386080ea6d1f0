"""brat standoff: running text, and annotations of its characters in a file beside it.

The smallest valid document is two files. ``x.txt`` has the text::

    Anna saw her house.

``x.ann`` has the annotations, with a tab behind each id and before the words::

    T1	PROP_PER 0 4	Anna
    T2	PRON_PER 9 12	her
    R1	Coref Arg1:T2 Arg2:T1

``T`` lines are mentions: type, first character, the one behind the last (``0 4;9 12`` where there
is a gap), words. Relations ``R`` whose type speaks of coreference, and classes such as
``* Equiv T1 T2``, make entities, also through others; mentions in none are singletons. A type that
begins with ``PROP``, ``NOM`` or ``PRON``, as LitBank's do, tells the kind. Beside such mentions
LitBank gives entities by further annotations of the same characters, with types such as
``ANNA-0``. Triggers of events are no mentions; attributes, notes and other relations are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from corefine.corpus.arrays import offsets_of
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.errors import FormatError
from corefine.formats.input.folders import companion, document_name, stem
from corefine.formats.input.joined_lines import batches
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.standoff.brat_lines import Annotations, read_annotations
from corefine.formats.standoff.brat_mentions import corpus_of
from corefine.formats.standoff.brat_writing import ANNOTATIONS, TEXT, losses, write_files
from corefine.formats.text.tokens import RunningTexts

LARGEST = 64 << 20
"""Bytes of a text: room for the longest novel, and an end to what a broken file can cost."""

_MARK = b"\xef\xbb\xbf"
_LINE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:T[0-9]+\t\S+ [0-9]+ [0-9]+|R[0-9]+\t\S+ \S+:[TE][0-9]"
    rb"|\*\t\S+ [TE][0-9]|E[0-9]+\t\S+:T[0-9]|[AM][0-9]+\t\S+ [TER][0-9]"
    rb"|N[0-9]+\tReference |#[0-9]*\t)"
)


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The one document of a file of annotations, with the text beside it."""
    return read_many([source], layers)


def read_many(sources: Sequence[Source], layers: frozenset[str] | None) -> Corpus:
    """The documents of files of annotations, with the texts beside them."""
    warnings = _without_annotations(sources) if len(sources) > 1 else []
    parts = []
    for batch in batches(sources):
        parts.append(_read_batch(batch, layers, warnings))
        warnings = []
    return concatenate(parts)


def _read_batch(
    sources: Sequence[Source], layers: frozenset[str] | None, warnings: Sequence[str]
) -> Corpus:
    texts = [_text_beside(source) for source in sources]
    found = read_annotations(sources)
    return corpus_of(
        [document_name(source, ANNOTATIONS) for source in sources],
        [text.name for text in texts],
        RunningTexts.of_bytes(_as_counted(_read_texts(texts), found)),
        found,
        warnings,
        with_places=layers is None or "text" in layers,
    )


def _text_beside(source: Source) -> Source:
    """The file of the text that a file of annotations belongs to."""
    if source.path is None:
        raise FormatError(
            "annotations need a path, so that the text file can be found",
            source.where(),
            f"Give the path of a file that ends in {ANNOTATIONS}.",
        )
    own = source.path.name.removesuffix(".gz")
    if own.endswith(TEXT):
        raise FormatError(
            "this is a text file; the annotations are in another file",
            source.where(),
            f"Give {own.removesuffix(TEXT) + ANNOTATIONS} instead.",
        )
    name = stem(source, ANNOTATIONS) + TEXT
    found = companion(source, (name,))
    if found is None:
        raise FormatError(
            f"the text file {name} is missing",
            source.where(),
            "Put it next to the annotations, which refer to it.",
        )
    return found


def _without_annotations(sources: Sequence[Source]) -> list[str]:
    """A warning of the texts, in the folders of these files, that have no annotations beside."""
    folders = dict.fromkeys(source.path.parent for source in sources if source.path is not None)
    lost = [text for folder in folders for text in _texts_alone(folder)]
    if not lost:
        return []
    if len(lost) == 1:
        return [f"1 text without annotations ({ANNOTATIONS}) is ignored: {lost[0]}"]
    return [f"{len(lost)} texts without annotations ({ANNOTATIONS}) are ignored, such as {lost[0]}"]


def _texts_alone(folder: Path) -> list[str]:
    names = {name.removesuffix(".gz") for name in os.listdir(folder) if not name.startswith(".")}
    annotated = {name.removesuffix(ANNOTATIONS) for name in names if name.endswith(ANNOTATIONS)}
    texts = sorted(name for name in names if name.endswith(TEXT))
    return [str(folder / name) for name in texts if name.removesuffix(TEXT) not in annotated]


def _read_texts(sources: Sequence[Source]) -> list[bytes]:
    """The bytes of texts, which are UTF-8."""
    contents = [_content(source) for source in sources]
    joined = b"".join(contents)
    if b"\0" in joined or not _is_utf8(joined, contents):
        for source, content in zip(sources, contents, strict=True):
            _check(source, content)
    return contents


def _content(source: Source) -> bytes:
    content = source.read_all(LARGEST)
    # A byte order mark counts as a character, but is no part of a word.
    return b" " + content[len(_MARK) :] if content.startswith(_MARK) else content


def _is_utf8(joined: bytes, contents: Sequence[bytes]) -> bool:
    if joined.isascii():
        return True
    try:
        joined.decode("utf-8")
    except UnicodeDecodeError:
        return False
    # A character must not begin in one file and end in the next.
    return all(not content or content[0] & 0xC0 != 0x80 for content in contents)


def _check(source: Source, content: bytes) -> None:
    """Refuse what is not text, naming the line."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = 1 + content.count(b"\n", 0, error.start)
        raise FormatError(
            f"invalid UTF-8 (byte 0x{content[error.start]:02x})",
            source.where(line),
            "Convert the file to UTF-8.",
        ) from None
    zero = content.find(b"\0")
    if zero >= 0:
        raise FormatError(
            "a null byte: not a text file",
            source.where(1 + content.count(b"\n", 0, zero)),
            "Check that this is the right file.",
        )


def _as_counted(contents: Sequence[bytes], found: Annotations) -> list[bytes]:
    """The texts with line ends as the annotations count them.

    brat counts a carriage return and a newline as two characters, tools that read text in lines as
    one. The words that annotations repeat tell which it was; where they do not, it was brat.
    """
    counted = list(contents)
    for document, content in enumerate(contents):
        if b"\r" in content:
            shorter = content.replace(b"\r\n", b"\n")
            if _agreeing(shorter, document, found) > _agreeing(content, document, found):
                counted[document] = shorter
    return counted


def _agreeing(content: bytes, document: int, found: Annotations) -> int:
    """How many annotations of a document, all in one piece, repeat the words of a text."""
    text = content.decode("utf-8")
    bounds = offsets_of(np.bincount(found.owner, minlength=len(found.line)))
    rows = np.flatnonzero((found.document == document) & (np.diff(bounds) == 1))
    fragment = bounds[rows]
    columns = (found.words[0][rows], found.words[1][rows], found.begin[fragment],
               found.end[fragment])  # fmt: skip
    return sum(
        _plain(found.lines.text[start:stop].tobytes().decode("utf-8")) == _plain(text[begin:end])
        for start, stop, begin, end in zip(*(column.tolist() for column in columns), strict=True)
    )


def _plain(text: str) -> str:
    return "".join(text.split())


def sniff(head: bytes, name: str) -> float:
    """Sure where the first line is one of brat's."""
    return 0.9 if _LINE.match(head) else 0.0


BRAT = register(
    Format(
        name="brat",
        title="brat standoff",
        suffixes=(ANNOTATIONS,),
        sniff=sniff,
        read_columns=read,
        read_many=read_many,
        capabilities=Capabilities(entity_names=False, kinds=True, types=True, discontinuous=True),
        write_files=write_files,
        losses=losses,
        companions=(TEXT, ".conf"),
        empty_files=True,
        documentation="docs/formats/brat.md",
    )
)
