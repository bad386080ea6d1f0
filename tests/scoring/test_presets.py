"""Presets: settings, metrics and plans by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

import corefine
from corefine.cli import main
from corefine.comparing.plan import Plan
from corefine.errors import UsageError
from corefine.scoring.presets import PRESETS
from corefine.scoring.request import Request
from tests.building.conll_documents import write


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
    with pytest.raises(UsageError):
        corefine.score(key, response, preset="crac21")
    with pytest.raises(UsageError):
        corefine.score(key, response, preset="mcores", scorer="coval")


def test_commands_take_presets(tmp_path, capsys):
    key = write(tmp_path / "key.conll", ["d0", "d1"], 0)
    response = write(tmp_path / "response.conll", ["d0", "d1"], 100)
    preset = ["--preset", "mcores"]
    for command in (["compare", key, f"a={response}", f"b={key}"], ["explain", key, response]):
        assert main([*command, *preset, "--output", "json"]) == 0
        assert "preset:mcores|match:exact" in capsys.readouterr().out
    assert main(["score", key, response, *preset, "--as", "coval"]) == 2
    stored = str(tmp_path / "stored.json")
    assert main(["score", key, response, *preset, "--save", stored]) == 0
    assert corefine.load_scores(stored).signature.preset == "mcores"
    assert main(["gate", key, response, "--against", stored, "--metrics", "mcores"]) == 0


def test_a_preset_gives_the_metrics_of_a_layer():
    """As "corefine presets" says of codi-crac: --layer bridging, deixis or all."""
    bridging = ("bridging.recognition", "bridging.mention", "bridging.entity")
    assert Request.of(preset="codi-crac", layer="bridging").names == bridging
    deixis = Request.of(preset="codi-crac", layer="deixis").names
    assert deixis[1:] == tuple(f"{one}(layer=deixis)" for one in ("muc", "b3", "ceafe", "lea"))
    every = Request.of(preset="codi-crac", layer="all").names
    assert set(every) == {"conll", "muc", "b3", "ceafe", "lea", "nonreferring", *bridging, *deixis}
    with pytest.raises(UsageError):
        Request.of("muc", preset="codi-crac", layer="bridging")


def test_a_preset_tests_as_its_paper_does():
    """MCORES, appendix IV: N = 3,000 shuffles of all entries, α = .05 by Bonferroni."""
    key = {str(number): [["a", "b", "c"], ["d", "e"]] for number in range(12)}
    good = {str(number): [["a", "b", "c"], ["d"] * (number % 2)] for number in range(12)}
    poor = {str(number): [["a", "b"], ["c", "d"]] for number in range(12)}
    systems = {"good": good, "poor": poor}
    asked = corefine.compare(key, systems, preset="mcores")
    spelled = corefine.compare(
        key,
        systems,
        metrics="muc,b3,ceafe,blanc,mcores",
        trials=3000,
        scheme="pooled",
        correction="bonferroni",
    )
    # Appendix IV tests the average alone, so the family of one needs no correction.
    assert asked.plan == replace(spelled.plan, tested=("mcores",))
    found, same = (one.difference("good", "poor", "mcores").p for one in (asked, spelled))
    assert found == same
    assert "test:randomization(pooled,3000)|correction:bonferroni|alpha:0.05" in asked.signature
    other = corefine.compare(key, systems, preset="mcores", scheme="paired", trials=100)
    assert (other.plan.scheme, other.plan.trials) == ("paired", 100)
    assert other.plan.correction == "bonferroni"
    assert corefine.compare(key, systems, preset="conll2012").plan == Plan()
