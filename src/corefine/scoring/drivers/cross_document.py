"""Cross-document scoring in shards: workers match mentions, the client counts.

Matching works within documents, so each worker matches the documents of a shard. What comes back is
small: both corpora without their text, in which matched mentions have the same number as a name.
The client concatenates these corpora and counts them like any others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from corefine.corpus.columns import Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.errors import UsageError, code_of
from corefine.matching.fingerprint import Codes, Fingerprint, entity_sums, mention_codes
from corefine.matching.matched import Tally
from corefine.matching.units import group_documents
from corefine.scoring.count import count, match
from corefine.scoring.counts import Counts
from corefine.scoring.drivers.shards import ShardPair
from corefine.scoring.request import Request


@dataclass(frozen=True, slots=True, eq=False)
class MatchedShard:
    """The mentions of a shard, matched."""

    key: Corpus
    response: Corpus
    given: Corpus
    """The key as it was read, without its text, for the fingerprint."""
    codes: Codes
    """The codes of its mentions."""
    tally: Tally
    warnings: tuple[str, ...]


def refuse_unsupported(request: Request) -> None:
    """Raise an error for what needs the text or the kinds of mentions."""
    settings = request.settings
    if request.by:
        refused = f"scores by {', '.join(map(str, request.by))}"
    elif settings.singletons == "drop" and settings.match != "exact":
        refused = f"--singletons drop with --match {settings.match}"
    else:
        refused = ", ".join(name for name, one in request.needed.items() if one.needs_mentions)
    if refused:
        raise UsageError(
            f"the dask engine cannot compute {refused} across documents, because workers return "
            "entities without text",
            remedy="Use --engine local.",
        )


def match_shard(pair: ShardPair, request: Request) -> MatchedShard:
    """Match the mentions of the documents of one shard."""
    key, response = pair.read(frozenset())
    own = replace(request.settings, scope="document", missing_documents="count", singletons="keep")
    matched = match(key, response, own)
    tokens = matched.key.tokens
    if request.settings.singletons == "drop" and tokens is not None and tokens.has_empty:
        raise UsageError(
            "the dask engine cannot drop singletons across documents that have zeros",
            remedy="Use --engine local.",
        )
    rows = np.empty(len(matched.response.mentions), np.int64)
    both = matched.response_mention >= 0
    rows[matched.response_mention[both]] = np.flatnonzero(both)
    return MatchedShard(
        _numbered(matched.key, np.arange(len(matched.key.mentions))),
        _numbered(matched.response, rows),
        _numbered(key, np.arange(len(key.mentions))),
        mention_codes(key),
        matched.tally,
        tuple(text for text in matched.warnings if code_of(text) != "missing-documents"),
    )


def _numbered(corpus: Corpus, names: np.ndarray) -> Corpus:
    """The corpus without its text, with numbers as the names of mentions."""
    mentions = corpus.mentions
    row = np.arange(len(mentions))
    return Corpus(
        corpus.documents,
        corpus.entities,
        Mentions(mentions.document, mentions.entity, row, row + 1, names),
        topics=corpus.topics,
        named=corpus.named,
    )


def count_shards(shards: Sequence[MatchedShard], request: Request) -> Counts:
    """The counts of all shards; entities with the same id in a group of documents are one."""
    key = concatenate([shard.key for shard in shards])
    response = concatenate([shard.response for shard in shards])
    by_name = request.with_settings(match="exact", zeros="linear", missing_documents="error")
    tally = Tally()
    for shard in shards:
        tally += shard.tally
    warnings = dict.fromkeys(chain.from_iterable(shard.warnings for shard in shards))
    return replace(
        count(key, response, by_name),
        request=request,
        tally=tally,
        key=_fingerprint(shards, request.settings.scope),
        warnings=tuple(warnings),
    )


def _fingerprint(shards: Sequence[MatchedShard], scope: str) -> Fingerprint:
    given = concatenate([shard.given for shard in shards])
    grouping = group_documents(given, scope)
    names = given.entities.names
    assert grouping is not None
    assert names is not None
    group = grouping.of_document[given.entities.document]
    _, entity = np.unique(names.codes() * len(grouping.names) + group, return_inverse=True)
    codes = np.concatenate([shard.codes for shard in shards])
    sums = entity_sums(codes, entity[given.mentions.entity], len(entity))
    return Fingerprint.of_entities(len(given.documents), len(given.mentions), sums)
