"""Tests in the groups of a breakdown: each is the test of the group alone, corrected together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corefine
from corefine.comparing.plan import adjust
from tests.building.partitions import entity_lists


@settings(max_examples=15)
@given(st.lists(st.tuples(*[entity_lists(6)] * 3), min_size=2, max_size=5))
def test_p_of_a_group_is_that_of_the_same_statistics_as_a_corpus(documents):
    """Brute force: F1 of the group after every swap of documents."""
    key, *systems = ({f"d{n}": one[side] for n, one in enumerate(documents)} for side in range(3))
    few = {"trials": 64, "replicates": 5}
    found = corefine.compare(key, dict(zip("ab", systems, strict=True)), "b3", by="size", **few)
    scores = found.scores
    for one in found.part_differences:
        parts = {}
        for name in "ab":
            breakdown = scores[name].breakdowns[0]
            parts[name] = {
                statistic: breakdown.column(one.group, "b3", statistic)
                for statistic in next(iter(breakdown.parts.values()))["b3"]
            }
        metric = scores["a"].metrics["b3"]
        names = list(parts["a"])
        present = [n for n in range(len(documents))
                   if any(parts[s][k][n] for s in "ab" for k in names)]  # fmt: skip
        assert one.documents == len(present)
        differences = []
        for mask in range(2 ** len(present)):
            sides = []
            for side in (0, 1):
                totals = dict.fromkeys(names, 0.0)
                for bit, n in enumerate(present):
                    swapped = mask >> bit & 1
                    for name in names:
                        totals[name] += parts["ab"[side ^ swapped]][name][n]
                sides.append(float(metric.score(totals).f1))
            differences.append(sides[0] - sides[1])
        assert one.difference == pytest.approx(differences[0])
        extreme = sum(abs(d) >= abs(differences[0]) - 1e-9 for d in differences)
        assert one.p == pytest.approx(extreme / len(differences))
    expected = adjust([one.p for one in found.part_differences], "holm").tolist()
    assert [one.adjusted_p for one in found.part_differences] == pytest.approx(expected)


def test_the_number_of_comparisons_is_stated():
    key = {f"d{n}": [[1, 2, 3], [4, 5], [6]] for n in range(9)}
    systems = {
        "a": key,
        "b": {name: [[1, 2], [4, 5]] for name in key},
        "c": {name: [[1, 2, 3, 4]] for name in key},
    }
    found = corefine.compare(key, systems, "muc,b3", by="size", trials=600, replicates=9)
    groups = {(one.group, one.metric) for one in found.part_differences}
    assert len(found.part_differences) == 3 * len(groups)
    (grid,) = found.tables("pairs-by-size")
    assert f"{len(found.part_differences)} comparisons" in grid.notes[0]
    assert any(one.significant for one in found.part_differences)
    assert found.default_tables[-2:] == ("by-size", "pairs-by-size")
