"""The page: its template, style and scripts, put together into one file.

Nothing is loaded from elsewhere and no text of the corpus is run: the policy in the page's head
allows only the page's own script and style, by their hashes, and no requests.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from corefine._version import __version__
from corefine.output.charts import STYLE, Figure
from corefine.output.grid import Grid
from corefine.output.html import grid_table
from corefine.output.markup import Element, element
from corefine.output.plain_text import showable
from corefine.report.answers import Answer
from corefine.report.links import Aside, Link, Sentence, Strong

if TYPE_CHECKING:
    from jinja2 import Template

SCRIPTS = (
    "dom", "wording", "store", "documents", "document", "lanes", "drawing", "text", "panel",
    "rows", "table", "tables", "contrast", "search", "links", "app", "start",
)  # fmt: skip
"""The scripts in the order in which they are joined: each after those that it imports."""
CAPTION = 0.3
"""Height of the text around a chart, relative to the chart's width."""
LEADERBOARD_SCRIPTS = ("dom", "rows", "leaderboard")
"""The scripts of a leaderboard, in that order."""

SYMBOLS = (
    ("↔", "span error"),
    ("∪", "merged entities"),  # noqa: RUF001
    ("÷", "split entity"),
    ("+", "extra mention or entity"),
    ("−", "missing mention or entity"),
)


@dataclass(frozen=True, slots=True)
class Multiples:
    """Charts of one thing side by side, a system each, on one scale."""

    title: str
    description: str
    figures: Sequence[tuple[str, Figure]]
    """The charts by the names of their systems."""


@dataclass(frozen=True, slots=True)
class Captioned:
    """A chart with a sentence below it, such as links to what it shows."""

    figure: Figure
    below: Sentence


Part = str | Sentence | Captioned | Grid | Figure | Multiples | Element
"""The parts of a section: paragraphs (with links), tables, charts, markup."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page with an entry in its menu; its parts are shown in order."""

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
    if isinstance(part, str | tuple):
        return "text"
    names = {Grid: "table", Multiples: "multiples", Element: "markup"}
    return names.get(type(part), "chart")


@dataclass(frozen=True, slots=True)
class Overview:
    """The first section: the answers, then the tables and charts that support them."""

    lead: str
    answers: Sequence[Answer]
    tables: Sequence[Grid]
    signature: str
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
    return _rendered(
        "page.html.j2",
        _asset("page.css") + STYLE,
        joined_scripts(),
        title=showable(title),
        responses=[showable(name) for name in responses],
        overview=overview,
        signature=showable(overview.signature),
        sentence=_sentence,
        captioned=_captioned,
        columns=_columns,
        sections=sections,
        table_of=grid_table,
        shown_note=shown_note,
        symbols=SYMBOLS,
        chunks=chunks,
    )


def render_leaderboard(
    title: str, lead: str, warnings: Sequence[str], signature: str, sections: Sequence[Section]
) -> str:
    """A leaderboard as one HTML document; its tables can be sorted."""
    return _rendered(
        "leaderboard.html.j2",
        _asset("page.css") + _asset("leaderboard.css") + STYLE,
        joined_scripts(LEADERBOARD_SCRIPTS),
        title=showable(title),
        lead=lead,
        warnings=[showable(warning) for warning in warnings],
        signature=showable(signature),
        sections=sections,
        table_of=grid_table,
    )


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(_asset(name))


def _rendered(template: str, style: str, script: str, **values: Any) -> str:
    page: str = _template(template).render(
        version=__version__,
        policy=_policy(script, style),
        style=style,
        script=script,
        **values,
    )
    return showable(page)  # whatever a name or a note holds, the page can be written as UTF-8


def _captioned(part: Any) -> Captioned:
    return part if isinstance(part, Captioned) else Captioned(part, ())


def _columns(parts: Sequence[Any]) -> list[list[Any]]:
    """Charts in two columns of about the same height, the next always in the shorter one."""
    columns: list[list[Any]] = [[], []]
    heights = [0.0, 0.0]
    for part in parts:
        shorter = heights.index(min(heights))
        figure = _captioned(part).figure
        columns[shorter].append(part)
        heights[shorter] += figure.height / figure.width + CAPTION
    return [column for column in columns if column]


def _sentence(parts: str | Sentence) -> Markup:
    """Words and links as markup; nothing in them can be markup of its own."""
    listed = [parts] if isinstance(parts, str) else parts
    return Markup("").join(Markup(str(_words(part))) for part in listed)


def _words(part: str | Link | Aside | Strong) -> Element:
    if isinstance(part, Strong):
        return element("strong", _words(part.words))
    if isinstance(part, Link):
        return element("a", element("bdi", part.words), href=part.address)
    if isinstance(part, Aside):
        return element("small", element("bdi", part.words))
    return element("bdi", part)


def _asset(name: str) -> str:
    return (files("corefine.report.page") / name).read_text("utf-8")


def joined_scripts(names: Sequence[str] = SCRIPTS) -> str:
    """The modules of a page as one script, in which no import or export is left."""
    modules = "".join(_asset(f"scripts/{name}.mjs") for name in names)
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
