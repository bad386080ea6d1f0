"""Scoring two corpora by the conventions of another scorer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from corefine.columns import FloatArray, IntArray
from corefine.conventions.counting import Entities, count
from corefine.conventions.tools import TOOLS, Conventions
from corefine.corpus import Corpus
from corefine.errors import UsageError
from corefine.matching import match
from corefine.matching.documents import pair_documents
from corefine.matching.identity import identify
from corefine.matching.places import Places
from corefine.matching.same_text import align_texts
from corefine.metrics.base import Metric, Triple
from corefine.metrics.blanc import Blanc
from corefine.metrics.registry import resolve
from corefine.rearranging import keep_mentions
from corefine.scores import Scores
from corefine.settings import Settings
from corefine.statistics import CorpusStatistics

REFUSED_REPEATS = 10
"""The Perl scorer gives up on a response in which more mentions than this are repeated."""


def score_as(
    key: Corpus,
    response: Corpus,
    tool: Conventions,
    metrics: str = "default",
    settings: Mapping[str, str] | None = None,
) -> Scores:
    """The scores that the tool gives; ``settings`` overrides its matching and singletons.

    Metrics that the tool does not have are an error if they are asked for by name.
    """
    chosen = {"match": tool.match, "singletons": tool.singletons, **(settings or {})}
    tool = replace(tool, match=chosen["match"], singletons=chosen["singletons"])
    asked = _asked(metrics, tool)
    common = Settings(
        match=tool.match, missing_documents=tool.missing_documents, singletons=tool.singletons
    )
    key, response, warnings = pair_documents(key, response, common)
    key, response, text_warnings = align_texts(key, response, common)
    sides = _numbered(key, response, tool, common)
    rows = [count(ours, theirs, tool) for ours, theirs in zip(*sides, strict=True)]
    statistics = CorpusStatistics(
        key.documents,
        {
            name: {
                column: np.array([row[name][column] for row in rows], np.float64)
                for column in (rows[0][name] if rows else ())
            }
            for name in tool.counts
        },
    )
    return Scores(
        asked,
        statistics,
        replace(common, duplicates="first"),
        {"as": tool.name},
        (*key.warnings, *response.warnings, *warnings, *text_warnings),
        cuts=tool.cuts,
    )


def _asked(metrics: str, tool: Conventions) -> dict[str, Metric]:
    asked = resolve(list(tool.metrics) if metrics in ("default", "all") else metrics)
    for metric in asked.values():
        if str(metric) not in tool.metrics:
            raise UsageError(
                f"{tool.name} has no metric {metric}", remedy=f"It has: {', '.join(tool.metrics)}."
            )
    if tool.blanc == "either" and "blanc" in asked:
        asked["blanc"] = BlancOfEither()
    return asked


@dataclass(frozen=True)
class BlancOfEither(Blanc):
    """BLANC in which a half counts if either side has links of it, and 0 where none does."""

    rule: str = "luo2014"

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        nothing = {"unshared_mentions": np.ones_like(totals["coreferent_key"])}
        return super().score({**totals, **nothing})

    def __str__(self) -> str:
        return self.name


def _numbered(
    key: Corpus, response: Corpus, tool: Conventions, settings: Settings
) -> tuple[list[Entities], list[Entities]]:
    """Both sides as lists of mention numbers, by document; matched mentions share a number."""
    if tool.singletons == "drop":
        key, response = _without_singletons(key), _without_singletons(response)
    codes = identify(*Places.of(key, response), settings.match == "head")
    if tool.repeats == "perl":
        _refuse_many_repeats(response, codes[1])
    ours, theirs = codes
    if settings.match != "exact" or _has_zeros(key):
        ours, theirs = _matched_codes(key, response, codes, settings)
    key_lists, response_lists = _lists(key, ours, tool), _lists(response, theirs, tool)
    if tool.repeats == "perl":
        known = [{m for entity in entities for m in entity} for entities in key_lists]
        response_lists = [
            _without_repeats(entities, mentions)
            for entities, mentions in zip(response_lists, known, strict=True)
        ]
    return key_lists, response_lists


def _has_zeros(corpus: Corpus) -> bool:
    return corpus.tokens is not None and corpus.tokens.empty is not None


def _without_singletons(corpus: Corpus) -> Corpus:
    """Drop entities that have one mention, however often they give it."""
    codes, _ = identify(*Places.of(corpus, corpus))
    pair = np.stack([corpus.mentions.entity, codes], axis=1)
    distinct = np.unique(pair, axis=0)
    sizes = np.bincount(distinct[:, 0], minlength=len(corpus.entities))
    return keep_mentions(corpus, sizes[corpus.mentions.entity] > 1)


def _refuse_many_repeats(response: Corpus, codes: IntArray) -> None:
    repeated = len(codes) - len(np.unique(codes))
    if repeated > REFUSED_REPEATS:
        raise UsageError(
            f"perl-8.01 refuses this response: {repeated:,} of its mentions are repeated",
            remedy="Remove the repeats ('corefine check' lists them), or score without --as.",
        )


def _matched_codes(
    key: Corpus, response: Corpus, codes: tuple[IntArray, IntArray], settings: Settings
) -> tuple[IntArray, IntArray]:
    """Numbers that matched mentions share, where matching is more than equality."""
    first = [np.unique(side, return_index=True)[1] for side in codes]
    kept = []
    for corpus, rows in zip((key, response), first, strict=True):
        wanted = np.zeros(len(corpus.mentions), bool)
        wanted[rows] = True
        kept.append(keep_mentions(corpus, wanted))
    matched = match(kept[0], kept[1], replace(settings, singletons="keep"))
    order = [np.sort(rows) for rows in first]
    number = {int(code): int(code) + 1 for code in codes[1].tolist()}
    # Numbers of the response that no key mention has must not be one of the key's.
    offset = 1 + max(int(np.abs(side).max(initial=0)) for side in codes)
    number = {code: 2 * offset + place for place, code in enumerate(number)}
    both = matched.response_mention >= 0
    both &= matched.key_mention >= 0
    for ours, theirs in zip(
        matched.key_mention[both].tolist(), matched.response_mention[both].tolist(), strict=True
    ):
        number[int(codes[1][order[1][theirs]])] = int(codes[0][order[0][ours]])
    return codes[0], np.array([number[code] for code in codes[1].tolist()], np.int64)


def _lists(corpus: Corpus, codes: IntArray, tool: Conventions) -> list[Entities]:
    """The entities of each document in the order in which the tool meets them."""
    mentions = corpus.mentions
    order = np.arange(len(mentions))
    if corpus.has_places and tool.name in TOOLS and tool.repeats in ("perl", "every"):
        # A mention is complete at its last token; those of one token come first there.
        order = np.lexsort((mentions.stop - mentions.start > 1, mentions.stop, mentions.document))
    entities: dict[int, list[int]] = {}
    for entity, code in zip(mentions.entity[order].tolist(), codes[order].tolist(), strict=True):
        entities.setdefault(entity, []).append(code)
    lists: list[Entities] = [[] for _ in corpus.documents]
    owner = corpus.entities.document.tolist()
    for entity, members in entities.items():
        lists[owner[entity]].append(members)
    return lists


def _without_repeats(entities: Entities, known: set[int]) -> Entities:
    """A response mention that the key has stays where it is first; others stay everywhere."""
    seen: set[int] = set()
    kept = []
    for entity in entities:
        members = []
        for mention in entity:
            if mention not in seen:
                members.append(mention)
            if mention in known:
                seen.add(mention)
        if members:
            kept.append(members)
    return kept
