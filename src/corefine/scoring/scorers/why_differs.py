"""Why a scorer's number differs from corefine's: convention by convention."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as changed
from typing import Any

from corefine.errors import UsageError
from corefine.metrics.registry import MetricSpec
from corefine.output.grid import Column, Grid, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.score import read_sides
from corefine.scoring.scorers.emulation import count_as, overridden
from corefine.scoring.scorers.profiles import COREFINE, tool_named, way_to
from corefine.scoring.scores import Score
from corefine.scoring.sides import Side, SideLike


@dataclass(frozen=True, slots=True)
class Step:
    """One step from corefine's number to the tool's: what changes, and every metric after it."""

    convention: str
    scores: dict[str, Score]
    moved: dict[str, float]
    """By how much F1 moved with this step."""


@dataclass(frozen=True, slots=True, repr=False)
class Steps(Result):
    """The way from corefine's numbers (the first step) to the tool's (the last)."""

    tool: str
    steps: tuple[Step, ...]
    warnings: tuple[str, ...] = ()

    default_tables = ("differences",)

    def table_functions(self) -> Tables:
        return {"differences": differences_grid}

    def to_dict(self) -> dict[str, Any]:
        """What each step changes, and the scores after it."""
        return {
            "tool": self.tool,
            "steps": [
                {
                    "convention": step.convention,
                    "scores": {name: score.to_dict() for name, score in step.scores.items()},
                    "moved": step.moved,
                }
                for step in self.steps
            ],
            "warnings": list(self.warnings),
        }


def why_differs(
    key: SideLike,
    response: SideLike,
    tool: str,
    metrics: MetricSpec = "default",
    *,
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> Steps:
    """The steps from corefine's scores to another scorer's, one convention after another.

    What a step moves may depend on those before it. The settings override some of the tool's.

    >>> why_differs([["a", "b"]], [["a", "b"], ["c"]], "perl-8.01").steps[0].scores["muc"].f1
    1.0
    """
    if settings.get("layer", "identity") != "identity":
        raise UsageError(
            f"--why-differs explains identity only, not --layer {settings['layer']}",
            remedy="Leave out --layer; --as ua scores the other layers.",
        )
    conventions, chosen = overridden(tool_named(tool), settings)
    others = {name: value for name, value in settings.items() if not hasattr(conventions, name)}
    sides = Side.of(key, "key", key_format), Side.of(response, "response", response_format)
    corpora = read_sides(*sides, frozenset(), progress)
    start = changed(
        COREFINE,
        metrics=conventions.metrics,
        missing_documents=conventions.missing_documents,
        words=conventions.words,
        zeros=conventions.zeros,
    )
    first = count_as(*corpora, start, metrics, others).scores()
    before = first.by_name
    steps = [Step("corefine", dict(before), dict.fromkeys(before, 0.0))]
    for words, changed_conventions in way_to(conventions, chosen.window is not None):
        after = count_as(*corpora, changed_conventions, metrics, others).scores().by_name
        moved = {name: after[name].f1 - before[name].f1 for name in after}
        steps.append(Step(words, dict(after), moved))
        before = after
    return Steps(tool, tuple(steps), first.warnings)


def differences_grid(found: Steps) -> Grid:
    """From corefine's F1 to the tool's, a row for each convention that differs."""
    steps, names = found.steps, list(found.steps[0].scores)
    rows: list[tuple[Value, ...]] = [
        ("corefine", *(steps[0].scores[name].f1 for name in names)),
        *(
            (f"+ {step.convention}", *(_moved(step.moved[name]) for name in names))
            for step in steps[1:]
        ),
        (found.tool, *(steps[-1].scores[name].f1 for name in names)),
    ]
    columns = (Column("F1"), *(Column(name, "percent", name) for name in names))
    notes = () if len(steps) > 1 else (f"{found.tool} agrees with corefine",)
    return Grid(columns, rows, notes=notes)


def _moved(difference: float) -> str:
    return f"{100 * difference:+.2f}" if abs(difference) >= 5e-7 else "·"
