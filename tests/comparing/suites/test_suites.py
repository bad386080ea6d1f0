"""Suites: matched with keys, scored by data set, averaged, tested within data sets."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import corefine
from corefine.cli import main
from corefine.comparing.suites.data_sets import Suite
from corefine.comparing.suites.suite_panel import SuitePanel
from corefine.errors import CorefineError, FormatError, UsageError
from corefine.scoring.resampling.panel import Panel
from tests.building.conll_documents import write

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


def test_data_sets_are_scored_as_if_alone_and_averaged() -> None:
    suite = corefine.score_suite(KEYS, BOLD, METRICS)
    alone = {name: corefine.score(KEYS[name], BOLD[name], METRICS) for name in KEYS}
    for name, scores in alone.items():
        assert suite.data_sets[name] == scores
        assert suite.data_sets[name].signature == scores.signature
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


def test_signatures_tell_the_average() -> None:
    suite = corefine.score_suite(KEYS, BOLD, "muc", singletons="drop")
    assert "|average:macro(3)|" in str(suite.signature)
    assert "|average:micro|" in str(suite.micro.signature)
    assert str(suite["muc"].signature).startswith("muc|match:exact|singletons:drop")
    other = corefine.score_suite({"en": KEYS["en"]}, {"en": BOLD["en"]}, "muc", preset="mcores")
    assert "|preset:mcores|" in str(other["muc"].signature)
    assert "|average:macro(1)|" in str(other.signature)


def test_missing_responses_count_as_zero_and_are_said() -> None:
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
    with pytest.raises(UsageError, match="no response matches"):
        corefine.score_suite(KEYS, {})


def test_intervals_draw_documents_within_data_sets() -> None:
    suite = corefine.score_suite(KEYS, CAUTIOUS, "muc", replicates=4000)
    assert ("cs", "muc") not in suite.intervals  # one document
    statistics = {name: one.counts.values["muc"] for name, one in suite.data_sets.items()}
    draws: dict[str, list[tuple[int, ...]]] = {
        "en": list(product(range(3), repeat=3)),
        "de": list(product(range(2), repeat=2)),
        "cs": [(0,)],
    }

    def f1(name: str, drawn: tuple[int, ...]) -> float:
        sums = {key: column[list(drawn)].sum() for key, column in statistics[name].items()}
        return float(corefine.metrics.resolve("muc")["muc"].score(sums).f1)

    values = {name: [f1(name, drawn) for drawn in draws[name]] for name in draws}
    macro = np.array([sum(one) / 3 for one in product(*values.values())])
    low, high = suite.intervals["macro", "muc"]
    assert (low, high) == pytest.approx(np.quantile(macro, [0.025, 0.975]), abs=0.02)
    low, high = suite.intervals["en", "muc"]
    assert (low, high) == pytest.approx(np.quantile(values["en"], [0.025, 0.975]), abs=0.02)
    nothing = corefine.score_suite({"cs": KEYS["cs"]}, {"cs": BOLD["cs"]}, "muc")
    assert nothing.intervals == {}
    assert nothing.to_dict()["macro"]["muc"]["interval"] is None


def test_systems_are_tested_by_swaps_within_data_sets() -> None:
    compared = corefine.compare_suite(KEYS, {"a": BOLD, "b": CAUTIOUS}, metrics="conll,muc")
    sides = [corefine.score_suite(KEYS, side, "muc") for side in (BOLD, CAUTIOUS)]
    metric = corefine.metrics.resolve("muc")["muc"]
    columns = [
        {name: one.counts.values["muc"] for name, one in side.data_sets.items()} for side in sides
    ]
    documents = [(name, number) for name in KEYS for number in range(len(KEYS[name]))]

    def difference(swapped: tuple[bool, ...]) -> float:
        f1 = []
        for which in (0, 1):
            total = 0.0
            for name in KEYS:
                sums = dict.fromkeys(columns[0][name], 0.0)
                for (of, number), swap in zip(documents, swapped, strict=True):
                    if of == name:
                        for key in sums:
                            sums[key] += columns[which ^ swap][name][key][number]
                total += float(metric.score(sums).f1) / len(KEYS)
            f1.append(total)
        return f1[0] - f1[1]

    observed = difference((False,) * len(documents))
    deals = [difference(deal) for deal in product((False, True), repeat=len(documents))]
    p = np.mean([abs(one) >= abs(observed) - 1e-12 for one in deals])
    found = compared.difference("a", "b", "muc")
    assert found.difference == pytest.approx(observed)
    assert found.p == pytest.approx(p)
    assert compared.exact
    assert compared.scores["a"]["muc"].f1 == pytest.approx(sides[0]["muc"].f1)
    assert compared.document_scores("muc")[0, 0] == pytest.approx(1.0)
    assert "average:macro(3)" in compared.signature
    parts = {(one.group, one.system, one.metric): one.score.f1 for one in compared.parts}
    assert parts["de", "a", "muc"] == pytest.approx(2 * (4 / 5) / (9 / 5))
    (averages,) = compared.tables("averages")
    assert len(averages.rows) == 4
    assert compared.to_dict()["suites"]["a"]["macro"]["muc"]["f1"] == sides[0]["muc"].f1
    assert compared.figures()
    with pytest.raises(UsageError, match="within data sets"):
        corefine.compare_suite(KEYS, {"a": BOLD, "b": CAUTIOUS}, scheme="pooled")


def test_weighted_sums_are_those_of_the_whole_matrix() -> None:
    suites = {
        name: corefine.score_suite(KEYS, side, METRICS)
        for name, side in (("a", BOLD), ("b", CAUTIOUS))
    }
    panel = SuitePanel.of_suites(suites)
    weights = np.random.default_rng(0).integers(0, 3, (7, len(panel.documents))).astype(float)
    assert panel.weighted(weights) == pytest.approx(Panel.weighted(panel, weights))


def folders(place: Path, **sides: list[str]) -> tuple[str, ...]:
    for number, (side, names) in enumerate(sides.items()):
        for name in names:
            (place / side / name).parent.mkdir(parents=True, exist_ok=True)
            write(place / side / name, ["d0", "d1", "d2"], 100 * number)
    return tuple(str(place / side) for side in sides)


def names_of(suite: Suite) -> dict[str, list[str | None]]:
    return {
        one.name: [None if side is None else Path(str(side.path)).name for side in one.responses]
        for one in suite.data_sets
    }


def test_files_are_matched_by_name(tmp_path: Path) -> None:
    keys, responses = folders(
        tmp_path,
        keys=["a.conll", "b.v4_gold_conll", "deep/c.conll"],
        responses=["a.conll", "b.conll", "other/c.conll", "z.conll"],
    )
    (tmp_path / "keys" / "README").write_text("About these data sets.\n")
    (tmp_path / "keys" / "a.conll").with_suffix(".conll.gz").write_bytes(
        gzip.compress((tmp_path / "keys" / "a.conll").read_bytes())
    )
    (tmp_path / "keys" / "a.conll").unlink()
    suite = Suite.of(keys, {"x": responses})
    assert names_of(suite) == {"a": ["a.conll"], "b": ["b.conll"], "c": ["c.conll"]}
    assert len(suite.warnings) == 2
    assert "of unknown format" in suite.warnings[0]
    assert "no key, such as z.conll" in suite.warnings[1]
    folders(tmp_path, responses=["b.json"])
    with pytest.raises(UsageError, match=r"several responses.*b\.conll"):
        Suite.of(keys, {"x": responses})


def test_patterns_choose_files(tmp_path: Path) -> None:
    keys, responses = folders(
        tmp_path,
        keys=["cs/cs-dev.conll", "cs/cs-train.conll", "en/en-dev.conll", "en/en-train.conll"],
        responses=["en-dev.conll", "cs-dev.conll", "cs-train.conll"],
    )
    (tmp_path / "keys" / "en" / "stats.tsv").write_text("document\tmention\tentity\nd\ta\t1\n")
    for name in ("README.md", "LICENSE.txt"):
        about = "# About\n\nSee [the page](http://example.org) and [more](#more).\na\tb\n"
        (tmp_path / "keys" / "en" / name).write_text(about)
    suite = Suite.of(f"{keys}/*/*-dev.conll", {"x": responses})
    assert names_of(suite) == {"cs-dev": ["cs-dev.conll"], "en-dev": ["en-dev.conll"]}
    suite = Suite.of(keys, {"x": f"{responses}/*-dev.conll"})
    assert list(names_of(suite).values()) == [["cs-dev.conll"], [None], ["en-dev.conll"], [None]]
    assert any("their format differs" in one and "stats.tsv" in one for one in suite.warnings)
    assert any("of unknown format" in one for one in suite.warnings)
    with pytest.raises(CorefineError, match="no file matches the pattern"):
        Suite.of(f"{keys}/*.none", {"x": responses})


def test_toml_files_list_data_sets(tmp_path: Path) -> None:
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
    ("text", "message", "line"),
    [
        ('a = "gold/a.conll"\nb = \n', "not a TOML file", 2),
        ('a = "gold/a.conll"\n\n[b]\nkeys = "x"\n', "no field 'keys'.*Did you mean 'key'", 3),
        ('[b]\nresponse = "x"\n', "has no key", 1),
        ("a = 7\n", "is not a path", 1),
        ('a = "gold/none.conll"\n', "does not exist", 1),
    ],
)
def test_malformed_toml_is_refused(tmp_path: Path, text: str, message: str, line: int) -> None:
    folders(tmp_path, gold=["a.conll"])
    listed = tmp_path / "suite.toml"
    listed.write_text(text)
    with pytest.raises(CorefineError, match=message) as caught:
        Suite.of(listed, {"x": str(tmp_path / "gold")})
    assert caught.value.where is not None
    assert caught.value.where.line == line


def test_a_broken_response_gives_no_number(tmp_path: Path) -> None:
    keys, responses = folders(tmp_path, keys=["a.conll", "b.conll"], out=["a.conll", "b.conll"])
    (tmp_path / "out" / "b.conll").write_text("#begin document (d0); part 000\nd0 0 0 x (1\n")
    for jobs in (1, 2):
        with pytest.raises(FormatError):
            corefine.score_suite(keys, responses, jobs=jobs)


def test_the_command_line_takes_suites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys, one, two = folders(
        tmp_path, keys=["a.conll", "b.conll"], one=["a.conll"], two=["a.conll", "b.conll"]
    )
    asked = ["score", "--suite", keys, two, "--metrics", "muc,lea"]
    made: list[dict[str, Any]] = []
    for jobs in ("1", "2"):
        assert main([*asked, "--jobs", jobs, "--output", "json"]) == 0
        made.append(json.loads(capsys.readouterr().out))
    assert made[0] == made[1]
    known = corefine.score_suite(keys, two, "muc,lea").to_dict()
    assert made[0] == json.loads(json.dumps(known))
    assert main([*asked]) == 0
    shown = capsys.readouterr().out
    assert "macro" in shown
    assert "average:macro(2)" in shown
    assert main(["score", "--suite", keys, one]) == 0
    assert "no response to b: all its mentions count as missed" in capsys.readouterr().err
    assert main(["compare", "--suite", keys, one, two, "--metrics", "muc", "-o", "-"]) == 0
    shown = capsys.readouterr().out
    assert "By data set" in shown
    assert main([*asked, "--output", "csv"]) == 0
    assert capsys.readouterr().out.startswith("data_set,metric,precision,recall,f1,low,high")
    for option in (
        ["--why-differs", "coval"], ["--by", "kind"], ["--save", str(tmp_path / "x.json")],
        ["--engine", "dask"], ["--memory", "1G"], ["--per-document"],
    ):  # fmt: skip
        assert main([*asked, *option]) == 2, option
        assert "--suite cannot be combined with" in capsys.readouterr().err
    assert main(["compare", "--suite", keys, one, two, "--sensitivity"]) == 2
    assert main(["score", "--suite", keys, str(tmp_path / "none")]) == 2
    assert main(["score", "--suite", "-", two]) == 2
    before = (tmp_path / "keys" / "a.conll").read_bytes()
    inside = str(tmp_path / "keys" / "a.conll")
    assert main([*asked, "--output", "json", "-o", inside]) == 2
    assert (tmp_path / "keys" / "a.conll").read_bytes() == before


def test_suites_are_scored_by_the_conventions_of_other_scorers(tmp_path: Path) -> None:
    """Each data set as alone; a mention of two entities stays in both to corefud-scorer and ua."""
    keys = {"en": {"1": [["a", "b"], ["c", "d"]]}, "de": {"1": [["x", "y", "z"]]}}
    responses = {"en": {"1": [["a", "b", "c"], ["c", "d"]]}}
    for tool in ("coval", "ua"):
        suite = corefine.score_suite(keys, responses, "muc,b3", tool=tool, replicates=9)
        alone = corefine.score(keys["en"], responses["en"], "muc,b3", tool=tool)
        for name in ("muc", "b3"):
            assert suite.data_sets["en"][name] == alone[name]
            recall = alone[name].recall
            assert recall is not None
            assert suite[name].recall == pytest.approx(recall / 2)
        assert f"|as:{tool}|average:macro(2)|" in str(suite["muc"].signature)
    with pytest.raises(UsageError, match="preset cannot be combined"):
        corefine.score_suite(keys, responses, tool="coval", preset="crac25")
    for side, documents in (("keys", keys), ("responses", responses)):
        (tmp_path / side).mkdir()
        for name, found in documents.items():
            lines = [
                json.dumps({"doc_key": document, "clusters": [[[ord(m), ord(m)] for m in one]
                            for one in entities]})
                for document, entities in found.items()
            ]  # fmt: skip
            (tmp_path / side / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    folders = [str(tmp_path / side) for side in ("keys", "responses")]
    assert main(["score", "--suite", *folders, "--as", "coval", "--metrics", "muc,b3"]) == 0
    assert main(["score", "--suite", *folders, "--as", "coval", "--preset", "crac25"]) == 2
