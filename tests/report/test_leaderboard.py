"""The leaderboard: what stands on it, in which order, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import corefine
from corefine.cli import main
from corefine.errors import FormatError, UsageError
from corefine.report.leaderboard import history_figure
from tests.building.refusals import refused
from tests.comparing.test_systems import many_documents

KEY, SYSTEMS = many_documents()
FAST: dict[str, Any] = {"trials": 200, "replicates": 100}
METRICS = "lea,conll"


@pytest.fixture
def files(tmp_path):
    """Two systems, one of them with a history of two dates."""
    paths = {}
    for name, system, title, date in (
        ("old", "poor", "ours", "2026-01-05"),
        ("new", "good", "ours", "2026-03-01"),
        ("theirs", "middling", None, "2026-02-01"),
    ):
        paths[name] = tmp_path / f"{name}.json"
        scores = corefine.score(KEY, SYSTEMS[system], METRICS)
        scores.save(paths[name], name=title, date=date)
    return paths


def test_the_newest_result_of_each_system_stands_on_the_board(files):
    board = corefine.leaderboard(*files.values(), **FAST)
    assert list(board.newest) == ["ours", "theirs"]
    compared = corefine.compare(
        {"theirs": files["theirs"], "ours": files["new"]}, **FAST, metrics=METRICS
    )
    (grid,) = board.tables("standings")
    rows: Any = grid.rows
    for row in rows:
        for number, metric in enumerate(("conll", "lea")):
            f1, low, high, rank = row[2 + 4 * number : 6 + 4 * number]
            standing = compared.standing(row[0], metric)
            assert f1.value == standing.score.f1
            assert (low, high) == pytest.approx(tuple(standing.interval))
            assert (rank, f1.mark) == (standing.rank, standing.letters)
    (history,) = board.tables("history")
    dates = [("2026-03-01", "ours"), ("2026-02-01", "theirs"), ("2026-01-05", "ours")]
    assert [row[:2] for row in history.rows] == dates
    assert history.rows[2][3] == corefine.score(KEY, SYSTEMS["poor"], "lea")["lea"].f1


def test_the_history_is_drawn_as_what_stood_on_each_date(files):
    board = corefine.leaderboard(*files.values(), **FAST)
    for metric in board.metrics:
        f1 = {n: corefine.load_scores(path)[metric].f1 for n, path in files.items()}
        assert [list(row) for row in history_figure(board, metric).grid.rows] == [
            ["2026-01-05", f1["old"], None],
            ["2026-02-01", f1["old"], f1["theirs"]],
            ["2026-03-01", f1["new"], f1["theirs"]],
        ]


def test_scores_and_one_system_without_a_comparison(files):
    board = corefine.leaderboard({"only": corefine.score(KEY, SYSTEMS["good"], "lea")}, **FAST)
    assert board.comparison is None
    assert board.default_tables == ("standings", "history")
    row: Any = board.tables("standings")[0].rows[0]
    low, high = row[3:5]
    assert low < board.newest["only"].scores["lea"].f1 < high


def test_the_metrics_that_all_have(files, tmp_path):
    corefine.score(KEY, SYSTEMS["same"], "muc,b3,ceafe,lea").save(tmp_path / "other.json")
    board = corefine.leaderboard(files["new"], tmp_path / "other.json", **FAST)
    assert list(board.metrics) == ["lea"]
    # An average needs no statistics of its own.
    both = corefine.leaderboard(files["new"], tmp_path / "other.json", metrics="conll", **FAST)
    assert list(both.metrics) == ["conll"]
    corefine.score(KEY, SYSTEMS["same"], "blanc").save(tmp_path / "none.json")
    with refused("usage"):
        corefine.leaderboard(files["new"], tmp_path / "none.json")


def test_results_of_several_versions_stand_together_and_the_reader_is_told(files):
    older = replace(corefine.load_scores(files["old"]), version="0.0.1")
    board = corefine.leaderboard({"older": older}, files["new"], **FAST)
    assert "several versions of corefine: 0.0.1" in board.warnings[0]


def test_what_is_refused(files, tmp_path):
    with refused("too-few-inputs"):
        corefine.leaderboard()
    with refused("different-keys"):
        corefine.leaderboard(files["new"], corefine.score(SYSTEMS["good"], KEY, METRICS))
    other = corefine.score(KEY, SYSTEMS["good"], METRICS, singletons="drop")
    with refused("different-settings"):
        corefine.leaderboard(files["new"], other)
    with refused("usage"):
        corefine.leaderboard(3)  # type: ignore[arg-type]
    broken = tmp_path / "broken.json"
    broken.write_text(files["new"].read_text()[:-30])
    with refused("format", "broken.json"):
        corefine.leaderboard(files["new"], broken)


@pytest.mark.slow
def test_the_command_writes_the_page(files, tmp_path, capsys):
    out = tmp_path / "index.html"
    arguments = ["leaderboard", *map(str, files.values()), "-o", str(out)]
    assert main(arguments) == 0
    assert "2 systems, 3 results" in capsys.readouterr().out
    page = out.read_text()
    assert "<title>Coreference leaderboard</title>" in page
    named = ["leaderboard", f"ours={tmp_path}/*e*.json", "-o", "-"]
    assert main(named) == 0
    assert "1 system on " in capsys.readouterr().out


def test_the_command_overwrites_no_result(files, capsys):
    before = files["new"].read_text()
    pattern = str(files["new"].parent / "*.json")
    for results in ([str(files["new"])], [f"a={files['new']}"], [pattern], [f"a={pattern}"]):
        assert main(["leaderboard", *results, "-o", str(files["new"])]) == 2
        assert "Traceback" not in capsys.readouterr().err
        assert files["new"].read_text() == before


def test_json_holds_what_the_page_shows(files):
    value = json.loads(corefine.leaderboard(*files.values(), **FAST).to_json())
    assert value["standings"]["columns"][:3] == ["system", "date", "conll_f1"]
    assert [row[1] for row in value["history"]["rows"]] == ["ours", "theirs", "ours"]


def test_systems_have_links_authors_and_files(files):
    systems = {
        "ours": {"link": "https://example.org/", "authors": "A. Author", "description": "rules"},
        "theirs": {"link": "javascript:alert(1)"},
    }
    task = {"text": "Chains of novels.", "licence": "CC BY 4.0", "submit": "Send a file."}
    about = {"task": task, "systems": systems}
    html = corefine.leaderboard(*files.values(), about=about, **FAST).html
    assert 'href="https://example.org/"' in html
    for text in ("A. Author", *task.values()):
        assert text in html
    assert '<meta property="og:description" content="Chains of novels.' in html
    refused: list[dict[str, Any]] = [
        {"ours": {}}, {"systems": {"our": {}}}, {"task": {"licence": 3}},
    ]  # fmt: skip
    for wrong in refused:
        with pytest.raises((UsageError, FormatError)):
            corefine.leaderboard(*files.values(), about=wrong, **FAST)
    assert "javascript:" not in html
    assert 'download="standings.csv"' in html
    assert 'download="standings.json"' in html


def test_a_metric_that_does_not_apply_is_left_out(files, tmp_path):
    for name in ("good", "poor"):
        scores = corefine.score(KEY, SYSTEMS[name], "lea,zero")
        scores.save(tmp_path / f"{name}.json")
    paths = [tmp_path / "good.json", tmp_path / "poor.json"]
    board = corefine.leaderboard(*paths, **FAST)
    assert list(board.metrics) == ["lea"]
    assert board.comparison is not None
    assert board.comparison.comparisons == 1
