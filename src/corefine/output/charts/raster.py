"""Drawings as pixels, without a display and without a browser."""

from __future__ import annotations

from typing import Any

from corefine.errors import CorefineError, MissingExtraError
from corefine.output.charts.palette import FONTS
from corefine.output.markup import element


def to_png(drawing: str, scale: float = 2.0) -> bytes:
    """A PNG of an SVG file, ``scale`` pixels to a unit of it."""
    svg_to_bytes = require_pixels()
    # Without a font all words would be left out in silence.
    if svg_to_bytes(svg_string=_word("M")) == svg_to_bytes(svg_string=_word("")):
        raise CorefineError(
            "none of the fonts used in charts is installed",
            remedy="Install one, such as DejaVu Sans (package fonts-dejavu-core), or write SVG.",
        )
    return bytes(svg_to_bytes(svg_string=drawing, zoom=scale))


def require_pixels() -> Any:
    """The function that draws pixels; an error that names the extra where it is not installed."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise MissingExtraError("writing PNG files", "resvg_py", "plots") from None
    return svg_to_bytes


def _word(word: str) -> str:
    text = element("text", word, y=15, font_family=FONTS)
    return str(element("svg", text, width=20, height=20, xmlns="http://www.w3.org/2000/svg"))
