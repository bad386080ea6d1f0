from __future__ import annotations

import numpy as np
import pytest

from corefine.comparing.panel import Composite, Measure, Panel, leave_one_out, pair_names
from corefine.errors import UsageError
from tests.building.panels import FIRST, by_hand, fractions, micro_f, panel_of, random_panel


def test_scores_are_those_of_the_sums():
    scores = by_hand().scores()
    # 39 right of 55 given, 39 of 56 wanted; 32 of 53, and 32 of 56.
    assert scores[0, 0] == pytest.approx([39 / 55, 39 / 56, 78 / 111])
    assert scores[1, 0] == pytest.approx([32 / 53, 32 / 56, 64 / 109])


def test_composite_is_the_mean_of_f_and_has_no_other_value():
    scores = random_panel(0).scores()
    assert scores[:, 2, 2] == pytest.approx(scores[:, :2, 2].mean(axis=1))
    assert np.isnan(scores[:, 2, :2]).all()


def test_document_scores_are_those_of_one_document():
    panel = random_panel(1)
    scores = panel.document_scores()
    for number in range(len(panel.documents)):
        single = Panel(
            panel.systems,
            ("one",),
            tuple(Measure(m.name, m.statistics[:, [number]], m.finish) for m in panel.measures),
            panel.composites,
        )
        np.testing.assert_allclose(scores[:, number], single.scores(), equal_nan=True)


def test_leave_one_out_is_the_score_without_the_document():
    panel = random_panel(2)
    without = leave_one_out(panel)
    for number in range(len(panel.documents)):
        rest = Panel(
            panel.systems,
            panel.documents[1:],
            tuple(
                Measure(m.name, np.delete(m.statistics, number, axis=1), m.finish)
                for m in panel.measures
            ),
            panel.composites,
        )
        expected = np.moveaxis(rest.scores(), 0, 2)
        np.testing.assert_allclose(without[..., number], expected, equal_nan=True)


def test_what_is_left_of_nothing_is_exactly_nothing():
    # Without its first document the system has no links at all, so that its scores are 0; the
    # rounding error of 0.1 + 0.2 − 0.3 must not be taken for a denominator.
    weights = [[0.1, 0.1, 0.1, 0.1], [0.2, 0.2, 0.2, 0.2], [0.3, 0.3, 0.3, 0.3]]
    panel = panel_of([*weights, [0, 0, 0, 0]], finish=fractions)
    merged = panel_of([np.sum(weights, axis=0), [0, 0, 0, 0]], finish=fractions)
    assert leave_one_out(merged)[0, :, 0, 0].tolist() == [0, 0, 0]
    assert leave_one_out(panel)[0, :, 0, 3] == pytest.approx([1, 1, 1])


def test_pairs():
    panel = random_panel(0, systems=3)
    assert panel.pairs().tolist() == [[0, 1], [0, 2], [1, 2]]
    assert panel.pairs("s1").tolist() == [[0, 1], [2, 1]]
    assert pair_names(panel, panel.pairs("s1")) == [("s0", "s1"), ("s2", "s1")]
    assert panel_of(FIRST).pairs().shape == (0, 2)
    with pytest.raises(UsageError, match="baseline 'x' is not among the systems"):
        panel.pairs("x")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"systems": ("a", "a")}, "system 'a' is given twice"),
        ({"documents": ("d",)}, "statistics of f have the shape"),
        ({"composites": (Composite("mean", ("g",)),)}, "averages 'g', which is not measured"),
        ({"composites": (Composite("mean", ()),)}, "averages nothing"),
        ({"composites": (Composite("f", ("f",)),)}, "measure 'f' is given twice"),
        (
            {"measures": (Measure("f", np.full((2, 6, 3), np.nan), micro_f),)},
            "statistics of f are not all finite",
        ),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    panel = by_hand()
    whole = {
        "systems": panel.systems,
        "documents": panel.documents,
        "measures": panel.measures,
        **change,
    }
    with pytest.raises(UsageError, match=message):
        Panel(**whole)
