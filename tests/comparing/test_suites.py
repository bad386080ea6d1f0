"""Suites: matched with keys, scored by data set, averaged, tested within data sets."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corefine
from corefine.cli import main
from corefine.comparing.data_sets import Suite
from corefine.comparing.randomization import randomization_test
from corefine.errors import CorefineError, UsageError
from tests.building.conll_documents import write
from tests.building.panels import panel_of_values
from tests.building.refusals import refused

Documents = dict[str, list[list[int]]]
KEYS: dict[str, Documents] = {
    "en": {"1": [[1, 2, 3]], "2": [[1, 2], [3, 4]], "3": [[1, 2, 3, 4, 5]]},
    "de": {"1": [[1, 2, 3, 4]], "2": [[5, 6]]},
    "cs": {"1": [[1, 2], [3, 4, 5]]},
}
CAUTIOUS: dict[str, Documents] = {
    "en": {"1": [[1, 2]], "2": [[1, 2]], "3": [[1, 2], [4, 5]]},
    "de": {"1": [[1, 2], [3, 4]], "2": [[5, 6]]},
    "cs": {"1": [[1, 2]]},
}
BOLD: dict[str, Documents] = {
    "en": {"1": [[1, 2, 3]], "2": [[1, 2, 3, 4]], "3": [[1, 2, 3, 4, 5]]},
    "de": {"1": [[1, 2, 3, 4]], "2": [[5, 6, 7]]},
    "cs": {"1": [[1, 2, 3, 4, 5]]},
}
METRICS = "conll,muc,b3,ceafe,blanc,lea"


def test_data_sets_are_scored_as_if_alone_and_averaged():
    suite = corefine.score_suite(KEYS, BOLD, METRICS)
    alone = {name: corefine.score(KEYS[name], BOLD[name], METRICS) for name in KEYS}
    for name, scores in alone.items():
        assert suite.data_sets[name] == scores
        assert suite.data_sets[name].signature == scores.signature
    assert len(suite.tables(*suite.table_names)) == len(suite.table_names)
    assert suite.default_tables == ("scores",)
    assert suite.figures()
    for metric in METRICS.split(","):
        mean = np.mean([scores[metric].f1 for scores in alone.values()])
        assert suite[metric].f1 == pytest.approx(mean, abs=1e-15)
        assert suite.score("macro", metric) == suite.macro[metric] == suite[metric]
    key, response = [
        {f"{name}/{id}": entities for name, docs in side.items() for id, entities in docs.items()}
        for side in (KEYS, BOLD)
    ]
    assert suite.micro.by_name == corefine.score(key, response, METRICS).by_name
    # MUC: recall 1 and precision 8/9, 4/5 and 3/4.
    by_hand = [2 * p / (1 + p) for p in (Fraction(8, 9), Fraction(4, 5), Fraction(3, 4))]
    assert suite["muc"].f1 == pytest.approx(float(sum(by_hand) / 3))
    assert suite["muc"].precision == pytest.approx(float(Fraction(8, 9) + Fraction(31, 20)) / 3)


def test_missing_responses_count_as_zero_and_are_said():
    suite = corefine.score_suite(KEYS, {"de": BOLD["de"]}, "muc,b3,ceafe,blanc,lea,mentions")
    assert suite.missing == ("en", "cs")
    for metric, score in suite.data_sets["en"].by_name.items():
        assert (score.precision, score.recall, score.f1) == (0, 0, 0), metric
    assert suite["muc"].f1 == pytest.approx(2 * (4 / 5) / (9 / 5) / 3)
    # 4 of the key's 4 + 8 + 3 links, of 5 that the response makes.
    assert suite.micro["muc"].recall == pytest.approx(4 / 15)
    assert suite.micro["muc"].precision == pytest.approx(4 / 5)
    assert list(suite.warnings) == [
        "no response to en: all its mentions count as missed",
        "no response to cs: all its mentions count as missed",
    ]
    made = suite.to_dict()
    assert made["missing"] == ["en", "cs"]
    assert made["data_sets"]["cs"]["missing"] is True
    with refused("usage"):
        corefine.score_suite(KEYS, {})


def test_a_response_with_other_documents_counts_as_missing():
    other = {"other": BOLD["en"]["1"], "ids": BOLD["en"]["2"]}
    suite = corefine.score_suite(KEYS, {**BOLD, "en": other}, "muc")
    assert suite.missing == ("en",)
    assert suite.data_sets["en"]["muc"].f1 == 0


def test_a_comparison_is_that_of_the_macro_averages():
    compared = corefine.compare_suite(KEYS, {"a": BOLD, "b": CAUTIOUS}, metrics="conll,muc")
    sides = [corefine.score_suite(KEYS, side, "muc") for side in (BOLD, CAUTIOUS)]
    found = compared.difference("a", "b", "muc")
    assert found.difference == pytest.approx(sides[0]["muc"].f1 - sides[1]["muc"].f1)
    assert compared.exact
    assert compared.scores["a"]["muc"].f1 == pytest.approx(sides[0]["muc"].f1)
    assert compared.document_scores("muc")[0, compared.documents.index("en/1")] == 1
    assert "average:macro(3)" in compared.signature
    parts = {(one.group, one.system, one.metric): one.score.f1 for one in compared.parts}
    assert parts["de", "a", "muc"] == pytest.approx(2 * (4 / 5) / (9 / 5))
    assert [row[0] for row in compared.tables()[0].rows] == ["macro", "micro", *KEYS]
    assert any("fewer than 8 documents: en (3), de (2), cs (1)" in w for w in compared.warnings)
    assert compared.figures()
    assert repr(compared.to_dict()) == repr(compared.to_dict(documents=False))
    assert len(compared.tables(*compared.table_names)) == len(compared.table_names)
    with refused("usage"):
        corefine.compare_suite(KEYS, {"a": BOLD, "b": CAUTIOUS}, scheme="pooled")


def test_up_to_five_data_sets_that_disagree_are_named():
    for count, named in ((5, "s0, s1, s2, s3, s4"), (6, "s0, s1, s2, s3, s4, …")):
        names = ["x", *(f"s{number}" for number in range(count))]
        key, a, b = (
            {name: {"d": [list(range(x if name == "x" else s))]} for name in names}
            for x, s in ((20, 20), (20, 10), (2, 11))
        )
        found = corefine.compare_suite(key, {"a": a, "b": b}, metrics="muc", trials=9)
        said = f"a is better on 1 of them, b on {count} ({named})."
        assert said in found.verdict_by("muc")


def studentized(values: list[list[float]]) -> float:
    """The macro average of means divided by its standard error within data sets."""
    means = [np.mean(own) for own in values]
    variance = sum(np.var(own, ddof=1) / len(own) for own in values if len(own) > 1)
    return float(abs(sum(means)) / np.sqrt(variance))


def test_p_is_that_of_all_swaps_of_the_studentized_difference():
    """Differences of a mean are linear, so that the test can be counted by hand."""
    generator = np.random.default_rng(1)
    sizes = (3, 5)
    first, second = generator.random((2, sum(sizes)))
    panel = replace(panel_of_values(first, second), strata=sizes)
    d = first - second
    swaps = [
        studentized([list((s * d)[:3]), list((s * d)[3:])])
        for s in (np.array(one) for one in product((1, -1), repeat=8))
    ]
    observed = studentized([list(d[:3]), list(d[3:])])
    expected = np.mean([one >= observed - 1e-9 for one in swaps])
    result = randomization_test(panel)
    assert result.exact
    assert result.p_values[0, 0] == pytest.approx(expected)


def folders(place: Path, **sides: list[str]) -> tuple[str, ...]:
    for number, (side, names) in enumerate(sides.items()):
        for name in names:
            (place / side / name).parent.mkdir(parents=True, exist_ok=True)
            write(place / side / name, ["d0", "d1", "d2"], 100 * number)
    return tuple(str(place / side) for side in sides)


def names_of(suite: Suite) -> dict[str, list[str | None]]:
    return {
        one.name: [None if side is None else Path(str(side)).name for side in one.responses]
        for one in suite.data_sets
    }


def test_files_are_matched_by_relative_path(tmp_path):
    keys, responses = folders(
        tmp_path,
        keys=["en/dev.conll", "de/dev.conll", "b.conll"],
        responses=["en/dev.conll", "b.json", "z.conll"],
    )
    (tmp_path / "keys" / "README").write_text("About these data sets.\n")
    suite = Suite.of(keys, {"x": responses})
    assert names_of(suite) == {"b": [None], "de/dev": [None], "en/dev": ["dev.conll"]}
    assert len(suite.warnings) == 2
    scores = corefine.score_suite(keys, responses, "muc")
    assert scores.missing == ("b", "de/dev")
    assert scores["muc"].f1 == pytest.approx(scores.data_sets["en/dev"]["muc"].f1 / 3)
    folders(tmp_path, keys=["b.json"])
    with refused("usage"):
        Suite.of(keys, {"x": responses})


def test_patterns_select_keys(tmp_path):
    names = ["cs/cs-dev.conll", "cs/cs-train.conll", "en/en-dev.conll"]
    keys, responses = folders(tmp_path, keys=names, responses=names)
    suite = Suite.of(f"{keys}/*/*-dev.conll", {"x": responses})
    assert names_of(suite) == {"cs/cs-dev": ["cs-dev.conll"], "en/en-dev": ["en-dev.conll"]}
    with refused("no-file", "*.none"):
        Suite.of(f"{keys}/*.none", {"x": responses})


def test_toml_files_list_data_sets(tmp_path):
    folders(tmp_path, gold=["a.conll", "b.conll"], out=["one.conll", "b.conll"])
    listed = tmp_path / "suite.toml"
    listed.write_text(
        'b = "gold/b.conll"\n\n[alpha]\nkey = "gold/a.conll"\nresponse = "one.conll"\n'
    )
    suite = Suite.of(str(listed), {"x": str(tmp_path / "out")})
    assert names_of(suite) == {"b": ["b.conll"], "alpha": ["one.conll"]}
    answers = tmp_path / "answers.toml"
    answers.write_text('alpha = "out/one.conll"\nb = "out/gone.conll"\n')
    assert names_of(Suite.of(listed, {"x": answers})) == {"b": [None], "alpha": ["one.conll"]}
    answers.write_text('alhpa = "out/one.conll"\n')
    with pytest.raises(UsageError, match="Did you mean 'alpha'"):
        Suite.of(listed, {"x": answers})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a = "gold/a.conll"\nb = \n', 2),
        ("a = " + "9" * 5000, None),
        ("a = " + "[" * 5000, None),
        ('[b]\nresponse = "x"\n', 1),
        ('[b]\nkey = "gold/a.conll"\nresponse = 7\n', 1),
        ("a = 7\n", 1),
        ('a = "gold/none.conll"\n', 1),
    ],
)
def test_malformed_toml_is_refused(tmp_path, text, line):
    folders(tmp_path, gold=["a.conll"])
    listed = tmp_path / "suite.toml"
    listed.write_text(text)
    with pytest.raises(CorefineError) as caught:
        Suite.of(listed, {"x": str(tmp_path / "gold")})
    assert caught.value.where is not None
    assert caught.value.where.line == line


def test_a_broken_response_gives_no_number(tmp_path):
    keys, responses = folders(tmp_path, keys=["a.conll", "b.conll"], out=["a.conll", "b.conll"])
    (tmp_path / "out" / "b.conll").write_text("#begin document (d0); part 000\nd0 0 0 x (1\n")
    for jobs in (1, 2):
        with refused("format", "b.conll:2"):
            corefine.score_suite(keys, responses, jobs=jobs)
    (tmp_path / "out" / "b.conll").unlink()
    (tmp_path / "keys" / "c.conll.gz").write_bytes(b"\x1f\x8bnothing")
    with refused("format", "c.conll.gz"):
        corefine.score_suite(keys, responses)


@pytest.mark.slow
def test_files_are_scored_alike_in_any_number_of_processes(tmp_path, capsys):
    names = ["a.conll", "b.conll"]
    keys, responses = folders(tmp_path, keys=names, responses=names)
    known = json.loads(json.dumps(corefine.score_suite(keys, responses, "muc,lea").to_dict()))
    asked = ["suite", keys, responses, "--metrics", "muc,lea"]
    for jobs in ("1", "2"):
        assert main([*asked, "--jobs", jobs, "--output", "json"]) == 0
        assert json.loads(capsys.readouterr().out) == known
    for wrong in (["--baseline", "two"], ["--tables", "pairs"]):
        assert main([*asked, *wrong]) == 2, wrong
    assert main([*asked, "--tables", "official"]) == 0
    assert "with singletons" in capsys.readouterr().out


@pytest.mark.slow
def test_saved_suites_serve_the_gate_and_the_leaderboard(tmp_path, capsys):
    names = ["a.conll", "b.conll"]
    keys, one, two = folders(tmp_path, keys=names, one=["a.conll"], two=names)
    saved = tmp_path / "results"
    assert main(["suite", keys, one, two, "--save", str(saved)]) == 0
    assert sorted(path.name for path in saved.iterdir()) == ["one.json", "two.json"]
    known = corefine.score_suite(keys, two)
    board = corefine.leaderboard(saved / "one.json", saved / "two.json", replicates=50)
    assert list(board.newest) == ["two", "one"]
    assert board.newest["two"].scores["conll"].f1 == pytest.approx(known["conll"].f1)
    assert main(["gate", keys, two, "--against", str(saved / "two.json")]) == 0
    assert "is unchanged" in capsys.readouterr().out
    (saved / "two.json").write_text('{"format": 1, "holds": "corefine suite", "data_sets": 7}')
    assert main(["gate", keys, two, "--against", str(saved / "two.json")]) == 2


CONLLU = """# global.Entity = eid-etype-head-other
# newdoc id = d1
# sent_id = 1
# text = The old cat saw Ana . It slept and she too .
1\tThe\tthe\tDET\t_\t_\t3\tdet\t_\t{0}
2\told\told\tADJ\t_\t_\t3\tamod\t_\t{1}
3\tcat\tcat\tNOUN\t_\t_\t4\tnsubj\t_\t{2}
4\tsaw\tsee\tVERB\t_\t_\t0\troot\t_\t_
5\tAna\tAna\tPROPN\t_\t_\t4\tobj\t_\t{3}
6\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_
7\tIt\tit\tPRON\t_\t_\t8\tnsubj\t_\t{4}
8\tslept\tsleep\tVERB\t_\t_\t4\tparataxis\t_\t_
9\tshe\tshe\tPRON\t_\t_\t8\tconj\t_\t{5}

