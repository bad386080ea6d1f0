"""Error counts as the Berkeley Coreference Analyser gives them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import corefine
from corefine.errors import UsageError
from corefine.explaining.berkeley import berkeley_errors
from tests.conftest import ROOT

FIXTURES = Path(__file__).parents[1] / "fixtures" / "berkeley"
COUNTS = {
    "made/1": [2, 1, 1, 1, 0, 1, 0],
    "made/2": [0, 1, 1, 0, 1, 0, 2],
    "made/3": [0, 4, 4, 1, 0, 1, 0],
    "made/4": [1, 2, 2, 1, 0, 0, 0],
    "made/5": [1, 1, 1, 0, 0, 1, 0],
    "made/6": [1, 0, 0, 1, 1, 1, 1],
}
"""What the analyser counts in made-up documents: span, conflated, divided, extra mention, extra
entity, missing mention, missing entity."""
ANALYSER = Path(os.environ.get("COREFINE_BERKELEY", ROOT.parent / "berkeley-coreference-analyser"))


def test_counts_of_the_analyser_on_made_up_documents():
    errors = berkeley_errors(FIXTURES / "key.conll", FIXTURES / "response.conll")
    assert {name: list(one.values()) for name, one in errors.documents.items()} == COUNTS
    assert list(errors.counts.values()) == [
        sum(column) for column in zip(*COUNTS.values(), strict=True)
    ]


@pytest.mark.data
def test_counts_of_the_analyser_on_its_sample(tmp_path):
    if not ANALYSER.is_dir():
        pytest.skip(f"there is no checkout at {ANALYSER}; set COREFINE_BERKELEY")
    key = tmp_path / "key.conll"
    key.write_text("".join(path.read_text() for path in sorted(ANALYSER.rglob("*gold_conll"))))
    errors = berkeley_errors(key, ANALYSER / "data/homogenised/stanford.homogenised.out")
    assert list(errors.counts.values()) == [16, 101, 90, 94, 93, 35, 34]


def test_trees_are_required():
    corpus = corefine.read(FIXTURES / "response.conll")
    with pytest.raises(UsageError):
        berkeley_errors(corpus, corpus)
