"""A corpus scored against itself is perfect, or ``score`` says why it is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import corefine
from corefine.matching.settings import CHOICES
from corefine.metrics.registry import parse, registered
from tests.building.commands import run
from tests.building.law_files import FORMS, HEALTHY, UNUSUAL, put_contest, put_sample, put_unusual

METRICS = [*(metric() for metric in registered()), parse("conll(layer=deixis)")]
CORPORA = [*(f"contest.{form}" for form in FORMS), *UNUSUAL, *HEALTHY]


def put_corpus(name: str, folder: Path) -> Path:
    if name.startswith("contest."):
        return put_contest(name.partition(".")[2], folder)["key"]
    return put_unusual(name, folder) if name in UNUSUAL else put_sample(name, folder)


def has(corpus: corefine.Corpus, layer: str) -> bool:
    """True if a corpus has annotations of a layer."""
    if layer == "identity":
        return len(corpus.mentions) > 0
    if layer == "bridging":
        return any(relation.kind.startswith("bridg") for relation in corpus.relations)
    return any(document.annotations.get(layer) for document in corpus)


TELLING = ("layer", "twinless", "words", "zeros")
"""Settings that are tried on samples, and by the fast lane on unusual files."""


def cases() -> Iterator[object]:
    """Every corpus under every setting; samples and the fast lane try few settings."""
    for name in CORPORA:
        for setting in ("default", *(TELLING if name in HEALTHY else CHOICES)):
            fast = setting == "default" or (name in UNUSUAL and setting in TELLING)
            marks = [] if fast else [pytest.mark.slow]
            yield pytest.param(name, setting, marks=marks, id=f"{name}-{setting}")


@pytest.mark.parametrize(("name", "setting"), list(cases()))
def test_a_corpus_against_itself(name: str, setting: str, tmp_path: Path) -> None:
    path = put_corpus(name, tmp_path)
    corpus = corefine.read(path)
    linked = len(corpus.mentions) > len(corpus.entities) > 1
    for value in CHOICES.get(setting, ("",)):
        asked = (f"--{setting.replace('_', '-')}", value) if value else ()
        answer = run("score", path, path, *asked, "--output", "json")
        if answer.status == 2:
            assert answer.error.startswith(("corefine: error:", "Error:"))
            continue
        reasons = [text for text in answer.messages if "are the same file" not in text]
        for metric, f1 in answer.f1.items():
            if has(corpus, parse(metric).layer):
                assert f1 == pytest.approx(1) or not linked or reasons, metric


ALL = ",".join(str(metric) for metric in METRICS)


@pytest.mark.parametrize("name", [name for name in CORPORA if "." in name])
def test_every_metric_of_a_corpus_against_itself(name: str, tmp_path: Path) -> None:
    """Every metric is 1 where its annotation is there; where it is not 1, a warning says why."""
    path = put_corpus(name, tmp_path)
    corpus = corefine.read(path)
    asked = ("-m", ALL, "--zeros", "linear", "--output", "json")
    answer = run("score", path, path, *asked)
    for metric in METRICS:
        if has(corpus, metric.layer) and metric.perfect_is_one:
            assert answer.f1[str(metric)] == pytest.approx(1) or answer.json["warnings"], metric


@pytest.mark.parametrize("moved", ["words=align", "twinless=add-to-key", "twinless=drop"])
@pytest.mark.parametrize("name", [name for name in CORPORA if "." in name])
def test_renumbered_tokens_change_no_metric_of_any_layer(name, moved, tmp_path) -> None:
    """Another word at the beginning, or a rule that gives the sides the same mentions."""
    path = put_corpus(name, tmp_path)
    form = path.suffix[1:]
    other = tmp_path / f"other.{form}"
    text = path.read_text("utf-8")
    setting, value = moved.split("=")
    if setting == "words":
        other.write_text(with_another_word(text, form), "utf-8")
    else:
        other.write_text(text, "utf-8")
    layers = ("--zeros", "linear", "--layer", "all", "--output", "json")
    answer = run("score", path, other, f"--{setting}", value, *layers)
    if answer.status == 0:
        assert answer.f1 == pytest.approx(run("score", path, path, *layers).f1)


def with_another_word(text: str, form: str) -> str:
    """The same documents, each with a word more at its beginning."""
    lines, fresh = [], False
    for line in text.split("\n"):
        if line.startswith(("#begin document", "# newdoc")):
            fresh = True
        if fresh and line and not line.startswith("#"):
            cells = line.split("\t" if "\t" in line else None)
            if form == "conll":
                row = [*cells[:2], "0", "Yesterday", *["-"] * (len(cells) - 4)]
            else:
                row = ["1", "Yesterday", *["_"] * (len(cells) - 2)]
                lines += ["# sent_id = 0"]
            lines += ["\t".join(row), ""]
            fresh = False
        lines.append(line)
    return "\n".join(lines)
