"""What is said of each metric: in its class, on the command line, in the README and the docs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.cli.samples.paper_examples import CLINTON, ROMEO
from corefine.metrics import Metric, registered, resolve
from corefine.scoring.score import score

ROOT = Path(__file__).resolve().parents[2]
by_name = pytest.mark.parametrize("metric", registered(), ids=lambda metric: metric.name)


def plain(text: str) -> str:
    return " ".join(text.split())


@by_name
def test_when_to_use_it_is_said_in_three_sentences_and_an_example(metric: type[Metric]) -> None:
    assert len(re.split(r"(?<=[.?!])\s", metric.use)) == 3
    command, name, *arguments = shlex.split(metric.example)
    assert (command, name) == ("corefine", "score")
    if "--metrics" in arguments:
        asked = resolve(arguments[arguments.index("--metrics") + 1])
        assert metric in {type(found) for found in asked.values()}


@by_name
def test_the_page_of_metrics_tells_when_to_use_it(metric: type[Metric]) -> None:
    page = plain((ROOT / "docs" / "metrics.md").read_text("utf-8"))
    assert f"### `{metric.name}`: {metric.title}" in page
    assert plain(metric.use) in page


def test_the_command_line_tells_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    for metric in registered():
        assert main(["metrics", metric.name]) == 0
        printed = plain(capsys.readouterr().out)
        for text in (metric.summary, metric.use, metric.example, metric.citation):
            assert plain(text) in printed
    assert main(["metrics", "lmuc", "parent"]) == 0
    assert capsys.readouterr().out.count("corefine score") == 2
    assert main(["metrics", "nix"]) == 2
    assert main(["metrics", "--output", "csv"]) == 0
    assert capsys.readouterr().out.startswith("name,title,summary,use,example,citation\n")


def test_the_demo_shows_what_only_metrics_with_kinds_see(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["demo", "--kinds"]) == 0
    printed = plain(capsys.readouterr().out)
    assert "muc 66.67 66.67 neither" in printed
    assert "lmuc 50.00 28.57 pronoun linked to name" in printed
    assert "conll 68.06 68.06 neither" in printed
    assert "parent 66.67 0.00 pronouns swapped" in printed


@pytest.mark.parametrize("contrast", [CLINTON, ROMEO], ids=lambda contrast: contrast.title)
def test_blind_metrics_see_no_contrast(contrast: object) -> None:
    one, other = (
        score(contrast.key, response, "all", kinds=contrast.kinds)  # type: ignore[attr-defined]
        for response in contrast.responses.values()  # type: ignore[attr-defined]
    )
    for name, metric in one.metrics.items():
        if metric.name == "arcs":
            continue  # it judges antecedents, and not what names are worth
        same = one[name].f1 == pytest.approx(other[name].f1, abs=1e-12)
        assert same is not metric.needs_kinds, name
        assert one[name].f1 >= other[name].f1 - 1e-12


def keys(bibtex: str) -> list[str]:
    return re.findall(r"^@\w+\{(.*),$", bibtex, re.MULTILINE)


@by_name
def test_every_metric_has_entries_of_the_years_it_cites(metric: type[Metric]) -> None:
    years = set(re.findall(r"year = \{(\d+)\}", "".join(metric.references)))
    assert years & set(re.findall(r"(?:19|20)\d\d", metric.citation))


def test_corefine_comes_first_and_nothing_twice() -> None:
    found = keys(corefine.cite("conll,muc,lea"))
    assert found[0] == "corefine"
    assert len(found) == len(set(found))
    assert {"vilain-etal-1995-muc", "luo-2005-ceaf", "moosavi-strube-2016-lea"} <= set(found)


def test_a_mean_cites_its_parts() -> None:
    assert "recasens-hovy-2011-blanc" in keys(corefine.cite("mean(blanc,lea)"))


def test_braces_are_balanced() -> None:
    for entry in corefine.cite("all").split("\n\n"):
        depth = 0
        for sign in entry:
            depth += (sign == "{") - (sign == "}")
            assert depth >= 0
        assert depth == 0
