"""Drawings as pixels, without a display and without a browser."""

from __future__ import annotations

from functools import cache

from corefine.errors import CorefineError, MissingExtraError
from corefine.showing.markup import Element, element


def to_png(drawing: Element, scale: float = 2.0) -> bytes:
    """A PNG of a plain drawing, ``scale`` pixels to a unit of it."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise MissingExtraError("writing PNG files", "resvg_py", "plots") from None
    _require_font(str(dict(drawing.attributes)["font-family"]))
    return bytes(svg_to_bytes(svg_string=str(drawing), zoom=scale))


@cache
def _require_font(family: str) -> None:
    """Refuse to leave out all words, which is what happens where there is no font."""
    from resvg_py import svg_to_bytes

    with_word, without = (
        svg_to_bytes(
            svg_string=str(
                element(
                    "svg",
                    element("text", word, y=15, font_family=family),
                    width=20,
                    height=20,
                    xmlns="http://www.w3.org/2000/svg",
                )
            )
        )
        for word in ("M", "")
    )
    if with_word == without:
        raise CorefineError(
            "none of the fonts that charts are written in is installed",
            remedy="Install one, such as DejaVu Sans (package fonts-dejavu-core), or write SVG.",
        )
