"""Check that key and response annotate the same text, and give both the same tokens."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import AlignmentError, Caution, Location
from corefine.matching.matched import Pair
from corefine.matching.settings import Settings

if TYPE_CHECKING:
    from corefine.matching.characters import Solid


def align_texts(pair: Pair, settings: Settings) -> Pair:
    """The pair with the same tokens on both sides.

    Documents with the same words are not changed. If the words differ but have the same characters
    apart from white space, both sides are cut into finer tokens; other differences are errors.
    Empty nodes may differ. Sentence ids must be equal if both sides have them.
    """
    key, response = pair.key, pair.response
    if key.tokens is None or response.tokens is None:
        return pair
    ours, theirs = words_alone(key.tokens), words_alone(response.tokens)
    known = _has_words(ours) and _has_words(theirs)
    compared = known and settings.words == "check"
    differing = _differing_documents(ours, theirs, compared)
    if len(differing):
        from corefine.matching.characters import Solid, first_difference, refine

        solid = Solid.of(key.tokens, differing), Solid.of(response.tokens, differing)
        different = first_difference(*solid)
        if different is not None or not known:
            _refuse(key, response, differing, solid, different if compared else None)
        key, response = refine(key, response, *solid)
        text = "key and response are tokenised differently in some documents; aligned by character"
        pair = pair.with_corpora(key, response).warn(Caution(text, "tokenisation"))
    assert key.tokens is not None
    assert response.tokens is not None
    _check_sentence_ids(key.tokens, response.tokens, (key, response))
    return pair


def words_alone(tokens: Tokens) -> Tokens:
    """The tokens without empty nodes, and without layers."""
    if tokens.empty is None or not tokens.has_empty:
        return tokens
    words = np.flatnonzero(~tokens.empty)
    before = np.concatenate([[0], np.cumsum(~tokens.empty)])
    return Tokens(
        tokens.words.take(words),
        before[tokens.offsets],
        before[tokens.sentences],
        lines=None if tokens.lines is None else tokens.lines[words],
    )


def _has_words(tokens: Tokens) -> bool:
    words: Strings = tokens.words
    return bool(words.offsets[-1] > words.offsets[0])


def _differing_documents(key: Tokens, response: Tokens, compared: bool) -> IntArray:
    """The documents with different numbers of words or, if ``compared``, different words."""
    lengths = np.diff(key.offsets)
    unequal = lengths != np.diff(response.offsets)
    if not compared:
        return np.flatnonzero(unequal)
    ours, theirs = key.words, response.words
    if not unequal.any() and ours.differs_from(theirs) is None:
        return np.zeros(0, np.int64)
    rows = np.flatnonzero(~unequal[key.document_of_token])
    ours = ours.take(rows)
    theirs = theirs.take(np.flatnonzero(~unequal[response.document_of_token]))
    codes = Strings.concatenate([ours, theirs]).codes()
    unequal[key.document_of_token[rows[codes[: len(ours)] != codes[len(ours) :]]]] = True
    return np.flatnonzero(unequal)


def _refuse(
    key: Corpus,
    response: Corpus,
    differing: IntArray,
    solid: tuple[Solid, Solid],
    different: tuple[int, int] | None,
) -> NoReturn:
    """Raise the error for the first document that cannot be aligned.

    ``different`` is the first differing document with other characters, and the position of the
    difference; None if words are not compared.
    """
    lengths, others = (
        np.diff(words_alone(corpus.tokens).offsets)
        for corpus in (key, response)
        if corpus.tokens is not None
    )
    number, character = different or (0, 0)
    document = int(differing[number])
    name, ours, theirs = key.documents[document], int(lengths[document]), int(others[document])
    if different is None:
        where = response.location(document)
        raise AlignmentError(
            f"document {name!r} has {ours:,} tokens in the key and {theirs:,} in the response"
            + ("" if where is None else f" ({where})"),
            key.location(document),
            "Both sides must annotate the same text.",
        )
    at = [int(side.documents[number]) + character for side in solid]
    token, our_word, place = _at(key, solid[0], document, at[0])
    _, their_word, other = _at(response, solid[1], document, at[1])
    first, second = (unicodedata.normalize("NFC", side.text(number)) for side in solid)
    only = " only in Unicode normalisation," if first == second else ""
    counts = f" ({ours:,} tokens in the key, {theirs:,} in the response)" if ours != theirs else ""
    raise AlignmentError(
        f"the texts differ{only} in document {name!r} at token {token}: the key has {our_word}, "
        f"the response{'' if other is None else f' ({other})'} has {their_word}{counts}",
        place,
        "Normalise both sides to NFC."
        if only
        else "Both sides must annotate the same text, with any tokenisation. If only the "
        "spelling differs, use --words ignore (words='ignore').",
    )


def _at(
    corpus: Corpus, side: Solid, document: int, character: int
) -> tuple[int, str, Location | None]:
    """The number (from 1), text and location of the word that contains a character."""
    tokens = corpus.tokens
    assert tokens is not None
    base = int(tokens.offsets[document])
    first, last = np.searchsorted(side.tokens, tokens.offsets[document : document + 2]).tolist()
    row = first + int(np.searchsorted(side.ends[first:last], character, side="right"))
    if row == last:
        return row - first + 1, "no more words", corpus.location(document, last - first)
    token = int(side.tokens[row])
    return row - first + 1, repr(tokens.words[token]), corpus.location(document, token - base)


def _check_sentence_ids(key: Tokens, response: Tokens, corpora: tuple[Corpus, Corpus]) -> None:
    """Raise an error if a sentence that starts at the same word has different ids."""
    ours, theirs = key.layers.get("sent_id"), response.layers.get("sent_id")
    if ours is None or theirs is None:
        return
    rows, other_rows = np.flatnonzero(ours.lengths), np.flatnonzero(theirs.lengths)
    _, first, second = np.intersect1d(
        _words_before(key)[rows], _words_before(response)[other_rows], return_indices=True
    )
    rows, other_rows = rows[first], other_rows[second]
    at = ours.take(rows).differs_from(theirs.take(other_rows))
    if at is None:
        return
    where = []
    for corpus, tokens, row in zip(
        corpora, (key, response), (rows[at], other_rows[at]), strict=True
    ):
        document = int(np.searchsorted(tokens.offsets, row, side="right")) - 1
        where.append((document, corpus.location(document, int(row - tokens.offsets[document]))))
    (document, place), (_, other_place) = where
    raise AlignmentError(
        f"a sentence of document {corpora[0].documents[document]!r} is {ours[int(rows[at])]!r} "
        f"in the key and {theirs[int(other_rows[at])]!r} in the response"
        + (f" ({other_place})" if other_place is not None else ""),
        place,
        "Both sides must have the same sentences. If only the sentence ids differ, remove them "
        "from one side.",
    )


def _words_before(tokens: Tokens) -> IntArray:
    """The number of words before each token, without empty nodes."""
    if tokens.empty is None:
        return np.arange(len(tokens))
    return np.cumsum(~tokens.empty) - ~tokens.empty
