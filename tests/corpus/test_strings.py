"""Strings as columns: they behave as the list of strings that they hold, slices too."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corefine.corpus.arrays import Strings, numbered, numbered_bytes

texts = st.lists(
    st.text(st.sampled_from("a\0bé€𝄞"), max_size=4) | st.text("ab\0", max_size=20), max_size=12
)


@given(texts, st.integers(0, 12), st.integers(0, 12))
def test_slices_behave_as_slices_of_the_list(values, first, last):
    whole, other = Strings.from_list(values), Strings.from_list(["x", *values])[1:]
    part, expected = whole[first:last], values[first:last]
    assert part.tolist() == list(part) == [part[row] for row in range(len(part))] == expected
    assert part.take(np.arange(len(part))[::-1]).tolist() == expected[::-1]
    assert Strings.concatenate([part, other, part]).tolist() == [*expected, *values, *expected]
    assert part.differs_from(other[first:last]) is None
    longer = Strings.concatenate([part, Strings.from_list(["!"])])
    assert longer.differs_from(part) == part.differs_from(longer) == len(part)


@given(texts, st.integers(0, 12))
def test_codes_are_equal_for_equal_strings_only(values, first):
    codes = Strings.from_list(values)[first:].codes().tolist()
    rest = values[first:]
    assert len(set(zip(codes, rest, strict=True))) == len(set(codes)) == len(set(rest))


@given(st.lists(st.integers(0, 20), max_size=40) | st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_whole_numbers_are_numbered_by_first_appearance(values):
    first, codes = numbered(np.array(values, np.int64))
    distinct = list(dict.fromkeys(values))
    assert first.tolist() == [values.index(value) for value in distinct]
    assert codes.tolist() == [distinct.index(value) for value in values]


@given(st.lists(st.text(max_size=20)))
def test_numbering_strings_is_exact(values):
    column = Strings.from_list(values)
    first, codes = numbered_bytes(column.data, column.offsets[:-1], column.lengths)
    order = list(dict.fromkeys(values))
    assert [values[row] for row in first] == order
    assert [order[code] for code in codes] == values
    assert column.take(first).tolist() == order
