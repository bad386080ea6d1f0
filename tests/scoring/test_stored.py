"""Stored results: what comes back, how large they are, and what is refused."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.errors import FormatError, code_of
from corefine.metrics.lea import Lea
from corefine.scoring.sides import SCORES, held_by
from corefine.scoring.stored import read_stored
from tests.building.refusals import refused
from tests.building.sample import sample_path

KEY, CAREFUL = str(sample_path("key")), str(sample_path("careful"))
FOUR = {"d1": [[1, 2, 3], [4]], "d2": [[1, 2]], "d3": [[1, 2, 3, 4]], "d4": [[5, 6], [7, 8]]}
OTHER = {"d1": [[1, 2], [3, 4]], "d2": [[1, 2]], "d3": [[1, 2], [3, 4]], "d4": [[5, 6, 7]]}


def same_bits(one, other):
    assert one.counts.documents == other.counts.documents
    assert list(one.counts.values) == list(other.counts.values)
    for metric, columns in one.counts.values.items():
        for name, column in columns.items():
            mine, theirs = (
                np.asarray(c, np.float64) for c in (column, other.counts.values[metric][name])
            )
            assert mine.view(np.int64).tolist() == theirs.view(np.int64).tolist()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"metrics": "all", "kinds": "guess"},
        {"metrics": "lea(importance=uniform),b3,pairs", "by": "kind,overlap", "kinds": "guess"},
        {"singletons": "drop", "twinless": "cai-strube", "scope": "corpus"},
        {"scorer": "perl-8.01"},
        {"by": ("genre", "size(3)"), "genres": "[a-z]+"},
    ],
)
def test_scores_come_back_to_the_last_bit(tmp_path, options):
    scores = corefine.score(KEY, CAREFUL, **options)
    ending = ".json.gz" if options else ".json"
    scores.save(tmp_path / f"stored{ending}")
    loaded = corefine.load_scores(tmp_path / f"stored{ending}")
    same_bits(scores, loaded)
    assert loaded.to_dict(documents=True) == scores.to_dict(documents=True)
    assert [str(one.signature) for one in loaded.values()] == [
        str(one.signature) for one in scores.values()
    ]
    assert loaded.key == scores.key
    assert list(map(code_of, loaded.warnings)) == list(map(code_of, scores.warnings))
    assert list(map(str, loaded.request.by)) == list(map(str, scores.request.by))
    assert part_signatures(loaded) == part_signatures(scores)


def part_signatures(scores):
    return [
        str(score.signature)
        for groups in scores.breakdown.values()
        for metrics in groups.values()
        for score in metrics.values()
    ]


def test_formatted_json_is_the_same_result(tmp_path, capsys):
    """Tools that indent JSON and sort its keys change nothing that counts."""
    scores = corefine.score(FOUR, OTHER, by="size")
    scores.save(tmp_path / "a.json")
    value = json.loads((tmp_path / "a.json").read_text())
    (tmp_path / "b.json").write_text(json.dumps(value, indent=2, sort_keys=True))
    loaded = corefine.load_scores(tmp_path / "b.json")
    assert loaded.by_name == scores.by_name
    assert held_by(tmp_path / "b.json") == SCORES
    assert main(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 0
    capsys.readouterr()


def test_a_thousand_documents_take_less_than_a_megabyte(tmp_path):
    """With long ids, and statistics of which none is a whole number."""
    counts = corefine.score(FOUR, OTHER).counts
    documents = tuple(f"corpora/bn/the-broadcaster/00/file_{n:06d}; part 000" for n in range(1000))
    values = {
        metric: {name: np.linspace(1, 99, 1000) / 7 for name in columns}
        for metric, columns in counts.values.items()
    }
    many = replace(counts, documents=documents, values=values)
    replace(corefine.score(FOUR, OTHER), counts=many).save(tmp_path / "large.json")
    assert (tmp_path / "large.json").stat().st_size < 1_000_000


def test_name_and_date(tmp_path):
    scores = corefine.score(FOUR, OTHER, "muc")
    scores.save(tmp_path / "a.json", name="ours", date="2026-03-01")
    stored = read_stored(tmp_path / "a.json")
    assert (stored.name, stored.date) == ("ours", datetime(2026, 3, 1, tzinfo=UTC))
    value = json.loads((tmp_path / "a.json").read_text())
    (tmp_path / "b.json").write_text(json.dumps(value | {"date": None}))
    written = (tmp_path / "b.json").stat().st_mtime
    assert read_stored(tmp_path / "b.json").date.timestamp() == pytest.approx(written)
    with refused("format", "c.json"):
        scores.save(tmp_path / "c.json", date="soon")
    assert not (tmp_path / "c.json").exists()
    replace(scores, version="0.0.7").save(tmp_path / "old.json")
    loaded = corefine.load_scores(tmp_path / "old.json")
    assert str(loaded["muc"].signature).endswith("|corefine:0.0.7")


def test_a_metric_that_its_name_does_not_tell_is_not_stored(tmp_path):
    scores = corefine.score(FOUR, OTHER, Lea(importance=lambda side: np.sqrt(side.size)))
    with refused("usage"):
        scores.save(tmp_path / "a.json")
    assert not (tmp_path / "a.json").exists()


def numbers(**changes):
    return lambda stored: {"numbers": stored["numbers"] | changes}


def columns(column):
    return numbers(values={"muc": dict.fromkeys(("recall_part", "recall_whole"), column)})


BROKEN = {
    "another version": {"format": 1},
    "other numbers": columns([1, 1, 1, 1]),
    "a number short": columns([1]),
    "no number": columns(["1"] * 4),
    "a huge number": columns([1e101, 1, 1, 1]),
    "a huge whole number": columns([10**400, 1, 1, 1]),
    "parts that are not there": numbers(breakdowns=["size"]),
    "no statistics": numbers(values={}),
    "another key": {"key": {"documents": 4, "mentions": 9, "code": 0}},
    "no code": {"key": {"documents": 4, "mentions": 9, "code": "xyz"}},
    "an unknown metric": {"metrics": {"x": "nosuch"}},
    "an unknown setting": {"settings": {"nosuch": 1}},
    "an unknown value": {"settings": {"match": "nosuch"}},
    "an unknown scorer": {"scorer": "nosuch"},
    "a document twice": numbers(documents=["d1"] * 4),
    "a field missing": {"key": None},
    "a bad date": {"date": "soon"},
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_files_are_refused(tmp_path, what):
    path = tmp_path / "a.json"
    corefine.score(FOUR, OTHER, "muc").save(path)
    stored = json.loads(path.read_text())
    change = BROKEN[what]
    path.write_text(json.dumps(stored | (change(stored) if callable(change) else change)))
    assert held_by(path) == SCORES
    with pytest.raises(FormatError) as caught:
        corefine.load_scores(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[1, 2]",
        b'{"format": 1, "holds": "something"}',
        b"\x80\x81",
        b'{"format": ' + b"[" * 100_000,
        gzip.compress(b"{}" * 1000, mtime=0)[:-20],
    ],
    ids=lambda content: content[:12],
)
def test_foreign_files_are_refused(tmp_path, content):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    assert held_by(path) is None
    with pytest.raises(FormatError) as caught:
        corefine.load_scores(path)
    assert str(caught.value).startswith(str(path))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


def replaced(value, path, new):
    """A JSON value in which what a path of choices leads to is another; None: it is left out."""
    if not path or not isinstance(value, dict | list) or not value:
        return new
    step, *rest = path
    if isinstance(value, dict):
        name = list(value)[step % len(value)]
        if not rest and new is None:
            return {other: one for other, one in value.items() if other != name}
        return value | {name: replaced(value[name], rest, new)}
    place = step % len(value)
    return [*value[:place], replaced(value[place], rest, new), *value[place + 1 :]]


def read_or_refused(path):
    """A file that is damaged is refused, or what was damaged bears on no number."""
    expected = corefine.score(FOUR, OTHER, "muc,lea", by="size").by_name
    try:
        loaded = corefine.load_scores(path)
    except FormatError as error:
        assert str(error).startswith(str(path))  # noqa: PT017
        return
    # Names that were asked for, warnings, dates and names of systems are not signed.
    assert set(loaded.by_name.items()) <= set(expected.items())
    assert loaded.to_text()


@given(path=st.lists(st.integers(0, 50), min_size=1, max_size=6), new=JSON_VALUES)
def test_a_value_that_was_changed(tmp_path_factory, path, new):
    place = tmp_path_factory.getbasetemp() / "changed.json"
    corefine.score(FOUR, OTHER, "muc,lea", by="size").save(place, date="2026-01-01")
    place.write_text(json.dumps(replaced(json.loads(place.read_text()), path, new)))
    read_or_refused(place)


@given(at=st.floats(0, 1), cut=st.integers(0, 400), put=st.binary(max_size=8), zipped=st.booleans())
def test_bytes_that_were_changed(tmp_path_factory, at, cut, put, zipped):
    place = tmp_path_factory.getbasetemp() / f"bytes.json{'.gz' if zipped else ''}"
    corefine.score(FOUR, OTHER, "muc,lea", by="size").save(place, date="2026-01-01")
    data = place.read_bytes()
    begin = int(at * len(data))
    place.write_bytes(data[:begin] + put + data[begin + cut :])
    read_or_refused(place)
