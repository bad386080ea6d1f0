"""wl-coref: JSON lines with words in one list and spans that end behind their last word.

The smallest valid line::

    {"document_id": "x", "cased_words": ["Anna", "saw", "her"], "span_clusters": [[[0, 1], [2, 3]]]}

``span_clusters`` come from a model or from wl-coref's preparation; before that they are called
``clusters``, and their ends exclude the last word as well. ``sent_id`` cuts sentences, ``part_id``
numbers the parts of a document, ``head2span`` gives the heads of mentions, and ``speaker``,
``pos``, ``deprel`` and ``head`` stand beside the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.formats.columns.conll_writing import name_and_part
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.arrays import StringLists
from corefine.formats.jsonlines.columns import Columns, sentence_starts
from corefine.formats.jsonlines.lines_of_documents import (
    LINE_MARK,
    SUFFIXES,
    Batch,
    is_given,
    keys_of,
    read_batches,
)
from corefine.formats.jsonlines.words import (
    check_lengths,
    clusters_of,
    layer,
    require,
    string_lists,
)
from corefine.formats.jsonlines.writing import Document, documents_of, json_line
from corefine.formats.registry import Format, Holds, register

if TYPE_CHECKING:
    from corefine.formats.jsonlines.records import WordLevel as Line

CONVENTION = "Mentions are [first, behind the last] words, counted from 0."
LAYERS = frozenset({"speaker", "pos", "deprel", "head"})


def read(source: Source, layers: frozenset[str] | None, window: int | None) -> Iterator[Corpus]:
    """The documents; each part of a document is one of its own."""
    from corefine.formats.jsonlines.records import WordLevel

    wanted = LAYERS if layers is None else layers & LAYERS
    return read_batches(source, WordLevel, _Reader(wanted).columns, WL_COREF.name, window)


class _Reader:
    """Makes columns of batches; which keys hold words and clusters the first line decides."""

    def __init__(self, layers: frozenset[str]) -> None:
        self.layers = layers
        self.words_key = self.clusters_key = ""

    def columns(self, batch: Batch[Line]) -> Columns:
        if not self.words_key:
            self._settle(batch.records[0])
        words = string_lists(batch, self.words_key, 2 if self.words_key == "sentences" else 1)
        lengths = words.per_document
        clusters = clusters_of(batch, self.clusters_key, CONVENTION)
        start, stop = clusters.numbers.T
        sentences = _sentences(batch, words)
        return Columns(
            [_name(batch, number) for number in range(len(batch.records))],
            words.strings,
            lengths,
            sentences,
            clusters,
            start,
            stop,
            self._layers(batch, lengths, sentences),
            _heads(batch, lengths, clusters.document_of_mentions, start, stop),
        )

    def _settle(self, line: Line) -> None:
        keys = [key for key in ("cased_words", "tokens", "sentences") if is_given(line, key)]
        self.words_key = keys[0] if keys else "cased_words"
        earlier = not is_given(line, "span_clusters") and is_given(line, "clusters")
        self.clusters_key = "clusters" if earlier else "span_clusters"

    def _layers(
        self, batch: Batch[Line], lengths: IntArray, sentences: IntArray
    ) -> dict[str, Strings]:
        found = {name: layer(batch, name, lengths) for name in sorted(self.layers - {"head"})}
        if "head" in self.layers:
            found["head"] = _dependency_heads(batch, lengths, sentences)
        return {name: column for name, column in found.items() if column is not None}


def _name(batch: Batch[Line], document: int) -> str:
    """The name of a document, or of a part of it, as CoNLL names it."""
    line = batch.records[document]
    name = line.doc_key if line.document_id is None else line.document_id
    if name is None:
        require(batch, "document_id")
    part = line.part_id
    if isinstance(part, list):
        if len(set(part)) > 1:
            batch.refuse(
                document,
                "part_id: one line holds several parts",
                "Write a line for each part of the document.",
            )
        part = part[0] if part else 0
    return f"{name}; part {part}" if part else str(name)


def _sentences(batch: Batch[Line], words: StringLists) -> IntArray:
    """The first word of each sentence: where ``sent_id`` changes."""
    ids = [line.sent_id for line in batch.records]
    if not any(ids):
        return sentence_starts(words.lengths)
    lengths = words.per_document
    filled = [
        numbers or [0] * length for numbers, length in zip(ids, lengths.tolist(), strict=True)
    ]
    check_lengths(batch, np.array([len(numbers) for numbers in filled]), lengths, "sent_id")
    number = np.fromiter(chain.from_iterable(filled), np.int64, int(lengths.sum()))
    opens = np.ones(len(number), bool)
    opens[1:] = number[1:] != number[:-1]
    opens[offsets_of(lengths)[:-1][lengths > 0]] = True
    return np.flatnonzero(opens)


def _heads(
    batch: Batch[Line], lengths: IntArray, document: IntArray, start: IntArray, stop: IntArray
) -> IntArray | None:
    """The heads of mentions, where ``head2span`` tells them; -1 where it does not."""
    tables = [line.head2span or [] for line in batch.records]
    if not any(tables):
        return None
    owner = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    head, first, behind = np.array([row for table in tables for row in table], np.int64).T
    wrong = np.flatnonzero((head < first) | (head >= behind) | (behind > lengths[owner]))
    if len(wrong):
        row = int(wrong[0])
        number = row - int(np.searchsorted(owner, owner[row]))
        batch.refuse(
            int(owner[row]),
            f"head2span[{number}] is {[int(head[row]), int(first[row]), int(behind[row])]}: "
            "the head is outside of the span, or the span of the document",
            "It holds a head, the first word of its span, and the one behind its last.",
        )
    width = int(lengths.max(initial=0)) + 1
    codes = (owner * width + first) * width + behind
    order = np.argsort(codes, kind="stable")
    wanted = (document * width + np.minimum(start, width - 1)) * width + np.minimum(stop, width - 1)
    place = np.minimum(np.searchsorted(codes[order], wanted), len(codes) - 1)
    return np.where(codes[order][place] == wanted, head[order][place], -1)


def _dependency_heads(batch: Batch[Line], lengths: IntArray, sentences: IntArray) -> Strings | None:
    """The layer ``head`` as CoNLL-U has it: counted from 1 in the sentence, 0 for its root."""
    if not any(is_given(line, "head") for line in batch.records):
        return None
    heads = [
        batch.decode(number, line.head, list[int | None], "head")
        if is_given(line, "head")
        else [None] * int(lengths[number])
        for number, line in enumerate(batch.records)
    ]
    check_lengths(batch, np.array([len(numbers) for numbers in heads]), lengths, "head")
    number = np.array(list(chain.from_iterable(heads)), np.float64)
    opens = np.zeros(len(number), np.int64)
    opens[sentences] = 1
    first = sentences[np.cumsum(opens) - 1] - np.repeat(offsets_of(lengths)[:-1], lengths)
    relative = np.where(np.isnan(number), 0, number - first + 1).astype(np.int64)
    relative = np.maximum(relative, 0)
    return Strings.from_list(map(str, relative.tolist()))


def sniff(head: bytes, name: str) -> float:
    """By the keys of the first line: ``cased_words``; ``tokens`` alone could be e2e's as well."""
    keys = keys_of(head)
    if "cased_words" in keys:
        return 0.9
    alone = not keys & {"sentences", "text"}
    return 0.6 if alone and {"tokens", "clusters"} <= keys else 0.0


