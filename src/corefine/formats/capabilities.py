"""Capabilities of formats, found by writing small documents and reading them back."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from corefine.corpus.columns import Kind, Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.formats.losses import differences, round_trip
from corefine.formats.registry import Format


def capabilities_of(format: Format) -> frozenset[str]:
    """Annotations of :data:`ANNOTATED` that survive a round trip, and ``text``.

    Of a format that is only read, only ``text`` is known.
    """
    if format.write is None:
        return frozenset(("text",))
    key = format.name, format.write
    if key not in _known:
        plain = _losses(_document(), format)
        kept = {"text"} - {"text" for loss in plain if loss == "the text (1)"}
        _known[key] = frozenset(
            kept
            | {
                name
                for name, annotated in ANNOTATED.items()
                if _losses(annotated(), format) == (plain if name != "names" else [])
                # The topic of an answer is that of its source.
                and (name != "topics" or format.read_against is None)
            }
        )
    return _known[key]


_known: dict[Hashable, frozenset[str]] = {}


def _losses(document: Document, format: Format) -> list[str]:
    corpus = Corpus.from_documents([document])
    try:
        return differences(corpus, round_trip(corpus, format))
    except Exception as error:  # a writer may not expect what its format cannot represent
        return [str(error) or "an error"]


def _document(**mention: object) -> Document:
    """A document whose mentions have these attributes."""
    words = ["Anna", "saw", "her", "old", "house"]
    mentions = [Mention("a", [(0, 1)]), Mention("a", [(2, 3)]), Mention("b", [(2, 5)])]
    for name, value in mention.items():
        setattr(mentions[2], name, value)
    return Document("d", words, mentions, [0])


def _having(**annotation: object) -> Document:
    """A document with other values of its own."""
    document = _document()
    for name, value in annotation.items():
        setattr(document, name, value)
    return document


_SPLIT = [Mention("a", [(0, 1)]), Mention("a", [(3, 4)]), Mention("b", [(2, 3), (4, 5)])]
_BRIDGE = Relation("bridge", 0, "b", "a", "", (2, 5), (0, 1))
ANNOTATED: dict[str, Callable[[], Document]] = {
    "names": lambda: Document("d", mentions=[Mention("a", [], name=name) for name in "mn"]),
    "kinds": lambda: _document(kind=Kind.NOMINAL),
    "heads": lambda: _document(head=4),
    "types": lambda: _document(type="PER"),
    "minimum_spans": lambda: _document(minimum=(4, 5)),
    "discontinuous": lambda: _having(mentions=_SPLIT),
    "zeros": lambda: _having(
        tokens=["Anna", "saw", "_", "old", "house"], empty_nodes=[2], mentions=_SPLIT[:1]
    ),
    "relations": lambda: _having(relations=[_BRIDGE]),
    "annotations": lambda: _having(
        annotations={"deixis": Document("d", mentions=[Mention("x", [(0, 2)])])}
    ),
    "attributes": lambda: _document(attributes={"other": "z"}),
    "topics": lambda: _having(topic="t"),
}
"""A document with each annotation; ``names`` are mentions without a position in a text."""