"""


@pytest.mark.slow
def test_the_official_table_has_all_settings_that_crac_publishes(tmp_path):
    key = ("Entity=(e1--3", "_", "Entity=e1)", "Entity=(e2--1)", "Entity=(e1--1)", "_")
    found_spans = ("_", "Entity=(e1--2", "Entity=e1)", "Entity=(e3--1)", "Entity=(e1--1)")
    data = []
    for side, cells in (("keys", key), ("out", (*found_spans, "Entity=(e4--1)"))):
        (tmp_path / side).mkdir()
        (tmp_path / side / "en.conllu").write_text(CONLLU.format(*cells), "utf-8")
        data.append(str(tmp_path / side))
    found = corefine.score_suite(
        data[0], data[1], "conll", preset="crac23", official=True, replicates=20
    )
    settings: list[dict[str, Any]] = [
        {}, {"match": "partial"}, {"match": "exact"}, {"singletons": "keep"},
    ]  # fmt: skip
    expected = [
        corefine.score_suite(data[0], data[1], "conll", preset="crac23", replicates=20, **one)[
            "conll"
        ].f1
        for one in settings
    ]
    assert list((found.official or {}).values()) == pytest.approx(expected)
    assert len(set(expected)) >= 3
    assert found.default_tables == ("official", "scores")


def test_documents_that_a_response_lacks_are_missed():
    keys = {"en": {"1": [["a", "b"]], "2": [["c", "d"]]}, "de": {"1": [["x", "y"]]}}
    responses = {"en": {"1": [["a", "b"]], "other": [["z"]]}, "de": keys["de"]}
    suite = corefine.score_suite(keys, responses, "muc")
    assert suite.score("en", "muc").recall == 1 / 2
    assert suite["muc"].recall == 3 / 4
    assert suite.missing == ()
    assert any("document '2'" in warning for warning in suite.warnings)
    assert suite.signature == corefine.score_suite(keys, keys, "muc").signature


def test_intervals_are_those_of_each_data_set_alone():
    keys = {name: {f"d{n}": [[1, 2, 3], [4, 5]] for n in range(9)} for name in ("en", "de")}
    responses = {
        name: {d: [[1, 2], [4 + n % 2, 5]] for n, d in enumerate(one)} for name, one in keys.items()
    }
    suite = corefine.score_suite(keys, responses, "lea", replicates=200)
    alone = corefine.score(keys["en"], responses["en"], "lea").intervals(replicates=200)
    assert suite.row_intervals["en", "lea"] == alone["lea"]
    compared = corefine.compare_suite(
        keys, {"a": responses, "b": keys}, metrics="lea", replicates=200, trials=9
    )
    assert suite.row_intervals["macro", "lea"] == compared.standing("a", "lea").interval


def test_saved_suites_are_compared_like_the_suites_themselves(tmp_path, capsys):
    keys = {"en": {"1": [[1, 2, 3]], "2": [[1, 2], [3, 4]]}, "de": {"1": [[1, 2, 3, 4]]}}
    systems = {
        "cautious": {"en": {"1": [[1, 2]], "2": [[1, 2]]}, "de": {"1": [[1, 2]]}},
        "bold": {"en": {"1": [[1, 2, 3]], "2": [[1, 2, 3, 4]]}, "de": {"1": [[1, 2, 3, 4]]}},
    }
    direct = corefine.compare_suite(keys, systems, metrics="muc,lea", replicates=20)
    paths = {name: tmp_path / f"{name}.json" for name in systems}
    for name, suite in direct.suites.items():
        suite.save(paths[name], name=name)
    again = corefine.compare(paths, replicates=20)
    for metric in ("muc", "lea"):
        one, other = (found.difference("bold", "cautious", metric) for found in (direct, again))
        assert (one.difference, one.p) == (other.difference, other.p)
    assert main(["compare", *map(str, paths.values()), "--replicates", "20"]) == 0
    assert "average:macro(2)" in capsys.readouterr().out
    scores = tmp_path / "scores.json"
    corefine.score(keys["de"], systems["bold"]["de"], "muc,lea").save(scores)
    with pytest.raises(UsageError, match="others by"):
        corefine.compare(paths["bold"], scores)
    with pytest.raises(UsageError, match="cannot be rescored"):
        corefine.compare(paths, singletons="drop")
