"""The comparison that the documentation shows, on the real outputs."""

from __future__ import annotations

import pytest

import corefine
from tests.conftest import ROOT

pytestmark = pytest.mark.data

SYSTEMS = (
    "xrenner-xgb",
    "xrenner-rules",
    "arkref-goldsem",
    "arkref-goldsem-window3",
    "arkref-nosem",
)


@pytest.fixture(scope="module")
def comparison(data):
    return corefine.compare(
        data / "gum" / "key.conll", {name: data / "gum" / f"{name}.conll" for name in SYSTEMS}
    )


def test_the_table_of_the_page_is_what_is_computed(comparison):
    written = (ROOT / "docs" / "comparing.md").read_text("utf-8").splitlines()
    _, _, *rows = [
        line for line in comparison.to_markdown("summary").splitlines() if line.startswith("|")
    ]
    for row in rows:
        assert row in written


def test_what_the_page_says_of_it(comparison):
    assert all(
        comparison.difference("xrenner-xgb", "xrenner-rules", metric).significant
        for metric in comparison.metrics
        if metric != "mentions"
    )
    window = [
        comparison.difference("arkref-goldsem-window3", "arkref-goldsem", metric)
        for metric in ("muc", "b3", "ceafe")
    ]
    assert [one.difference > 0 for one in window] == [False, True, True]
    assert [one.significant for one in window] == [True, False, False]
    unlike = [
        one.detectable
        for one in comparison.differences
        if one.metric == "lea" and not one.first.startswith("arkref")
    ]
    assert 0.05 < min(unlike) < max(unlike) < 0.09
    assert not comparison.warnings
