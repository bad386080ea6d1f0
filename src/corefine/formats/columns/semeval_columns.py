"""The columns of SemEval-2010: what is annotated and what is predicted, heads, zeros."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError
from corefine.formats.building.dependencies import head_words, parent_tokens
from corefine.formats.columns.conll_columns import Layout
from corefine.formats.conllu.conllu_cells import UNDERSCORE
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import Source
from corefine.formats.text.numerals import whole_numbers

PREDICTED = {
    "lemma": "predicted lemma",
    "pos": "predicted pos",
    "feats": "predicted feats",
    "head": "predicted head",
    "deprel": "predicted deprel",
    "ner": "predicted ner",
}
LAYERS = frozenset(PREDICTED)
LAYOUT = Layout(
    "semeval",
    1,
    {
        "id": 0,
        **{name: 2 + 2 * place for place, name in enumerate(PREDICTED)},
        **{name: 3 + 2 * place for place, name in enumerate(PREDICTED.values())},
    },
    narrowest=3,
)


def finished(source: Source, corpus: Corpus, layers: frozenset[str]) -> Corpus:
    """A corpus as it was read, with these layers, with heads and with the kind of zeros."""
    tokens = corpus.tokens
    assert tokens is not None
    _check_ids(source, tokens)
    found = {name: _merged(tokens, name) for name in PREDICTED if name in layers or name == "head"}
    known = {name: column for name, column in found.items() if column is not None}
    corpus = replace(corpus, tokens=replace(tokens, layers=known))
    mentions = replace(corpus.mentions, head=heads_in(corpus), kind=zeros_in(corpus))
    wanted = {name: column for name, column in known.items() if name in layers}
    return replace(corpus, mentions=mentions, tokens=replace(tokens, layers=wanted))


def _check_ids(source: Source, tokens: Tokens) -> None:
    """Refuse lines whose first column does not count the tokens of the sentence."""
    ids = tokens.layers.get("id")
    if ids is None:
        return
    found = numbers_of(ids)
    place = np.arange(len(tokens))
    expected = place - tokens.sentences[tokens.sentence_of(place)] + 1
    wrong = (found != expected) & (ids.lengths > 0)
    if wrong.any():
        at = int(np.argmax(wrong))
        line = None if tokens.lines is None else int(tokens.lines[at])
        raise FormatError(
            f"the token's number is {shown(ids[at])!r} where {expected[at]} is expected",
            source.where(line),
            "The first column counts the tokens of each sentence from 1; an empty line ends one.",
        )


def numbers_of(column: Strings) -> IntArray:
    """A column as whole numbers, -1 where it has none."""
    return whole_numbers(column.data, column.offsets[:-1], column.offsets[1:])


def _merged(tokens: Tokens, name: str) -> Strings | None:
    """A layer as it is annotated, and as it is predicted where the annotation says nothing."""
    given, predicted = tokens.layers.get(name), tokens.layers.get(PREDICTED[name])
    if given is None or predicted is None:
        return predicted if given is None else given
    lacking = np.flatnonzero(_says_nothing(given))
    if not len(lacking):
        return given
    row = np.arange(len(given))
    row[lacking] += len(given)
    return Strings.concatenate([given, predicted]).take(row)


def _says_nothing(column: Strings) -> BoolArray:
    short = column.lengths == 0
    single = np.flatnonzero(column.lengths == 1)
    short[single] = column.data[column.offsets[:-1][single]] == UNDERSCORE
    return np.asarray(short)


def heads_in(corpus: Corpus) -> IntArray | None:
    """Heads by the dependency trees; -1 where no word of a mention has a place in one."""
    tokens, mentions = corpus.tokens, corpus.mentions
    assert tokens is not None
    column = tokens.layers.get("head")
    if column is None or not len(mentions):
        return None
    numbers = numbers_of(column)
    base = tokens.offsets[mentions.document]
    start, stop = base + mentions.start, base + mentions.stop
    placed = np.concatenate([[0], np.cumsum(numbers >= 0)])
    known = placed[stop] > placed[start]
    if not known.any():
        return None
    parents = parent_tokens(numbers, tokens.sentences, tokens.empty)
    rows = np.arange(len(mentions))
    heads = head_words(parents, tokens.empty, rows, start, stop, len(rows))
    return np.where(known, heads - base, -1)


def zeros_in(corpus: Corpus) -> NDArray[np.uint8] | None:
    """The kind of mentions that are nothing but ``_``; None where there are none."""
    tokens, mentions = corpus.tokens, corpus.mentions
    assert tokens is not None
    words = tokens.words
    single = np.flatnonzero(words.lengths == 1)
    blank = single[words.data[words.offsets[:-1][single]] == UNDERSCORE]
    if not len(blank):
        return None
    filled = np.ones(len(words), np.int64)
    filled[blank] = 0
    before = np.concatenate([[0], np.cumsum(filled)])
    base = tokens.offsets[mentions.document]
    zero = before[base + mentions.stop] == before[base + mentions.start]
    if not zero.any():
        return None
    return np.where(zero, np.uint8(Kind.ZERO), np.uint8(Kind.UNKNOWN))
