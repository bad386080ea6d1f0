"""Mention kinds guessed from words: the rules one by one, and how often they are right."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine.corpus.columns import Kind
from corefine.kinds.guess import ACCURACY as ACCURACY_OF_GUM
from corefine.kinds.kind_plan import kinds_of
from documentation.mention_kinds import CORPORA, types_of
from tests.building.resolving_corpora import marked

ACCURACY = {"craft": 0.99, "gum": 0.97, "ontogum": 0.981, "litbank": 0.976, "openboek-nl": 0.969}
"""Accuracy on each corpus, which no change of the rules may lower."""


@pytest.mark.data
@pytest.mark.parametrize("name", CORPORA)
def test_accuracy_does_not_fall(data: Path, name: str) -> None:
    folder = data / name
    corpus = corefine.read(folder / "key.conll", layers=["pos"])
    annotated = kinds_of(corpus, types_of(folder)).mentions.kind
    guessed = kinds_of(corpus, "guess").mentions.kind
    assert annotated is not None
    assert guessed is not None
    assert (annotated == guessed)[annotated > 0].mean() >= ACCURACY[name]


HEADINGS = """
[1 Course Description ]
[2 Final Exam ]
[3 Thierry Poibeau ]
We describe the exam on [4 June 8 , 2014 ] , not in [5 July 1904 ] .
Let [6 X ] be a point . I take [7 this one ] , not [8 one ] .
"""


def test_headings_dates_and_single_letters() -> None:
    corpus = marked(HEADINGS)
    guessed = kinds_of(corpus, "guess").mentions.kind
    assert guessed is not None
    found = {corpus.text_of(row): Kind(kind).name.lower() for row, kind in enumerate(guessed)}
    assert found == {
        "Course Description": "nominal",  # ends like a common noun
        "Final Exam": "nominal",  # in lower case elsewhere
        "Thierry Poibeau": "name",
        "June 8 , 2014": "nominal",
        "July 1904": "name",
        "X": "nominal",
        "this one": "nominal",
        "one": "pronoun",
    }


def test_a_contract_capitalises_common_nouns() -> None:
    text = """
    The [1 Licensor ] grants a licence to the [2 Licensee ] under this [3 Agreement ] .
    An agreement binds each licensee and licensor . The [4 Courts of Delaware ] decide .
    """
    corpus = marked("\n".join(line.strip() for line in text.strip().split("\n")))
    guessed = kinds_of(corpus, "guess").mentions.kind
    assert guessed is not None
    assert [Kind(kind).name for kind in guessed[:3]] == ["NOMINAL"] * 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1 Anna ] saw the man and he saw [1 her ] .", f"{ACCURACY_OF_GUM:.1%}"),
        ("Course [1 Goals ]\nGrading Policy\n[1 They ] are here .", "many headings"),
    ],
)
def test_the_warning_names_the_accuracy_for_the_type_of_text(text: str, expected: str) -> None:
    corpus = marked(text)
    scores = corefine.score(corpus, corpus, "parent", kinds="guess")
    assert any(expected in warning for warning in scores.warnings)


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
