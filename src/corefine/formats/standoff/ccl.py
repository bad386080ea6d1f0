"""CCL: Polish text in XML with annotations by channel, and relations between them beside it.

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
(``mention``…), and whatever a relation of coreference names. These relations make entities, also
through others. A channel of names makes a name, ``anafora_verb_null`` a zero; elsewhere the tag of
the word decides: a pronoun, a verb for the zero that is its subject, or a nominal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Kind, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError
from corefine.formats.building.closure import linked
from corefine.formats.building.mention_rows import MentionRows, Span
from corefine.formats.input.folders import companion, document_name, stem
from corefine.formats.input.sources import Source
from corefine.formats.input.xml_files import parsed
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.standoff.ccl_writing import RELATIONS, losses, write_files

LAYERS = ("lemma", "pos")

_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml\b[^>]*>\s*)?"
    rb"(?:<!--(?:(?!-->).)*-->\s*|<!DOCTYPE\b[^>\[]*(?:\[[^\]]*\]\s*)?>\s*)*"
    rb"<(?:chunkList|relations|cesAna)\b",
    re.DOTALL,
)
_OF_MENTIONS = re.compile(r"(?:nam|anafora_|mention)")
_COREFERENCE = re.compile(r"coref", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:ppron12|ppron3|siebie)(?::|$)")
_VERB = re.compile(r"(?:fin|bedzie|praet|impt|imps|inf|winien|aglt|pcon|pant|pred)(?::|$)")
_NAMES, _ZEROS = "nam", "anafora_verb_null"
_KINDS = {kind.name.lower(): kind for kind in Kind}


Places = dict[Any, int]
"""Elements, and the number of each."""


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The one document of a file, with the relations beside it."""
    return read_many([source], layers)


def read_many(sources: Sequence[Source], layers: frozenset[str] | None) -> Corpus:
    """The documents of files, with the relations beside them."""
    documents, rows = [], MentionRows()
    for number, source in enumerate(sources):
        root = _plain(parsed(source), source)
        found = _Document.of(root, source)
        beside = companion(source, (stem(source, ".xml") + RELATIONS,))
        links = list(found.links(root, source))
        if beside is not None:
            links += found.links(_plain(parsed(beside), beside), beside)
        found.add_mentions(rows, number, links)
        documents.append(found)
    columns = {
        layer: [value for found in documents for value in getattr(found, layer)]
        for layer in LAYERS
        if layers is None or layer in layers
    }
    lengths = np.array([len(found.words) for found in documents], np.int64)
    sentences = np.array([place for found in documents for place in found.sentence], np.int64)
    opens = np.ones(len(sentences), bool)
    opens[1:] = np.diff(sentences) != 0
    opens[offsets_of(lengths)[:-1][lengths > 0]] = True
    return Corpus(
        tuple(document_name(source, ".xml") for source in sources),
        rows.all_entities(),
        rows.mentions(kinds=True),
        Tokens(
            Strings.from_list(word for found in documents for word in found.words),
            offsets_of(lengths),
            np.flatnonzero(opens),
            {name: Strings.from_list(column) for name, column in columns.items() if any(column)},
            lines=np.array([line for found in documents for line in found.lines], np.int64),
        ),
        tuple(rows.types),
        sources=tuple(source.name for source in sources),
        format="ccl",
    )


def _plain(root: Any, source: Source) -> Any:
    """The root of a file, in which elements of text hold nothing else."""
    for element in root.iter("orth", "ann", "from", "to"):
        if len(element):
            _refuse(
                element,
                source,
                f"markup inside <{element.tag}>",
                "It must contain text only; write < as &lt;.",
            )
    return root


def _refuse(element: Any, source: Source, message: str, remedy: str) -> NoReturn:
    raise FormatError(message, source.where(element.sourceline), remedy)


def _number(element: Any) -> int:
    """The whole number that an element holds; -1 if it holds none."""
    written = (element.text or "").strip()
    return int(written) if written.isascii() and written.isdigit() and len(written) < 10 else -1


@dataclass(slots=True, eq=False)
class _Annotation:
    """The tokens of a sentence that have the same number in a channel."""

    channel: str
    tokens: list[int] = field(default_factory=list)
    head: int = -1
    """The token that is marked as head, -1 if none is."""
    said: dict[str, str] = field(default_factory=dict)
    """What properties such as ``channel:kind`` say of it."""

    def parts(self) -> list[Span]:
        """The spans of its tokens: one, unless there are gaps."""
        spans: list[Span] = []
        for token in self.tokens:
            if spans and spans[-1][1] == token:
                spans[-1] = (spans[-1][0], token + 1)
            else:
                spans.append((token, token + 1))
        return spans

    @property
    def type(self) -> str:
        return self.said.get("type", self.channel if self.channel.startswith("nam_") else "")


