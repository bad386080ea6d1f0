"""Matching: which mention of the key is which mention of the response.

The result lists every distinct mention once, with the entity that it has on each side. Everything
that is counted later is counted from these rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.corpus.words import word_spans
from corefine.errors import UsageError
from corefine.matching.documents import pair_documents
from corefine.matching.identity import first_occurrences, identify
from corefine.matching.matched import Matched
from corefine.matching.places import Places
from corefine.matching.same_text import align_texts
from corefine.matching.scope import group_documents, join_entities
from corefine.matching.settings import Settings

__all__ = ["Matched", "match"]


def match(key: Corpus, response: Corpus, settings: Settings | None = None) -> Matched:
    """Key and response made comparable, and matched mention by mention.

    The steps, in this order: pair the documents, align the texts, join entities that reach beyond a
    document, drop duplicate mentions, drop singletons if asked, cut documents into windows if
    asked, and match the mentions that are left one to one, within documents or windows.
    """
    settings = settings or Settings()
    key, response, document_warnings = pair_documents(key, response, settings)
    key, response, text_warnings = align_texts(key, response, settings)
    grouping = group_documents(key, settings.scope)
    if grouping is not None:
        key, response = join_entities(key, grouping), join_entities(response, grouping)
    _require_columns(key, response, settings)
    codes = identify(*Places.of(key, response), settings.match == "head")
    sides, duplicate_warnings = [], []
    for name, corpus, code in zip(("key", "response"), (key, response), codes, strict=True):
        wanted, warning = first_occurrences(corpus, code, settings)
        if warning is not None:
            duplicate_warnings.append(f"{name}: {warning}")
        if settings.singletons == "drop":
            wanted = _not_alone(corpus, wanted)
        sides.append((keep_mentions(corpus, wanted), code[wanted]))
    (key, key_codes), (response, response_codes) = sides
    windows = None
    if settings.window is not None:
        from corefine.matching.token_windows import TokenWindows

        windows = TokenWindows.of(key, response, settings.window)
        key, response = windows.cut(key), windows.cut(response)
    places = Places.of(key, response)
    if windows is not None:
        ours, theirs = (replace(side, window=windows.of_mentions(side.corpus)) for side in places)
        places = ours, theirs
    twin = _twins(*places, key_codes, response_codes, settings)
    response_only = _left(twin, len(response_codes))
    return Matched(
        key,
        response,
        np.concatenate([np.arange(len(twin)), np.full(len(response_only), -1)]),
        np.concatenate([twin, response_only]),
        (
            *key.warnings,
            *response.warnings,
            *document_warnings,
            *text_warnings,
            *duplicate_warnings,
            *_empty_node_warnings(key, response, twin, response_only, settings),
        ),
        grouping,
        windows,
        settings.twinless,
        settings.split_antecedents,
        _layers(key, response, settings),
    )


def _layers(key: Corpus, response: Corpus, settings: Settings) -> dict[str, Matched]:
    """The further annotations of both sides, matched. All their entities stay as they are.

    Expressions that refer to nothing are matched exactly, and so is an annotation without the heads
    or minimum spans that the mentions of entities are matched by.
    """
    layers = {}
    for name in sorted({*key.annotations, *response.annotations}):
        own = replace(
            settings,
            match=settings.match if name != "nonreferring" and _has_columns(key, name) else "exact",
            singletons="keep",
            twinless="none",
            scope="document",
            window=None,
            split_antecedents="score",
        )
        layers[name] = match(key.annotation(name), response.annotation(name), own)
    return layers


def _has_columns(key: Corpus, name: str) -> bool:
    """Whether an annotation of the key says as much of its mentions as identity does."""
    ours, theirs = key.mentions, key.annotation(name).mentions
    return (ours.head is None or theirs.head is not None) and (
        ours.minimum is None or theirs.minimum is not None
    )


def _not_alone(corpus: Corpus, wanted: BoolArray) -> BoolArray:
    """Of the wanted mentions those whose entity has several of them."""
    entity = corpus.mentions.entity
    size = np.bincount(entity[wanted], minlength=len(corpus.entities))
    return wanted & (size[entity] > 1)


def _require_columns(key: Corpus, response: Corpus, settings: Settings) -> None:
    """Raise where the corpora do not have what the matching looks at."""
    needed = {"head": ("heads", (key, response)), "partial": ("heads", (key,))}
    what, sides = needed.get(settings.match, ("", ()))
    for corpus in sides:
        if corpus.mentions.head is None and len(corpus.mentions):
            raise UsageError(
                f"--match {settings.match} needs mention {what}, which "
                f"{corpus.sources[0] if corpus.sources else 'this corpus'} does not have",
                remedy="CoNLL-U with CorefUD's Entity attribute has them; or use --match exact.",
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
        from corefine.matching.nearest import match_zeros

        twin = np.full(len(key_codes), -1)
        ours, theirs = match_zeros(key, response)
        twin[ours] = theirs
        ours, theirs = np.flatnonzero(twin < 0), _left(twin, len(response_codes))
        place = _equal_codes(key_codes[ours], response_codes[theirs])
        twin[ours] = np.where(place >= 0, theirs[place], -1) if len(theirs) else -1
    else:
        twin = _equal_codes(key_codes, response_codes)
    if settings.match != "exact":
        from corefine.matching.nearest import match_nearest

        ours, theirs = np.flatnonzero(twin < 0), _left(twin, len(response_codes))
        ours, theirs = match_nearest(key, response, ours, theirs, settings.match)
        twin[ours] = theirs
    return twin


def _empty_node_warnings(
    key: Corpus, response: Corpus, twin: IntArray, response_only: IntArray, settings: Settings
) -> list[str]:
    """A warning where mentions without a twin have the same words, and other empty nodes."""
    if settings.match != "exact" or not any(
        side.tokens is not None and side.tokens.has_empty for side in (key, response)
    ):
        return []
    ours, theirs = word_spans(key, np.flatnonzero(twin < 0)), word_spans(response, response_only)
    if not ours & theirs:
        return []
    text = "some mentions differ only in the empty nodes inside: --match exact does not match them"
    return [f"{text}, --match head and partial do"]


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
