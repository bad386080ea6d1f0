"""Matching: which mention of the key is which mention of the response.

The result lists every distinct mention once, with the entity that it has on each side. Everything
that is counted later is counted from these rows.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import UsageError
from corefine.matching.documents import pair_documents
from corefine.matching.identity import first_occurrences, identify
from corefine.matching.matched import Matched
from corefine.matching.nearest import match_nearest, match_zeros
from corefine.matching.places import Places
from corefine.matching.same_text import align_texts
from corefine.matching.scope import group_documents, join_entities
from corefine.matching.settings import Settings

__all__ = ["Matched", "match"]


def match(key: Corpus, response: Corpus, settings: Settings | None = None) -> Matched:
    """Pair the documents, align the texts, drop repeats and singletons, match the mentions."""
    settings = settings or Settings()
    key, response, warnings = pair_documents(key, response, settings)
    key, response, text_warnings = align_texts(key, response, settings)
    grouping = group_documents(key, settings.scope)
    if grouping is not None:
        key, response = join_entities(key, grouping), join_entities(response, grouping)
    _require_columns(key, response, settings)
    with_heads = settings.match == "head"
    key_codes, response_codes = identify(*Places.of(key, response), with_heads)
    key, key_codes, key_warnings = _prepare("key", key, key_codes, settings)
    response, response_codes, response_warnings = _prepare(
        "response", response, response_codes, settings
    )
    twin = _twins(*Places.of(key, response), key_codes, response_codes, settings)
    matched_response = twin[twin >= 0]
    alone = np.ones(len(response_codes), bool)
    alone[matched_response] = False
    response_only = np.flatnonzero(alone)
    rows = len(key_codes)
    return Matched(
        key,
        response,
        np.concatenate([np.arange(rows), np.full(len(response_only), -1)]),
        np.concatenate([twin, response_only]),
        (
            *key.warnings,
            *response.warnings,
            *warnings,
            *text_warnings,
            *key_warnings,
            *response_warnings,
        ),
        grouping,
        settings.twinless,
        settings.alignment_memory,
    )


def _prepare(
    side: str, corpus: Corpus, codes: IntArray, settings: Settings
) -> tuple[Corpus, IntArray, list[str]]:
    """Take out repeats and, if asked, singletons."""
    warnings = []
    wanted, warning = first_occurrences(corpus, codes, settings)
    if warning is not None:
        warnings.append(f"{side}: {warning}")
    if wanted is not None:
        corpus, codes = keep_mentions(corpus, wanted), codes[wanted]
    if settings.singletons == "drop":
        several: BoolArray = (
            np.bincount(corpus.mentions.entity, minlength=len(corpus.entities)) > 1
        )[corpus.mentions.entity]
        if not several.all():
            corpus, codes = keep_mentions(corpus, several), codes[several]
    return corpus, codes, warnings


def _require_columns(key: Corpus, response: Corpus, settings: Settings) -> None:
    """Raise where the corpora do not have what the matching looks at."""
    needed = {"head": ("heads", (key, response)), "partial": ("heads", (key,))}
    what, sides = needed.get(settings.match, ("", ()))
    for corpus in sides:
        if corpus.mentions.head is None and len(corpus.mentions):
            raise UsageError(
                f"--match {settings.match} needs the {what} of mentions, which "
                f"{corpus.sources[0] if corpus.sources else 'this corpus'} does not give",
                remedy="CoNLL-U with CorefUD's Entity attribute gives them; or use --match exact.",
            )
    if settings.match == "min" and key.mentions.minimum is None and len(key.mentions):
        raise UsageError(
            "--match min needs the minimum spans of the key's mentions, which it does not give",
            remedy="Use --match head, partial or exact.",
        )


def _twins(
    key: Places,
    response: Places,
    key_codes: IntArray,
    response_codes: IntArray,
    settings: Settings,
) -> IntArray:
    """For each mention of the key its mention of the response, or -1: zeros, equals, neighbours."""
    if settings.zeros == "dependent" and key.zero.any() and response.zero.any():
        twin = np.full(len(key_codes), -1)
        ours, theirs = match_zeros(key, response)
        twin[ours] = theirs
        ours, theirs = np.flatnonzero(twin < 0), _left(twin, len(response_codes))
        place = _equal_codes(key_codes[ours], response_codes[theirs])
        twin[ours] = np.where(place >= 0, theirs[place], -1) if len(theirs) else -1
    else:
        twin = _equal_codes(key_codes, response_codes)
    if settings.match != "exact":
        ours, theirs = np.flatnonzero(twin < 0), _left(twin, len(response_codes))
        ours, theirs = match_nearest(key, response, ours, theirs, settings.match)
        twin[ours] = theirs
    return twin


def _left(twin: IntArray, responses: int) -> IntArray:
    """The mentions of the response that have no twin yet."""
    free = np.ones(responses, bool)
    free[twin[twin >= 0]] = False
    return np.flatnonzero(free)


def _equal_codes(key: IntArray, response: IntArray) -> IntArray:
    """For each mention of the key the response mention with the same number, or -1."""
    if key is response or np.array_equal(key, response):
        return np.arange(len(key))
    if len(response) == 0:
        return np.full(len(key), -1)
    order = np.argsort(response, kind="stable")
    place = np.searchsorted(response, key, sorter=order)
    candidate = order[np.minimum(place, len(response) - 1)]
    return np.where(response[candidate] == key, candidate, -1)
