"""Requests and counts under the profile of another scorer.

Both sides are listed as the scorer sees them, per document, and its counters take the lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.errors import Caution, UsageError
from corefine.matching.documents import align_texts, pair_documents
from corefine.matching.matching import Fingerprint
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.blanc import Blanc
from corefine.metrics.registry import MetricSpec, parse, resolve
from corefine.metrics.table import MentionTable
from corefine.scoring.count import Counts, count_metric, tabulate
from corefine.scoring.fingerprint import annotation_code, fingerprint_of
from corefine.scoring.request import Request, metrics_of_layer
from corefine.scoring.scorers import corefud, ua
from corefine.scoring.scorers.counters import count
from corefine.scoring.scorers.lists import BRACKETED, entity_lists
from corefine.scoring.scorers.profile import ScorerProfile, profile_under


def request_as(
    profile: ScorerProfile,
    metrics: MetricSpec = "default",
    settings: Mapping[str, Any] | None = None,
) -> Request:
    """The request for the metrics of a scorer under its profile, with changed settings."""
    profile, usual = profile.with_settings(settings or {}), metrics in ("default", "all")
    asked = resolve(list(profile.metrics)) if usual else resolve(metrics)
    asked = _by_its_rules(metrics_of_layer(asked, profile.settings.layer, usual), profile)
    for metric in asked.values():
        if not profile.knows(metric):
            raise UsageError(
                f"{profile.name} has no metric {metric}",
                remedy=f"It has: {', '.join((*profile.metrics, *profile.layers))}.",
            )
    return Request(asked, profile.settings, scorer=profile)


def _by_its_rules(metrics: Mapping[str, Metric], profile: ScorerProfile) -> dict[str, Metric]:
    """The metrics; BLANC follows the rule of the scorer."""
    usual = (Blanc(), Blanc(layer="deixis")) if profile.blanc == "either" else ()
    return {
        name: Blanc("corefud", layer=metric.layer) if metric in usual else metric
        for name, metric in metrics.items()
    }


def request_under_preset(request: Request, scorer: str) -> Request:
    """The request under the profile of a preset's scorer, as far as the scorer can count it.

    What it cannot count is counted by corefine's conventions, with a warning.
    """
    profile = profile_under(scorer, request.settings)
    ours = "numbers follow corefine's conventions, not those of"
    if profile is None:
        why = "which does not have all of these settings"
        return replace(request, remark=f"{ours} {scorer}, {why}")
    metrics = _by_its_rules(request.metrics, profile)
    known = [name for name, metric in metrics.items() if profile.knows(metric)]
    others = {name: metric for name, metric in metrics.items() if name not in known}
    if not known:
        return replace(request, remark=f"{ours} {scorer}, which has none of these metrics")
    counted = {str(part) for name in known for part in metrics[name].needs()}
    for name, metric in others.items():
        if counted.intersection(map(str, metric.needs())):
            raise UsageError(
                f"{name} averages metrics that {scorer}, the scorer of the preset, has and others",
                remedy=f"Leave out {name}, or give the settings of the preset without --preset.",
            )
    remarks = []
    if others:
        names = ", ".join(others)
        remarks.append(f"{names}: unknown to {scorer}, counted by corefine's conventions")
    parts = [str(one) for one in request.by if not one.of_documents]
    if parts:
        remarks.append(f"scores by {', '.join(parts)}: {ours} {scorer}")
    return replace(request, metrics=metrics, scorer=profile, remark="; ".join(remarks))


def count_as(key: Corpus, response: Corpus, request: Request) -> Counts:
    """The counts of a response against a key by the scorer of the request."""
    profile = request.scorer
    assert profile is not None
    code = annotation_code(key, request.annotation_used(key))
    fingerprint = fingerprint_of(key) + Fingerprint(code=code)
    matching = pair_documents(key, response, profile.settings)
    matching = align_texts(matching, profile.settings)
    key, response = matching.key, matching.response
    needed = {name: request.needed[name] for name in request.counted_by_scorer}
    counted = _count_lists(key, response, profile)
    values = {name: counted[part.name] for name, part in needed.items() if part.name in counted}
    values |= _count_layers(key, response, needed, profile)
    # The checks before the number judge mentions that are matched exactly.
    exact = tabulate(key, response, Request({}, replace(profile.settings, match="exact")))
    minimum = key.mentions.minimum
    provenance = replace(
        matching.provenance,
        key=fingerprint,
        minimum_spans=0 if minimum is None else int(np.count_nonzero(minimum[0] >= 0)),
        evidence=exact.matching.provenance.evidence,
    )
    cautions = _cautions(key, response, profile)
    cautions += ua.split_cautions(key, response, profile, needed)
    return Counts(request, key.documents, values, (), provenance.warn(*cautions))


def refuse_other_counts(
    table: MentionTable, key: Corpus, response: Corpus, request: Request
) -> None:
    """Refuse to analyse a table whose numbers differ from the requested scorer's.

    Errors are found, and corrected responses counted, by corefine's conventions.
    """
    assert request.scorer is not None
    theirs = count_as(key, response, request).values
    others = [
        name
        for name, statistics in theirs.items()
        if not _same_scores(
            request.needed[name],
            statistics,
            count_metric(request.needed[name], table, request.settings),
        )
    ]
    if others:
        raise UsageError(
            f"{request.scorer.name}, the scorer of the preset, counts {', '.join(others)} "
            "differently on these files, and errors are analysed by corefine's conventions",
            remedy="Give its settings ('corefine presets NAME' lists them) without its name.",
            code="preset-scorer",
        )


def _same_scores(metric: Metric, theirs: Statistics, ours: Statistics) -> bool:
    """True if precision, recall and F1 of every document are equal."""
    pairs = zip(metric.score(theirs), metric.score(ours), strict=True)
    return all(
        one is None or np.allclose(one, other, rtol=0, atol=1e-9)
        for one, other in pairs
        if other is not None
    )


def _cautions(key: Corpus, response: Corpus, profile: ScorerProfile) -> list[Caution]:
    """Warn about brackets that the scorer reads in a way that is not imitated."""
    if profile.duplicates not in ("perl", "every"):
        return []
    for name, corpus in (("key", key), ("response", response)):
        if corpus.format in BRACKETED and _touches(corpus):
            text = (
                f"{name}: a mention ends at the token at which another of its entity begins, as in "
                f"1)|(1; {profile.name} reads the opening bracket first, which is not imitated"
            )
            return [Caution(text, "brackets-not-imitated")]
    return []


def _touches(corpus: Corpus) -> bool:
    """True if a mention of several tokens ends where another of its entity begins."""
    mentions = corpus.mentions
    several = mentions.stop - mentions.start > 1
    base = mentions.entity[several] * (int(mentions.stop.max(initial=0)) + 1)
    starts, ends = base + mentions.start[several], base + mentions.stop[several] - 1
    return bool(np.isin(starts, ends).any())


def _count_lists(key: Corpus, response: Corpus, profile: ScorerProfile) -> dict[str, Statistics]:
    """The statistics by name of the metric."""
    lists = entity_lists(key, response, profile)
    rows = [count(*sides, profile, lists.twins) for sides in zip(*lists.lists, strict=True)]
    counted = {
        metric: {name: np.array([row[metric][name] for row in rows], np.float64) for name in names}
        for metric, names in (rows[0].items() if rows else ())
    }
    for metric in set(profile.metrics) - {"conll", "mor", "zero"} - counted.keys():
        counted[metric] = {name: np.zeros(0) for name in parse(metric).statistic_names}
    if "mor" in profile.metrics:
        counted["mor"] = corefud.count_overlap(lists, profile)
    if "zero" in profile.metrics:
        counted["anaphors"] = corefud.count_zeros(lists, profile)
    if profile.settings.split_antecedents != "ignore":
        ua.count_split_antecedents(key, response, profile, counted)
    return counted


def _count_layers(
    key: Corpus, response: Corpus, needed: Mapping[str, Metric], profile: ScorerProfile
) -> dict[str, Statistics]:
    """The statistics of other annotations: discourse deixis by the scorer, others by corefine.

    A bridging anaphor with several antecedents has the last one.
    """
    settings = profile.settings
    values: dict[str, Statistics] = {}
    deixis = {name: one for name, one in needed.items() if one.layer == "deixis"}
    if deixis:
        own = replace(settings, singletons="keep", split_antecedents="score")
        sides = key.annotation("deixis"), response.annotation("deixis")
        counted = _count_lists(*sides, replace(profile, settings=own, duplicates="set"))
        values = {name: counted[one.name] for name, one in deixis.items()}
    others = {
        name: one for name, one in needed.items() if one.layer in ("bridging", "nonreferring")
    }
    if others:
        request = Request(others, replace(settings, match="exact"))
        table = tabulate(ua.with_last_antecedents(key), ua.with_last_antecedents(response), request)
        values |= {name: count_metric(one, table, request.settings) for name, one in others.items()}
    return values
