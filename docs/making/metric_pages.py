"""A page for each metric: definition, worked example, what it rewards, edge cases, parameters.

All of it is taken from the metric itself, and every number is computed when the pages are built.
"""

from __future__ import annotations

import inspect
import warnings
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import corefine
from corefine.metrics import Metric, registered
from corefine.metrics.registry import parse
from corefine.output.charts import Series, dot_chart

FOLDER = Path(__file__).parents[1] / "reference" / "metrics"

Entities = list[list[str]]

KEY: Entities = [
    ["Anna", "the nurse", "she", "her", "she2"],
    ["Rome", "the city", "it"],
    ["Tom", "he"],
    ["the train"],
]
KINDS = {
    "Anna": "name",
    "Rome": "name",
    "Tom": "name",
    "the nurse": "nominal",
    "the city": "nominal",
    "the train": "nominal",
    "she": "pronoun",
    "her": "pronoun",
    "she2": "pronoun",
    "it": "pronoun",
    "he": "pronoun",
}
RESPONSES: dict[str, Entities] = {
    "a pronoun without its entity": [["Anna", "the nurse", "she", "her"], *KEY[1:], ["she2"]],
    "a name without its entity": [["the nurse", "she", "her", "she2"], *KEY[1:], ["Anna"]],
    "a mention missed": [["Anna", "the nurse", "she", "her"], *KEY[1:]],
    "a wrong mention in an entity": [KEY[0], ["Rome", "the city", "it", "today"], *KEY[2:]],
    "a large entity split in halves": [["Anna", "the nurse"], ["she", "her", "she2"], *KEY[1:]],
    "two entities merged": [KEY[0] + KEY[2], KEY[1], KEY[3]],
    "the singleton missed": KEY[:3],
    "every mention a singleton": [[mention] for entity in KEY for mention in entity],
    "all mentions one entity": [[mention for entity in KEY for mention in entity]],
}
"""What a response may do to the key of the worked example."""


def scored(metric: str, key: Entities, response: Entities) -> corefine.Score:
    """One metric, with the mention kinds of the example."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", corefine.CorefineWarning)
        return corefine.score(key, response, metric, kinds=KINDS)[metric]


def percent(value: float | None) -> str:
    """As scores are printed."""
    return "–" if value is None else f"{100 * value:.2f}"


def table(title: str, rows: dict[str, corefine.Score]) -> list[str]:
    """Precision, recall and F1 of several responses."""
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 55 15 15 15", ""]
    lines += [f"   * - {title}", "     - P", "     - R", "     - F1"]
    for name, score in rows.items():
        values = (score.precision, score.recall, score.f1)
        lines += [f"   * - {name}", *(f"     - {percent(value)}" for value in values)]
    return [*lines, ""]


def heading(text: str, line: str = "-") -> list[str]:
    return [text, line * len(text), ""]


def parameters(metric: type[Metric]) -> list[str]:
    """The parameters of a metric with their defaults."""
    rows = []
    for field in fields(metric):
        if field.name not in metric.parameter_names():
            continue
        default: Any = None if field.default is MISSING else field.default
        name = getattr(default, "__name__", None) or repr(default)
        rows.append(f"- ``{field.name}``: default ``{name}``")
    return [*heading("Parameters"), *rows, ""] if rows else []


def is_shown(metric: type[Metric]) -> bool:
    """Whether a metric says something of plain entities: others need layers or documents."""
    return not metric.name.startswith(("bridging", "nonreferring", "links"))


def page(metric: type[Metric]) -> str:
    """The page of a metric, as reStructuredText; its figure is written beside it."""
    name = metric.name
    written = "mean(muc,lea)" if metric.takes_metrics else str(parse(name))
    lines = [*heading(f"{metric.title} (``{name}``)", "="), metric.summary, ""]
    lines += [*heading("Definition and use"), inspect.cleandoc(metric.__doc__ or ""), ""]
    if is_shown(metric):
        scores = {title: scored(written, KEY, each) for title, each in RESPONSES.items()}
        figure = dot_chart(
            f"{metric.title}: F1 of responses with one kind of error",
            list(scores),
            [Series(metric.title, [score.f1 for score in scores.values()])],
            limits=(0.0, 1.0),
        )
        entities = "; ".join(", ".join(entity).replace("she2", "she₂") for entity in KEY)
        lines += [*heading("What it rewards"), f"The key has four entities: {entities}.", ""]
        for scheme in ("light", "dark"):
            file = f"{name}-{scheme}.svg"
            (FOLDER / file).write_text(figure.to_svg(dark=scheme == "dark"), encoding="utf-8")
            lines += [f".. image:: {file}", f"   :alt: {figure.description}"]
            lines += [f"   :class: only-{scheme}", ""]
        lines += table("response", scores)
        single = [[mention] for entity in KEY for mention in entity]
        edges = {
            "the key itself": scored(written, KEY, KEY),
            "no entities": scored(written, KEY, []),
            "no entity in the key": scored(written, [], KEY),
            "key and response of singletons": scored(written, single, single),
            "no entities on either side": scored(written, [], []),
        }
        lines += [*heading("Edge cases"), *table("response", edges)]
    lines += parameters(metric)
    lines += [*heading("Reference"), metric.citation, ""]
    return "\n".join(lines)


def make(app: Any = None) -> None:
    """Write all pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for metric in registered():
        path = FOLDER / f"{metric.name}.rst"
        text = page(metric)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", make)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
