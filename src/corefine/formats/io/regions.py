"""Texts with labelled regions of characters and relations between them, as annotation tools have.

Regions are mentions; entities are the connected components of coreference relations. A relation is
one of coreference if it has no label, or a label such as ``coref`` or ``same as``
(:func:`is_coreference`), or the label that is named with the format (``doccano:alias``).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from corefine.corpus.document import Document, Mention
from corefine.formats.io.records import Span, invalid
from corefine.formats.io.relations import is_coreference

UNTYPED = "Mention"
"""Label of mentions without a type, since regions need a label."""
DATA_NAMES = ("doc_key", "doc_id", "document", "document_id", "name", "id")
"""Keys of a task's data that may name the document."""
Region = tuple[Span, str | None, str | None]
"""Characters of a region, its label, and its words if the source repeats them."""
Relation = tuple[Hashable, Hashable, Sequence[str]]
"""Ids of two regions, and the labels of their relation."""


def document_of(
    name: str,
    text: str,
    regions: Mapping[Any, Region],
    relations: Iterable[Relation],
    label: str,
    tokens: Sequence[Span] | None = None,
) -> Document:
    """The document of a text with regions by id, joined by coreference relations."""
    mentions: list[Mention] = []
    for region, ((start, stop), type, quoted) in regions.items():
        if not 0 <= start < stop <= len(text):
            raise invalid(
                f"span {region!r} is [{start}, {stop}] in a text of {len(text):,} characters",
                "A span is [start, end] in characters from 0, end exclusive.",
            )
        known = type not in (None, "", UNTYPED)
        mention = Mention(0, [(start, stop)], type=type if known else None, quoted=quoted)
        mentions.append(mention)
    place = {region: number for number, region in enumerate(regions)}
    pairs: list[tuple[int, int]] = []
    others: set[str] = set()
    for first, second, labels in relations:
        given = list(filter(None, labels))
        if given and not any(is_coreference(one, label) for one in given):
            others.update(given)
        elif first in place and second in place:
            pairs.append((place[first], place[second]))
        else:
            raise invalid(
                f"a relation between {first!r} and {second!r}, which are not both spans",
                "A relation connects two spans of the same task.",
            )
    if others and not pairs:
        raise invalid(
            f"no coreference relations, only {', '.join(sorted(others))[:60]}",
            f"Name the label of coreference with the format, such as doccano:{min(others)}.",
        )
    document = Document.from_text(name, text, mentions, tokens=tokens, sentences=())
    document.link(pairs)
    return document
