"""Mentions given by position in a text that only the other side has.

Formats with the text in a separate file give positions such as ``3:0 3:2``: from the first to the
third token of the third line. Without that file, they are names of mentions.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import AlignmentError
from corefine.matching.same_text import words_alone
from corefine.matching.settings import Settings

_PLACES = re.compile(rb"(?:[0-9]{1,9}:[0-9]{1,9} [0-9]{1,9}:[0-9]{1,9}\n)*")
_AS_NUMBERS = bytes.maketrans(b":\n", b"  ")
_FORMATS_OF_LINES = frozenset({"i2b2", "litbank"})
"""Formats whose tokens have line numbers; in others a sentence is a line."""

_COUNTED_IN_WORDS = frozenset({"clusters", "booknlp"})
"""Formats whose mentions are word numbers, without empty nodes, in a text that may be missing."""


def share_text(key: Corpus, response: Corpus, settings: Settings) -> tuple[Corpus, Corpus]:
    """Both sides with the text that only one of them has, if the other has positions in it.

    The sides have the same documents.
    """
    if response.tokens is None and response.format in _COUNTED_IN_WORDS:
        return key, _counted_in(response, key)
    if key.tokens is None and key.format in _COUNTED_IN_WORDS:
        return _counted_in(key, response), response
    if key.has_places and not response.has_places:
        return key, _put_into(response, key, settings)
    if response.has_places and not key.has_places:
        return _put_into(key, response, settings), response
    return key, response


def _counted_in(corpus: Corpus, other: Corpus) -> Corpus:
    """The corpus with the words of the other side, to which its word numbers refer."""
    if other.tokens is None:
        return corpus
    tokens = words_alone(other.tokens)
    mentions = corpus.mentions
    lengths = np.diff(tokens.offsets)[mentions.document]
    beyond = mentions.stop > lengths
    if beyond.any():
        mention = int(np.argmax(beyond))
        first, last = int(mentions.start[mention]), int(mentions.stop[mention]) - 1
        document = int(mentions.document[mention])
        raise AlignmentError(
            f"mention with tokens {first} to {last} in document {corpus.documents[document]!r}, "
            f"which has {lengths[mention]:,} on the other side ({other.location(document)})",
            corpus.location(document),
            "Tokens are counted from 0 within a document, without empty nodes; check whether "
            "the end is inclusive.",
        )
    return replace(corpus, tokens=tokens)


def _put_into(corpus: Corpus, other: Corpus, settings: Settings) -> Corpus:
    names, tokens, mentions = corpus.mentions.names, other.tokens, corpus.mentions
    if tokens is None or not isinstance(names, Strings):
        return corpus
    written = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogatepass")
    if _PLACES.fullmatch(written) is None:
        return corpus
    places = np.array(written.translate(_AS_NUMBERS).split(), np.int64).reshape(-1, 4)
    starts, numbers = _first_tokens(tokens, other)
    first, last = (
        _token(tokens, starts, numbers, mentions.document, places[:, at], places[:, at + 1])
        for at in (0, 2)
    )
    wrong = (first < 0) | (last < first)
    if wrong.any():
        mention = int(np.argmax(wrong))
        _refuse(corpus, other, mention, f"no mention at {names[mention]}")
    texts = mentions.attributes.get("text")
    if texts is not None and settings.words == "check":
        _check_words(corpus, other, texts, first, last)
    base = tokens.offsets[mentions.document]
    attributes = {name: column for name, column in mentions.attributes.items() if name != "text"}
    placed = replace(
        mentions, start=first - base, stop=last + 1 - base, names=None, attributes=attributes
    )
    return replace(corpus, mentions=placed, tokens=tokens)


def _first_tokens(tokens: Tokens, corpus: Corpus) -> tuple[IntArray, IntArray]:
    """The first token of each line, and a number for its document and line."""
    if corpus.format in _FORMATS_OF_LINES and tokens.lines is not None:
        line = tokens.lines
    else:
        sentence = tokens.sentence_of(np.arange(len(tokens)))
        before = np.append(sentence, 0)[np.minimum(tokens.offsets[:-1], max(len(tokens) - 1, 0))]
        line = sentence + 1 - np.repeat(before, np.diff(tokens.offsets))
    document = np.repeat(np.arange(len(corpus)), np.diff(tokens.offsets))
    numbers = _number(document, line)
    opens = np.ones(len(numbers), bool)
    opens[1:] = numbers[1:] != numbers[:-1]
    starts = np.flatnonzero(opens)
    return np.append(starts, len(tokens)), numbers[starts]


def _number(document: IntArray, line: IntArray) -> IntArray:
    return (document << 32) + line


def _token(
    tokens: Tokens,
    starts: IntArray,
    numbers: IntArray,
    document: IntArray,
    line: IntArray,
    token: IntArray,
) -> IntArray:
    """The token of a line, numbered over all documents; -1 if it does not exist."""
    if not len(numbers):
        return np.full(len(line), -1)
    wanted = _number(document, line)
    at = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    place = starts[at] + token
    return np.where((numbers[at] == wanted) & (place < starts[at + 1]), place, -1)


def _check_words(
    corpus: Corpus, other: Corpus, texts: Strings, first: IntArray, last: IntArray
) -> None:
    """Raise an error if most mentions have other words than the text."""
    assert other.tokens is not None
    words = other.tokens.words.tolist()
    rows = zip(texts, first.tolist(), last.tolist(), strict=True)
    differing = [
        mention
        for mention, (text, start, end) in enumerate(rows)
        if _plain(text) != _plain("".join(words[start : end + 1]))
    ]
    if 2 * len(differing) > len(first):
        mention = differing[0]
        read = " ".join(words[int(first[mention]) : int(last[mention]) + 1])
        _refuse(
            corpus,
            other,
            mention,
            f"the mention text is {texts[mention][:60]!r}, not {read[:60]!r}",
        )


def _plain(text: str) -> str:
    return "".join(text.casefold().split())


def _refuse(corpus: Corpus, other: Corpus, mention: int, message: str) -> None:
    document = int(corpus.mentions.document[mention])
    raise AlignmentError(
        f"{message} in the text of the other side ({other.location(document)})",
        corpus.location(document),
        "Give both sides the text, and check that it is the same.",
    )
