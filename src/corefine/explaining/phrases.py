"""Phrases: words and positions of the mentions of a table, as columns.

A row is a distinct mention of a table. Its words, position and sentence are those of the key if the
key has it, otherwise those of the response.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, ranges
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Spans, Wording, wording_of
from corefine.kinds.guess import is_content_word
from corefine.kinds.part_of_speech import has_columns, head_tokens, token_tags
from corefine.matching.matching import Matching
from corefine.matching.places import Places


@dataclass(frozen=True, slots=True, eq=False)
class Phrases:
    """The rows of a table: columns with one entry per row, then columns with one entry per word."""

    text: IntArray
    """A number per distinct text, ignoring case."""
    document: IntArray
    """The document (also if entities are shared by several documents)."""
    token: IntArray
    """The first token, counted over the document on its own side."""
    turn: IntArray
    """The place in text order, which does not depend on the order of the file."""
    first: IntArray
    """The position of the first word, common to both sides."""
    sentence: IntArray
    """The sentence of the first word, counted over the corpus; -1 if unknown."""
    head: IntArray
    """The position of the head word; -1 if unknown."""
    head_given: BoolArray
    """True if the file annotates the head; otherwise it comes from parts of speech."""
    owner: IntArray
    """The row of each word."""
    word: IntArray
    """A number per distinct form, ignoring case."""
    place: IntArray
    """The position of each word in its document; -1 without a text."""
    spot: IntArray
    """A number per document and position; without a text, per document and content word, and -1 for
    other words."""
    content: BoolArray
    """True for content words, False for function words and pronouns."""

    @classmethod
    def of(cls, matching: Matching) -> Phrases:
        """The rows of two matched corpora."""
        corpora = matching.key, matching.response
        ours = matching.key_mention[matching.key_mention >= 0]
        theirs = matching.response_mention[matching.key_mention < 0]
        tokens = _annotated(*(corpus.tokens for corpus in corpora))
        # The rows of the key come first.
        sides = [
            _columns(*side)
            for side in zip(corpora, Places.of(*corpora), tokens, (ours, theirs), strict=True)
        ]
        if len({_sentence_count(corpus) for corpus in corpora}) > 1:
            # Sentence boundaries of two sides cannot be compared: only the key's count.
            sides[1]["sentence"][:] = -1
        columns = {name: np.concatenate([side[name] for side in sides]) for name in sides[0]}
        first, last, place = columns["first"], columns.pop("last"), columns["place"]
        wording = Wording.concatenate(
            [wording_of(matching.key).take(ours), wording_of(matching.response).take(theirs)]
        )
        owner, lengths = wording.owner, wording.lengths
        texts = wording.texts
        if not all(corpus.has_places for corpus in corpora):
            # Mentions that are only names are in alphabetical order.
            columns["first"] = first = last = np.unique(texts, return_inverse=True)[1].reshape(-1)
        turn = np.empty(len(first), np.int64)
        inside = np.bincount(owner, place, minlength=len(first))
        turn[np.lexsort((inside, lengths, last, first, columns["document"]))] = np.arange(len(turn))
        # A mention without words (a number, a pair of numbers) differs from all others.
        folded = [text.casefold() or f"\0{row}" for row, text in enumerate(texts)]
        forms, form = wording.words.distinct()
        word = _codes([text.casefold() for text in forms])[form]
        content = np.array([is_content_word(text) for text in forms], bool)[form]
        local = place if (place >= 0).any() else np.where(content, word, -1)
        width = int(local.max(initial=0)) + 1
        return cls(
            text=_codes(folded),
            turn=turn,
            owner=owner,
            word=word,
            spot=np.where(local >= 0, columns["document"][owner] * width + local, -1),
            content=content,
            **columns,
        )

    def entity_order(self, entity: IntArray, entities: int) -> IntArray:
        """The rank of each entity by its first mention in the text."""
        rank = np.empty(entities, np.int64)
        order = np.argsort(first_turns(entity, self.turn, entities), kind="stable")
        rank[order] = np.arange(entities)
        return rank

    def __len__(self) -> int:
        return len(self.text)


def first_turns(entity: IntArray, turn: IntArray, entities: int) -> IntArray:
    """The place in text order of the first mention of each entity."""
    first = np.full(entities, len(turn))
    present = entity >= 0
    np.minimum.at(first, entity[present], turn[present])
    return first


def _columns(
    corpus: Corpus, places: Places, annotated: Tokens | None, rows: IntArray
) -> dict[str, NDArray[Any]]:
    """The columns of these mentions of a corpus; -1 without a text."""
    mentions = corpus.mentions
    columns: dict[str, NDArray[Any]] = {
        "document": mentions.document,
        "token": mentions.start,
        "first": places.first,
        "last": places.last,
        "sentence": np.full(len(mentions), -1),
        "head": np.full(len(mentions), -1),
        "head_given": np.zeros(len(mentions), bool)
        if mentions.head is None
        else mentions.head >= 0,
    }
    place = np.full(int(wording_of(corpus).lengths[rows].sum()), -1)
    if corpus.tokens is not None and corpus.has_places:
        place = places.words(rows)[1]
        if len(corpus.tokens.sentences):
            start = corpus.tokens.offsets[mentions.document] + mentions.start
            columns["sentence"] = corpus.tokens.sentence_of(start)
        columns["head"] = places.at(mentions.document, _heads(corpus, annotated))
    return {**{name: column[rows] for name, column in columns.items()}, "place": place}


def _heads(corpus: Corpus, annotated: Tokens | None) -> IntArray:
    """The head of each mention as a token of its document: annotated, or by parts of speech."""
    mentions = corpus.mentions
    if annotated is None:
        return np.full(len(mentions), -1) if mentions.head is None else mentions.head
    spans = Spans.of(corpus, annotated)
    heads = head_tokens(corpus, annotated, spans, token_tags(annotated, spans))
    return heads - annotated.offsets[mentions.document]


def _annotated(key: Tokens | None, response: Tokens | None) -> tuple[Tokens | None, Tokens | None]:
    """Tokens with parts of speech for each side, its own or the other's; or None."""
    if key is None or response is None:
        return None, None
    ours, theirs = (tokens if has_columns(tokens) else None for tokens in (key, response))
    if np.array_equal(key.offsets, response.offsets):
        return (ours if ours is not None else theirs), (theirs if theirs is not None else ours)
    # Heads are compared only if both sides have them.
    return (ours, theirs) if ours is not None and theirs is not None else (None, None)


