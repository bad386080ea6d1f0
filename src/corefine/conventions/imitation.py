"""Scoring two corpora by the conventions of another scorer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from corefine.columns import FloatArray, IntArray
from corefine.conventions.counting import Entities, count
from corefine.conventions.opening_first import opening_first
from corefine.conventions.tools import Conventions
from corefine.corpus import Corpus
from corefine.errors import UsageError
from corefine.matching import match
from corefine.matching.documents import pair_documents
from corefine.matching.identity import first_occurrences, identify
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
"""The Perl scorer gives up on a response that repeats more mentions of the key than this."""

OVERRIDES = ("match", "zeros", "singletons", "missing_documents", "words")
"""The settings that may be another than the tool's."""


def score_as(
    key: Corpus,
    response: Corpus,
    tool: Conventions,
    metrics: str = "default",
    settings: Mapping[str, str] | None = None,
) -> Scores:
    """The scores that the tool gives; ``settings`` overrides some of its conventions.

    Metrics that the tool does not have are an error if they are asked for by name.
    """
    tool, common = overridden(tool, settings)
    asked = _asked(metrics, tool)
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


def overridden(
    tool: Conventions, settings: Mapping[str, str] | None
) -> tuple[Conventions, Settings]:
    """The conventions with the settings that are given (of :data:`OVERRIDES`), and the settings."""
    given = dict(settings or {})
    for name in given:
        if name not in OVERRIDES:
            option = name.replace("_", "-")
            raise UsageError(
                f"--{option} cannot be combined with --as or --why-differs",
                remedy=f"What {tool.name} does is part of its conventions; leave --{option} out.",
            )
    tool = replace(
        tool,
        match=given.get("match", tool.match),
        singletons=given.get("singletons", tool.singletons),
        missing_documents=given.get("missing_documents", tool.missing_documents),
    )
    default = Settings()
    return tool, Settings(
        match=tool.match,
        zeros=given.get("zeros", default.zeros),
        singletons=tool.singletons,
        missing_documents=tool.missing_documents,
        words=given.get("words", default.words),
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
    if tool.brackets == "opening first":
        key, response = opening_first(key), opening_first(response)
    if tool.repeats == "first":
        key, response = _without_later(key, settings), _without_later(response, settings)
    if tool.singletons == "drop":
        every = tool.repeats == "every"
        key, response = _without_singletons(key, every), _without_singletons(response, every)
    codes = identify(*Places.of(key, response), settings.match == "head")
    ours, theirs = codes
    if settings.match != "exact" or _has_zeros(key):
        ours, theirs = _matched_codes(key, response, codes, settings)
    key_lists, response_lists = _lists(key, ours, tool), _lists(response, theirs, tool)
    if tool.repeats == "perl":
        known = [{m for entity in entities for m in entity} for entities in key_lists]
        before = _total(response_lists)
        response_lists = [
            _without_repeats(entities, mentions)
            for entities, mentions in zip(response_lists, known, strict=True)
        ]
        _refuse_many_repeats(before - _total(response_lists))
    return key_lists, response_lists


def _total(lists: list[Entities]) -> int:
    return sum(len(entity) for entities in lists for entity in entities)


def _has_zeros(corpus: Corpus) -> bool:
    return corpus.tokens is not None and corpus.tokens.empty is not None


def _without_later(corpus: Corpus, settings: Settings) -> Corpus:
    """Keep every mention where the source gives it first."""
    codes, _ = identify(*Places.of(corpus, corpus), settings.match == "head")
    wanted, _ = first_occurrences(corpus, codes, settings)
    return corpus if wanted is None else keep_mentions(corpus, wanted)


def _without_singletons(corpus: Corpus, every: bool) -> Corpus:
    """Drop entities of one mention, a mention given twice being two (``every``) or one."""
    members = corpus.mentions.entity
    if not every:
        codes, _ = identify(*Places.of(corpus, corpus))
        members = np.unique(np.stack([members, codes], axis=1), axis=0)[:, 0]
    sizes = np.bincount(members, minlength=len(corpus.entities))
    return keep_mentions(corpus, sizes[corpus.mentions.entity] > 1)


def _refuse_many_repeats(repeated: int) -> None:
    if repeated > REFUSED_REPEATS:
        raise UsageError(
            f"perl-8.01 refuses this response: it repeats {repeated:,} mentions of the key",
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
    entities: dict[int, list[int]] = {}
    order = np.arange(len(mentions))
    if corpus.has_places and tool.repeats in ("perl", "every"):
        # At a token, mentions of it alone come first, then those that open or are complete there.
        closing = mentions.closing
        if closing is None:
            closing = np.where(mentions.stop - mentions.start > 1, 0, -1)
        order = np.lexsort((closing, mentions.stop, mentions.document))
        if tool.repeats == "perl":
            # This one meets an entity where its first mention opens, others where one is complete.
            opening = np.lexsort((closing >= 0, mentions.start, mentions.document))
            entities = {entity: [] for entity in mentions.entity[opening].tolist()}
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
