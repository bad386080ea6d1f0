"""The metrics of e2e-coref (Lee et al. 2017), which many neural systems copy.

- A mention that is given several times counts for each of its entities, and is found in the last
  of the file.
- B³ skips entities of one mention; CEAFe drops those of the response and keeps those of the key.
"""

from __future__ import annotations

from dataclasses import replace

from corefine.scoring.scorers.counters import (
    Counter,
    Entities,
    MetricSums,
    Sides,
    both,
    ceafe,
    squares,
)
from corefine.scoring.scorers.profile import ScorerProfile

PROFILE = ScorerProfile(
    "e2e", ("muc", "b3", "ceafe", "conll"), duplicates="last", ignores_singletons=True
)


def _squares_of_several(entities: Entities, others: Entities) -> tuple[float, float]:
    return squares(entities, others, least=2)


def _ceafe(sides: Sides) -> MetricSums:
    kept = [entity for entity in sides.response if len(entity) != 1]
    return ceafe(replace(sides, response=kept))


COUNTERS: dict[str, Counter] = {"b3": both(_squares_of_several), "ceafe": _ceafe}
"""Counters that ignore singletons."""
