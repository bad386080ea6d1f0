"""The page: sections of text, tables and charts, put together into one file.

Nothing is loaded from elsewhere and no text of the corpus is run: the policy in the page's head
allows only the page's own script and style, by their hashes, and no requests.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from string import Template
from urllib.parse import quote

from corefine._version import __version__
from corefine.output.charts import STYLE, Figure
from corefine.output.charts.figure import COLOURS
from corefine.output.grid import Grid
from corefine.output.html import Element, element, grid_table
from corefine.output.plain_text import showable
from corefine.report.charts import MARKS, OPACITY

SCRIPTS = (
    "dom", "wording", "links", "document", "library", "drawing", "text", "panel", "table", "tables",
    "contrast", "sharing", "flow", "search", "shell", "app",
)  # fmt: skip
"""The scripts of a report in the order in which they are joined: each after what it imports."""
BOARD = ("dom", "wording", "links", "table", "sharing", "shell", "board")
"""The scripts of a leaderboard."""

SYMBOLS = (
    ("↔", "span error"),
    ("∪", "merged entities"),  # noqa: RUF001
    ("÷", "split entity"),
    ("+", "extra mention or entity"),
    ("−", "missing mention or entity"),
)

KEYS_BUTTON = element(
    "button", "Keys", type="button", id="open-help", aria_haspopup="dialog", data_key="?"
)


def link(words: str, address: str) -> Element:
    """A link to another place of the page."""
    return element("a", element("bdi", words), href=address)


def place(document: str, what: str = "", response: str = "", beside: str = "") -> str:
    """The address of a document, of an entity (``3``) or an error (``!12``) in it."""
    parts = [document, what, response, beside]
    while len(parts) > 2 and not parts[-1]:
        parts.pop()
    return "#" + "/".join(map(_encoded, parts))


def section(name: str, chosen: Mapping[str, str] | None = None) -> str:
    """The address of a section, with what is chosen in its table."""
    pairs = "&".join(f"{_encoded(key)}={_encoded(value)}" for key, value in (chosen or {}).items())
    return f"#{name}?{pairs}" if pairs else f"#{name}"


def _encoded(text: str) -> str:
    return quote(showable(text), safe="!~*'()")


Part = str | Grid | Figure | Element
"""The parts of a view: paragraphs, tables, charts, markup."""


@dataclass(frozen=True, slots=True)
class Section:
    """A view of the page with an entry in its menu; its parts are shown in order."""

    identifier: str
    """Letters and digits: it is what a link to the view says."""
    title: str
    parts: Sequence[Part]
    template: str = ""
    """The file of what scripts fill, below the parts."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, its answer in a few words, and the details."""

    question: str
    answer: str
    parts: Sequence[Part] = ()
    sentences: Sequence[str | Element] = ()
    note: str = ""
    more: Sequence[str | Element] = ()
    """Links to the whole of it."""
    cautious: bool = False
    """The sentences are reasons for care."""

    def to_html(self) -> Element:
        """The card of the answer."""
        parts = [inside(part) for part in self.parts]
        return element(
            "div",
            element("h3", self.question),
            element("p", element("bdi", self.answer), class_="short"),
            [_list(self.sentences)] if self.sentences else [],
            [element("div", parts, class_="answer-parts")] if parts else [],
            [element("p", self.note, class_="note")] if self.note else [],
            [element("p", self.more, class_="more")] if self.more else [],
            class_="card answer care" if self.cautious else "card answer",
        )


