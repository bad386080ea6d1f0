"""Near misses: missing and extra mentions that overlap and yet are no span error, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corefine.explaining.diagnosis import Couples, Diagnosis, Obstacle
from corefine.explaining.phrases import Phrases

REASONS = {
    Obstacle.OTHER_HEAD: "their annotated heads differ",
    Obstacle.NO_EDGE: "they share no boundary, no head and less than half of their words",
}


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A mention that only the key has and one that only the response has, on words in common."""

    document: str
    key_mention: int
    response_mention: int
    key_text: str
    response_text: str
    reason: str
    """Why they do not count as one mention with a span error."""

    def to_dict(self) -> dict[str, Any]:
        """The couple as plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


def near_misses(diagnosis: Diagnosis, phrases: Phrases) -> tuple[NearMiss, ...]:
    """All couples of an unpaired mention of the key and one of the response that overlap."""
    table, matched = diagnosis.table, diagnosis.table.matched
    assert matched is not None, "near misses are those of matched corpora"
    couples = Couples.of(table, phrases)
    alone = (diagnosis.twin[couples.key] < 0) & (diagnosis.twin[couples.response] < 0)
    found = []
    for number in np.flatnonzero(alone).tolist():
        ours = int(matched.key_mention[couples.key[number]])
        theirs = int(matched.response_mention[couples.response[number]])
        found.append(
            NearMiss(
                matched.key.documents[matched.key.mentions.document[ours]],
                ours,
                theirs,
                matched.key.text_of(ours),
                matched.response.text_of(theirs),
                REASONS[Obstacle(couples.obstacle[number])],
            )
        )
    return tuple(found)
