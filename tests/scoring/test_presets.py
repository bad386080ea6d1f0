"""Presets: settings, metrics and plans by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import corefine
from corefine.comparing.plan import Plan
from corefine.errors import UsageError
from corefine.scoring.presets import PRESETS
from corefine.scoring.request import Request
from tests.building.refusals import refused


@pytest.mark.parametrize("name", [name for name, preset in PRESETS.items() if preset.scorer])
def test_a_preset_gives_the_numbers_of_the_official_scorer(name):
    """Duplicate mentions, which scorers count in different ways, included."""
    key = [["a", "b", "c"], ["d", "e", "a"], ["f", "g"]]
    response = [["a", "b"], ["c", "d", "e", "b"], ["f", "g", "g"]]
    preset = PRESETS[name]
    assert preset.scorer is not None
    scores = corefine.score(key, response, preset=name)
    settings = {k: v for k, v in preset.settings.items() if k != "split_antecedents"}
    official = corefine.score(key, response, preset.metrics, scorer=preset.scorer, **settings)
    assert dict(scores) == dict(official)
    assert f"|as:{preset.scorer}|" in str(scores.signature)
    assert str(scores.signature).startswith(f"preset:{name}|")


def test_metrics_that_the_scorer_of_a_preset_does_not_have():
    """corefine counts them; an average over both is refused."""
    key, response = [["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "e"]]
    mixed = corefine.score(key, response, "conll,pairs.coreferent", preset="conll2012")
    assert "as:perl-8.01(not pairs.coreferent)|" in str(mixed.signature)
    assert "as:" not in str(mixed.signature_of("pairs.coreferent"))
    assert mixed["pairs.coreferent"] == corefine.score(key, response, "pairs")["pairs.coreferent"]
    with pytest.raises(UsageError, match="without --preset"):
        corefine.score(key, response, "mean(muc,pairs.coreferent),muc", preset="conll2012")


def test_perl_has_the_lea_of_its_branch():
    """The numbers of the branch (ns-moosavi/LEA-coreference-scorer): truncated, repeats as Perl."""
    key = [["a", "b", "c"], ["d", "e"], ["f"]]
    response = [["a", "a", "b"], ["c", "d", "e"], ["f", "g"]]
    (lea,) = corefine.score(key, response, "lea", scorer="perl-8.01").values()
    assert (lea.precision, lea.recall, lea.f1) == (0.4285, 0.5, 0.4615)


def test_what_is_given_overrides_and_shows_in_the_signature():
    key, response = [["a", "b", "c"], ["d"]], [["a", "b"], ["c"], ["d"]]
    plain = corefine.score(key, response, preset="mcores")
    assert plain.signature_of("muc").preset == "mcores"
    assert "|preset:mcores|match:exact|singletons:keep|" in str(plain.signature_of("muc"))
    other = corefine.score(key, response, "lea", preset="mcores", singletons="drop")
    assert list(other) == ["lea"]
    assert "preset:mcores(singletons=drop)|match:exact|singletons:drop" in str(other.signature)
    explicit = corefine.score(key, response, "lea", singletons="drop")
    assert explicit.signature.conventions == other.signature.conventions
    assert explicit["lea"] == other["lea"]
    with refused("unknown-value"):
        corefine.score(key, response, preset="crac21")
    with refused("usage"):
        corefine.score(key, response, preset="mcores", scorer="coval")


def test_a_preset_gives_the_metrics_of_a_layer():
    """As "corefine presets" says of codi-crac: --layer bridging, deixis or all."""
    bridging = ("bridging.recognition", "bridging.mention", "bridging.entity")
    assert Request.of(preset="codi-crac", layer="bridging").names == bridging
    deixis = Request.of(preset="codi-crac", layer="deixis").names
    assert deixis[1:] == tuple(f"{one}(layer=deixis)" for one in ("muc", "b3", "ceafe", "lea"))
    every = Request.of(preset="codi-crac", layer="all").names
    assert set(every) == {"conll", "muc", "b3", "ceafe", "lea", "nonreferring", *bridging, *deixis}
    with refused("usage"):
        Request.of("muc", preset="codi-crac", layer="bridging")


def test_a_preset_tests_as_its_paper_does():
    """MCORES, appendix IV: N = 3,000 shuffles of all entries, α = .05 by Bonferroni."""
    key = {str(number): [["a", "b", "c"], ["d", "e"]] for number in range(12)}
    poor = {str(number): [["a", "b"], ["c", "d"]] for number in range(12)}
    # Appendix IV tests the average alone, so the family of one needs no correction.
    plan = Plan(trials=3000, scheme="pooled", correction="bonferroni", tested=("mcores",))
    asked = corefine.compare(key, {"good": key, "poor": poor}, preset="mcores")
    assert asked.plan == plan
    assert "test:randomization(pooled,3000)|correction:bonferroni|alpha:0.05" in asked.signature
    few: dict[str, Any] = {"scheme": "paired", "trials": 100}
    other = corefine.compare(key, {"good": key, "poor": poor}, preset="mcores", **few)
    assert other.plan == replace(plan, **few)
    assert corefine.compare(key, {"a": key, "b": poor}, preset="conll2012").plan == Plan()
