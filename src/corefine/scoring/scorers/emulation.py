"""Counts of two corpora under the profile of another scorer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import UsageError
from corefine.matching.documents import pair_documents
from corefine.matching.fingerprint import Fingerprint, annotation_code
from corefine.matching.matched import Tally
from corefine.matching.places import Places
from corefine.matching.same_text import align_texts
from corefine.matching.units import TokenWindows
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.blanc import Blanc
from corefine.metrics.chains import spans_of
from corefine.metrics.layers import Deixis
from corefine.metrics.overlap import has_words, shared_names, shared_words
from corefine.metrics.registry import MetricSpec, parse, resolve
from corefine.scoring.count import tabulate
from corefine.scoring.counts import Counts, metric_statistics
from corefine.scoring.request import Request, in_layer
from corefine.scoring.scorers.counters import anaphors, count
from corefine.scoring.scorers.entity_lists import EntityLists, entity_lists, listed
from corefine.scoring.scorers.profiles import ScorerProfile, profile_under
from corefine.scoring.scorers.transformations import window_names


def request_as(
    profile: ScorerProfile,
    metrics: MetricSpec = "default",
    settings: Mapping[str, Any] | None = None,
) -> Request:
    """The request for the metrics of a scorer under its profile, with changed settings."""
    profile = profile.with_settings(settings or {})
    return Request(_requested(metrics, profile), profile.settings, scorer=profile)


def _requested(metrics: MetricSpec, profile: ScorerProfile) -> dict[str, Metric]:
    usual = metrics in ("default", "all")
    requested = resolve(list(profile.metrics)) if usual else resolve(metrics)
    return _supported(in_layer(requested, profile.settings.layer, usual), profile)


def _supported(metrics: Mapping[str, Metric], profile: ScorerProfile) -> dict[str, Metric]:
    """The metrics by the rules of the scorer; those that it does not have are refused."""
    known = {str(one) for one in resolve([*profile.metrics, *profile.layers]).values()}
    requested = dict(metrics)
    either = profile.blanc == "either"
    for name, metric in requested.items():
        counted = metric.metric if profile.layers and isinstance(metric, Deixis) else metric
        if either and counted in (Blanc(), Blanc("corefud")):
            rule = Blanc("corefud")
            requested[name] = rule if counted is metric else Deixis(str(rule))
        elif str(counted) not in known:
            raise UsageError(
                f"{profile.name} has no metric {metric}",
                remedy=f"It has: {', '.join((*profile.metrics, *profile.layers))}.",
            )
    return requested


def request_under_preset(request: Request, scorer: str) -> Request:
    """The request under the profile of a scorer, if it has the settings and metrics requested."""
    profile = profile_under(scorer, request.settings)
    if profile is None or request.by or request.shows_kinds:
        return request
    try:
        return replace(request, metrics=_supported(request.metrics, profile), scorer=profile)
    except UsageError:
        return request


def count_as(key: Corpus, response: Corpus, request: Request) -> Counts:
    """The counts of a response against a key by the scorer of the request."""
    profile = request.scorer
    assert profile is not None
    fingerprint = Fingerprint.of(key).with_annotation(
        annotation_code(key, request.annotation_used(key))
    )
    pair = pair_documents(key, response, profile.settings)
    pair = align_texts(pair, profile.settings)
    key, response = pair.key, pair.response
    needed = request.needed
    lists, documents, counted = _count_lists(key, response, profile)
    values = {name: counted[part.name] for name, part in needed.items() if part.name in counted}
    values |= _count_layers(key, response, needed, profile)
    minimum = key.mentions.minimum
    common = sum(
        len(set(chain.from_iterable(ours)) & set(chain.from_iterable(theirs)))
        for ours, theirs in zip(*lists.lists, strict=True)
    )
    return Counts(
        request,
        documents,
        values,
        (),
        Tally(
            *lists.sizes,
            common + len(lists.twins),
            minimum=0 if minimum is None else int(np.count_nonzero(minimum[0] >= 0)),
        ),
        fingerprint,
        pair.warnings,
        copies=response.copies,
    )


def _count_lists(
    key: Corpus, response: Corpus, profile: ScorerProfile
) -> tuple[EntityLists, tuple[str, ...], dict[str, Statistics]]:
    """The entity lists, the documents or windows, and the statistics by name of the metric."""
    window = profile.settings.window
    windows = None if window is None else TokenWindows.of(key, response, window)
    documents = key.documents if windows is None else window_names(windows, profile)
    lists = entity_lists(key, response, profile, windows)
    rows = [count(*sides, profile, lists.twins) for sides in zip(*lists.lists, strict=True)]
    counted = {
        metric: {name: np.array([row[metric][name] for row in rows], np.float64) for name in names}
        for metric, names in (rows[0].items() if rows else ())
    }
    for metric in set(profile.metrics) - {"conll", "mor", "zero"} - counted.keys():
        counted[metric] = {name: np.zeros(0) for name in parse(metric).statistic_names}
    if "mor" in profile.metrics:
        counted["mor"] = _count_overlap(lists, profile)
    if "zero" in profile.metrics:
        counted["anaphors"] = _count_zeros(lists, profile)
    if profile.settings.split_antecedents != "ignore":
        _count_split_antecedents(key, response, profile, counted)
    return lists, documents, counted


def _count_split_antecedents(
    key: Corpus, response: Corpus, profile: ScorerProfile, counted: dict[str, Statistics]
) -> None:
    """Replace the statistics of documents with split antecedents by those of corefine's metrics."""
    only = profile.settings.split_antecedents == "only"
    concerned = {
        relation.document
        for corpus in (key, response)
        for relation in corpus.relations
        if relation.kind == "split"
    }
    rows = np.arange(len(key.documents)) if only else np.array(sorted(concerned), np.int64)
    if not len(rows):
        return
    metrics = {name: parse(name) for name in counted}
    if profile.blanc == "either" and "blanc" in metrics:
        metrics["blanc"] = Blanc("corefud")
    table = tabulate(key, response, Request(metrics, profile.settings))
    for name, metric in metrics.items():
        for statistic, values in metric.count(table).items():
            counted[name][statistic][rows] = values[rows]


