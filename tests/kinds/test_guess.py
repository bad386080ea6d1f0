"""Mention kinds guessed from words: the rules one by one, and how often they are right."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from benchmarks.page_tables.mention_kinds import CORPORA, types_of
from corefine.corpus.columns import Kind
from corefine.kinds.guess import (
    DUTCH_MOVE,
    DUTCH_RIGHT,
    LINGUISTIC_MOVE,
    PARENT_MOVES,
    RIGHT,
)
from corefine.kinds.kind_plan import kinds_of
from tests.building.resolving_corpora import marked

LEAST_RIGHT = {"craft": 0.99, "gum": 0.966, "ontogum": 0.981, "litbank": 0.969, "openboek-nl": 0.96}
"""No change of the rules may make a corpus worse than this."""


@pytest.mark.data
@pytest.mark.parametrize("name", CORPORA)
def test_guesses_are_as_good_as_the_warning_says(data: Path, name: str) -> None:
    folder = data / name
    key, types = folder / "key.conll", types_of(folder)
    corpus = corefine.read(key, layers=["pos"])
    annotated = kinds_of(corpus, types).mentions.kind
    judged = kinds_of(corpus, "guess").mentions.kind
    assert annotated is not None
    assert judged is not None
    known = annotated > 0
    right = (annotated == judged)[known].mean()
    assert right >= LEAST_RIGHT[name]
    english = name != "openboek-nl"
    least, most = RIGHT if english else (DUTCH_RIGHT, DUTCH_RIGHT)
    assert least <= round(float(right), 2) <= most
    # What is not in the key has no type in the file: it has that of its part of speech.
    metrics = ("parent", "lmuc", "lb3", "lceafm", "lceafe")
    for response in sorted(folder.glob("*.conll")):
        if response == key:
            continue
        told, guessed = (
            corefine.score(key, response, ",".join(metrics), kinds=kinds)
            for kinds in (f"{types},auto", "guess")
        )
        moves = {one: 100 * abs(told[one].f1 - guessed[one].f1) for one in metrics}
        assert moves.pop("parent") <= PARENT_MOVES, response.name
        assert max(moves.values()) <= (LINGUISTIC_MOVE if english else DUTCH_MOVE), response.name


@pytest.mark.data
@pytest.mark.parametrize("name", ["craft", "gum", "ontogum"])
def test_a_guess_does_not_depend_on_the_format(data: Path, name: str) -> None:
    """CoNLL-U has the same words; CRAFT has discontinuous mentions there besides."""
    types = f"{data / name / 'types.tsv'},auto"
    for response in sorted((data / name).glob("*.conllu")):
        if response.stem.startswith("key"):
            continue
        told, guessed = (
            corefine.score(data / name / "key.conllu", response, "parent", kinds=kinds)
            for kinds in (types, "guess")
        )
        assert 100 * abs(told["parent"].f1 - guessed["parent"].f1) <= PARENT_MOVES


SENTENCES = """
[16 Sociologists ] met in [1 July 1904 ] . [2 Mice ] died . Then [3 a Mouse ] came to [4 the US ] .
Later [5 those who stayed ] saw [6 us ] and [7 some of them ] . [8 Texas ] was far from Texas .
[9 you 're gon na pay it ] , said [10 Harvard ( USA ) researchers ] . [11 ITS SPEAKERS ] left .
[12 Women ] wept . [13 Lee et al ] slept . [14 Every Chancellor ] knew [15 Anna Berg , who wept ] .
Then [17 one of the Great Lakes ] froze . Not [18 YOU ] but [19 God alone ] knew [20 Lee ’s ] .
Still [21 something better ] came than [22 somebody 's dog ] .
"""


def test_what_a_capital_letter_does_not_tell() -> None:
    corpus = marked(SENTENCES.replace(". ", ".\n"))
    judged = kinds_of(corpus, "guess").mentions
    assert judged.kind is not None
    found = {
        corpus.text_of(row): Kind(kind).name.lower()
        for row, kind in enumerate(judged.kind.tolist())
    }
    assert found == {
        "Sociologists": "nominal",
        "July 1904": "name",
        "Mice": "name",  # nothing tells that it is no name
        "a Mouse": "nominal",
        "the US": "name",
        "those who stayed": "pronoun",
        "us": "pronoun",
        "some of them": "nominal",
        "Texas": "name",
        "you 're gon na pay it": "unknown",
        "Harvard ( USA ) researchers": "nominal",
        "ITS SPEAKERS": "name",
        "Women": "name",
        "Lee et al": "name",
        "Every Chancellor": "nominal",
        "Anna Berg , who wept": "name",
        "one of the Great Lakes": "nominal",
        "YOU": "pronoun",  # emphasis, no acronym
        "God alone": "name",
        "Lee ’s": "name",
        "something better": "pronoun",
        "somebody 's dog": "nominal",
    }


DUTCH = """
[1 Bekker zelf ] zag [2 hem ] in [3 het koninkrijk Gods ] , en [4 God ] zag [5 een Amsterdammer ] .
Toen kwam [6 -ie ] met [7 de oude man van Bavink ] naar [8 de Grebbeberg ] .
"""


def test_dutch_has_rules_of_its_own() -> None:
    corpus = marked(DUTCH)
    judged = kinds_of(corpus, "guess").mentions.kind
    assert judged is not None
    found = {corpus.text_of(row): Kind(kind).name.lower() for row, kind in enumerate(judged)}
    assert found == {
        "Bekker zelf": "name",
        "hem": "pronoun",
        "het koninkrijk Gods": "nominal",
        "God": "name",
        "een Amsterdammer": "nominal",
        "-ie": "pronoun",
        "de oude man van Bavink": "nominal",
        "de Grebbeberg": "name",
    }


ARTICLE = """
[1 PCR ] of [2 Gata6 ] and [3 the ESG1 - null cells ] by [4 Invitrogen ] showed EcoRI and p53 .
[5 Cells ] with [6 Cftr ] or CFTR grew . The cells of Mcpt2 , Icam1 and Cy3 met Cy5 and Pgia28 .
[7 NASA ] paid [8 Anna Berg ] for Vil1 . Then [9 Background ] .
In [10 Figure 2 ] of [11 Berg et al 1996 ] were [12 MEFs ] and [13 exon 2 ] .
"""


def test_symbols_are_no_names_in_a_technical_text() -> None:
    plain = "[1 PCR ] met [2 Gata6 ] . Anna saw Tom , Kim , Lee , Mia , Ida and Max . Max slept ."
    for text, expected in (
        (
            ARTICLE,
            {
                "PCR": "nominal",
                "Gata6": "nominal",
                "the ESG1 - null cells": "nominal",
                "Invitrogen": "name",
                "Cells": "nominal",
                "Cftr": "nominal",
                "NASA": "nominal",
                "Anna Berg": "name",
                "Background": "name",
                "Figure 2": "nominal",
                "Berg et al 1996": "name",
                "MEFs": "nominal",
                "exon 2": "nominal",
            },
        ),
        (plain, {"PCR": "name", "Gata6": "name"}),
    ):
        corpus = marked(text.replace(". ", ".\n"))
        judged = kinds_of(corpus, "guess").mentions.kind
        assert judged is not None
        found = {corpus.text_of(row): Kind(kind).name.lower() for row, kind in enumerate(judged)}
        assert found == expected
