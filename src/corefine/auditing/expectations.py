"""What a metric should do when a response gets better or worse, and what it does.

Only what is right or wrong by construction is expected. A change that also makes something right,
such as a singleton of the key that is left alone, judges no metric that rises by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from corefine.auditing import transformations as change
from corefine.auditing.transformations import Changed, Labelling
from corefine.scoring.scores import Score

Quantity = Literal["precision", "recall", "f1"]
Relation = Literal["stays", "must not rise", "must not fall", "falls", "is below 100"]
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
        if self.relation == "must not rise":
            return change <= TOLERANCE
        if self.relation == "must not fall":
            return change >= -TOLERANCE
        if self.relation == "is below 100":
            return after < 1 - TOLERANCE
        return change < -TOLERANCE or before <= TOLERANCE

    @property
    def forbids_a_rise(self) -> bool:
        """Whether a score that rises breaks it: it is not asked where something became right."""
        return self.relation in ("stays", "must not rise", "falls")

    def __str__(self) -> str:
        return f"{_NAMES[self.quantity]} {self.relation}"


_NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}


@dataclass(frozen=True, slots=True)
class Trial:
    """A transformation with what is expected of every metric, and why."""

    name: str
    title: str
    """What is done, in few plain words: the label of a row or a mark."""
    labelling: Labelling
    expectations: tuple[Expectation, ...]
    why: str
    needs_kinds: bool = False
    only_singletons: bool = False
    """Nothing but singletons is left: without singletons it is empty."""
    without_singletons: Labelling | None = None
    """What is done instead where singletons are dropped."""


_RECALL_STAYS = Expectation("recall", "stays")
_RECALL_DOES_NOT_RISE = Expectation("recall", "must not rise")
_WORSE = Expectation("f1", "must not rise")
_NOT_PERFECT = Expectation("precision", "is below 100")
_WRONG_ADDED = (_RECALL_STAYS, Expectation("precision", "must not rise"), _WORSE)

TRIALS: tuple[Trial, ...] = (
    Trial(
        "remove-wrong-mentions",
        "wrong mentions removed",
        change.more_precise,
        (_RECALL_STAYS, Expectation("precision", "must not fall")),
        "only wrong links are removed: no correct link is lost, and precision improves",
    ),
    Trial(
        "add-wrong-pairs",
        "wrong pairs added",
        change.less_precise_a,
        _WRONG_ADDED,
        "everything added is wrong",
    ),
    Trial(
        "add-wrong-entities",
        "wrong entities added",
        change.less_precise_b,
        _WRONG_ADDED,
        "everything added is wrong",
    ),
    Trial(
        "add-missing-mentions",
        "missing mentions unlinked",
        change.missing_mentions_alone,
        _WRONG_ADDED,
        "all added links are wrong, and no key singleton is added",
        without_singletons=change.missing_pairs,
    ),
    Trial(
        "response-as-singletons",
        "response as singletons",
        change.response_as_singletons,
        (_NOT_PERFECT, _WORSE),
        "no links are left: only key singletons are correct",
        only_singletons=True,
    ),
    Trial(
        "key-as-singletons",
        "key as singletons",
        change.key_as_singletons,
        (_NOT_PERFECT,),
        "there are no links: only key singletons are correct",
        only_singletons=True,
    ),
    Trial(
        "response-in-one-entity",
        "response in one entity",
        change.response_in_one_entity,
        (_WORSE,),
        "no entities are distinguished, and link F1 is lower",
    ),
    Trial(
        "key-in-one-entity",
        "key in one entity",
        change.key_in_one_entity,
        (_NOT_PERFECT, _WORSE),
        "no entities are distinguished, and link F1 is lower",
    ),
    Trial(
        "split-right-entities",
        "correct entities split",
        change.split_largest,
        (_RECALL_DOES_NOT_RISE, _WORSE),
        "correct links are lost and none gained",
    ),
    Trial(
        "merge-unlike-entities",
        "unrelated entities merged",
        change.merge_largest,
        (Expectation("precision", "must not rise"), _WORSE),
        "wrong links are added",
    ),
    Trial(
        "exchange-names",
        "names swapped",
        change.swap_names,
        (Expectation("f1", "falls"),),
        "correct links are lost, and pronouns lead to the wrong name",
        needs_kinds=True,
    ),
    Trial(
        "drop-pronouns",
        "pronouns removed",
        change.drop_pronouns,
        (_RECALL_DOES_NOT_RISE,),
        "mentions are lost and none gained",
        needs_kinds=True,
    ),
    Trial(
        "keep-only-pronouns",
        "only pronouns kept",
        change.keep_pronouns,
        (_RECALL_DOES_NOT_RISE,),
        "mentions are lost and none gained",
        needs_kinds=True,
    ),
    Trial(
        "invent-mentions",
        "spurious mentions added",
        change.add_spurious,
        _WRONG_ADDED,
        "everything added is spurious",
    ),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was expected of a metric on this data, and what it did."""

    metric: str
    title: str
    """The metric's name as people write it."""
    trial: str
    """The name of the transformation."""
    done: str
    """The transformation in plain words."""
    expectation: Expectation
    before: float
    after: float
    what: str
    """What was done, with its number."""

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def holds(self) -> bool:
        return self.expectation.holds(self.before, self.after)

    @property
    def verdict(self) -> str:
        return "right" if self.holds else "wrong"

    def __str__(self) -> str:
        name = _NAMES[self.expectation.quantity]
        if self.expectation.relation == "is below 100":
            return f"{self.title} {name} is {100 * self.after:.1f} when {self.what}"
        if abs(self.change) <= TOLERANCE:
            return f"{self.title} {name} did not change when {self.what}"
        verb = "rose" if self.change > 0 else "fell"
        points = 100 * abs(self.change)
        return f"{self.title} {name} {verb} by {_points(points)} points when {self.what}"


def _points(points: float) -> str:
    return f"{points:.1f}" if points >= 0.05 else f"{points:.2g}"


def outcomes(
    trial: Trial,
    asked: Iterable[Expectation],
    metric: str,
    title: str,
    before: Score,
    after: Score,
    changed: Changed,
) -> Iterable[Outcome]:
    """What a metric did of what was expected; it has no precision and recall where it is a mean."""
    for expectation in asked:
        old, new = (getattr(score, expectation.quantity) for score in (before, after))
        if old is not None and new is not None:
            yield Outcome(
                metric, title, trial.name, trial.title, expectation, old, new, changed.what
            )
