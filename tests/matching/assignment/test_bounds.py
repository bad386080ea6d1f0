"""Alignments that memory does not suffice for: bounds from both sides, and a mark."""

from __future__ import annotations

import json

import numpy as np
import pytest

import corefine
from corefine.cli import main
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.scoring.evaluator import Evaluator

METRICS = "ceafm,ceafe,lceafm,lceafe,conll,lea"
ALIGNED = ["ceafm", "ceafe", "lceafm", "lceafe", "conll"]


def noisy(seed: int, mentions: int = 3000, entities: int = 120) -> tuple[Corpus, Corpus]:
    """Two random clusterings: every entity shares mentions with nearly every other."""
    rng = np.random.default_rng(seed)
    key, response = (rng.integers(0, entities, mentions) for _ in range(2))
    return Corpus.from_labels(key), Corpus.from_labels(response)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("twinless", ["none", "cai-strube"])
@pytest.mark.filterwarnings("ignore")
def test_bounds_hold_the_exact_score(seed, twinless):
    sides = noisy(seed)
    exact = corefine.score(*sides, METRICS, twinless=twinless, kinds="none")
    bounded = corefine.score(
        *sides, METRICS, twinless=twinless, kinds="none", alignment_memory=1000
    )
    # A lower bound that meets the upper one is exact, and no interval.
    assert {"ceafm", "ceafe", "conll"} <= bounded.bounds.keys() <= set(ALIGNED)
    assert "|ceaf:bounded|" in str(bounded.signature)
    for name, (low, high) in bounded.bounds.items():
        assert low == bounded[name]
        for figure in ("f1", "precision", "recall"):
            numbers = [getattr(one, figure) for one in (low, exact[name], high)]
            if None not in numbers:
                assert numbers[0] <= numbers[1] + 1e-12 <= numbers[2] + 2e-12
    assert any(low.f1 < high.f1 for low, high in bounded.bounds.values())
    assert bounded["lea"] == exact["lea"]


def test_what_fits_is_exact_and_not_marked():
    sides = noisy(1)
    exact = corefine.score(*sides, metrics="all", kinds="none")
    enough = corefine.score(*sides, metrics="all", kinds="none", alignment_memory=1 << 30)
    assert enough.to_dict() == exact.to_dict()
    assert enough.bounds == {}
    assert "ceaf:" not in enough.signature.conventions


def test_one_bounded_document_among_exact_ones_marks_the_whole():
    judge = Evaluator("ceafm", alignment_memory=1000)
    judge.update([["a", "b"]], [["a"], ["b"]])
    assert judge.compute().bounds == {}
    judge.update(*noisy(2))
    low, high = judge.compute().bounds["ceafm"]
    assert low.f1 < high.f1


@pytest.mark.parametrize(("memory", "marked"), [("2K", True), ("1G", False)])
def test_the_command_line_bounds_alignments_by_its_memory(tmp_path, capsys, memory, marked):
    paths = []
    for name, side in zip(("key", "response"), noisy(3), strict=True):
        path = tmp_path / f"{name}.csv"
        rows = enumerate(side.mentions.entity.tolist())
        path.write_text("mention,entity\n" + "".join(f"m{m},e{e}\n" for m, e in rows), "utf-8")
        paths.append(str(path))
    arguments = ["score", *paths, "--metrics", "ceafe", "--memory", memory, "--jobs", "1"]
    assert main(arguments) == 0
    table = capsys.readouterr().out
    assert ("ceaf:bounded" in table) is ("F1 lies between" in table) is marked
    assert main([*arguments, "--output", "json"]) == 0
    assert ("bounds" in json.loads(capsys.readouterr().out)) is marked


@pytest.mark.parametrize("memory", [0, -1, "512M"])
def test_an_amount_of_memory_that_is_none_is_refused(memory):
    with pytest.raises(UsageError, match="alignment-memory cannot be"):
        corefine.score([["a"]], [["a"]], alignment_memory=memory)
