"""UIMA CAS: a text, annotations of its characters, and chains of links, however it is written.

A chain is a structure whose feature ``first`` leads to a link, each link leads to the ``next``.
DKPro's are read, and the layers of chains that people define in WebAnno and INCEpTION. The
``referenceType`` of a link is its type. ``Token`` and ``Sentence`` cut the text; without tokens it
is cut at blanks and signs. Characters are counted in the 16-bit units of UTF-16.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import unquote

from corefine.errors import FormatError, Location
from corefine.formats.building.cut_tokens import Span, cut
from corefine.formats.building.document_rows import DocumentRows
from corefine.formats.building.reference_types import kind_of
from corefine.formats.building.utf16 import code_point_offsets
from corefine.formats.input.sources import Source

_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Structure:
    """A feature structure: its type without the package, its id, and its features as strings."""

    type: str
    id: str
    features: Mapping[str, str]
    """References are the ids of other structures."""
    where: Location

    def get(self, feature: str) -> str:
        """The value of a feature, empty where it has none."""
        return self.features.get(feature) or ""

    def refuse(self, message: str, remedy: str) -> NoReturn:
        """Refuse it, with the line on which it stands where that is known."""
        raise FormatError(message, self.where, remedy)


@dataclass(frozen=True, slots=True)
class _Link:
    """A mention: its place, and what says so."""

    place: Span
    structure: Structure


def add_document(
    structures: Iterable[Structure], name: str, rows: DocumentRows, source: Source
) -> None:
    """Add the document of a CAS; it is called by its metadata, or else by ``name``."""
    structures = list(structures)
    sofa, text = _text(structures, source)
    offsets = code_point_offsets(text)
    lines: dict[Span, int] = {}
    sentences: list[Span] = []
    links: dict[str, _Link] = {}
    chains: list[Structure] = []
    for one in structures:
        if one.type == "DocumentMetaData":
            name = _named(one) or name
        elif one.features.get("sofa", sofa) != sofa:
            continue
        elif one.type == "Token":
            lines[_place(one, offsets)] = one.where.line or 1
        elif one.type == "Sentence":
            sentences.append(_place(one, offsets))
        elif "first" in one.features and "end" not in one.features:
            chains.append(one)
        elif one.type.endswith("Link") and "end" in one.features:
            links[one.id] = _Link(_place(one, offsets), one)
    rows.begin(name, source.name)
    if not chains:
        rows.warnings.append(f"{source.name}: no chains, so there are no mentions")
    mentions = [(chain.id, links[id]) for chain in chains for id in _members(chain, links)]
    tokens = sorted((start, stop) for start, stop in lines if start < stop)
    if not tokens:
        tokens = [found.span() for found in _WORD.finditer(text)]
    _refuse_overlaps(tokens, source)
    found = cut(tokens, [link.place for _, link in mentions])
    begins = sorted(start for start, _ in sentences)
    sentence = 0
    for (start, stop), owner in zip(found.pieces, found.owner, strict=True):
        while sentence < len(begins) and begins[sentence] <= start:
            sentence += 1
        line = lines.get(tokens[owner], 1) if owner >= 0 else 1
        rows.add(text[start:stop] or "_", sentence, line, empty=start == stop)
    for (chain, link), (first, behind) in zip(mentions, found.mentions, strict=True):
        if behind <= first:
            link.structure.refuse("a link without a token", "It must cover words of the text.")
        type = link.structure.get("referenceType")
        rows.mentions.add(rows.document, chain, [(first, behind)], kind_of(type), type)


def _text(structures: Sequence[Structure], source: Source) -> tuple[str, str]:
    """The first view that has a text, by its id, and this text."""
    for one in structures:
        if one.type == "Sofa" and "sofaString" in one.features:
            return one.id, one.features["sofaString"]
    raise FormatError(
        "no Sofa with a sofaString, so there is no text",
        source.where(1),
        "Export the document with its text.",
    )


def _named(metadata: Structure) -> str:
    """The name of a document: its id, or its title where INCEpTION put the annotator's name there.

    DKPro's URI of a document ends in its id, INCEpTION's in its title.
    """
    id, title, uri = (metadata.get(f"document{name}") for name in ("Id", "Title", "Uri"))
    return id if id and (not title or not uri or unquote(uri).endswith(id)) else title


def _place(one: Structure, offsets: Sequence[int]) -> Span:
    """First character of an annotation, and the one behind its last; 0 where it is left out."""
    begin, end = (one.features.get(name, "0") for name in ("begin", "end"))
    if not all(
        number.isascii() and number.isdigit() and len(number) < 10 for number in (begin, end)
    ):
        one.refuse(
            f"an annotation from {begin[:20]!r} to {end[:20]!r}", "begin and end must be integers."
        )
    low, high = int(begin), int(end)
    if not low <= high < len(offsets):
        one.refuse(
            f"an annotation from {low} to {high} in a text of {len(offsets) - 1:,} characters",
            "Offsets are UTF-16 code units from 0, end exclusive.",
        )
    return offsets[low], offsets[high]


def _members(chain: Structure, links: Mapping[str, _Link]) -> list[str]:
    """The links of a chain, from the first to the last."""
    found: dict[str, None] = {}
    id = chain.get("first")
    while id:
        if id not in links:
            chain.refuse(f"{id[:20]!r} is not a link", "first and next must refer to links.")
        if id in found:
            chain.refuse(
                f"link {id[:20]!r} occurs twice in its chain", "A chain must not be circular."
            )
        found[id] = None
        id = links[id].structure.get("next")
    return list(found)


def _refuse_overlaps(tokens: Sequence[Span], source: Source) -> None:
    behind = 0
    for start, stop in tokens:
        if start < behind:
            raise FormatError(
                f"the token from {start} to {stop} overlaps the preceding one",
                source.where(1),
                "Tokens follow one another.",
            )
        behind = stop
