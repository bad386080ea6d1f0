"""LEA with entities weighted by annotated salience."""

from __future__ import annotations

import pytest

import corefine
from corefine import Corpus, Document, Mention
from tests.building.refusals import refused

SALIENCE = "lea(importance=salience)"


def corpus(cells: str) -> Corpus:
    """A text of words that are mentions such as ``1:ssnnn``: an entity, and its salience if any."""
    mentions = []
    for number, cell in enumerate(cells.split()):
        entity, colon, salience = cell.partition(":")
        attributes = {"salience": salience} if colon else {}
        mentions.append(Mention(entity, [(number, number + 1)], attributes=attributes))
    return Corpus.from_documents([Document("d", ["w"] * len(mentions), mentions)])


def test_entities_count_by_the_share_of_summaries():
    key = corpus("1:ssssn 1:ssssn 2:snnnn 2:snnnn 3:nnnnn")
    lea = corefine.score(key, corpus("1 1 2 3 4"), SALIENCE)[SALIENCE]
    # Recall: entity 1 (0.8) is found, entity 2 (0.2) has none of its links; 3 weighs 0.
    assert lea.recall == pytest.approx(0.8 / (0.8 + 0.2))
    # Precision: the entities have the salience of their mentions; two singletons are wrong.
    assert lea.precision == pytest.approx(0.8 / (0.8 + 0.2 + 0.2))


@pytest.mark.parametrize("cells", ["1 1", "1:salient 1:sal"])
def test_a_key_without_salience_is_refused(cells):
    with refused("usage"):
        corefine.score(corpus(cells), corpus(cells), SALIENCE)


def test_a_misprint_in_one_of_several_summaries_counts_as_a_missing_summary():
    """With one summary less there are known ones no more."""
    key, right = corpus("1:snx 1:snx 2:s 2:s"), corpus("1 1 2 3")
    assert corefine.score(key, right, SALIENCE)[SALIENCE].recall == pytest.approx(0.5 / (0.5 + 1))
    with refused("usage"):
        corefine.score(corpus("1:sx 1:sx"), corpus("1 1"), SALIENCE)


def test_the_signature_depends_on_salience():
    keys = [corpus(f"1:{one} 1:{one} 2:snnnn 2:snnnn") for one in ("ssnnn", "sssss")]
    assert len({corefine.score(key, key, SALIENCE).signature.key for key in keys}) == 2
    assert len({corefine.score(key, key, "lea").signature.key for key in keys}) == 1
