"""A full or broken disk: every output is the old one or the new one, and the user is told."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from corefine.cli.runtime import OutputType
from corefine.curating.log import DecisionLog, LogError
from tests.building.commands import commands, run
from tests.building.faults import failing
from tests.building.law_files import put_contest

CALLS: dict[str, tuple[str, ...]] = {
    "score": ("key", "a"),
    "compare": ("key", "a", "b", "--trials", "5", "--replicates", "5"),
    "suite": ("keys", "first=as", "second=bs", "--trials", "5", "--replicates", "5"),
    "gate": ("key", "a", "--against", "saved.json", "--trials", "5", "--replicates", "5"),
    "leaderboard": ("saved.json",),
    "agree": ("a", "b"),
    "adjudicate": ("a", "b"),
    "explain": ("key", "a"),
    "entities": ("key", "a"),
    "audit": ("key", "a"),
    "suspects": ("key", "a", "b"),
    "report": ("key", "a"),
    "check": ("twice.csv",),
    "describe": ("key",),
    "convert": ("key", "--to", "e2e"),
    "resolve apply": ("sieve", "key"),
    "demo": (),
}
"""Arguments of each command that writes; names of files are those of a contest."""
NOT_TRIED = {
    "challenge": "it needs the files of a challenge, and writes as the others do",
    "reproduce": "it needs the files of a paper, and writes as the others do",
    "resolve cross-validate": "it trains, and writes as the others do",
    "resolve train": "it trains, and writes as the others do",
}
SUFFIXES = {
    ("adjudicate", "--log"): ".jsonl",
    ("adjudicate", "--out"): ".conll",
    ("convert", "target"): ".jsonlines",
    ("gate", "--junit"): ".xml",
    ("gate", "--summary"): ".md",
    ("leaderboard", "--out"): ".html",
    ("report", "--out"): ".html",
    ("resolve apply", "--out"): ".conll",
    ("score", "--save"): ".json",
    ("suspects", "--save"): ".conll",
}
"""Suffixes of outputs that are no tables."""


def outputs() -> list[tuple[str, str]]:
    """Every command with each of its outputs, an option or an argument."""
    return [
        (name, parameter.opts[-1])
        for name, command in commands().items()
        for parameter in command.params
        if isinstance(parameter.type, OutputType) and name not in NOT_TRIED
        if (name, parameter.opts[-1]) != ("suspects", "--log")  # only with a server
    ]


def prepare(folder: Path) -> None:
    """Files for every command."""
    files = put_contest("conll", folder)
    for name, path in files.items():
        (folder / f"{name}s").mkdir()
        shutil.copy(path, folder / f"{name}s" / "x.conll")
    (folder / "twice.csv").write_text("document,mention,entity\nd,x,1\nd,x,1\nd,y,1\n")
    assert run("score", files["key"], files["b"], "--save", folder / "saved.json").status == 0


def arguments(command: str, output: str, folder: Path, out: Path) -> list[object]:
    def place(word: str) -> object:
        name, equals, path = word.rpartition("=")
        for found in (folder / path, folder / f"{path}.conll"):
            if found.exists() and path:
                return f"{name}{equals}{found}"
        return word

    given = [*command.split(), *map(place, CALLS[command])]
    if output == "target":
        return [*given[:2], out, *given[2:]]
    return [*given, output, out]


def state(out: Path) -> dict[str, bytes]:
    """The files at a place; hidden ones, which are left over, beside it as well."""
    beside = [path for path in out.parent.iterdir() if path == out or path.name.startswith(".")]
    found = [path for place in beside for path in (place, *place.rglob("*")) if path.is_file()]
    return {str(path.relative_to(out.parent)): path.read_bytes() for path in found}


def is_whole(name: str, data: bytes, new: bytes) -> bool:
    """True for a file that is not cut off; the last line of a log may be."""
    if name.endswith((".json", ".jsonl")):
        lines = [data] if name.endswith(".json") else data.split(b"\n")[:-1]
        return all(isinstance(json.loads(line), dict) for line in lines)
    return data == new


FOLDERS = (("suite", "--save"), ("demo", "--out"))
"""Outputs that are a folder, besides those of charts."""
FILES = [one for one in outputs() if one not in FOLDERS and one[1] not in ("--plots", "--log")]


@pytest.mark.parametrize(("command", "output"), FILES)
def test_an_input_is_never_overwritten(
    command: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by its name, nor through a link of any sort."""
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    call = [str(one).rpartition("=")[2] for one in arguments(command, output, tmp_path, Path())]
    given = [Path(one) for one in call if len(one) > 1 and Path(one).exists()]
    for source in [next(one.iterdir()) if one.is_dir() else one for one in given]:
        before = source.read_bytes()
        links = [tmp_path / name for name in ("soft", "hard", "folder")]
        links[0].symlink_to(source)
        links[1].hardlink_to(source)
        links[2].symlink_to(source.parent)
        for place in (source, *links[:2], links[2] / source.name):
            answer = run(*arguments(command, output, tmp_path, place))
            assert answer.status == 2, answer.messages
            assert "an input file" in answer.messages
            assert source.read_bytes() == before
        assert links[0].is_symlink()
        for link in links:
            link.unlink()


