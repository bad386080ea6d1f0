"""Documents and mentions as plain objects: the model that readers, writers and users share.

A :class:`Document` has tokens and mentions. A :class:`Mention` belongs to an entity and covers one
or more spans of tokens. :meth:`Corpus.from_documents` turns documents into the columns that scoring
works on, and iterating over a corpus gives documents back.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import chain, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from corefine.corpus.columns import Kind, Relation
from corefine.errors import FormatError, Location, UsageError, missing_attribute

if TYPE_CHECKING:
    from corefine.corpus.copies import Copies

Span = tuple[int, int]
"""First position and the position after the last."""


SHOWN = 20
"""Entities of a document that a notebook shows."""
_OF_DOCUMENTS = {
    **dict.fromkeys(("id", "doc_id", "title", "doc_key"), "document.name"),
    **dict.fromkeys(("clusters", "chains", "ents"), "document.entities"),
    **dict.fromkeys(("sents", "paragraphs"), "document.sentences"),
    "spans": "document.mentions",
}
"""Names of common attributes, and the ones that a document has instead."""
_OF_MENTIONS = {
    **dict.fromkeys(("span", "tokens"), "mention.spans"),
    **dict.fromkeys(("words", "string"), "mention.text"),
    **dict.fromkeys(("cluster", "cluster_id", "id", "label"), "mention.entity"),
    **dict.fromkeys(("label_", "pos_", "category"), "mention.kind or mention.type"),
    **dict.fromkeys(("start_char", "end_char"), "document.offsets[mention.start]"),
    **dict.fromkeys(("doc", "sent"), "mention.document"),
    "root": "mention.head",
}
"""Names of common attributes, and the ones that a mention has instead."""


@dataclass(slots=True)
class Mention:
    """A mention of an entity.

    >>> Mention("e1", [(0, 2)], kind=Kind.NAME)
    Mention(entity='e1', spans=[(0, 2)], kind=<Kind.NAME: 1>)
    """

    entity: str | int
    """Name of the entity within the document; a number if the source does not name entities."""
    spans: list[Span]
    """Token spans ``(start, end)``, ends exclusive; more than one if discontinuous."""
    head: int | None = None
    """Head token."""
    kind: Kind = Kind.UNKNOWN
    type: str | None = None
    """Semantic type, for example ``PER``."""
    minimum: Span | None = None
    """Minimum span."""
    attributes: dict[str, str] = field(default_factory=dict)
    """Further attributes, under the names that the format uses."""
    name: Hashable = None
    """Identifier of a mention in a document without text; ``spans`` is then empty."""
    quoted: str | None = field(default=None, compare=False)
    """The mention's words as the source repeats them, to be checked against the tokens."""
    where: Location | None = field(default=None, compare=False)
    """File and line that define the mention."""
    document: Document | None = field(default=None, compare=False, repr=False)
    """The document, if the mention comes from a corpus."""

    def __repr__(self) -> str:
        return _repr(self, ("entity", "spans"))

    @property
    def text(self) -> str:
        """Words of the mention, if it comes from a corpus.

        >>> from corefine import Corpus
        >>> corpus = Corpus.from_spans(["Anna", "sleeps"], [[(0, 1)]])
        >>> corpus[0].mentions[0].text
        'Anna'
        """
        if self.document is None:
            raise UsageError(
                f"{self!r} has no document, so its words are unknown",
                remedy="Use document.words_of(mention), or the mentions of corpus[0].",
            )
        return self.document.words_of(self)

    @property
    def start(self) -> int:
        """First token of the mention."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """Token after the last one of the mention: the end is exclusive, as in slices.

        >>> mention = Mention("e1", [(3, 5)])
        >>> mention.start, mention.end
        (3, 5)
        """
        return self.spans[-1][1]


class _Absent:
    """An attribute that mentions have under another name; it costs nothing where none is absent."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, mention: object, owner: type) -> Any:
        raise missing_attribute(mention or owner, self.name, _OF_MENTIONS)


for _name in _OF_MENTIONS:
    setattr(Mention, _name, _Absent(_name))


