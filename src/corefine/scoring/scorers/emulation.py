"""Scoring two corpora by the conventions of another scorer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.matching.documents import pair_documents
from corefine.matching.same_text import align_texts
from corefine.matching.settings import Settings
from corefine.matching.token_windows import TokenWindows
from corefine.metrics.base import Metric, Statistics, Triple
from corefine.metrics.blanc import Blanc
from corefine.metrics.layers import Deixis
from corefine.metrics.registry import MetricSpec, resolve
from corefine.scoring.count import fingerprint, tabulate
from corefine.scoring.counts import Counts, Tally
from corefine.scoring.request import Request, in_layer
from corefine.scoring.scorers.antecedent_sets import (
    Numbering,
    count_with_sets,
    relations_by_document,
)
from corefine.scoring.scorers.counting import count
from corefine.scoring.scorers.numbering import Numbered, number_mentions, total
from corefine.scoring.scorers.profiles import ScorerProfile
from corefine.scoring.scorers.texts import count_texts
from corefine.scoring.scorers.windows import window_names
from corefine.scoring.statistics import CorpusStatistics

OVERRIDES = (
    "match", "zeros", "singletons", "missing_documents", "words", "split_antecedents",
    "window", "layer",
)  # fmt: skip
"""The settings that may be another than the tool's."""


def count_as(
    key: Corpus,
    response: Corpus,
    tool: ScorerProfile,
    metrics: MetricSpec = "default",
    settings: Mapping[str, Any] | None = None,
) -> Counts:
    """The counts that the tool makes; ``settings`` overrides some of its conventions.

    Metrics that the tool does not have are an error if they are asked for by name.
    """
    return count_imitated(key, response, request_as(tool, metrics, settings))


def request_as(
    tool: ScorerProfile,
    metrics: MetricSpec = "default",
    settings: Mapping[str, Any] | None = None,
) -> Request:
    """What is asked of the tool: its metrics under its conventions, some of them overridden."""
    tool, common = overridden(tool, settings)
    return Request(_asked(metrics, tool, common.layer), common, scorer=tool)


def count_imitated(key: Corpus, response: Corpus, request: Request) -> Counts:
    """The counts of a response against a key, as the tool of the request makes them."""
    tool, common = request.scorer, request.settings
    assert tool is not None
    asked = request.metrics
    identity = fingerprint(key, "document")
    key, response, warnings = pair_documents(key, response, common)
    key, response, text_warnings = align_texts(key, response, common)
    numbered, statistics = _counted(key, response, tool, common)
    statistics.values.update(_of_layers(key, response, asked, tool, common))
    ours, theirs = numbered.lists
    mentions = [total(side) for side in (ours, theirs)]
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


def _counted(
    key: Corpus, response: Corpus, tool: ScorerProfile, settings: Settings
) -> tuple[Numbered, CorpusStatistics]:
    """The mentions of both sides, numbered, and the statistics of the tool's metrics."""
    windows = None
    if settings.window is not None:
        windows = TokenWindows.of(key, response, settings.window)
    numbered = number_mentions(key, response, tool, settings, windows)
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
    statistics.values.update(count_texts(numbered, tool))
    if tool.split_antecedents != "ignore":
        statistics = _with_sets(statistics, numbered, tool)
    return numbered, statistics


def _of_layers(
    key: Corpus,
    response: Corpus,
    asked: Mapping[str, Metric],
    tool: ScorerProfile,
    settings: Settings,
) -> dict[str, Statistics]:
    """The statistics of other annotations: discourse deixis by the tool's metrics, others by ours.

    An anaphor that has several bridging antecedents has the last of them.
    """
    needed = {str(part): part for metric in asked.values() for part in metric.needs()}
    values: dict[str, Statistics] = {}
    deixis = {name: one for name, one in needed.items() if isinstance(one, Deixis)}
    if deixis:
        whole = replace(tool, singletons="keep", split_antecedents="score", repeats="set")
        own = replace(settings, singletons="keep", split_antecedents="score")
        sides = key.annotation("deixis"), response.annotation("deixis")
        counted = _counted(*sides, whole, own)[1].values
        values = {name: counted[one.metric.name] for name, one in deixis.items()}
    others = {
        name: one
        for name, one in needed.items()
        if one.properties.layer in ("bridging", "nonreferring")
    }
    if others:
        request = Request(others, replace(settings, match="exact"))
        table = tabulate(_with_last_links(key), _with_last_links(response), request).table
        values |= CorpusStatistics.of(table, others.values()).values
    return values


def _with_last_links(corpus: Corpus) -> Corpus:
    last = {(one.kind, one.document, one.anaphor): one for one in corpus.relations if one.anaphor}
    kept = tuple(
        one
        for one in corpus.relations
        if one.kind != "bridge"
        or one.anaphor is None
        or last[one.kind, one.document, one.anaphor] is one
    )
    return replace(corpus, relations=kept)


def _with_sets(
    statistics: CorpusStatistics, numbered: Numbered, tool: ScorerProfile
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
    tool: ScorerProfile, settings: Mapping[str, Any] | None
) -> tuple[ScorerProfile, Settings]:
    """The conventions with the settings that are given (of :data:`OVERRIDES`), and the settings."""
    given = dict(settings or {})
    for name in given:
        unknown = (
            (name == "split_antecedents" and tool.split_antecedents == "ignore")
            or (name == "window" and given[name] is not None and not tool.windows)
            or (name == "layer" and not tool.layers)
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
        layer=given.get("layer", "identity"),
    )


def _asked(metrics: MetricSpec, tool: ScorerProfile, layer: str) -> dict[str, Metric]:
    known = [str(one) for one in resolve([*tool.metrics, *tool.layers]).values()]
    usual = metrics in ("default", "all")
    asked = resolve(list(tool.metrics)) if usual else resolve(metrics)
    asked = in_layer(asked, layer, usual)
    for name, metric in asked.items():
        one: Metric = metric
        if tool.layers and isinstance(metric, Deixis):
            one = metric.metric
            if isinstance(one, Blanc) and tool.blanc == "either":
                asked[name] = Deixis(str(Blanc("corefud")))
        if str(one) not in known:
            raise UsageError(
                f"{tool.name} has no metric {metric}",
                remedy=f"It has: {', '.join((*tool.metrics, *tool.layers))}.",
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
