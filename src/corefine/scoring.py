"""Scoring: from two corpora, however they are given, to scores."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from corefine.corpus import Corpus
from corefine.errors import UsageError
from corefine.matching import match
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec, resolve
from corefine.scores import Scores
from corefine.settings import Settings
from corefine.statistics import CorpusStatistics
from corefine.table import Table

EntityList = Iterable[Iterable[Hashable]]
Side = str | os.PathLike[str] | Corpus | EntityList | Mapping[str, EntityList]
"""A side to score: a path, a corpus, a list of entities, or documents as lists of entities."""


def as_corpus(side: Side, what: str = "side") -> Corpus:
    """The corpus that a side stands for; a path is read."""
    if isinstance(side, Corpus):
        return side
    if isinstance(side, str | os.PathLike):
        from corefine.formats import read

        return read(side, layers=frozenset())
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
    **settings: Any,
) -> Scores:
    """Score a response against a key.

    ``metrics`` is ``"default"``, ``"all"``, a name such as ``"lea"`` or ``"blanc(rule=luo2014)"``,
    several of them, or :class:`~corefine.metrics.Metric` objects. The settings (``singletons``,
    ``duplicates``, ``match``, …) are those of :class:`~corefine.settings.Settings`.

    >>> scores = score([["a", "b", "c"]], [["a", "b"], ["c"]], metrics="muc,lea")
    >>> scores["muc"].recall
    0.5
    >>> scores["lea"].f1
    0.4
    """
    return score_corpora(
        as_corpus(key, "key"),
        as_corpus(response, "response"),
        resolve(metrics),
        settings_from(settings),
    )


def score_corpora(
    key: Corpus, response: Corpus, metrics: dict[str, Metric], settings: Settings
) -> Scores:
    """The scores of two corpora by these metrics."""
    matched = match(key, response, settings)
    statistics = CorpusStatistics.of(Table.of(matched), metrics.values())
    warnings = (*matched.warnings, *empty_warnings(*matched.counts))
    return Scores(metrics, statistics, settings, warnings=warnings)


def empty_warnings(key: int, response: int, common: int) -> list[str]:
    """Why all scores are zero, where the numbers of mentions say so: never a silent 0.00."""
    if not key:
        return ["the key has no mentions"]
    if not response:
        return ["the response has no mentions"]
    return [] if common else ["no mention of the response is a mention of the key"]


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
