"""Scoring: from two corpora, however they are given, to scores."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.kinds import KindPlan, KindSpec
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec, resolve
from corefine.scoring.breakdowns import Breakdown, breakdowns_asked, joined
from corefine.scoring.scores import Scores
from corefine.scoring.statistics import CorpusStatistics
from corefine.scoring.tabulating import convention_warnings, kinds_needed, tabulate

EntityList = Iterable[Iterable[Hashable]]
Side = str | os.PathLike[str] | Corpus | EntityList | Mapping[str, EntityList]
"""A side to score: a path, a corpus, a list of entities, or documents as lists of entities."""


def as_corpus(side: Side, what: str = "side", layers: frozenset[str] = frozenset()) -> Corpus:
    """The corpus that a side stands for; a path is read, with these layers of its tokens.

    ``what`` names it in messages: the ``key``, the ``response``, or the ``response of`` a system.
    """
    if isinstance(side, Corpus):
        return side
    if isinstance(side, str | os.PathLike):
        from corefine.formats import read

        return read(side, layers=layers, side=what.partition(" ")[0])
    try:
        if isinstance(side, Mapping):
            return Corpus.from_documents(side)
        return Corpus.from_entities(side)
    except TypeError as error:
        raise UsageError(
            f"the {what} is not a corpus: {error}",
            remedy="Give a path, a Corpus, a list of entities (an entity is a list of mentions), "
            "or a dict of document ids to such lists.",
        ) from None


def score(
    key: Side,
    response: Side,
    metrics: MetricSpec = "default",
    *,
    kinds: KindSpec = "auto",
    by: str | Sequence[str] | None = None,
    engine: Any = None,
    **settings: Any,
) -> Scores:
    """Score a response against a key.

    ``metrics`` is ``"default"``, ``"all"``, a name such as ``"lea"`` or ``"blanc(rule=luo2014)"``,
    several of them, or :class:`~corefine.metrics.Metric` objects. ``kinds`` says where the metrics
    that see names, nominals and pronouns know them from: ``"auto"`` (what the file says, else its
    parts of speech), ``"format"``, ``"pos"``, ``"guess"``, ``"none"``, a file of kinds, a dict from
    mentions to kinds (or from documents to such dicts), or a function of an
    :class:`~corefine.corpus.expression.Expression`. ``by`` asks for scores by part as well
    (``"kind"``, ``"type"``, ``"overlap"``: see :mod:`corefine.scoring.breakdowns`). The settings
    (``singletons``, ``duplicates``, ``match``, …) are those of
    :class:`~corefine.Settings`. ``engine`` is a Dask client whose workers read and count
    the sides, which are then paths or patterns of paths (see :mod:`corefine.scoring.drivers.dask`).

    >>> scores = score([["a", "b", "c"]], [["a", "b"], ["c"]], metrics="muc,lea")
    >>> scores["muc"].recall
    0.5
    >>> scores["lea"].f1
    0.4444444444444444
    """
    chosen = settings_from(settings)
    asked = metrics_for(metrics, chosen)
    ways = breakdowns_asked(by)
    plan = kinds_needed(kinds, asked.values(), ways)
    if engine is not None:
        return _score_on(engine, key, response, asked, chosen, plan, ways)
    layers = frozenset() if plan is None else plan.layers
    sides = as_corpus(key, "key", layers), as_corpus(response, "response", layers)
    return score_corpora(*sides, asked, chosen, plan, ways)


def _score_on(
    client: Any,
    key: Side,
    response: Side,
    metrics: dict[str, Metric],
    settings: Settings,
    plan: KindPlan | None,
    by: Sequence[str],
) -> Scores:
    """The scores of files, counted by a cluster."""
    places = []
    for side in (key, response):
        if not isinstance(side, str | os.PathLike):
            raise UsageError("an engine scores files", remedy="Give paths or patterns of paths.")
        places.append(os.fspath(side))
    # By name: the engines stand on this module, not it on them.
    dask = import_module("corefine.scoring.drivers.dask")
    scores: Scores = dask.score_on_dask(*places, metrics, settings, plan, by, client=client)
    return scores


def metrics_for(metrics: MetricSpec, settings: Settings) -> dict[str, Metric]:
    """The metrics asked for; where entities reach beyond documents, with both sorts of links."""
    asked = resolve(metrics)
    return asked if settings.scope == "document" else {**asked, **resolve("links")}


def score_corpora(
    key: Corpus,
    response: Corpus,
    metrics: dict[str, Metric],
    settings: Settings,
    kinds: KindPlan | None = None,
    by: Sequence[str] = (),
) -> Scores:
    """The scores of two corpora by these metrics; without a plan for kinds none are looked up."""
    table, tally, warnings = tabulate(key, response, settings, kinds)
    statistics = CorpusStatistics.of(table, metrics.values())
    breakdowns = joined([tuple(Breakdown.of(way, table, metrics.values()) for way in by)])
    warnings += (*tally.warnings, *convention_warnings([*metrics.values()], settings, by))
    return Scores(metrics, statistics, settings, tally.notes, warnings, breakdowns=breakdowns)


def settings_from(settings: Mapping[str, Any]) -> Settings:
    """Settings from keyword arguments, with an error that names the one that does not exist."""
    try:
        return Settings(**settings)
    except TypeError:
        known = [field.name for field in fields(Settings)]
        unknown = next(name for name in settings if name not in known)
        raise UsageError(
            f"there is no setting {unknown!r}", remedy=f"Settings are: {', '.join(known)}."
        ) from None
