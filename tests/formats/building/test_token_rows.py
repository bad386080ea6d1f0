"""Rows of blocks that are joined: whatever their columns are cut from."""

from __future__ import annotations

import numpy as np

from corefine.corpus.strings import Strings
from corefine.formats.building.token_rows import JoinedRows
from corefine.formats.conllu.assembly import assemble
from corefine.formats.conllu.blocks import ConlluRows
from corefine.formats.input.sources import Source


def rows(words: Strings, ids: Strings, **layers: Strings) -> ConlluRows:
    """A block of sentences of one word."""
    count, none = len(words), np.zeros(0, np.int64)
    return ConlluRows(
        lines=np.arange(1, count + 1),
        words=words,
        layers=layers,
        breaks=np.arange(count),
        marks=[],
        marked=none,
        text=np.zeros(0, np.uint8),
        lengths=none,
        empty=None,
        parents=None,
        headers=[],
        sentence_tokens=np.arange(count),
        sentence_ids=ids,
        relations=[],
    )


def test_ids_of_sentences_that_are_a_slice_are_cut_right() -> None:
    ids = Strings.from_list(["s1", "long-2", "s3", "s4"])
    words = Strings.from_list(["a", "b", "c", "d"])
    corpus = assemble(Source("x"), [rows(words[1:3], ids[1:3])])
    assert corpus.tokens is not None
    assert corpus.tokens.words.tolist() == ["b", "c"]
    assert corpus.tokens.layers["sent_id"].tolist() == ["long-2", "s3"]


def test_a_slice_that_says_nothing_is_no_layer() -> None:
    words = Strings.from_list(["a", "b"])
    column = Strings.from_list(["NN", "_", "_", "VB"])
    joined = JoinedRows.of([rows(words, words, pos=column[1:3], lemma=column[2:4])])
    assert {name: values.tolist() for name, values in joined.layers(b"_").items()} == {
        "lemma": ["_", "VB"]
    }
