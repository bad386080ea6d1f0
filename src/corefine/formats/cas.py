"""UIMA CAS as XMI or JSON: a text, tokens and sentences of its characters, and chains of links.

The smallest valid XMI file::

    <xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
        xmlns:coref="http:///de/tudarmstadt/ukp/dkpro/core/api/coref/type.ecore">
     <coref:CoreferenceLink xmi:id="2" sofa="1" begin="0" end="4" next="3"/>
     <coref:CoreferenceLink xmi:id="3" sofa="1" begin="9" end="12"/>
     <coref:CoreferenceChain xmi:id="4" sofa="1" first="2"/>
     <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="Anna saw her house."/>
    </xmi:XMI>

The smallest valid JSON file (UIMA CAS JSON 0.4, as INCEpTION and cassis write it)::

    {"%FEATURE_STRUCTURES": [
      {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "Anna saw her house."},
      {"%ID": 2, "%TYPE": "x.CoreferenceLink", "@sofa": 1, "begin": 0, "end": 4, "@next": 3},
      {"%ID": 3, "%TYPE": "x.CoreferenceLink", "@sofa": 1, "begin": 9, "end": 12},
      {"%ID": 4, "%TYPE": "x.CoreferenceChain", "@sofa": 1, "@first": 2}]}

A chain is a structure whose feature ``first`` refers to a link, and each link refers to the
``next``: chains of DKPro, and chain layers that users define in WebAnno and INCEpTION. The
``referenceType`` of a link is its type. ``Token`` and ``Sentence`` segment the text; without tokens
it is tokenized. Characters are counted in UTF-16 code units.

CorefAnnotator also writes XMI: each ``Mention`` refers to its ``Entity`` and, if it is
discontinuous, to the annotations of its parts (``Surface``).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn
from urllib.parse import unquote

import msgspec

from corefine.corpus.document import Document, Mention, Span
from corefine.errors import FormatError, Location
from corefine.formats.io.lines import begins_with, code_point_offsets
from corefine.formats.io.records import unique_keys
from corefine.formats.io.relations import kind_of
from corefine.formats.io.sources import Source, document_name
from corefine.formats.io.xml_files import LARGEST, has_root, parsed
from corefine.formats.registry import Format, register

_ID = "{http://www.omg.org/XMI}id"
_STRUCTURES = "%FEATURE_STRUCTURES"
_READ = ("first", "next", "begin", "end", "sofa", "sofaString")
"""Features that define mentions and chains."""
_REMEDY = (
    "Export the document as UIMA CAS XMI or JSON 0.4 again: a Sofa with its text, annotations with "
    "begin and end in UTF-16 code units, and chains whose links refer to the next one."
)


@dataclass(frozen=True, slots=True)
class Structure:
    """A feature structure: type without the package, id, and features as strings."""

    type: str
    id: str
    features: Mapping[str, str]
    """References are ids of other structures."""
    where: Location

    def get(self, feature: str) -> str:
        """The value of a feature, empty if it is missing."""
        return self.features.get(feature) or ""

    @property
    def is_link(self) -> bool:
        return self.type.endswith("Link") and "end" in self.features

    def refuse(self, message: str) -> NoReturn:
        raise FormatError(message, self.where, _REMEDY)


def read_xmi(source: Source) -> Iterator[Document]:
    """The document of an XMI file."""
    structures = []
    for element in parsed(source):
        type = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        where = source.where(element.sourceline or 1)
        structures.append(Structure(type, element.get(_ID) or "", dict(element.attrib), where))
    yield _document(structures, document_name(source, ".xmi", ".xml"), source)


def read_json(source: Source) -> Iterator[Document]:
    """The document of a JSON file."""
    try:
        root = json.loads(source.read_all(LARGEST), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        line = getattr(error, "lineno", None)
        raise source.error("invalid JSON, or a repeated key", line, _REMEDY) from None
    listed = root.get(_STRUCTURES) if isinstance(root, dict) else None
    if not isinstance(listed, dict | list):
        raise source.error(f"no {_STRUCTURES}", None, _REMEDY)
    structures = []
    for key, one in listed.items() if isinstance(listed, dict) else enumerate(listed):
        if not isinstance(one, dict) or not isinstance(one.get("%TYPE"), str):
            message = f"{_STRUCTURES}[{key}] is not a structure with a %TYPE"
            raise source.error(message, None, _REMEDY)
        type, id = re.split(r"[.:]", one["%TYPE"])[-1], str(one.get("%ID", key))
        features: dict[str, str] = {}
        structures.append(Structure(type, id, features, source.where()))
        for name, value in one.items():
            plain = name.removeprefix("@")
            if isinstance(value, str | int) and not isinstance(value, bool):
                features[plain] = str(value)
            elif plain in _READ and value is not None:
                structures[-1].refuse(f"{plain} of structure {id[:60]} is {str(value)[:60]!r}")
    yield _document(structures, document_name(source, ".json"), source)


def _document(structures: Sequence[Structure], name: str, source: Source) -> Document:
    """The document of a CAS: the first view that has a text. Its metadata may name it."""
    texts = [one for one in structures if one.type == "Sofa" and "sofaString" in one.features]
    if not texts:
        raise source.error("no Sofa with a sofaString", 1, _REMEDY)
    shown = next((one for one in texts if one.get("sofaID") == "_InitialView"), texts[0])
    sofa, text = shown.id, shown.features["sofaString"]
    views = {one.id for one in structures if one.type == "Sofa"}
    offsets = code_point_offsets(text)
    by_id: dict[str, Structure] = {}
    lines: dict[Span, int] = {}
    sentences: list[int] = []
    chains: list[Structure] = []
    for one in structures:
        if one.id and by_id.setdefault(one.id, one) is not one:
            one.refuse(f"duplicate id {one.id[:20]!r}")
        if one.type == "DocumentMetaData":
            name = _named(one) or name
        elif one.features.get("sofa", sofa) != sofa:
            if one.get("sofa") not in views:
                one.refuse(f"the unknown Sofa {one.get('sofa')[:20]!r}")
            continue
        elif one.type == "Token":
            lines[_span(one, offsets)] = one.where.line or 1
        elif one.type == "Sentence":
            sentences.append(_span(one, offsets)[0])
        elif "first" in one.features and "end" not in one.features:
            chains.append(one)
    tokens = sorted((start, stop) for start, stop in lines if start < stop)
    if any(one[1] > other[0] for one, other in pairwise(tokens)):
        raise source.error("tokens that overlap", 1, _REMEDY)
    mentions = _entity_mentions(structures, by_id, offsets)
    linked: set[str] = set()
    for chain in chains:
        for link in _links(chain, by_id):
            type, span = link.get("referenceType"), _span(link, offsets)
            kind = kind_of(type)
            mentions.append(Mention(chain.id, [span], None, kind, type or None, where=link.where))
            linked.add(link.id)
    document = Document.from_text(
        name, text, mentions, tokens=tokens or None, sentences=sentences, source=source.name
    )
    document.tokens = [token or "_" for token in document.tokens or ()]
    line_at = {start: line for (start, _), line in lines.items()}
    document.lines = [line_at.get(start, 1) for start, _ in document.offsets]
    lost = [one for one in structures if one.is_link and chains and one.id not in linked]
    if lost:
        message = f"{len(lost):,} links are in no chain, first link {lost[0].id[:20]!r}"
        document.warnings.append(f"{lost[0].where}: {message}")
    if not mentions:
        types = ", ".join(type for type, _ in Counter(s.type for s in structures).most_common(5))
        document.warnings.append(f"{source.name}: no chains, only structures such as {types}")
    return document


def _named(metadata: Structure) -> str:
    """Name of a document: its id, or its title if INCEpTION put the annotator's name there.

    DKPro's URI of a document ends in its id, INCEpTION's in its title.
    """
    id, title, uri = (metadata.get(f"document{name}") for name in ("Id", "Title", "Uri"))
    return id if id and (not title or not uri or unquote(uri).endswith(id)) else title


def _span(one: Structure, offsets: Sequence[int]) -> Span:
    """Characters of an annotation; a missing offset is 0."""
    numbers = [one.features.get(name, "0") for name in ("begin", "end")]
    if not all(number.isdecimal() and len(number) < 10 for number in numbers):
        one.refuse(f"an annotation from {numbers[0][:20]!r} to {numbers[1][:20]!r}")
    low, high = map(int, numbers)
    if not low <= high < len(offsets):
        one.refuse(f"an annotation from {low} to {high} in a text of {len(offsets) - 1:,}")
    return offsets[low], offsets[high]


def _links(chain: Structure, by_id: Mapping[str, Structure]) -> list[Structure]:
    """The links of a chain in order."""
    found: dict[str, Structure] = {}
    id = chain.get("first")
    while id:
        link = by_id.get(id)
        if link is None or not link.is_link or id in found:
            chain.refuse(f"{id[:20]!r} is not a link, or twice in its chain")
        found[id] = link
        id = link.get("next")
    return list(found.values())


def _entity_mentions(
    structures: Iterable[Structure], by_id: Mapping[str, Structure], offsets: Sequence[int]
) -> list[Mention]:
    """Mentions of CorefAnnotator: annotations that refer to their entity."""
    mentions = []
    if not any(one.type.startswith("Entity") for one in by_id.values()):
        return []  # other tools have annotations of this name as well
    for one in structures:
        if one.type != "Mention":
            continue
        id = one.get("Entity") or one.get("entity")
        entity = by_id.get(id)
        if entity is None or not entity.type.startswith("Entity"):
            one.refuse(f"a mention of the unknown entity {id[:20]!r}")
        parts = one.get("Surface").split()
        surface = [by_id.get(part) for part in parts]
        surface = surface or ([one] if "end" in one.features else [None])
        if None in surface:
            one.refuse(f"a mention with the unknown surface {' '.join(parts)[:20]!r}")
        spans = sorted(_span(part, offsets) for part in surface if part is not None)
        name = entity.get("Label") or entity.id
        mentions.append(Mention(f"{name}:{entity.id}", spans, where=one.where))
    return mentions


register(
    Format(
        "xmi",
        "UIMA CAS XMI: chains of CoreferenceLink (DKPro, INCEpTION), CorefAnnotator",
        (".xmi",),
        read_xmi,
        has_root(rb"<(?:\w+:)?XMI\b"),
    )
)
register(
    Format(
        "cas-json",
        "UIMA CAS JSON: chains of CoreferenceLink (INCEpTION, cassis)",
        (".json",),
        read_json,
        begins_with(rb'\{\s*"%(?:TYPES|FEATURE_STRUCTURES|VIEWS|FLAGS)"\s*:'),
    )
)
