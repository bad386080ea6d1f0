"""The table behind ``corefine score --why-differs``."""

from __future__ import annotations

from collections.abc import Mapping

from corefine.cli.output import show, show_json
from corefine.corpus.corpus import Corpus
from corefine.scoring.conventions.tools import tool_named
from corefine.scoring.conventions.why_differs import why_differs
from corefine.showing.grid import Column, Grid, Value


def show_differences(
    key: Corpus,
    response: Corpus,
    tool: str,
    metrics: str,
    settings: Mapping[str, str],
    output: str,
) -> None:
    """From corefine's F1 to the tool's, a row for each convention that differs."""
    steps = why_differs(key, response, tool_named(tool), metrics, settings)
    if output == "json":
        show_json(
            [
                {
                    "convention": step.convention,
                    "scores": {name: score.to_dict() for name, score in step.scores.items()},
                    "moved": step.moved,
                }
                for step in steps
            ]
        )
        return
    names = list(steps[0].scores)
    rows: list[tuple[Value, ...]] = [
        ("corefine", *(steps[0].scores[name].f1 for name in names)),
        *(
            (f"+ {step.convention}", *(_moved(step.moved[name]) for name in names))
            for step in steps[1:]
        ),
        (tool, *(steps[-1].scores[name].f1 for name in names)),
    ]
    columns = (Column("F1"), *(Column(name, "percent", name) for name in names))
    notes = () if len(steps) > 1 else (f"{tool} counts as corefine does",)
    show(Grid(columns, rows, notes=notes), output)


def _moved(difference: float) -> str:
    return f"{100 * difference:+.2f}" if abs(difference) >= 5e-7 else "·"
