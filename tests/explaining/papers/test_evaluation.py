"""Printed tables, numbers derived from rounded ones, and expressions of data files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.explaining.papers.evaluation import (
    Range,
    derive,
    evaluate,
    f_measure,
    formatted,
    one_digit_apart,
    printed_table,
)

SCORES = st.floats(min_value=0.5, max_value=100)


def test_a_table_is_read_by_row_and_column() -> None:
    table = printed_table("""
    row  P    R
    one  .5   –
    two  1.25 3
    """)
    assert table == {"one": {"P": 0.5}, "two": {"P": 1.25, "R": 3.0}}
    with pytest.raises(ValueError):  # noqa: PT011
        printed_table("row P R\none 1")


@given(precision=SCORES, recall=SCORES, decimals=st.integers(1, 3))
def test_the_range_of_a_derived_number_contains_the_exact_one(
    precision: float, recall: float, decimals: int
) -> None:
    found = derive(
        f_measure, round(precision, decimals), round(recall, decimals), decimals=decimals
    )
    assert abs(found.value - f_measure(precision, recall)) <= found.slack + 1e-9


def test_exact_numbers_are_not_rounded() -> None:
    found = derive(lambda share, count: share / 100 * count, 50.0, decimals=1, exact=(200,))
    assert found.value == 100
    assert found.slack == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("one", "other", "decimals", "apart"),
    [
        (32.29, 35.29, 2, True),
        (32.29, 35.294, 2, True),
        (32.29, 32.29, 2, False),
        (32.29, 35.20, 2, False),
        (9.5, 10.5, 1, False),
        (50.84, 60.84, 2, True),
    ],
)
def test_numbers_that_differ_in_one_digit(
    one: float, other: float, decimals: int, apart: bool
) -> None:
    assert one_digit_apart(one, other, decimals) is apart


def test_a_range_contains_its_limits() -> None:
    found = Range(2, 1, 3)
    assert 1 in found
    assert 3 in found
    assert 3.01 not in found
    assert found.middle == 2
    assert found.slack == 1
    assert found.overlaps(Range(4, 3, 5))
    assert not found.overlaps(Range(5, 4, 6))
    assert str(Range(1350, 1349.6, 1352.4)) == "1,350 to 1,352"


def test_expressions_and_templates_refer_to_names() -> None:
    names = {"scores": {"lea": 0.5}}
    assert evaluate("scores['lea'] * 2", names) == 1
    assert evaluate(3, names) == 3
    assert formatted("lea {100 * scores['lea']:.1f}", names) == "lea 50.0"
    assert formatted("a\n  {1 + 1}\n", names) == "a 2"