@dataclass(slots=True)
class Document:
    """A document: tokens, mentions, and everything else that a format may state.

    >>> document = Document("d", ["Anna", "saw", "her", "house"])
    >>> document.mentions = [Mention("anna", [(0, 1)]), Mention("anna", [(2, 3)])]
    >>> {entity: [document.words_of(m) for m in mentions]
    ...  for entity, mentions in document.entities.items()}
    {'anna': ['Anna', 'her']}
    """

    name: str
    tokens: list[str] | None = None
    """The words; None if the document has no text."""
    mentions: list[Mention] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """First token of each sentence; empty if the text is one sentence."""
    layers: dict[str, list[str]] = field(default_factory=dict)
    """Token layers (``pos``, ``lemma``, ``speaker``, …): one value per token."""
    empty_nodes: list[int] = field(default_factory=list)
    """Tokens that are empty nodes: not part of the text, but possible zero mentions."""
    running_text: str | None = None
    """The text with its white space, if the source has it."""
    offsets: list[Span] = field(default_factory=list)
    """Characters of each token in :attr:`running_text`."""
    relations: list[Relation] = field(default_factory=list)
    """Bridging and split antecedents."""
    annotations: dict[str, Document] = field(default_factory=dict)
    """Further annotations of the same tokens, ``deixis`` and ``nonreferring``: documents that have
    only mentions and relations."""
    topic: str | None = None
    named: bool = True
    """False if the source does not name the document."""
    source: str = field(default="", compare=False)
    """File that the document was read from."""
    lines: list[int] = field(default_factory=list, compare=False)
    """Source line of each token; empty if unknown."""
    warnings: list[str] = field(default_factory=list, compare=False)
    copied: Copies | None = field(default=None, compare=False)
    """Alignment statistics of text rewritten by a language model."""

    def __repr__(self) -> str:
        tokens = "no text" if self.tokens is None else f"{len(self.tokens):,} tokens"
        return f"<Document {self.name!r}: {tokens}, {len(self.mentions):,} mentions>"

    def _repr_html_(self) -> str:
        from corefine.output.html import table_html

        entities = list(self.entities.items())
        rows = [
            (str(name), len(mentions), ", ".join(map(self.words_of, mentions)))
            for name, mentions in entities[:SHOWN]
        ]
        return table_html(repr(self), ("entity", "size", "mentions"), rows, len(entities))

    if not TYPE_CHECKING:  # so that type checkers find names that are missing

        def __getattr__(self, name):
            raise missing_attribute(self, name, _OF_DOCUMENTS)

    @property
    def entities(self) -> dict[str | int, list[Mention]]:
        """Mentions by entity, in order of first appearance."""
        entities: dict[str | int, list[Mention]] = {}
        for mention in self.mentions:
            entities.setdefault(mention.entity, []).append(mention)
        return entities

    @property
    def words(self) -> list[str]:
        """The tokens; none without text."""
        return self.tokens or []

    @property
    def sentences(self) -> list[list[str]]:
        """The tokens of each sentence."""
        edges = sorted({0, *self.starts, len(self.words)})
        return [self.words[start:stop] for start, stop in pairwise(edges)]

    @property
    def text(self) -> str:
        """The running text, or the words separated by blanks.

        >>> document = Document("d", ["Anna", "sleeps", "."])
        >>> document.text, document.sentences
        ('Anna sleeps .', [['Anna', 'sleeps', '.']])
        """
        return " ".join(self.words) if self.running_text is None else self.running_text

    def words_of(self, mention: Mention) -> str:
        """Words of a mention separated by blanks, or its name if the document has no text."""
        if self.tokens is None or not mention.spans:
            return str(mention.spans if mention.name is None else mention.name)
        return " ".join(" ".join(self.tokens[start:stop]) for start, stop in mention.spans)

    @property
    def where(self) -> Location | None:
        """File and first line of the document, for error messages."""
        return Location(self.source, self.lines[0] if self.lines else None) if self.source else None

    def link(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Number entities as the connected components of linked mentions.

        ``pairs`` are indices of ``mentions``. Mentions without links become singletons.
        """
        roots = connected_components(len(self.mentions), pairs)
        for mention, root in zip(self.mentions, roots, strict=True):
            mention.entity = root

    @classmethod
    def from_text(
        cls,
        name: str,
        text: str,
        mentions: list[Mention],
        *,
        tokens: Sequence[Span] | None = None,
        sentences: Iterable[int] | None = None,
        layers: Mapping[str, Sequence[str]] | None = None,
        source: str = "",
    ) -> Document:
        """Document from running text; spans, heads and minimum spans of mentions are characters.

        ``tokens`` are the character spans of tokens, by default those of :func:`tokenize`.
        ``sentences`` are the characters at which sentences start, by default lines. ``layers`` has
        a value per given token. Tokens are split where a mention starts or ends inside of them. A
        mention of zero length becomes an empty node.

        >>> mentions = [Mention("a", [(0, 4)]), Mention("a", [(9, 12)])]
        >>> document = Document.from_text("d", "Anna saw herself.", mentions)
        >>> document.tokens
        ['Anna', 'saw', 'her', 'self', '.']
        >>> document.words_of(document.mentions[1])
        'her'
        """
        given = tokenize(text) if tokens is None else tokens
        _check_characters(text, mentions, () if tokens is None else tokens)
        spans = [span for mention in mentions for span in mention.spans]
        spans += [mention.minimum for mention in mentions if mention.minimum is not None]
        split = _SplitTokens(given, spans)
        pieces = split.pieces
        if sentences is None:
            sentences = [match.end() for match in re.finditer("\n", text)]
        firsts = sorted({0, *map(split.starting, sentences)})
        document = cls(
            name,
            shared_strings(text[start:stop] for start, stop in pieces),
            starts=[first for first in firsts if first < len(pieces)],
            layers={layer: split.layer(values) for layer, values in (layers or {}).items()},
            empty_nodes=[row for row, (start, stop) in enumerate(pieces) if start == stop],
            running_text=text,
            offsets=pieces,
            source=source,
        )
        for mention in map(copy, mentions):
            mention.document = document
            document.mentions.append(mention)
            parts = [split.tokens(span) for span in mention.spans]
            without = [part for part in parts if part[0] == part[1]]
            mention.spans = parts if len(parts) == 1 and not without else merged(parts)
            if without and mention.spans:
                where = mention.where or document.where or name
                document.warnings.append(f"{where}: a part of a mention has no tokens: ignored")
            if not mention.spans:
                raise FormatError(
                    "a mention without tokens",
                    mention.where or document.where,
                    "Mentions must cover characters other than white space.",
                )
            if mention.minimum is not None:
                mention.minimum = split.tokens(mention.minimum)
            if mention.head is not None:
                mention.head = split.starting(mention.head + 1) - 1
        return document


def shared_strings(strings: Iterable[str]) -> list[str]:
    """A list in which equal strings are one object: words of a long text are few."""
    listed = list(strings)
    known = dict(zip(listed, listed, strict=True))
    return list(map(known.__getitem__, listed))


def _repr(value: Any, always: Sequence[str]) -> str:
    """Representation of a dataclass without fields that have their default value."""
    shown = []
    for name, description in value.__dataclass_fields__.items():
        if not description.repr:
            continue
        content = getattr(value, name)
        if name in always or (content != description.default and content != {}):
            shown.append(f"{name}={content!r}")
    return f"{type(value).__name__}({', '.join(shown)})"


def _check_characters(text: str, mentions: Iterable[Mention], tokens: Sequence[Span]) -> None:
    """Refuse tokens and mentions that are not in a text; a mention may have zero length."""
    size = len(text)
    for span in tokens:
        if not _is_span(span, size, 0):
            raise FormatError(f"a token of the characters {span} in a text of {size:,}")
    for one, other in pairwise(tokens):
        if one[1] > other[0]:
            raise FormatError(f"the tokens {one} and {other} overlap, or are not in order")
    for mention in mentions:
        problem = _problem_of(mention, size, "characters", 0)
        if problem is not None:
            raise FormatError(problem[0], mention.where, problem[1])


class _SplitTokens:
    """Tokens split at the boundaries of mentions.

    ``pieces`` are character spans, of zero length for empty nodes, and ``owner`` the token that
    each piece belongs to, -1 for an empty node.
    """

    def __init__(self, tokens: Sequence[Span], spans: Sequence[Span]) -> None:
        self.pieces, self.owner = list(tokens), list[int]()
        cuts: dict[int, list[int]] = {}
        for edge in sorted(set(chain.from_iterable(spans))):
            token = bisect_left(self.pieces, edge, key=itemgetter(1))
            if token < len(self.pieces) and self.pieces[token][0] < edge < self.pieces[token][1]:
                cuts.setdefault(token, []).append(edge)
        zeros = {(start, stop) for start, stop in spans if start == stop}
        if not cuts and not zeros:
            return
        pieces: list[Span] = []
        done = 0
        for number, edges in cuts.items():
            parts = list(pairwise([tokens[number][0], *edges, tokens[number][1]]))
            pieces += [*tokens[done:number], *parts]
            self.owner += [*range(done, number), *([number] * len(parts))]
            done = number + 1
        pieces += tokens[done:]
        self.owner += range(done, len(tokens))
        if zeros:
            # An empty node follows the token that ends at its position.
            rows = sorted([*zip(pieces, self.owner, strict=True), *((zero, -1) for zero in zeros)])
            pieces, self.owner = [piece for piece, _ in rows], [owner for _, owner in rows]
        self.pieces = pieces

    def layer(self, values: Sequence[str]) -> list[str]:
        """Values of tokens for the pieces."""
        if not self.owner:
            return list(values)
        return [values[owner] if owner >= 0 else "" for owner in self.owner]

    def starting(self, character: int) -> int:
        """The first piece that starts at a character or after it."""
        return bisect_left(self.pieces, character, key=itemgetter(0))

    def tokens(self, span: Span) -> Span:
        """Token span of a character span; of zero length if it covers only white space."""
        start, stop = span
        first = self.starting(start)
        if start == stop:
            return first, first + 1
        while first < len(self.pieces) and self.pieces[first] == (start, start):
            first += 1
        behind = bisect_right(self.pieces, stop, key=itemgetter(1))
        while behind > first and self.pieces[behind - 1] == (stop, stop):
            behind -= 1
        return first, max(first, behind)


_TOKEN = re.compile(r"\w+(?:(?:['’-]|(?<=\d)[.,:](?=\d))\w+)*|[^\w\s]")
_OUTSIDE_WORDS = re.compile(r"[^\w\s\x00-\x7f]")


def tokenize(text: str) -> list[Span]:
    """Character spans of tokens: words, and every other visible character by itself.

    Apostrophes and hyphens inside words, and points, commas and colons between digits belong to
    the word. Combining marks and format characters are word characters.

    >>> text = "Don't pay 3.14 (or more)."
    >>> [text[start:stop] for start, stop in tokenize(text)]
    ["Don't", 'pay', '3.14', '(', 'or', 'more', ')', '.']
    """
    if not text.isascii():
        marks = {
            ord(character): "a"
            for character in set(_OUTSIDE_WORDS.findall(text))
            if unicodedata.category(character)[0] == "M" or unicodedata.category(character) == "Cf"
        }
        text = text.translate(marks) if marks else text
    return list(map(re.Match.span, _TOKEN.finditer(text)))


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, adjacent and overlapping ones merged, empty ones left out.

    >>> merged([(5, 6), (1, 2), (2, 4)])
    [(1, 4), (5, 6)]
    """
    result: list[Span] = []
    for start, stop in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(stop, result[-1][1]))
        elif start < stop:
            result.append((start, stop))
    return result


