"""SemEval-2010 task 1: one token per line, its number in the sentence first, coreference last.

The smallest valid file (columns are separated by tabs)::

    #begin document x
    1	Anna	anna	_	NNP	_	_	_	2	_	SBJ	_	(PER)	_	_	_	(1)
    2	saw	see	_	VBD	_	_	_	0	_	ROOT	_	_	_	_	_	_
    3	her	she	_	PRP$	_	_	_	4	_	NMOD	_	_	_	_	_	(2|(1)
    4	house	house	_	NN	_	_	_	2	_	OBJ	_	_	_	_	_	2)

    #end document x

The columns are ID TOKEN LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL NE PNE PRED
PPRED, any number of APREDs, and COREF last; PLEMMA, PPOS and so on are predicted. A line may lack
columns before the last. A token ``_`` is an elliptical subject, a zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import without_empty_nodes
from corefine.formats.conll import (
    CONTROL,
    begun_name,
    layer_cells,
    numbered_sentences,
    numbers_of,
    read_numbered,
    words_of,
    written_document,
)
from corefine.formats.io.brackets import (
    NOT_IN_ID,
    bracket_cells,
    entity_labels,
    is_coreference_cell,
)
from corefine.formats.io.sources import Source
from corefine.formats.registry import BEGIN, DocumentMark, Format, register

LAYERS = {"lemma": 2, "pos": 4, "feats": 6, "head": 8, "deprel": 10, "ner": 12}
"""Columns of annotated layers; the predicted layer is in the next column."""


def read(source: Source, layers: frozenset[str] | None = None) -> Corpus:
    """Documents of a source.

    A predicted value is used if the annotated one is missing. Heads of mentions are found in the
    dependency tree.
    """
    places = {name: (place, place + 1) for name, place in LAYERS.items()}
    corpus = read_numbered(source, places, layers)
    mentions, tokens = corpus.mentions, corpus.tokens
    assert tokens is not None
    base = tokens.offsets[mentions.document]
    blank = offsets_of(tokens.words.looked_up("_".__eq__, np.int64))
    is_zero = np.diff(blank[[base + mentions.start, base + mentions.stop]], axis=0)[0] == (
        mentions.stop - mentions.start
    )
    if is_zero.any():
        kinds = np.where(is_zero, Kind.ZERO, Kind.UNKNOWN).astype(np.uint8)
        corpus = replace(corpus, mentions=replace(mentions, kind=kinds))
    return replace(corpus, format="semeval")


def detect(head: bytes, name: str) -> bool:
    """True if tokens are numbered from 1 in each sentence, in the first column."""
    sentences = numbered_sentences(head)
    if not sentences or any(not row[0].isdecimal() for rows in sentences for row in rows):
        return False
    longest = max(map(len, sentences))
    if longest == 1 and all(rows[0][2] == "0" for rows in sentences):
        return False  # documents with a number for a name, in CoNLL's columns
    if BEGIN.search(head):
        return True
    return longest > 1 and all(
        len(rows[0]) > 12 and is_coreference_cell(rows[0][-1]) for rows in sentences
    )


def write(corpus: Corpus) -> Iterator[bytes]:
    """Content of a file, document by document.

    There are seventeen columns, separated by tabs; unknown and predicted values are ``_``.
    """
    labels = entity_labels(corpus, NOT_IN_ID)
    for document in map(without_empty_nodes, corpus):
        layers = [layer_cells(document, name, "_") for name in LAYERS]
        columns = [
            *(numbers_of(document, 1), words_of(document)),
            *chain.from_iterable((layer, "_") for layer in layers),
            *("_", "_", bracket_cells(document, labels(document), "_")),
        ]
        mark = CONTROL.sub(" ", document.name)
        begin, end = f"#begin document {mark}", f"#end document {mark}"
        yield written_document(begin, columns, document, end)


SEMEVAL = register(
    Format(
        name="semeval",
        title="SemEval-2010 task 1",
        suffixes=(".semeval",),
        detect=detect,
        read_columns=read,
        write=write,
        document_mark=DocumentMark(ord("#"), begun_name),
    )
)
