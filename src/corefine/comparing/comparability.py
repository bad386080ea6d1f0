"""Whether scores can be compared at all: the same key, and the same signature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from corefine.errors import UsageError
from corefine.scoring.scores import Scores


def check_comparable(scores: Mapping[str, Scores], *, versions: bool = False) -> None:
    """Refuse scores against different keys or with different signatures.

    ``versions`` may differ where the reader is told: results of years stand on one leaderboard.
    """
    (first, one), *others = scores.items()
    for name, other in others:
        if other.key != one.key:
            raise UsageError(
                f"{first!r} and {name!r} were scored against different keys: {one.key} and "
                f"{other.key}",
                remedy="Only scores on the same key can be compared.",
            )
        for metric in one.by_name:
            if metric not in other.by_name:
                continue
            mine, theirs = one.signature_of(metric), other.signature_of(metric)
            if versions:
                theirs = replace(theirs, version=mine.version)
            if mine.conventions != theirs.conventions:
                raise UsageError(
                    f"{first!r} and {name!r} have different signatures: {mine} and {theirs}",
                    remedy="Score both with the same settings and the same version of corefine.",
                )
