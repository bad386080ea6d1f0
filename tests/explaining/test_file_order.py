"""No analysis depends on the order of documents, entities and mentions in a file."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import take_mentions
from tests.building.explained_corpora import corpus_of, sides

METRICS = "muc,b3,ceafm,ceafe,blanc,lea,lmuc,parent"


def shuffled(corpus: Corpus, random: Random) -> Corpus:
    """The corpus with entities and mentions of each document in another order."""
    mentions, entities = corpus.mentions, corpus.entities
    number = np.empty(len(entities), np.int64)
    order = sorted(range(len(entities)), key=lambda e: (entities.document[e], random.random()))
    number[order] = np.arange(len(entities))
    rows = sorted(range(len(mentions)), key=lambda m: (mentions.document[m], random.random()))
    moved = take_mentions(mentions, np.array(rows, np.int64))
    return replace(
        corpus,
        entities=replace(entities, document=entities.document[order]),
        mentions=replace(moved, entity=number[moved.entity]),
    )


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value


INDICES = (
    "number",
    "document_number",
    "other_entity",
    "key_mentions",
    "response_mentions",
    "key_entities",
    "response_entities",
)
LABELS = ("key_names", "response_names", "name", "response_name", "key_entity", "response_entity")


def without_indices(plain: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in rounded(plain).items() if k not in (*INDICES, *LABELS)}


def explained(key: Corpus, response: Corpus) -> Any:
    found = corefine.explain(key, response, METRICS)
    plain = rounded(found.to_dict())
    errors = sorted(str(without_indices(error)) for error in plain.pop("errors"))
    examples = [without_indices(e.to_dict()) for e in found.examples("split entity", 2)]
    return plain, errors, examples, found.verdict


def listed(key: Corpus, response: Corpus) -> Any:
    plain = corefine.entities(key, response).to_dict(sort="worst")
    entities = [without_indices(entity) for entity in plain["entities"]]
    return entities, sorted(str(without_indices(one)) for one in plain["spurious"])


def audited(key: Corpus, response: Corpus) -> Any:
    return rounded(corefine.audit(key, response, METRICS).to_dict())


def scored(key: Corpus, response: Corpus) -> Any:
    return rounded(corefine.score(key, response, METRICS).to_dict())


def compared(key: Corpus, response: Corpus) -> Any:
    systems = {"one": response, "other": key}
    found = corefine.compare(key, systems, "muc,lea", trials=19, replicates=19, seed=3)
    return rounded(found.to_dict())


def agreed(key: Corpus, response: Corpus) -> Any:
    plain = rounded(corefine.agree({"one": key, "other": response}, "muc,lea").to_dict())
    return {name: value for name, value in plain.items() if "entities" not in name}


def suspected(key: Corpus, response: Corpus) -> Any:
    return rounded(corefine.suspects(key, {"one": response, "other": response}).to_dict())


def described(key: Corpus, _: Corpus) -> Any:
    return rounded(corefine.describe(key).to_dict())


@pytest.mark.parametrize(
    "analysis",
    [
        explained,
        listed,
        *(
            pytest.param(analysis, marks=pytest.mark.slow)
            for analysis in (scored, audited, compared, agreed, suspected, described)
        ),
    ],
)
@given(corpora=sides(), seed=st.integers(0, 2**32))
def test_results_do_not_depend_on_the_order_of_the_file(analysis, corpora, seed):
    random = Random(seed)
    key, response = corpora
    others = shuffled(key, random), shuffled(response, random)
    assert analysis(key, response) == analysis(*others)


def test_a_tie_goes_to_the_part_that_starts_first():
    text = [[str(word) for word in range(8)]]
    key = [[(0, 0), (2, 2), (4, 4), (6, 6)]]
    parts = [[(0, 0), (6, 6)], [(2, 2), (4, 4)]]
    for response in (parts, parts[::-1]):
        explanation = corefine.explain(
            corpus_of([(text, key)]), corpus_of([(text, response)]), "lea"
        )
        (split,) = explanation.errors
        assert split.text == "2"
