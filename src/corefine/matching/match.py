"""Match the mentions of key and response one to one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import word_spans
from corefine.errors import Caution, UsageError, code_of
from corefine.matching.matched import Matched, Pair, Tally
from corefine.matching.places import Places
from corefine.matching.settings import Settings


def require_heads(pair: Pair, settings: Settings) -> None:
    """Raise an error if mentions are matched by heads that a side does not have."""
    needed = {"head": (pair.key, pair.response), "partial": (pair.key,)}
    for corpus in needed.get(settings.match, ()):
        if corpus.mentions.head is None and len(corpus.mentions):
            raise UsageError(
                f"--match {settings.match} needs mention heads, which "
                f"{corpus.sources[0] if corpus.sources else 'this corpus'} does not have",
                remedy="CoNLL-U with CorefUD's Entity attribute has them; or use --match exact.",
            )


def match_mentions(pair: Pair, settings: Settings) -> Matched:
    """The mentions matched one to one, within documents or windows.

    Zeros are matched first, then equal mentions, then others by head, overlap or minimum span.
    """
    assert pair.places is not None
    assert pair.codes is not None
    places = pair.places
    if pair.windows is not None:
        ours, theirs = (
            replace(side, window=pair.windows.of_mentions(side.corpus)) for side in places
        )
        places = ours, theirs
    twin = _twins(*places, *pair.codes, settings)
    response_only = _unmatched(twin, len(pair.codes[1]))
    pair = pair.warn(*_empty_node_cautions(pair, twin, response_only, settings))
    return Matched(
        pair.key,
        pair.response,
        np.concatenate([np.arange(len(twin)), np.full(len(response_only), -1)]),
        np.concatenate([twin, response_only]),
        settings,
        pair.warnings,
        pair.grouping,
        pair.windows,
        tally=_tally(pair, twin),
        fingerprint=pair.fingerprint,
        key_codes=pair.key_codes,
    )


def _tally(pair: Pair, twin: IntArray) -> Tally:
    """The numbers of mentions, and the documents in which the response has none."""
    key, response = pair.key.mentions, pair.response.mentions
    ours, theirs = (
        np.bincount(side.document, minlength=len(pair.key.documents)) for side in (key, response)
    )
    missing = {
        name
        for warning in pair.warnings
        if isinstance(warning, Caution) and code_of(warning) == "missing-documents"
        for name in warning.data["documents"]
    }
    silent = [pair.key.documents[row] for row in np.flatnonzero((ours > 0) & (theirs == 0))]
    return Tally(
        len(key),
        len(response),
        int(np.count_nonzero(twin >= 0)),
        minimum=0 if key.minimum is None else int(np.count_nonzero(key.minimum[0] >= 0)),
        silent=tuple(name for name in silent if name not in missing),
    )


def _twins(
    key: Places,
    response: Places,
    key_codes: IntArray,
    response_codes: IntArray,
    settings: Settings,
) -> IntArray:
    """The response mention of each key mention, or -1."""
    if settings.zeros == "dependent" and key.zero.any() and response.zero.any():
        from corefine.matching.nearest import match_zeros

        twin = np.full(len(key_codes), -1)
        ours, theirs = match_zeros(key, response)
        twin[ours] = theirs
        ours, theirs = np.flatnonzero(twin < 0), _unmatched(twin, len(response_codes))
        found = _equal_codes(key_codes[ours], response_codes[theirs])
        twin[ours] = np.where(found >= 0, theirs[found], -1) if len(theirs) else -1
    else:
        twin = _equal_codes(key_codes, response_codes)
    if settings.match != "exact":
        from corefine.matching.nearest import match_nearest

        ours, theirs = np.flatnonzero(twin < 0), _unmatched(twin, len(response_codes))
        ours, theirs = match_nearest(key, response, ours, theirs, settings.match)
        twin[ours] = theirs
    return twin


def _empty_node_cautions(
    pair: Pair, twin: IntArray, response_only: IntArray, settings: Settings
) -> list[Caution]:
    """A warning if unmatched mentions have the same words and different empty nodes."""
    if settings.match != "exact" or not (_has_empty(pair.key) or _has_empty(pair.response)):
        return []
    ours = word_spans(pair.key, np.flatnonzero(twin < 0))
    if not ours & word_spans(pair.response, response_only):
        return []
    text = "some mentions differ only in the empty nodes inside: --match exact does not match them"
    return [Caution(f"{text}, --match head and partial do", "empty-nodes")]


def _has_empty(corpus: Corpus) -> bool:
    return corpus.tokens is not None and corpus.tokens.has_empty


def _unmatched(twin: IntArray, responses: int) -> IntArray:
    """The response mentions that are not matched yet."""
    free = np.ones(responses, bool)
    free[twin[twin >= 0]] = False
    return np.flatnonzero(free)


def _equal_codes(key: IntArray, response: IntArray) -> IntArray:
    """The response mention with the same number as each key mention, or -1."""
    if key is response or np.array_equal(key, response):
        return np.arange(len(key))
    if len(response) == 0:
        return np.full(len(key), -1)
    order = np.argsort(response, kind="stable")
    found = np.searchsorted(response, key, sorter=order)
    candidate = order[np.minimum(found, len(response) - 1)]
    return np.where(response[candidate] == key, candidate, -1)
