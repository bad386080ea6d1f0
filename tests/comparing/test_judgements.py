"""Human judgements: reading, ranks, τ-b with intervals, and α, against other computations."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

import corefine
from corefine.cli import main
from corefine.comparing.judgements import Correlation, Items, ordinal_alpha
from corefine.errors import FormatError
from tests.building.partitions import conll
from tests.building.refusals import refused

values = st.lists(st.integers(0, 4), min_size=5, max_size=9)


def correlated(columns, *judges, **options):
    names = [f"s{number}" for number in range(len(judges[0]))]
    rows = [
        {"system": name, "judge": f"j{number}", "score": value}
        for number, judge in enumerate(judges)
        for name, value in zip(names, judge, strict=True)
    ]
    arrays = {name: np.array(column, float) for name, column in columns.items()}
    items = Items("system", {(name,): [number] for number, name in enumerate(names)}, "compare", "")
    return Correlation.of(names, arrays, rows, items, replicates=50, **options)


@given(values, st.randoms())
def test_tau_is_that_of_scipy(column, random):
    judge = [random.randint(0, 3) for _ in column]
    found = correlated({"m": column}, judge).tau("m")
    expected = kendalltau(column, judge)[0]
    assert (found.tau is None) == np.isnan(expected)
    if found.tau is not None:
        assert found.tau == pytest.approx(expected)
        assert (found.low is None) == (len(column) < 5)


def test_intervals_are_percentiles_of_tau_over_drawn_items():
    """Brute force: τ-b of SciPy on every drawn sample."""
    generator = np.random.default_rng(5)
    one, other, judge = generator.integers(0, 6, (3, 12)).tolist()
    found = correlated({"a": one, "b": other}, judge)
    from corefine.scoring.resampling import drawn_counts, expanded_levels

    (counts,) = drawn_counts(12, 50, 500, 0)
    samples = [np.repeat(np.arange(12), row.astype(int)) for row in counts]
    columns = np.array([one, other, judge])
    taus = np.array([[kendalltau(columns[m, s], judge_of)[0] for m in (0, 1)]
                     for s in samples for judge_of in [columns[2, s]]])  # fmt: skip
    levels = expanded_levels(0.95, np.array([[1.0]]), np.array([12]))[0]
    tau = found.tau("a")
    assert (tau.low, tau.high) == pytest.approx(tuple(np.nanquantile(taus[:, 0], levels)))
    (difference,) = found.differences
    apart = taus[:, 0] - taus[:, 1]
    assert (difference.low, difference.high) == pytest.approx(tuple(np.nanquantile(apart, levels)))
    assert difference.tau == pytest.approx(tau.tau - found.tau("b").tau)


def slow_alpha(rows):
    """Krippendorff's α by its definition, pair by pair."""
    units = [[value for value in row if not np.isnan(value)] for row in rows]
    units = [row for row in units if len(row) > 1]
    everything = sorted(value for row in units for value in row)

    def distance(one, other):
        low, high = sorted((one, other))
        inside = sum(low <= value <= high for value in everything)
        return (inside - (everything.count(low) + everything.count(high)) / 2) ** 2

    observed = sum(
        2 * distance(*pair) / (len(row) - 1) for row in units for pair in combinations(row, 2)
    ) / len(everything)
    pairs = list(combinations(everything, 2))
    expected = 2 * sum(distance(*pair) for pair in pairs) / len(everything) / (len(everything) - 1)
    return 1 - observed / expected if expected else None


@given(st.lists(st.tuples(*[st.sampled_from([1, 2, 3, 5, float("nan")])] * 3), min_size=2))
def test_alpha_is_that_of_the_definition(rows):
    if not any(sum(not np.isnan(value) for value in row) > 1 for row in rows):
        assert ordinal_alpha(np.array(rows)) is None
        return
    expected, found = slow_alpha(rows), ordinal_alpha(np.array(rows))
    assert (found is None) == (expected is None)
    assert found == (None if expected is None else pytest.approx(expected))


def test_alpha_of_krippendorffs_example():
    """Krippendorff 2011, section D: four observers, twelve units, ordinal α .815."""
    nan = float("nan")
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
    assert ordinal_alpha(np.array(rows).T) == pytest.approx(0.815, abs=5e-4)


def test_the_mean_of_judges_is_over_what_all_judged():
    found = correlated({"m": [1, 2, 3, 4, 5, 6]}, [1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1])
    assert found.reference == "mean of judges"
    assert found.tau("m").tau is None  # the mean ranks are all equal
    assert found.tau("m", "j1").tau == -1


def test_the_verdict_and_the_judges_of_few_items():
    found = correlated({"none": [2, 4, 1, 3], "some": [1, 2, 4, 3]}, [1, 2, 3, 4], [1, 2, 3, 4])
    assert found.verdict.startswith("some (τ 0.67) agrees best with the mean of the judges, none")
    (grid,) = correlated({"m": [1, 2, 3]}, [1, 2, ""], [1, 2, 3]).tables("judges")
    assert grid.rows[0] == ("j0", "j1", 1.0, 1.0, 2)


