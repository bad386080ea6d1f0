"""The reactions expected of metrics when a response gets better or worse, and those observed.

Only reactions that follow from the construction are expected. If a perturbation also makes
something correct, such as a singleton of the key, no metric is blamed for a rise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from corefine.explaining import transformations as change
from corefine.explaining.transformations import Labelling

Quantity = Literal["precision", "recall", "f1"]
Relation = Literal["stays", "must not rise", "must not fall", "falls", "is below 100"]
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected reaction of one number of a metric."""

    quantity: Quantity
    relation: Relation

    def holds(self, before: float, after: float) -> bool:
        change = after - before
        return {
            "stays": abs(change) <= TOLERANCE,
            "must not rise": change <= TOLERANCE,
            "must not fall": change >= -TOLERANCE,
            "falls": change < -TOLERANCE or before <= TOLERANCE,
            "is below 100": after < 1 - TOLERANCE,
        }[self.relation]

    @property
    def forbids_a_rise(self) -> bool:
        """True if a rise violates it: not expected if something became correct."""
        return self.relation in ("stays", "must not rise", "falls")

    def __str__(self) -> str:
        return f"{_NAMES[self.quantity]} {self.relation}"


_NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}


@dataclass(frozen=True, slots=True)
class Trial:
    """A perturbation with the reaction expected of every metric, the reason and its source.

    ``source`` is the place in a paper from which the expectation follows, ``known`` what papers say
    of metrics that do not meet it.
    """

    name: str
    title: str
    """The label of a row."""
    clause: str
    """A clause with "when" for the verdict."""
    labelling: Labelling
    expectations: tuple[Expectation, ...]
    why: str
    source: str
    known: str = ""
    needs_kinds: bool = False
    only_singletons: bool = False
    """Only singletons are left: without singletons it is empty."""
    without_singletons: Labelling | None = None
    """The perturbation used instead if singletons are dropped."""


_RECALL_STAYS = Expectation("recall", "stays")
_RECALL_DOES_NOT_RISE = Expectation("recall", "must not rise")
_WORSE = Expectation("f1", "must not rise")
_NOT_PERFECT = Expectation("precision", "is below 100")
_WRONG_ADDED = (_RECALL_STAYS, Expectation("precision", "must not rise"), _WORSE)

