"""What a metric should do when a response gets better or worse, and where it does not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from corefine.auditing import transformations as change
from corefine.auditing.transformations import Labelling
from corefine.scoring.scores import Score

Quantity = Literal["precision", "recall", "f1"]
Relation = Literal["stays", "does not rise", "does not fall", "falls"]
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Expectation:
    """One number of a metric, and what it should do."""

    quantity: Quantity
    relation: Relation

    def holds(self, before: float, after: float) -> bool:
        change = after - before
        if self.relation == "stays":
            return abs(change) <= TOLERANCE
        if self.relation == "does not rise":
            return change <= TOLERANCE
        if self.relation == "does not fall":
            return change >= -TOLERANCE
        return change < -TOLERANCE or before <= TOLERANCE

    def __str__(self) -> str:
        return f"{_NAMES[self.quantity]} {self.relation}"


_NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}


@dataclass(frozen=True, slots=True)
class Trial:
    """A transformation with what is expected of every metric, and why."""

    name: str
    labelling: Labelling
    expectations: tuple[Expectation, ...]
    why: str
    needs_kinds: bool = False


_RECALL_STAYS = Expectation("recall", "stays")
_WORSE = Expectation("f1", "does not rise")
_WRONG_ADDED = (_RECALL_STAYS, Expectation("precision", "does not rise"), _WORSE)

TRIALS: tuple[Trial, ...] = (
    Trial(
        "more-precise",
        change.more_precise,
        (_RECALL_STAYS, Expectation("precision", "does not fall")),
        "only wrong links go: nothing right is lost, and what is left is more precise",
    ),
    Trial("less-precise-a", change.less_precise_a, _WRONG_ADDED, "all that is added is wrong"),
    Trial("less-precise-b", change.less_precise_b, _WRONG_ADDED, "all that is added is wrong"),
    Trial(
        "less-precise-b-as-scored",
        change.less_precise_b_as_scored,
        _WRONG_ADDED,
        "all links that are added are wrong",
    ),
    Trial("all-singletons", change.all_singletons, (_WORSE,), "it decides nothing"),
    Trial("one-entity", change.response_in_one_entity, (_WORSE,), "it tells nothing apart"),
    Trial("key-in-one-entity", change.key_in_one_entity, (_WORSE,), "it tells nothing apart"),
    Trial(
        "split-largest",
        change.split_largest,
        (Expectation("recall", "does not rise"), _WORSE),
        "right links are lost and none is gained",
    ),
    Trial(
        "merge-largest",
        change.merge_largest,
        (Expectation("precision", "does not rise"), _WORSE),
        "wrong links are added",
    ),
    Trial(
        "swap-names",
        change.swap_names,
        (Expectation("f1", "falls"),),
        "pronouns now lead to the wrong name",
        needs_kinds=True,
    ),
    Trial(
        "drop-pronouns",
        change.drop_pronouns,
        (Expectation("recall", "does not rise"),),
        "mentions are lost and none is gained",
        needs_kinds=True,
    ),
    Trial(
        "pronouns-only",
        change.keep_pronouns,
        (Expectation("recall", "does not rise"), _WORSE),
        "without names and nominals nobody knows who is meant",
        needs_kinds=True,
    ),
    Trial(
        "spurious",
        change.add_spurious,
        _WRONG_ADDED,
        "all that is added is invented",
    ),
)


@dataclass(frozen=True, slots=True)
class Violation:
    """An expectation that a metric does not meet on this data, and by how much."""

    metric: str
    title: str
    trial: str
    expectation: Expectation
    before: float
    after: float
    what: str

    @property
    def change(self) -> float:
        return self.after - self.before

    def __str__(self) -> str:
        name = _NAMES[self.expectation.quantity]
        if abs(self.change) <= TOLERANCE:
            return f"{self.title} {name} did not move when {self.what}"
        verb = "rose" if self.change > 0 else "fell"
        points = 100 * abs(self.change)
        return f"{self.title} {name} {verb} by {_points(points)} points when {self.what}"


def _points(points: float) -> str:
    return f"{points:.1f}" if points >= 0.05 else f"{points:.2g}"


def violations(
    trial: Trial, metric: str, title: str, before: Score, after: Score, what: str
) -> Iterable[Violation]:
    """The expectations of a trial that a metric violates."""
    for expectation in trial.expectations:
        old, new = (getattr(score, expectation.quantity) for score in (before, after))
        if old is not None and new is not None and not expectation.holds(old, new):
            yield Violation(metric, title, trial.name, expectation, old, new, what)
