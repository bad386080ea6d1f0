"""Other scorers, where environment variables name checkouts of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import Pair, conll, conllu
from benchmarks.measuring import Cost, run_repeatedly


@dataclass(frozen=True, slots=True)
class Scorer:
    """A scorer that is run as a command on two files."""

    name: str
    variable: str
    largest_factor: int
    """Beyond this many times the base corpus it would run for an hour."""
    corpus: Callable[[int], Pair]
    command: Callable[[Path, Pair], Sequence[str | Path]]

    @property
    def checkout(self) -> Path | None:
        value = os.environ.get(self.variable)
        return Path(value).resolve() if value else None

    def measure(self, checkout: Path, factor: int, repeats: int) -> Cost:
        command = self.command(checkout, self.corpus(factor))
        path = os.pathsep.join(filter(None, (str(checkout), os.environ.get("PYTHONPATH"))))
        return run_repeatedly(command, repeats, {"PYTHONPATH": path})


SCORERS = (
    Scorer(
        "Perl reference scorer, all",
        "COREFINE_PERL_SCORER",
        1,
        conll,
        lambda at, pair: ["perl", at / "scorer.pl", "all", pair.key, pair.response, "none"],
    ),
    Scorer(
        "coval, all",
        "COREFINE_COVAL",
        10,
        conll,
        lambda at, pair: [sys.executable, at / "scorer.py", pair.key, pair.response, "all"],
    ),
    Scorer(
        "corefud-scorer, singletons kept",
        "COREFINE_COREFUD_SCORER",
        10,
        conllu,
        lambda at, pair: [sys.executable, at / "corefud-scorer.py", "-s", pair.key, pair.response],
    ),
)