TRIALS: tuple[Trial, ...] = (
    Trial(
        "remove-wrong-mentions",
        "wrong mentions removed",
        "wrong mentions are removed",
        change.more_precise,
        (
            _RECALL_STAYS,
            Expectation("precision", "must not fall"),
            Expectation("f1", "must not fall"),
        ),
        "only wrong links are removed: no correct link is lost, and precision improves",
        "Moosavi & Strube 2016, section 2, Table 1 (More precise)",
        "recall of B³, CEAF and BLANC changes, CEAFe precision falls (Table 1)",
    ),
    Trial(
        "add-wrong-pairs",
        "wrong pairs added",
        "wrong mentions are added",
        change.less_precise_a,
        _WRONG_ADDED,
        "everything added is wrong",
        "Moosavi & Strube 2016, section 2, Table 1 (Less precise a)",
        "B³, CEAF and BLANC rise (Table 1)",
    ),
    Trial(
        "add-wrong-entities",
        "wrong entities added",
        "wrong mentions are added",
        change.less_precise_b,
        _WRONG_ADDED,
        "everything added is wrong",
        "Moosavi & Strube 2016, section 2, Table 1 (Less precise b)",
        "B³, CEAF and BLANC rise (Table 1)",
    ),
    Trial(
        "add-missing-mentions",
        "missing mentions unlinked",
        "wrong mentions are added",
        change.missing_mentions_alone,
        _WRONG_ADDED,
        "all added links are wrong, and no key singleton is added",
        "Moosavi & Strube 2016, section 2, Table 1 (Less precise b, as scored)",
        "B³, CEAF and BLANC rise (Table 1)",
        without_singletons=change.missing_pairs,
    ),
    Trial(
        "response-as-singletons",
        "response as singletons",
        "no mentions are linked",
        change.response_as_singletons,
        (_NOT_PERFECT, _WORSE),
        "no links are left: only key singletons are correct",
        "Moosavi & Strube 2016, section 6, Table 4 (sys-sing)",
        only_singletons=True,
    ),
    Trial(
        "key-as-singletons",
        "key as singletons",
        "no mentions are linked",
        change.key_as_singletons,
        (_NOT_PERFECT,),
        "there are no links: only key singletons are correct",
        "Moosavi & Strube 2016, section 3.2, after Luo 2005",
        "B³ precision is 100 (section 3.2)",
        only_singletons=True,
    ),
    Trial(
        "response-in-one-entity",
        "response in one entity",
        "all mentions are merged",
        change.response_in_one_entity,
        (_WORSE,),
        "no entities are distinguished; not judged if F1 over pairs of mentions rises",
        "Moosavi & Strube 2016, section 3.1, after Luo 2005; section 6, Table 4 (sys-1ent)",
        "MUC prefers merged entities (section 3.1)",
    ),
    Trial(
        "key-in-one-entity",
        "key in one entity",
        "all key mentions are merged",
        change.key_in_one_entity,
        (_NOT_PERFECT, _WORSE),
        "no entities are distinguished; F1 is not judged if F1 over pairs of mentions rises",
        "Moosavi & Strube 2016, sections 3.1 and 3.2, after Luo 2005",
        "MUC is higher than that of the best system (section 3.1)",
    ),
    Trial(
        "split-right-entities",
        "correct entities split",
        "correct entities are split",
        change.split_largest,
        (_RECALL_DOES_NOT_RISE, _WORSE),
        "correct links are lost and none gained",
        "Moosavi & Strube 2016, section 7.3, Figure 6; section 4: splits are penalized",
    ),
    Trial(
        "merge-unlike-entities",
        "unrelated entities merged",
        "unrelated entities are merged",
        change.merge_largest,
        (Expectation("precision", "must not rise"), _WORSE),
        "wrong links are added",
        "Moosavi & Strube 2016, section 7.3, Figure 6; section 3.1",
        "MUC counts any wrong merge alike (section 3.1)",
    ),
    Trial(
        "exchange-names",
        "names swapped",
        "names are swapped",
        change.swap_names,
        (Expectation("f1", "falls"),),
        "correct links are lost, and pronouns lead to the wrong name",
        "Kaczmarek & Marcińczuk 2015, sections 4.5 and 4.7",
        needs_kinds=True,
    ),
    Trial(
        "drop-pronouns",
        "pronouns removed",
        "mentions are removed",
        change.drop_pronouns,
        (_RECALL_DOES_NOT_RISE,),
        "mentions are lost and none gained",
        "Kaczmarek & Marcińczuk 2015, section 4.5: a missing link lowers recall",
        needs_kinds=True,
    ),
    Trial(
        "keep-only-pronouns",
        "only pronouns kept",
        "mentions are removed",
        change.keep_pronouns,
        (_RECALL_DOES_NOT_RISE,),
        "mentions are lost and none gained",
        "Kaczmarek & Marcińczuk 2015, section 4.5: a missing link lowers recall",
        needs_kinds=True,
    ),
    Trial(
        "invent-mentions",
        "spurious mentions added",
        "wrong mentions are added",
        change.add_spurious,
        _WRONG_ADDED,
        "everything added is spurious",
        "Moosavi & Strube 2016, section 7.4, Figure 7",
        "MUC and CEAFm discriminate least (section 7.4)",
    ),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The expected and the observed reaction of a metric."""

    metric: str
    title: str
    """The title of the metric."""
    trial: Trial
    expectation: Expectation
    before: float
    after: float
    what: str
    """The perturbation with its number of changes."""

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def holds(self) -> bool:
        return self.expectation.holds(self.before, self.after)

    @property
    def verdict(self) -> str:
        return "right" if self.holds else "wrong"

    @property
    def is_bound(self) -> bool:
        """True if a bound was expected, not a change."""
        return self.expectation.relation == "is below 100"

    @property
    def reaction(self) -> str:
        """The verb of the wrong reaction, in the plural."""
        if self.is_bound:
            return "reach a precision of 100"
        if abs(self.change) <= TOLERANCE:
            return "do not react"
        return "rise" if self.change > 0 else "fall"

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain values."""
        return {
            "metric": self.metric,
            "expected": str(self.expectation),
            "before": self.before,
            "after": self.after,
            "verdict": self.verdict,
            "text": str(self),
        }

    def __str__(self) -> str:
        name = _NAMES[self.expectation.quantity]
        if self.is_bound:
            return f"{self.title} {name} is {100 * self.after:.1f} when {self.what}"
        if abs(self.change) <= TOLERANCE:
            return f"{self.title} {name} did not change when {self.what}"
        verb = "rose" if self.change > 0 else "fell"
        points = 100 * abs(self.change)
        shown = f"{points:.1f}" if points >= 0.05 else f"{points:.2g}"
        return f"{self.title} {name} {verb} by {shown} points when {self.what}"
