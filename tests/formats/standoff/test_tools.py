"""Files of BookNLP, INCEpTION, Stanza, ECB+ and GAP: samples, what is refused, round trips."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

import corefine
from corefine.corpus.columns import Kind
from corefine.errors import FormatError
from corefine.formats.columns import webanno
from corefine.formats.conllu import stanza
from corefine.formats.input.sources import Source
from corefine.formats.standoff import booknlp, cas, ecb
from corefine.formats.tables import gap
from tests.building.standoff_corpora import (
    read_files,
    sample_files,
)

MODULES: dict[str, tuple[ModuleType, list[str]]] = {
    "booknlp": (booknlp, ["x.tokens", "x.entities"]),
    "cas-json": (cas, ["", "x.json"]),
    "ecb": (ecb, ["1_1ecb.xml"]),
    "gap": (gap, ["x.tsv"]),
    "stanza": (stanza, ["x.conllu"]),
    "webanno": (webanno, ["x.tsv"]),
    "xmi": (cas, ["x.xmi", ""]),
}


def sample(format: str) -> dict[str, bytes]:
    module, names = MODULES[format]
    assert module.__doc__ is not None
    return {name: data for name, data in sample_files(module.__doc__, names).items() if name}


SAMPLES = {format: sample(format) for format in MODULES}
EXPECTED: dict[str, object] = {
    "booknlp": {"x": [[(0, 0), (2, 2)]]},
    "cas-json": {"x": [[(0, 0), (2, 2)]]},
    "ecb": {"1_1ecb": [[(0, 0)]]},
    "gap": {"x": [[(4, 4), (0, 0)], [(2, 2)]]},
    "stanza": {"x": [[(0, 0), (2, 2)], [(2, 3)]]},
    "webanno": {"x": [[(0, 0), (2, 2)], [(2, 3)]]},
    "xmi": {"x": [[(0, 0), (2, 2)]]},
}


def changed(format: str, name: str, old: str, new: str) -> dict[str, bytes]:
    files = SAMPLES[format]
    assert old.encode() in files[name]
    return files | {name: files[name].replace(old.encode(), new.encode(), 1)}


@pytest.mark.parametrize(
    ("format", "name", "old", "new", "line"),
    [
        ("booknlp", "x.entities", "7\t2\t2", "7\t2\t3", 3),
        ("booknlp", "x.entities", "PRON", "VERB", 3),
        ("booknlp", "x.tokens", "1\t2\tShe", "1\t3\tShe", 4),
        ("ecb", "1_1ecb.xml", 'anchor t_id="1"', 'anchor t_id="9"', 5),
        ("ecb", "1_1ecb.xml", 'source m_id="3"', 'source m_id="4"', 9),
        ("ecb", "1_1ecb.xml", 't_id="2"', 't_id="1"', 3),
        ("ecb", "1_1ecb.xml", ' r_id="5"', "", 9),
        ("gap", "x.tsv", "\t17\t", "\t16\t", 2),
        ("gap", "x.tsv", "FALSE", "MAYBE", 2),
        ("gap", "x.tsv", "FALSE\t-", "FALSE", 2),
        ("gap", "x.tsv", "TRUE\t", "TRUE\tAnn\t0\tTRUE\t", 2),
        ("stanza", "x.conllu", "start-id1", "begin-id1", 4),
        ("stanza", "x.conllu", "end-id1", "middle-id1", 4),
        ("webanno", "x.tsv", "5-8", "5-9", 7),
        ("webanno", "x.tsv", "*->1-1", "*->2-1", 6),
        ("cas-json", "x.json", '"@next": 3', '"@next": 2', None),
        ("cas-json", "x.json", '"end": 12', '"end": 99', None),
        ("cas-json", "x.json", '"@first": 2', '"@first": 7', None),
        ("cas-json", "x.json", '"@first": 2', '"@first": 2, "@first": 3', None),
        ("cas-json", "x.json", '"%ID": 4, "%TYPE"', '"%ID": 4, "TYPE"', None),
        ("cas-json", "x.json", '"%ID": 4', '"%ID": 3', None),
        ("cas-json", "x.json", '"@first": 2}', '"@first": 2', 5),
        ("cas-json", "x.json", '"@next": 3', '"@next": 1e999', None),
        ("cas-json", "x.json", '"@next": 3', '"@next": true', None),
        ("cas-json", "x.json", '"@first": 2', '"@first": [2]', None),
        ("cas-json", "x.json", '"begin": 9', '"begin": 9.0', None),
        ("xmi", "x.xmi", 'next="3"', 'next="2"', 5),
        ("xmi", "x.xmi", 'end="12"', 'end="99"', 4),
        ("xmi", "x.xmi", 'first="2"', 'first="7"', 5),
        ("xmi", "x.xmi", 'xmi:id="3"', 'xmi:id="2"', 4),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    format: str, name: str, old: str, new: str, line: int | None
) -> None:
    with pytest.raises(FormatError) as caught:
        read_files(changed(format, name, old, new), format)
    assert caught.value.where is not None
    assert Path(caught.value.where.source).name == name
    assert caught.value.where.line == line


def test_links_of_xmi_that_are_in_no_chain_are_named() -> None:
    corpus = read_files(changed("xmi", "x.xmi", ' next="3"', ""), "xmi")
    assert corpus.to_dict() == {"x": [[(0, 0)]]}
    (warning,) = corpus.warnings
    assert "x.xmi:4: " in warning


COREF_ANNOTATOR = """<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
    xmlns:v2="http:///de/unistuttgart/ims/coref/annotator/api/v2.ecore">
 <v2:Entity xmi:id="1" Label="Anna"/>
 <v2:Mention xmi:id="2" Entity="1" Surface="4"/>
 <v2:Mention xmi:id="3" Entity="1" Surface="5 6"/>
 <v2:MentionSurface xmi:id="4" sofa="7" begin="0" end="4"/>
 <v2:MentionSurface xmi:id="5" sofa="7" begin="5" end="8"/>
 <v2:MentionSurface xmi:id="6" sofa="7" begin="13" end="18"/>
 <cas:Sofa xmi:id="7" sofaNum="1" sofaID="_InitialView" sofaString="Anna saw her house."/>