@dataclass(slots=True, eq=False)
class _Document:
    """The tokens of a file, and the annotations of these."""

    words: list[str]
    lines: list[int]
    sentence: list[int]
    """The sentence of each token."""
    ids: dict[str, int]
    """The sentences by their ids."""
    lemma: list[str]
    pos: list[str]
    annotations: dict[tuple[int, str, int], _Annotation]
    """By sentence, channel and number."""

    @classmethod
    def of(cls, root: Any, source: Source) -> _Document:
        sentences = list(root.iter("sentence"))
        if not sentences:
            # Older files have chunks of the type "s".
            sentences = [chunk for chunk in root.iter("chunk") if chunk.get("type") == "s"]
        ids = {each.get("id", ""): number for number, each in reversed(list(enumerate(sentences)))}
        tokens = list(root.iter("tok"))
        if not tokens and len(root):
            advice = "Tokens are <tok> elements in sentences, in lower case, without a namespace."
            _refuse(root, source, "no tokens", advice)
        place = _places(tokens)
        sentence = _owners(tokens, _places(sentences))
        if -1 in sentence:
            token = tokens[sentence.index(-1)]
            _refuse(token, source, "a token outside a sentence", "Put it into a sentence.")
        for token in tokens:
            if token.getparent() in place:
                _refuse(token, source, "nested tokens", "Close the first token before the second.")
        found = cls(
            _words(root, place, source),
            [token.sourceline for token in tokens],
            sentence,
            ids,
            *_lexemes(root, place),
            {},
        )
        found._annotate(root, place, source)
        return found

    def _annotate(self, root: Any, tokens: Places, source: Source) -> None:
        """Find the annotations, and what properties such as ``channel:name`` say of them."""
        elements = [element for element in root.iter("ann") if element.text != "0"]
        for element, token in zip(elements, _owners(elements, tokens), strict=True):
            if token < 0:
                _refuse(element, source, "an <ann> outside a token", "Put it into its <tok>.")
            number, channel = _number(element), element.get("chan")
            if number < 0:
                _refuse(
                    element,
                    source,
                    f"an annotation that is not an integer: {(element.text or '')[:60]!r}",
                    "0 means outside; tokens of the same annotation share a number.",
                )
            if number == 0:
                continue
            if not channel:
                _refuse(element, source, "an <ann> without a channel", 'Write <ann chan="…">')
            key = (self.sentence[token], channel, number)
            found = self.annotations.get(key)
            if found is None:
                found = self.annotations[key] = _Annotation(channel)
            if not found.tokens or found.tokens[-1] != token:  # which may say the same twice
                found.tokens.append(token)
            if found.head < 0 and element.get("head") == "1":
                found.head = token
        properties = list(root.iter("prop"))
        if properties:
            first = {(each.tokens[0], each.channel): each for each in self.annotations.values()}
            for element, token in zip(properties, _owners(properties, tokens), strict=True):
                channel, _, name = element.get("key", "").rpartition(":")
                if (token, channel) in first:
                    first[token, channel].said[name] = element.text or ""

    def links(self, root: Any, source: Source) -> Iterator[tuple[_Annotation, _Annotation]]:
        """The annotations that relations of coreference lead from, and those they lead to."""
        for relation in root.iter("rel"):
            if any(_COREFERENCE.match(relation.get(name, "")) for name in ("name", "set")):
                ends = list(relation)
                left, right = (
                    self._annotation(
                        [end for end in ends if end.tag == name], name, relation, source
                    )
                    for name in ("from", "to")
                )
                yield left, right

    def _annotation(
        self, ends: Sequence[Any], name: str, relation: Any, source: Source
    ) -> _Annotation:
        """The annotation that one end of a relation names."""
        if len(ends) != 1:
            _refuse(
                relation,
                source,
                f"a relation without exactly one <{name}>",
                "A relation leads <from> one annotation <to> another.",
            )
        (end,) = ends
        sent = end.get("sent")
        sentence = self.ids.get(sent, -1) if sent else -1
        found = self.annotations.get((sentence, end.get("chan", ""), _number(end)))
        if found is None:
            from lxml import etree

            shown = etree.tostring(end, encoding="unicode", with_tail=False)[:100]
            _refuse(
                end,
                source,
                f"a relation to an unknown annotation: {shown!r}",
                "Sentence, channel and number must refer to an <ann> in the text.",
            )
        return found

    def add_mentions(
        self,
        rows: MentionRows,
        number: int,
        links: Sequence[tuple[_Annotation, _Annotation]],
    ) -> None:
        """Put the mentions of this document into the rows, as those of its number."""
        annotations = list(self.annotations.values())
        place = {annotation: row for row, annotation in enumerate(annotations)}
        pairs = np.array([(place[one], place[other]) for one, other in links], np.int64)
        left, right = pairs.reshape(-1, 2).T
        entity = linked(len(annotations), left, right).tolist()
        related = {annotation for link in links for annotation in link}
        # One expression is often annotated in several channels, and related by one of them.
        seen = {tuple(annotation.tokens) for annotation in related}
        wanted = []
        for annotation in annotations:
            words = tuple(annotation.tokens)
            if annotation in related:
                wanted.append(annotation)
            elif _OF_MENTIONS.match(annotation.channel) and words not in seen:
                wanted.append(annotation)
                seen.add(words)
        wanted.sort(key=lambda annotation: (annotation.tokens[0], -annotation.tokens[-1]))
        zeros = {
            annotation.tokens[0]
            for annotation in annotations
            if annotation.channel.startswith(_ZEROS) and len(annotation.tokens) == 1
        }
        for annotation in wanted:
            rows.add(
                number,
                entity[place[annotation]],
                annotation.parts(),
                self._kind(annotation, zeros),
                annotation.type,
                annotation.head,
            )

    def _kind(self, annotation: _Annotation, zeros: set[int]) -> Kind:
        """The kind of a mention: as a property says, by its channel, or by the tag of its head.

        ``zeros`` are the verbs that zeros are annotated at, which often are anaphors as well.
        """
        if "kind" in annotation.said:
            return _KINDS.get(annotation.said["kind"], Kind.UNKNOWN)
        if annotation.channel.startswith(_NAMES):
            return Kind.NAME
        if annotation.channel.startswith(_ZEROS):
            return Kind.ZERO
        if not annotation.channel.startswith("anafora_"):
            return Kind.UNKNOWN
        start, single = annotation.tokens[0], len(annotation.tokens) == 1
        if single and start in zeros:
            return Kind.ZERO
        if not single and annotation.head < 0:
            return Kind.NOMINAL  # a phrase of which nothing tells the head
        tag = self.pos[annotation.head if annotation.head >= 0 else start]
        if not tag:
            return Kind.UNKNOWN
        if _PRONOUN.match(tag):
            return Kind.PRONOUN
        return Kind.ZERO if _VERB.match(tag) else Kind.NOMINAL


