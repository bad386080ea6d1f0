"""Charts without a style sheet, and as pixels."""

from __future__ import annotations

import re
import struct
import sys
from xml.etree import ElementTree

import pytest

from corefine.errors import CorefineError, MissingExtraError
from corefine.showing.charts import STYLE, Series, bar_chart, dot_chart, heat_map, rank_diagram
from corefine.showing.charts.plain import plain, rules_of
from corefine.showing.charts.raster import to_png
from corefine.showing.markup import Element, element

FIGURES = {
    "dots": dot_chart("F1", ["muc", "lea"], [Series("a", [0.5, 0.6], [0.4, 0.5], [0.6, 0.7])]),
    "heat": heat_map("τ", ["x", "y"], ["x", "y"], [[1.0, -0.5], [-0.5, 1.0]], limits=(-1, 1)),
    "ranks": rank_diagram("ranks", ["a", "b", "c"], [1.0, 2.4, 2.6], [[1, 2]]),
    "bars": bar_chart("F1", ["muc"], [Series("a", [0.5]), Series("<b>", [0.25])], unit="percent"),
}
by_figure = pytest.mark.parametrize("figure", FIGURES.values(), ids=list(FIGURES))


@by_figure
def test_a_plain_drawing_needs_no_style(figure):
    svg = figure.to_plain_svg()
    assert "class=" not in svg
    assert "var(" not in svg
    assert "light-dark" not in svg
    assert "currentColor" not in svg
    root = ElementTree.fromstring(svg)
    assert [child.tag.rpartition("}")[2] for child in root][:3] == ["title", "desc", "rect"]
    for one in root.iter():
        tag = one.tag.rpartition("}")[2]
        if tag == "text":
            assert re.fullmatch("#[0-9a-f]{6}", one.attrib["fill"])
        if tag in ("circle", "path", "line"):
            assert {"fill", "stroke"} & set(one.attrib)


def test_later_rules_win_and_own_attributes_stay():
    style = """
    .cf-chart { --cf-paper: light-dark(#ffffff, #000000); font-size: 12px; max-width: 100%; }
    .a { fill: var(--hue); stroke-width: 1; } .b, .c { stroke-width: 2; }
    .c { --hue: light-dark(#111111, #eeeeee); }
    .c .a { fill: red; }
    """
    drawing = element("svg", element("rect", class_="c a", x=1, stroke="none"), class_="cf-chart")
    ground, rect = plain(drawing, style).children
    assert isinstance(ground, Element)
    assert isinstance(rect, Element)
    assert dict(plain(drawing, style).attributes) == {"font-size": "12px"}
    assert dict(ground.attributes)["fill"] == "#ffffff"
    assert dict(rect.attributes) == {
        "fill": "#111111",
        "stroke-width": "2",
        "x": 1,
        "stroke": "none",
    }


def test_every_class_of_the_style_is_understood():
    """A rule of the charts' own style that needed more than a class would be lost in silence."""
    known = {rule.name for rule in rules_of(STYLE)}
    used = set()
    for figure in FIGURES.values():
        for classes in re.findall('class="([^"]*)"', str(figure.drawing())):
            used.update(classes.split())
    assert used <= known


@by_figure
def test_pixels(figure):
    pytest.importorskip("resvg_py")
    data = figure.to_png(scale=1.5)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert abs(width - 1.5 * figure.width) <= 1
    assert abs(height - 1.5 * figure.height) <= 1


def test_pixels_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'corefine\[plots\]'"):
        FIGURES["dots"].to_png()


def test_pixels_without_a_font():
    pytest.importorskip("resvg_py")
    drawing = element("svg", font_family="No Such Font", xmlns="http://www.w3.org/2000/svg")
    with pytest.raises(CorefineError, match="none of the fonts"):
        to_png(drawing)
