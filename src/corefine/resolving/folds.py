"""The folds of a cross-validation: each is resolved by itself, on any core, and can be kept.

A finished fold is a small file, so that a long run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from corefine._version import __version__
from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import select_documents
from corefine.errors import FormatError, Location, UsageError
from corefine.kinds.kind_plan import KindPlan
from corefine.matching.fingerprint import Fingerprint
from corefine.output.progress import silent
from corefine.output.saving import make_folder, write_atomically
from corefine.resolving.attributes import attributes_of
from corefine.resolving.markables import Markables, markables_of
from corefine.resolving.pair_report import PairReport, decisions
from corefine.resolving.presets import Trainer

FORMAT = "corefine fold 1"


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """Documents dealt into folds, and how their mentions are taken."""

    corpus: Corpus
    fold_of: IntArray
    """The fold of each document."""
    markables: str
    kinds: KindPlan

    def __len__(self) -> int:
        return int(self.fold_of.max()) + 1

    def seen(self, fold: int) -> Markables:
        """The markables that a fold is resolved from: those of all others."""
        return self._where(self.fold_of != fold)

    def unseen(self, fold: int) -> Markables:
        """The markables of a fold."""
        return self._where(self.fold_of == fold)

    def _where(self, wanted: Any) -> Markables:
        chosen = select_documents(self.corpus, np.flatnonzero(wanted))
        return markables_of(chosen, self.markables, self.kinds)


@dataclass(frozen=True, slots=True, eq=False)
class ResolvedFold:
    """By preset, the entities of the markables of a fold and how well pairs were classified."""

    entities: dict[str, IntArray]
    pairs: dict[str, PairReport]
    singletons: bool
    """Whether the documents that were learnt from have entities of one mention."""


def resolve_fold(folds: Folds, trainers: Mapping[str, Trainer], fold: int) -> ResolvedFold:
    """Train each preset on the other folds, and apply it to this one."""
    seen, unseen = attributes_of(folds.seen(fold)), attributes_of(folds.unseen(fold))
    entities, pairs = {}, {}
    for name, trainer in trainers.items():
        resolver = trainer(seen, silent)
        entities[name] = resolver.entities(unseen)
        pairs[name] = PairReport.of(unseen, decisions(resolver, unseen))
    return ResolvedFold(entities, pairs, seen.markables.singletons)


@dataclass(frozen=True, slots=True)
class KeptFolds:
    """A folder of finished folds, all of one run."""

    folder: Path
    run: str
    """What tells this run from any other: its documents and all that was asked for."""

    @classmethod
    def of(cls, folder: str | PathLike[str], folds: Folds, asked: object) -> KeptFolds:
        """The folder of a run, made where it does not exist."""
        corpus = folds.corpus
        code = hashlib.sha256()
        for part in (__version__, asked, folds.fold_of.tolist(), corpus.documents):
            code.update(repr(part).encode())
        code.update(repr(Fingerprint.of(corpus)).encode())
        if corpus.tokens is not None:
            code.update("\n".join(corpus.tokens.words).encode("utf-8", "surrogatepass"))
        return cls(make_folder(folder), code.hexdigest())

    def load(self, folds: Folds, fold: int) -> ResolvedFold | None:
        """A fold that is finished; None where it is not."""
        path = self._path(fold)
        where = Location(str(path))
        try:
            held = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise FormatError(f"not a finished fold: {error}", where, "Delete it.") from None
        if not isinstance(held, dict) or held.get("format") != FORMAT:
            raise FormatError("not a finished fold", where, "Choose another folder.")
        if held.get("run") != self.run:
            raise UsageError(
                f"{path}: a fold of another run, with different documents, options or version",
                remedy="Choose another folder, or delete this one.",
            )
        try:
            found = ResolvedFold(
                {name: np.array(held["entities"][name], np.int64) for name in held["entities"]},
                {
                    name: PairReport({group: tuple(counts) for group, counts in groups.items()})
                    for name, groups in held["pairs"].items()
                },
                bool(held["singletons"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise FormatError("a damaged fold", where, "Delete it.") from None
        size = len(folds.unseen(fold))
        for entity in found.entities.values():
            if entity.shape != (size,) or (size and not 0 <= entity.min() <= entity.max() < size):
                raise FormatError("a damaged fold", where, "Delete it.")
        return found

    def save(self, fold: int, resolved: ResolvedFold) -> None:
        """Keep a finished fold."""
        held = {
            "format": FORMAT,
            "run": self.run,
            "entities": {name: entity.tolist() for name, entity in resolved.entities.items()},
            "pairs": {name: report.counts for name, report in resolved.pairs.items()},
            "singletons": resolved.singletons,
        }
        write_atomically(self._path(fold), [json.dumps(held).encode()])

    def _path(self, fold: int) -> Path:
        return self.folder / f"fold-{fold + 1}.json"
