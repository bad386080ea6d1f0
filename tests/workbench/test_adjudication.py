"""Adjudication: consensus rules, decisions, the log, and the command."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.errors import AlignmentError, CorefineError, FormatError, UsageError
from corefine.workbench.adjudication import (
    RULES,
    Decision,
    adjudicate,
    append_to_log,
    read_log,
)

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


def content(corpus: Corpus) -> dict[str, set[frozenset[object]]]:
    return {name: set(map(frozenset, entities)) for name, entities in corpus.to_dict().items()}


@st.composite
def partitions(draw: st.DrawFn) -> list[list[tuple[int, int]]]:
    spans = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 2)), unique=True, max_size=8))
    groups: dict[int, list[tuple[int, int]]] = {}
    for start, length in spans:
        groups.setdefault(draw(st.integers(0, 3)), []).append((start, start + length))
    return list(groups.values())


annotators = st.lists(st.tuples(partitions(), partitions()), min_size=2, max_size=4)


@given(partitions(), st.integers(2, 4), st.sampled_from(list(RULES)))
def test_identical_annotators_give_their_annotation(entities, count, rule):
    corpora = [corpus_of(entities)] * count
    result = adjudicate(dict(zip("abcd", corpora, strict=False)), rule=rule)
    assert content(result.gold) == content(corpora[0])
    assert not result.decisions


@given(annotators)
def test_the_order_of_annotators_does_not_matter_for_a_majority(given_):
    corpora = [corpus_of(*documents) for documents in given_]
    golds = [
        content(adjudicate({str(number): corpora[number] for number in order}).gold)
        for order in permutations(range(len(corpora)))
    ]
    assert all(gold == golds[0] for gold in golds)


@given(annotators, st.sampled_from(list(RULES)))
def test_the_result_is_a_partition_and_replaying_the_log_gives_it_again(given_, rule):
    corpora = {str(number): corpus_of(*one) for number, one in enumerate(given_)}
    result = adjudicate(corpora, rule=rule)
    for entities in result.gold.to_dict().values():
        mentions = [mention for entity in entities for mention in entity]
        assert len(mentions) == len(set(mentions))
    assert {decision.group for decision in result.decisions} == {g.id for g in result.contested}
    again = adjudicate(corpora, rule=None)
    for decision in result.decisions:
        again.decide(decision)
    assert content(again.gold) == content(result.gold)


@given(annotators)
def test_rules_by_brute_force(given_):
    """A mention or link is taken if enough annotators have it; links are then closed."""
    corpora = {str(number): corpus_of(*one) for number, one in enumerate(given_)}
    for rule, needed in (
        ("majority", len(corpora) // 2 + 1), ("union", 1), ("intersection", len(corpora)),
    ):  # fmt: skip
        gold = content(adjudicate(corpora, rule=rule).gold)
        for name, entities in gold.items():
            versions = [content(corpus)[name] for corpus in corpora.values()]
            mentions = {m for version in versions for entity in version for m in entity}
            taken = {m for m in mentions if _votes(versions, m, m) >= needed}
            assert {m for entity in entities for m in entity} == taken
            owner = {m: m for m in taken}
            for one in sorted(taken, key=str):
                for other in sorted(taken, key=str):
                    if _votes(versions, one, other) >= needed:
                        old, new = owner[other], owner[one]
                        owner = {m: new if o == old else o for m, o in owner.items()}
            parts = {frozenset(m for m in taken if owner[m] == root) for root in owner.values()}
            assert entities == parts


def _votes(versions, one, other):
    return sum(any({one, other} <= entity for entity in version) for version in versions)


@pytest.fixture
def two():
    first = corpus_of([[(0, 1), (4, 5)], [(2, 3)]])
    second = corpus_of([[(0, 1)], [(2, 3), (4, 5)]])
    return adjudicate({"anna": first, "ben": second}, rule=None)


def test_undecided_groups_are_left_out_until_a_decision(two):
    assert content(two.gold) == {"d0": set()}
    (group,) = two.undecided
    two.decide(Decision(group.id, group.versions["ben"], "accept ben", "eva", "see line 2"))
    assert content(two.gold) == {"d0": {frozenset({(0, 0)}), frozenset({(2, 2), (4, 4)})}}
    assert not two.undecided
    two.decide(Decision(group.id, [group.mentions], "merge"))
    assert content(two.gold) == {"d0": {frozenset({(0, 0), (2, 2), (4, 4)})}}


@pytest.mark.parametrize(
    "entities",
    [
        [[((0, 1),), ((0, 1),)]],
        [[((0, 1),)], [((0, 1),)]],
        [[((7, 9),)]],
        [[((3, 3),)]],
        [[((5, 4),)]],
        [[()]],
    ],
)
def test_a_decision_that_is_not_a_partition_of_the_text_is_refused(two, entities):
    with pytest.raises(UsageError):
        two.decide(Decision("d0:0", entities, "edit"))
    assert not two.decisions


def test_a_mention_of_another_group_cannot_be_taken():
    first, second = corpus_of([[(0, 1)], [(2, 3)]]), corpus_of([[(2, 3), (4, 5)], [(0, 1)]])
    both = adjudicate({"anna": first, "ben": second}, rule=None)
    with pytest.raises(UsageError):
        both.decide(Decision("d0:2", [[((0, 1),)]], "edit"))


def test_heads_kinds_and_types_are_those_of_most_annotators():
    def annotated(head: int, kind: Kind, type: str) -> Corpus:
        return Corpus.from_documents(
            [Document("d", WORDS, [Mention("e", [(0, 2)], head, kind, type)])]
        )

    gold = adjudicate(
        annotated(0, Kind.NAME, "PER"),
        annotated(1, Kind.NOMINAL, "ORG"),
        annotated(0, Kind.NOMINAL, "PER"),
    ).gold
    (mention,) = gold[0].mentions
    assert (mention.head, mention.kind, mention.type) == (0, Kind.NOMINAL, "PER")


def test_the_log_is_resumed_and_a_line_that_was_cut_off_is_dropped(two, tmp_path):
    log = tmp_path / "log.jsonl"
    (group,) = two.contested
    decision = Decision(group.id, group.versions["anna"], "accept anna", "eva", "why\u2028not\x85")
    append_to_log(log, two, [decision])
    with log.open("a") as file:
        file.write('{"group": "d0')
    assert read_log(log, two) == [decision]
    append_to_log(log, two, [decision])
    assert read_log(log, two) == [decision, decision]


def test_a_log_of_other_annotations_or_with_nonsense_is_refused(two, tmp_path):
    log = tmp_path / "log.jsonl"
    append_to_log(log, two, [])
    other = adjudicate({"anna": corpus_of([]), "ben": corpus_of([])}, rule=None)
    with pytest.raises(CorefineError) as caught:
        read_log(log, other)
    assert str(caught.value.where).endswith(":1")
    header = log.read_bytes()
    for nonsense in (b"[]\n", b"\xff\n"):
        log.write_bytes(header + nonsense)
        with pytest.raises(FormatError) as wrong:
            read_log(log, two)
        assert str(wrong.value.where).endswith(":2")


def test_annotations_must_have_the_same_documents_and_tokens():
    with pytest.raises(AlignmentError):
        adjudicate(corpus_of([]), corpus_of([], []))
    with pytest.raises(AlignmentError):
        adjudicate(Corpus.from_spans(["a"], [], "d"), Corpus.from_spans(["b"], [], "d"))
    with pytest.raises(UsageError):
        adjudicate([["a"]], [["b"]])


def test_texts_that_differ_by_a_few_words_are_aligned():
    words = ["Anna", "met", "Bea", "on", "the", "bridge", "and", "she", "left"]
    anna = Corpus.from_spans(words, [[(0, 1), (7, 8)], [(2, 3)]], "d")
    ben = Corpus.from_spans([*words[:3], "up", *words[3:]], [[(0, 1), (8, 9)], [(2, 3)]], "d")
    with pytest.raises(AlignmentError):
        adjudicate(anna, ben)
    aligned = adjudicate({"anna": anna, "ben": ben}, words="align")
    assert aligned.gold.to_dict() == anna.to_dict()
    assert len(aligned.warnings) == 1


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
    assert "1 contested" in capsys.readouterr().out
    assert content(corefine.read(gold)) == {"d0": {frozenset({(0, 0), (4, 4)})}}
    header, decision = map(json.loads, log.read_text().splitlines())
    assert header["annotators"] == ["anna", "ben", "eva"]
    assert decision["action"] == "majority"
    before = log.read_bytes()
    assert main([*call, "--rule", "intersection"]) == 0
    assert log.read_bytes() == before
    assert main(["adjudicate", paths[0]]) == 2


def test_a_missing_extra_is_named_before_anything_is_read(monkeypatch, capsys):
    monkeypatch.setattr("corefine.workbench.find_spec", lambda name: None)
    for call in (["view", "runs"], ["adjudicate", "a", "b", "--view", "--log", "log"]):
        assert main(call) == 2
        assert "corefine[view]" in capsys.readouterr().err
