"""Whether an order depends on how systems are scored."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

import corefine
from corefine.comparing.sensitivity import Sensitivity, conventions_of
from corefine.corpus.corpus import Corpus
from corefine.matching.settings import CHOICES

# One system is good at what is linked, the other at what is not.
KEY = {"a": [[1, 2, 3], [4], [5], [6]]}
LINKS = {"a": [[1, 2, 3], [4, 5, 6]]}
ALONE = {"a": [[1], [2], [3], [4], [5], [6]]}


def studied(**options):
    systems = {"links": LINKS, "alone": ALONE}
    found = corefine.compare(KEY, systems, "b3,mentions,muc", sensitivity=True, **options)
    assert found.sensitivity is not None
    return found.sensitivity


def test_every_combination_is_made():
    choices = {"match": ("exact", "head"), "singletons": ("keep", "drop"), "words": ("a", "b")}
    assert conventions_of(choices) == [
        (("match", "exact"), ("singletons", "keep")),
        (("match", "exact"), ("singletons", "drop")),
        (("match", "head"), ("singletons", "keep")),
        (("match", "head"), ("singletons", "drop")),
    ]
    assert conventions_of({"match": ("exact",)}) == [()]


def test_orders_are_counted():
    study = studied()
    varied = product(CHOICES["singletons"], CHOICES["twinless"])
    assert study.conventions == tuple(
        (("singletons", singletons), ("twinless", twinless)) for singletons, twinless in varied
    )
    # Cai & Strube's rule is one for B³ and not for the other two.
    assert study.variants == 3 * 6 + 1 * 2
    for row, convention in enumerate(study.conventions):
        fitting = ["b3", "mentions", "muc"]
        if dict(convention)["twinless"] == "cai-strube":
            assert np.isnan(study.f1[row, 1:]).all()
            fitting = ["b3"]
        for column, response in enumerate((LINKS, ALONE)):
            scores = corefine.score(KEY, response, fitting, **dict(convention))
            found = study.f1[row, : len(fitting), column]
            assert found.tolist() == [score.f1 for score in scores.values()]
    (order,) = study.orders()
    values = study.f1[:, :, 0] - study.f1[:, :, 1]
    assert (order.better, order.equal, order.worse) == (
        int((values > 0).sum()),
        int((values == 0).sum()),
        int((values < 0).sum()),
    )
    assert order.kept == max(order.better, order.equal, order.worse) / study.variants


def test_what_shares_tell():
    f1 = np.array([[[0.5, 0.4], [0.3, 0.3]], [[0.5, 0.6], [0.7, 0.6]]])
    study = Sensitivity(
        ("x", "y"), ("muc", "lea"), ((("singletons", "keep"),), (("singletons", "drop"),)), f1
    )
    (order,) = study.orders()
    assert (order.better, order.equal, order.worse, order.kept) == (2, 1, 1, 0.5)
    assert order.shares == {
        "singletons=keep": 0.5,
        "singletons=drop": 0.5,
        "metric=muc": 0.5,
        "metric=lea": 0.5,
    }
    form = study.to_dict()
    assert form["variants"] == 4
    assert form["f1"][2] == {
        "convention": {"singletons": "drop"},
        "metric": "muc",
        "f1": {"x": 0.5, "y": 0.6},
    }


def test_what_cannot_be_computed_is_left_out_and_said_so():
    study = studied()
    assert [reason.partition(":")[0] for reason in study.left_out] == [
        f"match={value}" for value in CHOICES["match"] if value != "exact"
    ]
    assert all(" needs m" in reason for reason in study.left_out)


def test_a_metric_that_cannot_be_computed_is_left_out_alone():
    """The original BLANC needs the same mentions on both sides: dropping singletons takes them."""
    systems = {"links": LINKS, "alone": ALONE}
    found = corefine.compare(KEY, systems, "muc,blanc(rule=recasens2011)", sensitivity=True)
    study = found.sensitivity
    assert study is not None
    # Cai & Strube's rule is for neither. MUC under the six other conventions; BLANC unless
    # singletons are dropped, but for the rule that drops what that leaves.
    assert study.variants == 6 + 4
    assert any(
        reason.startswith("blanc(rule=recasens2011) with ") and "singletons=drop" in reason
        for reason in study.left_out
    )
    assert len(study.to_dict()["f1"]) == 10


def test_heads_are_matched_where_they_are_known():
    """A system that gets boundaries wrong and heads right is helped by matching heads."""
    key = Corpus.from_entities([[(0, 2), (5, 6)]], "d")
    with_heads = corefine.compare(
        _with_heads(key, [0, 5]),
        {
            "long": _with_heads(Corpus.from_entities([[(0, 3), (5, 7)]], "d"), [0, 5]),
            "other": _with_heads(Corpus.from_entities([[(0, 2)], [(5, 6)]], "d"), [0, 5]),
        },
        "mentions,muc",
        sensitivity=True,
    )
    study = with_heads.sensitivity
    assert study is not None
    assert ("match", "head") in {
        choice for convention in study.conventions for choice in convention
    }
    (order,) = study.orders()
    assert order.shares["match=head"] != order.shares["match=exact"]


def _with_heads(corpus, heads):
    mentions = corpus.mentions
    spans = np.array([mentions.names[row] for row in range(len(mentions))])
    return replace(
        corpus,
        mentions=replace(
            mentions,
            names=None,
            start=spans[:, 0],
            stop=spans[:, 1] + 1,
            head=np.array(heads, dtype=np.int64),
        ),
    )
