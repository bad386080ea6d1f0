"""Phrases: words and positions of the mentions of a table, as columns.

A row is a distinct mention of a table. Its words, position and sentence are those of the key if the
key has it, otherwise those of the response.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of, ranges
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.corpus.words import Spans, wording_of
from corefine.kinds.closed_words import is_content_word
from corefine.kinds.head_words import head_tokens
from corefine.kinds.part_of_speech import has_columns, token_tags
from corefine.matching.matched import Matched
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
    content: BoolArray
    """True for content words, False for function words and pronouns."""

    @classmethod
    def of(cls, matched: Matched) -> Phrases:
        """The rows of two matched corpora."""
        key, response = matched.key, matched.response
        tokens = _annotated(key.tokens, response.tokens)
        places = Places.of(key, response)
        sides = [
            _side(corpus, place, annotated)
            for corpus, place, annotated in zip((key, response), places, tokens, strict=True)
        ]
        if _sentence_count(key) != _sentence_count(response):
            # Different sentence boundaries cannot be compared: only those of the key count.
            nowhere = np.full(len(sides[1].sentence), -1)
            sides[1] = replace(sides[1], sentence=nowhere)
        # The rows of the key come first.
        ours, theirs = matched.key_mention >= 0, matched.key_mention < 0
        parts = [
            sides[0].take(matched.key_mention[ours]),
            sides[1].take(matched.response_mention[theirs]),
        ]
        lengths = np.concatenate([part.length for part in parts])
        forms = Strings.concatenate([part.forms for part in parts])
        word, content = _numbered(forms)
        document = np.concatenate([part.document for part in parts])
        first = np.concatenate([part.first for part in parts])
        last = np.concatenate([part.last for part in parts])
        owner = np.repeat(np.arange(len(lengths)), lengths)
        place = np.concatenate([part.place for part in parts])
        inside = np.bincount(owner, place, minlength=len(lengths))
        if not (key.has_places and response.has_places):
            # Mentions that are only names are in alphabetical order.
            texts = _texts(forms, lengths)
            first = np.unique(np.array(texts, object), return_inverse=True)[1].reshape(-1)
            last = first
        turn = np.empty(len(first), np.int64)
        turn[np.lexsort((inside, lengths, last, first, document))] = np.arange(len(first))
        return cls(
            text_numbers(word, lengths),
            document,
            np.concatenate([part.token for part in parts]),
            turn,
            first,
            np.concatenate([part.sentence for part in parts]),
            np.concatenate([part.head for part in parts]),
            np.concatenate([part.head_given for part in parts]),
            owner,
            word,
            place,
            content,
        )

    def entity_order(self, entity: IntArray, entities: int) -> IntArray:
        """The rank of each entity by its first mention in the text."""
        first = np.full(entities, len(self))
        present = entity >= 0
        np.minimum.at(first, entity[present], self.turn[present])
        rank = np.empty(entities, np.int64)
        rank[np.argsort(first, kind="stable")] = np.arange(entities)
        return rank

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """The same columns for the mentions of one corpus, with the words themselves."""

    document: IntArray
    token: IntArray
    first: IntArray
    last: IntArray
    sentence: IntArray
    head: IntArray
    head_given: BoolArray
    length: IntArray
    forms: Strings
    place: IntArray

    def take(self, mentions: IntArray) -> _Side:
        words = ranges(offsets_of(self.length)[:-1][mentions], self.length[mentions])
        return _Side(
            self.document[mentions],
            self.token[mentions],
            self.first[mentions],
            self.last[mentions],
            self.sentence[mentions],
            self.head[mentions],
            self.head_given[mentions],
            self.length[mentions],
            self.forms.take(words),
            self.place[words],
        )


def _side(corpus: Corpus, places: Places, annotated: Tokens | None) -> _Side:
    mentions, wording = corpus.mentions, wording_of(corpus)
    nowhere = np.full(len(mentions), -1)
    sentence, head, place = nowhere, nowhere, np.full(len(wording.words), -1)
    if corpus.tokens is not None and corpus.has_places:
        place = places.words(np.arange(len(mentions)))[1]
        if len(corpus.tokens.sentences):
            sentence = corpus.tokens.sentence_of(
                corpus.tokens.offsets[mentions.document] + mentions.start
            )
        head = places.at(mentions.document, _heads(corpus, annotated))
    return _Side(
        mentions.document,
        mentions.start,
        places.first,
        places.last,
        sentence,
        head,
        nowhere >= 0 if mentions.head is None else mentions.head >= 0,
        wording.lengths,
        wording.words,
        place,
    )


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


def _numbered(forms: Strings) -> tuple[IntArray, BoolArray]:
    """Numbers of words, ignoring case, and a mask of content words."""
    if not len(forms):
        return np.zeros(0, np.int64), np.zeros(0, bool)
    codes = forms.codes()
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    distinct = forms.take(first).tolist()
    vocabulary: dict[str, int] = {}
    number = np.array(
        [vocabulary.setdefault(form.casefold(), len(vocabulary)) for form in distinct], np.int64
    )
    content = np.array([is_content_word(form) for form in distinct], bool)
    return number[inverse.reshape(-1)], content[inverse.reshape(-1)]


def _texts(forms: Strings, lengths: IntArray) -> list[str]:
    words = forms.tolist()
    offsets = offsets_of(lengths).tolist()
    return [" ".join(words[start:stop]) for start, stop in pairwise(offsets)]


def text_numbers(word: IntArray, lengths: IntArray) -> IntArray:
    """Numbers of whole mentions from those of their words: equal sequences have equal numbers.

    Word by word, the number so far and the next word are numbered as a pair. A mention without
    words (a number, a pair of numbers) differs from all others.
    """
    codes = np.zeros(len(lengths), np.int64)
    offsets = offsets_of(lengths)[:-1]
    width = int(word.max(initial=0)) + 1
    for position in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > position)
        pairs = codes[rows] * width + word[offsets[rows] + position]
        # Numbers of this round are above those of mentions that ended before.
        codes[rows] = np.unique(pairs, return_inverse=True)[1].reshape(-1)
        codes[rows] += len(lengths) * (position + 1)
    wordless = np.flatnonzero(lengths == 0)
    codes[wordless] = int(codes.max(initial=0)) + 1 + np.arange(len(wordless))
    return codes


def overlapping_rows(
    phrases: Phrases, ours: IntArray, theirs: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Pairs of a row of ours and one of theirs that share words of the text.

    Also returns their numbers of common words and of common content words. No row may be in both.
    """
    side = np.zeros(len(phrases), np.int8)
    side[ours], side[theirs] = 1, 2
    width = int(phrases.place.max(initial=0)) + 1
    spot = np.where(phrases.place >= 0, phrases.document[phrases.owner] * width + phrases.place, -1)
    on_text = spot >= 0
    words = np.flatnonzero(on_text & (side[phrases.owner] == 1))
    others = np.flatnonzero(on_text & (side[phrases.owner] == 2))
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
