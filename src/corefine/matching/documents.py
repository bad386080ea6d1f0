"""Pairing the documents of key and response, and checking that they are the same text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

import numpy as np

from corefine.columns import IntArray, Strings
from corefine.corpus import Corpus, Tokens
from corefine.errors import AlignmentError, Location
from corefine.matching.line_places import share_text
from corefine.rearranging import concatenate, keep_mentions, select_documents
from corefine.settings import Settings


def pair_documents(
    key: Corpus, response: Corpus, settings: Settings
) -> tuple[Corpus, Corpus, list[str]]:
    """Both corpora with the same documents in the key's order, and what there is to warn of.

    Where only one has the text, and the other places by line and token, both have it afterwards.
    """
    key, response, warnings = _pair(key, response, settings)
    return *share_text(key, response, settings), warnings


def _pair(key: Corpus, response: Corpus, settings: Settings) -> tuple[Corpus, Corpus, list[str]]:
    if key.documents == response.documents:
        return key, response, []
    if len(key) == len(response) == 1 and (_has_no_id(key) or _has_no_id(response)):
        # One document a side, of which one has no id: there is nothing else it could belong to.
        return key, replace(response, documents=key.documents), []
    place = {name: number for number, name in enumerate(response.documents)}
    missing = [name for name in key.documents if name not in place]
    known = set(key.documents)
    extra = [name for name in response.documents if name not in known]
    warnings = []
    if missing and settings.missing_documents == "error":
        raise AlignmentError(
            f"{_listed(missing)} of the key {_is(missing)} not in the response{_of(response)}",
            key.location(key.documents.index(missing[0])),
            "Give a response for every document, or pass --missing-documents count "
            "(missing_documents='count') to count its mentions as missed.",
        )
    if extra and settings.missing_documents == "error":
        raise AlignmentError(
            f"{_listed(extra)} of the response {_is(extra)} not in the key{_of(key)}",
            response.location(response.documents.index(extra[0])),
            "Remove it, or pass --missing-documents count (missing_documents='count') to score "
            "the key's documents only.",
        )
    if len(missing) == len(key.documents):
        raise AlignmentError(
            f"key and response have no document in common: the key has {_listed(missing)}, "
            f"the response {_listed(extra)}",
            key.location(0) if len(key) else None,
            "Check that both are of the same corpus.",
        )
    if missing:
        warnings.append(f"{_listed(missing)} missing from the response: mentions count as missed")
    if extra:
        warnings.append(f"{_listed(extra)} of the response not in the key: left out")
    if missing:
        response = concatenate([response, _without_mentions(key, missing, response)])
        place = {name: number for number, name in enumerate(response.documents)}
    order = [place[name] for name in key.documents]
    return key, select_documents(response, order), warnings


def _has_no_id(corpus: Corpus) -> bool:
    """Whether the only document is called nothing, or after its file for want of an id."""
    name = corpus.documents[0]
    file = PurePath(corpus.sources[0]).name if corpus.sources else ""
    return name in ("", file.split(".")[0])


def _without_mentions(key: Corpus, documents: list[str], response: Corpus) -> Corpus:
    """These documents of the key as part of a response that found nothing in them."""
    numbers = [key.documents.index(name) for name in documents]
    blank = keep_mentions(key, np.zeros(len(key.mentions), bool))
    if not response.has_places:
        nameless = replace(blank.mentions, names=Strings.from_list(()))
        blank = replace(blank, tokens=None, mentions=nameless)
    return select_documents(replace(blank, warnings=()), numbers)


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return f"document{'s' if len(names) > 1 else ''} {shown}{more}"


def _is(names: list[str]) -> str:
    return "are" if len(names) > 1 else "is"


def _of(corpus: Corpus) -> str:
    return f" {corpus.sources[0]}" if corpus.sources and len(set(corpus.sources)) == 1 else ""


def check_same_text(key: Corpus, response: Corpus, settings: Settings) -> None:
    """Raise where the two sides do not have the same words; both have the same documents.

    Empty nodes are no words of the text: they may differ. Ids of sentences must agree where both
    sides have them.
    """
    if key.tokens is None or response.tokens is None:
        return
    ours, theirs, corpora = key.tokens, response.tokens, (key, response)
    key, response = without_empty_nodes(key), without_empty_nodes(response)
    assert key.tokens is not None
    assert response.tokens is not None
    lengths, other = np.diff(key.tokens.offsets), np.diff(response.tokens.offsets)
    unequal = lengths != other
    if settings.words == "check" and _has_words(key.tokens) and _has_words(response.tokens):
        at = key.tokens.words.differs_from(response.tokens.words)
        if at is not None:
            _raise_difference(key, response, at)
    if unequal.any():
        document = int(np.argmax(unequal))
        raise AlignmentError(
            f"document {key.documents[document]!r} has {lengths[document]:,} tokens in the key "
            f"and {other[document]:,} in the response{_where(response, document, None)}",
            key.location(document),
            "Both sides must be annotations of the same tokens.",
        )
    _check_sentence_ids(ours, theirs, corpora)


def _check_sentence_ids(key: Tokens, response: Tokens, corpora: tuple[Corpus, Corpus]) -> None:
    """Raise where a sentence that starts with the same word on both sides has another id."""
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
        f"a sentence of document {corpora[0].documents[document]!r} is {ours[int(rows[at])]!r} in "
        f"the key and {theirs[int(other_rows[at])]!r} in the response"
        + (f" ({other_place})" if other_place is not None else ""),
        place,
        "Both sides must have the same sentences. If only their ids differ, remove them from one.",
    )


def _words_before(tokens: Tokens) -> IntArray:
    """How many words stand before each token, empty nodes left out."""
    if tokens.empty is None:
        return np.arange(len(tokens))
    return np.cumsum(~tokens.empty) - ~tokens.empty


def without_empty_nodes(corpus: Corpus) -> Corpus:
    """The corpus with its words alone; mentions keep the numbers of the tokens that they had."""
    tokens = corpus.tokens
    if tokens is None or tokens.empty is None or not tokens.empty.any():
        return corpus
    words = np.flatnonzero(~tokens.empty)
    before = np.concatenate([[0], np.cumsum(~tokens.empty)])
    return replace(
        corpus,
        tokens=Tokens(
            tokens.words.take(words),
            before[tokens.offsets],
            before[tokens.sentences],
            lines=None if tokens.lines is None else tokens.lines[words],
        ),
    )


def _has_words(tokens: Tokens) -> bool:
    words: Strings = tokens.words
    return bool(words.offsets[-1] > words.offsets[0])


def _raise_difference(key: Corpus, response: Corpus, at: int) -> None:
    """The error for the first token that differs: another word, or a missing or added token."""
    assert key.tokens is not None
    assert response.tokens is not None
    lengths, others = np.diff(key.tokens.offsets), np.diff(response.tokens.offsets)
    document = max(int(np.searchsorted(key.tokens.offsets, at, side="right")) - 1, 0)
    token = at - int(key.tokens.offsets[document])
    unequal = np.flatnonzero(lengths != others)
    counts = ""
    if len(unequal) and at >= key.tokens.offsets[unequal[0]]:
        # Behind the first document of another length the words no longer stand side by side.
        document = int(unequal[0])
        ours, theirs = int(lengths[document]), int(others[document])
        token = min(at - int(key.tokens.offsets[document]), ours, theirs)
        counts = f" ({ours:,} tokens in the key, {theirs:,} in the response)"
    our_word = _word(key.tokens, document, token)
    their_word = _word(response.tokens, document, token)
    raise AlignmentError(
        f"the texts differ in document {key.documents[document]!r} at token {token + 1}: the key "
        f"has {our_word}, the response{_where(response, document, token)} has {their_word}{counts}",
        key.location(document, token),
        "Both sides must be annotations of the same tokens. If only the spelling of words differs, "
        "pass --words ignore (words='ignore').",
    )


def _word(tokens: Tokens, document: int, token: int) -> str:
    at = int(tokens.offsets[document]) + token
    return repr(tokens.words[at]) if at < tokens.offsets[document + 1] else "no more tokens"


def _where(corpus: Corpus, document: int, token: int | None) -> str:
    location: Location | None = corpus.location(document, token)
    return "" if location is None else f" ({location})"
