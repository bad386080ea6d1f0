"""Findings about the core: numbers that depended on something else, and errors of Python."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

import corefine
from corefine import Corpus, Document, Evaluator, Mention, Relation, score
from corefine.errors import CorefineError, UsageError
from corefine.scoring.count import Counts
from corefine.scoring.stored import joined, load_scores
from tests.building.refusals import refused


def bridging(words: list[str], shift: int = 0) -> Document:
    """Anna's house and its door: a bridging anaphor with its antecedent, and discourse deixis."""
    house, door = (2 + shift, 3 + shift), (4 + shift, 5 + shift)
    document = Document("d", words, [Mention("house", [house]), Mention("door", [door])])
    document.relations = [Relation("bridge", 0, "door", "house", "", door, house)]
    document.annotations["deixis"] = Document(
        "d", mentions=[Mention("x", [house]), Mention("x", [door])]
    )
    return document


def test_an_added_zero_moves_bridging() -> None:
    key = bridging(["Anna", "saw", "houses", "and", "doors", "there"])
    response = bridging(["Anna", "", "saw", "houses", "and", "doors", "there"], shift=1)
    response.empty_nodes = [1]
    response.mentions.insert(0, Mention("zero", [(1, 2)]))
    scores = score(
        Corpus.from_documents([key]),
        Corpus.from_documents([response]),
        layer="bridging",
        twinless="add-to-key",
        zeros="linear",
    )
    assert scores["bridging.mention"].f1 == 1


def test_an_added_zero_moves_no_windows_of_a_text_that_was_cut_finer() -> None:
    """The key has 4 words; the response cuts the first in two and has a zero of its own."""
    key = Document("d", ["ab", "cd", "ef", "gh"], [Mention("x", [(n, n + 1)]) for n in range(4)])
    response = Document("d", ["a", "b", "", "cd", "ef", "gh"], [Mention("x", [(0, 2)])])
    response.mentions += [Mention("x", [(n, n + 1)]) for n in range(2, 6)]
    response.empty_nodes = [2]
    sides = Corpus.from_documents([key]), Corpus.from_documents([response])
    found = score(*sides, "mentions", window=2, twinless="add-to-key", zeros="linear")
    assert [one["mentions"].f1 for one in found.documents.values()] == [1, 1]


def test_documents_without_empty_nodes_keep_their_annotations() -> None:
    document = bridging(["Anna", "", "saw", "houses", "and", "doors"], shift=1)
    document.empty_nodes = [1]
    from corefine.corpus.document import without_empty_nodes

    words = without_empty_nodes(document)
    assert words.relations == bridging(["Anna", "saw", "houses", "and", "doors"]).relations
    assert words.relations[0].anaphor == (4, 5)
    assert [mention.spans for mention in words.annotations["deixis"].mentions] == [
        [(2, 3)],
        [(4, 5)],
    ]


def test_string_clusters_against_a_response_that_lacks_a_document() -> None:
    key = [
        {"doc_key": "a", "text": "Anna saw her .", "clusters": [["Anna", "her"]]},
        {"doc_key": "b", "text": "Bob saw him .", "clusters": [["Bob", "him"]]},
    ]
    words = ["Anna", "saw", "her", "."]
    response = [{"doc_key": "a", "sentences": [words], "clusters": [[[0, 0], [2, 2]]]}]
    assert score(key, response, "muc", missing_documents="count")["muc"].recall == 0.5


def test_text_leaves_the_given_mentions_as_they_are() -> None:
    mentions = [Mention("a", [(0, 4)]), Mention("a", [(9, 12)])]
    for _ in range(2):
        document = Document.from_text("d", "Anna saw herself.", mentions)
        assert [document.words_of(mention) for mention in document.mentions] == ["Anna", "her"]


