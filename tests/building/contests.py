"""Two responses to one key, counted: what the page has to show of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.explaining.outcomes import LEVELS, NONE, RIGHT, Level, Outcomes

METRICS: dict[str, str] = {"mentions": "mentions", "links": "muc"}
"""The metrics whose F1 the cells of a level add up to."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Two responses to one key: how many items each of them gets right."""

    level: Level
    both: int
    first_only: int
    second_only: int
    neither: int
    first_worth: float
    """What one right item is worth of the first response's F1."""
    second_worth: float

    @classmethod
    def of(cls, level: Level, first: Outcomes, second: Outcomes) -> Contest:
        """Cross the outcomes of one level."""
        asked = first.codes[level] != NONE
        ours, theirs = (one.codes[level][asked] == RIGHT for one in (first, second))
        return cls(
            level,
            int(np.count_nonzero(ours & theirs)),
            int(np.count_nonzero(ours & ~theirs)),
            int(np.count_nonzero(theirs & ~ours)),
            int(np.count_nonzero(~ours & ~theirs)),
            _item_worth(first, level),
            _item_worth(second, level),
        )


def _item_worth(outcomes: Outcomes, level: Level) -> float:
    whole = outcomes.total(level) + outcomes.found[level]
    return 2 / whole if whole else 0.0


def contests(first: Outcomes, second: Outcomes) -> list[Contest]:
    """The contests of all levels."""
    return [Contest.of(level, first, second) for level in LEVELS]
