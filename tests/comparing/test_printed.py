"""Printed scores: τ and ranks of tables, and leaderboards."""

from __future__ import annotations

import json

import pytest
from scipy.stats import kendalltau

import corefine
from corefine.cli import main
from corefine.comparing.printed import compare_printed
from corefine.errors import FormatError
from corefine.explaining.papers.evaluation import Paper
from corefine.report.leaderboard import standings_grid
from tests.building.refusals import refused


def written(path, table):
    metrics = list(next(iter(table.values())))
    lines = [",".join(["system", *metrics])]
    lines += [",".join([name, *(str(row[one]) for one in metrics)]) for name, row in table.items()]
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_tau_of_table_5_of_moosavi_and_strube(tmp_path, capsys):
    table = Paper("moosavi-strube").tables["TABLE_5"]
    path = written(tmp_path / "table-5.csv", table)
    found = compare_printed(path)
    for row, one in enumerate(found.metrics):
        for column, other in enumerate(found.metrics):
            values = [[line[name] for line in table.values()] for name in (one, other)]
            assert found.tau()[row, column] == pytest.approx(kendalltau(*values)[0])
    assert main(["compare", "--printed", str(path), str(path), "--output", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    # Both corners are the same table.
    tau = [row[1:] for row in shown["tau"]]
    assert tau == [list(column) for column in zip(*tau, strict=True)]


def test_ranks_are_shared_by_equal_scores(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("system,muc,b3,year\na,5,1,x\nb,5,2,x\nc,1,3,x\n", "utf-8")
    found = compare_printed(path)
    assert found.metrics == ("muc", "b3")
    assert [row[2:] for row in found.tables("ranks")[0].rows] == [(1, 3), (1, 2), (3, 1)]


def test_standings_of_a_leaderboard_are_read(tmp_path):
    key = {f"d{n}": [[1, 2, 3], [4, 5]] for n in range(3)}
    for name, entities in (("a", [[1, 2, 3]]), ("b", [[1, 2], [4, 5]])):
        scored = corefine.score(key, dict.fromkeys(key, entities), "muc,lea")
        scored.save(tmp_path / f"{name}.json", name=name)
    board = corefine.leaderboard(tmp_path / "a.json", tmp_path / "b.json")
    path = tmp_path / "standings.csv"
    path.write_text(standings_grid(board).to_csv(), "utf-8")
    assert set(compare_printed(path).metrics) == {"muc", "lea"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("system,muc,b3\na,1,2\n", None),
        ("system,muc,b3\na,1,2\nb,1\n", 3),
        ("system,muc,b3\na,1,2\nb,1,x\n", 3),
        ("system,muc,b3,lea\na,1,2,–\nb,1,2,3\n", 2),
        ("system,muc,muc\na,1,2\nb,1,3\n", 1),
        ("system,muc,b3\na,1,2\na,1,3\n", 3),
        ("system,muc\na,1\nb,2\n", 1),
    ],
)
def test_bad_tables_are_refused_with_their_line(tmp_path, text, line):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(FormatError) as error:
        compare_printed(path)
    assert error.value.where is not None
    assert error.value.where.line == line
    assert main(["compare", "--printed", str(path)]) == 2


def test_tables_without_common_metrics(tmp_path):
    one, other = tmp_path / "1.csv", tmp_path / "2.csv"
    one.write_text("system,muc,b3\na,1,2\nb,2,1\n", "utf-8")
    other.write_text("system,lea,muc\na,1,2\nb,2,1\n", "utf-8")
    with refused("usage"):
        compare_printed(one, other)
