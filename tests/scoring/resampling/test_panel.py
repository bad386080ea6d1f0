from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import corefine
from corefine.errors import UsageError
from corefine.scoring.resampling import Panel
from tests.building.panels import FIRST, by_hand, fractions, panel_of, random_panel


def test_scores_are_those_of_the_sums():
    scores = by_hand().scores()
    # 39 right of 55 given, 39 of 56 wanted; 32 of 53, and 32 of 56.
    assert scores[0, 0] == pytest.approx([39 / 55, 39 / 56, 78 / 111])
    assert scores[1, 0] == pytest.approx([32 / 53, 32 / 56, 64 / 109])


def test_an_average_is_the_mean_of_f_and_has_no_other_value():
    scores = random_panel(0).scores()
    assert scores[:, 2, 2] == pytest.approx(scores[:, :2, 2].mean(axis=1))
    assert np.isnan(scores[:, 2, :2]).all()


def with_documents(panel, documents):
    """The same panel with some documents only."""
    return replace(
        panel,
        documents=tuple(panel.documents[number] for number in documents),
        statistics=panel.statistics[:, :, documents],
    )


def test_document_scores_are_those_of_one_document():
    panel = random_panel(1)
    scores = panel.document_scores()
    for number in range(len(panel.documents)):
        single = with_documents(panel, [number])
        np.testing.assert_allclose(scores[:, number], single.scores(), equal_nan=True)


def test_leave_one_out_is_the_score_without_the_document():
    panel = random_panel(2)
    without = panel.leave_one_out()
    for number in range(len(panel.documents)):
        rest = with_documents(panel, [n for n in range(len(panel.documents)) if n != number])
        expected = np.moveaxis(rest.scores(), 0, 2)
        np.testing.assert_allclose(without[..., number], expected, equal_nan=True)


def test_what_is_left_of_nothing_is_exactly_nothing():
    # Without its first document the system has no links at all, so that its scores are 0; the
    # rounding error of 0.1 + 0.2 − 0.3 must not be taken for a denominator.
    weights = [[0.1, 0.1, 0.1, 0.1], [0.2, 0.2, 0.2, 0.2], [0.3, 0.3, 0.3, 0.3]]
    panel = panel_of([*weights, [0, 0, 0, 0]], finish=fractions)
    merged = panel_of([np.sum(weights, axis=0), [0, 0, 0, 0]], finish=fractions)
    assert merged.leave_one_out()[0, :, 0, 0].tolist() == [0, 0, 0]
    assert panel.leave_one_out()[0, :, 0, 3] == pytest.approx([1, 1, 1])


def test_pairs():
    panel = random_panel(0, systems=3)
    assert panel.pairs().tolist() == [[0, 1], [0, 2], [1, 2]]
    assert panel.pairs("s1").tolist() == [[0, 1], [2, 1]]
    assert panel_of(FIRST).pairs().shape == (0, 2)


def test_the_panel_of_scores_has_the_metrics_asked_for():
    """The parts of an average are scored for it, but are no comparison of their own."""
    key = {"a": [[1, 2, 3]], "b": [[1, 2], [3, 4]]}
    scores = {
        "one": corefine.score(key, {"a": [[1, 2]], "b": [[1, 2]]}, "lea,conll"),
        "two": corefine.score(key, key, "lea,conll"),
    }
    panel = Panel.of(scores)
    assert panel.names == ("lea", "conll")
    assert {part for part, _ in panel.columns} == {"lea", "muc", "b3", "ceafe"}
    for system, values in zip(scores.values(), panel.scores(), strict=True):
        assert values[:, 2].tolist() == [system["lea"].f1, system["conll"].f1]


def test_statistics_that_are_not_finite_are_refused():
    scores = corefine.score([[1, 2]], [[1, 2]], "b3")
    scores.counts.values["b3"]["precision_part"][0] = np.nan
    with pytest.raises(UsageError, match="b3"):
        Panel.of({"one": scores})


def test_the_order_of_documents_does_not_matter():
    key = {"b": [[1, 2, 3]], "a": [[1, 2], [3, 4]]}
    response = {"b": [[1, 2]], "a": [[1, 2]]}
    turned = [dict(reversed(one.items())) for one in (key, response)]
    first, second = (
        Panel.of({"one": corefine.score(sides[0], sides[1], "lea")})
        for sides in ((key, response), turned)
    )
    assert first.documents == second.documents == ("a", "b")
    assert np.array_equal(first.statistics, second.statistics)


def test_scores_of_data_sets_are_averaged():
    panel = replace(random_panel(3, documents=7), strata=(3, 4))
    parts = [
        with_documents(replace(panel, strata=()), list(own)) for own in (range(3), range(3, 7))
    ]
    expected = np.mean([part.scores() for part in parts], axis=0)
    np.testing.assert_allclose(panel.scores(), expected, equal_nan=True)
    without = panel.leave_one_out()
    rest = with_documents(replace(panel, strata=()), [0, 2])
    np.testing.assert_allclose(
        without[..., 1],
        np.moveaxis((rest.scores() + parts[1].scores()) / 2, 0, 2),
        equal_nan=True,
    )


def test_a_metric_that_counts_nothing_does_not_apply():
    key, response = [["a", "b"]], [["a", "b"]]
    panel = Panel.of(
        {"one": corefine.score(key, response, "muc,anaphors(kind=zero)", kinds="none")}
    )
    assert panel.applicable.tolist() == [True, False]
