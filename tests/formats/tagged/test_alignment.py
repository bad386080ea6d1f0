"""The chain of anchors in order: as long as there can be one."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corefine.formats.tagged.alignment import _increasing


@given(st.lists(st.integers(0, 12), max_size=9))
def test_the_longest_increasing_subsequence_is_found(values):
    chosen = np.array(values, np.int64)[_increasing(np.array(values, np.int64))].tolist()
    assert all(one < other for one, other in pairwise(chosen))
    longest = max(
        len(some)
        for size in range(len(values) + 1)
        for some in combinations(values, size)
        if all(one < other for one, other in pairwise(some))
    )
    assert len(chosen) == longest
