"""Figure: a drawing with its description and its numbers."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from urllib.parse import quote

from corefine.errors import choose
from corefine.output.charts.palette import COLOURS, FILE_STYLES, STYLE
from corefine.output.grid import Grid
from corefine.output.html import grid_table
from corefine.output.markup import Element, element
from corefine.output.plain_text import showable

MOST_ROWS = 60
"""Rows of a table that is unfolded below its chart; of more there is only the file."""


@dataclass(frozen=True, slots=True, repr=False)
class Figure:
    """A chart: what is drawn, how wide and high, what it shows in words, and its numbers."""

    title: str
    description: str
    width: float
    height: float
    marks: tuple[Element, ...]
    grid: Grid

    @property
    def identifier(self) -> str:
        """A name that no other figure of a page has, for references inside of the drawing."""
        content = "".join(map(str, self.marks)) + self.title + self.description
        return "cf-" + hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:10]

    def drawing(self, *before: Element) -> Element:
        """The SVG element for a page that has :data:`STYLE`."""
        name = self.identifier
        return element(
            "svg",
            element("title", self.title, id=f"{name}-title"),
            element("desc", self.description, id=f"{name}-description"),
            before,
            self.marks,
            class_="cf-chart",
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            width=self.width,
            height=self.height,
            role="img",
            aria_labelledby=f"{name}-title {name}-description",
            xmlns="http://www.w3.org/2000/svg",
        )

    def to_svg(self, *, dark: bool = False) -> str:
        """A complete SVG file with its own background, in light colours or for dark pages."""
        paper = COLOURS["paper"][dark]
        ground = element("rect", width=self.width, height=self.height, fill=paper)
        return str(self.drawing(element("style", FILE_STYLES[dark]), ground))

    def to_png(self, scale: float = 2.0) -> bytes:
        """A PNG file, with ``scale`` pixels to a unit; it needs the extra ``plots``."""
        from corefine.output.charts.raster import to_png

        return to_png(self.to_svg(), scale)

    def __repr__(self) -> str:
        return f"<Figure: {self.title}>"

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the chart to a file that ends in ``.svg`` or ``.png``."""
        from corefine.output.saving import write_atomically

        ending = choose("the ending of a chart", Path(path).suffix, (".svg", ".png"))
        write_atomically(path, self.to_svg() if ending == ".svg" else self.to_png())

    def to_html(self, level: int = 3, *, heading: str | None = None) -> Element:
        """The chart under its title, with its numbers as a table to unfold and as a file.

        ``heading`` replaces the title and the description if the page shows them elsewhere.
        """
        said = [element("p", self.description)] if heading is None else []
        return element(
            "figure",
            element("figcaption", element(f"h{level}", heading or self.title, dir="auto"), said),
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
