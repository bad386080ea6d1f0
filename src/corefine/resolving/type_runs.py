"""Runs by semantic type: a resolver for each type beside one for all, and the mean over types.

MCORES (Bodnari et al. 2012) trains and applies its classifier to the markables of one semantic type
at a time ("per-entity runs") and to all of them together ("per-corpus runs"), and measures both on
the markables of each type. "Across all" is, for the runs by type, the unweighted mean over the
types: of precision, of recall and of F each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import UsageError
from corefine.resolving.pair_report import PairReport
from corefine.scoring.count import count
from corefine.scoring.request import Request
from corefine.scoring.scores import Score

MEAN = "mean over types"
RUNS = ("by type", "together")


@dataclass(frozen=True, slots=True)
class TypeScore:
    """How one preset did on the markables of one type."""

    preset: str
    runs: str
    """``by type`` where it was trained on this type alone, ``together`` where on all."""
    type: str
    pairs: Score
    """Coreferent pairs of two markables of the type."""
    f1: Mapping[str, float]
    """F1 by metric, of the entities cut down to the mentions of the type."""


@dataclass(frozen=True, slots=True)
class TypeRuns:
    """What presets made of each semantic type."""

    scores: list[TypeScore]
    left_out: dict[str, str] = field(default_factory=dict)
    """Types that could not be run, each with the reason."""

    def rows(self) -> list[TypeScore]:
        """All scores by preset and runs, each with the mean over types behind its types."""
        found: list[TypeScore] = []
        for preset in dict.fromkeys(row.preset for row in self.scores):
            for runs in RUNS:
                found += [row for row in self.scores if (row.preset, row.runs) == (preset, runs)]
                found.append(self.mean(preset, runs))
        return found

    def to_dict(self) -> dict[str, Any]:
        """As it is written as JSON."""
        rows = [
            {
                "preset": row.preset,
                "runs": row.runs,
                "type": row.type,
                "pairs": row.pairs.to_dict(),
                "f1": dict(row.f1),
            }
            for row in self.rows()
        ]
        return {"scores": rows, "left_out": self.left_out}

    def mean(self, preset: str, runs: str) -> TypeScore:
        """The unweighted mean over the types: of precision, recall and F1 each."""
        rows = [row for row in self.scores if (row.preset, row.runs) == (preset, runs)]
        pairs = Score(
            f1=fmean(row.pairs.f1 for row in rows),
            precision=fmean(row.pairs.precision or 0.0 for row in rows),
            recall=fmean(row.pairs.recall or 0.0 for row in rows),
        )
        f1 = {name: fmean(row.f1[name] for row in rows) for name in rows[0].f1}
        return TypeScore(preset, runs, MEAN, pairs, f1)


Outcome = tuple[Corpus, PairReport]
"""A response, and how well pairs were classified."""


def type_runs(
    corpus: Corpus,
    together: Mapping[str, Outcome],
    run: Callable[[Corpus], Mapping[str, Outcome]],
    request: Request,
) -> TypeRuns:
    """Measure presets on each semantic type of a corpus with types.

    ``together`` has, by preset, what it made of the whole corpus; ``run`` resolves a corpus that is
    cut down to one type. A type that has nothing to learn from is left out of both.
    """
    column = corpus.mentions.type
    present = [] if column is None else np.unique(column[column >= 0]).tolist()
    if column is None or len(present) < 2:
        raise UsageError(
            "runs by semantic type need mentions of two types or more",
            remedy="Use a format with semantic types, or give a file with a 'type' column in "
            "--kinds.",
        )
    found: list[TypeScore] = []
    left_out: dict[str, str] = {}
    for number in present:
        name = corpus.types[number]
        part = keep_mentions(corpus, column == number)
        try:
            alone = run(part)
        except UsageError as error:
            left_out[name] = error.message
            continue
        for preset, (response, report) in alone.items():
            f1 = _f1(part, response, request)
            found.append(TypeScore(preset, RUNS[0], name, report.score("all"), f1))
        for preset, (response, report) in together.items():
            kinds = response.mentions.type
            assert kinds is not None, "a response keeps the types of its markables"
            f1 = _f1(part, keep_mentions(response, kinds == number), request)
            pairs = report.score(f"type:{name}")
            found.append(TypeScore(preset, RUNS[1], name, pairs, f1))
    if not found:
        raise UsageError(
            f"no semantic type has enough training data: {next(iter(left_out.values()))}",
            remedy="Train on documents with several entities of more than one mention per type.",
        )
    return TypeRuns(found, left_out)


def _f1(key: Corpus, response: Corpus, request: Request) -> dict[str, float]:
    scores = count(key, response, request).scores()
    return {name: score.f1 for name, score in scores.by_name.items()}
