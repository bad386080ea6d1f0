"""Annotators as equals: α against a count by definition, mention agreement, and differences."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.corpus.corpus import Corpus
from corefine.curating.agreement import joint_units
from corefine.errors import AlignmentError, UsageError
from corefine.matching.matching import Matching
from corefine.metrics import registered
from corefine.metrics.table import MentionTable
from tests.building.partitions import entity_lists
from tests.building.refusals import refused

ANNA = [["Anna", "she", "her"], ["Rome"]]
BEN = [["Anna", "she"], ["her"], ["Rome"]]


def masi(left, right):
    """The definition, on sets."""
    common = left & right
    if not common:
        return Fraction(1)
    kind = Fraction(1, 3)
    if left == right:
        kind = Fraction(1)
    elif left <= right or right <= left:
        kind = Fraction(2, 3)
    return 1 - Fraction(len(common), len(left | right)) * kind


def alpha_by_definition(annotations, as_singletons=False):
    """Krippendorff's α over (document, mention), from lists of values and all their pairs."""
    units: dict = {}
    for annotation in annotations:
        for document, entities in annotation.items():
            for entity in entities:
                value = frozenset((document, mention) for mention in entity)
                for unit in value:
                    units.setdefault(unit, []).append(value)
    if as_singletons:
        for unit, values in units.items():
            values.extend([frozenset([unit])] * (len(annotations) - len(values)))
    values = [value for several in units.values() if len(several) > 1 for value in several]
    if not values:
        return None
    observed = sum(
        masi(*pair) / (len(several) - 1)
        for several in units.values()
        if len(several) > 1
        for pair in permutations(several, 2)
    ) / Fraction(len(values))
    pairs = [masi(*pair) for pair in permutations(values, 2)]
    expected = sum(pairs) / Fraction(len(pairs))
    return None if expected == 0 else 1 - observed / expected


def test_alpha_by_hand():
    """Eight values. D_o = (5/9 + 5/9 + 7/9 + 0) · 2/8. Of 56 ordered pairs 10 are of equal sets,

    12 of {Anna, she, her} and {Anna, she} (4/9 alike), 6 of the former and {her} (2/9 alike).
    """
    observed = Fraction(17, 9) * 2 / 8
    expected = 1 - (10 + 12 * Fraction(4, 9) + 6 * Fraction(2, 9)) / 56
    found = corefine.agree({"anna": ANNA, "ben": BEN}).linking
    assert found.observed == pytest.approx(observed)
    assert found.expected == pytest.approx(expected)
    assert found.alpha == pytest.approx(1 - observed / expected)
    assert (found.units, found.values) == (4, 8)
    three = corefine.agree({"anna": ANNA, "ben": BEN, "carl": ANNA})
    assert all(grid.rows for grid in three.tables(*three.table_names))


@given(st.data(), st.integers(2, 4), st.integers(1, 3))
def test_alpha_against_the_definition(data, annotators, documents):
    annotations = [
        {f"d{d}": data.draw(entity_lists(mentions=6)) for d in range(documents)}
        for _ in range(annotators)
    ]
    found = corefine.agree({f"a{n}": one for n, one in enumerate(annotations)})
    for as_singletons, reliability in ((False, found.linking), (True, found.linking_or_not)):
        expected = alpha_by_definition(annotations, as_singletons)
        close = None if expected is None else pytest.approx(float(expected), abs=1e-9)
        assert reliability.alpha == close


@pytest.mark.parametrize(
    ("anna", "ben", "units"),
    [([["x", "y"]], [["x", "y"]], 2), ([["x"]], [["y"]], 0), ({"d": []}, {"d": []}, 0)],
)
def test_alpha_is_missing_where_no_disagreement_is_expected(anna, ben, units):
    found = corefine.agree({"anna": anna, "ben": ben})
    assert (found.linking.alpha, found.linking.units) == (None, units)
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.to_text()


def test_scores_are_those_of_score():
    found = corefine.agree({"anna": ANNA, "ben": BEN}, "lea,conll")
    expected = corefine.score(ANNA, BEN, "lea,conll")
    assert found.scores["anna", "ben"].by_name == expected.by_name
    assert found.score("ben", "anna", "lea").recall == expected["lea"].precision
    three = corefine.agree({"anna": ANNA, "ben": BEN, "eva": ANNA}, "lea")
    assert three.mean("lea") == pytest.approx((2 * expected["lea"].f1 + 1) / 3)
    with refused("usage"):
        found.score("anna", "carl", "lea")


