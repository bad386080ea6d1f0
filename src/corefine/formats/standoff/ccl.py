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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention, merged, without_empty_nodes
from corefine.formats.input.lines import tokens_of
from corefine.formats.input.sources import Source, companion, document_name, file_names, stem
from corefine.formats.input.xml_files import parsed, refuse_element, root_pattern
from corefine.formats.registry import Capabilities, Format, register

RELATIONS = ".rel.xml"
CHANNELS = {
    Kind.UNKNOWN: "mention",
    Kind.NAME: "nam",
    Kind.NOMINAL: "anafora_wyznacznik",
    Kind.PRONOUN: "anafora_wyznacznik",
    Kind.ZERO: "anafora_verb_null",
}
_ROOT = root_pattern(rb"<(?:chunkList|relations|cesAna)\b")
_OF_MENTIONS = re.compile(r"nam|anafora_|mention")
_COREFERENCE = re.compile(r"coref", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:ppron12|ppron3|siebie)(?::|$)")
_VERB = re.compile(r"(?:fin|bedzie|praet|impt|imps|inf|winien|aglt|pcon|pant|pred)(?::|$)")
_NAMES, _ZEROS = "nam", "anafora_verb_null"
_KINDS = {kind.name.lower(): kind for kind in Kind}
_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE chunkList SYSTEM "ccl.dtd">\n'
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(slots=True, eq=False)
class _Annotation:
    """Tokens of a sentence that have the same number in a channel."""

    channel: str
    tokens: list[int] = field(default_factory=list)
    head: int | None = None
    properties: dict[str, str] = field(default_factory=dict)
    """Properties such as ``kind``, which files give as ``channel:kind``."""


Annotations = dict[tuple[str, str, int], _Annotation]
"""Annotations by sentence, channel and number."""


def read(source: Source) -> Iterator[Document]:
    """The document of a file, with its relations."""
    root = _parsed(source)
    document = Document(document_name(source, ".xml"), [], source=source.name)
    annotations = _read_tokens(root, source, document)
    links = list(_links(root, source, annotations))
    beside = companion(source, (stem(source, ".xml") + RELATIONS,))
    if beside is not None:
        links += _links(_parsed(beside), beside, annotations)
    wanted = _mentions(annotations.values(), links)
    zeros = {
        annotation.tokens[0]
        for annotation in annotations.values()
        if annotation.channel.startswith(_ZEROS) and len(annotation.tokens) == 1
    }
    tags = document.layers["pos"]
    for annotation in wanted:
        channel = annotation.channel
        type = annotation.properties.get("type", channel if channel.startswith("nam_") else "")
        document.mentions.append(
            Mention(
                0,
                merged((token, token + 1) for token in annotation.tokens),
                annotation.head,
                _kind(annotation, zeros, tags),
                type or None,
            )
        )
    row = {id(annotation): number for number, annotation in enumerate(wanted)}
    document.link((row[id(left)], row[id(right)]) for left, right in links)
    document.layers = {name: column for name, column in document.layers.items() if any(column)}
    yield document


def _parsed(source: Source) -> Any:
    """The root of a file whose elements of text have no markup inside."""
    root = parsed(source)
    for element in root.iter("orth", "ann", "from", "to"):
        if len(element):
            message = f"markup inside <{element.tag}>"
            refuse_element(element, source, message, "Write text only, with &lt; for <.")
    return root


def _read_tokens(root: Any, source: Source, document: Document) -> Annotations:
    """Add the tokens to the document, and collect their annotations."""
    sentences = list(root.iter("sentence"))
    if not sentences:
        # Older files have chunks of the type "s".
        sentences = [chunk for chunk in root.iter("chunk") if chunk.get("type") == "s"]
    tokens: list[str] = []
    document.layers = {"lemma": [], "pos": []}
    annotations: Annotations = {}
    read: set[Any] = set()
    ids: set[str] = set()
    for number, sentence in enumerate(sentences):
        id = sentence.get("id") or f"#{number}"
        # Relations refer to the first sentence with an id.
        key = id if id not in ids else f"#{number}"
        ids.add(id)
        first = len(tokens)
        for token in sentence.iter("tok"):
            inner = next((one for one in token.iter("tok") if one is not token), None)
            if inner is not None:
                refuse_element(inner, source, "nested tokens", "Close each token before the next.")
            read.add(token)
            words = list(token.iter("orth"))
            if len(words) != 1:
                message = f"a token with {len(words)} <orth>"
                refuse_element(token, source, message, "A token has one <orth>word</orth>.")
            lemma, pos = _lexeme(token)
            document.layers["lemma"].append(lemma)
            document.layers["pos"].append(pos)
            document.lines.append(token.sourceline or 1)
            _annotate(token, len(tokens), key, annotations, source)
            tokens.append(words[0].text or "")
        if len(tokens) > first:
            document.sentences.append(first)
    outside = next((token for token in root.iter("tok") if token not in read), None)
    if outside is not None:
        refuse_element(outside, source, "a token outside a sentence", "Put it into a sentence.")
    for element in root.iter("ann"):
        if next(element.iterancestors("tok"), None) is None:
            refuse_element(element, source, "an <ann> outside a token", "Put it into its <tok>.")
    if not tokens and len(root):
        advice = "Tokens are <tok> elements in sentences, in lower case, without a namespace."
        refuse_element(root, source, "no tokens", advice)
    document.tokens = tokens
    return annotations


