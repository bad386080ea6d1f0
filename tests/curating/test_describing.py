"""Data cards."""

from __future__ import annotations

from fractions import Fraction

import pytest

import corefine
from corefine import Corpus, Document, Mention
from corefine.cli import main
from corefine.corpus.columns import Kind

TEXT = ["Ann", "met", "her", "dog", ".", "The", "dog", "saw", "Ann", "."]


def card() -> Corpus:
    spans = {"ann": [(0, 1), (2, 3), (8, 9)], "dog": [(2, 4), (5, 7)], "saw": [(7, 8)]}
    mentions = [Mention(name, [span]) for name, found in spans.items() for span in found]
    return Corpus.from_documents([Document("d", TEXT, mentions, [0, 5])])


def test_five_types_are_shown():
    mentions = [Mention(str(n), [(n, n + 1)], type=f"t{n}") for n in range(7)]
    card = corefine.describe(Corpus.from_documents([Document("d", TEXT, mentions)]))
    assert card.to_text().count("semantic types: ") == 5


def test_measures_by_hand():
    measures = corefine.describe(card()).cards["corpus"]
    expected = {
        "documents": 1, "tokens": 10, "sentences": 2, "mentions": 6, "entities": 3,
        "singletons": Fraction(1, 3), "mentions per entity": 2, "largest entity": 3,
        "mentions per non-singleton": Fraction(5, 2),
        "tokens per mention": Fraction(8, 6), "nested mentions": Fraction(1, 6),
        "discontinuous mentions": 0, "spread (median)": Fraction(8 + 3, 2),
        "distance (median)": 3, "same sentence": Fraction(1, 3),
    }  # fmt: skip
    assert {name: measures[name] for name in expected} == pytest.approx(
        {name: float(value) for name, value in expected.items()}
    )
    # "Ann" twice by their words.
    linked = [[(0, 1), (8, 9)], [(2, 3)], [(2, 4)], [(5, 7)], [(7, 8)]]
    by_text = Corpus.from_documents(
        [Document("d", TEXT, [Mention(n, [s]) for n, e in enumerate(linked) for s in e])]
    )
    assert measures["string match"] == corefine.score(card(), by_text, "conll")["conll"].f1
    assert "same head" not in measures
    assert measures["lexical diversity"] == 1000 * len({w.casefold() for w in TEXT}) / len(TEXT)


def test_same_head_needs_heads():
    documents = list(card())
    for mention in documents[0].mentions:
        mention.head = mention.spans[-1][1] - 1
    measures = corefine.describe(Corpus.from_documents(documents)).cards["corpus"]
    assert measures["same head"] > measures["string match"]


@pytest.mark.parametrize(("inner", "nested"), [((1, 3), 1), ((0, 2), 1), ((2, 4), 0), ((3, 4), 0)])
def test_mentions_that_end_or_begin_together_are_nested(inner, nested):
    mentions = [Mention("a", [(0, 3)]), Mention("b", [inner])]
    corpus = Corpus.from_documents([Document("d", TEXT, mentions, [0, 5])])
    assert corefine.describe(corpus).cards["corpus"]["nested mentions"] == nested / 2


def test_two_corpora_side_by_side(capsys, tmp_path):
    paths = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    for path in paths:
        corefine.write(card(), path, "e2e", lossy=True)
    assert main(["describe", *paths, "--output", "markdown"]) == 0
    assert "| measure | a.jsonl | b.jsonl |" in capsys.readouterr().out
    assert corefine.describe([["Anna", "Anna#2"]]).cards["corpus"]["string match"] == 1
    assert "string match" not in corefine.describe(Corpus.from_labels([0, 0])).cards["corpus"]


def test_sizes_by_type_and_links_by_kind_by_hand():
    """MCORES' Table 2 and the links of Kaczmarek and Marcińczuk's section 5.1."""
    (document,) = card()
    for mention in document.mentions:
        mention.type = "person" if mention.entity == "ann" else "animal"
    document.mentions[1].kind, document.mentions[2].kind = Kind.PRONOUN, Kind.NAME
    document.mentions[4].kind = Kind.NOMINAL
    measures = corefine.describe(Corpus.from_documents([document])).cards["corpus"]
    assert measures["chains"] == {
        "all": {"entities": 2, "min": 2, "max": 3, "mean": 2.5},
        "animal": {"entities": 1, "min": 2, "max": 2, "mean": 2.0},
        "person": {"entities": 1, "min": 3, "max": 3, "mean": 3.0},
    }
    assert measures["links"] == {"name": 1, "nominal": 1, "pronoun": 1}
    grids = corefine.describe(Corpus.from_documents([document])).table_functions()
    assert list(grids) == ["card", "chains", "links"]
