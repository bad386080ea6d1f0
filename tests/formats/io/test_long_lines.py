"""Lines that never end: an error in every format, before much of the file is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefine.curating.checking import check
from corefine.errors import FormatError
from corefine.formats import cas, parquet, read
from corefine.formats.io import index as indexing
from corefine.formats.io import lines, xml_files
from corefine.formats.io import records as jsonl
from tests.building.format_files import put
from tests.fuzzing.samples import FORMATS, SOURCE, TAGGED, sample

pytest.importorskip("pyarrow", reason="the extra parquet is not installed")

LIMIT = lines.LONGEST_LINE
LONG = b"a" * (4 * LIMIT)


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    """All limits at a mebibyte, which is the limit of most lines."""
    for module in (jsonl, indexing):
        monkeypatch.setattr(module, "LONGEST_LINE", LIMIT)
    monkeypatch.setattr(jsonl, "LARGEST_ARRAY", LIMIT)
    for module in (xml_files, lines, cas, parquet):
        monkeypatch.setattr(module, "LARGEST", LIMIT)


@pytest.mark.parametrize("format", FORMATS)
def test_a_line_without_end_is_an_error(format: str, tmp_path: Path, lowered: None) -> None:
    files = sample(format)
    path = tmp_path / list(files)[-1]
    against = SOURCE if format in TAGGED else None
    consumed = 0

    def progress(task: str, done: int, total: int) -> None:
        nonlocal consumed
        consumed = done

    for changed, data in files.items():
        middle = len(data) // 2
        put({**files, changed: data[:middle] + LONG + data[middle:]}, tmp_path)
        with pytest.raises(FormatError) as refused:
            read(path, format, progress=progress, against=against)
        assert refused.value.where is not None
        assert len(str(refused.value)) < 400
        assert consumed <= 3 * LIMIT
        (checked,) = check(path, format, against=against)
        assert [str(problem) for problem in checked.problems] == [str(refused.value)]