KEY = {f"d{n}": [[1, 2, 3], [4, 5]] for n in range(8)}
SYSTEMS = {
    "a": KEY,
    "b": {f"d{n}": [[1, 2], [4, 5]] for n in range(8)},
    "c": {f"d{n}": [[1, 2, 3, 4, 5]] for n in range(8)},
}


def test_judgements_of_systems_and_of_documents(tmp_path, capsys):
    sheet = tmp_path / "judged.csv"
    sheet.write_text("system,judge,score\na,x,9\nb,x,5\nc,x,6\n", "utf-8")
    few = {"trials": 9, "replicates": 9}
    found = corefine.compare(KEY, SYSTEMS, "lea,muc", judgements=sheet, **few)
    assert found.judged is not None
    f1 = [found.standing(name, "lea").score.f1 for name in "abc"]
    assert found.judged.tau("lea").tau == pytest.approx(kendalltau(f1, [9, 5, 6])[0])
    key = conll(tmp_path / "key.conll", KEY)
    paths = [f"{name}={conll(tmp_path / f'{name}.conll', SYSTEMS[name])}" for name in "abc"]
    assert main(["compare", key, *paths, "--judgements", str(sheet), "--tables", "human-tau"]) == 0
    assert "Kendall's τ-b of metrics with judges" in capsys.readouterr().out
    table = corefine.entities(KEY, SYSTEMS["b"] | {"d3": [[1, 2, 3], [4, 5]]})
    rows = [{"document": f"d{n}", "score": 2 if n == 3 else 1} for n in range(8)]
    judged = table.correlation(rows, "document")
    scored = corefine.score(KEY, SYSTEMS["b"] | {"d3": [[1, 2, 3], [4, 5]]}, "lea")
    assert judged.tau("lea").tau == 1
    assert judged.values["lea"][3] == 1
    assert judged.values["lea"][0] < scored["lea"].f1


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("entity,judge\n1,x\n", None, "need the columns"),
        ("entity,rank,score\n1,1,2\n", None, "need the columns"),
        ("entity,rank\n1,first\n2,2\n", 2, "not a number"),
        ("entity,rank\n1,0\n2,2\n", 2, "not a number above 0"),
        ("entity,rank\n1,1\n9,2\n", 3, "has no"),
        ("entity,judge,rank\n1,x,1\n1,x,2\n", 3, "twice"),
        ("entity,rank\n1,\n2,\n", None, "no judgement is filled in"),
        ("entity,rank\n1,1\n2\n", 3, "1 cells instead of 2"),
        ("entity,rank\n1,1,x\n2,2\n", 2, "3 cells instead of 2"),
        ("document,entity,rank\nelsewhere,1,2\nelsewhere,2,1\n", 2, "has no"),
    ],
)
def test_bad_sheets_are_refused_with_their_line(tmp_path, text, line, words):
    path = tmp_path / "sheet.csv"
    path.write_text(text, "utf-8")
    table = corefine.entities([["Anna", "she"], ["Rome", "it"]], [["Anna", "she"], ["Rome"]])
    with pytest.raises(FormatError, match=words) as error:
        table.correlation(path)
    assert error.value.where is not None
    assert error.value.where.line == line


@pytest.mark.parametrize("suffix", ["csv", "html"])
def test_a_worksheet_has_all_entities_and_no_scores(tmp_path, suffix):
    key = [["Anna <b>", "she"], ["Rome", "it"], ["=1+1", "Bill"]]
    table = corefine.entities(key, [["Anna <b>", "she"], ["Rome", "Bill"]])
    path = tmp_path / f"sheet.{suffix}"
    table.save_worksheet(path, seed=3)
    text = path.read_text("utf-8")
    assert "Rome" in text
    assert "<b>" not in text or suffix == "csv"
    assert "100" not in text
    if suffix == "csv":
        lines = text.splitlines()
        assert lines[0].endswith("judge,rank,comment")
        filled = [line[: -len(",,,")] + f",x,{n},\r\n" for n, line in enumerate(lines[1:], 1)]
        path.write_text("\r\n".join([lines[0], "".join(filled)]), "utf-8", newline="")
        assert len(table.correlation(path).items) == 3
    with refused("usage", "sheet.xlsx"):
        table.save_worksheet(tmp_path / "sheet.xlsx")


def test_ranks_show_what_judges_gave_and_dashes_for_what_is_undefined():
    table = corefine.entities([["Anna", "she"], ["Rome", "it"]], [["Anna", "she"]])
    rows = [{"entity": "Anna", "rank": 1}, {"entity": "Rome", "rank": 7}]
    found = table.correlation(rows)
    assert found.default_tables == ("ranks", "tau")
    (grid,) = found.tables("ranks")
    shown = grid.to_text()
    assert "–" in shown
    assert "7" in shown
