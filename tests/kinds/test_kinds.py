"""Kinds of mentions: every source, which comes first, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import corefine
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError, Location
from corefine.kinds.kind_plan import kinds_of, plan_of
from corefine.kinds.part_of_speech import Tag, tag_class
from tests.building.refusals import refused
from tests.building.resolving_corpora import marked

SENTENCES = """\
#begin document (d); part 000
d 0 0 Former NNP (S(NP(NP* - - - - * (1
d 0 1 mayor NN *) - - - - * -
d 0 2 of IN (PP* - - - - * -
d 0 3 Kraków NNP (NP*))) - - - - (GPE) 1)|(2)
d 0 4 lost VBD (VP* - - - - * -
d 0 5 his PRP$ (NP(NP* - - - - * (3|(1)
d 0 6 wife NN * - - - - * -
d 0 7 's POS *) - - - - * -
d 0 8 hat NN *))) - - - - * 3)

d 0 0 She PRP * - - - - * (4)
d 0 1 and CC * - - - - * -
d 0 2 those DT * - - - - * (5)
d 0 3 in IN * - - - - * -
d 0 4 the DT * - - - - (ORG* (6
d 0 5 United NNP * - - - - * -
d 0 6 Nations NNP * - - - - *) 6)
d 0 7 said VBD * - - - - * (7)
d 0 8 all DT * - - - - * (8
d 0 9 of IN * - - - - * -
d 0 10 it PRP * - - - - * 8)
d 0 11 three CD * - - - - (DATE* (9
d 0 12 weeks NNS * - - - - * -
d 0 13 ago RB * - - - - *) 9)
d 0 14 to TO * - - - - * -
d 0 15 Anna NNP * - - - - * (10
d 0 16 , , * - - - - * -
d 0 17 the DT * - - - - * -
d 0 18 baker NN * - - - - * 10)
d 0 19 who WP * - - - - * (11)

#end document
"""
EXPECTED = {
    (0, 4): Kind.NOMINAL,  # the mayor of Kraków
    (3, 4): Kind.NAME,
    (5, 6): Kind.PRONOUN,  # his
    (5, 9): Kind.NOMINAL,  # his wife's hat
    (9, 10): Kind.PRONOUN,
    (11, 12): Kind.PRONOUN,  # those, alone
    (13, 16): Kind.NAME,
    (16, 17): Kind.UNKNOWN,  # a verb
    (17, 20): Kind.NOMINAL,  # all of it
    (20, 23): Kind.NOMINAL,  # a date is no name
    (24, 28): Kind.NAME,  # Anna, the baker
    (28, 29): Kind.PRONOUN,
}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    path = tmp_path / "d.conll"
    path.write_text(SENTENCES, encoding="utf-8")
    return corefine.read(path)


def found(corpus: Corpus) -> dict[object, Kind]:
    assert corpus.mentions.kind is not None
    return {
        corpus.mention_id(index): Kind(kind)
        for index, kind in enumerate(corpus.mentions.kind.tolist())
    }


def changed(change: Callable[[list[str]], list[str]]) -> str:
    """The sentences with other cells in the lines of tokens."""
    lines = [line.split() for line in SENTENCES.splitlines()]
    return (
        "\n".join(" ".join(change(cells) if len(cells) == 12 else cells) for cells in lines) + "\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        SENTENCES,
        changed(lambda cells: [*cells[:5], "*", *cells[6:10], "*", cells[11]]),
        SENTENCES.replace("(S(NP(NP*", "(NP(S(NP(NP*"),
    ],
    ids=["parse and parts of speech", "parts of speech alone", "broken parse"],
)
def test_kinds_of_columns(tmp_path, text):
    path = tmp_path / "d.conll"
    path.write_text(text, encoding="utf-8")
    assert found(kinds_of(corefine.read(path), "pos")) == EXPECTED


def test_auto_takes_what_the_format_says_first(corpus):
    kind = np.zeros(len(corpus.mentions), np.uint8)
    kind[0] = Kind.ZERO
    given = replace(corpus, mentions=replace(corpus.mentions, kind=kind))
    plan = plan_of("auto")
    judged, sources, _ = plan.apply(given, given.tokens)
    assert sources == ["format", "pos"]
    assert judged.mentions.kind is not None
    assert judged.mentions.kind[0] == Kind.ZERO
    assert judged.mentions.kind[1] == EXPECTED[corpus.mention_id(1)]  # type: ignore[index]
    scores = corefine.score(given, given, "lmuc")
    assert scores.signature.settings["kinds"].startswith("format+pos.")
    # Where the format is not asked, its kinds do not count.
    assert corefine.score(given, given, "lmuc", kinds="none").warnings[1].startswith("12 of 12")


@pytest.mark.parametrize(
    ("expected", "tags"),
    [
        (Tag.PROPER, "NNP PROPN N[eigen,ev,basis,zijd,stan] NE NR np0000p DET+NOUN_PROP"),
        (Tag.NOUN, "NNS N(soort,mv,basis) subst:sg:nom:m1 NNFS1-----A---- ncms000"),
        (Tag.PRONOUN, "PRON VNW[pers,pron,nomin,red,1,mv] PPER PN ppron3:sg:nom:m1:ter:akc:npraep"),
        (Tag.PRONOUN, "PPYS1--3-------"),
        (Tag.DETERMINER, "PRP$ VNW[bez,det,stan,vol,3,ev] PPOSAT"),
        (Tag.RELATIVE, "VNW[betr,pron,stan,vol,persoon,getal]"),
        (Tag.PUNCTUATION, "LET[]"),
        (Tag.VERB, "fin:sg:ter:imperf"),
        (Tag.UNKNOWN, "- _"),
    ],
)
def test_tags_of_many_tagsets(expected, tags):
    for tag in tags.split():
        assert tag_class(tag) is expected, tag


@pytest.mark.parametrize(
    ("names", "pronouns", "nominals"),
    [
        ("Hillary Clinton|former President Clinton", "she|she#2|he himself",
         "the mayor of Kraków|the Clinton administration|all of them|12"),
        ("Lech Wałęsa", "on|jego|sobie", "prezydent Polski|ten człowiek"),
    ],
    ids=["English", "Polish"],
)  # fmt: skip
def test_kinds_are_guessed_from_names_of_mentions(names, pronouns, nominals):
    entities = [mentions.split("|") for mentions in (names, pronouns, nominals)]
    judged = found(kinds_of(Corpus.from_entities(entities), "guess"))
    kinds = (Kind.NAME, Kind.PRONOUN, Kind.NOMINAL)
    assert judged == {m: kind for kind, entity in zip(kinds, entities, strict=True) for m in entity}


def test_kinds_from_python():
    key = {"d": [["Anna", "she"]], "e": [["she", "her"]]}
    nested = {"d": {"Anna": "name", "she": Kind.PRONOUN}, "e": {"she": "nominal"}}
    corpus = kinds_of(Corpus.from_documents(key), nested)
    assert corpus.mentions.kind is not None
    assert corpus.mentions.kind.tolist() == [Kind.NAME, Kind.PRONOUN, Kind.NOMINAL, Kind.UNKNOWN]
    corpus = kinds_of(
        Corpus.from_documents(key),
        lambda expression: "pronoun" if expression.text == "she" else None,
    )
    assert corpus.mentions.kind is not None
    assert corpus.mentions.kind.tolist() == [0, 3, 3, 0]


@pytest.mark.parametrize(
    "kinds",
    [
        *({"a": "adjective"}, {"": {"a": "adjective"}}, lambda _: "nix", 7, "nowhere.tsv"),
        {"": "name", "x": {"a": "name"}},
    ],
)
def test_kinds_that_are_refused(kinds):
    with refused("usage"):
        corefine.score([["a", "b"]], [["a"]], "lmuc", kinds=kinds)


def test_a_side_file_with_and_without_names_of_columns(corpus, tmp_path):
    plain, headed = tmp_path / "plain.tsv", tmp_path / "headed.tsv"
    plain.write_text("d\t0\t3\tname\nd\t9\t9\tpronoun\nother\t9\t9\tname\n")
    headed.write_text(
        "\ufeffdoc\tstart\tend\tentity\tmtype\tetype\r\n"
        "d\t0\t3\t1\tPROP\tperson\r\n\r\nd\t9\t9\t2\tPRON\t\r\nd\t16\t16\t2\tVERB\tevent\r\n",
        encoding="utf-8",
    )
    for path in (plain, headed):
        judged = kinds_of(corpus, str(path))
        assert {m: k for m, k in found(judged).items() if k} == {
            (0, 4): Kind.NAME,
            (9, 10): Kind.PRONOUN,
        }
    assert judged.types == ("person", "event")
    scores = corefine.score(corpus, corpus, "lmuc", kinds=f"{plain},pos")
    assert scores.signature.settings["kinds"].startswith("plain.tsv+pos.")
    assert any(text.startswith("1 of 12 mentions") for text in scores.warnings)


def test_a_side_file_of_other_mentions(corpus, tmp_path):
    path = tmp_path / "kinds.tsv"
    path.write_text("elsewhere\t0\t3\tname\n")
    warnings = corefine.score(corpus, corpus, "lmuc", kinds=path).warnings
    assert any("'elsewhere'" in text for text in warnings)
    with refused("usage"):  # names have no places
        corefine.score([["a"]], [["a"]], "lmuc", kinds=path)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", None),
        ("d\t0\t3\n", 1),
        ("d\t0\tx\tname\n", 1),
        ("d\t0\t3\tname\nd\t-1\t3\tname\n", 2),
        ("d\t4\t3\tname\n", 1),
        ("d\t0\t3\tadverb\n", 1),
        ("d\t0\t3\tname\nd\t0\t3\tnominal\n", 2),
        ("doc\tstart\tend\n", 1),
        ("d\t0\t3 disc:0,x\tname\n", 1),
    ],
)
def test_malformed_side_files_are_refused(tmp_path, text, line):
    path = tmp_path / "kinds.tsv"
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        plan_of(path)
    assert error.value.where == Location(str(path), line)


def test_a_mention_has_the_kind_of_the_key():
    def with_kind(entities: list[list[str]], kind: list[int]) -> Corpus:
        corpus = Corpus.from_entities(entities)
        return replace(corpus, mentions=replace(corpus.mentions, kind=np.array(kind, np.uint8)))

    key = with_kind([["a", "b"]], [Kind.NAME, Kind.PRONOUN])
    response = with_kind([["b", "a", "c"]], [Kind.NAME, Kind.PRONOUN, Kind.NOMINAL])
    expected = corefine.score(
        [["a", "b"]],
        [["b", "a", "c"]],
        "lmuc,lb3,parent",
        kinds={"a": "name", "b": "pronoun", "c": "nominal"},
    )
    assert corefine.score(key, response, "lmuc,lb3,parent").by_name == expected.by_name


def test_a_clause_is_no_pronoun():
    corpus = marked("""
        [UNKNOWN you/PRP 're/VBP gon/VBG na/TO pay/VB it/PRP ] ./.
        [UNKNOWN we/PRP just/RB left/VBD it/PRP ] ./.
        [NOMINAL his/PRP$ growing/VBG family/NN ] ./.
        [PRONOUN they/PRP all/DT ] and/CC [PRONOUN you/PRP who/WP sing/VBP ] ./.""")
    judged = kinds_of(corpus, "pos").mentions.kind
    assert judged is not None
    assert corpus.entities.names is not None
    expected = [corpus.entities.names[entity] for entity in corpus.mentions.entity.tolist()]
    assert [Kind(kind).name for kind in judged] == expected
