"""Stand-ins for coval, corefud-scorer, e2e-coref and AllenNLP; see also test_originals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.compat import corefud, coval
from corefine.compat.allennlp import ConllCorefScores
from corefine.compat.e2e import (
    CorefEvaluator,
    LongdocCorefEvaluator,
    MentionEvaluator,
    OfficialCoNLL2012CorefEvaluator,
)
from corefine.errors import AlignmentError
from tests.building.refusals import refused

# (VP saw it) is a verb phrase; "it" is within it, and of two entities.
KEY = """\
#begin document (a); part 000
a 0 0 Anna NNP (TOP(S(NP*) - - - - * (0)
a 0 1 saw VBD (VP* - - - - * (1
a 0 2 it PRP (NP*)))) - - - - * (1)|1)

a 0 0 She PRP (TOP(NP*)) - - - - * (0)|(1)

#end document
"""
RESPONSE = KEY.replace("(1)|1)", "(2)|1)")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, text in zip(paths, (KEY, RESPONSE), strict=True):
        path.write_text(text, encoding="utf-8")
    return str(paths[0]), str(paths[1])


def spans(clusters: Any) -> list[list[tuple[int, int, int]]]:
    return [[(one.sent_num, one.start, one.end) for one in cluster] for cluster in clusters]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[(0, 0, 0), (1, 0, 0)], [(0, 2, 2), (0, 1, 2), (1, 0, 0)]]),
        ({"NP_only": True}, [[(0, 0, 0), (1, 0, 0)], [(0, 2, 2), (1, 0, 0)]]),
        ({"remove_nested": True}, [[(0, 0, 0), (1, 0, 0)], [(0, 1, 2), (1, 0, 0)]]),
    ],
)
def test_coval_clusters_of_the_key(files, options, expected):
    infos = coval.get_coref_infos(*files, **options)
    key, response, key_owners, response_owners = infos["(a); part 000\n"]
    assert spans(key) == expected
    assert all(one in key_owners for cluster in key for one in cluster)
    assert {key_owners[one] for one in key[0]} <= set(range(len(response)))
    assert set(response_owners.values()) <= set(range(len(key)))


def test_coval_removes_singletons(files, capsys):
    infos = coval.get_coref_infos(files[0], files[1], keep_singletons=False)
    assert len(infos["(a); part 000\n"][1]) == 2
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_coval_command(files, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["coval", *files, "muc", "bcub", "ceafe"])
    assert coval.main() == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "muc        Recall: 33.33  Precision: 50.00  F1: 40.00",
        "bcub       Recall: 53.33  Precision: 80.00  F1: 64.00",
        "ceafe      Recall: 90.00  Precision: 60.00  F1: 72.00",
        "CoNLL score: 58.67",
    ]


def test_coval_matches_minimum_spans(tmp_path):
    """The house and the house of Anna have the minimum span house."""
    text = """#begin document (a); part 000