def _places(elements: Sequence[Any]) -> Places:
    return {element: number for number, element in enumerate(elements)}


def _owners(elements: Sequence[Any], place: Places) -> list[int]:
    """The number of the outer element, nearly always the parent, that each lies in; -1 if none."""
    owners = [place.get(element.getparent(), -1) for element in elements]
    for row, owner in enumerate(owners) if -1 in owners else ():
        if owner < 0:
            above = (place[each] for each in elements[row].iterancestors() if each in place)
            owners[row] = next(above, -1)
    return owners


def _words(root: Any, tokens: Places, source: Source) -> list[str]:
    """The words as they stand in the text: the ``orth`` of each token."""
    elements = list(root.iter("orth"))
    owners = _owners(elements, tokens)
    if owners != list(range(len(tokens))):
        elements = [element for element, owner in zip(elements, owners, strict=True) if owner >= 0]
        counts = Counter(owners)
        for token, number in tokens.items():
            if counts[number] != 1:
                what = "with several <orth>" if counts[number] else "without <orth>"
                _refuse(token, source, f"a token {what}", "A token has one <orth>word</orth>.")
    return [element.text or "" for element in elements]


def _lexemes(root: Any, tokens: Places) -> tuple[list[str], list[str]]:
    """Lemma and tag of each token: those of the lexeme that was chosen, or else of the first."""
    lemma, pos = [""] * len(tokens), [""] * len(tokens)
    elements = list(root.iter("lex"))
    of_token: dict[int, Any] = {}
    for element, owner in zip(elements, _owners(elements, tokens), strict=True):
        if element.get("disamb") == "1" and of_token.get(owner, element).get("disamb") != "1":
            of_token[owner] = element
        of_token.setdefault(owner, element)
    of_token.pop(-1, None)
    for token, element in of_token.items():
        lemma[token] = element.findtext(".//base") or ""
        pos[token] = element.findtext(".//ctag") or ""
    return lemma, pos


def sniff(head: bytes, name: str) -> float:
    """Sure where the root is one of CCL."""
    return 0.9 if _ROOT.match(head) else 0.0


CCL = register(
    Format(
        name="ccl",
        title="CCL XML with relations (KPWr, Liner2)",
        suffixes=(".xml",),
        sniff=sniff,
        read_columns=read,
        read_many=read_many,
        capabilities=Capabilities(
            layers=frozenset(LAYERS),
            entity_names=False,
            kinds=True,
            heads=True,
            types=True,
            discontinuous=True,
        ),
        write_files=write_files,
        losses=losses,
        companions=(RELATIONS, ".ini"),
        documentation="docs/formats/ccl.md",
    )
)
