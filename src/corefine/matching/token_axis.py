"""One token axis for both sides: mentions of one side put into the tokens of the other.

Key and response have the same words, but each may have empty nodes that the other lacks, so a
token's number on one side says nothing on the other. Its place does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.columns import Mentions, Pieces, Text, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.corpus.words import Spans
from corefine.matching.places import SENTENCE_START, STRIDE, common_places


def on_tokens_of(corpus: Corpus, others: Corpus) -> tuple[Corpus, Corpus]:
    """The corpus, and the mentions of others as mentions in its tokens.

    Empty nodes that the others' mentions cover and the corpus lacks become tokens of it.
    """
    tokens, other_tokens = corpus.tokens, others.tokens
    if tokens is None or other_tokens is None:
        return corpus, others
    if not (len(others.mentions) and (tokens.has_empty or other_tokens.has_empty)):
        return corpus, others
    our_place, their_place = common_places(tokens, other_tokens)
    covered = np.unique(Spans.of(others, other_tokens).tokens)
    lacking = covered[np.isin(their_place[covered], our_place, invert=True)]
    place = np.concatenate([our_place, their_place[lacking]])
    order = np.argsort(place, kind="stable")
    if len(lacking):
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        joined = _with_nodes(tokens, other_tokens, lacking, place, order)
        moved = _moved(corpus, tokens, rank[: len(tokens)], joined.offsets)
        corpus, tokens = replace(corpus, tokens=joined, mentions=moved), joined
    place = place[order]
    found = np.minimum(np.searchsorted(place, their_place), len(place) - 1)
    found = np.where(place[found] == their_place, found, -1)
    mentions = _moved(others, other_tokens, found, tokens.offsets)
    return corpus, replace(others, tokens=tokens, mentions=mentions)


def _with_nodes(
    own: Tokens, other: Tokens, nodes: IntArray, place: IntArray, order: IntArray
) -> Tokens:
    """Tokens with these empty nodes of another side put in; ``order`` is that of their places."""
    inserted = place[len(own) :]
    number = inserted % STRIDE
    number = np.where(number > SENTENCE_START, number - SENTENCE_START, number)
    layers = {
        name: [column, other.layers.get(name, Strings.blank(len(other))).take(nodes)]
        for name, column in own.layers.items()
    }
    layers["node"] = [
        own.layers.get("node", Strings.blank(len(own))),
        Strings.from_integers(number),
    ]
    # Nodes before a sentence's first word belong to that sentence.
    first = (place[own.sentences] - 1) // STRIDE * STRIDE + SENTENCE_START
    document = np.searchsorted(other.offsets, nodes, side="right") - 1
    added = np.bincount(document, minlength=len(own.offsets) - 1)
    before = np.maximum(np.searchsorted(place[: len(own)], inserted, side="right") - 1, 0)
    empty = np.zeros(len(own), bool) if own.empty is None else own.empty
    text = own.text
    return Tokens(
        Strings.concatenate([own.words, other.words.take(nodes)]).take(order),
        offsets_of(np.diff(own.offsets) + added),
        np.searchsorted(place[order], first, side="right"),
        {name: Strings.concatenate(columns).take(order) for name, columns in layers.items()},
        np.append(empty, np.ones(len(nodes), bool))[order],
        None if own.lines is None else np.append(own.lines, own.lines[before])[order],
        None
        if text is None
        else Text(
            text.documents,
            np.append(text.begins, text.ends[before])[order],
            np.append(text.ends, text.ends[before])[order],
        ),
    )


def _moved(corpus: Corpus, tokens: Tokens, to: IntArray, offsets: IntArray) -> Mentions:
    """The mentions with each token where ``to`` says; what is not in one run has pieces."""
    mentions = corpus.mentions
    spans = Spans.of(corpus, tokens)
    owner = np.repeat(np.arange(len(mentions)), spans.lengths)
    base, first = tokens.offsets[mentions.document], offsets[mentions.document]
    token = to[spans.tokens] - first[owner]
    opens = np.ones(len(token), bool)
    opens[1:] = (owner[1:] != owner[:-1]) | (token[1:] != token[:-1] + 1)
    start, stop = token[opens], token[np.roll(opens, -1)] + 1
    runs = offsets_of(np.bincount(owner[opens], minlength=len(mentions)))
    several = np.repeat(np.diff(runs) > 1, np.diff(runs))

    def at(position: IntArray) -> IntArray:
        """Tokens of the mentions' documents; -1 stays -1."""
        known = to[base + np.maximum(position, 0)]
        return np.where((position < 0) | (known < 0), -1, known - first)

    minimum = mentions.minimum
    if minimum is not None:
        minimum = at(minimum[0]), np.where(minimum[1] < 0, -1, at(minimum[1] - 1) + 1)
    return replace(
        mentions,
        start=start[runs[:-1]],
        stop=stop[runs[1:] - 1],
        head=None if mentions.head is None else at(mentions.head),
        pieces=Pieces(owner[opens][several], start[several], stop[several])
        if several.any()
        else None,
        minimum=minimum,
    )
