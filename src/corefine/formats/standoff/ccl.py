"""CCL: Polish text in XML with annotations by channel, and relations between them in a second file.

The smallest valid document is two files. ``x.xml`` has the tokens::

    <chunkList>
     <chunk id="ch1">
      <sentence id="sent1">
       <tok>
        <orth>Ala</orth>
        <lex disamb="1"><base>Ala</base><ctag>subst:sg:nom:f</ctag></lex>
        <ann chan="nam_liv_person">1</ann>
        <ann chan="anafora_wyznacznik">0</ann>
       </tok>
       <tok>
        <orth>śpi</orth>
        <lex disamb="1"><base>spać</base><ctag>fin:sg:ter:imperf</ctag></lex>
        <ann chan="nam_liv_person">0</ann>
        <ann chan="anafora_wyznacznik">1</ann>
       </tok>
      </sentence>
     </chunk>
    </chunkList>

``x.rel.xml`` has the relations::

    <relations>
     <rel name="coreference" set="Coreference">
      <from sent="sent1" chan="anafora_wyznacznik">1</from>
      <to sent="sent1" chan="nam_liv_person">1</to>
     </rel>
    </relations>

Tokens of a sentence that have the same number in a channel, other than 0, are an annotation.
Mentions are the annotations in channels of names (``nam``…), anaphora (``anafora_``…) and mentions
(``mention``…), and whatever a coreference relation refers to. Entities are the connected components
of these relations. A channel of names means a name, ``anafora_verb_null`` a zero; otherwise the tag
of the word decides: a pronoun, a verb for the zero that is its subject, or a nominal.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention, merged
from corefine.formats.input.lines import files_of
from corefine.formats.input.sources import Source, companion, document_name, stem
from corefine.formats.input.xml_files import has_root, parsed, refuse_element
from corefine.formats.registry import Capabilities, Format, register

RELATIONS = ".rel.xml"
CHANNELS = {
    Kind.UNKNOWN: "mention",
    Kind.NAME: "nam",
    Kind.NOMINAL: "anafora_wyznacznik",
    Kind.PRONOUN: "anafora_wyznacznik",
    Kind.ZERO: "anafora_verb_null",
}
_OF_MENTIONS = ("nam", "anafora_", "mention")
_COREFERENCE = re.compile(r"coref", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:ppron12|ppron3|siebie)(?::|$)")
_VERB = re.compile(r"(?:fin|bedzie|praet|impt|imps|inf|winien|aglt|pcon|pant|pred)(?::|$)")
_ZEROS = "anafora_verb_null"
_KINDS = {kind.name.lower(): kind for kind in Kind}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REMEDY = (
    'A sentence has <tok> elements, each with one <orth>, and <ann chan="…"> with the number of '
    "an annotation, or 0; a relation has one <from> and one <to>, which refer to annotations."
)


@dataclass(slots=True, eq=False)
class _Annotation:
    """Tokens of a sentence that have the same number in a channel."""

    channel: str
    tokens: list[int] = field(default_factory=list)
    head: int | None = None
    properties: dict[str, str] = field(default_factory=dict)
    """Properties such as ``kind``, which files give as ``channel:kind``."""


Annotations = dict[tuple[str, str, str], _Annotation]
"""Annotations by sentence, channel and number."""


def read(source: Source) -> Iterator[Document]:
    """The document of a file, with its relations."""
    root = parsed(source)
    document = Document(document_name(source, ".xml"), [], source=source.name)
    annotations = _read_tokens(root, source, document)
    links = list(_links(root, source, annotations))
    beside = companion(source, (stem(source, ".xml") + RELATIONS,))
    if beside is not None:
        links += _links(parsed(beside), beside, annotations)
    # The same words are often annotated in several channels, of which relations use one.
    wanted = list(dict.fromkeys(one for link in links for one in link))
    seen = {tuple(one.tokens) for one in wanted}
    for one in annotations.values():
        if one.channel.startswith(_OF_MENTIONS) and tuple(one.tokens) not in seen:
            wanted.append(one)
            seen.add(tuple(one.tokens))
    wanted.sort(key=lambda one: (one.tokens[0], -one.tokens[-1]))
    zeros = {
        one.tokens[0]
        for one in annotations.values()
        if one.channel.startswith(_ZEROS) and len(one.tokens) == 1
    }
    for one in wanted:
        type = one.properties.get("type", one.channel if one.channel.startswith("nam_") else "")
        spans = merged((token, token + 1) for token in one.tokens)
        kind = _kind(one, zeros, document.layers["pos"])
        document.mentions.append(Mention(0, spans, one.head, kind, type or None))
    row = {one: number for number, one in enumerate(wanted)}
    document.link((row[left], row[right]) for left, right in links)
    document.layers = {name: column for name, column in document.layers.items() if any(column)}
    yield document


def _read_tokens(root: Any, source: Source, document: Document) -> Annotations:
    """Add the tokens to the document, and collect their annotations."""
    # Older files have chunks of the type "s" instead of sentences.
    sentences = list(root.iter("sentence")) or root.findall(".//chunk[@type='s']")
    annotations: Annotations = {}
    ids: set[str] = set()
    words: list[str] = []
    lexemes: list[Any] = []
    for number, sentence in enumerate(sentences):
        id = sentence.get("id") or f"#{number}"
        # Relations refer to the first sentence with an id.
        id = id if id not in ids else f"#{number}"
        ids.add(id)
        first = len(words)
        for token in sentence.iterfind("tok"):
            word, lexeme = _read_token(token, len(words), id, source, annotations)
            words.append(word)
            lexemes.append(lexeme)
            document.lines.append(token.sourceline or 1)
        if len(words) > first:
            document.sentences.append(first)
    count = sum(1 for _ in root.iter("tok"))
    if len(words) != count or (len(root) and not count):
        refuse_element(root, source, "no tokens, or tokens outside a sentence", _REMEDY)
    for stray in root.xpath("//ann[not(parent::tok)]"):
        refuse_element(stray, source, "an annotation outside a token", _REMEDY)
    document.tokens = words
    for layer, tag in (("lemma", "base"), ("pos", "ctag")):
        document.layers[layer] = ["" if one is None else one.findtext(tag) or "" for one in lexemes]
    return annotations


def _read_token(
    token: Any, number: int, sentence: str, source: Source, annotations: Annotations
) -> tuple[str, Any]:
    """The word and the lexeme of a token, whose annotations are collected."""
    words: list[str] = []
    lexeme = None
    started: dict[str, _Annotation] = {}
    for element in token:
        tag, text = element.tag, element.text or ""
        if tag == "lex":
            if lexeme is None or lexeme.get("disamb") != "1" == element.get("disamb"):
                lexeme = element
        elif len(element):
            refuse_element(element, source, f"markup inside <{tag}>", _REMEDY)
        elif tag == "orth":
            words.append(text)
        elif tag == "ann" and text.strip() != "0":
            value, channel = text.strip(), element.get("chan")
            if not value.isdecimal() or not channel:
                refuse_element(element, source, f"an annotation {value[:60]!r}", _REMEDY)
            one = annotations.setdefault((sentence, channel, value), _Annotation(channel))
            if not one.tokens:
                started[channel] = one
            one.tokens.append(number)
            if one.head is None and element.get("head") == "1":
                one.head = number
        elif tag == "prop":
            channel, _, name = element.get("key", "").rpartition(":")
            if channel in started:
                started[channel].properties[name] = text
    if len(words) != 1:
        refuse_element(token, source, f"a token with {len(words)} <orth>", _REMEDY)
    return words[0], lexeme


def _links(
    root: Any, source: Source, annotations: Annotations
) -> Iterator[tuple[_Annotation, _Annotation]]:
    """Pairs of annotations that coreference relations link."""
    for relation in root.iter("rel"):
        if any(_COREFERENCE.match(relation.get(name, "")) for name in ("name", "set")):
            ends = [end for tag in ("from", "to") for end in relation.iterfind(tag)]
            keys = [(e.get("sent"), e.get("chan"), (e.text or "").strip()) for e in ends]
            if len({end.tag for end in ends}) != 2 or len(ends) != 2:
                refuse_element(relation, source, f"a relation of {len(ends)} ends", _REMEDY)
            for end, key in zip(ends, keys, strict=True):
                if key not in annotations:
                    message = f"a relation to an unknown annotation: {str(key)[:100]}"
                    refuse_element(end, source, message, _REMEDY)
            yield annotations[keys[0]], annotations[keys[1]]


def _kind(annotation: _Annotation, zeros: set[int], tags: list[str]) -> Kind:
    """Kind of a mention: by property, by channel, or by the tag of its head.

    ``zeros`` are the verbs at which zeros are annotated.
    """
    channel, start, single = annotation.channel, annotation.tokens[0], len(annotation.tokens) == 1
    if "kind" in annotation.properties:
        return _KINDS.get(annotation.properties["kind"], Kind.UNKNOWN)
    if channel.startswith("nam"):
        return Kind.NAME
    if channel.startswith(_ZEROS) or (channel.startswith("anafora_") and single and start in zeros):
        return Kind.ZERO
    if not channel.startswith("anafora_"):
        return Kind.UNKNOWN
    if not single and annotation.head is None:
        return Kind.NOMINAL
    tag = tags[start if annotation.head is None else annotation.head]
    if not tag:
        return Kind.UNKNOWN
    if _PRONOUN.match(tag):
        return Kind.PRONOUN
    return Kind.ZERO if _VERB.match(tag) else Kind.NOMINAL


@dataclass(slots=True)
class _Written:
    """A mention as an annotation: its channel, its sentence, and its number there."""

    mention: Mention
    channel: str
    sentence: int
    number: int


def write_files(documents: Iterable[Document]) -> Iterator[tuple[str, bytes]]:
    """The files of all documents: ``x.xml`` and ``x.rel.xml``."""
    from lxml import etree

    for document, name in files_of(documents):
        size = len(document.tokens or ())
        starts = sorted({0, *document.sentences, size}) if size else [0]
        written, by_token = _annotations(document, starts)
        # A name that ends in .rel would be that of a file of relations.
        name = re.sub(r"\.rel$", "%2Erel", name)
        roots = {
            f"{name}.xml": _text(document, starts, by_token),
            f"{name}{RELATIONS}": _relations(written),
        }
        for file, root in roots.items():
            declared = f'<!DOCTYPE {root.tag} SYSTEM "ccl.dtd">'
            yield (
                file,
                etree.tostring(
                    root, xml_declaration=True, encoding="UTF-8", pretty_print=True,
                    doctype=declared,
                ),
            )  # fmt: skip


def _annotations(
    document: Document, starts: list[int]
) -> tuple[list[_Written], dict[int, dict[str, _Written]]]:
    """Mentions within sentences as annotations, and those of each token by channel.

    A token has one number per channel: overlapping mentions are in channels of their own.
    """
    written: list[_Written] = []
    by_token: dict[int, dict[str, _Written]] = {}
    count: dict[tuple[int, str], int] = {}
    for mention in document.mentions:
        tokens = [token for start, stop in mention.spans for token in range(start, stop)]
        sentence, last = (bisect_right(starts, token) for token in (tokens[0], tokens[-1]))
        if last != sentence:
            continue
        channel, layer = CHANNELS[mention.kind], 1
        if mention.kind is Kind.NAME and (mention.type or "").startswith("nam_"):
            channel = mention.type or channel
        free = channel
        while any(free in by_token.get(token, ()) for token in tokens):
            layer += 1
            free = f"{channel}{layer}"
        count[sentence, free] = count.get((sentence, free), 0) + 1
        written.append(_Written(mention, free, sentence, count[sentence, free]))
        for token in tokens:
            by_token.setdefault(token, {})[free] = written[-1]
    return written, by_token


def _add(parent: Any, tag: str, text: object = None, **attributes: object) -> Any:
    """Add an element, with characters that XML does not allow replaced."""
    from lxml import etree

    plain = {key: _NOT_IN_XML.sub("\ufffd", str(value)) for key, value in attributes.items()}
    element = etree.SubElement(parent, tag, plain)
    element.text = None if text is None else _NOT_IN_XML.sub("\ufffd", str(text))
    return element


def _text(document: Document, starts: list[int], by_token: dict[int, dict[str, _Written]]) -> Any:
    from lxml import etree

    words = document.tokens or []
    lemmas, tags = (document.layers.get(name) for name in ("lemma", "pos"))
    root = etree.Element("chunkList")
    chunk = _add(root, "chunk", id="ch1") if words else root
    for number, (first, last) in enumerate(pairwise(starts), 1):
        sentence = _add(chunk, "sentence", id=f"sent{number}")
        channels = dict.fromkeys(
            channel for token in range(first, last) for channel in by_token.get(token, ())
        )
        for place in range(first, last):
            here = by_token.get(place, {})
            token = _add(sentence, "tok")
            _add(token, "orth", words[place])
            if lemmas is not None or tags is not None:
                lexeme = _add(token, "lex", disamb=1)
                _add(lexeme, "base", lemmas[place] if lemmas else "")
                _add(lexeme, "ctag", tags[place] if tags else "")
            for channel in channels:
                one = here.get(channel)
                head = {"head": 1} if one and one.mention.head == place else {}
                _add(token, "ann", one.number if one else 0, chan=channel, **head)
            for channel, one in here.items():
                mention = one.mention
                if mention.spans[0][0] != place:
                    continue
                if mention.kind in (Kind.NOMINAL, Kind.PRONOUN):
                    _add(token, "prop", mention.kind.name.lower(), key=f"{channel}:kind")
                if mention.type is not None and mention.type != channel:
                    _add(token, "prop", mention.type, key=f"{channel}:type")
    return root


def _relations(written: Iterable[_Written]) -> Any:
    """Relations from each mention to the preceding one of its entity."""
    from lxml import etree

    root = etree.Element("relations")
    last: dict[str | int, _Written] = {}
    for one in written:
        before = last.get(one.mention.entity)
        last[one.mention.entity] = one
        if before is not None:
            relation = _add(root, "rel", name="coreference", set="Coreference")
            for tag, end in (("from", one), ("to", before)):
                _add(relation, tag, end.number, sent=f"sent{end.sentence}", chan=end.channel)
    return root


CCL = register(
    Format(
        name="ccl",
        title="CCL XML with relations (KPWr, Liner2)",
        suffixes=(".xml",),
        read=read,
        detect=has_root(rb"<(?:chunkList|relations|cesAna)\b"),
        capabilities=Capabilities(
            layers=frozenset({"lemma", "pos"}),
            entity_names=False,
            kinds=True,
            heads=True,
            types=True,
            discontinuous=True,
        ),
        write_files=write_files,
        companions=(RELATIONS, ".ini"),
        documentation="docs/formats/ccl.md",
    )
)
