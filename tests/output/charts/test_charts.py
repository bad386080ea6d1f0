"""Charts: every drawing is well-formed, holds its numbers, and shows text as text."""

from __future__ import annotations

import math
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.output.charts import (
    Figure,
    Series,
    dot_chart,
    heat_map,
    line_chart,
)
from corefine.output.charts.axes import round_values
from corefine.output.charts.figure import COLOURS, NARROW
from corefine.output.markup import element
from corefine.output.plain_text import fitted, showable, text_width

SVG = "{http://www.w3.org/2000/svg}"
names = st.text(max_size=30)
numbers = st.floats(-1e6, 1e6) | st.none() | st.just(math.nan)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[Series]]:
    categories = draw(st.lists(names, max_size=5))
    column = st.lists(numbers, min_size=len(categories), max_size=len(categories))
    series = st.builds(Series, names, column, st.none() | column, st.none() | column)
    return categories, draw(st.lists(series, max_size=4))


def parsed(figure: Figure) -> ElementTree.Element:
    ElementTree.fromstring(figure.to_svg())
    root = ElementTree.fromstring(str(figure.drawing()))
    identifiers = [node.get("id") for node in root.iter() if node.get("id")]
    assert len(set(identifiers)) == len(identifiers)
    assert set((root.get("aria-labelledby") or "").split()) == set(identifiers)
    for node in root.iter():
        for name, value in node.attrib.items():
            if name in {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height"}:
                assert math.isfinite(float(value))
            assert name != "style", "a page that allows no inline style would not show it"
            if name == "d":
                assert "nan" not in value
                assert "inf" not in value
        if node.tag == f"{SVG}rect":
            assert float(node.get("width") or 0) >= 0
    return root


@given(tables())
def test_charts_of_series_take_any_values_and_names(table):
    categories, series = table
    figure = dot_chart("title", categories, series)
    parsed(figure)
    assert [row[0] for row in figure.grid.rows] == categories
    assert parsed(figure.at(NARROW)).get("width") == f"{NARROW:g}"
    parsed(line_chart("title", [float(n) for n in range(len(categories))], series))


@given(st.lists(st.lists(numbers, min_size=3, max_size=3), max_size=4), names)
def test_heat_map_takes_any_values(values, name):
    parsed(heat_map("title", [name] * len(values), ["a", name, "c"], values))


def test_text_of_a_corpus_is_text():
    hostile = '<script>alert("x")</script>&\x00\ud800'
    figure = dot_chart(hostile, [hostile], [Series(hostile, [1.0])], description=hostile)
    for written in (figure.to_svg(), figure._repr_html_()):
        assert "<script" not in written
        written.encode("utf-8")
    texts = [node.text for node in parsed(figure).iter(f"{SVG}title")]
    assert '<script>alert("x")</script>&\ufffd\ufffd' in texts


def test_a_part_of_a_chart_can_be_a_link():
    figure = dot_chart("t", ["x"], [Series("a", [1.0])], links=["#errors"])
    assert parsed(figure).get("role") == "group"
    assert [link.get("href") for link in parsed(figure).iterfind(f"{SVG}a")] == ["#errors"]


def simulated(colour: str) -> tuple[float, float, float]:
    """CIELAB of a colour as people with deuteranopia see it (Machado et al. 2009)."""
    linear = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in linear]
    seen = [
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ]
    r, g, b = (
        min(1.0, max(0.0, sum(m * v for m, v in zip(row, linear, strict=True)))) for row in seen
    )
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("dark", [False, True])
def test_colours_of_series_differ_with_deuteranopia(dark):
    seen = [simulated(COLOURS[f"c{number}"][dark]) for number in range(8)]
    differences = [math.dist(one, other) for one, other in combinations(seen, 2)]
    assert min(differences) >= 15


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0, 100, [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]),
        (0.55, 0.81, [0.55, 0.6, 0.65, 0.7, 0.75, 0.8]),
        (3, 3, [3]),
    ],
)
def test_ticks_are_round(low, high, expected):
    assert round_values(low, high) == expected


@given(st.text(), st.text(max_size=5))
def test_markup_survives_a_parser(text, value):
    written = element("p", text, title=value)
    node = ElementTree.fromstring(str(written))
    normal = showable(text).replace("\r\n", "\n").replace("\r", "\n")
    assert (node.text or "") == normal


@given(st.text(max_size=40), st.floats(10, 300))
def test_fitted_text_fits(text, width):
    cut = fitted(text, width)
    assert text_width(cut) <= width or cut == "…"
    assert cut == text or cut.endswith("…")
