"""Charts: every drawing is well-formed, holds its numbers, and shows text as text."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.output.charts import (
    STYLE,
    Cloud,
    Figure,
    Series,
    bar_chart,
    dot_chart,
    heat_map,
    line_chart,
    scatter_chart,
    strip_chart,
    waterfall_chart,
)
from corefine.output.charts.frame import cut_note
from corefine.output.charts.scales import Linear, Logarithmic, round_values, tick_labels
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
    for chart in (bar_chart, dot_chart):
        figure = chart("title", categories, series)
        parsed(figure)
        assert [row[0] for row in figure.grid.rows] == categories
    parsed(line_chart("title", [float(n) for n in range(len(categories))], series))


@given(st.lists(st.lists(numbers, min_size=3, max_size=3), max_size=4), names)
def test_heat_map_takes_any_values(values, name):
    parsed(heat_map("title", [name] * len(values), ["a", name, "c"], values))


@given(
    st.lists(st.tuples(st.floats(-10, 1e7), st.none() | st.floats(-1, 1)), max_size=8),
    st.booleans(),
)
def test_scatter_takes_any_values(points, logarithmic):
    cloud = Cloud("s", [x for x, _ in points], [y for _, y in points], ["p"] * len(points))
    chart = scatter_chart("t", [cloud], x_title="x", y_title="y", logarithmic=logarithmic)
    drawn = [node for node in parsed(chart).iter() if "cf-point" in (node.get("class") or "")]
    expected = [1 for x, y in points if y is not None and (x >= 1e-9 or not logarithmic)]
    assert len(drawn) == len(expected) == len(chart.grid.rows)


def test_bars_are_as_long_as_their_values():
    figure = bar_chart("t", ["a", "b"], [Series("s", [0.5, 0.25])], unit="percent", limits=(0, 1))
    rectangles = list(parsed(figure).iter(f"{SVG}rect"))
    first, second = (float(node.get("width") or 0) for node in rectangles)
    assert first == pytest.approx(2 * second, abs=0.02)


def test_bars_below_zero_end_at_the_base_line():
    figure = bar_chart("t", ["a", "b"], [Series("s", [-1.0, 1.0])])
    negative, positive = parsed(figure).iter(f"{SVG}rect")
    end = float(negative.get("x") or 0) + float(negative.get("width") or 0)
    assert end == pytest.approx(float(positive.get("x") or 0), abs=0.02)


def test_waterfall_starts_each_step_where_the_last_ended():
    figure = waterfall_chart("t", ("now", 0.5), [("a", 0.25), ("b", -0.125)], ("then", 0.625))
    assert figure.grid.rows == [
        ("now", None, 0.5),
        ("a", 0.25, 0.75),
        ("b", -0.125, 0.625),
        ("then", None, 0.625),
    ]
    now, rise, fall, then = parsed(figure).iter(f"{SVG}rect")

    def end(node: ElementTree.Element) -> float:
        return float(node.get("x") or 0) + float(node.get("width") or 0)

    assert float(rise.get("x") or 0) == pytest.approx(end(now), abs=0.02)
    assert end(fall) == pytest.approx(end(rise), abs=0.02)
    assert float(fall.get("x") or 0) == pytest.approx(end(then), abs=0.02)


def test_strip_chart_gives_the_quartiles():
    figure = strip_chart("t", [("lea", 0, [0.0, 0.25, 0.5, 0.75, 1.0]), ("muc", 1, [])])
    parsed(figure)
    assert figure.grid.rows == [("lea", 5, 0.0, 0.25, 0.5, 0.75, 1.0)]


def test_text_of_a_corpus_is_text():
    hostile = '<script>alert("x")</script>&\x00\ud800'
    figure = bar_chart(hostile, [hostile], [Series(hostile, [1.0])], description=hostile)
    for written in (figure.to_svg(), figure._repr_html_()):
        assert "<script" not in written
        written.encode("utf-8")
    texts = [node.text for node in parsed(figure).iter(f"{SVG}title")]
    assert '<script>alert("x")</script>&\ufffd\ufffd' in texts


def test_style_is_the_same_in_xml_and_in_html():
    assert not set("<>&") & set(STYLE)


def test_series_are_told_apart_without_colour():
    figure = bar_chart("t", ["a"], [Series(str(number), [1.0]) for number in range(8)])
    hatches = [node.get("d") for node in parsed(figure).iter() if node.get("class") == "cf-hatch"]
    assert len(hatches) == 2 * 7  # the bars and the legend; the first series is plain


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


def test_scales_map_their_ends():
    assert [Linear(0, 10, 5, 25)(value) for value in (0, 5, 10)] == [5, 15, 25]
    assert [Logarithmic(1, 100, 0, 2)(value) for value in (1, 10, 100)] == [0, 1, 2]
    assert Logarithmic(100, 4000, 0, 1).ticks() == [100, 300, 1000, 3000]
    assert tick_labels([0, 0.05, 0.1], "percent") == ["0", "5", "10"]
    assert tick_labels([-0.5, 0.0, 1000.0], "number") == ["−0.5", "0.0", "1,000.0"]


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


def test_where_a_cut_axis_begins_is_told_in_points():
    assert cut_note((0.49321632, 0.7), "percent") == "The axis is cut: it begins at 49.3."
    assert cut_note((0.5, 0.7), "percent") == "The axis is cut: it begins at 50."
    assert cut_note((0.0, 0.7), "percent") == cut_note((3.0, 7.0), "number") == ""