def without_empty_nodes(document: Document) -> Document:
    """A copy of a document without empty nodes, for formats that cannot represent them.

    Mentions and relations of empty nodes are dropped.
    """
    if not document.empty_nodes or document.tokens is None:
        return document
    from corefine.corpus.conversion import corpus_from_documents
    from corefine.corpus.renumbering import without_empty_nodes as words_of_corpus

    return words_of_corpus(corpus_from_documents([document]))[0]


def connected_components(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """For each of ``count`` items the first item of its connected component.

    >>> connected_components(5, [(4, 2), (2, 1)])
    [0, 1, 1, 3, 1]
    """
    parent = list(range(count))

    def find(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    for left, right in pairs:
        first, second = sorted((find(left), find(right)))
        parent[second] = first
    return [find(item) for item in range(count)]


def differing_quotes(document: Document) -> list[Mention]:
    """Mentions whose quoted words differ from the tokens."""
    return [
        mention
        for mention in document.mentions
        if mention.quoted
        and document.tokens is not None
        and mention.quoted != (words := document.words_of(mention))
        and visible(mention.quoted.casefold()) != visible(words.casefold())
    ]


def check_quoted(document: Document) -> None:
    """Raise a :class:`FormatError` if the quoted words of a mention differ from the tokens."""
    differing = differing_quotes(document)
    if differing:
        first = differing[0]
        more = f" (and {len(differing) - 1:,} more differ)" if len(differing) > 1 else ""
        raise FormatError(
            f"a mention reads {_shown(first.quoted or '')}, but the text has "
            f"{_shown(document.words_of(first))}{more}",
            first.where or document.where,
            "Check that this is the annotated text, and correct the mention or its words.",
        )


def visible(text: str) -> str:
    """A text without white space.

    >>> visible("Anna  Karenina")
    'AnnaKarenina'
    """
    return "".join(text.split())


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")


def check_document(document: Document) -> None:
    """Raise a :class:`FormatError` if parts of a document contradict one another."""
    size = None if document.tokens is None else len(document.tokens)

    def refuse(message: str, remedy: str, where: Location | None = None) -> None:
        message = f"document {document.name!r}: {message}"
        raise FormatError(message, where or document.where, remedy)

    if size is not None:
        columns: dict[str, Sequence[Any]] = {}
        columns |= {f"layer {name!r}": values for name, values in document.layers.items()}
        columns |= (
            {"list of offsets": document.offsets} if document.running_text is not None else {}
        )
        columns |= {"list of lines": document.lines} if document.lines else {}
        for name, values in columns.items():
            if len(values) != size:
                refuse(f"the {name} has {len(values)} values for {size} tokens", "Give one each.")
        positions = {"sentence": document.starts, "empty node": document.empty_nodes}
        for name, tokens in positions.items():
            if any(not 0 <= token < size for token in tokens):
                refuse(f"a {name} outside of the {size} tokens", "Count tokens from 0.")
    layers = [one.mentions for one in document.annotations.values()]
    mentions = list(chain(document.mentions, *layers))
    for mention in mentions:
        problem = None if _is_simple(mention, size) else _problem_of(mention, size)
        if problem is not None:
            refuse(*problem, mention.where)


def _is_simple(mention: Mention, size: int | None) -> bool:
    """True for a sound mention of one span and without a head, as nearly all of a corpus are."""
    spans: Any = mention.spans
    if mention.head is not None or mention.minimum is not None:
        return False
    if type(spans) is not list or len(spans) != 1:
        return False
    span = spans[0]
    if type(span) is not tuple or len(span) != 2 or type(mention.entity) not in (int, str):
        return False
    start, stop = span
    whole = type(start) is int and type(stop) is int
    return whole and 0 <= start < stop and (size is None or stop <= size)


def _problem_of(
    mention: Mention, size: int | None, unit: str = "tokens", shortest: int = 1
) -> tuple[str, str] | None:
    """The first contradiction of a mention in a text of ``size`` units, and its remedy."""
    spans: Any = mention.spans  # users may ignore the types
    if not isinstance(mention.entity, str) and not _is_whole(mention.entity):
        return f"the entity {mention.entity!r}", "Name or number entities."
    if not isinstance(spans, list) or not all(_is_span(span, size, shortest) for span in spans):
        within = "" if size is None else f" in {size:,} {unit}"
        return (
            f"a mention with the spans {spans}{within}",
            f"Give a list such as [(0, 2)]: count {unit} from 0, stop exclusive.",
        )
    if len(spans) == 1 and mention.head is None and mention.minimum is None:
        return None
    if not spans and mention.name is None:
        return "a mention without spans and without a name", "Give one of them."
    if shortest and any(one[1] > other[0] for one, other in pairwise(spans)):
        return f"a mention with the spans {spans}", "Give spans in order, not overlapping."
    for name, inner in (("head", _span_of(mention.head)), ("minimum span", mention.minimum)):
        if inner is not None and spans and not _lies_in(inner, spans):
            shown = mention.head if name == "head" else mention.minimum
            return (
                f"a mention with the spans {spans} and the {name} {shown} outside",
                f"The {name} is part of the mention; leave it out if it is unknown.",
            )
    return None


def _is_span(span: Any, size: int | None, shortest: int = 1) -> bool:
    """True for two whole numbers, at least ``shortest`` apart, in a text of this size."""
    if type(span) not in (tuple, list) or len(span) != 2:
        return False
    start, stop = span
    return (
        _is_whole(start)
        and _is_whole(stop)
        and 0 <= start <= stop - shortest
        and (size is None or stop <= size)
    )


def _is_whole(number: object) -> bool:
    """True for whole numbers, of Python or NumPy."""
    return type(number) is int or hasattr(number, "__index__")


def _span_of(head: int | None) -> Span | None:
    return None if head is None else (head, head + 1)


def _lies_in(inner: Span, spans: Sequence[Span]) -> bool:
    """True if a span begins and ends within a mention."""
    if not _is_span(inner, None):
        return False
    start, stop = inner
    return any(low <= start < high for low, high in spans) and any(
        low < stop <= high for low, high in spans
    )
