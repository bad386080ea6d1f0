"""The chain of anchors in order is as long as it can be; texts that repeat themselves."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.formats.tagged.alignment import increasing


@given(st.lists(st.integers(0, 12), max_size=9))
def test_the_longest_increasing_subsequence_is_found(values):
    chosen = [values[place] for place in increasing(values)]
    assert all(one < other for one, other in pairwise(chosen))
    longest = max(
        len(some)
        for size in range(len(values) + 1)
        for some in combinations(values, size)
        if all(one < other for one, other in pairwise(some))
    )
    assert len(chosen) == longest


def test_a_long_text_that_repeats_itself_may_have_gaps():
    """No run of words is unique; many sentences near the beginning are gone, and one at the end."""
    rng = random.Random(5)
    words = [f"w{rng.randrange(400)}" for _ in range(1000)] * 3
    gone = {len(words) - 40, *(start for start in range(0, 1000, 20) if rng.random() < 0.6)}
    kept = [start for start in range(0, len(words), 20) if start not in gone]
    answer = " ".join(f"[{words[a]}](#1) {' '.join(words[a + 1 : a + 20])}" for a in kept)
    corpus = corefine.read_tagged(answer, words)
    assert corpus.copies is not None
    assert corpus.copies.total.copied == 20 * len(kept)
    found = set(corpus.mentions.start.tolist())
    assert len(found ^ set(kept)) <= len(kept) // 100