def _lexeme(token: Any) -> tuple[str, str]:
    """Lemma and tag of a token: of the chosen lexeme, or of the first."""
    lexemes = list(token.iter("lex"))
    chosen = next((lexeme for lexeme in lexemes if lexeme.get("disamb") == "1"), None)
    lexeme = chosen if chosen is not None else lexemes[0] if lexemes else None
    if lexeme is None:
        return "", ""
    return lexeme.findtext(".//base") or "", lexeme.findtext(".//ctag") or ""


def _annotate(
    token: Any, number: int, sentence: str, annotations: Annotations, source: Source
) -> None:
    """Add a token to its annotations."""
    started: dict[str, _Annotation] = {}
    for element in token.iter("ann"):
        written = (element.text or "").strip()
        if not (written.isascii() and written.isdigit() and len(written) < 10):
            message = f"an annotation that is not an integer: {written[:60]!r}"
            refuse_element(
                element, source, message, "0 means outside; tokens of an annotation share a number."
            )
        if int(written) == 0:
            continue
        channel = element.get("chan")
        if not channel:
            refuse_element(element, source, "an <ann> without a channel", 'Write <ann chan="…">.')
        key = (sentence, channel, int(written))
        annotation = annotations.setdefault(key, _Annotation(channel))
        if not annotation.tokens:
            started[channel] = annotation
        if not annotation.tokens or annotation.tokens[-1] != number:
            annotation.tokens.append(number)
        if annotation.head is None and element.get("head") == "1":
            annotation.head = number
    for element in token.iter("prop"):
        channel, _, name = element.get("key", "").rpartition(":")
        if channel in started:
            started[channel].properties[name] = element.text or ""


def _links(
    root: Any, source: Source, annotations: Annotations
) -> Iterator[tuple[_Annotation, _Annotation]]:
    """Pairs of annotations that coreference relations link."""
    for relation in root.iter("rel"):
        if not any(_COREFERENCE.match(relation.get(name, "")) for name in ("name", "set")):
            continue
        ends = []
        for tag in ("from", "to"):
            found = [element for element in relation if element.tag == tag]
            if len(found) != 1:
                message = f"a relation with {len(found)} <{tag}>"
                refuse_element(relation, source, message, "It links one <from> to one <to>.")
            (end,) = found
            written = (end.text or "").strip()
            valid = written.isascii() and written.isdigit() and len(written) < 10
            key = (end.get("sent", ""), end.get("chan", ""), int(written) if valid else -1)
            if key not in annotations:
                refuse_element(
                    end,
                    source,
                    f"a relation to an unknown annotation: {', '.join(map(str, key))[:100]}",
                    "Sentence, channel and number must refer to an <ann> in the text.",
                )
            ends.append(annotations[key])
        yield ends[0], ends[1]


def _mentions(
    annotations: Iterable[_Annotation], links: Iterable[tuple[_Annotation, _Annotation]]
) -> list[_Annotation]:
    """Annotations that are mentions, in text order.

    The same words are often annotated in several channels, of which relations use one.
    """
    related = {id(annotation): annotation for link in links for annotation in link}
    seen = {tuple(annotation.tokens) for annotation in related.values()}
    wanted = []
    for annotation in annotations:
        if id(annotation) in related:
            wanted.append(annotation)
        elif _OF_MENTIONS.match(annotation.channel) and tuple(annotation.tokens) not in seen:
            wanted.append(annotation)
            seen.add(tuple(annotation.tokens))
    return sorted(wanted, key=lambda annotation: (annotation.tokens[0], -annotation.tokens[-1]))


def _kind(annotation: _Annotation, zeros: set[int], tags: list[str]) -> Kind:
    """Kind of a mention: by property, by channel, or by the tag of its head.

    ``zeros`` are the verbs at which zeros are annotated.
    """
    if "kind" in annotation.properties:
        return _KINDS.get(annotation.properties["kind"], Kind.UNKNOWN)
    if annotation.channel.startswith(_NAMES):
        return Kind.NAME
    if annotation.channel.startswith(_ZEROS):
        return Kind.ZERO
    if not annotation.channel.startswith("anafora_"):
        return Kind.UNKNOWN
    start, single = annotation.tokens[0], len(annotation.tokens) == 1
    if single and start in zeros:
        return Kind.ZERO
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
    """A mention as an annotation: its channel, and its number in the sentence."""

    mention: Mention
    channel: str
    number: int
    sentence: int
    first: int

    @property
    def properties(self) -> dict[str, str]:
        found = {}
        if self.mention.kind in (Kind.NOMINAL, Kind.PRONOUN):
            found["kind"] = self.mention.kind.name.lower()
        if self.mention.type is not None and self.mention.type != self.channel:
            found["type"] = self.mention.type
        return found


