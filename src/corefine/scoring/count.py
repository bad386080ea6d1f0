"""Scoring, step by step: from two corpora to the table of shared mentions, and to counts.

Each step is a function of the two corpora: a :class:`~corefine.matching.matched.Pair` and, once
mentions are matched, a :class:`~corefine.matching.matched.Matched`. Duplicates and singletons are
those of the whole document, so they are dropped before documents are cut into windows; documents
are cut before matching, so that mentions match only within a window.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.matching.documents import pair_documents
from corefine.matching.duplicates import drop_duplicates, drop_singletons
from corefine.matching.fingerprint import annotation_code, labels_code, strings_code
from corefine.matching.identity import identify_mentions
from corefine.matching.match import match_mentions, require_heads
from corefine.matching.matched import Matched, Pair
from corefine.matching.same_text import align_texts
from corefine.matching.settings import Settings
from corefine.matching.twinless import treat_twinless
from corefine.matching.units import cut_windows, join_entities
from corefine.metrics.table import MentionTable
from corefine.scoring.breakdowns.counts import BreakdownCounts
from corefine.scoring.counts import Counts, metric_statistics
from corefine.scoring.request import Request


def count(key: Corpus, response: Corpus, request: Request) -> Counts:
    """The counts of a response against a key; counts of parts are added by :meth:`.Counts.sum`.

    >>> request = Request.of("muc")
    >>> key, response = Corpus.from_entities([["a", "b"]]), Corpus.from_entities([["a", "b"]])
    >>> Counts.sum([count(key, response, request)]).scores()["muc"].f1
    1.0
    """
    if request.scorer is not None:
        from corefine.scoring.scorers.emulation import count_as

        return count_as(key, response, request)
    return count_table(tabulate(key, response, request), request)


def tabulate(key: Corpus, response: Corpus, request: Request) -> MentionTable:
    """The table of the entities of key and response, from which metrics are counted."""
    settings = request.settings
    matched = match(key, response, settings)
    used = request.annotation_used(key)
    if used:
        code = annotation_code(key, used)
        matched = replace(matched, fingerprint=matched.fingerprint.with_annotation(code))
    matched = look_up_kinds(matched, request)
    matched = treat_twinless(matched, settings.twinless)
    return MentionTable.of(matched)


def match(key: Corpus, response: Corpus, settings: Settings | None = None) -> Matched:
    """Make key and response comparable, and match their mentions one to one."""
    settings = settings or Settings()
    pair = pair_documents(key, response, settings)
    pair = align_texts(pair, settings)
    pair = join_entities(pair, settings.scope)
    require_heads(pair, settings)
    pair = identify_mentions(pair, key, with_heads=settings.match == "head")
    pair = drop_duplicates(pair, settings.duplicates)
    pair = drop_singletons(pair, settings.singletons)
    pair = cut_windows(pair, settings.window)
    return replace(match_mentions(pair, settings), layers=_layers(pair, settings))


def look_up_kinds(matched: Matched, request: Request) -> Matched:
    """Both sides with mention kinds, if numbers depend on them; matched mentions have the key's."""
    if request.kinds is None:
        return matched
    from corefine.kinds.both_sides import with_kinds

    matched, origin = with_kinds(matched, request.kinds)
    tally = replace(
        matched.tally, kind_sources=frozenset(origin.sources), kind_code=_kind_code(matched)
    )
    return replace(matched, tally=tally, warnings=(*matched.warnings, *origin.warnings))


def count_table(table: MentionTable, request: Request) -> Counts:
    """The counts of the requested metrics and breakdowns in a table."""
    matched = table.matched
    tally = matched.tally
    if request.kinds is not None:
        unknown = int(np.count_nonzero(table.kinds == Kind.UNKNOWN))
        tally = replace(tally, judged=len(table.document), unknown=unknown)
    metrics = request.metrics.values()
    values = metric_statistics(table, metrics)
    return Counts(
        request,
        table.documents,
        values,
        tuple(BreakdownCounts.of(breakdown, table, metrics, values) for breakdown in request.by),
        tally,
        matched.fingerprint,
        matched.warnings,
        copies=matched.response.copies,
    )


def _kind_code(matched: Matched) -> int:
    """A code of the mention kinds and semantic types of the key."""
    mentions, codes = matched.key.mentions, matched.key_codes
    assert codes is not None
    code = 0
    if mentions.kind is not None:
        known = mentions.kind != Kind.UNKNOWN
        code += labels_code(codes[known], mentions.kind[known])
    if mentions.type is not None:
        known = mentions.type >= 0
        names = strings_code(matched.key.types)
        code += labels_code(codes[known], names[mentions.type[known]])
    return code % (1 << 64)


def _layers(pair: Pair, settings: Settings) -> dict[str, Matched]:
    """Further annotations of both sides (discourse deixis, non-referring expressions), matched.

    All their entities are kept. Non-referring expressions are matched exactly, and so are layers
    without the heads or minimum spans by which other mentions are matched.
    """
    layers = {}
    key, response = pair.key, pair.response
    for name in sorted({*key.annotations, *response.annotations}):
        by_columns = name != "nonreferring" and _has_columns(key, name)
        own = replace(
            settings,
            match=settings.match if by_columns else "exact",
            singletons="keep",
            twinless="none",
            scope="document",
            window=None,
            split_antecedents="score",
        )
        layers[name] = match(key.annotation(name), response.annotation(name), own)
    return layers


def _has_columns(key: Corpus, layer: str) -> bool:
    """True if a layer has heads and minimum spans if the mentions of identity have them."""
    identity, other = key.mentions, key.annotation(layer).mentions
    return (identity.head is None or other.head is not None) and (
        identity.minimum is None or other.minimum is not None
    )