@pytest.mark.slow
@pytest.mark.parametrize(("command", "output"), outputs())
def test_every_output_is_old_or_new(
    command: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a leaderboard without a name is written to index.html
    prepare(tmp_path)
    target = tmp_path / "out"
    target.mkdir()
    suffix = SUFFIXES.get((command, output), ".txt")
    folder = output == "--plots" or (command, output) in FOLDERS
    out = target / ("out" if folder else f"out{suffix}")
    call = arguments(command, output, tmp_path, out)
    with failing(target) as faults:
        answer = run(*call)
    assert answer.status in (0, 1), answer.messages
    new, number = state(out), len(faults.calls)
    assert new
    assert number > 0
    for old in ({},) if folder or output == "--log" else ({}, {out.name: b"old\n"}):
        for failed in range(1, number + 1):
            shutil.rmtree(target)
            target.mkdir()
            for name, data in old.items():
                (target / name).write_bytes(data)
            with failing(target, failed):
                answer = run(*call)
            after = state(out)
            assert answer.status == 2, (failed, faults.calls)
            assert "Traceback" not in answer.messages
            assert "space" in answer.messages
            if folder or output == "--log":  # what is there is whole, with its own date
                assert set(after) <= set(new)
                for name, data in after.items():
                    assert is_whole(name, data, new[name]), (failed, faults.calls)
            else:
                assert after in (old, new), (failed, faults.calls)


def test_a_repair_in_place_is_old_or_new(tmp_path: Path) -> None:
    path, copy = tmp_path / "twice.csv", tmp_path / "copy.csv"
    copy.write_text("document,mention,entity\nd,x,1\nd,x,1\nd,y,1\n")
    shutil.copy(copy, path)
    with failing(tmp_path) as faults:
        assert run("check", path, "--fix").status in (0, 1)
    new = path.read_bytes()
    assert new != copy.read_bytes()
    for failed in range(1, len(faults.calls) + 1):
        shutil.copy(copy, path)
        with failing(tmp_path, failed):
            assert run("check", path, "--fix").status == 2
        assert path.read_bytes() in (copy.read_bytes(), new)
        assert sorted(tmp_path.iterdir()) == [copy, path]


def test_every_command_that_writes_is_tried() -> None:
    writing = {
        name
        for name, command in commands().items()
        if any(isinstance(parameter.type, OutputType) for parameter in command.params)
    }
    assert writing == {*CALLS, *NOT_TRIED}


HEADER = {"log": "test"}


def test_a_record_is_in_the_log_or_refused(tmp_path: Path) -> None:
    """Whatever fails, the records that were confirmed are read again, and the next one fits."""
    path = tmp_path / "log.jsonl"

    def append(number: int) -> None:
        with DecisionLog(path, HEADER) as log:
            log.append({"n": number})

    with failing(tmp_path) as faults:
        append(0)
        append(1)
    for failed in range(1, len(faults.calls) + 1):
        path.unlink(missing_ok=True)
        confirmed = []
        with failing(tmp_path, failed):
            for number in range(3):
                try:
                    append(number)
                except LogError:
                    continue
                confirmed.append(number)
        with DecisionLog(path, HEADER) as log:
            found = [record["n"] for record, _ in log.records()]
        # A log that cannot be closed has the record all the same.
        assert set(confirmed) <= set(found)
        assert found == sorted(set(found))


@pytest.mark.slow
def test_two_processes_on_one_output(tmp_path: Path) -> None:
    """The output is that of the one or of the other, and nothing else is left."""
    files = put_contest("conll", tmp_path)
    out = tmp_path / "out" / "scores.json"
    out.parent.mkdir()
    alone = [run("score", files["key"], files[name], "--output", "json").output for name in "ab"]
    command = [sys.executable, "-m", "corefine", "score", str(files["key"])]
    started = [
        subprocess.Popen([*command, str(files[name]), "-o", str(out)]) for name in ("a", "b") * 2
    ]
    assert [process.wait() for process in started] == [0] * 4
    assert out.read_text("utf-8") in alone
    assert list(out.parent.iterdir()) == [out]
