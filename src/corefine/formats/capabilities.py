"""Capabilities of formats, found by writing small documents and reading them back."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields

from corefine.corpus.columns import Kind, Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.formats.losses import differences, round_trip
from corefine.formats.registry import Format


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Annotations that a format can represent, besides mentions of entities."""

    text: bool = True
    names: bool = False
    """Mentions without a position in a text."""
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


def capabilities_of(format: Format) -> Capabilities:
    """Annotations that survive a round trip; unknown for formats that are only read."""
    if format.write is None and format.write_files is None:
        return Capabilities()
    key = format.name, format.write, format.write_files
    if key not in _known:
        _known[key] = _found(format)
    return _known[key]


_known: dict[Hashable, Capabilities] = {}


def _found(format: Format) -> Capabilities:
    plain = _losses(_document(), format)
    nameless = Document("d", mentions=[Mention("a", [], name="m"), Mention("a", [], name="n")])
    survives = {
        field.name: _losses(_with(field.name), format) == plain
        for field in fields(Capabilities)
        if field.name not in ("text", "names")
    }
    if format.read_against is not None:
        survives["topics"] = False  # the topic is that of the source
    return Capabilities("the text (1)" not in plain, not _losses(nameless, format), **survives)


def _losses(document: Document, format: Format) -> list[str]:
    corpus = Corpus.from_documents([document])
    try:
        return differences(corpus, round_trip(corpus, format))
    except Exception as error:  # a writer may not expect what its format cannot represent
        return [str(error) or "an error"]


def _document() -> Document:
    words = ["Anna", "saw", "her", "old", "house"]
    mentions = [Mention("a", [(0, 1)]), Mention("a", [(2, 3)]), Mention("b", [(2, 5)])]
    return Document("d", words, mentions, [0])


def _with(feature: str) -> Document:
    """A document with one annotation besides its mentions."""
    document = _document()
    _ADDITIONS[feature](document, *document.mentions)
    return document


def _heads(document: Document, first: Mention, second: Mention, third: Mention) -> None:
    first.head, second.head, third.head = 0, 2, 4


def _kinds(document: Document, first: Mention, second: Mention, third: Mention) -> None:
    first.kind, second.kind, third.kind = Kind.NAME, Kind.NOMINAL, Kind.PRONOUN


def _types(document: Document, *mentions: Mention) -> None:
    for mention in mentions:
        mention.type = "PER"


def _minimum_spans(document: Document, first: Mention, second: Mention, third: Mention) -> None:
    third.minimum = (4, 5)


def _discontinuous(document: Document, first: Mention, second: Mention, third: Mention) -> None:
    second.spans, third.spans = [(3, 4)], [(2, 3), (4, 5)]


def _zeros(document: Document, first: Mention, second: Mention, third: Mention) -> None:
    document.tokens = ["Anna", "saw", "_", "old", "house"]
    document.empty_nodes, document.mentions = [2], [first, second]


def _relations(document: Document, *mentions: Mention) -> None:
    document.relations = [Relation("bridge", 0, "b", "a", "", (2, 5), (0, 1))]


def _annotations(document: Document, *mentions: Mention) -> None:
    document.annotations = {"deixis": Document("d", mentions=[Mention("x", [(0, 2)])])}


def _attributes(document: Document, first: Mention, *others: Mention) -> None:
    first.attributes = {"other": "z"}


def _topics(document: Document, *mentions: Mention) -> None:
    document.topic = "t"


_ADDITIONS: dict[str, Callable[..., None]] = {
    "heads": _heads,
    "kinds": _kinds,
    "types": _types,
    "minimum_spans": _minimum_spans,
    "discontinuous": _discontinuous,
    "zeros": _zeros,
    "relations": _relations,
    "annotations": _annotations,
    "attributes": _attributes,
    "topics": _topics,
}
