"""Heads of mentions from dependency trees."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, ranges
from corefine.corpus.document import Document


def set_heads(document: Document) -> None:
    """Set the heads of mentions by the layer ``head``, the number of each word's parent.

    A head is the first word of a mention whose parent is not one of its words. Mentions without a
    word that has a place in a tree keep their heads.
    """
    column = document.layers.get("head")
    if column is None or not document.mentions:
        return
    numbers = np.array([int(n) if n.isdecimal() and len(n) < 10 else -1 for n in column])
    empty = np.zeros(len(column), bool)
    empty[document.empty_nodes] = True
    sentences = np.array(document.starts or [0], np.int64)
    parts = [(row, *span) for row, m in enumerate(document.mentions) for span in m.spans]
    mention, start, stop = np.array(parts, np.int64).T
    parents = parent_tokens(numbers, sentences, empty)
    heads = head_words(parents, empty, mention, start, stop, len(document.mentions))
    for found, head in zip(document.mentions, heads.tolist(), strict=True):
        if any((numbers[low:high] >= 0).any() for low, high in found.spans):
            found.head = head


def parent_tokens(parents: IntArray, sentences: IntArray, empty: BoolArray | None) -> IntArray:
    """The parent of each token as a token; -1 for roots, empty nodes and unknown parents.

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
    are heads only of mentions without words that could be. If every word has its parent inside the
    mention, it is the first word.
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
        # Written from the last to the first, so that the first one remains.
        heads[owner[chosen][::-1]] = word[chosen][::-1]
    return heads