def _count_layers(
    key: Corpus, response: Corpus, needed: Mapping[str, Metric], profile: ScorerProfile
) -> dict[str, Statistics]:
    """The statistics of other annotations: discourse deixis by the scorer, others by corefine.

    A bridging anaphor with several antecedents has the last one.
    """
    settings = profile.settings
    values: dict[str, Statistics] = {}
    deixis = {name: one for name, one in needed.items() if isinstance(one, Deixis)}
    if deixis:
        own = replace(settings, singletons="keep", split_antecedents="score")
        sides = key.annotation("deixis"), response.annotation("deixis")
        _, _, counted = _count_lists(*sides, replace(profile, settings=own, duplicates="set"))
        values = {name: counted[one.metric.name] for name, one in deixis.items()}
    others = {
        name: one
        for name, one in needed.items()
        if one.properties.layer in ("bridging", "nonreferring")
    }
    if others:
        request = Request(others, replace(settings, match="exact"))
        table = tabulate(_with_last_antecedents(key), _with_last_antecedents(response), request)
        values |= metric_statistics(table, others.values())
    return values


def _with_last_antecedents(corpus: Corpus) -> Corpus:
    bridges = [one for one in corpus.relations if one.kind == "bridge" and one.anaphor]
    last = {(one.document, one.anaphor): one for one in bridges}
    dropped = {id(one) for one in bridges if last[one.document, one.anaphor] is not one}
    kept = tuple(one for one in corpus.relations if id(one) not in dropped)
    return replace(corpus, relations=kept)


def _count_overlap(lists: EntityLists, profile: ScorerProfile) -> Statistics:
    """Mention overlap; a mention of several entities counts in each."""
    rows = [np.sort(kept) for kept in _distinct(lists, profile)]
    key, response = (
        keep_mentions(corpus, np.isin(np.arange(len(corpus.mentions)), kept))
        for corpus, kept in zip(lists.corpora, rows, strict=True)
    )
    documents = [side.mentions.document for side in (key, response)]
    if has_words(key) and has_words(response):
        found = shared_words(Places.of(key, response), documents)
    else:
        found = shared_names([code[kept] for code, kept in zip(lists.codes, rows, strict=True)])

    def sums(document: IntArray, words: IntArray) -> Any:
        return np.bincount(document, words, len(key.documents)).astype(np.float64)

    common = sums(documents[0][found.key], found.overlap)
    return {
        "precision_part": common,
        "precision_whole": sums(documents[1], found.response_words),
        "recall_part": common,
        "recall_whole": sums(documents[0], found.key_words),
    }


def _count_zeros(lists: EntityLists, profile: ScorerProfile) -> Statistics:
    """Anaphoric zeros; the mentions of an entity are in text order."""
    entities, zeros = [], []
    for corpus, code, kept, side in zip(
        lists.corpora,
        lists.codes,
        _distinct(lists, profile),
        Places.of(*lists.corpora),
        strict=True,
    ):
        entity = corpus.mentions.entity[kept]
        first = np.full(len(corpus.entities), len(kept))
        np.minimum.at(first, entity, np.arange(len(kept)))
        spans = [column[kept] for column in spans_of(side)] if has_words(corpus) else []
        in_text = kept[np.lexsort((np.arange(len(kept)), *spans, first[entity]))]
        entities.append(listed(corpus, code, in_text, None, profile))
        zeros.append(listed(corpus, side.zero.astype(np.int64), in_text, None, profile))
    counts = [
        anaphors(key, response, (ours, theirs), lists.twins)
        for key, response, ours, theirs in zip(*entities, *zeros, strict=True)
    ]
    names = ("tp", "wl", "fn", "fp")
    return {name: np.array([one[name] for one in counts], np.float64) for name in names}


def _distinct(lists: EntityLists, profile: ScorerProfile) -> list[IntArray]:
    """The mentions that count, without those that an entity repeats if the scorer drops these."""
    if profile.duplicates not in ("once", "set"):
        return list(lists.order)
    distinct = []
    for corpus, codes, rows in zip(lists.corpora, lists.codes, lists.order, strict=True):
        pairs = np.stack([corpus.mentions.entity[rows], codes[rows]], axis=1)
        distinct.append(rows[np.sort(np.unique(pairs, axis=0, return_index=True)[1])])
    return distinct