@pytest.mark.parametrize(
    "mention",
    [
        Mention("x", [(0, 1.5)]),  # type: ignore[list-item]
        Mention("x", [(0, 1)], head=2),
        Mention("x", [(0, 1)], minimum=(1, 3)),
        Mention("x", [(0, 1), (2, 3)], head=1),
        Mention("x", (0, 1)),  # type: ignore[arg-type]
        Mention(None, [(0, 1)]),  # type: ignore[arg-type]
        Mention("x", [(0, 9)]),
    ],
    ids=str,
)
def test_impossible_mentions_are_refused(mention: Mention) -> None:
    """Also in other annotations; text counts characters."""
    tokens = ["a", "b", "c"]
    deixis = {"deixis": Document("d", mentions=[mention])}
    for document in (Document("d", tokens, [mention]), Document("d", tokens, annotations=deixis)):
        with refused("format"):
            Corpus.from_documents([document])
    with refused("format"):
        Corpus.from_documents([Document.from_text("d", "a b c", [mention])])


@pytest.mark.parametrize("tokens", [[(0, 1), (2, 9)], [(0, 3), (2, 4)], [(2, 3), (0, 1)]])
def test_impossible_tokens_are_refused(tokens: list[tuple[int, int]]) -> None:
    with refused("format"):
        Document.from_text("d", "a b c", [], tokens=tokens)


def test_spans_written_as_strings_do_not_score_zero() -> None:
    with pytest.raises(UsageError, match="strings"):
        score([[("0", "1"), ("2", "3")]], [[(0, 1), (2, 3)]])


def test_the_sentence_of_an_empty_node_is_in_the_signature() -> None:
    def key(sentences: list[int]) -> Corpus:
        mentions = [Mention("e", [(1, 2)], head=1), Mention("e", [(2, 3)], head=2)]
        tokens, layers = ["A", "", "B"], {"deps": ["0:root", "1:nsubj", "1:obj"]}
        return Corpus.from_documents(
            [Document("d", tokens, mentions, sentences, layers, empty_nodes=[1])]
        )

    one, other = key([0, 1]), key([0, 2])
    assert str(score(one, one).signature) != str(score(other, other).signature)


def test_the_pytest_plugin_imports_no_numpy() -> None:
    code = "import sys, corefine.integrations.pytest; print('numpy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_the_logger_of_dask_keeps_its_level() -> None:
    pytest.importorskip("distributed")
    before = logging.getLogger("distributed").level
    from corefine.scoring.drivers.dask import _connected

    with _connected(None, 10):
        pass
    assert logging.getLogger("distributed").level == before


def test_no_counts_to_add() -> None:
    with refused("usage"):
        Counts.sum([])


def test_a_fresh_and_a_loaded_result_are_joined(tmp_path) -> None:
    fresh, other = (score({name: [["a", "b"]]}, {name: [["a", "b"]]}, "lea") for name in ("x", "y"))
    other.save(tmp_path / "other.json")
    assert joined([fresh, load_scores(tmp_path / "other.json")])["lea"].f1 == 1


def test_an_evaluator_keeps_documents_whose_names_look_like_numbers() -> None:
    evaluator = Evaluator("muc")
    evaluator.update([["a", "b"]], [["a", "b"]], document="#2")
    evaluator.update([["c", "d"]], [["c", "d"]])
    assert len(evaluator.compute().documents) == 2


def test_a_corpus_is_not_the_words_of_a_text() -> None:
    with refused("usage"):
        corefine.read_tagged("[Anna](#a)", Corpus.from_entities([["a"]]))  # type: ignore[arg-type]


def test_an_unknown_metric_of_scores_is_named() -> None:
    with pytest.raises(KeyError, match="Did you mean 'lea'"):
        score([["a", "b"]], [["a", "b"]])["leaa"]


def repeating() -> tuple[list[list[str]], list[list[str]]]:
    """Sides with duplicate mentions, which scorers count in different ways."""
    key = [["a", "b", "c"], ["d", "e", "a"], ["f", "g"]]
    return key, [["a", "b"], ["c", "d", "e", "b"], ["f", "g", "g"]]


def test_a_preset_says_that_its_scorer_lacks_a_setting() -> None:
    scores = score(*repeating(), preset="conll2012", twinless="drop")
    assert any("not those of perl-8.01" in text for text in scores.warnings)


