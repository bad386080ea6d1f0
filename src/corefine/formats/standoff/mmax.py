"""MMAX2: a file of words, and files of markables that refer to them (ARRAU, ParCorFull, SoNaR).

The smallest valid document is two files. ``x_words.xml``, in the same folder or in ``Basedata``::

    <words>
     <word id="word_1">Anna</word>
     <word id="word_2">saw</word>
     <word id="word_3">her</word>
     <word id="word_4">house</word>
    </words>

``x_coref_level.xml``::

    <markables xmlns="www.eml.org/NameSpaces/coref">
     <markable id="markable_1" span="word_1" coref_class="set_1"/>
     <markable id="markable_2" span="word_3" coref_class="set_1"/>
     <markable id="markable_3" span="word_3..word_4" coref_class="set_2"/>
    </markables>

``span`` lists words and ranges of words, separated by commas. Markables with the same
``coref_class`` (or ``coref_set``) are an entity; one without a class, or of the class ``empty``, is
a singleton. ``min_ids`` is the minimum span (ARRAU). The level
``x_sentence_level.xml`` gives the sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corefine.corpus.document import Document, Mention, Span, merged
from corefine.errors import FormatError
from corefine.formats.input.sources import Source, companion, document_name, stem
from corefine.formats.input.xml_files import has_root, parsed, refuse_element
from corefine.formats.registry import Capabilities, Format, register

LEVEL, WORDS, SENTENCES = "_coref_level.xml", "_words.xml", "_sentence_level.xml"
_CLASSES = ("coref_class", "coref_set", "set")


def read(source: Source) -> Iterator[Document]:
    """The document of a file of markables, with its words."""
    name = stem(source, LEVEL, ".xml")
    words = companion(source, (name + WORDS,), ("Basedata", "basedata", "words"))
    if words is None:
        raise FormatError(
            f"the words, {name + WORDS}, are missing",
            source.where(),
            "Put the file next to the markables, or into the folder Basedata beside theirs.",
        )
    document = Document(document_name(source, LEVEL, ".xml"), [], source=words.name)
    numbers = _read_words(words, document)
    sentences = companion(source, (name + SENTENCES,))
    if sentences is not None:
        listed = [_span(one, "span", numbers, sentences) for one in _markables(sentences)]
        document.sentences = sorted({0, *(span[0][0] for span in listed if span)})
    for markable in _markables(source):
        spans = _span(markable, "span", numbers, source)
        if not spans:
            refuse_element(markable, source, "a markable without words", "Give it a span.")
        entity = next((markable.get(key) for key in _CLASSES if markable.get(key)), None)
        if entity in (None, "empty"):
            entity = f"{document.name}:{markable.get('id')}"
        minimum = _span(markable, "min_ids", numbers, source)
        document.mentions.append(
            Mention(
                str(entity),
                spans,
                minimum=(minimum[0][0], minimum[-1][1]) if minimum else None,
                where=source.where(markable.sourceline or 1),
            )
        )
    yield document


def _read_words(source: Source, document: Document) -> dict[str, int]:
    """Add the words to the document, and return their numbers by id."""
    numbers: dict[str, int] = {}
    words: list[str] = []
    for word in parsed(source).iter("word"):
        id = word.get("id")
        if id is None or id in numbers:
            message = "a word without id" if id is None else f"a second word {id[:60]!r}"
            refuse_element(word, source, message, "Give each word its own id.")
        numbers[id] = len(words)
        words.append((word.text or "").strip())
        document.lines.append(word.sourceline or 1)
    document.tokens = words
    return numbers


def _markables(source: Source) -> list[Any]:
    return [one for one in parsed(source) if str(one.tag).rpartition("}")[2] == "markable"]


def _span(markable: Any, key: str, numbers: dict[str, int], source: Source) -> list[Span]:
    """Token spans of a list of words and ranges; empty if the attribute is missing."""
    spans: list[Span] = []
    for part in filter(None, (markable.get(key) or "").split(",")):
        first, _, last = part.strip().partition("..")
        if first not in numbers or (last and last not in numbers):
            refuse_element(
                markable,
                source,
                f"a markable of unknown words {part[:60]!r}",
                "Words are ids of the file of words, or ranges such as word_1..word_3.",
            )
        spans.append((numbers[first], numbers[last or first] + 1))
    return merged(spans)


MMAX = register(
    Format(
        name="mmax",
        title="MMAX2: words and markables (ARRAU, ParCorFull, SoNaR)",
        suffixes=(LEVEL,),
        read=read,
        detect=has_root(rb"<markables\b"),
        capabilities=Capabilities(minimum_spans=True, discontinuous=True),
        companions=(WORDS, SENTENCES, "_level.xml", ".mmax"),
        documentation="docs/formats/xml.md",
    )
)
