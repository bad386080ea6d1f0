"""Whatever prints an F1 prints the F1 of ``score`` under the same settings, or refuses them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.metrics.registry import registered
from corefine.scoring.breakdowns import BREAKDOWNS
from corefine.scoring.presets import PRESETS
from tests.building.commands import Answer, commands, run
from tests.building.law_files import CHOSEN, FORMS, HEADED, SYSTEMS, each_form, put_contest

Numbers = dict[tuple[str, str], float]
"""F1 by system and metric."""
QUICK = ("--trials", 20, "--replicates", 20)
"""Few shuffles: the tests are about F1."""


class RefusedError(Exception):
    """A command refuses what it is asked."""


def answered(*arguments: object) -> Answer:
    """The answer of a command that does not refuse."""
    answer = run(*arguments)
    if answer.status == 2:
        raise RefusedError(answer.messages)
    return answer


@dataclass(frozen=True)
class Contest:
    """Files of a key and its systems, with a folder to write to."""

    files: dict[str, Path]
    folder: Path
    known: dict[tuple[object, ...], Numbers] = field(default_factory=dict)

    @property
    def key(self) -> Path:
        return self.files["key"]

    @property
    def first(self) -> Path:
        return self.files["a"]

    @property
    def systems(self) -> list[Path]:
        return [self.files[name] for name in SYSTEMS]

    def scored(self, *settings: object) -> Numbers:
        """What ``score`` says of every system."""
        if settings not in self.known:
            self.known[settings] = {
                place: f1
                for name in SYSTEMS
                for place, f1 in of_system(name, self.score(name, *settings).f1).items()
            }
        return self.known[settings]

    def score(self, name: str, *settings: object) -> Answer:
        return answered("score", self.key, self.files[name], *settings, "--output", "json")

    def saved(self, name: str, *settings: object) -> Path:
        """The stored scores of a system."""
        path = self.folder / f"{name}.json"
        answered("score", self.key, self.files[name], *settings, "--save", path)
        return path


def of_system(system: str, f1: dict[str, float]) -> Numbers:
    return {(system, metric): value for metric, value in f1.items()}


def f1_of(scores: dict[str, Any]) -> dict[str, float]:
    return {metric: score["f1"] for metric, score in scores.items()}


Asked = tuple[str, ...]
"""Options on the command line."""
Reading = Callable[[Contest, Asked], Numbers | str]
"""From files and settings to the numbers that a command prints, or to its page."""
READINGS: dict[str, Reading] = {}


def reading(command: str) -> Callable[[Reading], Reading]:
    def add(function: Reading) -> Reading:
        READINGS[command] = function
        return function

    return add


@reading("compare")
def compared(contest: Contest, settings: Asked) -> Numbers:
    sides = contest.key, *contest.systems
    rows = answered("compare", *sides, *settings, *QUICK, "--output", "json").json["scores"]
    return {(row["system"], row["metric"]): row["f1"] for row in rows}


@reading("explain")
def explained(contest: Contest, settings: Asked) -> Numbers:
    answer = answered("explain", contest.key, contest.first, *settings, "--output", "json")
    return of_system("a", answer.f1)


@reading("audit")
def audited(contest: Contest, settings: Asked) -> Numbers:
    answer = answered("audit", contest.key, contest.first, *settings, "--output", "json")
    return of_system("a", answer.f1)


@reading("suspects")
def suspected(contest: Contest, settings: Asked) -> Numbers:
    sides = contest.key, *contest.systems
    systems = answered("suspects", *sides, *settings, "--output", "json").json["systems"]
    return {(name, "lea"): found["lea"] for name, found in systems.items()}


@reading("gate")
def gated(contest: Contest, settings: Asked) -> Numbers:
    saved = contest.saved("b", *settings)
    numbers: Numbers = {}
    for metric in ("conll", "lea"):
        asked = ("--against", saved, "-m", metric, *QUICK, "--output", "json")
        found = json.loads(answered("gate", contest.key, contest.first, *asked).output)
        numbers["a", metric], numbers["b", metric] = found["response"], found["baseline"]
    return numbers


@reading("suite")
def suited(contest: Contest, settings: Asked) -> Numbers:
    for name in ("key", "a"):
        (contest.folder / name).mkdir(exist_ok=True)
        target = contest.folder / name / f"x{contest.key.suffix}"
        target.write_bytes(contest.files[name].read_bytes())
    sides = (contest.folder / "key", contest.folder / "a")
    macro = answered("suite", *sides, *settings, "--output", "json").json["macro"]
    return of_system("a", f1_of(macro))


@reading("report")
def reported(contest: Contest, settings: Asked) -> str:
    page = contest.folder / "report.html"
    answered("report", contest.key, *contest.systems, *settings, "-o", page)
    return page.read_text("utf-8")


@reading("leaderboard")
def ranked(contest: Contest, settings: Asked) -> str:
    page = contest.folder / "index.html"
    answered("leaderboard", *(contest.saved(name, *settings) for name in SYSTEMS), "-o", page)
    return page.read_text("utf-8")


@reading("agree")
def agreed(contest: Contest, settings: Asked) -> Numbers:
    """The key and one system as two annotators, in both orders."""
    found = []
    for pair in ((contest.key, contest.first), (contest.first, contest.key)):
        (compared,) = answered("agree", *pair, *settings, "--output", "json").json["pairs"]
        found.append(of_system("a", f1_of(compared["scores"])))
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


SETTINGS = {**CHOSEN, "window=7": ("--window", "7")}
SETTINGS |= {f"preset={name}": ("--preset", name) for name in PRESETS}
TELLING = ("default", "match=partial", "twinless=add-to-key", "layer=all", "preset=conll2012")
"""Settings that are tried in the fast lane."""


PAGES = ("report", "leaderboard")
"""Commands that take ten times as long as the others, and are tried in one format."""


def cases(*commands: str) -> Iterator[object]:
    """Every command under every setting; the fast lane tries one format and few settings."""
    for settings in SETTINGS:
        fitting = "ua" if "layer" in settings or "split" in settings else "conllu"
        fitting = HEADED if settings.startswith("match") else fitting
        for command, form in product(commands, dict.fromkeys([*FORMS, fitting])):
            if command in PAGES and form != fitting:
                continue
            fast = settings in (("default",) if command in PAGES else TELLING) and form == fitting
            marks = [] if fast else [pytest.mark.slow]
            yield pytest.param(
                command, settings, form, marks=marks, id=f"{command}-{settings}-{form}"
            )


@pytest.fixture(scope="module")
def contests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Contest]:
    """A contest in each format."""
    found = {}
    for form in (*FORMS, HEADED):
        folder = tmp_path_factory.mktemp(form)
        (folder / "files").mkdir()
        found[form] = Contest(put_contest(form, folder / "files"), folder)
    return found


@pytest.mark.parametrize(("command", "settings", "form"), list(cases(*READINGS)))
def test_every_command_prints_the_f1_of_score(contests, command, settings, form) -> None:
    contest, asked = contests[form], SETTINGS[settings]
    try:
        found = READINGS[command](contest, asked)
    except RefusedError:
        if (settings, form) == ("default", "conll"):
            raise
        return
    # Suspects are about one metric.
    scored = contest.scored(*asked, *(("-m", "lea") if command == "suspects" else ()))
    if isinstance(found, str):
        for place, f1 in scored.items():
            assert f"{100 * f1:.2f}" in found, place
        return
    expected = {place: scored[place] for place in found if place in scored}
    assert expected
    if command == "agree":
        expected = both_directions(contest, asked, expected)
    assert {place: found[place] for place in expected} == pytest.approx(expected, abs=1e-9)


def both_directions(contest: Contest, asked: tuple[str, ...], scored: Numbers) -> Numbers:
    """The mean of F1 in both directions, which differ where matching is not symmetric."""
    back = run("score", contest.first, contest.key, *asked, "--output", "json").f1
    return {(name, metric): (f1 + back[metric]) / 2 for (name, metric), f1 in scored.items()}


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
    alone = run(*asked, "-m", "conll", "--output", "json").f1["conll"]
    others: list[tuple[str, ...]] = [("-m", f"conll,{metric}") for metric in METRICS]
    others += [("-m", "conll", "--by", way) for way in BREAKDOWNS]
    others += [("-m", "conll", flag) for flag in ("--per-document", "--intervals")]
    others += [("-m", "conll", "--kinds", "guess"), ("-m", "conll", "--jobs", "1")]
    for more in others:
        answer = run(*asked, *more, "--output", "json")
        if answer.status == 0:
            assert answer.f1["conll"] == pytest.approx(alone, abs=1e-9), more


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
