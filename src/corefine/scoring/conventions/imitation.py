"""Scoring two corpora by the conventions of another scorer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
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
from corefine.metrics.base import Metric, Statistics, Triple
from corefine.metrics.blanc import Blanc
from corefine.metrics.chains import spans_of
from corefine.metrics.overlap import has_words, shared_names, shared_words
from corefine.metrics.registry import MetricSpec, parse, resolve
from corefine.scoring.conventions.antecedent_sets import (
    Met,
    Numbering,
    count_with_sets,
    relations_by_document,
)
from corefine.scoring.conventions.counting import Entities, anaphors, count
from corefine.scoring.conventions.last_opened import last_opened
from corefine.scoring.conventions.meeting import listed, met_mentions
from corefine.scoring.conventions.opening_first import opening_first, without_unbarred
from corefine.scoring.conventions.tools import Conventions
from corefine.scoring.conventions.windows import window_names, windows_of
from corefine.scoring.count import fingerprint
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
    numbered = _numbered(key, response, tool, common, windows)
    ours, theirs = numbered.lists
    rows = [count(*sides, tool, numbered.twins) for sides in zip(ours, theirs, strict=True)]
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
    statistics.values.update(_of_texts(numbered, tool))
    if tool.split_antecedents != "ignore":
        statistics = _with_sets(statistics, numbered, tool)
    request = Request(asked, common, tool=tool)
    mentions = [_total(side) for side in (ours, theirs)]
    minimum = key.mentions.minimum
    common_mentions = sum(
        len(set(chain.from_iterable(k)) & set(chain.from_iterable(r)))
        for k, r in zip(ours, theirs, strict=True)
    )
    return Counts(
        request,
        statistics,
        (),
        Tally(
            mentions[0],
            mentions[1],
            common_mentions + len(numbered.twins),
            minimum=0 if minimum is None else int(np.count_nonzero(minimum[0] >= 0)),
        ),
        identity,
        (*key.warnings, *response.warnings, *warnings, *text_warnings),
        copies=response.copies,
    )


def _with_sets(
    statistics: CorpusStatistics, numbered: Numbered, tool: Conventions
) -> CorpusStatistics:
    """The statistics with those of documents that have split antecedents, or of these alone."""
    count, alone = len(statistics.documents), tool.split_antecedents == "only"
    made_of = [relations_by_document(_split_relations(side), count) for side in numbered.sides]
    wanted = [number for number in range(count) if alone or any(one[number] for one in made_of)]
    if not wanted:
        return statistics
    ours, theirs = (numbered.entities(side, set(wanted)) for side in (0, 1))
    values = {
        metric: {name: column.copy() for name, column in columns.items()}
        for metric, columns in statistics.values.items()
    }
    for number in wanted:
        sets = Numbering()
        key = sets.listed(ours.get(number, {}), made_of[0][number])
        response = sets.listed(theirs.get(number, {}), made_of[1][number])
        found = count_with_sets(key, response, sets.elements, tool.counts, alone)
        for metric, columns in found.items():
            for name, value in columns.items():
                values[metric].setdefault(name, np.zeros(count))[number] = value
    return CorpusStatistics(statistics.documents, values)


def _split_relations(corpus: Corpus) -> Iterator[tuple[int, str, str]]:
    for relation in corpus.relations:
        if relation.kind == "split":
            yield relation.document, relation.source, relation.target


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
        zeros=given.get("zeros", tool.zeros),
        singletons=given.get("singletons", tool.singletons),
        missing_documents=given.get("missing_documents", tool.missing_documents),
        words=given.get("words", tool.words),
        split_antecedents=given.get("split_antecedents", tool.split_antecedents),
    )
    if tool.split_antecedents == "ignore" and tool.repeats == "set":
        # Entities are made sets of mentions only where their sets of antecedents count.
        tool = replace(tool, repeats="last")
    return tool, Settings(
        match=tool.match,
        zeros=tool.zeros,
        singletons=tool.singletons,
        missing_documents=tool.missing_documents,
        words=tool.words,
        split_antecedents=tool.split_antecedents,
        window=given.get("window"),
    )


def _asked(metrics: MetricSpec, tool: Conventions) -> dict[str, Metric]:
    known = resolve(list(tool.metrics))
    asked = known if metrics in ("default", "all") else resolve(metrics)
    for metric in asked.values():
        if metric not in known.values():
            raise UsageError(
                f"{tool.name} has no metric {metric}", remedy=f"It has: {', '.join(tool.metrics)}."
            )
    if tool.blanc == "either" and "blanc" in asked:
        alone = tool.split_antecedents == "only"
        asked["blanc"] = BlancOfSets() if alone else BlancOfEither()
    return asked


@dataclass(frozen=True)
class BlancOfEither(Blanc):
    """BLANC in which a half counts if either side has links of it, by the name of ``blanc``."""

    rule: str = "corefud"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class BlancOfSets(BlancOfEither):
    """BLANC of split antecedents alone: a half counts if the whole documents have links of it."""

    def score(self, totals: Mapping[str, FloatArray]) -> Triple:
        # Links that are in neither side's sets change no ratio but those that would be 0/0.
        whole = {
            f"{half}_{side}": np.where(
                (totals[f"{half}_key"] + totals[f"{half}_response"] == 0)
                & (totals[f"{half}_links"] > 0),
                1.0,
                totals[f"{half}_{side}"],
            )
            for half in ("coreferent", "separate")
            for side in ("key", "response")
        }
        return super().score({**totals, **whole})


@dataclass(frozen=True, slots=True)
class Numbered:
    """Both sides as the tool reads them, every mention with a number."""

    sides: tuple[Corpus, Corpus]
    codes: tuple[IntArray, IntArray]
    met: tuple[IntArray, IntArray]
    """The mentions that count, entity by entity as the tool meets them."""
    lists: tuple[list[Entities], list[Entities]]
    """By document, the entities as lists of mention numbers."""
    twins: Mapping[int, int]
    """The numbers by which mentions are sought on the other side, where not their own."""

    def entities(self, side: int, documents: set[int]) -> dict[int, dict[str, list[Met]]]:
        """The entities of these documents on a side, by name."""
        corpus, codes = self.sides[side], self.codes[side]
        mentions, names = corpus.mentions, corpus.entities.names
        found: dict[int, dict[str, list[Met]]] = {}
        for row in self.met[side].tolist():
            document, entity = int(mentions.document[row]), int(mentions.entity[row])
            if document in documents:
                ends = frozenset((int(mentions.start[row]), int(mentions.stop[row]) - 1))
                name = str(entity) if names is None else str(names[entity])
                met = Met(int(codes[row]), ends)
                found.setdefault(document, {}).setdefault(name, []).append(met)
        return found


def _numbered(
    key: Corpus,
    response: Corpus,
    tool: Conventions,
    settings: Settings,
    windows: TokenWindows | None,
) -> Numbered:
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
    met = met_mentions(key, codes[0], tool), met_mentions(response, codes[1], tool)
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
    return Numbered(sides, codes, met, (key_lists, response_lists), twins)


def _of_texts(numbered: Numbered, tool: Conventions) -> dict[str, Statistics]:
    """The statistics of the metrics that ask where mentions stand in the text."""
    counted: dict[str, Statistics] = {}
    once = [
        _once(side, code, rows) if tool.repeats in ("once", "set") else rows
        for side, code, rows in zip(numbered.sides, numbered.codes, numbered.met, strict=True)
    ]
    if "mor" in tool.metrics:
        counted["mor"] = _overlap(numbered, once)
    if "zero" in tool.metrics:
        counted[str(parse("zero"))] = _zeros(numbered, once, tool)
    return counted


def _once(corpus: Corpus, codes: IntArray, rows: IntArray) -> IntArray:
    """The rows without those that repeat a mention of their entity."""
    pairs = np.stack([corpus.mentions.entity[rows], codes[rows]], axis=1)
    first: IntArray = np.sort(np.unique(pairs, axis=0, return_index=True)[1])
    return rows[first]


def _overlap(numbered: Numbered, rows: list[IntArray]) -> Statistics:
    """Mention overlap; a mention of several entities counts in each."""
    rows = [np.sort(kept) for kept in rows]
    key, response = (
        keep_mentions(corpus, np.isin(np.arange(len(corpus.mentions)), kept))
        for corpus, kept in zip(numbered.sides, rows, strict=True)
    )
    documents = [side.mentions.document for side in (key, response)]
    if has_words(key) and has_words(response):
        found = shared_words(Places.of(key, response), documents)
    else:
        found = shared_names([code[kept] for code, kept in zip(numbered.codes, rows, strict=True)])
    sums: list[FloatArray] = [
        np.bincount(document, amount, len(key.documents)).astype(np.float64)
        for document, amount in (
            (documents[0][found.key], found.overlap),
            (documents[0], found.key_words),
            (documents[1], found.response_words),
        )
    ]
    names = ("precision_part", "recall_part", "recall_whole", "precision_whole")
    return dict(zip(names, (sums[0], *sums), strict=True))


def _zeros(numbered: Numbered, rows: list[IntArray], tool: Conventions) -> Statistics:
    """Anaphoric zeros; the mentions of an entity are in the order of the text."""
    lists, zeros = [], []
    for corpus, code, kept, side in zip(
        numbered.sides, numbered.codes, rows, Places.of(*numbered.sides), strict=True
    ):
        entity = corpus.mentions.entity[kept]
        place = np.full(len(corpus.entities), len(kept))
        np.minimum.at(place, entity, np.arange(len(kept)))
        spans = [column[kept] for column in spans_of(side)] if has_words(corpus) else []
        in_text = kept[np.lexsort((np.arange(len(kept)), *spans, place[entity]))]
        lists.append(_listed(corpus, code, in_text, None, tool))
        zeros.append(_listed(corpus, side.zero.astype(np.int64), in_text, None, tool))
    counts = [
        anaphors(key, response, (ours, theirs), numbered.twins)
        for key, response, ours, theirs in zip(*lists, *zeros, strict=True)
    ]
    names = ("tp", "wl", "fn", "fp")
    return {name: np.array([one[name] for one in counts], np.float64) for name in names}


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
    met: tuple[IntArray, IntArray],
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
