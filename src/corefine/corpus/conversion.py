"""Conversion between documents and the columns of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from operator import attrgetter
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray, Strings
from corefine.corpus.columns import Entities, Kind, Mentions, Pieces, Relation, Text, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, Span, check_document, check_quoted
from corefine.errors import CorefineError, UsageError


def corpus_from_documents(documents: Iterable[Document], format: str | None = None) -> Corpus:
    """Build the columns of a corpus.

    Documents are checked: spans must lie within the tokens, quoted words must match them, and
    names must be unique. Documents with text and without, or mentions with spans and mentions with
    names, cannot be mixed.
    """
    listed = list(documents)
    warnings: list[str] = []
    for document in listed:
        check_document(document)
        warnings += document.warnings
        check_quoted(document)
    _refuse_mixtures(listed)
    corpus = _annotation(listed)
    names = dict.fromkeys(chain.from_iterable(document.annotations for document in listed))
    copied = [document.copied for document in listed if document.copied is not None]
    copies = type(copied[0]).sum(copied) if copied else None
    if copies is not None:
        warnings += copies.warnings()
    corpus = replace(
        corpus,
        tokens=_tokens(listed),
        topics=None
        if not listed or any(document.topic is None for document in listed)
        else tuple(document.topic or "" for document in listed),
        sources=tuple(document.source for document in listed)
        if any(document.source for document in listed)
        else (),
        format=format,
        warnings=tuple(dict.fromkeys(warnings)),
        annotations={
            name: _annotation(
                [document.annotations.get(name) or Document(document.name) for document in listed]
            )
            for name in names
        },
        named=all(document.named for document in listed),
        copies=copies,
    )
    corpus.refuse_repeats()
    return corpus


def _refuse_mixtures(documents: Sequence[Document]) -> None:
    for document in documents:
        if (document.tokens is None) != (documents[0].tokens is None):
            raise CorefineError(
                f"only one of the documents {document.name!r} and {documents[0].name!r} has a text",
                document.where,
                "Provide the text of all documents, or of none.",
            )
    if len({not mention.spans for document in documents for mention in document.mentions}) > 1:
        raise CorefineError(
            "mentions with spans and mentions without cannot be mixed",
            remedy="Give all mentions spans, or all mentions names.",
        )


def _annotation(documents: Sequence[Document]) -> Corpus:
    """Mentions, entities and relations of documents."""
    mentions = [mention for document in documents for mention in document.mentions]
    counts = [len(document.mentions) for document in documents]
    owner = np.repeat(np.arange(len(documents)), np.array(counts, np.int64))
    numbers: dict[tuple[int, str | int], int] = {}
    entity = [
        numbers.setdefault((number, mention.entity), len(numbers))
        for number, mention in zip(owner.tolist(), mentions, strict=True)
    ]
    labels = [label for _, label in numbers]
    named = any(isinstance(label, str) for label in labels)
    types = tuple(dict.fromkeys(mention.type for mention in mentions if mention.type))
    return Corpus(
        tuple(document.name for document in documents),
        Entities(
            np.array([document for document, _ in numbers], np.int64),
            Strings.from_list(map(str, labels)) if named else None,
        ),
        _mentions(mentions, owner, entity, types),
        types=types,
        relations=tuple(
            replace(relation, document=number)
            for number, document in enumerate(documents)
            for relation in document.relations
        ),
    )


def _mentions(
    mentions: Sequence[Mention], document: IntArray, entity: list[int], types: Sequence[str]
) -> Mentions:
    """Columns of mentions with their documents and entities; ``types`` are the semantic types."""
    fields = ("spans", "kind", "head", "type", "minimum", "attributes", "name")
    columns = [list(map(attrgetter(field), mentions)) for field in fields]
    spans, kinds, heads, given, minima, attributes, ids = columns
    names: Any = None
    if mentions and not spans[0]:
        start, stop = np.arange(len(mentions)), np.arange(1, len(mentions) + 1)
        names = Strings.from_list(ids) if set(map(type, ids)) == {str} else ids
    else:
        start = np.array([span[0][0] for span in spans], np.int64)
        stop = np.array([span[-1][1] for span in spans], np.int64)
    parts = [(row, *part) for row, span in enumerate(spans) if len(span) > 1 for part in span]
    keys = dict.fromkeys(chain.from_iterable(attributes)) if any(attributes) else {}
    number = {name: row for row, name in enumerate(types)}
    minimum = None
    if any(minima):
        low, high = np.array([one or (-1, -1) for one in minima], np.int64).T
        minimum = (low, high)
    return Mentions(
        document,
        np.array(entity, np.int64),
        start,
        stop,
        names,
        kind=np.array(kinds, np.uint8) if any(kinds) else None,
        head=None
        if heads.count(None) == len(heads)
        else np.array([-1 if head is None else head for head in heads], np.int64),
        type=np.array([number.get(name or "", -1) for name in given], np.int64) if types else None,
        pieces=Pieces(*np.array(parts, np.int64).T) if parts else None,
        minimum=minimum,
        attributes={
            key: Strings.from_list(values.get(key, "") for values in attributes) for key in keys
        },
    )


def _tokens(documents: Sequence[Document]) -> Tokens | None:
    if not documents or documents[0].tokens is None:
        return None
    sizes = [len(document.tokens or ()) for document in documents]
    bases = list(accumulate(sizes, initial=0))
    sentences: list[int] = []
    empty = np.zeros(bases[-1], bool)
    for document, base, size in zip(documents, bases, sizes, strict=False):
        if size:
            sentences += [base + first for first in sorted({0, *document.starts})]
        empty[[base + token for token in document.empty_nodes]] = True
    layers = dict.fromkeys(chain.from_iterable(document.layers for document in documents))
    texts = [document.running_text for document in documents if document.running_text is not None]
    spans = chain.from_iterable(document.offsets for document in documents)
    begins, ends = np.fromiter(chain.from_iterable(spans), np.int64).reshape(-1, 2).T
    has_lines = all(
        len(document.lines) == size for document, size in zip(documents, sizes, strict=True)
    )
    words = list(chain.from_iterable(document.tokens or () for document in documents))
    try:
        column = Strings.from_list(words)
    except TypeError:
        raise UsageError("tokens that are not strings", None, "Give a list of words.") from None
    return Tokens(
        column,
        np.array(bases, np.int64),
        np.array(sentences, np.int64),
        {
            name: Strings.from_list(
                chain.from_iterable(
                    document.layers.get(name) or [""] * size
                    for document, size in zip(documents, sizes, strict=True)
                )
            )
            for name in layers
        },
        empty,
        np.fromiter(
            chain.from_iterable(document.lines for document in documents), np.int64, bases[-1]
        )
        if has_lines
        else None,
        Text(Strings.from_list(texts), begins, ends) if len(texts) == len(documents) else None,
    )


def documents_from_corpus(
    corpus: Corpus, numbers: Iterable[int] | None = None
) -> Iterator[Document]:
    """The documents of a corpus, or those with these numbers."""
    rows = _Rows(corpus)
    annotations = {name: _Rows(part) for name, part in corpus.annotations.items()}
    copies = corpus.copies
    for number in range(len(corpus)) if numbers is None else numbers:
        document = rows.document(number)
        for name, other in annotations.items():
            annotation = other.document(number)
            if annotation.mentions:
                document.annotations[name] = annotation
        document.topic = None if corpus.topics is None else corpus.topics[number]
        document.source = corpus.sources[number] if corpus.sources else ""
        document.named = corpus.named
        if copies is not None:
            own = copies.select([document.name])
            document.copied = own if own.documents else None
        if corpus.tokens is not None:
            _add_tokens(document, corpus.tokens, number)
        for part in (document, *document.annotations.values()):
            for mention in part.mentions:
                mention.document = document
        yield document


class _Rows:
    """Rows of mentions, entities and relations by document."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.pieces = corpus.mentions.spans
        self.relations: dict[int, list[Relation]] = {}
        for relation in corpus.relations:
            self.relations.setdefault(relation.document, []).append(replace(relation, document=0))

    def spans(self, first: int, last: int) -> list[list[Span]]:
        """The spans of the mentions ``first`` to ``last - 1``."""
        part = slice(*np.searchsorted(self.pieces.mention, [first, last]).tolist())
        columns = (self.pieces.mention[part], self.pieces.start[part], self.pieces.stop[part])
        found: list[list[Span]] = [[] for _ in range(first, last)]
        for mention, start, stop in zip(*(column.tolist() for column in columns), strict=True):
            found[mention - first].append((start, stop))
        return found

    def document(self, number: int) -> Document:
        """Document with its mentions and relations, without tokens."""
        corpus, mentions = self.corpus, self.corpus.mentions
        first, last = np.searchsorted(mentions.document, [number, number + 1]).tolist()
        part, count = slice(first, last), last - first

        def column(values: Any) -> Iterable[Any]:
            if values is None:
                return [None] * count
            rows: Any = values[part]
            listed: list[Any] = rows.tolist() if isinstance(rows, np.ndarray) else rows
            return listed

        low, high = mentions.minimum or (None, None)
        spans = self.spans(first, last) if corpus.has_places else [[] for _ in range(count)]
        columns = (
            self._labels(mentions.entity[part]), spans, column(mentions.names),
            column(mentions.kind), column(mentions.head), column(mentions.type),
            column(low), column(high),
        )  # fmt: skip
        found = []
        for entity, own, name, kind, head, type, *minimum in zip(*columns, strict=True):
            mention = Mention(entity, own, name=name)
            if kind:
                mention.kind = Kind(kind)
            if head is not None and head >= 0:
                mention.head = head
            if type is not None and type >= 0:
                mention.type = corpus.types[type]
            if minimum[0] is not None and minimum[0] >= 0:
                mention.minimum = (minimum[0], minimum[1])
            found.append(mention)
        for name, texts in mentions.attributes.items():
            for mention, text in zip(found, texts[part], strict=True):
                if text:
                    mention.attributes[name] = text
        relations = self.relations.get(number, [])
        return Document(corpus.documents[number], mentions=found, relations=relations)

    def _labels(self, entities: IntArray) -> list[str | int]:
        """Names of entities, made unique; numbers within the document if they have none."""
        names = self.corpus.entities.names
        labels: dict[int, str | int] = {}
        used: set[str | int] = set()
        for entity in dict.fromkeys(entities.tolist()):
            label: str | int = len(labels) if names is None else names[entity]
            repeated = 1
            while label in used and names is not None:
                repeated += 1
                label = f"{names[entity]}-{repeated}"
            used.add(label)
            labels[entity] = label
        return [labels[entity] for entity in entities.tolist()]


def _add_tokens(document: Document, tokens: Tokens, number: int) -> None:
    """Fill in what a corpus knows of the tokens of a document."""
    first, last = tokens.offsets[number : number + 2].tolist()
    part = slice(first, last)
    low, high = np.searchsorted(tokens.sentences, [first, last])
    document.tokens = tokens.words[part].tolist()
    document.starts = (tokens.sentences[low:high] - first).tolist()
    document.layers = {name: values[part].tolist() for name, values in tokens.layers.items()}
    if tokens.empty is not None:
        document.empty_nodes = np.flatnonzero(tokens.empty[part]).tolist()
    if tokens.lines is not None:
        document.lines = tokens.lines[part].tolist()
    if tokens.text is not None:
        document.running_text = tokens.text.documents[number]
        begins, ends = tokens.text.begins[part].tolist(), tokens.text.ends[part].tolist()
        document.offsets = list(zip(begins, ends, strict=True))