def write_files(documents: Iterable[Document]) -> Iterator[tuple[str, bytes]]:
    """The files of all documents: ``x.xml`` and ``x.rel.xml``."""
    listed = [without_empty_nodes(document) for document in documents]
    for document, name in zip(listed, file_names([one.name for one in listed]), strict=True):
        size = len(tokens_of(document))
        starts = sorted({0, *document.sentences, size}) if size else [0]
        written, by_token = _annotations(document, starts)
        # A name that ends in .rel would be that of a file of relations.
        name = re.sub(r"\.rel$", "%2Erel", name)
        yield f"{name}.xml", _text(document, starts, by_token).encode()
        yield f"{name}{RELATIONS}", _relations(written).encode()


def _annotations(
    document: Document, starts: list[int]
) -> tuple[list[_Written], dict[int, list[_Written]]]:
    """Mentions within sentences as annotations, and the annotations of each token.

    A token has one number per channel: overlapping mentions are in channels of their own.
    """
    sentence_of = {
        token: number
        for number, (start, stop) in enumerate(pairwise(starts))
        for token in range(start, stop)
    }
    written: list[_Written] = []
    by_token: dict[int, list[_Written]] = {}
    count: dict[tuple[int, str], int] = {}
    for mention in document.mentions:
        tokens = [token for start, stop in mention.spans for token in range(start, stop)]
        sentence = sentence_of[tokens[0]]
        if sentence_of[tokens[-1]] != sentence:
            continue
        channel, layer = CHANNELS[mention.kind], 1
        if mention.kind is Kind.NAME and (mention.type or "").startswith("nam_"):
            channel = mention.type or channel
        free = channel
        while any(other.channel == free for token in tokens for other in by_token.get(token, ())):
            layer += 1
            free = f"{channel}{layer}"
        count[sentence, free] = count.get((sentence, free), 0) + 1
        one = _Written(mention, free, count[sentence, free], sentence, tokens[0])
        written.append(one)
        for token in tokens:
            by_token.setdefault(token, []).append(one)
    return written, by_token


def _text(document: Document, starts: list[int], by_token: dict[int, list[_Written]]) -> str:
    words = tokens_of(document)
    lemmas, tags = (document.layers.get(name) for name in ("lemma", "pos"))
    lines = [_HEADER + "<chunkList>"]
    lines += [' <chunk id="ch1">'] if words else []
    for number, (first, last) in enumerate(pairwise(starts), 1):
        lines.append(f'  <sentence id="sent{number}">')
        channels = dict.fromkeys(
            one.channel for token in range(first, last) for one in by_token.get(token, ())
        )
        for token in range(first, last):
            here = {one.channel: one for one in by_token.get(token, ())}
            lines += ["   <tok>", f"    <orth>{_escaped(words[token])}</orth>"]
            if lemmas is not None or tags is not None:
                base = _escaped(lemmas[token] if lemmas else "")
                tag = _escaped(tags[token] if tags else "")
                lines.append(f'    <lex disamb="1"><base>{base}</base><ctag>{tag}</ctag></lex>')
            for channel in channels:
                one = here.get(channel)
                head = ' head="1"' if one and one.mention.head == token else ""
                value = one.number if one else 0
                lines.append(f"    <ann chan={_quoted(channel)}{head}>{value}</ann>")
            for one in here.values():
                for name, content in one.properties.items() if one.first == token else ():
                    key = _quoted(f"{one.channel}:{name}")
                    lines.append(f"    <prop key={key}>{_escaped(content)}</prop>")
            lines.append("   </tok>")
        lines.append("  </sentence>")
    lines += [" </chunk>"] if words else []
    return "\n".join([*lines, "</chunkList>", ""])


def _relations(written: Iterable[_Written]) -> str:
    """Relations from each mention to the preceding one of its entity."""
    lines = [_HEADER.replace("chunkList", "relations") + "<relations>"]
    last: dict[str | int, _Written] = {}
    for one in written:
        before = last.get(one.mention.entity)
        last[one.mention.entity] = one
        if before is None:
            continue
        lines.append(' <rel name="coreference" set="Coreference">')
        for tag, end in (("from", one), ("to", before)):
            sentence, channel = f"sent{end.sentence + 1}", _quoted(end.channel)
            lines.append(f'  <{tag} sent="{sentence}" chan={channel}>{end.number}</{tag}>')
        lines.append(" </rel>")
    return "\n".join([*lines, "</relations>", ""])


def _escaped(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\ufffd", text), {"\r": "&#13;"})


def _quoted(text: str) -> str:
    return quoteattr(_NOT_IN_XML.sub("\ufffd", text))


def detect(head: bytes, name: str) -> bool:
    """True if the root is one of CCL."""
    return _ROOT.matches(head)


CCL = register(
    Format(
        name="ccl",
        title="CCL XML with relations (KPWr, Liner2)",
        suffixes=(".xml",),
        read=read,
        detect=detect,
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
