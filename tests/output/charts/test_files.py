"""Charts as files: SVG with its own style, and pixels."""

from __future__ import annotations

import struct
import sys
from xml.etree import ElementTree

import pytest

from corefine.output.charts import STYLE, Series, dot_chart, heat_map
from corefine.output.charts.figure import COLOURS
from tests.building.refusals import refused

FIGURES = {
    "dots": dot_chart("F1", ["muc", "lea"], [Series("a", [0.5, 0.6], [(0.4, 0.6), (0.5, 0.7)])]),
    "heat": heat_map("τ", ["x", "y"], ["x", "y"], [[1.0, -0.5], [-0.5, 1.0]], limits=(-1, 1)),
    "two": dot_chart("F1", ["muc"], [Series("a", [0.5]), Series("<b>", [0.25])]),
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


def test_every_colour_is_used_in_page_and_file():
    files = FIGURES["dots"].to_svg(), FIGURES["dots"].to_svg(dark=True)
    for light, dark in COLOURS.values():
        assert f"light-dark({light}, {dark})" in STYLE
        assert (light in files[0], dark in files[1]) == (True, True)


@by_figure
def test_pixels_and_pages(figure):
    pytest.importorskip("typst")
    data = figure.rendered("png")
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert abs(width - 2 * figure.width) <= 2
    assert abs(height - 2 * figure.height) <= 2
    assert figure.rendered("pdf").startswith(b"%PDF")


@pytest.mark.parametrize(("style", "family"), [("paper-serif", "Times"), ("paper-sans", "Noto")])
def test_a_figure_fits_the_column_of_a_paper(style, family):
    root = ElementTree.fromstring(FIGURES["two"].to_svg(style=style))
    assert root.attrib["width"] == "240pt"
    assert root.attrib["viewBox"].split()[2] == "360"  # 12 units of text are 8 points
    assert family in (root[2].text or "")


@pytest.mark.parametrize("format", ["png", "pdf"])
def test_files_without_the_extra(format, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    with refused("missing-extra"):
        FIGURES["dots"].rendered(format)
