"""Pairing documents, checking texts, dropping repeats and singletons."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine.errors import AlignmentError, Caution, UsageError, code_of
from corefine.matching.matched import Tally
from corefine.matching.settings import Settings
from corefine.scoring.count import match


def write(path: Path, documents: dict[str, list[tuple[str, str]]]) -> str:
    lines = []
    for name, tokens in documents.items():
        lines.append(f"#begin document ({name}); part 000")
        lines.extend(
            f"{name} 0 {number} {word} - * - - - - * {cell}"
            for number, (word, cell) in enumerate(tokens)
        )
        lines += ["", "#end document"]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


TWO = [("Anna", "(1)"), ("saw", "-"), ("her", "(1)")]


def test_documents_are_paired_by_id_whatever_their_order() -> None:
    key = {"a": [["x", "y"]], "b": [["z", "w"], ["v"]]}
    response = {"b": [["z", "w"], ["v"]], "a": [["x", "y"]]}
    scores = corefine.score(key, response)
    assert all(score.f1 == 1 for score in scores.values())
    assert list(scores.documents) == ["a", "b"]


def test_a_single_document_without_id_is_paired_with_any(tmp_path: Path) -> None:
    key = write(tmp_path / "key.conll", {"a": TWO})
    scores = corefine.score(key, [[(0, 0), (2, 2)]])
    assert scores["lea"].f1 == 1


def test_a_document_missing_from_the_response_is_an_error(tmp_path: Path) -> None:
    key = write(tmp_path / "key.conll", {"a": TWO, "b": TWO})
    response = write(tmp_path / "response.conll", {"a": TWO})
    with pytest.raises(AlignmentError, match=r"key\.conll:\d+: document 'b' of the key is not in"):
        corefine.score(key, response)


def test_a_missing_document_can_count_as_missed(tmp_path: Path) -> None:
    key = write(tmp_path / "key.conll", {"a": TWO, "b": TWO})
    response = write(tmp_path / "response.conll", {"a": TWO})
    scores = corefine.score(key, response, missing_documents="count")
    assert scores["mentions"].recall == 1 / 2
    assert scores["mentions"].precision == 1
    assert scores.documents["b"]["b3"].recall == 0
    assert "missing from the response" in scores.warnings[0]
    assert "missing:count" in str(scores.signature)


def test_a_document_that_only_the_response_has(tmp_path: Path) -> None:
    key = write(tmp_path / "key.conll", {"a": TWO})
    response = write(tmp_path / "response.conll", {"c": TWO, "a": TWO})
    with pytest.raises(AlignmentError, match=r"response\.conll.*document 'c' of the response"):
        corefine.score(key, response)
    scores = corefine.score(key, response, missing_documents="count")
    assert scores["mentions"].precision == 1
    assert "document 'c' of the" in scores.warnings[0]


def test_no_document_in_common_is_an_error_always() -> None:
    with pytest.raises(AlignmentError, match="key and response have no"):
        corefine.score({"a": [["x"]]}, {"b": [["x"]]}, missing_documents="count")


def test_another_word_is_an_error_that_shows_both(tmp_path: Path) -> None:
    key = write(tmp_path / "key.conll", {"a": TWO})
    response = write(tmp_path / "r.conll", {"a": [("Anna", "(1)"), ("sees", "-"), ("her", "(1)")]})
    with pytest.raises(AlignmentError) as error:
        corefine.score(key, response)
    message = str(error.value)
    assert "key.conll:3:" in message
    assert "token 2" in message
    assert "'saw'" in message
    assert "r.conll:3" in message
    assert "'sees'" in message
    assert corefine.score(key, response, words="ignore")["lea"].f1 == 1


@pytest.mark.parametrize("words", ["check", "ignore"])
def test_another_number_of_tokens_is_an_error(tmp_path: Path, words: str) -> None:
    key = write(tmp_path / "key.conll", {"a": TWO, "b": TWO})
    response = write(tmp_path / "response.conll", {"a": [*TWO, ("again", "-")], "b": TWO})
    with pytest.raises(AlignmentError, match=r"3 .*4 "):
        corefine.score(key, response, words=words)


def test_a_mention_in_two_entities_stays_in_the_first_with_a_warning() -> None:
    scores = corefine.score([["a", "b"], ["c", "d"]], [["a", "b"], ["b", "c", "d"]])
    assert scores["lea"].f1 == 1
    assert "'b' is in two entities" in scores.warnings[0]


def test_the_warning_names_file_and_line(tmp_path: Path) -> None:
    key = write(tmp_path / "key.conll", {"a": TWO})
    response = write(
        tmp_path / "response.conll", {"a": [("Anna", "(1)|(2)"), ("saw", "(2)"), ("her", "(1)")]}
    )
    warning = corefine.score(key, response).warnings[0]
    assert "response.conll:2" in warning
    assert "'1' and '2'" in warning
    with pytest.raises(UsageError, match=r"response\.conll:2"):
        corefine.score(key, response, duplicates="error")


def test_a_repeat_inside_an_entity_counts_once() -> None:
    scores = corefine.score([["a", "b", "a"], ["c"]], [["a", "b"], ["c"]])
    assert scores["b3"].f1 == 1
    # Two pronouns of the same name would be one mention.
    assert "'a' occurs twice in entity number 1; counted once" in scores.warnings[0]
    span = {"clusters": [[[0, 0], [1, 1], [0, 0]]]}
    assert corefine.score(span, {"clusters": [[[0, 0], [1, 1]]]}).warnings == ()


def test_dropping_singletons_happens_on_both_sides_before_matching() -> None:
    key, response = [["a", "b"], ["c"]], [["a", "b"], ["d"], ["c"]]
    scores = corefine.score(key, response, singletons="drop")
    assert scores["mentions"].f1 == 1
    assert scores["ceafe"].f1 == 1
    assert "singletons:drop" in str(scores.signature)


def test_an_entity_left_with_one_mention_by_a_repeat_is_a_singleton() -> None:
    scores = corefine.score([["a", "b"]], [["a", "b"], ["c", "c"]], singletons="drop")
    assert scores["mentions"].precision == 1


@pytest.mark.parametrize(
    ("key", "response", "warning"),
    [
        ([], [["a"]], "the key has no mentions"),
        ([["a"]], [], "the response has no mentions"),
        ([["a"]], [["b"]], "no response mention matches a key mention"),
    ],
)
def test_a_zero_is_never_silent(
    key: list[list[str]], response: list[list[str]], warning: str
) -> None:
    assert corefine.score(key, response).warnings == (warning,)


def test_mentions_as_json_gives_them_are_spans() -> None:
    assert corefine.score([[[1, 2], [3, 4]]], [[(1, 2), (3, 4)]])["lea"].f1 == 1
    with pytest.raises(UsageError, match="instead of a mention"):
        corefine.score([[{"start": 1}]], [[[1, 2]]])


def test_rows_list_every_distinct_mention_once() -> None:
    key = corefine.Corpus.from_entities([["a", "b"], ["c"]])
    response = corefine.Corpus.from_entities([["c", "x"], ["a"]])
    matched = match(key, response, Settings())
    assert matched.key_mention.tolist() == [0, 1, 2, -1]
    assert matched.response_mention.tolist() == [2, -1, 0, 1]
    assert matched.tally == Tally(3, 3, 2)


def test_labels_with_documents_in_any_order() -> None:
    key = corefine.Corpus.from_labels([1, 1, 2, 1, 1], documents=["a", "b", "a", "a", "b"])
    assert key.to_dict() == {"a": [[(0, 0), (3, 3)], [(2, 2)]], "b": [[(1, 1), (4, 4)]]}
    assert corefine.score(key, key, metrics="conll")["conll"].f1 == 1


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [([10, 20, 30], [30, 20, 10]), (["x", "y", "z"], ["z", "y", "x"])],
)
def test_named_labels_are_matched_by_name(ours: list[str], theirs: list[str]) -> None:
    key = corefine.Corpus.from_labels(["p", "p", "q"], mentions=ours)
    response = corefine.Corpus.from_labels(["1", "2", "2"], mentions=theirs)
    assert corefine.score(key, response)["lea"].f1 == 1


INSIDE = (
    "1\tA\ta\tNOUN\t_\t_\t0\troot\t0:root\tEntity=(e1--1\n{}"
    "2\tb\tb\tVERB\t_\t_\t1\tdep\t1:dep\tEntity=e1)\n"
    "3\tc\tc\tX\t_\t_\t1\tdep\t1:dep\tEntity=(e1)\n"
)


def test_an_empty_node_inside_a_mention_counts_in_exact_matching(tmp_path: Path) -> None:
    """As in corefud-scorer: MUC 0 of exact matching, 1 of head and partial; and it is told."""
    header = "# newdoc id = x\n# global.Entity = eid-etype-head-other\n"
    paths = [tmp_path / "with.conllu", tmp_path / "without.conllu"]
    for path, node in zip(paths, ("1.1" + "\t_" * 7 + "\t1:dep\t_\n", ""), strict=True):
        path.write_text(header + INSIDE.format(node) + "\n")
    exact = corefine.score(paths[0], paths[1], "muc")
    assert exact["muc"].f1 == 0
    assert [warning for warning in exact.warnings if "empty nodes inside" in warning]
    for rule in ("head", "partial"):
        found = corefine.score(paths[0], paths[1], "muc", match=rule)
        assert found["muc"].f1 == 1
        assert not found.warnings
    assert not corefine.score(paths[0], paths[0], "muc").warnings


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


def test_texts_that_differ_by_a_few_words_are_aligned_on_request() -> None:
    with pytest.raises(AlignmentError, match="align"):
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


def test_another_text_is_not_aligned() -> None:
    other = {"doc_key": "x", "sentences": [["Nothing", "of", "it"]], "clusters": [[[0, 0]]]}
    with pytest.raises(AlignmentError) as caught:
        corefine.score([SHORT], [other], words="align")
    assert caught.value.where is not None
