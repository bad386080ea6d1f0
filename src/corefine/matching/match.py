"""Identify the mentions of key and response, drop duplicates and singletons, and match the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.errors import Caution, UsageError, reworded
from corefine.matching.matching import Matching
from corefine.matching.places import Places, identify
from corefine.matching.settings import Settings


def identify_mentions(matching: Matching, with_heads: bool) -> Matching:
    """Number the mentions of both sides, equal numbers for the same expression."""
    codes = identify(*matching.places, with_heads)
    return replace(matching, codes=codes, given=np.arange(len(codes[0])))


def unfound(corpus: Corpus) -> BoolArray:
    """Mentions that a language model listed and that are not in the text."""
    strings = corpus.mentions.attributes.get("unfound")
    return np.zeros(len(corpus.mentions), bool) if strings is None else strings.lengths > 0


def set_unfound_apart(matching: Matching, treatment: str) -> Matching:
    """Give response mentions that are not in the text numbers of their own, or drop them."""
    if "unfound" not in matching.response.mentions.attributes:
        return matching
    apart = unfound(matching.response)
    if not apart.any():
        return matching
    if treatment == "ignore":
        return matching.keep(np.ones(len(matching.codes[0]), bool), ~apart)
    ours, theirs = matching.codes
    least = min(int(codes.min(initial=0)) for codes in (ours, theirs))
    theirs = theirs.copy()
    theirs[apart] = least - 1 - np.arange(np.count_nonzero(apart))
    return replace(matching, codes=(ours, theirs))


def drop_duplicates(matching: Matching, duplicates: str) -> Matching:
    """Drop mentions that occur twice on a side, or raise an error."""
    wanted, cautions = [], []
    for name, corpus, codes in (
        ("key", matching.key, matching.codes[0]),
        ("response", matching.response, matching.codes[1]),
    ):
        kept, caution = first_occurrences(corpus, codes, duplicates)
        wanted.append(kept)
        if caution is not None:
            cautions.append(reworded(caution, f"{name}: {caution}"))
    return matching.keep(*wanted).warn(*cautions)


def drop_singletons(matching: Matching, singletons: str) -> Matching:
    """Drop the entities of one mention on both sides, if ``singletons`` is ``drop``."""
    if singletons != "drop":
        return matching
    entities = (side.mentions.entity for side in (matching.key, matching.response))
    return matching.keep(*(np.bincount(entity)[entity] > 1 for entity in entities))


def first_occurrences(
    corpus: Corpus, codes: IntArray, duplicates: str
) -> tuple[BoolArray, Caution | None]:
    """The mentions that do not repeat an earlier one, and a warning about those that do."""
    first, second = _repeated(codes)
    wanted = np.ones(len(codes), bool)
    wanted[second] = False
    entity = corpus.mentions.entity
    across = entity[first] != entity[second]
    if not len(second) or (duplicates != "error" and not across.any() and corpus.has_places):
        return wanted, None
    at = int(np.argmax(across))
    text = _describe_repeat(corpus, int(first[at]), int(second[at]), int(across.sum()))
    if duplicates == "error":
        document = int(corpus.mentions.document[second[at]])
        raise UsageError(
            text,
            corpus.location(document, int(corpus.mentions.start[second[at]])),
            "Remove the duplicate, or use --duplicates first (duplicates='first').",
        )
    if across.any():
        text = f"{text}; the first is kept"
    else:
        more = f" ({len(second) - 1:,} more duplicate mentions)" if len(second) > 1 else ""
        text = f"{text}{more}; counted once: give every mention a name of its own"
    return wanted, Caution(text, "duplicate-mention", mentions=len(second))


def _repeated(codes: IntArray) -> tuple[IntArray, IntArray]:
    """The mentions that repeat an earlier one: the first occurrence, and the repetition."""
    if len(codes) < 2 or bool((codes[1:] > codes[:-1]).all()):
        return codes[:0], codes[:0]
    order = np.argsort(codes, kind="stable")
    arranged = codes[order]
    repeated = np.flatnonzero(arranged[1:] == arranged[:-1]) + 1
    run_start = np.flatnonzero(np.diff(arranged, prepend=arranged[0] - 1))
    first = run_start[np.searchsorted(run_start, repeated, side="right") - 1]
    return order[first], order[repeated]


def _describe_repeat(corpus: Corpus, first: int, second: int, across: int) -> str:
    mentions = corpus.mentions
    document = corpus.documents[int(mentions.document[second])]
    where = corpus.location(int(mentions.document[second]), int(mentions.start[second]))
    at = f" ({where})" if where is not None else f" of document {document!r}" if document else ""
    what = f"mention {corpus.text_of(second)!r}{at}"
    if mentions.entity[first] == mentions.entity[second]:
        return f"{what} occurs twice in entity {_entity_name(corpus, first)}"
    more = f" ({across - 1:,} more duplicate mentions)" if across > 1 else ""
    return (
        f"{what} is in two entities, {_entity_name(corpus, first)} and "
        f"{_entity_name(corpus, second)}{more}"
    )


def _entity_name(corpus: Corpus, mention: int) -> str:
    entity = int(corpus.mentions.entity[mention])
    if corpus.entities.names is not None:
        return repr(corpus.entities.names[entity])
    first = int(np.argmax(corpus.entities.document == corpus.entities.document[entity]))
    return f"number {entity - first + 1}"


def require_heads(matching: Matching, settings: Settings) -> None:
    """Raise an error if mentions are matched by heads that a side does not have."""
    needed = {"head": (matching.key, matching.response), "partial": (matching.key,)}
    for corpus in needed.get(settings.match, ()):
        if corpus.mentions.head is None and len(corpus.mentions):
            raise UsageError(
                f"--match {settings.match} needs mention heads, which "
                f"{corpus.sources[0] if corpus.sources else 'this corpus'} does not have",
                remedy="CoNLL-U with CorefUD's Entity attribute has them; or use --match exact.",
            )


def match_mentions(matching: Matching, settings: Settings) -> Matching:
    """Match mentions one to one, within documents or windows.

    Zeros are matched first, then equal mentions, then others by head, overlap or minimum span.
    """
    twin = _twins(*matching.places, *matching.codes, settings)
    response_only = _unmatched(twin, len(matching.codes[1]))
    matched = replace(
        matching,
        key_mention=np.concatenate([np.arange(len(twin)), np.full(len(response_only), -1)]),
        response_mention=np.concatenate([twin, response_only]),
    )
    if settings.match == "min":
        matched = matched.noting(minimum_spans=_with_minimum_spans(matching.key))
    return matched


def _with_minimum_spans(key: Corpus) -> int:
    """The number of mentions with a minimum span, annotated or in a parse tree."""
    from corefine.matching.minimum_spans import parsed_documents

    minimum = key.mentions.minimum
    annotated = 0 if minimum is None else int(np.count_nonzero(minimum[0] >= 0))
    return annotated + int(np.count_nonzero(parsed_documents(key)[key.mentions.document]))


def _twins(
    key: Places,
    response: Places,
    key_codes: IntArray,
    response_codes: IntArray,
    settings: Settings,
) -> IntArray:
    """The response mention of each key mention, or -1."""
    by_dependencies = settings.zeros == "dependent" and key.of_token is not None
    if by_dependencies and key.zero.any() and response.zero.any():
        from corefine.matching.nearest import match_zeros

        twin = np.full(len(key_codes), -1)
        ours, theirs = match_zeros(key, response)
        twin[ours] = theirs
        ours, theirs = np.flatnonzero(twin < 0), _unmatched(twin, len(response_codes))
        found = _equal_codes(key_codes[ours], response_codes[theirs])
        twin[ours] = np.append(theirs, -1)[found]
    else:
        twin = _equal_codes(key_codes, response_codes)
    if settings.match != "exact":
        from corefine.matching.nearest import match_nearest

        ours, theirs = np.flatnonzero(twin < 0), _unmatched(twin, len(response_codes))
        theirs = theirs[~unfound(response.corpus)[theirs]]
        ours, theirs = match_nearest(key, response, ours, theirs, settings.match)
        twin[ours] = theirs
    return twin


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