a 0 0 the DT (TOP(NP(NP* - - - - * (0
a 0 1 house NN *) - - - - * {0}
a 0 2 of IN (PP* - - - - * -
a 0 3 Anna NNP (NP*)) - - - - * {1}
a 0 4 it PRP *) - - - - * (0)

#end document
"""
    for name, ends in (("key", ("-", "0)")), ("response", ("0)", "-"))):
        (tmp_path / name).write_text(text.format(*ends), encoding="utf-8")
    paths = str(tmp_path / "key"), str(tmp_path / "response")
    plain = coval.get_coref_infos(*paths)
    minimal = coval.get_coref_infos(*paths, min_span=True)
    assert coval.evaluate_documents(plain, coval.mentions)[2] == 0.5
    assert coval.evaluate_documents(minimal, coval.mentions)[2] == 1


def test_coval_refuses_missing_trees_and_documents(files, tmp_path):
    bare, other = tmp_path / "key.conll", tmp_path / "other.conll"
    other.write_text(RESPONSE.replace("(a)", "(b)"), encoding="utf-8")
    with pytest.raises(AlignmentError, match=r"other\.conll"):
        coval.get_coref_infos(files[0], str(other))
    bare.write_text("#begin document a\na\t0\t0\tx\t(0)\n\n#end document\n", encoding="utf-8")
    for option in ("min_span", "NP_only"):
        with refused("usage", "key.conll"):
            coval.get_coref_infos(str(bare), str(bare), **{option: True})


MESSAGE = (
    "The scorer is evaluating coreferential mentions, singletons, zeros (using dependent match "
    "method) using exact match evaluation setting."
)


def test_corefud_command(tmp_path, capsys):
    words = ["Anna", "saw", "her", "cat"]
    for name, clusters in (
        ("key", [[(0, 1), (2, 3)], [(2, 4)]]),
        ("response", [[(0, 1), (2, 3)], [(3, 4)]]),
    ):
        corefine.write(corefine.Corpus.from_spans(words, clusters), tmp_path / f"{name}.conllu")
    sides = [str(tmp_path / "key.conllu"), str(tmp_path / "response.conllu")]
    assert corefud.main([*sides, "-s", "-x", "-m", "bcub", "lea"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        MESSAGE,
        "The following metrics will be evaluated: bcub, lea",
        "",
        "bcub",
        "Recall: 66.67  Precision: 66.67  F1: 66.67",
        "lea",
        "Recall: 66.67  Precision: 66.67  F1: 66.67",
    ]


GOLD = [((0, 0), (2, 2), (4, 4)), ((6, 6), (8, 8))]
PREDICTED = [((0, 0), (2, 2)), ((6, 6), (8, 8)), ((9, 9),)]


def test_e2e_adds_documents():
    """MUC 2/3 and 1, B³ (4/3 + 2) / 5 and 1, CEAFe 1.8 / 2 and 1.8 / 2; twice the same."""
    evaluator = CorefEvaluator()
    for _ in range(2):
        evaluator.update(PREDICTED, GOLD, {}, {})
    recalls, precisions = (2 / 3, (4 / 3 + 2) / 5, 1.8 / 2), (1, 1, 1.8 / 2)
    f1 = sum(2 * p * r / (p + r) for p, r in zip(precisions, recalls, strict=True)) / 3
    assert evaluator.get_prf() == pytest.approx((sum(precisions) / 3, sum(recalls) / 3, f1))


def test_e2e_without_documents():
    assert CorefEvaluator().get_prf() == (0, 0, 0)


def test_descendants_of_e2e_count_singletons():
    """B³ gains the singleton in the whole of precision; CEAFe has an entity more to align."""
    evaluator, asked = LongdocCorefEvaluator(), OfficialCoNLL2012CorefEvaluator()
    for one in (evaluator, asked):
        one.update(PREDICTED, GOLD, {}, {})
    muc, b_cubed, ceafe = evaluator.evaluators
    assert muc.get_prf() == pytest.approx((1, 2 / 3, 0.8))
    assert b_cubed.get_counts() == pytest.approx((4, 5, 4 / 3 + 2, 5))
    assert ceafe.get_counts() == pytest.approx((1.8, 3, 1.8, 2))
    assert ceafe.get_prf_str() == "Recall: 90.0, Precision: 60.0, F-score:  72.0\n"
    assert asked.get_prf("conll2012") == evaluator.get_prf()
    assert asked.get_prf("b_cubed") == b_cubed.get_prf()
    with refused("unknown-value"):
        asked.get_f1("lea")


def test_mention_evaluator_compares_sets():
    evaluator = MentionEvaluator()
    evaluator.update([(0, 0), (0, 0), (1, 1)], {(0, 0): "a", (2, 2): "b", (3, 3): "c"})
    assert (evaluator.tp, evaluator.fp, evaluator.fn) == (1, 1, 2)
    assert evaluator.get_prf() == pytest.approx((1 / 2, 1 / 3, 2 / 5))


def test_allennlp_builds_clusters_from_antecedents():
    spans = [(0, 0), (2, 2), (6, 6), (8, 8)]
    scorer = ConllCorefScores()
    scorer([spans], [[[0, 1, 2]] * 4], [[-1, 0, -1, 2]], [{"clusters": GOLD}])
    evaluator = CorefEvaluator()
    evaluator.update(PREDICTED[:2], GOLD, {}, {})
    assert scorer.get_metric(reset=True) == evaluator.get_prf()
    assert scorer.get_metric() == (0, 0, 0)


def test_allennlp_refuses_an_antecedent_that_follows():
    with refused("usage"):
        ConllCorefScores.get_predicted_clusters([(0, 0), (1, 1)], [[0, 1], [0, 1]], [1, -1])


def test_hugging_face_metric_by_name():
    pytest.importorskip("evaluate")
    from corefine.compat import hf

    lines = [line.split("\n") for line in KEY.split("\n\n")]
    sentences = [[line for line in lines[0] if line[0] != "#"], lines[1]]
    answer = [[line.replace("(1)|1)", "(2)|1)") for line in sentence] for sentence in sentences]
    found = hf.load("coval").compute(predictions=answer, references=sentences)
    assert list(found)[:3] == ["mentions/recall", "mentions/precision", "mentions/f1"]
    assert found["muc/recall"] == pytest.approx(1 / 3)
    assert found["lea/recall"] == pytest.approx(1 / 5)
    assert found["conll_score"] == pytest.approx(100 * (0.4 + 0.64 + 0.72) / 3)
