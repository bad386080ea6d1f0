"""Scoring two corpora by the conventions of another scorer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import UsageError
from corefine.matching.documents import pair_documents
from corefine.matching.identity import first_occurrences, identify
from corefine.matching.match import match
from corefine.matching.places import Places
from corefine.matching.same_text import align_texts
from corefine.matching.settings import Settings
from corefine.matching.token_windows import TokenWindows
from corefine.metrics.base import Metric
from corefine.metrics.blanc import Blanc
from corefine.metrics.registry import MetricSpec, parse, resolve
from corefine.metrics.split_antecedents import set_pairs
from corefine.scoring.conventions.counting import Entities, count
from corefine.scoring.conventions.last_opened import last_opened
from corefine.scoring.conventions.meeting import listed, met_mentions
from corefine.scoring.conventions.opening_first import opening_first, without_unbarred
from corefine.scoring.conventions.tools import Conventions
from corefine.scoring.conventions.windows import window_names, windows_of
from corefine.scoring.count import fingerprint, tabulate
from corefine.scoring.counts import Counts, Tally
from corefine.scoring.request import Request
from corefine.scoring.statistics import CorpusStatistics

REFUSED_REPEATS = 10
"""The Perl scorer gives up on a response that repeats more mentions of the key than this."""

OVERRIDES = (
    "match", "zeros", "singletons", "missing_documents", "words", "split_antecedents",
    "window",
)  # fmt: skip
"""The settings that may be another than the tool's."""


def count_as(
    key: Corpus,
    response: Corpus,
    tool: Conventions,
    metrics: MetricSpec = "default",
    settings: Mapping[str, Any] | None = None,
) -> Counts:
    """The counts that the tool makes; ``settings`` overrides some of its conventions.

    Metrics that the tool does not have are an error if they are asked for by name.
    """
    identity = fingerprint(key, "document")
    tool, common = overridden(tool, settings)
    asked = _asked(metrics, tool)
    key, response, warnings = pair_documents(key, response, common)
    key, response, text_warnings = align_texts(key, response, common)
    windows = None
    if common.window is not None:
        windows = TokenWindows.of(key, response, common.window)
    ours, theirs, twins = _numbered(key, response, tool, common, windows)
    rows = [count(*sides, tool, twins) for sides in zip(ours, theirs, strict=True)]
    statistics = CorpusStatistics(
        key.documents if windows is None else window_names(windows, tool),
        {
            name: {
                column: np.array([row[name][column] for row in rows], np.float64)
                for column in (rows[0][name] if rows else ())
            }
            for name in tool.counts
        },
    )
    if common.split_antecedents != "ignore":
        statistics = _with_sets(statistics, key, response, common)
    request = Request(asked, common, tool=tool)
    mentions = [_total(side) for side in (ours, theirs)]
    common_mentions = sum(
        len(set(chain.from_iterable(k)) & set(chain.from_iterable(r)))
        for k, r in zip(ours, theirs, strict=True)
    )
    return Counts(
        request,
        statistics,
        (),
        Tally(mentions[0], mentions[1], common_mentions + len(twins)),
        identity,
        (*key.warnings, *response.warnings, *warnings, *text_warnings),
        copies=response.copies,
    )


def _with_sets(
    statistics: CorpusStatistics, key: Corpus, response: Corpus, settings: Settings
) -> CorpusStatistics:
    """The statistics with those of documents that have split antecedents, counted by corefine.

    A mention that such a document repeats stays where it is first.
    """
    metrics = {name: parse(name) for name in statistics.values}
    request = Request(metrics, settings)
    table = tabulate(key, response, request).table
    sets = set_pairs(table)
    everything = np.arange(len(statistics.documents))
    documents = everything[:0] if sets is None else sets.documents
    if settings.split_antecedents == "only":
        documents = everything
    counted = CorpusStatistics.of(table, metrics.values()).values
    values = {
        metric: {name: column.copy() for name, column in columns.items()}
        for metric, columns in statistics.values.items()
    }
    for metric, columns in values.items():
        for name, column in columns.items():
            column[documents] = counted[metric][name][documents]
    return CorpusStatistics(statistics.documents, values)


def overridden(
    tool: Conventions, settings: Mapping[str, Any] | None
) -> tuple[Conventions, Settings]:
    """The conventions with the settings that are given (of :data:`OVERRIDES`), and the settings."""
    given = dict(settings or {})
    for name in given:
        unknown = (name == "split_antecedents" and tool.split_antecedents == "ignore") or (
            name == "window" and given[name] is not None and not tool.windows
        )
        if name not in OVERRIDES or unknown:
            option = name.replace("_", "-")
            raise UsageError(
                f"--{option} cannot be combined with --as or --why-differs",
                remedy=f"{tool.name}'s conventions determine this; leave out --{option}.",
            )
    tool = replace(
        tool,
        match=given.get("match", tool.match),
        singletons=given.get("singletons", tool.singletons),
        missing_documents=given.get("missing_documents", tool.missing_documents),
        words=given.get("words", tool.words),
        split_antecedents=given.get("split_antecedents", tool.split_antecedents),
    )
    default = Settings()
    return tool, Settings(
        match=tool.match,
        zeros=given.get("zeros", default.zeros),
        singletons=tool.singletons,
        missing_documents=tool.missing_documents,
        words=tool.words,
        split_antecedents=tool.split_antecedents,
        window=given.get("window"),
    )