</xmi:XMI>
"""


def test_mentions_of_coref_annotator_refer_to_their_entities() -> None:
    corpus = read_files({"x.xmi": COREF_ANNOTATOR.encode()})
    assert corpus.to_dict() == {"x": [[(0, 0), ((1, 1), (3, 3))]]}


def test_kinds_and_types_come_with_the_files() -> None:
    found = read_files(SAMPLES["booknlp"])
    assert found.mentions.kind is not None
    assert found.mentions.kind.tolist() == [Kind.NAME, Kind.PRONOUN]
    assert found.types == ("PER",)
    gap_kinds = read_files(SAMPLES["gap"]).mentions.kind
    assert gap_kinds is not None
    assert gap_kinds.tolist() == [Kind.PRONOUN, Kind.NAME, Kind.NAME]
    typed = read_files(changed("webanno", "x.tsv", "*[1]", "pro[1]"))
    assert typed.types == ("pro",)
    assert typed.mentions.kind is not None
    assert typed.mentions.kind.tolist() == [Kind.PRONOUN, Kind.UNKNOWN, Kind.UNKNOWN]


def test_booknlp_without_tokens_is_counted_in_the_words_of_the_other_side() -> None:
    alone = read_files({"x.entities": SAMPLES["booknlp"]["x.entities"]})
    assert alone.tokens is None
    assert corefine.score(read_files(SAMPLES["booknlp"]), alone)["lea"].f1 == 1.0
    unresolved = changed("booknlp", "x.entities", "7\t2", "-1\t2")
    assert read_files(unresolved).to_dict() == {"x": [[(0, 0)], [(2, 2)]]}


def test_entities_of_ecb_reach_across_the_documents_of_a_topic() -> None:
    first = SAMPLES["ecb"]["1_1ecb.xml"]
    second = first.replace(b"1_1ecb", b"1_2ecb").replace(b"Anna", b"She")
    other = first.replace(b"1_1ecb", b"2_1ecb")
    corpus = read_files({"a.xml": first, "b.xml": second, "c.xml": other})
    assert corpus.documents == ("1_1ecb", "1_2ecb", "2_1ecb")
    scores = corefine.score(corpus, corpus, scope="topic", metrics="muc")
    assert scores["muc"].recall == 1.0


def test_stanza_of_earlier_versions_and_with_empty_nodes() -> None:
    text = SAMPLES["stanza"]["x.conllu"]
    earlier = text.replace(b"coref_chains=unit-repr", b"ner=S-PERSON|ner=unit-repr")
    earlier = earlier.replace(b"coref_chains", b"ner")
    assert read_files({"x.conllu": earlier}).to_dict() == EXPECTED["stanza"]
    node = b"4.1\t_\t_\t_\t_\t_\t_\t_\t_\tcoref_chains=unit-id0\n"
    corpus = read_files({"x.conllu": text + node})
    assert corpus.to_dict() == {"x": [[(0, 0), (2, 2), (4, 4)], [(2, 3)]]}
    assert corpus.tokens is not None
    assert corpus.tokens.has_empty


def test_parts_of_tokens_are_cut_out_and_points_are_empty_nodes() -> None:
    header = SAMPLES["webanno"]["x.tsv"].split(b"#Text")[0]
    body = (
        b"#Text=This \xf0\x9f\x98\x8a is\n1-1\t0-4\tThis\t_\t_\t\n1-1.1\t1-3\thi\t*[1]\t*->1-1\t\n"
        b"1-2\t5-7\t\xf0\x9f\x98\x8a\t*[1]\t*->1-3\t\n1-3\t8-10\tis\t_\t_\t\n"
        b"1-3.1\t9-9\t\t*[1]\t*->1-2\t\n"
    )
    corpus = read_files({"x.tsv": header + body})
    assert corpus.tokens is not None
    assert corpus.tokens.words.tolist() == ["T", "hi", "s", "😊", "i", "_", "s"]
    assert corpus.to_dict() == {"x": [[(1, 1), (3, 3), (5, 5)]]}
    assert corpus.tokens.empty is not None
    assert corpus.tokens.empty.tolist() == [False] * 5 + [True, False]


@pytest.mark.parametrize(
    ("metadata", "name"),
    [
        (
            {"documentTitle": "a.txt", "documentId": "admin", "documentUri": "project/a.txt"},
            "a.txt",
        ),
        ({"documentTitle": "a", "documentId": "sub/a", "documentUri": "file:/set/sub/a"}, "sub/a"),
        ({"documentTitle": "a", "documentId": "b"}, "b"),
        ({"documentTitle": "a"}, "a"),
        ({}, "x"),
    ],
)
def test_inception_writes_the_annotator_where_dkpro_writes_the_document(
    metadata: dict[str, str], name: str
) -> None:
    text = SAMPLES["xmi"]["x.xmi"].decode()
    features = "".join(f' {key}="{value}"' for key, value in metadata.items())
    text = text.replace(" <cas:Sofa", f'<coref:DocumentMetaData xmi:id="9"{features}/> <cas:Sofa')
    assert read_files({"x.xmi": text.encode()}).documents == (name,)


@pytest.mark.parametrize("more", range(12))
def test_webanno_has_as_many_columns_as_there_are_layers(more: int) -> None:
    """With a few more it has ten, as CoNLL-U has."""
    text = SAMPLES["webanno"]["x.tsv"].decode()
    text = text.replace("#T_CH", f"#T_SP=x.Layer{''.join(f'|f{n}' for n in range(more))}\n#T_CH")
    cells = "\t_" * more
    text = re.sub(r"^(1-\d\t\S+\t\S+)\t", rf"\g<1>{cells}\t", text, flags=re.MULTILINE)
    corpus = read_files({"x.tsv": text.encode()})
    assert (corpus.format, corpus.to_dict()) == ("webanno", EXPECTED["webanno"])


@pytest.mark.parametrize(("note", "told"), [("HUM1", False), ("HUM2", True)])
def test_a_markable_in_two_relations_of_ecb_is_told(note: str, told: bool) -> None:
    again = f'<CROSS_DOC_COREF r_id="6" note="{note}"><source m_id="3"/></CROSS_DOC_COREF>'
    text = SAMPLES["ecb"]["1_1ecb.xml"].replace(b"</Relations>", again.encode() + b"\n</Relations>")
    corpus = ecb.ECB.corpus(Source("1_1ecb.xml", content=text))
    assert corpus.to_dict() == {"1_1ecb": [[(0, 0)]]}
    line = text[: text.index(again.encode())].count(b"\n") + 1
    warning = f"1_1ecb.xml:{line}: markable '3' is in two relations; it stays in the first ('HUM1')"
    assert corpus.warnings == ((warning,) if told else ())
