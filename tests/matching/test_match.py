"""Pairing documents, checking texts, dropping repeats and singletons."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine.errors import AlignmentError, Caution, Location, UsageError, code_of
from corefine.matching.settings import Settings
from corefine.scoring.count import match
from tests.building.refusals import refused


def write(path: Path, documents: dict[str, list[tuple[str, str]]]) -> str:
    """A file of documents with their words and cells of coreference."""
    rows = [
        line
        for name, tokens in documents.items()
        for line in (f"#begin document ({name})", *(f"{name} {a} {b}" for a, b in tokens), "")
    ]
    path.write_text("\n".join([*rows, "#end document", ""]), "utf-8")
    return str(path)


TWO = [("Anna", "(1)"), ("saw", "-"), ("her", "(1)")]


def test_documents_are_paired_by_id(tmp_path):
    key = {"a": [["x", "y"]], "b": [["z", "w"], ["v"]]}
    scores = corefine.score(key, dict(reversed(key.items())))
    assert all(score.f1 == 1 for score in scores.values())
    assert list(scores.documents) == ["a", "b"]
    # A single document without an id is paired with any.
    one = write(tmp_path / "key.conll", {"a": TWO})
    assert corefine.score(one, [[(0, 1), (2, 3)]])["lea"].f1 == 1


def test_documents_that_one_side_lacks(tmp_path):
    both = write(tmp_path / "both.conll", {"c": TWO, "a": TWO})
    one = write(tmp_path / "one.conll", {"a": TWO})
    for sides in ((both, one), (one, both)):
        with pytest.raises(AlignmentError) as caught:
            corefine.score(*sides)
        assert caught.value.where is not None
        assert caught.value.where.source == both
    scores = corefine.score(both, one, missing_documents="count")
    assert (scores["mentions"].precision, scores["mentions"].recall) == (1, 1 / 2)
    assert scores.documents["c"]["b3"].recall == 0
    assert "missing:count" in str(scores.signature)
    assert corefine.score(one, both, missing_documents="count")["mentions"].precision == 1
    with refused("alignment"):
        corefine.score({"a": [["x"]]}, {"b": [["x"]]}, missing_documents="count")


def test_another_word_is_an_error_that_shows_both(tmp_path):
    key = write(tmp_path / "key.conll", {"a": TWO})
    response = write(tmp_path / "r.conll", {"a": [("Anna", "(1)"), ("sees", "-"), ("her", "(1)")]})
    with pytest.raises(AlignmentError) as error:
        corefine.score(key, response)
    assert error.value.where == Location(key, 3)
    for shown in ("token 2", "'saw'", "r.conll:3", "'sees'"):
        assert shown in str(error.value)
    assert corefine.score(key, response, words="ignore")["lea"].f1 == 1


def test_duplicate_mentions(tmp_path):
    """They stay in the first entity, with a warning that names file and line."""
    scores = corefine.score([["a", "b"], ["c", "d"]], [["a", "b"], ["b", "c", "d"]])
    assert scores["lea"].f1 == 1
    assert code_of(scores.warnings[0]) == "duplicate-mention"
    key = write(tmp_path / "key.conll", {"a": TWO})
    twice = [("Anna", "(1)|(2)"), ("saw", "(2)"), ("her", "(1)")]
    response = write(tmp_path / "response.conll", {"a": twice})
    assert f"{response}:2" in corefine.score(key, response).warnings[0]
    with pytest.raises(UsageError, match=r"response\.conll:2"):
        corefine.score(key, response, duplicates="error")
    # Inside an entity they count once; two pronouns of the same name would be one mention.
    scores = corefine.score([["a", "b", "a"], ["c"]], [["a", "b"], ["c"]])
    assert scores["b3"].f1 == 1
    assert code_of(scores.warnings[0]) == "duplicate-mention"
    span = {"clusters": [[[0, 0], [1, 1], [0, 0]]]}
    assert corefine.score(span, {"clusters": [[[0, 0], [1, 1]]]}).warnings == ()


def test_singletons_are_dropped_on_both_sides_before_matching():
    """One that a repeated mention leaves too."""
    key, response = [["a", "b"], ["c"]], [["a", "b"], ["d"], ["c"], ["e", "e"]]
    scores = corefine.score(key, response, singletons="drop")
    assert scores["mentions"].f1 == scores["ceafe"].f1 == 1
    assert "singletons:drop" in str(scores.signature)


def test_rows_list_every_distinct_mention_once():
    key = corefine.Corpus.from_entities([["a", "b"], ["c"]])
    response = corefine.Corpus.from_entities([["c", "x"], ["a"]])
    matching = match(key, response, Settings())
    assert matching.key_mention.tolist() == [0, 1, 2, -1]
    assert matching.response_mention.tolist() == [2, -1, 0, 1]


def test_labels_are_matched_by_name_or_row():
    key = corefine.Corpus.from_labels([1, 1, 2, 1, 1], documents=["a", "b", "a", "a", "b"])
    assert key.to_dict() == {"a": [[(0, 1), (3, 4)], [(2, 3)]], "b": [[(1, 2), (4, 5)]]}
    assert corefine.score(key, key, metrics="conll")["conll"].f1 == 1
    for ours, theirs in (([10, 20, 30], [30, 20, 10]), (["x", "y", "z"], ["z", "y", "x"])):
        key = corefine.Corpus.from_labels(["p", "p", "q"], mentions=ours)
        response = corefine.Corpus.from_labels(["1", "2", "2"], mentions=theirs)
        assert corefine.score(key, response)["lea"].f1 == 1


INSIDE = (
    "1\tA\ta\tNOUN\t_\t_\t0\troot\t0:root\tEntity=(e1--1\n{}"
    "2\tb\tb\tVERB\t_\t_\t1\tdep\t1:dep\tEntity=e1)\n"
    "3\tc\tc\tX\t_\t_\t1\tdep\t1:dep\tEntity=(e1)\n"
)


def test_an_empty_node_inside_a_mention_counts_in_exact_matching(tmp_path):
    """As in corefud-scorer: MUC 0 of exact matching, 1 of head and partial."""
    header = "# newdoc id = x\n# global.Entity = eid-etype-head-other\n"
    paths = [tmp_path / "with.conllu", tmp_path / "without.conllu"]
    for path, node in zip(paths, ("1.1" + "\t_" * 7 + "\t1:dep\t_\n", ""), strict=True):
        path.write_text(header + INSIDE.format(node) + "\n")
    for rule, f1 in (("exact", 0), ("head", 1), ("partial", 1)):
        found = corefine.score(paths[0], paths[1], "muc", match=rule)
        assert found["muc"].f1 == f1


SHORT = {
    "doc_key": "x",
    "sentences": [["Anna", "saw", "her", "old", "house"], ["It", "fell"]],
    "clusters": [[[0, 0], [2, 2]], [[2, 4], [5, 5]]],
}
"""A text, and below the same with a word changed, one left out and the end missing."""
OTHER = {
    "doc_key": "x",
    "sentences": [["Anna", "sees", "her", "house"]],
    "clusters": [[[0, 0], [2, 2]], [[2, 3]]],
}


def test_texts_that_differ_by_a_few_words_are_aligned_on_request():
    with refused("different-text", "<key>:1"):
        corefine.score([SHORT], [OTHER])
    scores = corefine.score([SHORT], [OTHER], "mentions", words="align")
    assert (scores["mentions"].precision, scores["mentions"].recall) == (1, 3 / 4)
    assert "words:align" in str(scores["mentions"].signature)
    (caution,) = [one for one in scores.warnings if code_of(one) == "words-aligned"]
    assert isinstance(caution, Caution)
    assert caution.data == {"documents": ["x"]}
    annotations = {"a": [SHORT], "b": [OTHER], "c": [SHORT]}
    agreement = corefine.agree(annotations, metrics="mentions", words="align")
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    assert [agreement.score(*pair, "mentions").f1 for pair in pairs] == [6 / 7, 1, 6 / 7]


def test_empty_nodes_keep_their_places_in_aligned_texts():
    """One opens a sentence, another follows a word."""
    sides = []
    for last in ("today", "now"):
        words = ["Anna", "came", ".", "_", "slept", "_", "well", last]
        mentions = [corefine.Mention("a", [(start, start + 1)]) for start in (0, 3, 5)]
        layers = {"lemma": words}
        document = corefine.Document("d", words, mentions, [0, 3], layers, empty_nodes=[3, 5])
        sides.append(corefine.Corpus.from_documents([document]))
    scores = corefine.score(sides[0], sides[1], "muc", words="align", zeros="linear")
    assert scores["muc"].f1 == 1
    assert [code_of(one) for one in scores.warnings] == ["words-aligned"]


def test_another_text_is_not_aligned():
    other = {"doc_key": "x", "sentences": [["Nothing", "of", "it"]], "clusters": [[[0, 0]]]}
    with pytest.raises(AlignmentError) as caught:
        corefine.score([SHORT], [other], words="align")
    assert caught.value.where is not None
