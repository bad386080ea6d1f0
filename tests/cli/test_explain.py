"""The commands that explain: outputs, options, and one clear line for each error."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.cli.samples import sample_path
from corefine.explaining.categories import CATEGORIES
from corefine.explaining.diagnosis import TYPES

KEY, CAREFUL, EAGER = (sample_path(name) for name in ("key", "careful", "eager"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def lines_of(out: str) -> list[str]:
    """Lines with single blanks."""
    return [" ".join(line.split()) for line in out.splitlines()]


def test_entities_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "entities", KEY, CAREFUL, "-m", "muc,b3", "--ranks")
    assert (status, err) == (0, "")
    lines = lines_of(out)
    assert lines[0].startswith("Of 11 key entities, 2 (18.2%) are perfect")
    assert "the-letter 2 the letter 5 2 4 4 2a 85.71 3 88.89 3 100.00" in lines
    plain = lines_of(run(capsys, "entities", KEY, CAREFUL, "-m", "muc,b3")[1])
    assert "the-letter 2 the letter 5 2 4 4 2a 85.71 88.89 100.00" in plain
    # The worst large entities first: 7 × (1 − 55%), 5 × (1 − 49%), 2 × (1 − 0%), …
    shown = [line.split()[2] for line in plain[3:7]]
    assert shown == ["Marta", "Her", "The", "their"]
    assert plain[-1].startswith("match:exact|")
    _, out, _ = run(capsys, "entities", KEY, CAREFUL, "--tables", "categories,spurious")
    lines = lines_of(out)
    assert "2a partial entity: mentions are missing 3 27.27" in lines
    assert "the-letter 1 Marta Reyes 2 2" in lines


def test_entities_are_sorted_and_cut(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "entities", KEY, CAREFUL, "--sort", "size", "--top", "2")
    assert "… 9 more" in out
    assert "Marta" in out.splitlines()[3]
    _, out, _ = run(
        capsys, "entities", KEY, CAREFUL, "--sort", "lea", "--top", "1", "--output", "json"
    )
    form = json.loads(out)
    assert [entity["scores"]["lea"]["f1"] for entity in form["entities"]] == [0]
    assert len(form["spurious"]) == 3


def test_entities_as_json_are_those_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "entities", KEY, EAGER, "--output", "json")
    assert status == 0
    assert json.loads(out) == corefine.entities(KEY, EAGER).to_dict()
    assert list(json.loads(out)["categories"]) == list(CATEGORIES)


def test_entities_as_csv_have_the_spurious_ones_too(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "entities", KEY, CAREFUL, "--output", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["category"] for row in rows].count("spurious") == 3
    assert len(rows) == 11 + 3
    assert float(rows[0]["b3_f1"]) == corefine.entities(KEY, CAREFUL)[0].scores["b3"].f1
    assert rows[0]["muc_rank"] == "6"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("markdown", "| the-letter | 5 | The museum | 2 |  | 0 | 0 | 4 | 0.00 |"),
        ("latex", r"the-letter & 5 & The museum & 2 &  & 0 & 0 & 4 & 0.00 &"),
    ],
)
def test_entities_in_other_forms(
    capsys: pytest.CaptureFixture[str], output: str, expected: str
) -> None:
    status, out, _ = run(capsys, "entities", KEY, CAREFUL, "--output", output)
    assert status == 0
    assert expected in out


def test_explain_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "explain", KEY, CAREFUL, "-m", "muc,b3")
    assert (status, err) == (0, "")
    lines = lines_of(out)
    assert lines[0].startswith("Of 27.8 MUC points lost: ")
    assert "split entity 3 9.83 14.09" in lines
    assert any(line.startswith("the-letter 72.22 34 12") for line in lines)
    assert lines[-1].startswith("match:exact|")
    assert len(lines) <= 30
    tables = "kinds,corrected-in-turn,documents"
    lines = lines_of(run(capsys, "explain", KEY, CAREFUL, "-m", "muc,b3", "--tables", tables)[1])
    assert "split entity 3 25.00 3 0 0" in lines
    assert "(response) 72.22 59.20" in lines
    assert "(key) 100.00 100.00" in lines
    assert "source of mention kinds: pos" in lines
    assert any(line.endswith("72.22 59.20 0 0 3 0 0 5 4") for line in lines)


def test_explain_has_as_many_examples_and_documents_as_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ("explain", KEY, CAREFUL, "-m", "muc", "--worst", "0")
    _, without, _ = run(capsys, *arguments, "--examples", "0")
    assert "the-letter" not in without
    _, one, _ = run(capsys, *arguments, "--examples", "1")
    assert one.count("the-letter") == 3


def test_explain_as_json_is_that_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "explain", KEY, EAGER, "--output", "json", "-m", "lea")
    assert status == 0
    form = json.loads(out)
    assert form == corefine.explain(KEY, EAGER, "lea").to_dict()
    assert form["attribution"]["lea"]["key"] == 1
    assert list(form["types"]) == list(map(str, TYPES))
    assert len(form["errors"]) == sum(row["count"] for row in form["types"].values())


def test_explain_as_csv_lists_the_errors(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "explain", KEY, CAREFUL, "--output", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == len(corefine.explain(KEY, CAREFUL).errors)
    assert {row["document"] for row in rows} == {"the-letter"}
    assert [row["start"] for row in rows] == sorted((row["start"] for row in rows), key=int)


def test_the_order_of_corrections_is_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    order = ", ".join(reversed(TYPES))
    _, out, _ = run(capsys, "explain", KEY, EAGER, "-m", "b3", "--order", order, "--output", "json")
    sequence = json.loads(out)["attribution"]["b3"]["sequence"]
    assert list(sequence) == [str(name) for name in reversed(TYPES)]
    assert (
        sequence
        == corefine.explain(KEY, EAGER, "b3", order=TYPES[::-1]).to_dict()["attribution"]["b3"][
            "sequence"
        ]
    )


def test_categories_can_be_lenient_or_literal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def document(*lines: str) -> str:
        body = "".join(f"a 0 {place} {line}\n" for place, line in enumerate(lines))
        return f"#begin document (a)\n{body}#end document\n"

    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(document("The (1", "Congress 1)", "met -", "it (1)", "Anna (2)", "Rome -"))
    response.write_text(
        document("The -", "Congress (1)", "met (1)", "it -", "Anna (2)", "Rome (2)")
    )

    def categories(*options: str) -> list[str]:
        _, out, _ = run(capsys, "entities", str(key), str(response), "--output", "json", *options)
        return [entity["category"] for entity in json.loads(out)["entities"]]

    assert categories() == ["4", "other"]
    assert categories("--lenient") == ["2b", "other"]
    assert categories("--literal") == ["4", "2b"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("entities", "-m", "conll"), "'conll' is not defined for a pair of entities"),
        (("entities", "--sort", "sise"), "sort cannot be 'sise'"),
        (("explain", "--order", "span error"), "must contain every error type once"),
        (("explain", "-m", "nothing"), "there is no metric 'nothing'"),
        (("explain", "--examples", "-1"), "Invalid value for '--examples'"),
    ],
)
def test_what_cannot_be_is_one_line_and_no_number(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    status, out, err = run(capsys, arguments[0], KEY, CAREFUL, *arguments[1:])
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
