"""The short lane of the fuzzer; ``scripts/fuzz`` runs it for as long as is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits are told only where there are signals")
pytest.importorskip("pyarrow", reason="the extra parquet is not installed")

from corefine.formats import all_formats, format_named
from tests.fuzzing.damages import Report, compare, read_file, run
from tests.fuzzing.readings import READINGS
from tests.fuzzing.samples import FORMATS, TAGGED, sample


def test_every_format_is_damaged() -> None:
    assert sorted(FORMATS) == sorted(format.name for format in all_formats())
    assert set(READINGS) <= set(FORMATS)


@pytest.mark.parametrize("format", FORMATS)
def test_samples_are_read_as_the_plain_readings_say(format: str, tmp_path: Path) -> None:
    files = sample(format)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    corpus = read_file(format, tmp_path / list(files)[-1], None)
    assert corpus is not None
    assert len(corpus.mentions)
    beside = {*TAGGED, "string-clusters"}
    assert (format_named(format).read_against is not None) == (format in beside)
    if format in READINGS:
        report = Report(0)
        compare(format, files, corpus, format, report)
        assert report.failures == []
        assert report.compared[format] == 1


def test_damaged_files_are_read_rightly_or_refused() -> None:
    report = run(20 * len(FORMATS), seed=0)
    assert report.failures == []
    assert report.compared
    assert report.checked
