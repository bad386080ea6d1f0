"""Statistics by labels of mentions and entities: brute force, and parts that add up."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from corefine.corpus.corpus import Corpus
from corefine.metrics.base import Metric, RowLabels
from corefine.metrics.registry import parse
from corefine.metrics.table import MentionTable
from corefine.scoring.count import tabulate
from corefine.scoring.request import Request

LABELS = ("a", "b", "c")
Side = dict[int, list[int]]


def side(chance: random.Random) -> Side:
    """Entities of some of twelve mentions, which are in no order."""
    entities: Side = defaultdict(list)
    for mention in chance.sample(range(12), 9):
        entities[chance.randrange(4)].append(mention)
    return entities


CHANCE = random.Random(1998)
DOCUMENTS = [(side(CHANCE), side(CHANCE)) for _ in range(40)]


@pytest.fixture(scope="module")
def table() -> MentionTable:
    key, response = (
        {f"d{number:02}": list(pair[place].values()) for number, pair in enumerate(DOCUMENTS)}
        for place in (0, 1)
    )
    corpora = Corpus.from_documents(key), Corpus.from_documents(response)
    return tabulate(*corpora, Request.of("b3"))


def mention_labels(table: MentionTable, shift: int) -> np.ndarray:
    """A label for each row, by its mention."""
    rows = range(len(table.document))
    mentions = [int(str(table.expression(row).id)) for row in rows]
    return np.array([(mention + shift) % 3 for mention in mentions], np.uint8)


def b3_by_label(ours: Side, theirs: Side, shift: int) -> list[tuple[float, float]]:
    """Numerator and denominator of B³'s recall by the label of the mention."""
    home = {mention: set(entity) for entity in theirs.values() for mention in entity}
    found = [(0.0, 0.0)] * 3
    for entity in ours.values():
        for mention in entity:
            share = len(set(entity) & home.get(mention, set())) / len(entity)
            part, whole = found[(mention + shift) % 3]
            found[(mention + shift) % 3] = part + share, whole + 1
    return found


def test_b3_by_label_equals_brute_force(table: MentionTable) -> None:
    labels = RowLabels(LABELS, mention_labels(table, 0), mention_labels(table, 1))
    parts = parse("b3").by_label(table, labels)
    for number, (key, response) in enumerate(DOCUMENTS):
        recall, precision = b3_by_label(key, response, 0), b3_by_label(response, key, 1)
        for label, name in enumerate(LABELS):
            found: Any = {stat: column[number] for stat, column in parts[name].items()}
            assert (found["recall_part"], found["recall_whole"]) == pytest.approx(recall[label])
            expected = pytest.approx(precision[label])
            assert (found["precision_part"], found["precision_whole"]) == expected


def links(entities: Side, other: Side | None, shift: int) -> list[int]:
    """Links of MUC by the label of their later mention, within the entities of the other side."""
    found = [0, 0, 0]
    for entity in entities.values():
        parts = [entity] if other is None else [set(entity) & set(one) for one in other.values()]
        for part in parts:
            for mention in sorted(part)[1:]:
                found[(mention + shift) % 3] += 1
    return found


def test_muc_by_label_equals_brute_force(table: MentionTable) -> None:
    order = np.array([int(str(table.expression(row).id)) for row in range(len(table.document))])
    labels = RowLabels(
        LABELS,
        mention_labels(table, 0),
        mention_labels(table, 1),
        key_order=order,
        response_order=order,
    )
    parts = parse("muc").by_label(table, labels)
    for number, (key, response) in enumerate(DOCUMENTS):
        expected = {
            "recall_part": links(key, response, 0),
            "recall_whole": links(key, None, 0),
            "precision_part": links(key, response, 1),
            "precision_whole": links(response, None, 1),
        }
        for statistic, counts in expected.items():
            assert [parts[name][statistic][number] for name in LABELS] == counts


@pytest.mark.parametrize("name", ["mentions", "muc", "b3", "ceafm", "lea", "lb3", "ceafe"])
def test_parts_add_up(table: MentionTable, name: str) -> None:
    metric: Metric = parse(name)
    key = np.append(np.arange(len(table.key)) % 3, 0).astype(np.uint8)[table.key_entity]
    response = np.append(np.arange(len(table.response)) % 2, 0).astype(np.uint8)
    labels = RowLabels(LABELS, key, response[table.response_entity], of_entities=True)
    parts = metric.by_label(table, labels)
    for statistic, total in metric.statistics(table).items():
        sums = sum(part[statistic] for part in parts.values())
        assert sums == pytest.approx(total), statistic
    assert not parts["c"]["precision_whole"].any()
    assert parts["c"]["recall_whole"].any()
    if name == "ceafe":
        for label, part in enumerate(LABELS):
            entities = table.per_document(
                table.key.document, np.arange(len(table.key)) % 3 == label
            )
            assert (parts[part]["recall_whole"] == entities).all()


def test_ceafe_has_no_labels_of_single_mentions(table: MentionTable) -> None:
    labels = mention_labels(table, 0)
    with pytest.raises(TypeError):
        parse("ceafe").by_label(table, RowLabels(LABELS, labels, labels))


def typed(entities: list[list[str]], types: list[int] | None) -> Corpus:
    corpus = Corpus.from_entities(entities)
    column = None if types is None else np.array(types)
    names = ("person", "place") if types is not None else ()
    return replace(corpus, types=names, mentions=replace(corpus.mentions, type=column))


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ([0, 1], [1, 0, 1], ["person", "place", "place"]),
        ([0, -1], None, ["person", None, None]),
        (None, [1, 0, 1], [None, None, "place"]),
    ],
)
def test_types_are_those_of_the_key_or_of_the_response(
    ours: list[int] | None, theirs: list[int] | None, expected: list[str | None]
) -> None:
    """The response has the mentions of the key and one more."""
    key, response = typed([["a", "b"]], ours), typed([["b", "a", "c"]], theirs)
    table = tabulate(key, response, Request.of("b3"))
    assert table.type is not None
    assert [None if t < 0 else table.types[t] for t in table.type.tolist()] == expected
    assert tabulate(typed([["a"]], None), typed([["a"]], None), Request.of("b3")).type is None


def test_twinless_mentions_count_in_one_table_for_each_half() -> None:
    key, response = Corpus.from_entities([["a", "b", "c"]]), Corpus.from_entities([["a", "b", "x"]])
    table = tabulate(key, response, Request.of("b3", twinless="cai-strube"))
    assert table.twinless_tables is not None
    halves = dict(zip(("precision", "recall"), table.twinless_tables, strict=True))
    metric = parse("b3")
    for name, value in metric.count(table).items():
        assert value == metric.statistics(halves[name.partition("_")[0]])[name]
    precision, recall, _ = metric.score(metric.count(table))
    assert precision is not None
    assert recall is not None
    assert precision[0] != recall[0]
