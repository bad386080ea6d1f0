"""Kinds of both sides of a comparison: a mention has the kind of its twin in the key.

A response often comes without parts of speech, though it is the same text: each document borrows
the columns of the other side for itself, so that it does not matter which others are read with it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.corpus.strings import Strings
from corefine.kinds.kind_plan import KindPlan
from corefine.kinds.part_of_speech import LAYERS, documents_with_columns
from corefine.matching.matched import Matched
from corefine.matching.places import common_places


@dataclass(frozen=True, slots=True)
class Origin:
    """The sources of the kinds of a comparison."""

    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def with_kinds(matched: Matched, plan: KindPlan) -> tuple[Matched, Origin]:
    """Both sides with kinds, and the sources of these.

    The two sides have the same text, so the columns of one side also apply to the mentions of the
    other in documents for which its own file lacks them. Only sources in the plan are used.
    """
    key, response = matched.key, matched.response
    key_tokens, response_tokens = key.tokens, response.tokens
    if key_tokens is not None and response_tokens is not None:
        key_tokens, response_tokens = share_columns(key_tokens, response_tokens)
    if not (plan.can_tell(key, key_tokens) or plan.can_tell(response, response_tokens)):
        key, response = (
            replace(side, mentions=replace(side.mentions, kind=None)) for side in (key, response)
        )
        return replace(matched, key=key, response=response), Origin()
    key, told, warnings = plan.apply(key, key_tokens)
    response, more, others = _with_kinds_of_twins(matched, key, plan, response_tokens)
    order = [source.name for source in plan.sources]
    return (
        replace(matched, key=key, response=response),
        Origin(
            tuple(sorted({*told, *more}, key=order.index)),
            tuple(dict.fromkeys([*warnings, *others])),
        ),
    )


def _with_kinds_of_twins(
    matched: Matched, key: Corpus, plan: KindPlan, tokens: Tokens | None
) -> tuple[Corpus, list[str], list[str]]:
    """The response with the key's kinds, and kinds of its own for what only it has."""
    response, ours, theirs = matched.response, matched.key_mention, matched.response_mention
    kind = np.zeros(len(response.mentions), np.uint8)
    both = (ours >= 0) & (theirs >= 0)
    assert key.mentions.kind is not None
    kind[theirs[both]] = key.mentions.kind[ours[both]]
    alone = np.zeros(len(kind), bool)
    alone[theirs[ours < 0]] = True
    types, names = response.mentions.type, response.types
    told: list[str] = []
    warnings: list[str] = []
    if alone.any():
        part, told, warnings = plan.apply(keep_mentions(response, alone), tokens)
        assert part.mentions.kind is not None
        kind[alone] = part.mentions.kind
        if part.mentions.type is not None:
            types = np.full(len(kind), -1) if types is None else types.copy()
            types[alone] = part.mentions.type
            names = part.types
    mentions = replace(response.mentions, kind=kind, type=types)
    return replace(response, types=names, mentions=mentions), told, warnings


def share_columns(key: Tokens, response: Tokens) -> tuple[Tokens, Tokens]:
    """The tokens of both sides, each with the other's columns in documents where it has none.

    A document borrows if both sides have as many words of it; empty nodes may differ.
    """
    ours, theirs = documents_with_columns(key), documents_with_columns(response)
    differing = (ours != theirs) & (_words(key) == _words(response))
    if not differing.any():
        return key, response
    places = common_places(key, response)
    return (
        _borrowed(key, response, differing & theirs, *places),
        _borrowed(response, key, differing & ours, *places[::-1]),
    )


def _words(tokens: Tokens) -> IntArray:
    """Number of words per document, without empty nodes."""
    if tokens.empty is None:
        return np.diff(tokens.offsets)
    return np.diff(np.append(0, np.cumsum(~tokens.empty))[tokens.offsets])


def _borrowed(
    own: Tokens, other: Tokens, documents: BoolArray, place: IntArray, other_place: IntArray
) -> Tokens:
    """Tokens with the other's columns and sentences in these documents, token by place."""
    if not documents.any():
        return own
    lends = np.repeat(documents, np.diff(other.offsets))
    rows = np.repeat(documents, np.diff(own.offsets))
    found = np.minimum(np.searchsorted(other_place, place), max(len(other) - 1, 0))
    known = other_place[found] == place
    # Own cells come first, then those of the other side, then one blank cell.
    chosen = np.where(known, len(own) + found, len(own) + len(other))
    chosen = np.where(rows, chosen, np.arange(len(own)))
    layers = {
        name: Strings.concatenate(
            [
                own.layers.get(name, Strings.blank(len(own))),
                other.layers.get(name, Strings.blank(len(other))),
                Strings.blank(1),
            ]
        ).take(chosen)
        for name in LAYERS & {*own.layers, *other.layers}
    }
    opens = np.zeros(len(own) + 1, bool)
    opens[own.sentences] = ~rows[own.sentences]
    opens[own.offsets[:-1][documents]] = True
    opens[np.searchsorted(place, other_place[other.sentences[lends[other.sentences]]])] = True
    return replace(
        own, layers={**own.layers, **layers}, sentences=np.flatnonzero(opens[: len(own)])
    )