def _sentence_count(corpus: Corpus) -> int:
    return 0 if corpus.tokens is None else len(corpus.tokens.sentences)


def _codes(texts: Sequence[str]) -> IntArray:
    """A number per distinct text."""
    codes: dict[str, int] = {}
    return np.array([codes.setdefault(text, len(codes)) for text in texts], np.int64)


def overlapping_rows(
    phrases: Phrases, ours: IntArray, theirs: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Pairs of a row of ours and one of theirs that share words of the text.

    Also returns their numbers of common words and of common content words. No row may be in both.
    """
    side = np.zeros(len(phrases), np.int8)
    side[ours], side[theirs] = 1, 2
    spot = phrases.spot
    words = np.flatnonzero((spot >= 0) & (side[phrases.owner] == 1))
    others = np.flatnonzero((spot >= 0) & (side[phrases.owner] == 2))
    others = others[np.argsort(spot[others], kind="stable")]
    # All pairs of words at the same position: few mentions share a position.
    first = np.searchsorted(spot[others], spot[words], side="left")
    count = np.searchsorted(spot[others], spot[words], side="right") - first
    left, right = np.repeat(words, count), others[ranges(first, count)]
    rows = max(len(phrases), 1)
    code = phrases.owner[left] * rows + phrases.owner[right]
    pairs, inverse, common = np.unique(code, return_inverse=True, return_counts=True)
    content = np.bincount(inverse.reshape(-1), phrases.content[left], minlength=len(pairs))
    return pairs // rows, pairs % rows, common, content.astype(np.int64)
