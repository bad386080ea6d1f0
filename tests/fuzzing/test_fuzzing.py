"""A short run of the fuzzer; ``scripts/fuzz`` runs it for as long as is wanted."""

from __future__ import annotations

import pytest

pytest.importorskip("resource", reason="limits need signals")
pytest.importorskip("pyarrow", reason="the extra parquet is not installed")

from tests.fuzzing.damages import MODES, run
from tests.fuzzing.samples import FORMATS

INPUTS = {"damaged": 8 * len(FORMATS), "pumped": len(FORMATS), "words": 8, "metamorphic": 10}


@pytest.mark.parametrize("mode", MODES)
def test_no_input_breaks_a_property(mode: str) -> None:
    report = run(INPUTS.get(mode, 50), seed=0, mode=mode)
    assert report.failures == []
    assert report.read
    assert (mode != "damaged") or (report.compared and report.checked)


def test_a_run_is_resumed_where_it_stopped() -> None:
    whole = run(8, seed=3)
    first = run(5, seed=3)
    rest = run(3, seed=3, start=first.following)
    assert (whole.read, whole.refused) == (first.read + rest.read, first.refused + rest.refused)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["conll", "conllu"])
def test_damaged_files_are_read_as_plain_readers_do(format: str) -> None:
    report = run(1000, seed=2, only=format)
    assert report.failures == []
    assert report.compared[format]