def test_all_symmetric_metrics_and_no_others():
    found = corefine.agree({"anna": ANNA, "ben": BEN}).metrics
    assert set(found) == {
        *(str(metric()) for metric in registered() if metric().symmetric and
          not metric().needs_scope and metric().layer == "identity"),
        "blanc(rule=luo2014)",
    }  # fmt: skip
    assert {"muc", "b3", "ceafe", "lea", "conll"} <= set(found)
    for name in ("blanc", "mcores", "lea,blanc(rule=recasens2011)"):
        with refused("usage"):
            corefine.agree({"anna": ANNA, "ben": BEN}, name)


@given(st.data(), st.integers(2, 3))
def test_differences_are_all_that_annotators_do_not_share(data, annotators):
    documents = {"d": 7, "e": 3}
    annotations = {
        f"a{n}": {name: data.draw(entity_lists(mentions=most)) for name, most in documents.items()}
        for n in range(annotators)
    }
    differing: dict[str, set] = {"mention": set(), "link": set()}
    for one in corefine.agree(annotations).differences:
        differing[one.kind] |= {(one.document, mention.id) for mention in one.mentions}
    owners = [
        {(name, m): n for name, found in one.items() for n, e in enumerate(found) for m in e}
        for one in annotations.values()
    ]
    everyones = set.intersection(*map(set, owners))
    assert differing["mention"] == set().union(*owners) - everyones
    assert differing["link"] <= everyones
    alike = everyones - differing["link"]
    for left, right in combinations([m for m in alike if m[0] == "d"], 2):
        assert len({owner[left] == owner[right] for owner in owners}) == 1


@pytest.mark.parametrize(
    ("annotations", "options", "error"),
    [
        ({"anna": {"x": [[1]], "y": [[1]]}, "ben": {"x": [[1]]}}, {}, AlignmentError),
        ({"anna": ANNA}, {}, UsageError),
        ({"anna": ANNA, "ben": BEN}, {"twinless": "add-to-key"}, UsageError),
    ],
)
def test_annotations_that_cannot_be_compared(annotations, options, error):
    with pytest.raises(error):
        corefine.agree(annotations, **options)


def test_repeats_are_told_by_name():
    found = corefine.agree({"anna": [["x", "y"], ["x", "z"]], "ben": [["x", "y"]]})
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("anna: mention 'x'")


def test_matching_that_does_not_carry_over_is_refused():
    """A third annotation whose one mention is matched with two different ones."""
    corpora = {name: Corpus.from_entities([["0"], ["1"]], "d") for name in "abc"}

    def table(one, other, ours, theirs):
        matching = Matching(corpora[one], corpora[other], np.array(ours), np.array(theirs))
        return MentionTable.of(matching)

    alike = {pair: table(*pair, [0, 1], [0, 1]) for pair in combinations("abc", 2)}
    joint_units(alike, corpora)
    with refused("usage"):
        joint_units(alike | {("b", "c"): table("b", "c", [0, 1], [1, 0])}, corpora)


def test_mentions_and_links_that_annotators_differ_on():
    anna = {"d": [["a", "b", "c"], ["d"]]}
    ben = {"d": [["a", "b"], ["c"]]}
    found = corefine.agree({"anna": anna, "ben": ben})
    assert [(one.kind, one.text, one.views) for one in found.differences] == [
        ("link", "ben splits off: c (1 of 3)", (
            ("with “a”", ("anna",)), ("an entity of its own", ("ben",)),
        )),
        ("mention", "ben lacks: d", (
            ("an entity of its own", ("anna",)), ("not a mention", ("ben",)),
        )),
    ]  # fmt: skip
    assert found.verdict.endswith("Mentions that not all have: 1 of 4; linked differently: 1.")
    assert found.to_dict()["differences"][1]["mentions"] == ({"id": "d", "text": "d"},)
    assert found.alpha == found.linking.alpha == found.alpha_of("anna", "ben")
