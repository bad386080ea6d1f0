"""Charts as files: SVG with its own style, and pixels."""

from __future__ import annotations

import re
import struct
import sys
from xml.etree import ElementTree

import pytest

from corefine.errors import CorefineError, MissingExtraError
from corefine.output.charts import STYLE, Series, bar_chart, dot_chart, heat_map
from corefine.output.charts.palette import COLOURS, FILE_STYLES
from corefine.output.markup import element

FIGURES = {
    "dots": dot_chart("F1", ["muc", "lea"], [Series("a", [0.5, 0.6], [0.4, 0.5], [0.6, 0.7])]),
    "heat": heat_map("τ", ["x", "y"], ["x", "y"], [[1.0, -0.5], [-0.5, 1.0]], limits=(-1, 1)),
    "bars": bar_chart("F1", ["muc"], [Series("a", [0.5]), Series("<b>", [0.25])], unit="percent"),
}
by_figure = pytest.mark.parametrize("figure", FIGURES.values(), ids=list(FIGURES))


@by_figure
def test_a_file_needs_no_style_of_a_page(figure):
    svg = figure.to_svg()
    assert "var(" not in svg
    assert "light-dark" not in svg
    root = ElementTree.fromstring(svg)
    tags = [child.tag.rpartition("}")[2] for child in root]
    assert tags[:4] == ["title", "desc", "style", "rect"]
    assert root[3].attrib["fill"] == "#ffffff"


@by_figure
def test_every_class_of_a_drawing_has_a_style(figure):
    known = set(re.findall(r"\.([\w-]+)", FILE_STYLES[0]))
    used = {
        name
        for classes in re.findall('class="([^"]*)"', str(figure.drawing()))
        for name in classes.split()
    }
    assert used <= known


def test_every_colour_is_used_in_page_and_file():
    for light, dark in COLOURS.values():
        assert f"light-dark({light}, {dark})" in STYLE
        assert (light in FILE_STYLES[0], dark in FILE_STYLES[1]) == (True, True)


def drawing(*content):
    return str(element("svg", content, width=20, height=20, xmlns="http://www.w3.org/2000/svg"))


@pytest.mark.parametrize("number", range(8))
def test_pixels_have_the_colours_of_the_style(number):
    resvg = pytest.importorskip("resvg_py")
    styled = drawing(
        element("style", FILE_STYLES[0]),
        element("rect", width=9, height=9, class_=f"cf-fill cf-c{number}"),
        element("rect", x=9, width=9, height=9, class_=f"cf-box cf-c{number}"),
    )
    hue = COLOURS[f"c{number}"][0]
    plain = drawing(
        element("rect", width=9, height=9, fill=hue),
        element(
            "rect", x=9, width=9, height=9, fill=hue, fill_opacity="0.3", stroke=hue, stroke_width=1
        ),
    )
    assert resvg.svg_to_bytes(svg_string=styled) == resvg.svg_to_bytes(svg_string=plain)


@by_figure
def test_pixels(figure, monkeypatch):
    resvg = pytest.importorskip("resvg_py")
    blank = drawing(), drawing(element("rect", width=20, height=20))
    # The check for fonts has its own test: here none need to be installed.
    monkeypatch.setattr("corefine.output.charts.raster._word", lambda word: blank[bool(word)])
    assert resvg.svg_to_bytes(svg_string=blank[0]) != resvg.svg_to_bytes(svg_string=blank[1])
    data = figure.to_png(scale=1.5)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert abs(width - 1.5 * figure.width) <= 1
    assert abs(height - 1.5 * figure.height) <= 1


def test_pixels_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'corefine\[plots\]'"):
        FIGURES["dots"].to_png()


def test_pixels_without_a_font(monkeypatch):
    pytest.importorskip("resvg_py")
    monkeypatch.setattr("corefine.output.charts.raster._word", lambda word: drawing())
    with pytest.raises(CorefineError, match="none of the fonts"):
        FIGURES["dots"].to_png()
