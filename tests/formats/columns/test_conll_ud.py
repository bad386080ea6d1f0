"""CoNLL-U's columns in CoNLL's documents, as the French corpora ANCOR and Democrat have them."""

from __future__ import annotations

import pytest

import corefine
from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError
from corefine.formats import Source, format_named, sniff

SAMPLE = """\
#begin document (dem); part 000
1\tAnna\tAnna\tPROPN\t_\t_\t2\tnsubj\t_\t_\t(1)
2\tparle\tparler\tVERB\t_\tMood=Ind\t0\troot\t_\t_\t-
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_\t-
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_\t-
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_\t(2
5\tchat\tchat\tNOUN\t_\t_\t2\tobl\t_\t_\t2)

1\tElle\til\tPRON\t_\t_\t2\tnsubj\t_\t_\t(1)
2\trit\trire\tVERB\t_\t_\t0\troot\t_\t_\t-
#end document
"""


def parsed(text: str) -> Corpus:
    source = Source("f.conll", content=text.encode())
    return sniff(source).corpus(source)


def test_words_tags_and_mentions() -> None:
    corpus = parsed(SAMPLE)
    assert corpus.format == "conll-ud"
    assert corpus.tokens is not None
    assert corpus.tokens.words.tolist() == ["Anna", "parle", "de", "le", "chat", "Elle", "rit"]
    assert corpus.tokens.layers["upos"].tolist()[:3] == ["PROPN", "VERB", "ADP"]
    assert corpus.tokens.layers["lemma"].tolist()[-1] == "rire"
    assert corpus.tokens.lines is not None
    assert corpus.tokens.lines.tolist() == [2, 3, 5, 6, 7, 9, 10]
    assert corpus.mentions.start.tolist() == [0, 3, 5]
    assert corpus.mentions.stop.tolist() == [1, 5, 6]
    assert corpus.mentions.head is not None
    assert corpus.mentions.head.tolist() == [0, 4, 5]


def test_the_same_without_multiword_lines_or_tags() -> None:
    single = SAMPLE.replace("3-4\tdu" + "\t_" * 8 + "\t-\n", "")
    assert parsed(single).format == "conll-ud"
    untagged = "\n".join(
        "\t".join("_" if place == 3 else cell for place, cell in enumerate(line.split("\t")))
        for line in SAMPLE.split("\n")
    )
    assert parsed(untagged).format == "conll-ud"


def test_mention_types_are_those_of_the_tags() -> None:
    source = Source("f.conll", content=SAMPLE.encode())
    corpus = sniff(source).corpus(source)
    scores = corefine.score(corpus, corpus, ["parent"])
    assert not any("type" in warning for warning in scores.warnings)


def test_semeval_and_conll_stay_what_they_are() -> None:
    semeval = "#begin document x\n" + "1\ta\ta\ta\tDT" + "\t_" * 11 + "\t(1)\n"
    assert sniff(Source("f", content=semeval.encode())).name == "semeval"
    conll = "#begin document (x); part 000\nx 0 0 NOUN NN * - - - - * (1)\n"
    assert sniff(Source("f", content=conll.encode())).name == "conll"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("3-4\tdu" + "\t_" * 8 + "\t-", "3-4\tdu" + "\t_" * 8 + "\t(7)", "f.conll:4: token number"),
        ("2\trit", "2.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\t-\n2\trit", "f.conll:10: token number"),
    ],
)
def test_what_is_refused(old: str, new: str, message: str) -> None:
    source = Source("f.conll", content=SAMPLE.replace(old, new).encode())
    with pytest.raises(FormatError) as error:
        format_named("conll-ud").corpus(source)
    assert str(error.value).startswith(message)
