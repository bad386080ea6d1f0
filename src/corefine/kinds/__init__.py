"""Kinds of mentions: names, nominals, pronouns and zeros, and where that is known from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.kinds.sharing import share_columns
from corefine.kinds.sources import KindPlan, KindRule, KindSpec, plan_of
from corefine.kinds.words import kind_of
from corefine.matching.matched import Matched

__all__ = [
    "KindPlan",
    "KindRule",
    "KindSpec",
    "Origin",
    "kind_of",
    "kinds_of",
    "plan_of",
    "with_kinds",
]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the kinds of a comparison came from."""

    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def kinds_of(corpus: Corpus, kinds: KindSpec | KindPlan = "auto") -> Corpus:
    """The corpus with the kinds of its mentions."""
    return plan_of(kinds).apply(corpus, corpus.tokens)[0]


def with_kinds(matched: Matched, plan: KindPlan) -> tuple[Matched, Origin]:
    """Both sides with kinds, and where these came from.

    The two sides are the same text, so the columns of one tell the kinds of the other's mentions in
    documents for which its own file does not have them.
    """
    key_tokens, response_tokens = matched.key.tokens, matched.response.tokens
    if key_tokens is not None and response_tokens is not None:
        key_tokens, response_tokens = share_columns(key_tokens, response_tokens)
    if not (
        plan.can_tell(matched.key, key_tokens) or plan.can_tell(matched.response, response_tokens)
    ):
        return _without_kinds(matched), Origin()
    key, told, warnings = plan.apply(matched.key, key_tokens)
    response, more, others = _with_kinds_of_twins(matched, key, plan, response_tokens)
    order = [source.name for source in plan.sources]
    return (
        replace(matched, key=key, response=response),
        Origin(
            tuple(sorted({*told, *more}, key=order.index)),
            tuple(dict.fromkeys([*warnings, *others])),
        ),
    )


def _without_kinds(matched: Matched) -> Matched:
    """Both sides without the kinds that the plan does not ask for."""
    key, response = (
        corpus
        if corpus.mentions.kind is None
        else replace(corpus, mentions=replace(corpus.mentions, kind=None))
        for corpus in (matched.key, matched.response)
    )
    if key is matched.key and response is matched.response:
        return matched
    return replace(matched, key=key, response=response)


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
