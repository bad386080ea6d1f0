"""BibTeX of corefine and of its metrics."""

from __future__ import annotations

import re

import pytest

import corefine
from corefine.metrics import Metric, registered

OWN = [metric for metric in registered() if metric.__module__.startswith("corefine.")]


def keys(bibtex: str) -> list[str]:
    return re.findall(r"^@\w+\{(.*),$", bibtex, re.MULTILINE)


@pytest.mark.parametrize("metric", OWN, ids=lambda metric: metric.name)
def test_every_metric_has_entries_of_the_years_it_cites(metric: type[Metric]) -> None:
    years = set(re.findall(r"year = \{(\d+)\}", "".join(metric.references)))
    assert years & set(re.findall(r"(?:19|20)\d\d", metric.citation))


def test_corefine_comes_first_and_nothing_twice() -> None:
    found = keys(corefine.cite("conll,muc,lea"))
    assert found[0] == "corefine"
    assert len(found) == len(set(found))
    assert {"vilain-etal-1995-muc", "luo-2005-ceaf", "moosavi-strube-2016-lea"} <= set(found)


def test_a_mean_cites_its_parts() -> None:
    assert "recasens-hovy-2011-blanc" in keys(corefine.cite("mean(blanc,lea)"))


def test_braces_are_balanced() -> None:
    for entry in corefine.cite("all").split("\n\n"):
        depth = 0
        for sign in entry:
            depth += (sign == "{") - (sign == "}")
            assert depth >= 0
        assert depth == 0
