"""Adjudication: questions, rules, answers and edits, the log, and the command."""

from __future__ import annotations

import json
from itertools import permutations
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.corpus.columns import Kind, Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.curating.adjudication import Adjudication, adjudicate
from corefine.curating.desk import RULES, Entry
from corefine.curating.log import DecisionLog, LogError, merge_logs
from corefine.errors import CorefineError, FormatError, Location, UsageError
from tests.building.refusals import refused

PLACE = Location("log.jsonl")
WORDS = [f"w{number}" for number in range(8)]


def corpus_of(*documents: list[list[tuple[int, int]]]) -> Corpus:
    return Corpus.from_documents(
        Document(
            f"d{number}",
            WORDS,
            [Mention(entity, [span]) for entity, spans in enumerate(entities) for span in spans],
        )
        for number, entities in enumerate(documents)
    )


def content(corpus: Corpus) -> dict[str, set[frozenset[Any]]]:
    found = {}
    for document in corpus:
        entities = [[tuple(m.spans) for m in one] for one in document.entities.values()]
        found[document.name] = set(map(frozenset, entities))
    return found


@st.composite
def partitions(draw: st.DrawFn, longest: int = 2) -> list[list[tuple[int, int]]]:
    """Entities of mentions of up to so many words; of one word, none is a version of another."""
    lengths = st.tuples(st.integers(0, 5), st.integers(1, longest))
    groups: dict[int, list[tuple[int, int]]] = {}
    for start, length in draw(st.lists(lengths, unique=True, max_size=8)):
        groups.setdefault(draw(st.integers(0, 3)), []).append((start, start + length))
    return list(groups.values())


annotators = st.lists(st.tuples(partitions(), partitions()), min_size=2, max_size=4)


@given(partitions(), st.integers(2, 4), st.sampled_from(list(RULES)))
def test_identical_annotators_give_their_annotation_and_no_question(entities, count, rule):
    corpora = [corpus_of(entities)] * count
    result = adjudicate(dict(zip("abcd", corpora, strict=False)), rule=rule)
    assert content(result.gold) == content(corpora[0])
    assert not result.entries
    assert not result.questions


@given(annotators)
def test_the_order_of_annotators_does_not_matter(given_):
    corpora = {str(number): corpus_of(*documents) for number, documents in enumerate(given_)}
    found = [
        (result.questions, content(result.gold), result.header)
        for order in permutations(corpora)
        for result in [adjudicate({name: corpora[name] for name in order})]
    ]
    assert all(one == found[0] for one in found)


def replayed(result: Adjudication) -> Corpus:
    """The gold of a new adjudication after the entries of another one, as the log has them."""
    again = adjudicate(result.annotators, rule=None)
    again.replay([(json.loads(json.dumps(msgspec.to_builtins(e))), PLACE) for e in result.entries])
    return again.gold


@given(annotators, st.sampled_from(list(RULES)))
def test_the_result_is_a_partition_and_replaying_the_log_gives_it_again(given_, rule):
    corpora = {str(number): corpus_of(*one) for number, one in enumerate(given_)}
    result = adjudicate(corpora, rule=rule)
    assert not result.undecided
    for entities in content(result.gold).values():
        mentions = [mention for entity in entities for mention in entity]
        assert len(mentions) == len(set(mentions))
    assert content(replayed(result)) == content(result.gold)


