"""Statistics by labels of entities, types of mentions, and halves of twinless mentions."""

from __future__ import annotations

import random
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
from tests.building.partitions import group

LABELS = ("a", "b", "c")


@pytest.fixture(scope="module")
def table() -> MentionTable:
    """Twenty documents of nine mentions a side, of twelve."""
    chance = random.Random(1998)
    sides: list[dict[str, Any]] = [{}, {}]
    for number in range(20):
        for side in sides:
            mentions = chance.sample(range(12), 9)
            side[f"d{number}"] = group(mentions, [chance.randrange(4) for _ in mentions])
    key, response = map(Corpus.from_documents, sides)
    return tabulate(key, response, Request.of("b3"))


@pytest.mark.parametrize("name", ["mentions", "muc", "b3", "ceafm", "lea", "lb3", "ceafe"])
def test_parts_add_up(table, name):
    """By labels of entities: three in the key, two in the response."""
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
def test_types_are_those_of_the_key_or_of_the_response(ours, theirs, expected):
    """The response has the mentions of the key and one more."""
    key, response = typed([["a", "b"]], ours), typed([["b", "a", "c"]], theirs)
    table = tabulate(key, response, Request.of("b3"))
    assert table.type is not None
    assert [None if t < 0 else table.types[t] for t in table.type.tolist()] == expected
    assert tabulate(typed([["a"]], None), typed([["a"]], None), Request.of("b3")).type is None


def test_ceafe_has_no_labels_of_single_mentions(table):
    labels = np.zeros(len(table.document), np.uint8)
    with pytest.raises(TypeError):
        parse("ceafe").by_label(table, RowLabels(LABELS, labels, labels))
