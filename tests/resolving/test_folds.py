"""Folds of a cross-validation in several processes."""

from __future__ import annotations

from typing import Any

import pytest

from corefine.corpus.corpus import Corpus
from corefine.resolving.cross_validation import cross_validate
from tests.building.resolving_corpora import stories


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return stories(*range(4), sentences=8)


def entities(result: Any) -> list[list[int]]:
    return [response.mentions.entity.tolist() for response in result.responses.values()]


def test_processes_do_not_change_the_result(corpus: Corpus) -> None:
    one, two = (
        cross_validate(corpus, ["headmatch", "sieve"], folds=3, jobs=jobs) for jobs in (1, 2)
    )
    assert entities(one) == entities(two)
    assert one.to_dict() == two.to_dict()
