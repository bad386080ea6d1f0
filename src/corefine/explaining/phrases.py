"""Phrases: what the mentions of a table say and where they stand, as columns.

A row is a distinct mention of a table. Its words, place and sentence are those of the key where
the key has it, otherwise those of the response.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    """The rows of a table: one entry a row, and below one entry a word of a row."""

    text: IntArray
    """By row: a number that is the same for the same words, whatever their case."""
    document: IntArray
    """By row: its document (also where entities are shared by several documents)."""
    token: IntArray
    """By row: its first token, counted over its document on its own side."""
    turn: IntArray
    """By row: its place in the order of the text; of equal ones the key's comes first."""
    first: IntArray
    """By row: the place of its first word, which both sides share."""
    sentence: IntArray
    """By row: the sentence of its first word, counted over the corpus; -1 where not known."""
    head: IntArray
    """By row: the place of its head word; -1 where it is not known."""
    head_given: BoolArray
    """By row: whether the file tells the head; else parts of speech do, which may be wrong."""
    owner: IntArray
    """By word: the row that it belongs to, in order of rows."""
    word: IntArray
    """By word: a number that is the same for the same form, whatever its case."""
    place: IntArray
    """By word: where it stands in its document; -1 where there is no text."""
    content: BoolArray
    """By word: whether it is a content word rather than a function word or a pronoun."""

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
            # Sentences that are counted differently cannot be compared: only the key's count.
            nowhere = np.full(len(sides[1].sentence), -1)
            sides[1] = replace(sides[1], sentence=nowhere)
        # The rows of the key come first, so that the two parts stand one after the other.
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
        turn = np.empty(len(first), np.int64)
        turn[np.lexsort((last, first, document))] = np.arange(len(first))
        return cls(
            text_numbers(word, lengths),
            document,
            np.concatenate([part.token for part in parts]),
            turn,
            first,
            np.concatenate([part.sentence for part in parts]),
            np.concatenate([part.head for part in parts]),
            np.concatenate([part.head_given for part in parts]),
            np.repeat(np.arange(len(lengths)), lengths),
            word,
            np.concatenate([part.place for part in parts]),
            content,
        )

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """The same for the mentions of one corpus, with the words themselves."""

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
    """The head of each mention as a token of its document: given, or found by parts of speech."""
    mentions = corpus.mentions
    if annotated is None:
        return np.full(len(mentions), -1) if mentions.head is None else mentions.head
    spans = Spans.of(corpus, annotated)
    heads = head_tokens(corpus, annotated, spans, token_tags(annotated, spans))
    return heads - annotated.offsets[mentions.document]


def _annotated(key: Tokens | None, response: Tokens | None) -> tuple[Tokens | None, Tokens | None]:
    """For each side tokens with parts of speech, its own or the other's; None where none has."""
    if key is None or response is None:
        return None, None
    ours, theirs = (tokens if has_columns(tokens) else None for tokens in (key, response))
    if np.array_equal(key.offsets, response.offsets):
        return (ours if ours is not None else theirs), (theirs if theirs is not None else ours)
    # A head that only one side knows decides nothing.
    return (ours, theirs) if ours is not None and theirs is not None else (None, None)


def _sentence_count(corpus: Corpus) -> int:
    return 0 if corpus.tokens is None else len(corpus.tokens.sentences)


def _numbered(forms: Strings) -> tuple[IntArray, BoolArray]:
    """Numbers of words, the same whatever their case, and which of them are content words."""
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


def text_numbers(word: IntArray, lengths: IntArray) -> IntArray:
    """Numbers for whole mentions from those of their words: equal sequences, equal numbers.

    Word after word, what a mention has so far and its next word are numbered as a pair. A mention
    without words (a number, a pair of numbers) is like no other.
    """
    codes = np.zeros(len(lengths), np.int64)
    offsets = offsets_of(lengths)[:-1]
    width = int(word.max(initial=0)) + 1
    for position in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > position)
        pairs = codes[rows] * width + word[offsets[rows] + position]
        # Each round counts on from above the numbers of mentions that ended before.
        codes[rows] = np.unique(pairs, return_inverse=True)[1].reshape(-1)
        codes[rows] += len(lengths) * (position + 1)
    wordless = np.flatnonzero(lengths == 0)
    codes[wordless] = int(codes.max(initial=0)) + 1 + np.arange(len(wordless))
    return codes


def overlapping_rows(
    phrases: Phrases, ours: IntArray, theirs: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Pairs of a row of ours and one of theirs that stand in part on the same words of the text.

    With them, how many words they have in common, and how many of these are content words. No row
    may be in both.
    """
    side = np.zeros(len(phrases), np.int8)
    side[ours], side[theirs] = 1, 2
    width = int(phrases.place.max(initial=0)) + 1
    spot = np.where(phrases.place >= 0, phrases.document[phrases.owner] * width + phrases.place, -1)
    on_text = spot >= 0
    words = np.flatnonzero(on_text & (side[phrases.owner] == 1))
    others = np.flatnonzero(on_text & (side[phrases.owner] == 2))
    others = others[np.argsort(spot[others], kind="stable")]
    # Every word of ours beside every word of theirs at the same spot: spots hold few mentions.
    first = np.searchsorted(spot[others], spot[words], side="left")
    count = np.searchsorted(spot[others], spot[words], side="right") - first
    left, right = np.repeat(words, count), others[ranges(first, count)]
    rows = max(len(phrases), 1)
    code = phrases.owner[left] * rows + phrases.owner[right]
    pairs, inverse, common = np.unique(code, return_inverse=True, return_counts=True)
    content = np.bincount(inverse.reshape(-1), phrases.content[left], minlength=len(pairs))
    return pairs // rows, pairs % rows, common, content.astype(np.int64)
