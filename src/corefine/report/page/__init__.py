"""The page: its template, style and scripts, put together into one file.

Nothing is loaded from elsewhere and nothing of the corpus is run: the policy in the page's head
allows the one script and the one style that stand in it, by their hashes, and no request at all.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby

from corefine._version import __version__
from corefine.showing.charts import STYLE, Figure
from corefine.showing.grid import Grid
from corefine.showing.html import grid_table
from corefine.showing.plain_text import showable

SCRIPTS = (
    "dom", "wording", "store", "documents", "document", "lanes", "drawing", "text", "panel",
    "rows", "table", "tables", "search", "links", "app", "start",
)  # fmt: skip
"""The scripts in the order in which they are joined: each after those that it imports."""

SYMBOLS = (
    ("↔", "span error"),
    ("∪", "merged entities"),  # noqa: RUF001
    ("÷", "split entity"),
    ("+", "extra mention or entity"),
    ("−", "missing mention or entity"),
)


Part = str | Grid | Figure
"""What a section is made of: paragraphs, tables and charts."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page with an entry in its menu; its parts stand in their order."""

    identifier: str
    """Letters and digits: it is what a link to the section says."""
    title: str
    parts: Sequence[Part]

    def runs(self) -> list[tuple[str, list[Part]]]:
        """The parts with neighbours of a sort together: charts stand side by side."""
        named = ((_sort_of(part), part) for part in self.parts)
        return [
            (sort, [part for _, part in run]) for sort, run in groupby(named, key=lambda x: x[0])
        ]


def _sort_of(part: Part) -> str:
    return "text" if isinstance(part, str) else "table" if isinstance(part, Grid) else "chart"


@dataclass(frozen=True, slots=True)
class Overview:
    """What the first section shows."""

    lead: str
    warnings: Sequence[str]
    scores: Grid
    score_notes: Sequence[str]
    signature: str
    corpus: Grid
    figures: Sequence[Figure]


def render(
    title: str,
    overview: Overview,
    responses: Sequence[str],
    sections: Sequence[Section],
    chunks: Iterable[tuple[str, str]],
    shown_note: str = "",
) -> str:
    """The page as one HTML document."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    template = environment.from_string(_asset("page.html.j2"))
    style = _asset("page.css") + STYLE
    script = joined_scripts()
    return template.render(
        title=showable(title),
        version=__version__,
        policy=_policy(script, style),
        style=style,
        script=script,
        responses=[showable(name) for name in responses],
        lead=overview.lead,
        warnings=[showable(warning) for warning in overview.warnings],
        score_table=grid_table(overview.scores, class_="scores"),
        score_notes=overview.score_notes,
        signature=showable(overview.signature),
        corpus_table=grid_table(overview.corpus),
        figures=overview.figures,
        sections=sections,
        table_of=grid_table,
        shown_note=shown_note,
        symbols=SYMBOLS,
        chunks=chunks,
    )


def _asset(name: str) -> str:
    return (files("corefine.report.page") / name).read_text("utf-8")


def joined_scripts() -> str:
    """The modules of the page as one script, in which no import or export is left."""
    modules = "".join(_asset(f"scripts/{name}.mjs") for name in SCRIPTS)
    assert "</script" not in modules.lower(), "a script must not end its own element"
    modules = re.sub(r"^import [^;]*;\n|^export ", "", modules, flags=re.MULTILINE)
    return f"(() => {{\n'use strict';\n{modules}}})();\n"


def _policy(script: str, style: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
