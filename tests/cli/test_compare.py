"""``corefine compare`` as a person meets it."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.cli.options import named_paths
from corefine.cli.samples import sample_path
from corefine.errors import UsageError
from tests.comparing.test_systems import many_documents

KEY, CAREFUL, EAGER = (str(sample_path(name)) for name in ("key", "careful", "eager"))
FAST = ("--trials", "200", "--replicates", "100")


def conll(path: Path, documents: dict[str, list[list[int]]], length: int = 20) -> str:
    """Write documents of one-word mentions."""
    lines = []
    for name, entities in documents.items():
        lines.append(f"#begin document ({name}); part 000")
        owner = {mention: number for number, one in enumerate(entities) for mention in one}
        for token in range(length):
            mark = f"({owner[token]})" if token in owner else "-"
            lines.append(f"{name} 0 {token} word{token} {mark}")
        lines.append("#end document")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def files(tmp_path):
    key, systems = many_documents()
    return [
        conll(tmp_path / "key.conll", key),
        *(conll(tmp_path / f"{name}.conll", system) for name, system in systems.items()),
    ]


def run(capsys, *arguments):
    status = main(["compare", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_table(capsys, files):
    status, out, err = run(capsys, *files, "-m", "lea,conll")
    assert status == 0
    assert err == "corefine: warning: middling and same are identical on every document\n"
    lines = out.splitlines()
    assert lines[0].startswith("good leads middling by ")
    assert lines[2] == "F1 of 4 systems on 30 documents"
    assert [line.split()[0] for line in lines[5:9]] == ["good", "middling", "same", "poor"]
    assert len(lines) <= 30
    status, out, _ = run(capsys, files[0], files[1], files[4], "-m", "lea,conll")
    assert out.splitlines()[4].split()[:4] == ["metric", "good", "poor", "difference"]


def test_json_is_what_python_gives(capsys, files):
    status, out, _ = run(capsys, *files, "-m", "lea", "--output", "json", "--per-document", *FAST)
    assert status == 0
    names = ("good", "middling", "same", "poor")
    direct = corefine.compare(
        files[0], dict(zip(names, files[1:], strict=True)), "lea", trials=200, replicates=100
    )
    assert json.loads(out) == json.loads(json.dumps(direct.to_dict(documents=True)))


def test_every_option_reaches_the_plan(capsys, files):
    options = "--test bootstrap --trials 300 --correction bh --alpha .1 --seed 7 --baseline poor"
    _, out, _ = run(capsys, *files, "-m", "lea", "--output", "json", *options.split())
    signature = json.loads(out)["signature"]
    assert signature.endswith(
        "test:bootstrap(300)|correction:bh|alpha:0.1|intervals:bootstrap(300)|seed:7|baseline:poor"
    )
    _, out, _ = run(
        capsys, *files, "-m", "lea", "--output", "json", "--scheme", "pooled", *FAST,
        "--singletons", "drop",
    )  # fmt: skip
    signature = json.loads(out)["signature"]
    assert "singletons:drop" in signature
    assert "test:randomization(pooled,200)" in signature
    assert "intervals:bootstrap(100)" in signature


def test_csv_holds_one_table(capsys, files):
    _, out, _ = run(capsys, *files, "-m", "lea", "--output", "csv", *FAST)
    assert [row["system"] for row in csv.DictReader(io.StringIO(out))] == [
        "good", "middling", "same", "poor",
    ]  # fmt: skip
    _, out, _ = run(capsys, *files, "-m", "lea", "--output", "csv", "--tables", "pairs", *FAST)
    assert len(list(csv.DictReader(io.StringIO(out)))) == 6
    _, out, _ = run(capsys, *files, "-m", "lea", "--output", "csv", "--per-document", *FAST)
    assert len(list(csv.DictReader(io.StringIO(out)))) == 120
    options = ("--sensitivity", "--tables", "sensitivity")
    _, out, _ = run(capsys, *files, "-m", "lea", "--output", "csv", *options, *FAST)
    assert "kept" in out.splitlines()[0]


@pytest.mark.parametrize(
    ("output", "expected"),
    [("markdown", "| good | **"), ("latex", r"good & \textbf{"), ("table", "good   ")],
)
def test_other_outputs(capsys, files, output, expected):
    _, out, _ = run(capsys, *files, "-m", "lea", "--output", output, "--tables", "summary", *FAST)
    assert expected in out


def test_all_tables(capsys, files):
    status, out, _ = run(capsys, *files, "-m", "lea,muc", "--tables", "all", *FAST)
    assert status == 0
    for title in ("Differences in F1", "F1 by document", "ranked differently"):
        assert title in out
    status, out, _ = run(capsys, *files, "-m", "lea,muc", "--sensitivity", *FAST)
    assert "scoring variants" in out


def test_plots(capsys, files, tmp_path):
    folder = tmp_path / "plots"
    status, _, _ = run(capsys, *files, "-m", "lea", "--plots", folder, *FAST)
    assert status == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "intervals.svg",
        "tau-documents.svg",
        "tau-systems.svg",
    ]


def test_plots_as_pixels(capsys, files, tmp_path):
    pytest.importorskip("typst")
    folder = tmp_path / "plots"
    run(capsys, *files, "-m", "lea", "--plots", folder, "--plot-format", "png", *FAST)
    assert (folder / "intervals.png").read_bytes().startswith(b"\x89PNG")
    assert not list(folder.glob("*.svg"))


def test_plots_into_a_file_are_refused_before_the_work_begins(capsys, files, tmp_path):
    status, out, err = run(capsys, *files, "-m", "lea", "--plots", files[0], *FAST)
    assert (status, out) == (2, "")
    assert files[0] in err


def test_a_plot_that_cannot_be_written_does_not_cost_the_table(capsys, files, tmp_path):
    _, expected, _ = run(capsys, *files, "-m", "lea", *FAST)
    (tmp_path / "plots" / "intervals.svg").mkdir(parents=True)
    status, out, err = run(capsys, *files, "-m", "lea", "--plots", tmp_path / "plots", *FAST)
    assert (status, out) == (2, expected)
    assert "intervals.svg" in err
    assert "Traceback" not in err


def test_png_without_its_extra_is_refused_before_the_work_begins(
    capsys, files, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "typst", None)
    monkeypatch.setattr("corefine.cli.commands.compare.compare", lambda *_: pytest.fail("began"))
    folder = tmp_path / "plots"
    status, out, err = run(capsys, *files, "--plots", folder, "--plot-format", "png", *FAST)
    assert (status, out) == (2, "")
    assert "pip install 'corefine[plots]'" in err
    assert not folder.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((KEY, CAREFUL), "compare needs at least two systems"),
        ((KEY, CAREFUL, EAGER, "--baseline", "lazy"), "baseline 'lazy' is not one of the systems"),
        ((KEY, "a=" + CAREFUL, "a=" + EAGER), "two systems are named 'a'"),
        ((KEY, "=" + CAREFUL, EAGER), "has no name or no path"),
        ((KEY, CAREFUL, "nowhere.conll"), "nowhere.conll"),
        ((KEY, "-", "b=-"), "only one input can be read from standard input"),
        ((KEY, CAREFUL, EAGER, "--trials", "0"), "trials cannot be 0"),
        ((KEY, CAREFUL, EAGER, "--alpha", "2"), "alpha cannot be 2.0"),
        ((KEY, CAREFUL, EAGER, "--seed", "-1"), "seed cannot be -1"),
        ((KEY, CAREFUL, EAGER, "--tables", "sores"), "table cannot be 'sores'"),
        ((KEY, CAREFUL, EAGER, "--tables", "sensitivity"), "needs --sensitivity"),
        (
            (KEY, CAREFUL, EAGER, "--output", "csv", "--tables", "scores,pairs"),
            "CSV can hold only one table",
        ),
        ((KEY, CAREFUL, EAGER, "-m", "lae"), "Did you mean 'lea'"),
    ],
)
def test_errors(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        (KEY, CAREFUL, EAGER, "--correction", "hochberg"),
        (KEY, CAREFUL, EAGER, "--test", "student"),
        (KEY, CAREFUL, EAGER, "--trials", "many"),
    ],
)
def test_words_that_are_not_choices(capsys, arguments):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert "Invalid value" in err


def test_systems_on_other_documents(capsys, tmp_path):
    documents = {"a": [[1, 2]], "b": [[1, 2, 3]]}
    key = conll(tmp_path / "key.conll", documents)
    whole = conll(tmp_path / "whole.conll", documents)
    part = conll(tmp_path / "part.conll", {"a": [[1, 2]]})
    other = conll(tmp_path / "other.conll", {"a": [[1, 2]], "b": [[1]]}, length=19)
    status, out, err = run(capsys, key, whole, part)
    assert (status, out) == (2, "")
    assert "document 'b' of the key is not in the response" in err.replace("; part 000", "")
    status, out, err = run(capsys, key, whole, other)
    assert (status, out) == (2, "")
    assert "19" in err
    status, out, err = run(capsys, key, whole, part, "--missing-documents", "count", *FAST)
    assert status == 0
    assert "part: document" in err


def test_names_of_systems(tmp_path):
    assert named_paths(["a/x.conll", "b/y.conll.gz"]) == {"x": "a/x.conll", "y": "b/y.conll.gz"}
    assert named_paths(["r/a/x.conll", "r/b/x.conll", "y=r/b/x.conll"]) == {
        "a/x": "r/a/x.conll",
        "b/x": "r/b/x.conll",
        "y": "r/b/x.conll",
    }
    assert named_paths(["-"]) == {"stdin": "-"}
    odd = tmp_path / "a=b.conll"
    odd.write_text("")
    assert named_paths([str(odd)]) == {"a=b": str(odd)}
    with pytest.raises(UsageError, match="two responses are named 'x'"):
        named_paths(["x=a", "x.conll"])
