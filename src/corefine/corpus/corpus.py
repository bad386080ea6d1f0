"""Corpus: annotated documents as columns.

A corpus contains all documents of one side, key or response. A mention is a row: its document, its
entity and its span (the tokens ``start`` to ``stop - 1`` of the document) or, without text, its
name. Further annotations (heads, kinds, semantic types, discontinuous mentions) are in optional
columns, which are ``None`` if unknown.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from corefine.corpus.arrays import Strings
from corefine.corpus.columns import Entities, Mentions, Relation, Tokens, take_rows
from corefine.corpus.values import column_of, distinct, document_ids, written
from corefine.errors import Location, UsageError, choose, closest, missing_attribute

if TYPE_CHECKING:
    from corefine.corpus.copies import Copies
    from corefine.corpus.document import Document

ANNOTATIONS = {
    "deixis": "discourse deixis: abstract anaphora and the text segments they refer to",
    "nonreferring": "non-referring expressions",
}
"""Annotations other than identity, by name."""


SHOWN = 10
"""Documents of a corpus that a notebook shows."""
_ELSEWHERE = {
    **dict.fromkeys(("docs", "names", "ids"), "corpus.documents"),
    **dict.fromkeys(("clusters", "chains"), "corpus.to_dict()"),
    **dict.fromkeys(("text", "words", "sentences"), "those of a document: corpus[0]"),
    **dict.fromkeys(("save", "write", "to_conll", "to_json"), "corefine.write(corpus, path)"),
    **dict.fromkeys(("describe", "stats", "info", "summary"), "corefine.describe(corpus)"),
    **dict.fromkeys(("to_pandas", "to_frame"), "corefine.describe(corpus) or to_dict()"),
    **dict.fromkeys(("head", "sample"), "corpus[:5]"),
    **dict.fromkeys(("shape", "size"), "len(corpus), len(corpus.mentions)"),
}
"""Names of common attributes, and the ones that a corpus has instead."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Corpus:
    """Annotated documents: the data structure that readers produce and scorers consume.

    >>> corpus = Corpus.from_entities([["Anna", "she"], ["Rome"]])
    >>> corpus
    <Corpus: 1 document, 3 mentions, 2 entities>
    >>> corpus.to_dict()
    {'': [['Anna', 'she'], ['Rome']]}
    """

    documents: tuple[str, ...]
    entities: Entities
    mentions: Mentions
    tokens: Tokens | None = None
    types: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    topics: tuple[str, ...] | None = None
    """Topic of each document, if entities are shared within topics."""
    sources: tuple[str, ...] = ()
    """Source file of each document; empty if unknown."""
    format: str | None = None
    warnings: tuple[str, ...] = ()
    annotations: Mapping[str, Corpus] = field(default_factory=dict)
    """Further annotations of the same documents, by name: :data:`ANNOTATIONS`. Each has its own
    mentions and entities; see :meth:`annotation`."""
    named: bool = True
    """True if the source names its documents; otherwise names are derived from the file name."""
    copies: Copies | None = None
    """Alignment statistics of text rewritten by a language model."""

    @classmethod
    def from_entities(cls, entities: Iterable[Iterable[Hashable]], document: str = "") -> Corpus:
        """One document from a list of entities, an entity being a list of any hashables.

        Spans are ``(start, end)`` with the end exclusive, as :meth:`to_dict` returns them; lists
        are compared with other lists as they are.
        """
        return cls.from_documents({document: entities})

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document] | Mapping[str, Iterable[Iterable[Hashable]]],
        format: str | None = None,
    ) -> Corpus:
        """A corpus of :class:`Document` objects, or of a mapping of ids to lists of entities.

        ``format`` is the name of the format that the documents were read from.

        >>> from corefine import Document, Mention
        >>> Corpus.from_documents([Document("d", ["Anna"], [Mention("anna", [(0, 1)])])])
        <Corpus: 1 document, 1 mention, 1 entity>
        """
        if isinstance(documents, Mapping):
            chains = [[list(entity) for entity in entities] for entities in documents.values()]
            return replace(cls.from_lists(list(documents), chains), format=format)
        from corefine.corpus.conversion import corpus_from_documents

        return corpus_from_documents(documents, format)

    @classmethod
    def from_spans(
        cls,
        tokens: Iterable[str],
        clusters: Iterable[Iterable[tuple[int, int]]],
        document: str = "",
    ) -> Corpus:
        """One document from its tokens and clusters of spans ``(start, end)``, end exclusive.

        >>> corpus = Corpus.from_spans(["Anna", "saw", "her"], [[(0, 1), (2, 3)]])
        >>> [corpus[0].words_of(mention) for mention in corpus[0].mentions]
        ['Anna', 'her']
        """
        from corefine.corpus.document import Document, Mention

        mentions = [
            Mention(number, [(start, stop)])
            for number, cluster in enumerate(clusters)
            for start, stop in cluster
        ]
        return cls.from_documents([Document(document, list(tokens), mentions)])

    @classmethod
    def from_lists(
        cls, names: Sequence[object], documents: Sequence[Sequence[Sequence[Hashable]]]
    ) -> Corpus:
        """Documents by name, each a list of entities; an entity without mentions is left out."""
        ids = document_ids(names)
        sizes = np.array([len(entity) for entities in documents for entity in entities], np.int64)
        document = np.repeat(np.arange(len(names)), [len(entities) for entities in documents])
        mentions = list(chain.from_iterable(chain.from_iterable(documents)))
        if not sizes.all():
            document, sizes = document[sizes > 0], sizes[sizes > 0]
        entity = np.repeat(np.arange(len(sizes)), sizes)
        place = np.arange(len(mentions))
        return cls(
            ids,
            Entities(document),
            Mentions(document[entity], entity, place, place + 1, mentions),
        )

    @classmethod
    def from_labels(cls, entities: Any, mentions: Any = None, documents: Any = None) -> Corpus:
        """A corpus from columns: the entity of each row and, optionally, its mention and document.

        A column is a list, a Series or an array of any values, none of them missing. Without
        ``mentions`` a mention is its row number, so two corpora made this way are compared
        row by row. Without ``documents`` everything is one document. An entity label belongs to its
        document: the same label in two documents names two entities (unless the scope of scoring
        says otherwise).

        >>> Corpus.from_labels(["a", "a", "b"])
        <Corpus: 1 document, 3 mentions, 2 entities>
        """
        labels, entity = distinct(column_of(entities, "entities"))
        names = None if mentions is None else column_of(mentions, "mentions")
        ids: tuple[str, ...] = ("",)
        document = np.zeros(len(entity), np.int64)
        if documents is not None:
            values, document = distinct(column_of(documents, "documents"))
            ids = document_ids(values)
        for given, what in ((names, "mentions"), (document, "documents")):
            if given is not None and len(given) != len(entity):
                raise UsageError(f"{what} has {len(given)} rows, entities has {len(entity)}")
        place = np.arange(len(entity))
        owner, label = np.zeros(len(labels), np.int64), np.arange(len(labels))
        if documents is not None:
            if (np.diff(document) < 0).any():
                place = np.argsort(document, kind="stable")
                entity, document, names = entity[place], document[place], take_rows(names, place)
            pair, entity = np.unique(document * len(labels) + entity, return_inverse=True)
            owner, label = np.divmod(pair, max(len(labels), 1))
        column: Any = names
        if isinstance(names, list) and set(map(type, names)) == {str}:
            column = Strings.from_list(names)
        return cls(
            ids,
            Entities(owner, written(labels).take(label)),
            Mentions(document, entity, place, place + 1, column),
            format="labels",
        )

    def __repr__(self) -> str:
        counted = (
            (len(self.documents), "document"),
            (len(self.mentions), "mention"),
            (len(self.entities), "entity"),
        )
        texts = []
        for number, noun in counted:
            plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
            texts.append(f"{number:,} {noun if number == 1 else plural}")
        return f"<Corpus: {', '.join(texts)}>"

    def _repr_html_(self) -> str:
        from corefine.output.html import table_html

        return table_html(
            repr(self),
            ("document", "tokens", "mentions", "entities"),
            [
                (one.name, len(one.words), len(one.mentions), len(one.entities))
                for one in self[:SHOWN]
            ],
            len(self),
        )

    if not TYPE_CHECKING:  # so that type checkers find names that are missing

        def __getattr__(self, name):
            raise missing_attribute(self, name, _ELSEWHERE)

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        """The documents in order."""
        from corefine.corpus.conversion import documents_from_corpus

        return documents_from_corpus(self)

    @overload
    def __getitem__(self, document: int | str) -> Document: ...
    @overload
    def __getitem__(self, document: slice) -> Corpus: ...
    def __getitem__(self, document: int | str | slice) -> Document | Corpus:
        """A document by position or by name; of a slice, a corpus of several documents.

        >>> corpus = Corpus.from_entities([["Anna", "she"]], "a")
        >>> corpus["a"], corpus[:1]
        (<Document 'a': no text, 2 mentions>, <Corpus: 1 document, 2 mentions, 1 entity>)
        """
        from corefine.corpus.conversion import documents_from_corpus
        from corefine.corpus.selection import select_documents

        if not isinstance(document, int | str | slice | np.integer):
            raise TypeError("use corpus[0], corpus[name] or corpus[:10]")
        if isinstance(document, slice):
            return select_documents(self, list(range(len(self))[document]))
        if isinstance(document, str):
            if document not in self.documents:
                hint = closest(document, self.documents)
                first = ", ".join(map(repr, self.documents[:3]))
                text = f"there is no document {document!r}; use corpus.documents: {first}….{hint}"
                raise KeyError(text)
            number = self.documents.index(document)
        elif -len(self) <= document < len(self):
            number = range(len(self))[document]
        else:
            raise IndexError(f"there is no document {document}; use 0 to {len(self) - 1}")
        return next(documents_from_corpus(self, [number]))

    def annotation(self, name: str) -> Corpus:
        """Another annotation of these documents as a corpus, empty if missing."""
        found = self.annotations.get(name) or Corpus.without_mentions(self.documents)
        return replace(
            self,
            entities=found.entities,
            mentions=found.mentions,
            types=found.types,
            relations=found.relations,
            warnings=(),
            annotations={},
        )

    @classmethod
    def without_mentions(cls, documents: Sequence[str], tokens: Tokens | None = None) -> Corpus:
        """A corpus without annotations."""
        empty = np.zeros(0, np.int64)
        mentions = Mentions(empty, empty, empty, empty)
        return cls(tuple(documents), Entities(empty), mentions, tokens)

    @property
    def has_places(self) -> bool:
        """True if mentions are spans (or row numbers) rather than names."""
        return self.mentions.names is None

    def location(self, document: int, token: int | None = None) -> Location | None:
        """Location of a document, or of one of its tokens, in its source."""
        if not self.sources:
            return None
        line = None
        tokens = self.tokens
        if tokens is not None and tokens.lines is not None:
            first, last = tokens.offsets[document], tokens.offsets[document + 1]
            if first < last:
                line = int(tokens.lines[min(first + (token or 0), last - 1)])
        return Location(self.sources[document], line)

    def refuse_repeats(self) -> None:
        """Raise an error if two documents have the same name; without a source, it may be empty."""
        seen: dict[str, int] = {}
        for number, name in enumerate(self.documents):
            first = seen.setdefault(name, number)
            if first != number and (name or self.sources):
                from corefine.corpus.joining import repeated_document

                raise repeated_document(name, self.location(first), self.location(number))

    def mention_id(self, index: int) -> Hashable:
        """Identifier of a mention: its name, or its span ``(start, end)``, end exclusive.

        A discontinuous mention is a tuple of spans.
        """
        mentions = self.mentions
        if mentions.names is not None:
            name = mentions.names[index]
            return name.item() if isinstance(name, np.generic) else name
        spans = self.pieces_of(index)
        return tuple(spans) if len(spans) > 1 else spans[0]

    def pieces_of(self, index: int) -> list[tuple[int, int]]:
        """Spans ``(start, end)`` of a mention, ends exclusive; one unless it is discontinuous."""
        mentions = self.mentions
        if mentions.pieces is not None:
            rows = np.flatnonzero(mentions.pieces.mention == index)
            if len(rows):
                starts, stops = mentions.pieces.start[rows], mentions.pieces.stop[rows]
                return list(zip(starts.tolist(), stops.tolist(), strict=True))
        return [(int(mentions.start[index]), int(mentions.stop[index]))]

    def text_of(self, index: int) -> str:
        """Words of a mention, or its name if there is no text."""
        if self.tokens is None or not self.has_places:
            return str(self.mention_id(index))
        unfound = self.mentions.attributes.get("unfound")
        if unfound is not None and unfound[index]:
            return str(unfound[index])
        base = int(self.tokens.offsets[self.mentions.document[index]])
        words: list[str] = []
        for start, stop in self.pieces_of(index):
            words.extend(self.tokens.words[base + start : base + stop])
        return " ".join(words)

    def to_dict(self, *, ends: str = "exclusive") -> dict[str, list[list[Hashable]]]:
        """Documents as lists of entities, entities as lists of mentions.

        A mention is its name, or its span ``(start, end)`` with the end exclusive, as slices have
        it. With ``ends="inclusive"`` it is the first and the last token, as in e2e JSON. Names are
        returned as they were given.

        >>> corpus = Corpus.from_spans(["Anna", "saw", "her", "house"], [[(2, 4)]], "d")
        >>> corpus.to_dict(), corpus.to_dict(ends="inclusive")
        ({'d': [[(2, 4)]]}, {'d': [[(2, 3)]]})
        """
        inclusive = choose("ends", ends, ("exclusive", "inclusive")) == "inclusive"
        result: dict[str, list[list[Hashable]]] = {name: [] for name in self.documents}
        chains: list[list[Hashable]] = [[] for _ in range(len(self.entities))]
        for index, entity in enumerate(self.mentions.entity.tolist()):
            mention = self.mention_id(index)
            if inclusive and self.has_places:
                mention = inclusive_span(mention)
            chains[entity].append(mention)
        for document, mentions in zip(self.entities.document.tolist(), chains, strict=True):
            if mentions:
                result[self.documents[document]].append(mentions)
        return result


def inclusive_span(mention: Any) -> Hashable:
    """First and last token of a mention that is a span ``(start, end)``, or several of them.

    >>> inclusive_span((2, 4)), inclusive_span(((0, 1), (2, 4)))
    ((2, 3), ((0, 0), (2, 3)))
    """
    if isinstance(mention[0], tuple):
        return tuple(map(inclusive_span, mention))
    return mention[0], mention[1] - 1
