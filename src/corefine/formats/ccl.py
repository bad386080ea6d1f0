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
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention, merged
from corefine.formats.io.sources import Source, companion, document_name, stem
from corefine.formats.io.xml_files import has_root, parsed, refuse_element
from corefine.formats.registry import Format, register

RELATIONS = ".rel.xml"
_OF_MENTIONS = ("nam", "anafora_", "mention")
_COREFERENCE = re.compile(r"coref", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:ppron12|ppron3|siebie)(?::|$)")
_VERB = re.compile(r"(?:fin|bedzie|praet|impt|imps|inf|winien|aglt|pcon|pant|pred)(?::|$)")
_ZEROS = "anafora_verb_null"
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
        type = one.channel if one.channel.startswith("nam_") else None
        spans = merged((token, token + 1) for token in one.tokens)
        kind = _kind(one, zeros, document.layers["pos"])
        document.mentions.append(Mention(0, spans, one.head, kind, type))
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
            document.starts.append(first)
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
    for element in token:
        if element.tag != "lex" and len(element):
            refuse_element(element, source, f"markup inside <{element.tag}>", _REMEDY)
    for element in token.iterfind("ann"):
        value, channel = (element.text or "").strip(), element.get("chan")
        if value == "0":
            continue
        if not value.isdecimal() or not channel:
            refuse_element(element, source, f"an annotation {value[:60]!r}", _REMEDY)
        one = annotations.setdefault((sentence, channel, value), _Annotation(channel))
        one.tokens.append(number)
        if one.head is None and element.get("head") == "1":
            one.head = number
    words = token.findall("orth")
    if len(words) != 1:
        refuse_element(token, source, f"a token with {len(words)} <orth>", _REMEDY)
    lexemes = [*token.iterfind("lex[@disamb='1']"), *token.iterfind("lex"), None]
    return words[0].text or "", lexemes[0]


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
    """Kind of a mention: by channel, or by the tag of its head.

    ``zeros`` are the verbs at which zeros are annotated.
    """
    channel, start, single = annotation.channel, annotation.tokens[0], len(annotation.tokens) == 1
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


register(
    Format(
        "ccl",
        "CCL XML with relations (KPWr, Liner2)",
        (".xml",),
        read,
        has_root(rb"<(?:chunkList|relations|cesAna)\b"),
        companions=(RELATIONS, ".ini"),
    )
)
