"""Plain text: what no page can hold is replaced."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corefine.output.plain_text import all_showable, showable


@given(st.lists(st.text(alphabet="aé\n\x01\ud800\uffff")))
def test_many_texts_are_made_showable_as_each_is(texts: list[str]) -> None:
    assert all_showable(texts) == [showable(text) for text in texts]
