"""Mention kinds guessed from words: the rules one by one, and how often they are right."""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.kinds.guess import ACCURACY as ACCURACY_OF_GUM
from corefine.kinds.guess import HEADING_ACCURACY, UNUSUAL_ACCURACY
from corefine.kinds.kind_plan import kinds_of
from docs.making.mention_kinds import CORPORA, types_of
from tests.building.resolving_corpora import marked

ACCURACY = {"craft": 0.99, "gum": 0.97, "ontogum": 0.981, "litbank": 0.976, "openboek-nl": 0.969}
"""Accuracy on each corpus, which no change of the rules may lower."""

TEXTS = {
    "headings, dates and single letters": """
        [nominal Course Description ]
        [nominal Final Exam ]
        [name Thierry Poibeau ]
        We describe the exam on [nominal June 8 , 2014 ] , not in [name July 1904 ] .
        Let [nominal X ] be a point . I take [nominal this one ] , not [pronoun one ] .""",
    "a contract, which capitalises common nouns": """
        The [nominal Licensor ] grants a licence to the [nominal Licensee ] under this \
        [nominal Agreement ] . An agreement binds each licensee and licensor .""",
    "capital letters at the start of sentences": """
        [nominal Sociologists ] met in [name July 1904 ] .
        [name Mice ] died .
        Then [nominal a Mouse ] came to [name the US ] .
        Later [pronoun those who stayed ] saw [pronoun us ] and [nominal some of them ] .
        [name Texas ] was far from Texas .
        [unknown you 're gon na pay it ] , said [nominal Harvard ( USA ) researchers ] .
        [name ITS SPEAKERS ] left .
        [name Women ] wept .
        [name Lee et al ] slept .
        [nominal Every Chancellor ] knew [name Anna Berg , who wept ] .
        Then [nominal one of the Great Lakes ] froze .
        Not [pronoun YOU ] but [name God alone ] knew [name Lee ’s ] .
        Still [pronoun something better ] came than [nominal somebody 's dog ] .""",
    "Dutch": """
        [name Bekker zelf ] zag [pronoun hem ] in [nominal het koninkrijk Gods ] , en [name God ] \
        zag [nominal een Amsterdammer ] . Toen kwam [pronoun -ie ] met \
        [nominal de oude man van Bavink ] naar [name de Grebbeberg ] .""",
    "symbols of a technical text": """
        [nominal PCR ] of [nominal Gata6 ] and [nominal the ESG1 - null cells ] by \
        [name Invitrogen ] showed EcoRI and p53 .
        [nominal Cells ] with [nominal Cftr ] or CFTR grew .
        The cells of Mcpt2 , Icam1 and Cy3 met Cy5 and Pgia28 .
        [nominal NASA ] paid [name Anna Berg ] for Vil1 .
        Then [name Background ] .
        In [nominal Figure 2 ] of [name Berg et al 1996 ] were [nominal MEFs ] and \
        [nominal exon 2 ] .""",
    "symbols of another text": """
        [name PCR ] met [name Gata6 ] .
        Anna saw Tom , Kim , Lee , Mia , Ida and Max .
        Max slept .""",
}
"""Texts with a sentence per line, whose mentions are marked with the expected kind."""


def guessed(corpus: Corpus) -> list[str]:
    kinds = kinds_of(corpus, "guess").mentions.kind
    assert kinds is not None
    return [Kind(kind).name.lower() for kind in kinds]


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_rules(text):
    corpus = marked(text)
    assert corpus.entities.names is not None
    expected = [corpus.entities.names[entity] for entity in corpus.mentions.entity.tolist()]
    found = guessed(corpus)
    rows = range(len(found))
    assert {corpus.text_of(row): found[row] for row in rows} == {
        corpus.text_of(row): expected[row] for row in rows
    }


@pytest.mark.data
@pytest.mark.parametrize("name", CORPORA)
def test_accuracy_does_not_fall(data, name):
    folder = data / name
    corpus = corefine.read(folder / "key.conll", layers=["pos"])
    annotated = kinds_of(corpus, types_of(folder)).mentions.kind
    guessed = kinds_of(corpus, "guess").mentions.kind
    assert annotated is not None
    assert guessed is not None
    assert (annotated == guessed)[annotated > 0].mean() >= ACCURACY[name]


def names(text: str, count: int = 40) -> list[list[str]]:
    return [[text.format(number), f"m{number}"] for number in range(count)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (marked("[1 Anna ] saw the man and he saw [1 her ] ."), f"{ACCURACY_OF_GUM:.1%}"),
        (marked("Course [1 Goals ]\nGrading Policy\n[1 They ] are here ."), "many headings"),
        (names("Bürgermeister der Stadt Nummer {}"), "another language"),
        (names("den lilla glada pojken nummer{}"), "another language"),
        (names("the small boy of town {}"), f"{ACCURACY_OF_GUM:.1%}"),
        ([["prezydent Polski", "on", "jego"], ["Lech Wałęsa", "ten człowiek"]], "Polish"),
    ],
)
def test_the_warning_names_the_accuracy_for_the_type_of_text(text, expected):
    warnings = corefine.score(text, text, "parent", kinds="guess").warnings
    assert any(expected in warning for warning in warnings)


@pytest.mark.parametrize(
    ("genre", "accuracy"),
    [
        ("GUM, all", ACCURACY_OF_GUM),
        ("GENTLE, all", UNUSUAL_ACCURACY),
        ("GENTLE syllabus", HEADING_ACCURACY),
    ],
)
def test_accuracies_of_warnings_are_those_of_the_documentation(genre, accuracy):
    page = (Path(__file__).parents[2] / "docs" / "mention-kinds.md").read_text("utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith(f"| {genre} |")]
    assert float(row.rstrip("| ").split("|")[-1]) / 100 == pytest.approx(accuracy, abs=0.0011)
