"""Figure: a drawing with its description and its numbers, and the colours and fonts of charts.

Drawings name classes; a page resolves them for light and dark screens, a file is either. The style
of a file is plain enough for programs that know little of CSS: one class a rule, no variables.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any, ParamSpec
from urllib.parse import quote

from corefine.errors import MissingExtraError, choose
from corefine.output.grid import Grid
from corefine.output.html import Element, element, grid_table
from corefine.output.plain_text import showable
from corefine.output.result import PLOT_STYLES

COLOURS = {
    "ink": ("#1f2328", "#e6e9ee"),
    "faint": ("#59626d", "#a7b0bb"),
    "rule": ("#dfe3e8", "#363c45"),
    "paper": ("#ffffff", "#171a1f"),
    "c0": ("#1850af", "#2e8ffa"),
    "c1": ("#e21000", "#fe9114"),
    "c2": ("#038076", "#51fbda"),
    "c3": ("#730b31", "#fa3fc2"),
    "c4": ("#787330", "#e0f80c"),
    "c5": ("#2e4dfd", "#f5a4f6"),
    "c6": ("#b54a5d", "#f54f43"),
    "c7": ("#224101", "#b2ff9a"),
    "cool": ("#0b5394", "#6fb4ee"),
    "warm": ("#a3420f", "#f0a06a"),
    "contrast": ("#ffffff", "#10151b"),
}
"""By name, the colour on a light screen and that on a dark one. The series c0 to c7 are the palette
of all charts and pages, text included: neighbours differ with protanopia and deuteranopia too."""

SANS = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", '
    '"DejaVu Sans", Arial, sans-serif'
)
SERIF = '"Times New Roman", "Liberation Serif", "Libertinus Serif", "DejaVu Serif", serif'
FONT = 12.0
"""Size of the text in units of a drawing."""
COLUMN, POINTS = 240.0, 8.0
"""Width of a column of a paper and size of its text, in points."""
MOST_ROWS = 60
"""Rows of a table that is unfolded below its chart; of more there is only the file."""

_TEMPLATE = Template((files("corefine.output.charts") / "charts.css").read_text("utf-8"))

STYLE = _TEMPLATE.substitute(
    {name: f"light-dark({light}, {dark})" for name, (light, dark) in COLOURS.items()}, fonts=SANS
)
"""The style of charts in a page, which holds it once."""


@dataclass(frozen=True, slots=True, repr=False)
class Figure:
    """A chart: what is drawn, how wide and high, what it shows in words, and its numbers."""

    title: str
    description: str
    width: float
    height: float
    marks: tuple[Element, ...]
    grid: Grid
    redraw: Callable[[float], Figure] | None = None
    """Draw the chart at another width."""

    def drawing(self, *before: Element, class_: str = "cf-chart", **size: str) -> Element:
        """The SVG element for a page that has :data:`STYLE`."""
        content = "".join(map(str, self.marks))
        described = f"{content}{self.title}{self.description}{class_}".encode("utf-8", "replace")
        name = f"cf-{hashlib.sha256(described).hexdigest()[:10]}"
        return element(
            "svg",
            element("title", self.title, id=f"{name}-title"),
            element("desc", self.description, id=f"{name}-description"),
            before,
            self.marks,
            class_=class_,
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            **(size or {"width": f"{self.width:g}", "height": f"{self.height:g}"}),
            role="img",
            aria_labelledby=f"{name}-title {name}-description",
            xmlns="http://www.w3.org/2000/svg",
        )

    def at(self, width: float) -> Figure:
        """The chart drawn anew for another width."""
        return self if self.redraw is None or width == self.width else self.redraw(width)

    def to_svg(self, *, dark: bool = False, style: str = "screen") -> str:
        """A complete SVG file with its own background, in light colours or for dark pages.

        ``paper-serif`` and ``paper-sans`` are as wide as a column of a paper, with text of 8 pt.
        """
        choose("style", style, PLOT_STYLES)
        colours = {name: both[dark] for name, both in COLOURS.items()}
        sheet = _TEMPLATE.substitute(colours, fonts=SERIF if style == "paper-serif" else SANS)
        shown, size = self, {}
        if style != "screen":
            shown = self.at(COLUMN * FONT / POINTS)
            scale = COLUMN / shown.width
            size = {"width": f"{COLUMN:g}pt", "height": f"{shown.height * scale:.1f}pt"}
        ground = element("rect", width=shown.width, height=shown.height, fill=colours["paper"])
        return str(shown.drawing(element("style", sheet), ground, **size))

    def __repr__(self) -> str:
        return f"<Figure: {self.title}>"

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def save(self, path: str | PathLike[str], style: str = "screen") -> None:
        """Write the chart to a file that ends in ``.svg``, ``.pdf`` or ``.png``."""
        from corefine.output.saving import write_atomically

        endings = (".svg", ".pdf", ".png")
        ending = choose("the ending of a chart", Path(path).suffix, endings)
        write_atomically(path, self.rendered(ending.removeprefix("."), style))

    def rendered(self, format: str, style: str = "screen") -> str | bytes:
        """The content of a file in the format ``svg``, ``pdf`` or ``png``."""
        svg = self.to_svg(style=style)
        return svg if format == "svg" else compiled(svg, format)

    def to_html(self) -> Element:
        """The chart under its title, with its numbers as a table to unfold and as a file."""
        title = element("h3", self.title, dir="auto")
        return element(
            "figure",
            element("figcaption", title, element("p", self.description)),
            element("div", self.drawing(), class_="cf-drawing"),
            element("div", self._numbers(), self._file(), class_="cf-numbers"),
            class_="cf-figure",
        )

    def _numbers(self) -> list[Element]:
        """The numbers as a table, if it is short enough."""
        if len(self.grid.rows) > MOST_ROWS:
            return []
        table = element(
            "div",
            grid_table(self.grid, caption=self.title),
            class_="cf-scroll",
            tabindex=0,
            role="region",
            aria_label=f"Numbers: {self.title}",
        )
        return [element("details", element("summary", "Data of this chart"), table)]

    def _file(self) -> Element:
        """A link that holds the numbers as a CSV file."""
        name = re.sub(r"[^\w.-]+", "-", self.title.lower()).strip("-") or "chart"
        numbers = quote(showable(self.grid.to_csv()), safe=",;.:_-")
        return element(
            "a",
            "CSV",
            href=f"data:text/csv;charset=utf-8,{numbers}",
            download=f"{name[:60]}.csv",
            title=f"The numbers of this chart as a CSV file: {self.title}",
            aria_label=f"CSV: {self.title}",
            class_="cf-csv",
        )

    def _repr_html_(self) -> str:
        return f"{element('style', STYLE)}{self.to_html()}"


def compiled(svg: str, format: str) -> bytes:
    """A drawing as PNG, with two pixels to a unit, or PDF, without a display or browser."""
    compile_page = require_typst(format)
    page = (
        "#set page(width: auto, height: auto, margin: 0pt)\n"
        '#image(bytes(sys.inputs.svg), format: "svg")'
    )
    # A unit of a drawing is 1/96 of an inch.
    resolution = {"ppi": 96 * 2.0} if format == "png" else {}
    return bytes(compile_page(page.encode(), sys_inputs={"svg": svg}, format=format, **resolution))


def require_typst(format: str) -> Any:
    """The compiler of PNG and PDF files; an error that names the extra if it is not installed."""
    try:
        import typst
    except ImportError:
        raise MissingExtraError(f"writing {format.upper()} files", "typst", "plots") from None
    return typst.compile


P = ParamSpec("P")


def redrawable(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """A chart that can be drawn again at another ``width``."""

    @wraps(draw)
    def chart(*args: P.args, **options: P.kwargs) -> Figure:
        def redraw(width: float) -> Figure:
            return draw(*args, **{**options, "width": width})  # type: ignore[arg-type]

        return replace(draw(*args, **options), redraw=redraw)

    return chart