@dataclass(frozen=True, slots=True)
class Page:
    """Content of a page; for a report also the names of responses and compressed data."""

    title: str
    lead: str
    sections: Sequence[Section]
    signature: str
    answers: Sequence[Element] = ()
    metrics: Mapping[str, str] = field(default_factory=dict)
    """Titles of the metrics to choose from, the one shown first at the top."""
    responses: Sequence[str] = ()
    shown_note: str = ""
    warnings: Sequence[str] = ()
    scripts: Sequence[str] = SCRIPTS

    def render(self, chunks: Iterable[tuple[str, str]] = ()) -> str:
        """The page as one HTML document."""
        style, script = page_style(), joined_scripts(self.scripts)
        packed = [
            element("script", text, type="text/plain", id=f"chunk-{name}") for name, text in chunks
        ]
        page = _filled(
            "page",
            policy=escape(content_policy(script, style)),
            version=__version__,
            title=escape(self.title),
            description=escape(self.lead),
            style=style,
            choices=_markup(self._choices()),
            keys=str(KEYS_BUTTON) if self.responses else "",
            menu=_markup(
                element("a", one.title, href=f"#{one.identifier}") for one in self.sections
            ),
            marks=str(MARKS),
            sections="\n".join(map(self._section, self.sections)),
            help=asset("help.html") if self.responses else "",
            signature=escape(self.signature),
            chunks=_markup(packed),
            script=script,
        )
        return showable(page)  # whatever a name or a note holds, the page can be written as UTF-8

    def _choices(self) -> Iterator[Element]:
        """The choice of metric and response, and the search."""
        if len(self.metrics) > 1:
            metrics = [element("option", title, value=name) for name, title in self.metrics.items()]
            select = element("select", metrics, id="metric")
            yield element("label", "Metric ", select, class_="needs-script")
        if len(self.responses) > 1:
            select = element("select", self._options(), id="response")
            yield element("label", "Response ", select, class_="needs-script", id="response-choice")
        if self.responses:
            yield element(
                "form",
                element("label", "Search the words of all documents", for_="search",
                        class_="hidden"),
                element("input", id="search", type="search", placeholder="Search words",
                        autocomplete="off", spellcheck="false", data_key="/"),
                element("button", "Search", type="submit"),
                id="search-form",
                role="search",
                class_="needs-script",
            )  # fmt: skip

    def _options(self) -> list[Element]:
        """The responses to choose from."""
        return [element("option", name, value=row) for row, name in enumerate(self.responses)]

    def _section(self, one: Section) -> str:
        """A view; the first one begins with the lead, warnings and answers."""
        title, before = f"{one.identifier}-title", []
        if one is self.sections[0]:
            before = [element("p", self.lead, class_="lead")]
            before += [_list(self.warnings, class_="warnings")] if self.warnings else []
            before += [element("div", self.answers, class_="answers")] if self.answers else []
        shown_as = element(
            "section",
            element("h2", one.title, id=title, tabindex=-1),
            before,
            map(shown, one.parts),
            id=one.identifier,
            data_section="",
            aria_labelledby=title,
        )
        if not one.template:
            return str(shown_as)
        parts = str(shown_as).removesuffix("</section>")
        return f"{parts}{self._filled_by_scripts(one.template)}</section>"

    def _filled_by_scripts(self, name: str) -> str:
        """Elements that scripts fill: the table of a view, the timeline, the text."""
        other = [element("option", "no other", value=-1), *self._options()]
        beside = element("label", "compare with ", element("select", other, id="beside"))
        note = [element("p", self.shown_note, class_="lead")] if self.shown_note else []
        symbols = [
            element("span", element("span", symbol, class_="tag wrong sample"), f" {meaning}",
                    class_="sample")
            for symbol, meaning in SYMBOLS
        ]  # fmt: skip
        return _filled(
            name,
            options=_markup(self._options()),
            note=_markup(note),
            beside=str(beside) if len(self.responses) > 1 else "",
            symbols=_markup(symbols),
        )


def _filled(name: str, **parts: str) -> str:
    """The file ``NAME.html`` with markup in place of its variables."""
    return Template(asset(f"{name}.html")).substitute(parts)


def _markup(elements: Iterable[Element]) -> str:
    return "\n".join(map(str, elements))


def _list(items: Iterable[str | Element], class_: str | None = None) -> Element:
    return element("ul", [element("li", element("bdi", one)) for one in items], class_=class_)


def shown(part: Part) -> Element:
    """A part of a view: text and markup as they are, tables and charts in a card."""
    if isinstance(part, str):
        return element("p", element("bdi", part), class_="lead")
    framed = isinstance(part, Element) and part.name == "div" and part.attributes
    return part if isinstance(part, Element) and framed else card([part])