def write(corpus: Corpus) -> Iterable[bytes]:
    """A line for each document, with ``span_clusters``."""
    for document in documents_of(corpus):
        name, part = name_and_part(document.name)
        line: dict[str, object] = {
            "document_id": name,
            "part_id": part,
            "cased_words": document.words,
            "sent_id": document.sentence_numbers(),
        }
        for key in ("speaker", "pos", "deprel"):
            if (column := document.layer(key)) is not None:
                line[key] = column
        if (heads := document.layer("head")) is not None:
            line["head"] = _heads_in_document(document, heads)
        line["span_clusters"] = document.clusters
        rows = _head_rows(document)
        if rows:
            line["head2span"] = rows
        yield json_line(line)


def _heads_in_document(document: Document, heads: Sequence[str]) -> list[int | None]:
    """Heads counted from 0 in the document, None for a root, from the layer of CoNLL-U."""
    bounds = np.array(document.bounds, np.int64)
    first = np.repeat(bounds[:-1], np.diff(bounds))
    return [
        start + int(head) - 1 if head.isdecimal() and int(head) > 0 else None
        for start, head in zip(first.tolist(), heads, strict=True)
    ]


def _head_rows(document: Document) -> list[tuple[int, int, int]]:
    """Head, start and stop of the mentions whose head is known."""
    mentions, rows = document.corpus.mentions, document.mentions
    if mentions.head is None:
        return []
    columns = (mentions.head[rows], mentions.start[rows], mentions.stop[rows])
    spans = zip(*(column.tolist() for column in columns), strict=True)
    return list(dict.fromkeys(span for span in spans if span[0] >= 0))


WL_COREF = register(
    Format(
        name="wl-coref",
        title="wl-coref: JSON lines, word spans that end behind their last word",
        suffixes=SUFFIXES,
        sniff=sniff,
        read=read,
        holds=Holds(layers=LAYERS, entity_names=False, heads=True),
        write=write,
        document_mark=LINE_MARK,
        documentation="docs/formats/jsonlines.md",
    )
)
