"""The numbers of a stored result: written in few digits, read back to the last bit, and checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.copying import Copies
from corefine.errors import FormatError, Location, UsageError
from corefine.metrics.base import RatioMetric, Statistics
from corefine.metrics.registry import parse
from corefine.scoring.breakdowns.counts import BreakdownCounts
from corefine.scoring.scores import Scores
from corefine.scoring.statistics import CorpusStatistics

if TYPE_CHECKING:
    from corefine.scoring.stored_form import Columns

BEYOND = 1e100
"""No statistic is as large as this; products of larger ones would overflow."""
ROUNDING = 1e-9
"""How far counts may be below 0, and scores outside their range, by rounding."""


def plain(statistics: Mapping[str, Statistics]) -> dict[str, Columns]:
    return {
        metric: {name: [_number(value) for value in column.tolist()] for name, column in of.items()}
        for metric, of in statistics.items()
    }


def _number(value: float) -> float | int:
    """The number in as few digits as say it: 12 instead of 12.0."""
    if not np.isfinite(value):
        raise UsageError("scores with statistics that are not finite cannot be saved")
    if abs(value) > BEYOND:
        raise UsageError(f"a statistic beyond ±{BEYOND:g} cannot be stored")
    # Minus zero is no whole number: its sign would be lost.
    whole = value.is_integer() and abs(value) < 2**53 and str(value) != "-0.0"
    return int(value) if whole else value


def statistics_of(
    stored: Mapping[str, Columns], documents: int, place: Location
) -> dict[str, Statistics]:
    found: dict[str, Statistics] = {}
    for metric, columns in stored.items():
        found[metric] = {}
        for name, column in columns.items():
            if any(abs(value) > BEYOND for value in column):
                raise damaged(f"{metric} has a number beyond ±{BEYOND:g}", place)
            found[metric][name] = np.array(column, np.float64)
            if len(column) != documents:
                raise damaged(
                    f"{metric} has {len(column):,} values of {name} for {documents:,} documents",
                    place,
                )
    return found


def digest_of(
    statistics: CorpusStatistics, breakdowns: tuple[BreakdownCounts, ...], copies: Copies | None
) -> str:
    """A digest of the documents and of all numbers, bit by bit, in any order of their names."""
    digest = hashlib.blake2b(digest_size=16)
    parts = {"": {"": statistics.values}} | {one.by: one.parts for one in breakdowns}
    digest.update(json.dumps(statistics.documents).encode())
    for by, groups in sorted(parts.items()):
        for group, metrics in sorted(groups.items()):
            for metric, columns in sorted(metrics.items()):
                for name, column in sorted(columns.items()):
                    digest.update(json.dumps([by, group, metric, name]).encode())
                    digest.update(column.astype("<f8").tobytes())
    if copies is not None:
        digest.update(json.dumps(copies.to_dict()).encode())
    return digest.hexdigest()


def check_scores(scores: Scores, place: Location) -> None:
    """Refuse numbers of which no score can be made."""
    try:
        with np.errstate(all="ignore"):
            found = [*scores.by_name.values()]
            found += [
                score
                for groups in scores.breakdown.values()
                for metrics in groups.values()
                for score in metrics.values()
            ]
    except KeyError as error:
        raise damaged(f"the statistic {error} is missing", place) from None
    values = [value for score in found for value in score if value is not None]
    if not all(-ROUNDING <= value <= 1 + ROUNDING for value in values):
        raise damaged("its numbers give no score between 0 and 100%", place)
    every = [
        scores.statistics.values,
        *(p for one in scores.breakdowns for p in one.parts.values()),
    ]
    for metrics in every:
        for metric, columns in metrics.items():
            if isinstance(parse(metric), RatioMetric):
                for name, column in columns.items():
                    if (column < -ROUNDING).any():
                        raise damaged(f"{metric} has a negative {name}", place)


def damaged(reason: str, place: Location) -> FormatError:
    return FormatError(
        f"corrupt saved scores: {reason}", place, "Score the response again with --save."
    )