def card(parts: Sequence[Part], class_: str = "") -> Element:
    """Parts in one frame."""
    return element("div", map(inside, parts), class_=f"card {class_}".rstrip())


def inside(part: Part) -> Element:
    """A part without its card."""
    if isinstance(part, Grid):
        return element("div", scrolled(grid_table(part, class_="cf-table sortable"), part.title),
                       [_note(note) for note in part.notes])  # fmt: skip
    if isinstance(part, Figure):
        return part.to_html()
    return part if isinstance(part, Element) else element("p", element("bdi", part))


def by_metric(parts: Mapping[str, Element | str], lead: str) -> Element:
    """Parts by metric, or by several with blanks between them: the page shows one metric's."""
    return element(
        "div",
        [
            element("div", part, data_metric=names, hidden=None if lead in names.split() else "")
            for names, part in parts.items()
        ],
    )


def block(identifier: str, title: str, parts: Sequence[Part]) -> Element:
    """A part of a view with a title and an address of its own."""
    return element("div", element("h3", title, tabindex=-1), map(shown, parts), id=identifier,
                   class_="part")  # fmt: skip


def folded(title: str, parts: Sequence[Part], identifier: str | None = None) -> Element:
    """Parts that are shown when they are asked for."""
    return element("details", element("summary", title), map(inside, parts), id=identifier)


def scrolled(table: Element, title: str) -> Element:
    """A table that scrolls by itself if it is wider or higher than its place."""
    name = title or "Table"
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label=name)


def small_table(
    titles: Sequence[str], rows: Sequence[Sequence[str | Element | Sequence[str | Element]]]
) -> Element:
    """A table of few rows whose first column names them; other columns are numbers."""
    number = [None, *["number"] * (len(titles) - 1)]
    heads = [element("th", title, scope="col", class_=class_)
             for title, class_ in zip(titles, number, strict=True)]  # fmt: skip
    body = []
    for row in rows:
        first, *rest = row
        cells = [element("td", cell, class_="number") for cell in rest]
        body.append(element("tr", element("th", first, scope="row", dir="auto"), cells))
    table = element("table", element("thead", element("tr", heads)), element("tbody", body))
    return scrolled(table, titles[0])


def _note(note: str) -> Element:
    if "|corefine:" not in note:
        return element("p", note, class_="note")
    signature = element("p", element("code", note))
    return element("details", element("summary", "Signature"), signature, class_="signature")


def asset(name: str, package: str = "corefine.report.page") -> str:
    """The text of a file that is installed with a package."""
    return (files(package) / name).read_text("utf-8")


def page_style() -> str:
    """The style of every page: one palette for text, tables and charts."""
    hues = "\n  ".join(f"--h{at}: light-dark({', '.join(COLOURS[f'c{at}'])});" for at in range(8))
    palette = Template(asset("palette.css")).substitute(hues=hues)
    shades = "\n".join(
        f".{hue}.shade{depth} {{ background: color-mix(in srgb, "
        f"light-dark({', '.join(COLOURS[hue])}) {OPACITY[depth]}%, var(--raised)); }}"
        for hue in ("cool", "warm")
        for depth in range(len(OPACITY))
    )
    return palette + Template(asset("page.css")).substitute(shades=shades) + STYLE


def joined_scripts(names: Sequence[str] = SCRIPTS, last: str = "") -> str:
    """The modules of a page as one script, in which no import or export is left.

    ``last`` is the script of another page that uses them.
    """
    modules = "".join(asset(f"scripts/{name}.mjs") for name in names) + last
    assert "</script" not in modules.lower(), "a script must not end its own element"
    modules = re.sub(r"^import [^;]*;\n|^export ", "", modules, flags=re.MULTILINE)
    return f"(() => {{\n'use strict';\n{modules}}})();\n"


def content_policy(script: str, style: str, *more: str) -> str:
    """A policy that allows this script and this style only, and what ``more`` directives allow."""
    directives = (
        "default-src 'none'", f"script-src {_hash(script)}", f"style-src {_hash(style)}",
        "img-src data:", "base-uri 'none'", "form-action 'none'", *more,
    )  # fmt: skip
    return "; ".join(directives)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
