"""Heads of mentions from the dependency trees of their sentences."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, ranges


def parent_tokens(parents: IntArray, sentences: IntArray, empty: BoolArray | None) -> IntArray:
    """The parent of each token as a token; -1 for a root, an empty node, or where none is known.

    ``parents`` are the numbers of the column HEAD, which count the words of a sentence from 1;
    ``sentences`` are the first tokens of sentences.
    """
    words = np.arange(len(parents)) if empty is None else np.flatnonzero(~empty)
    sentence = np.searchsorted(sentences, words, side="right") - 1
    first_word = np.searchsorted(words, sentences)
    last_word = np.append(first_word[1:], len(words))
    target = first_word[sentence] + parents[words] - 1
    known = (parents[words] > 0) & (target < last_word[sentence])
    found = np.full(len(parents), -1)
    found[words[known]] = words[target[known]]
    return found


def head_words(
    parents: IntArray,
    empty: BoolArray | None,
    part_of: IntArray,
    start: IntArray,
    stop: IntArray,
    count: int,
) -> IntArray:
    """The head of each mention: its first word whose parent is not one of its words.

    A mention may have several parts, given in order. Empty nodes, which have no parent in the tree,
    are heads only of mentions without words that could be. Where every word has its parent inside
    the mention, it is the first word.
    """
    lengths = stop - start
    owner = np.repeat(part_of, lengths)
    word = ranges(start, lengths)
    parent = parents[word]
    width = len(parents) + 1
    inside = np.isin(owner * width + parent, owner * width + word)
    heads = np.full(count, -1)
    candidates = [np.arange(len(word)), np.flatnonzero(~inside)]
    if empty is not None:
        candidates.append(np.flatnonzero(~inside & ~empty[word]))
    for chosen in candidates:
        # Written from the last to the first, so that the first one stays.
        heads[owner[chosen][::-1]] = word[chosen][::-1]
    return heads
