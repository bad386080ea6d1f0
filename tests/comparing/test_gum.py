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


@pytest.mark.slow
def test_the_table_of_the_page_is_what_is_computed(comparison):
    written = (ROOT / "docs" / "comparing.md").read_text("utf-8").splitlines()
    _, _, *rows = [
        line for line in comparison.to_markdown("summary").splitlines() if line.startswith("|")
    ]
    for row in rows:
        assert row in written
