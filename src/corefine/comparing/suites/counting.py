"""Counting a suite: data sets in turn, one process a core, and each of them as if it were alone."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from corefine.comparing.suites.data_sets import DataSet, Suite
from corefine.corpus.columns import Entities
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.output.progress import Progress, silent
from corefine.scoring.count import count
from corefine.scoring.counts import Counts
from corefine.scoring.drivers.processes import in_order
from corefine.scoring.request import Request
from corefine.scoring.score import require_tagged


def count_suite(
    suite: Suite,
    request: Request,
    *,
    jobs: int | None = None,
    progress: Progress = silent,
) -> dict[str, list[Counts]]:
    """For each data set the counts of every system; of one without a response all is missed."""
    # The largest come first, so that no process is left with one when the others are done.
    ordered = sorted(suite.data_sets, key=lambda data_set: -data_set.size)
    processes = min(jobs or os.cpu_count() or 1, len(ordered))
    tasks = [(data_set, request) for data_set in ordered]
    found: dict[str, list[Counts]] = {}
    for data_set, counts in zip(ordered, in_order(_counted, tasks, processes), strict=True):
        # Workers send a request of their own with each part; one is enough.
        found[data_set.name] = [replace(one, request=request) for one in counts]
        progress("scoring data sets", len(found), len(ordered))
    copies = [one.copies for counts in found.values() for one in counts]
    require_tagged(request.settings.align, copies)
    return {data_set.name: found[data_set.name] for data_set in suite.data_sets}


def _counted(data_set: DataSet, request: Request) -> list[Counts]:
    layers, align = request.source_layers, request.settings.align
    key = data_set.key.read(layers)
    counts = []
    for side in data_set.responses:
        response = empty(key) if side is None else side.read(layers, silent, key, align)
        counts.append(_count(key, response, request))
    return counts


def _count(key: Corpus, response: Corpus, request: Request) -> Counts:
    if request.scorer is None:
        return count(key, response, request)
    from corefine.scoring.scorers.emulation import count_as

    return count_as(key, response, request)


def empty(key: Corpus) -> Corpus:
    """A response to a key that finds nothing."""
    corpus = keep_mentions(key, np.zeros(len(key.mentions), bool))
    nothing = np.zeros(0, np.int64)
    return replace(
        corpus, entities=Entities(nothing), relations=(), annotations={}, warnings=(), copies=None
    )
