"""Profiles of other scorers give the same numbers for the same annotation in every format."""

from __future__ import annotations

import pytest

import corefine
from corefine.errors import CorefineError
from corefine.formats.registry import all_formats
from corefine.scoring.scorers import SCORERS
from tests.building.sample import sample_path

WRITABLE = [one.name for one in all_formats() if one.write is not None]


TAGGED = {"answers", "brackets", "crac-text", "markdown", "seq2seq", "xml-entity", "xml-m"}
"""Formats of tagged text, which is read against its source."""


@pytest.mark.parametrize("format", WRITABLE)
def test_same_numbers_in_every_format(format, tmp_path):
    sides = []
    source = corefine.read(sample_path("key"))
    for name in ("key", "eager"):
        path = tmp_path / f"{name}.{format}"
        try:
            corefine.write(corefine.read(sample_path(name)), path, format=format)
        except CorefineError as error:
            pytest.skip(f"{format} cannot carry this annotation: {error}")
        if format in TAGGED:
            sides.append(corefine.read(path, format=format, against=source))
        else:
            sides.append(corefine.read(path, format=format))
    for profile in SCORERS:
        # Formats without heads have the first word as head, so spans are compared exactly.
        expected = corefine.score(
            sample_path("key"), sample_path("eager"), scorer=profile, match="exact"
        )
        found = corefine.score(*sides, scorer=profile, match="exact")
        assert {name: one.f1 for name, one in found.items()} == pytest.approx(
            {name: one.f1 for name, one in expected.items()}, abs=1e-12
        ), profile
