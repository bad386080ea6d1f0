"""Words of mentions as columns."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray, Strings, offsets_of, ranges
from corefine.corpus.columns import Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError

MOST_WORDS, DEEPEST = 1 << 20, 16
"""The words of mentions that are listed in any case, and how many mentions a token may be in on
average beyond that."""
_TAIL = re.compile(r"#\w*$")


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The tokens of mentions side by side, as numbers over the whole corpus.

    The tokens of mention ``m`` are ``tokens[offsets[m]:offsets[m + 1]]``.
    """

    tokens: IntArray
    offsets: IntArray

    @classmethod
    def of(cls, corpus: Corpus, tokens: Tokens) -> Spans:
        """The spans of a corpus's mentions in these tokens; every mention has at least one."""
        return cls.behind(corpus.mentions, tokens.offsets[corpus.mentions.document])

    @classmethod
    def behind(cls, mentions: Mentions, base: IntArray) -> Spans:
        """The spans of mentions, with tokens counted from a base for each mention."""
        spans = mentions.spans
        start, length = base[spans.mention] + spans.start, spans.stop - spans.start
        refuse_nests(int(length.sum()), int((start + length).max(initial=0)), len(mentions))
        words = np.bincount(spans.mention, length, minlength=len(mentions))
        return cls(ranges(start, length), offsets_of(words.astype(np.int64)))

    @property
    def lengths(self) -> IntArray:
        return np.diff(self.offsets)

    def take(self, mentions: IntArray) -> Spans:
        """The spans of these mentions."""
        lengths = self.lengths[mentions]
        return Spans(self.tokens[ranges(self.offsets[:-1][mentions], lengths)], offsets_of(lengths))


def refuse_nests(words: int, tokens: int, mentions: int) -> None:
    """Refuse mentions that lie so deep in one another that their words are not to be listed.

    Fifty thousand mentions, one inside the other, have more than a thousand million words.
    """
    most = max(MOST_WORDS, DEEPEST * tokens)
    if words > most:
        raise CorefineError(
            f"{mentions:,} mentions over {tokens:,} tokens are nested so deeply that they "
            f"contain {words:,} words; the limit is {most:,}",
            None,
            "Remove nested mentions, or choose metrics or formats that do not repeat the words.",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """The words of mentions side by side, in the order of the text.

    Those of mention ``m`` are ``words[offsets[m]:offsets[m + 1]]``.
    """

    words: Strings
    offsets: IntArray

    @property
    def lengths(self) -> IntArray:
        return np.diff(self.offsets)

    @property
    def owner(self) -> IntArray:
        """The mention of each word."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)

    @property
    def texts(self) -> list[str]:
        """The words of each mention, joined by blanks."""
        words = self.words.tolist()
        return [" ".join(words[begin:end]) for begin, end in pairwise(self.offsets.tolist())]

    def take(self, mentions: IntArray) -> Wording:
        """The words of these mentions."""
        lengths = self.lengths[mentions]
        return Wording(
            self.words.take(ranges(self.offsets[:-1][mentions], lengths)), offsets_of(lengths)
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Wording]) -> Wording:
        return cls(
            Strings.concatenate([part.words for part in parts]),
            offsets_of(np.concatenate([part.lengths for part in parts])),
        )


def wording_of(corpus: Corpus) -> Wording:
    """Words of every mention: from the text, or from its name if there is no text.

    A name is split at blanks; a suffix such as ``#2``, which distinguishes mentions with the same
    words, is ignored. Mentions that are numbers or pairs have no words.
    """
    if corpus.tokens is not None and corpus.has_places:
        spans = Spans.of(corpus, corpus.tokens)
        return Wording(corpus.tokens.words.take(spans.tokens), spans.offsets)
    if corpus.has_places:
        return Wording(Strings.from_list(()), np.zeros(len(corpus.mentions) + 1, np.int64))
    words = [words_of_name(corpus.mention_id(index)) for index in range(len(corpus.mentions))]
    flat = [word for mention in words for word in mention]
    return Wording(Strings.from_list(flat), offsets_of(np.array([len(w) for w in words], np.int64)))


def named_spans(names: Sequence[Hashable] | NDArray[Any] | None) -> IntArray | None:
    """First and last token of each mention whose name is a span ``(start, end)``, end exclusive.

    None unless all names are pairs of whole numbers.
    """
    if isinstance(names, Strings | np.ndarray):
        return None
    listed = list(names or ())
    if set(map(type, listed)) != {tuple}:
        return None
    try:
        spans = np.array(listed)
    except ValueError:  # tuples of several lengths
        return None
    if spans.ndim != 2 or spans.shape[1] != 2 or spans.dtype.kind not in "iu":
        return None
    spans[:, 1] -= 1
    return spans


def words_of_name(name: Hashable) -> list[str]:
    """The words of a mention that is known by its name.

    >>> words_of_name("the mass#2")
    ['the', 'mass']
    """
    return _TAIL.sub("", name).split() if isinstance(name, str) else []


def first_words(corpus: Corpus) -> IntArray:
    """For each mention the number, in its document, of the word that it starts with.

    Empty nodes are not counted, so that the number is the same whichever of them a side has; an
    empty node has the number of the word before it. A word that was cut for an alignment is one.
    """
    mentions, tokens = corpus.mentions, corpus.tokens
    if tokens is None:
        return mentions.start
    words, base = tokens.words_before, tokens.offsets[mentions.document]
    start = base + mentions.start
    first: IntArray = np.maximum(words[start] - words[base] - (words[start + 1] == words[start]), 0)
    return first


def words_by_document(tokens: Tokens) -> IntArray:
    """Number of words per document, without empty nodes."""
    return np.diff(tokens.words_before[tokens.offsets])