def crossing(*cells: str) -> Corpus:
    from corefine.formats import Source, format_named

    rows = "".join(f"x 0 {number} w {cell}\n" for number, cell in enumerate(cells))
    content = f"#begin document (x); part 000\n{rows}".encode()
    return format_named("conll").corpus(Source("f.conll", content=content))


def test_crossing_brackets_of_conll_are_read_by_their_ids_as_ua() -> None:
    key = crossing("(1", "(2", "1)", "2)", "(1)", "(2)")
    response = crossing("(1", "(2", "2)", "1)", "(1)", "(2)")
    assert score(key, response, "b3", scorer="ua")["b3"].f1 == 0.25
    steps = corefine.why_differs(key, response, "ua", "b3").steps
    assert steps[0].scores["b3"].f1 == steps[-1].scores["b3"].f1 == 0.25


def split() -> Corpus:
    mentions = [Mention(name, [(place, place + 1)]) for place, name in enumerate("abct")]
    document = Document("d", list("abct"), [*mentions, Mention("a", [(4, 5)])])
    document.tokens = list("abcta")
    document.relations = [Relation("split", 0, "t", name) for name in "ab"]
    return Corpus.from_documents([document])


def test_split_antecedents_as_ua_are_said_to_differ() -> None:
    scores = score(split(), split(), scorer="ua")
    assert any("may differ from ua" in text for text in scores.warnings)
    warnings = corefine.why_differs(split(), split(), "ua").warnings
    assert any("may differ from ua" in text for text in warnings)
    others = score(split(), split(), "muc,b3", scorer="ua").warnings
    assert not any("may differ" in text for text in others)


def test_jobs_with_the_conventions_of_a_scorer(tmp_path) -> None:
    files = []
    for name in ("key", "response"):
        path = tmp_path / f"{name}.conll"
        path.write_text("#begin document (x); part 000\nx 0 0 w (1)\nx 0 1 w (1)\n\n")
        files.append(str(path))
    key, response = files
    assert score(key, response, "muc", scorer="coval", jobs=2)["muc"].f1 == 1


def test_many_repeated_mentions_as_perl() -> None:
    from corefine.scoring.scorers.counters import count
    from corefine.scoring.scorers.perl import PROFILE

    entities = [[2 * number, 2 * number + 1, 2 * number] for number in range(1500)]
    counts = count(entities, entities, PROFILE, {})["blanc"]
    assert counts["coreferent_common"] == counts["coreferent_key"] == 3000


@pytest.mark.parametrize("measure", [corefine.explain, corefine.entities, corefine.audit])
def test_deeply_nested_mentions_are_refused(measure) -> None:
    spans = [[(start, 8000 - start) for start in range(first, 4000, 200)] for first in range(200)]
    corpus = Corpus.from_spans([f"w{number}" for number in range(8000)], spans)
    with pytest.raises(CorefineError, match="nested"):
        measure(corpus, corpus)
    with pytest.raises(CorefineError, match="nested"):
        score(corpus, corpus, "mor")


def test_a_string_of_chunks_in_two_shapes_is_one_mention() -> None:
    words = ["Maria", "met", "Tom", ".", "She", "gave", "him", "tea", "."]
    key = Corpus.from_documents(
        [Document("x", words, [Mention("m", [(0, 1)]), Mention("m", [(4, 5)])])]
    )
    chunks = [
        {"doc_id": "x_1", "output": '[["Maria", "She"]]'},
        {"doc_id": "x_2", "output": "- Maria, She"},
    ]
    scores = score(key, chunks, "mentions,muc")
    assert (scores["mentions"].f1, scores["muc"].f1) == (1, 1)


@pytest.mark.parametrize("minimum", [(), (5, 6)])
def test_a_minimum_span_outside_its_mention_is_refused(minimum):
    mention = Mention("e", [(0, 2)], minimum=minimum)
    with refused("format"):
        Corpus.from_documents([Document("d", ["a", "b"], [mention])])
