"""Records of JSON files: lines, arrays, and errors with their line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefine.formats import Source
from corefine.formats.io.records import keys_of, read_records
from tests.building.format_files import place_of_error

TEXTS = st.sampled_from(["", "a", "é", '"\\', "[{", "\n", "😊"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def records(data: bytes) -> list[tuple[object, int]]:
    return list(read_records(Source("f.json", content=data), dict[str, object]))


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ('{"a": 1}\n{"a": 2}\n', [1, 2]),
        ('{"a": 1}\n\n  \n{"a": 2}', [1, 4]),
        ('\ufeff{"a": 1}\r\n{"a": 2}\r\n', [1, 2]),
        ('[{"a": 1}, {"a": 2}]', [1, 1]),
        ('\ufeff[\n{"a":\n1},\n\n{"a": 2}\n]\n', [2, 5]),
        ('\r\n [{"a": 1} ,\r\n{"a": 2}]', [2, 3]),
        ('{\n"a":\n1\n}\r\n', [1]),
    ],
)
def test_lines_and_arrays(data: str, lines: list[int]) -> None:
    expected = [({"a": number}, line) for number, line in enumerate(lines, start=1)]
    assert records(data.encode()) == expected


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'{}\n{"a": NaN}', 2),
        (b'{}\n{"a": 1', 2),
        (b"{}\n{} {}", 2),
        (b'{}\n{"a": "x\ty"}', 2),
        (b'{}\n{"a": "\\ud800"}', 2),
        (b'{}\n{"a": ' + b"[" * 9999, 2),
        (b"{}\n[1]", 2),
        (b"{}\nnull", 2),
        (b"{}\nhello", 2),
        (b'{}\n{"a": "\xff"}', 2),
        (b'{}\n{"a": "\0"}', 2),
        (b"[]", 1),
        (b"[\n{},\n3]", 3),
        (b"[\n{},\n[]]", 3),
        (b'[\n{"a": NaN}]', 2),
        (b'[\n{"a": 1\n}', 3),
        (b"[\n{}]]", 2),
        (b"[" * 9999, 1),
        (b'{"a": \n{}\n', 1),
    ],
)
def test_what_is_no_record_is_refused_with_its_line(data: bytes, line: int) -> None:
    assert place_of_error(records, data) == f"f.json:{line}"


@given(st.dictionaries(st.sampled_from(["a", "b", "ab"]), VALUES))
def test_keys_have_the_same_shapes_on_a_line_and_on_several(record: dict[str, object]) -> None:
    expected = keys_of(Source("f.json", content=json.dumps(record).encode()))
    assert expected.keys() == record.keys()
    for text in (json.dumps([record], indent=1), json.dumps(record, indent=1)):
        assert keys_of(Source("f.json", content=text.encode())) == expected


def test_keys_of_a_damaged_record() -> None:
    assert keys_of(Source("f.json", content=b'{"sentences": [["a", "clusters": []')) == {
        "sentences": "list of lists",
        "clusters": "list",
    }


def test_msgspec_is_imported_with_the_first_json_file() -> None:
    code = "import corefine.formats, corefine.cli, sys; print('msgspec' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