@given(st.lists(partitions(longest=1), min_size=2, max_size=4))
def test_rules_by_brute_force(given_):
    """A mention or link is taken if enough annotators have it; links are then closed."""
    corpora = {str(number): corpus_of(one) for number, one in enumerate(given_)}
    for rule, needed in (
        ("majority", len(corpora) // 2 + 1), ("union", 1), ("intersection", len(corpora)),
    ):  # fmt: skip
        entities = content(adjudicate(corpora, rule=rule).gold)["d0"]
        versions = [content(corpus)["d0"] for corpus in corpora.values()]
        mentions = {m for version in versions for entity in version for m in entity}
        taken = {m for m in mentions if _votes(versions, m, m) >= needed}
        assert {m for entity in entities for m in entity} == taken
        owner = {m: m for m in taken}
        for one in sorted(taken):
            for other in sorted(taken):
                if _votes(versions, one, other) >= needed:
                    old, new = owner[other], owner[one]
                    owner = {m: new if o == old else o for m, o in owner.items()}
        parts = {frozenset(m for m in taken if owner[m] == root) for root in owner.values()}
        assert entities == parts


def _votes(versions, one, other):
    return sum(any({one, other} <= entity for entity in version) for version in versions)


def answer_at_random(result: Adjudication, random: Random) -> None:
    """Decide, undo, redo and edit at random; what is refused must leave everything as it was."""
    for _ in range(25):
        before, questions = content(result.gold), result.questions
        try:
            kind = random.choice(["answer", "answer", "undo", "redo", "edit"])
            if kind == "answer" and questions:
                question = random.choice(questions)
                choice = random.choice(question.options).choice
                if question.kind == "span" and random.random() < 0.3:
                    choice = {"spans": [s for o in question.options for s in o.choice["spans"]]}
                result.do(Entry("answer", question.document, question.id, choice))
            elif kind == "edit":
                spans = ((start := random.randrange(6), start + random.randint(1, 2)),)
                do = random.choice(["move", "merge", "add", "respan", "drop"])
                other = ((start := random.randrange(6), start + 1),)
                result.do(Entry(do, "d0", mention=spans, spans=other, to=None))
            elif kind in ("undo", "redo"):
                result.reverse(kind)
        except UsageError:
            assert content(result.gold) == before


@given(annotators, st.integers(0, 1000))
def test_a_session_is_replayed_and_undone(given_, seed):
    corpora = {str(number): corpus_of(*one) for number, one in enumerate(given_)}
    result = adjudicate(corpora, rule=None)
    start = content(result.gold)
    answer_at_random(result, Random(seed))
    assert content(replayed(result)) == content(result.gold)
    for name in result.documents:
        desk = result.desk(name)
        gold = [mention.spans for mention in desk.gold]
        assert len(gold) == len(set(gold))
        edited = any(entry.do in ("add", "respan") for entry in desk.entries)
        for question in desk.questions.values() if not edited else ():
            if question.kind == "span":
                chosen = desk.answers.get(question.id)
                allowed = [] if chosen is None else (chosen.choice or {})["spans"]
                assert sum(spans in gold for spans in question.mentions) <= len(allowed)
    while result.reverse("undo") is not None:
        pass
    assert content(result.gold) == start
    assert not any(result.desk(name).answers for name in result.documents)


@pytest.fixture
def three():
    text = "Sir Walter took the care of a Dr. Bailey . He saw his father , and his dog ."
    versions = {
        "anna": [[(0, 2), (10, 11), (12, 13), (16, 17)], [(3, 8)], [(16, 18)]],
        "ben": [[(0, 2), (10, 11)], [(12, 13), (16, 17)], [(3, 9)]],
        "eva": [[(0, 2), (10, 11), (12, 13), (16, 17)], [(3, 9)], [(16, 18)]],
    }
    corpora = {n: Corpus.from_spans(text.split(), one, "d") for n, one in versions.items()}
    return adjudicate(corpora, rule=None)


def test_the_unit_is_a_difference_not_a_chain(three):
    assert [(one.kind, one.text) for one in three.questions] == [
        ("span", "“the care of a Dr.” (anna) or “the care of a Dr. Bailey” (ben, eva)"),
        ("link", "ben splits off: his, his (2 of 4)"),
        ("link", "ben lacks: his dog"),
    ]
    span, link, missing = three.questions
    assert span.options[span.proposal].text == "the care of a Dr. Bailey"
    assert link.options[link.proposal].by == ("anna", "eva")
    assert missing.options[1].choice == {"drop": True}
    assert content(three.gold) == {"d": {frozenset({((0, 2),), ((10, 11),)})}}


def test_spans_are_versions_of_one_mention_if_their_entities_share_another():
    text = "her uncle , a sailor from Bremen , saw him with his dog"
    uncle, long, he = (0, 2), (0, 7), (9, 10)
    versions = {
        "anna": [[long, he], [(11, 13)]],
        "ben": [[uncle, he], [(11, 12)]],
        "eva": [[uncle, he], [(11, 12)], [(11, 13)]],
    }
    corpora = {name: Corpus.from_spans(text.split(), one, "d") for name, one in versions.items()}
    result = adjudicate(corpora)
    assert [question.text for question in result.questions] == [
        "“her uncle” (ben, eva) or “her uncle , a sailor from Bremen” (anna)",
        "anna lacks: his",
        "ben lacks: his dog",
    ]
    assert content(result.gold)["d"] == {
        frozenset({(uncle,), (he,)}), frozenset({((11, 12),)}), frozenset({((11, 13),)}),
    }  # fmt: skip


@pytest.mark.parametrize(("more", "kinds"), [([], ["link"] * 2), ([(7, 8)], ["span"])])
def test_spans_that_share_little_are_versions_only_in_a_common_entity(more, kinds):
    sides = {"a": corpus_of([[(0, 7), *more]]), "b": corpus_of([[(0, 2), *more]])}
    assert [one.kind for one in adjudicate(sides, rule=None).questions] == kinds


def test_profiles_say_who_splits_and_who_merges():
    majority = corpus_of([[(0, 1), (1, 2)], [(2, 3), (3, 4)]])
    merges = corpus_of([[(0, 1), (1, 2), (2, 3), (3, 4)]])
    splits = corpus_of([[(0, 1)], [(1, 2)], [(2, 3), (3, 4)]])
    result = adjudicate({"a": majority, "b": majority, "c": merges, "d": splits})
    (grid,) = result.tables("profiles")
    shares = {row[0]: row[-2:] for row in grid.rows}
    assert shares == {"a": (0, 0), "b": (0, 0), "c": (0, 1), "d": (0.5, 0)}
    assert [one.stake for one in result.questions] == [3, 4]
    two = {"a": corpus_of([[(0, 1), (1, 2)]]), "b": corpus_of([[(0, 1)], [(1, 2)]])}
    assert [one.stake for one in adjudicate(two, rule=None).questions] == [1]


def test_a_mention_that_one_annotator_adds_before_its_chain_names_the_next_one():
    corpora = {"a": corpus_of([[(0, 1), (2, 3)]]), "b": corpus_of([[(2, 3)]])}
    (question,) = adjudicate(corpora, rule=None).questions
    assert question.text == "b lacks: w0"
    assert [one.text for one in question.options] == ["with “w2”", "not a mention"]
    corpora = {**corpora, "c": corpora["b"]}
    (question,) = adjudicate(corpora, rule=None).questions
    assert question.text == "a links: w0 with “w2”"


def test_both_spans_none_and_another_one(three):
    span, *_ = three.questions
    chosen: list[Any] = [[((3, 8),)], [], [((3, 5),)], [((3, 8),), ((3, 9),)]]
    for spans in chosen:
        three.do(Entry("answer", "d", span.id, {"spans": spans}))
        for question in three.undecided:
            if question.mentions[0] in [((3, 8),), ((3, 9),)]:
                keep = next(o.choice for o in question.options if "with" in o.choice)
                three.do(Entry("answer", "d", question.id, keep))
        gold = {mention.spans for mention in three.desk("d").gold}
        assert {one for one in gold if one[0][0] == 3} == set(spans)


def test_edits_move_merge_add_respan_and_drop(three):
    walter, he, dog = ((0, 2),), ((10, 11),), ((18, 19),)
    three.do(Entry("move", "d", mention=he))
    assert len(three.desk("d").gold) == 2
    assert len({one.entity for one in three.desk("d").gold}) == 2
    three.do(Entry("merge", "d", mention=he, to=walter))
    three.do(Entry("add", "d", spans=dog, to=walter))
    assert content(three.gold) == {"d": {frozenset({walter, he, dog})}}
    three.do(Entry("respan", "d", mention=walter, spans=((0, 1),)))
    three.do(Entry("drop", "d", mention=he))
    assert content(three.gold) == {"d": {frozenset({((0, 1),), dog})}}
    span, link, _ = (question.id for question in three.questions)
    wrong = [
        *(Entry("add", "d", spans=one) for one in (dog, ((18, 99),), ((3, 3),), ((3, 4), (4, 5)))),
        Entry("move", "d", mention=he),
        Entry("answer", "d", "d:link:0", {"with": []}),
        Entry("answer", "d", link, {"with": ["nothing"]}),
        *(Entry("answer", "d", span, one) for one in ({"spans": [((1, 99),)]}, None)),
        Entry("flag", "d", "nothing"),
        Entry("add", "e", spans=dog),
    ]
    for entry in wrong:
        with refused("usage"):
            three.do(entry)
        assert len(three.entries) == 5
    with pytest.raises(UsageError, match="no mention “He” there"):
        three.do(Entry("move", "d", mention=he))


def test_types_and_heads_are_asked_and_other_attributes_follow_the_majority():
    def annotated(head: int, kind: Kind, type: str) -> Corpus:
        return Corpus.from_documents(
            [Document("d", WORDS, [Mention("e", [(0, 2)], head, kind, type)])]
        )

    values = ((0, Kind.NAME, "PER"), (1, Kind.NOMINAL, "ORG"), (0, Kind.NOMINAL, "PER"))
    corpora = [annotated(*one) for one in values]
    open_ = adjudicate(*corpora, rule=None)
    assert [question.kind for question in open_.questions] == ["type", "head"]
    for found, head, type_ in ((open_, None, None), (adjudicate(*corpora), 0, "PER")):
        (mention,) = found.gold[0].mentions
        assert (mention.head, mention.kind, mention.type) == (head, Kind.NOMINAL, type_)


def test_relations_that_all_have_are_kept_and_others_named():
    def annotated(*relations: Relation) -> Corpus:
        mentions = [Mention(name, [(at, at + 1)]) for at, name in enumerate("abc")]
        return Corpus.from_documents([Document("d", WORDS, mentions, relations=list(relations))])

    both, one = Relation("split", 0, "c", "a"), Relation("bridge", 0, "b", "a")
    with pytest.warns(corefine.CorefineWarning, match="relations-left-out"):
        result = adjudicate(annotated(both, one), annotated(both))
    assert result.gold[0].relations == [Relation("split", 0, "e3", "e1")]


def test_a_log_is_locked_resumed_and_a_cut_line_ignored(three, tmp_path):
    path = tmp_path / "log.jsonl"
    span, *_ = three.questions
    with three.logging(path):
        three.do(Entry("answer", "d", span.id, {"spans": []}, reason="why\u2028not\x85"))
        with pytest.raises(LogError, match="another process"):
            DecisionLog(path, three.header)
        with pytest.raises(CorefineError, match="cannot be written"):
            three.do(Entry("comment", "d", reason="\ud800"))
        assert len(three.entries) == 1
        path.rename(tmp_path / "moved.jsonl")
        with pytest.raises(LogError, match="moved"):
            three.do(Entry("flag", "d", span.id))
        (tmp_path / "moved.jsonl").rename(path)
    with path.open("a") as file:
        file.write('{"do": "answer"')
    again = adjudicate(three.annotators, rule=None, log=path)
    assert [one.reason for one in again.entries] == ["why\u2028not\x85"]
    with again.logging(tmp_path / "other.jsonl"):
        pass


@pytest.mark.parametrize(
    "nonsense",
    [
        b"[]",
        b"\xff",
        b'{"do": "answer"}',
        b'{"do": "add", "document": "d", "spans": [[0, 1e999]]}',
        b'{"do": "add", "document": "d", "spans": ' + b"[" * 9000 + b"]" * 9000 + b"}",
        b'{"do": "undo", "document": "d", "entry": "x"}',
        *(
            b'{"do": "answer", "document": "d", "question": "d:%s", "choice": %s}' % (name, choice)
            for name, choice in (
                (b"span:3-7", b'{"spans": 3}'),
                (b"span:3-7", b'{"spans": [[[0, 99]]]}'),
                (b"span:3-7", b'{"spans": [[[3, 8]], [[3, 8]]]}'),
                (b"link:12", b'{"drop": 1e999}'),
                (b"link:12", b'{"with": ["d:link:12"]}'),
                (b"link:12", b'{"with": [], "drop": true}'),
            )
        ),
    ],
)
def test_a_log_of_other_annotations_or_with_nonsense_is_refused(three, tmp_path, nonsense):
    path = tmp_path / "log.jsonl"
    path.write_bytes(json.dumps(three.header).encode() + b"\n" + nonsense + b"\n")
    with pytest.raises(FormatError) as wrong:
        adjudicate(three.annotators, rule=None, log=path)
    assert str(wrong.value.where) == f"{path}:2"
    other = {"anna": corpus_of([]), "ben": corpus_of([])}
    with pytest.raises(CorefineError) as caught:
        adjudicate(other, rule=None, log=path)
    assert str(caught.value.where) == f"{path}:1"


def test_logs_of_different_documents_are_merged(tmp_path):
    one, other = corpus_of([[(0, 1), (2, 3)]], [[(0, 1)]]), corpus_of([[(0, 1)]], [[(2, 3)]])
    logs = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for document, log in zip(("d0", "d1"), logs, strict=True):
        work = adjudicate({"x": one, "y": other}, rule=None)
        with work.logging(log):
            for question in work.questions:
                if question.document == document:
                    work.do(Entry("answer", document, question.id, question.options[0].choice))
            work.reverse("undo")
    target = tmp_path / "all.jsonl"
    assert main(["adjudicate", "--merge", *map(str, logs), "--log", str(target)]) == 0
    merged = adjudicate({"x": one, "y": other}, rule=None, log=target)
    assert len(merged.entries) == sum(log.read_bytes().count(b"\n") - 1 for log in logs)
    with pytest.raises(FormatError, match="too"):
        merge_logs([logs[0], target], tmp_path / "twice.jsonl")
    assert not (tmp_path / "twice.jsonl").exists()


def test_annotations_must_have_the_same_documents_and_tokens():
    with refused("alignment"):
        adjudicate(corpus_of([]), corpus_of([], []))
    with refused("alignment"):
        adjudicate(Corpus.from_spans(["a"], [], "d"), Corpus.from_spans(["b"], [], "d"))
    with refused("usage"):
        adjudicate([["a"]], [["b"]])


def test_texts_that_differ_by_a_few_words_are_aligned():
    words = ["Anna", "met", "Bea", "on", "the", "bridge", "and", "she", "left"]
    anna = Corpus.from_spans(words, [[(0, 1), (7, 8)], [(2, 3)]], "d")
    ben = Corpus.from_spans([*words[:3], "up", *words[3:]], [[(0, 1), (8, 9)], [(2, 3)]], "d")
    with refused("alignment"):
        adjudicate(anna, ben)
    aligned = adjudicate({"anna": anna, "ben": ben}, words="align")
    assert content(aligned.gold) == content(anna)
    assert len(aligned.warnings) == 1


def test_profiles_and_comments(three):
    span, link, missing = three.questions
    for question in (span, link, missing):
        choice = question.options[0].choice
        three.do(Entry("answer", "d", question.id, choice, reason="Dr. and name?"))
    shown = {name: grid(three) for name, grid in three.table_functions().items()}
    by_name = {row[0]: row for row in shown["profiles"].rows}
    assert by_name["eva"][1:] == (0, "", None, 0, 0, 0)
    # Ben misses one of six mentions and splits one of three chains.
    assert by_name["ben"][1:4] == (pytest.approx(1 / 6), "nominal", pytest.approx(1 / 2))
    assert by_name["ben"][5] == pytest.approx(1 / 3)
    assert list(shown["comments"].rows) == [("Dr. and name?", 3, "link, span", "d")]


def test_command_writes_gold_and_log_and_resumes(tmp_path, capsys):
    paths = []
    for name, entities in (
        ("anna", [[(0, 1), (4, 5)]]), ("ben", [[(0, 1)], [(4, 5)]]), ("eva", [[(0, 1), (4, 5)]]),
    ):  # fmt: skip
        corefine.write(corpus_of(entities), tmp_path / f"{name}.conll")
        paths.append(str(tmp_path / f"{name}.conll"))
    gold, log = tmp_path / "gold.conll", tmp_path / "log.jsonl"
    call = ["adjudicate", *paths, "-o", str(gold), "--log", str(log)]
    assert main(call) == 0
    out = capsys.readouterr().out
    assert out.startswith("Rule majority: mentions and links of more than half")
    assert "ben splits off: w4 (1 of 2)" in out
    assert content(corefine.read(gold)) == {"d0": {frozenset({((0, 1),), ((4, 5),)})}}
    header, decision = map(json.loads, log.read_text().splitlines())
    assert header["annotators"] == ["anna", "ben", "eva"]
    assert (decision["do"], decision["by"]) == ("rule", "rule majority")
    before = log.read_bytes()
    assert main([*call, "--rule", "intersection"]) == 0
    assert log.read_bytes() == before
    assert main(["adjudicate", paths[0]]) == 2
