"""Selection of documents and mentions of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of, ranges
from corefine.corpus.columns import Entities, Mentions, Pieces, Text, Tokens, take_rows
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError


def take_mentions(mentions: Mentions, rows: IntArray) -> Mentions:
    """These mentions, in this order, with all optional columns."""
    columns = {one.name: take_rows(getattr(mentions, one.name), rows)
               for one in fields(mentions) if one.name != "pieces"}  # fmt: skip
    pieces = mentions.pieces
    if pieces is not None:
        new_number = np.full(len(mentions), -1)
        new_number[rows] = np.arange(len(rows))
        moved = new_number[pieces.mention]
        order = np.argsort(moved, kind="stable")[np.count_nonzero(moved < 0) :]
        columns["pieces"] = Pieces(moved[order], pieces.start[order], pieces.stop[order])
    return Mentions(**columns)


def keep_mentions(corpus: Corpus, wanted: BoolArray) -> Corpus:
    """The corpus with only these mentions; documents, tokens and entities stay."""
    if wanted.all():
        return corpus
    return replace(corpus, mentions=take_mentions(corpus.mentions, np.flatnonzero(wanted)))


def select_documents(corpus: Corpus, documents: Sequence[int] | IntArray) -> Corpus:
    """Select the documents with these indices, in this order."""
    documents = np.asarray(documents, np.int64)
    new_number = np.full(len(corpus.documents), -1)
    new_number[documents] = np.arange(len(documents))
    if (new_number[documents] != np.arange(len(documents))).any():
        raise UsageError("a document is selected twice", remedy="Give each index once.")

    def rows_of(column: IntArray) -> IntArray:
        """Rows of the wanted documents, in the wanted order of documents."""
        moved = new_number[column]
        kept = np.flatnonzero(moved >= 0)
        return kept[np.argsort(moved[kept], kind="stable")]

    def chosen(labels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(labels[number] for number in documents.tolist())

    entity_rows = rows_of(corpus.entities.document)
    new_entity = np.full(len(corpus.entities), -1)
    new_entity[entity_rows] = np.arange(len(entity_rows))
    mentions = take_mentions(corpus.mentions, rows_of(corpus.mentions.document))
    return replace(
        corpus,
        documents=chosen(corpus.documents),
        entities=Entities(
            new_number[corpus.entities.document[entity_rows]],
            take_rows(corpus.entities.names, entity_rows),
        ),
        mentions=replace(
            mentions,
            document=new_number[mentions.document],
            entity=new_entity[mentions.entity],
        ),
        tokens=None if corpus.tokens is None else _select_tokens(corpus.tokens, documents),
        relations=tuple(
            replace(relation, document=int(new_number[relation.document]))
            for relation in corpus.relations
            if new_number[relation.document] >= 0
        ),
        topics=None if corpus.topics is None else chosen(corpus.topics),
        annotations={
            name: select_documents(part, documents) for name, part in corpus.annotations.items()
        },
        sources=chosen(corpus.sources) if corpus.sources else (),
        copies=None if corpus.copies is None else corpus.copies.select(chosen(corpus.documents)),
    )


def _select_tokens(tokens: Tokens, documents: IntArray) -> Tokens:
    lengths = np.diff(tokens.offsets)[documents]
    rows = ranges(tokens.offsets[:-1][documents], lengths)
    opens = np.zeros(len(tokens) + 1, bool)
    opens[tokens.sentences] = True
    text = tokens.text
    if text is not None:
        tokens = replace(tokens, text=replace(text, documents=text.documents.take(documents)))
    return tokens_at(tokens, rows, offsets_of(lengths), np.flatnonzero(opens[rows]))


def tokens_at(tokens: Tokens, rows: IntArray, offsets: IntArray, sentences: IntArray) -> Tokens:
    """The tokens of these rows with all columns, under new offsets of documents and sentences."""
    own = ("offsets", "sentences", "text")
    columns = {one.name: take_rows(getattr(tokens, one.name), rows)
               for one in fields(tokens) if one.name not in own}  # fmt: skip
    text = tokens.text
    if text is not None:
        columns["text"] = Text(text.documents, text.begins[rows], text.ends[rows])
    return Tokens(offsets=offsets, sentences=sentences, **columns)
