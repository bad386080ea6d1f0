"""Charts: every drawing is well-formed, holds its numbers, and shows text as text."""

from __future__ import annotations

import math
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
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
from corefine.output.charts.figure import COLOURS
from corefine.output.html import element
from corefine.output.plain_text import fitted, showable, text_width

SVG = "{http://www.w3.org/2000/svg}"
names = st.text(max_size=30)
numbers = st.floats(-1e6, 1e6) | st.none() | st.just(math.nan)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[Series]]:
    categories = draw(st.lists(names, max_size=5))
    column = st.lists(numbers, min_size=len(categories), max_size=len(categories))
    ends = st.none() | st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6) | st.just(math.nan))
    intervals = st.lists(ends, min_size=len(categories), max_size=len(categories))
    series = st.builds(Series, names, column, st.just(()) | intervals)
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
    assert parsed(figure.at(340)).get("width") == "340"
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


# How colours look with a deficiency, in linear RGB (Machado, Oliveira and Fernandes 2009).
SEEN = {
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
}  # fmt: skip
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip


def linear(colour: str) -> np.ndarray:
    """A colour in linear RGB."""
    values = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(colour: str, deficiency: str) -> np.ndarray:
    """CIELAB of a colour as people with a deficiency see it."""
    seen = np.clip(SEEN[deficiency] @ linear(colour), 0, 1)
    x = TO_XYZ @ seen / TO_XYZ.sum(axis=1)
    f = np.where(x > 216 / 24389, np.cbrt(x), (24389 / 27 * x + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("deficiency", SEEN)
@pytest.mark.parametrize("dark", [False, True])
def test_neighbours_of_the_palette_differ_for_everybody(dark, deficiency):
    seen = [lab(COLOURS[f"c{number}"][dark], deficiency) for number in range(8)]
    assert min(np.linalg.norm(one - other) for one, other in pairwise([*seen, seen[0]])) >= 25


@pytest.mark.parametrize("dark", [False, True])
def test_the_palette_can_be_read_as_text(dark):
    paper = linear("#1d2127" if dark else "#ffffff") @ TO_XYZ[1]
    for number in range(8):
        ink = linear(COLOURS[f"c{number}"][dark]) @ TO_XYZ[1]
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= 4.5


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
