"""Names of metrics: canonical ones of functions as parameters, and refused ones."""

from __future__ import annotations

import numpy as np
import pytest

import corefine
from corefine.errors import UsageError
from corefine.metrics import registry
from corefine.metrics.classic import Muc
from corefine.metrics.lea import Lea
from corefine.metrics.linguistic import Lmuc
from corefine.metrics.parent import Parent
from corefine.metrics.registry import parse, register
from tests.building.refusals import refused

KEY = [["Anna", "she", "her"], ["Rome", "it"]]
RESPONSE = [["Anna", "she"], ["her", "Rome", "it"]]


@pytest.mark.parametrize(
    "make",
    [
        lambda function: Lea(importance=function),
        lambda function: Lea(importance="information", weight=function),
        lambda function: Lmuc(weights=function),
        lambda function: Parent(defining=function),
        lambda function: Parent(referring=function),
    ],
    ids=["importance", "weight", "weights", "defining", "referring"],
)
def test_two_functions_give_two_names(make):
    first, second = (make(function) for function in (lambda *given: 1.0, lambda *given: 2.0))
    assert str(first) != str(second)
    assert str(first) == str(first)


def test_no_metric_disappears():
    uniform, by_size = (
        Lea(importance=lambda side: np.ones(len(side))),
        Lea(importance=lambda side: side.size.astype(float)),
    )
    scores = corefine.score(KEY, RESPONSE, [uniform, by_size])
    assert len(scores.by_name) == 2
    assert scores[str(uniform)].recall == pytest.approx((1 / 3 + 1) / 2)
    assert scores[str(by_size)].recall == pytest.approx((3 * 1 / 3 + 2 * 1) / 5)


def test_rare_metrics_are_imported_when_they_are_asked_for(monkeypatch):
    for name, empty in (("_METRICS", {}), ("_ALIASES", {}), ("_loaded", set())):
        monkeypatch.setattr(registry, name, empty)
    parse("b-cubed")
    assert registry._loaded == set(registry._CLASSIC)
    assert parse("lmuc").name == "lmuc"


@pytest.mark.parametrize("name", ["default", "all", "b3", "bcubed", "zero"])
def test_a_name_is_given_once(name):
    with refused("usage"):
        register(type("Again", (Muc,), {"name": name}))


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("lmuc", "lmuc"),
        ("lmuc(weights=W4)", "lmuc"),
        ("lmuc(weights=w1)", "lmuc(weights=W1)"),
        ("lb3(name=1,nominal=0.75,pronoun=.5,singleton=1)", "lb3"),
        ("lceafe(singleton=0.5,weights=W3)", "lceafe(weights=W2)"),
        ("lceafm(pronoun=0.3)", "lceafm(name=1,nominal=0.75,pronoun=0.3,singleton=1)"),
        ("lmuc(name=0.123456789)", "lmuc(name=0.123456789,nominal=0.75,pronoun=0.5,singleton=1)"),
        ("parent(referring=zero+pronoun+nominal)", "parent"),
        ("parent(defining=nominal+name,referring=pronoun)",
         "parent(defining=name+nominal,referring=pronoun)"),
        ("parent(gold=all)", "parent(gold=all)"),
        ("mean(2*muc,2*b3)", "mean(muc,b3)"),
        ("mean(0.1*muc,b3)", "mean(0.10000000000000001*muc,1*b3)"),
        ("ZERO", "anaphors(kind=zero)"),
        ("mean( conll, lea(importance=uniform), mean(muc,b3) )",
         "mean(conll,lea(importance=uniform),mean(muc,b3))"),
    ],
)  # fmt: skip
def test_names_are_written_one_way(written, canonical):
    assert str(parse(written)) == canonical
    assert parse(canonical) == parse(written)


@pytest.mark.parametrize(
    "wrong",
    [
        *("", "nix", "muc(", "muc(a=1)", "blanc(rule)", "blanc(=x)", "blanc(rule=)"),
        *("blanc(rule=nix)", "blanc(rule=luo2014,rule=luo2014)"),
        *("lmuc(weights=W9)", "lmuc(name=x)", "lmuc(name=-1)", "lmuc(pronoun=nan)", "lb3(verb=1)"),
        *("parent(defining=names)", "parent(defining=pronoun)", "parent(gold=some)"),
        *("zero(kind=name)", "anaphors(kind=verb)", "arcs(mode=far)"),
        *("mean()", "mean(muc,muc)", "mean(muc", "mean(muc))", "mean(nothing)"),
        "lea(importance=information,weight=letters)",
        *("mean(x*muc,b3)", "mean(-1*muc,b3)", "mean(0*muc,b3)", "ceafm(on=words)"),
        *("b3(weights=noun=2)", "b3(weights=2)", "b3(weights=name=2+name=1)"),
        *("lea(importance=kind:noun=1)", "lea(importance=type:)", "lea(importance=type:a=-1)"),
        *("lmuc(system=same)", "parent(split=response)"),
        "mean(" * 51 + "muc" + ")" * 51,
    ],
)
def test_malformed_names_are_refused(wrong):
    with pytest.raises(UsageError):
        parse(wrong)