def _asked(metrics: MetricSpec, tool: Conventions) -> dict[str, Metric]:
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
    """BLANC in which a half counts if either side has links of it, by the name of ``blanc``."""

    rule: str = "corefud"

    def __str__(self) -> str:
        return self.name


def _numbered(
    key: Corpus,
    response: Corpus,
    tool: Conventions,
    settings: Settings,
    windows: TokenWindows | None,
) -> tuple[list[Entities], list[Entities], Mapping[int, int]]:
    """Both sides as lists of mention numbers, by document or window, and the numbers of twins.

    Matched mentions share a number, unless the tool looks them up by place: then the same number is
    the same place, and the twins of mentions at other places come with it.
    """
    if tool.brackets == "opening first":
        key, response = opening_first(key), opening_first(response)
    if tool.brackets == "last opened":
        key, response = last_opened(key), last_opened(response)
    if tool.overlooks_unbarred:
        key, response = without_unbarred(key), without_unbarred(response)
    if tool.heads == "the first word":
        key, response = _headed_by_first_word(key), _headed_by_first_word(response)
    if tool.repeats == "first":
        key, response = _without_later(key, settings), _without_later(response, settings)
    sides = (key, response)
    codes = identify(*Places.of(key, response), settings.match == "head")
    met = [met_mentions(corpus, code, tool) for corpus, code in zip(sides, codes, strict=True)]
    twins: dict[int, int] = {}
    if settings.match != "exact" or _has_zeros(key):
        pairs = _matched_codes(sides, codes, met, settings)
        if tool.looks_up_places:
            moved = [(ours, theirs) for ours, theirs in pairs if ours != theirs]
            # A place that both sides have keeps what the response's mention there is to the key.
            twins = dict(moved) | {theirs: ours for ours, theirs in moved}
        else:
            codes = codes[0], _shared_codes(codes, pairs)
    key_lists, response_lists = (
        _listed(corpus, code, rows, windows, tool)
        for corpus, code, rows in zip(sides, codes, met, strict=True)
    )
    if tool.repeats == "perl":
        known = [{m for entity in entities for m in entity} for entities in key_lists]
        before = _total(response_lists)
        response_lists = [
            _without_repeats(entities, mentions)
            for entities, mentions in zip(response_lists, known, strict=True)
        ]
        _refuse_many_repeats(before - _total(response_lists))
    return key_lists, response_lists, twins


def _listed(
    corpus: Corpus, codes: IntArray, met: IntArray, windows: TokenWindows | None, tool: Conventions
) -> list[Entities]:
    if windows is None:
        return listed(corpus, codes, met, corpus.mentions.document[met], len(corpus.documents))
    rows, units = windows_of(windows, corpus, met, tool)
    return listed(corpus, codes, rows, units, len(window_names(windows, tool)))


def _total(lists: list[Entities]) -> int:
    return sum(len(entity) for entities in lists for entity in entities)


def _has_zeros(corpus: Corpus) -> bool:
    return corpus.tokens is not None and corpus.tokens.empty is not None


def _headed_by_first_word(corpus: Corpus) -> Corpus:
    """The corpus with the first word for a head that the file does not give."""
    mentions = corpus.mentions
    if mentions.head is None:
        return replace(corpus, mentions=replace(mentions, head=mentions.start))
    if mentions.head_found is None:
        return corpus
    head = np.where(mentions.head_found, mentions.start, mentions.head)
    return replace(corpus, mentions=replace(mentions, head=head))


def _without_later(corpus: Corpus, settings: Settings) -> Corpus:
    """Keep every mention where the source gives it first."""
    codes, _ = identify(*Places.of(corpus, corpus), settings.match == "head")
    wanted, _ = first_occurrences(corpus, codes, settings)
    return keep_mentions(corpus, wanted)


def _refuse_many_repeats(repeated: int) -> None:
    if repeated > REFUSED_REPEATS:
        raise UsageError(
            f"perl-8.01 rejects this response: it repeats {repeated:,} mentions of the key",
            remedy="Remove the duplicates ('corefine check' lists them), or score without --as.",
        )


def _matched_codes(
    sides: tuple[Corpus, Corpus],
    codes: tuple[IntArray, IntArray],
    met: list[IntArray],
    settings: Settings,
) -> list[tuple[int, int]]:
    """The numbers of matched mentions, of the key and of the response."""
    numbers, corpora = [], []
    for corpus, code, rows in zip(sides, codes, met, strict=True):
        wanted = np.zeros(len(code), bool)
        wanted[rows[np.unique(code[rows], return_index=True)[1]]] = True
        numbers.append(code[wanted])
        corpora.append(keep_mentions(corpus, wanted))
    matched = match(corpora[0], corpora[1], replace(settings, singletons="keep"))
    both = (matched.response_mention >= 0) & (matched.key_mention >= 0)
    ours = numbers[0][matched.key_mention[both]].tolist()
    return list(zip(ours, numbers[1][matched.response_mention[both]].tolist(), strict=True))


def _shared_codes(codes: tuple[IntArray, IntArray], pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Numbers of the response's mentions: their twins', or such as no mention of the key has."""
    free = 1 + max(int(np.abs(side).max(initial=0)) for side in codes)
    number = {code: free + place for place, code in enumerate(dict.fromkeys(codes[1].tolist()))}
    number |= {theirs: ours for ours, theirs in pairs}
    return np.array([number[code] for code in codes[1].tolist()], np.int64)


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
