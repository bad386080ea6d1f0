"""Labels straight to the table: the same counts, warnings and signatures as by mentions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefine import Corpus, Request, count, score
from corefine.metrics.registry import resolve
from corefine.scoring.count import Counts, count_table, tabulate
from corefine.scoring.fingerprint import strings_code
from corefine.scoring.records import count_records, tabulate_records

METRICS = [
    str(metric)
    for metric in resolve("all").values()
    if metric.layer == "identity" and not any(part.needs_mentions for part in metric.needs())
]
ids = st.integers(0, 40)
labels = st.dictionaries(ids, st.integers(0, 8), min_size=1, max_size=30)
forms = st.sampled_from(["strings", "numbers", "long", "documents", "rows"])


def side(given: dict[int, int], form: str, reverse: bool) -> Corpus:
    rows = sorted(given.items(), reverse=reverse)
    names: list[object] | np.ndarray = [f"m{number}" for number, _ in rows]
    documents = None
    if form == "numbers":
        names = np.array([1000 ** (number % 4) + number for number, _ in rows])
    elif form == "long":
        names = [f"{'x' * (number * 3)}-{number}-ä" for number, _ in rows]
    elif form == "documents":
        documents = [f"d{number % 3}" for number, _ in rows]
    entities = [f"e{entity}" for _, entity in rows]
    return Corpus.from_labels(entities, None if form == "rows" else names, documents)


def same(counts: Counts, other: Counts) -> None:
    assert counts.documents == other.documents
    assert counts.values.keys() == other.values.keys()
    for metric, columns in other.values.items():
        for name, column in columns.items():
            assert counts.values[metric][name].tobytes() == column.tobytes(), (metric, name)
    assert counts.provenance == other.provenance
    ours, theirs = counts.scores(), other.scores()
    assert ours.warnings == theirs.warnings
    assert str(ours.signature) == str(theirs.signature)


@settings(max_examples=150, deadline=None)
@given(
    labels, labels, forms, st.booleans(), st.sampled_from(["keep", "drop"]),
    st.sampled_from(["none", "drop"]),
)  # fmt: skip
def test_records_count_as_mentions_do(
    ours: dict[int, int],
    theirs: dict[int, int],
    form: str,
    reverse: bool,
    singletons: str,
    twinless: str,
) -> None:
    if form == "rows":
        theirs = {number: theirs.get(number, 0) for number in ours}
    elif form == "documents":
        ours, theirs = ours | {50: 1, 51: 1, 52: 1}, theirs | {50: 2, 51: 2, 52: 2}
    key, response = side(ours, form, False), side(theirs, form, reverse and form != "rows")
    request = Request.of(METRICS, singletons=singletons, twinless=twinless,
                         missing_documents="count")  # fmt: skip
    by_mentions = count_table(tabulate(key, response, request), request)
    by_table = count_records(key, response, request)
    if by_table is None:
        assert key.documents != response.documents or (form, singletons) == ("rows", "drop")
        return
    same(by_table, by_mentions)


def test_one_side_has_singletons() -> None:
    key = Corpus.from_labels([n // 2 for n in range(40)], [f"m{n}" for n in range(40)])
    rows = [f"m{n}" for n in range(40)] + [f"s{n}" for n in range(20)]
    response = Corpus.from_labels([*(n // 2 for n in range(40)), *range(100, 120)], rows)
    request = Request.of("default")
    found = count_records(key, response, request)
    assert found is not None
    assert found.provenance.evidence.without_singletons == ("conll", 1.0)
    same(found, count_table(tabulate(key, response, request), request))


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (["a", "a", "b"], {}),
        (["a", "b", "c"], {"by": "size"}),
        (["a", "b", "c"], {"twinless": "add-to-key"}),
        (["a", "b", "c"], {"match": "head"}),
        (["a", "b", "c"], {"metrics": "lmuc"}),
        (["a", "b", "c"], {"scope": "corpus"}),
        ([("a", 1), ("b", 1), ("c", 1)], {}),
    ],
)
def test_what_needs_mentions_is_left_to_them(names: list[object], options: dict[str, str]) -> None:
    corpus = Corpus.from_labels([1, 1, 2], names)
    assert tabulate_records(corpus, corpus, Request.of(**options)) is None


def test_ids_with_equal_codes_are_compared_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    key = Corpus.from_labels([1, 1, 2], ["identity-1", "identity-2", "identity-3"])
    response = Corpus.from_labels([1, 1, 2], ["identity-1", "identity-2", "identity-4"])
    request = Request.of("b3")
    codes = np.array([5, 9, 13], np.uint64)
    monkeypatch.setattr("corefine.scoring.records.mention_codes", lambda corpus: codes.copy())
    assert tabulate_records(key, response, request) is None


@given(st.lists(st.text(max_size=100)))
def test_codes_of_strings_are_sums_of_codes_of_bytes(texts: list[str]) -> None:
    one_by_one = [int(strings_code([text])[0]) for text in texts]
    assert strings_code(texts).tolist() == one_by_one


def test_codes_of_numbers_are_those_of_their_digits() -> None:
    numbers = [0, 7, 10, 99, 100, 12345, 2**62]
    entities = [number % 3 for number in numbers]
    ours = Corpus.from_labels(entities, np.array(numbers))
    theirs = Corpus.from_labels(entities, list(map(str, numbers)))
    keys = [count(one, one, Request.of("muc")).provenance.key for one in (ours, theirs)]
    assert keys[0] == keys[1]


def test_parquet_labels_and_frames_agree(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [(f"id-{n:05d}", f"c{n % 7}", f"r{n % 5}") for n in range(200)]
    found = []
    for name in ("parquet", "csv"):
        for part, column in (("key", 1), ("response", 2)):
            columns = {"unique_id": [row[0] for row in rows], "cluster": [r[column] for r in rows]}
            path = tmp_path / f"{part}.{name}"
            if name == "parquet":
                pq.write_table(pa.table(columns), path)
            else:
                lines = ["unique_id,cluster", *(f"{row[0]},{row[column]}" for row in rows)]
                path.write_text("\n".join(lines) + "\n")
        found.append(score(tmp_path / f"key.{name}", tmp_path / f"response.{name}"))
    frames = [pa.table({"record_id": [r[0] for r in rows], "label": [r[n] for r in rows]})
              for n in (1, 2)]  # fmt: skip
    found.append(score(*frames))
    assert len({str(one.signature) for one in found}) == 1
    assert len({str(one.to_dict()["scores"]) for one in found}) == 1
