"""Differences between the scores of corefine and another scorer, convention by convention."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from corefine.errors import UsageError, emitting
from corefine.matching.settings import Settings
from corefine.metrics.registry import MetricSpec
from corefine.output.grid import Column, Grid, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables, plain_values
from corefine.scoring.score import read_sides
from corefine.scoring.scorers.emulation import count_as, request_as
from corefine.scoring.scorers.profile import ScorerProfile, profile_named
from corefine.scoring.scores import Score
from corefine.scoring.sides import SideLike

STEPS = {
    "match": "mention matching: {value}",
    "singletons": "singletons: {value}",
    "missing_documents": "documents missing from the response: {value}",
    "duplicates": "duplicate mentions: {value}",
    "confuses_zeros": "zeros at the same position are confused",
    "ignores_singletons": "B³ and CEAFe ignore singletons",
    "split_antecedents": "split antecedents: {value}",
    "blanc": "an empty half of BLANC counts by rule {value}",
    "truncates": "percentages are truncated to two decimals",
}
"""The conventions in the order in which a comparison changes them, in words."""
_SETTINGS = ("match", "singletons", "missing_documents", "split_antecedents")
SMALLEST = 5e-5
"""The smallest difference that changes a printed number."""


@dataclass(frozen=True, slots=True)
class Step:
    """A convention that changes, and the scores after the change."""

    convention: str
    scores: dict[str, Score]
    moved: dict[str, float]
    """The change of F1 by this step."""

    @property
    def changes(self) -> bool:
        """True if a number changes at the printed precision."""
        return any(abs(difference) >= SMALLEST for difference in self.moved.values())


@dataclass(frozen=True, slots=True, repr=False)
class Steps(Result):
    """The steps from the scores of corefine (the first) to those of the scorer (the last)."""

    tool: str
    steps: tuple[Step, ...]
    warnings: tuple[str, ...] = ()

    def table_functions(self) -> Tables:
        return {"differences": differences_grid}

    @property
    def verdict(self) -> str:
        """The difference of the CoNLL average, or else of the first metric."""
        first, last = self.steps[0].scores, self.steps[-1].scores
        if all(abs(last[name].f1 - first[name].f1) < SMALLEST for name in first):
            return f"{self.tool} and corefine give the same numbers on this data."
        lead = "conll" if "conll" in first else next(iter(first))
        signed = f"{100 * (last[lead].f1 - first[lead].f1):+.2f}".replace("-", "−")
        changing = sum(step.changes for step in self.steps[1:])
        return (
            f"{self.tool} differs from corefine by {signed} points of {lead} F1; "
            f"{changing} of its conventions change{'s' * (changing == 1)} a number on this data."
        )

    def to_dict(self) -> dict[str, Any]:
        """The steps as written to JSON."""
        steps = [
            plain_values(step)
            | {"scores": {name: score.to_dict() for name, score in step.scores.items()}}
            for step in self.steps
        ]
        return {**plain_values(self), "steps": steps}


@emitting
def why_differs(
    key: SideLike,
    response: SideLike,
    scorer: str,
    metrics: MetricSpec = "default",
    *,
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> Steps:
    """The steps from corefine's scores to another scorer's, one convention after another.

    The effect of a step can depend on those before it. Settings change those of the profile.

    >>> why_differs([["a", "b"]], [["a", "b"], ["c"]], "perl-8.01").steps[0].scores["muc"].f1
    1.0
    """
    if settings.get("layer", "identity") != "identity":
        raise UsageError(
            f"--why-differs explains identity only, not --layer {settings['layer']}",
            remedy="Leave out --layer; --as ua scores the other layers.",
        )
    profile = profile_named(scorer).with_settings(settings)
    request = request_as(profile, metrics)
    requested = list(request.metrics)
    formats = key_format, response_format
    corpora = read_sides(key, response, request, formats, frozenset(), progress)
    steps: list[Step] = []
    warnings: tuple[str, ...] = ()
    for convention, current in steps_to(profile):
        scores = count_as(*corpora, request_as(current, requested)).scores()
        after = dict(zip(requested, scores.by_name.values(), strict=True))
        before = steps[-1].scores if steps else after
        moved = {name: after[name].f1 - before[name].f1 for name in after}
        steps.append(Step(convention, after, moved))
        warnings = tuple(dict.fromkeys([*warnings, *scores.warnings]))
    return Steps(scorer, tuple(steps), warnings)


def steps_to(profile: ScorerProfile) -> list[tuple[str, ScorerProfile]]:
    """The profiles from corefine's to this one, changed by one convention each.

    The first is corefine's own. Settings that decide about errors (words, missing documents) and
    the matching of zeros are those of the profile from the start.
    """
    target = profile.settings
    start = Settings(
        words=target.words,
        zeros=target.zeros,
        layer=target.layer,
        missing_documents=target.missing_documents,
    )
    current = ScorerProfile(profile.name, profile.metrics, start)
    steps = [("corefine", current)]
    for name, words in STEPS.items():
        in_settings = name in _SETTINGS
        value = getattr(target if in_settings else profile, name)
        if value == getattr(current.settings if in_settings else current, name):
            continue
        if in_settings:
            current = replace(current, settings=replace(current.settings, **{name: value}))
        else:
            current = replace(current, **{name: value})
        steps.append((words.format(value=value), current))
    return steps


def differences_grid(found: Steps) -> Grid:
    """From corefine's F1 to the scorer's, one row per convention that changes a number."""
    steps, names = found.steps, list(found.steps[0].scores)
    shown = [step for step in steps[1:] if step.changes]
    rows: list[tuple[Value, ...]] = [
        ("corefine", *(steps[0].scores[name].f1 for name in names)),
        *(
            (f"+ {step.convention}", *(_moved(step.moved[name]) for name in names))
            for step in shown
        ),
        (found.tool, *(steps[-1].scores[name].f1 for name in names)),
    ]
    columns = (
        Column("F1", shortest=30),
        *(Column(name, "percent", name, priority=int(name != "conll")) for name in names),
    )
    same = len(steps) - 1 - len(shown)
    further = (
        "1 further convention changes" if same == 1 else f"{same:,} further conventions change"
    )
    notes = (f"{further} nothing here (--output json)",) if same else ()
    return Grid(columns, rows, notes=notes)


def _moved(difference: float) -> str:
    return f"{100 * difference:+.2f}" if abs(difference) >= SMALLEST else "·"
