"""Whatever prints an F1 prints the F1 of ``score`` under the same settings, or refuses them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.matching.settings import CHOICES, Settings
from corefine.metrics.registry import registered
from corefine.scoring.breakdowns import BREAKDOWNS
from corefine.scoring.presets import PRESETS
from tests.building.commands import Answer, commands, run
from tests.building.law_files import FORMS, SYSTEMS, each_form, put_contest

Numbers = dict[tuple[str, str], float]
"""F1 by system and metric."""
QUICK = ("--trials", 20, "--replicates", 20)
"""Few shuffles: the tests are about F1."""


@dataclass(frozen=True)
class Contest:
    """Files of a key and its systems, with a folder to write to."""

    files: dict[str, Path]
    folder: Path

    @property
    def key(self) -> Path:
        return self.files["key"]

    @property
    def first(self) -> Path:
        return self.files["a"]

    def scored(self, *settings: object) -> tuple[Numbers, str]:
        """What ``score`` says of every system, or its error."""
        numbers: Numbers = {}
        for system in SYSTEMS:
            answer = run("score", self.key, self.files[system], *settings, "--output", "json")
            if answer.status == 2:
                return {}, answer.error
            for metric, score in answer.json["scores"].items():
                numbers[system, metric] = score["f1"]
        return numbers, ""


Reading = Callable[[Contest, tuple[object, ...]], Numbers | Answer | str]
"""From files and settings to the numbers that a command prints, to its refusal or its page."""
READINGS: dict[str, Reading] = {}


def reading(command: str) -> Callable[[Reading], Reading]:
    def add(function: Reading) -> Reading:
        READINGS[command] = function
        return function

    return add


def of_systems(scores: dict[str, Any], system: str) -> Numbers:
    return {(system, metric): score["f1"] for metric, score in scores.items()}


@reading("compare")
def compared(contest: Contest, settings: tuple[object, ...]) -> Numbers | Answer:
    systems = [contest.files[name] for name in SYSTEMS]
    answer = run("compare", contest.key, *systems, *settings, *QUICK, "--output", "json")
    if answer.status == 2:
        return answer
    return {(row["system"], row["metric"]): row["f1"] for row in answer.json["scores"]}


@reading("explain")
def explained(contest: Contest, settings: tuple[object, ...]) -> Numbers | Answer:
    answer = run("explain", contest.key, contest.first, *settings, "--output", "json")
    return answer if answer.status == 2 else of_systems(answer.json["scores"], "a")


@reading("audit")
def audited(contest: Contest, settings: tuple[object, ...]) -> Numbers | Answer:
    answer = run("audit", contest.key, contest.first, *settings, "--output", "json")
    return answer if answer.status == 2 else of_systems(answer.json["scores"], "a")


@reading("suspects")
def suspected(contest: Contest, settings: tuple[object, ...]) -> Numbers | Answer:
    systems = [contest.files[name] for name in SYSTEMS]
    answer = run("suspects", contest.key, *systems, *settings, "--output", "json")
    if answer.status == 2:
        return answer
    return {(name, "lea"): found["lea"] for name, found in answer.json["systems"].items()}


@reading("gate")
def gated(contest: Contest, settings: tuple[object, ...]) -> Numbers | Answer:
    saved = contest.folder / "baseline.json"
    answer = run("score", contest.key, contest.files["b"], *settings, "--save", saved)
    if answer.status == 2:
        return answer
    numbers: Numbers = {}
    for metric in ("conll", "lea"):
        asked = ("--against", saved, "-m", metric, *QUICK, "--output", "json")
        answer = run("gate", contest.key, contest.first, *asked)
        if answer.status == 2:
            return answer
        found = json.loads(answer.output)
        numbers["a", metric], numbers["b", metric] = found["response"], found["baseline"]
    return numbers


@reading("suite")
def suited(contest: Contest, settings: tuple[object, ...]) -> Numbers | Answer:
    for name in ("key", "a"):
        (contest.folder / name).mkdir(exist_ok=True)
        target = contest.folder / name / f"x{contest.key.suffix}"
        target.write_bytes(contest.files[name].read_bytes())
    sides = (contest.folder / "key", contest.folder / "a")
    answer = run("suite", *sides, *settings, "--output", "json")
    return answer if answer.status == 2 else of_systems(answer.json["macro"], "a")


@reading("report")
def reported(contest: Contest, settings: tuple[object, ...]) -> Numbers | Answer | str:
    page = contest.folder / "report.html"
    systems = [contest.files[name] for name in SYSTEMS]
    answer = run("report", contest.key, *systems, *settings, "-o", page)
    return answer if answer.status == 2 else page.read_text("utf-8")


@reading("leaderboard")
def ranked(contest: Contest, settings: tuple[object, ...]) -> Numbers | Answer | str:
    saved = [contest.folder / f"{name}.json" for name in SYSTEMS]
    for name, place in zip(SYSTEMS, saved, strict=True):
        asked = (*settings, "--save", place)
        answer = run("score", contest.key, contest.files[name], *asked)
        if answer.status == 2:
            return answer
    page = contest.folder / "index.html"
    answer = run("leaderboard", *saved, "-o", page)
    return answer if answer.status == 2 else page.read_text("utf-8")


@reading("agree")
def agreed(contest: Contest, settings: tuple[object, ...]) -> Numbers | Answer:
    """The key and one system as two annotators, in both orders."""
    found = []
    for pair in ((contest.key, contest.first), (contest.first, contest.key)):
        answer = run("agree", *pair, *settings, "--output", "json")
        if answer.status == 2:
            return answer
        found.append(of_systems(answer.json["pairs"][0]["scores"], "a"))
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    return found[0]


SHOW_NO_F1 = {
    "adjudicate", "challenge", "check", "convert", "demo", "describe", "formats", "help",
    "metrics", "presets", "reproduce", "resolve apply", "resolve cross-validate", "resolve train",
    "score", "entities",
}  # fmt: skip
"""Commands without an F1 of a response to a key, and those that tests of their own read."""


def test_every_command_is_under_this_law() -> None:
    assert set(commands()) == {*READINGS, *SHOW_NO_F1}


SETTINGS: dict[str, tuple[str, ...]] = {"default": ()}
for _name, _values in CHOICES.items():
    for _value in _values:
        if _value != getattr(Settings(), _name):
            SETTINGS[f"{_name}={_value}"] = (f"--{_name.replace('_', '-')}", _value)
SETTINGS["window=7"] = ("--window", "7")
for _name in PRESETS:
    SETTINGS[f"preset={_name}"] = ("--preset", _name)
TELLING = ("default", "match=partial", "twinless=add-to-key", "layer=all", "preset=conll2012")
"""Settings that are tried in the fast lane."""


def cases(*commands: str) -> Iterator[object]:
    """Every command under every setting; the fast lane tries one format and few settings."""
    for settings in SETTINGS:
        fitting = "ua" if "layer" in settings or "split" in settings else "conllu"
        for form in FORMS:
            for command in commands:
                fast = settings in TELLING and form == fitting
                if command in ("report", "leaderboard"):  # ten times as slow as the others
                    fast = fast and settings == "default"
                marks = [] if fast else [pytest.mark.slow]
                yield pytest.param(
                    command, settings, form, marks=marks, id=f"{command}-{settings}-{form}"
                )


@pytest.fixture(scope="module")
def contests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Contest]:
    """A contest in each format."""
    found = {}
    for form in FORMS:
        folder = tmp_path_factory.mktemp(form)
        (folder / "files").mkdir()
        found[form] = Contest(put_contest(form, folder / "files"), folder)
    return found


@pytest.mark.parametrize(("command", "settings", "form"), list(cases(*READINGS)))
def test_every_command_prints_the_f1_of_score(contests, command, settings, form) -> None:
    contest, asked = contests[form], SETTINGS[settings]
    if command == "suspects":
        asked = (*asked, "-m", "lea")  # the metric of all suspects
    scored, refused = contest.scored(*asked)
    found = READINGS[command](contest, SETTINGS[settings])
    if isinstance(found, Answer):
        assert (settings, form) != ("default", "conll"), found.messages
        return
    assert not refused, f"{command} has numbers where score says: {refused}"
    if isinstance(found, str):
        for place, f1 in scored.items():
            assert f"{100 * f1:.2f}" in found, place
        return
    expected = {place: scored[place] for place in found if place in scored}
    assert expected
    if command == "agree":
        expected = both_directions(contest, asked, expected)
    shown = {place: found[place] for place in expected}
    assert shown == pytest.approx(expected, abs=1e-9)


def both_directions(contest: Contest, asked: tuple[str, ...], scored: Numbers) -> Numbers:
    """The mean of F1 in both directions, which differ where matching is not symmetric."""
    answer = run("score", contest.first, contest.key, *asked, "--output", "json")
    back = of_systems(answer.json["scores"], "a")
    return {place: (f1 + back[place]) / 2 for place, f1 in scored.items()}


METRICS = [str(metric()) for metric in registered()]


@pytest.mark.parametrize(
    "preset",
    [
        None,
        "conll2012",
        *(pytest.param(name, marks=pytest.mark.slow) for name in PRESETS if name != "conll2012"),
    ],
)
def test_an_f1_does_not_depend_on_what_is_asked_besides(preset: str | None, tmp_path: Path) -> None:
    """Another metric, a breakdown, intervals: none of them changes CoNLL."""
    files = put_contest("conllu" if (preset or "").startswith("crac") else "conll", tmp_path)
    asked = ("score", files["key"], files["a"], *(("--preset", preset) if preset else ()))
    if preset and PRESETS[preset].settings.get("scope") == "topic":
        asked = (*asked, "--scope", "corpus")  # the documents have no topics
    alone = run(*asked, "-m", "conll", "--output", "json").json["scores"]["conll"]["f1"]
    others: list[tuple[str, ...]] = [("-m", f"conll,{metric}") for metric in METRICS]
    others += [("-m", "conll", "--by", way) for way in BREAKDOWNS]
    others += [("-m", "conll", flag) for flag in ("--per-document", "--intervals")]
    others += [("-m", "conll", "--kinds", "guess"), ("-m", "conll", "--jobs", "1")]
    for more in others:
        answer = run(*asked, *more, "--output", "json")
        if answer.status == 0:
            found = answer.json["scores"]["conll"]["f1"]
            assert found == pytest.approx(alone, abs=1e-9), more


@pytest.mark.parametrize("form", each_form("conllu"))
@pytest.mark.parametrize("settings", SETTINGS)
def test_an_evaluator_has_the_f1_of_score(contests, settings: str, form: str) -> None:
    name, _, value = settings.partition("=")
    asked: dict[str, Any] = {name: int(value) if name == "window" else value} if value else {}
    contest = contests[form]
    try:
        scores = corefine.score(contest.key, contest.first, **asked)
        evaluator = corefine.Evaluator(**asked)
    except corefine.CorefineError:
        return
    evaluator.update(corefine.read(contest.key), corefine.read(contest.first))
    found = evaluator.compute()
    assert {n: s.f1 for n, s in found.items()} == {n: s.f1 for n, s in scores.items()}
