"""A short run of the fuzzer; ``scripts/fuzz`` runs it for as long as is wanted."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits need signals")
pytest.importorskip("pyarrow", reason="the extra parquet is not installed")

from tests.fuzzing.damages import MODES, Input, Report, run, try_input
from tests.fuzzing.guided import LARGEST_SEED, read_seeds, run_guided
from tests.fuzzing.samples import FORMATS, sample

INPUTS = {"damaged": 4 * len(FORMATS), "pumped": len(FORMATS) // 2, "words": 4}


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
def test_guided_inputs_reach_new_lines(tmp_path: Path) -> None:
    kept = tmp_path / "seeds.jsonl"
    report = run_guided(seed=5, inputs=100, kept=kept)
    assert report.failures == []
    assert report.lines > 1000
    found = read_seeds(kept)
    assert 0 < len(found) < 100
    assert all(len(one.data) <= LARGEST_SEED for one in found)


def test_seeds_are_read_or_refused(tmp_path: Path) -> None:
    """Inputs that reached new lines in former runs."""
    report = Report(0)
    for one in read_seeds():
        label = f"{one.format}: {one.data!r}"
        report.attempt(partial(try_input, one, tmp_path, label, report, check=False), label)
    assert report.failures == []
    assert report.read
    assert report.refused


@pytest.mark.parametrize("format", FORMATS)
def test_huge_numbers_are_read_or_refused(format: str, tmp_path: Path) -> None:
    """Each number of a file grows beyond 64 bits, and beyond what ``int`` reads."""
    report = Report(0)
    for file, data in sample(format).items():
        places = list(re.finditer(rb"[0-9]+", data))
        for found in places[:: len(places) // 4 + 1]:
            for digits in (25, 5000):
                changed = data[: found.start()] + b"9" * digits + data[found.end() :]
                label = f"{digits} digits at {found.start()}"
                work = partial(
                    try_input, Input(format, file, changed), tmp_path, label, report, check=True
                )
                report.attempt(work, label)
    assert report.failures == []


@pytest.mark.slow
@pytest.mark.parametrize("format", ["conll", "conllu"])
def test_damaged_files_are_read_as_plain_readers_do(format: str) -> None:
    report = run(1000, seed=2, only=format)
    assert report.failures == []
    assert report.compared[format]
