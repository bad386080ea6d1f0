"""Values of UIMA CAS JSON that would be lost in silence are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine.errors import FormatError
from tests.fuzzing.samples import sample


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"@next": 3', b'"@next": 1e999', "next of structure 2 is 'inf'"),
        (b'"@next": 3', b'"@next": true', "next of structure 2 is 'True'"),
        (b'"@first": 2', b'"@first": [2]', "first of structure 4"),
        (b'"begin": 9', b'"begin": 9.0', "begin of structure 3"),
        (b'"@next": 3', b'"@next": 3, "@next": null', "the key '@next' occurs twice"),
    ],
)
def test_what_would_be_lost_is_refused(
    tmp_path: Path, old: bytes, new: bytes, message: str
) -> None:
    text = sample("cas-json")["x.json"]
    assert old in text
    (tmp_path / "x.json").write_bytes(text.replace(old, new, 1))
    with pytest.raises(FormatError, match=message):
        corefine.read(tmp_path / "x.json")
