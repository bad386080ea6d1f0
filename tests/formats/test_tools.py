"""Files of BookNLP, INCEpTION, CorefAnnotator, ECB+, GAP and Stanza."""

from __future__ import annotations

import pytest

import corefine
from corefine.corpus.columns import Kind
from tests.building.format_files import parse, place_of_error, read_files
from tests.fuzzing.samples import sample


def changed(format: str, name: str, old: str, new: str) -> dict[str, bytes]:
    files = sample(format)
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
        ("conll-ud", "x.conll", "du" + "\t_" * 8 + "\t-", "du" + "\t_" * 8 + "\t(7)", 4),
        ("conll-ud", "x.conll", "5\tchat", "4.1" + "\t_" * 9 + "\t-\n5\tchat", 7),
        *(("stanza", "x.conllu", "unit-id0,start-id1", cell, 4) for cell in (
            "begin-id1", "start-id1,unit", "start-id1,unit-id", "start-id1,", "start-id1,end-id7",
        )),
        ("stanza", "x.conllu", "end-id1", "middle-id1", 4),
        ("cas-json", "x.json", '"@next": 3', '"@next": 2', None),
        ("cas-json", "x.json", '"end": 12', '"end": 99', None),
        ("cas-json", "x.json", '"@first": 2', '"@first": 7', None),
        ("cas-json", "x.json", '"@first": 2', '"@first": 2, "@first": 3', None),
        ("cas-json", "x.json", '"%ID": 4, "%TYPE"', '"%ID": 4, "TYPE"', None),
        ("cas-json", "x.json", '"%ID": 4', '"%ID": 3', None),
        ("cas-json", "x.json", '"@first": 2}', '"@first": 2', 5),
        ("cas-json", "x.json", '"@next": 3', '"@next": true', None),
        ("cas-json", "x.json", '"begin": 9', '"begin": 9.0', None),
        ("xmi", "x.xmi", 'next="3"', 'next="2"', 5),
        ("xmi", "x.xmi", 'end="12"', 'end="99"', 4),
        ("xmi", "x.xmi", 'first="2"', 'first="7"', 5),
        ("xmi", "x.xmi", 'xmi:id="3"', 'xmi:id="2"', 4),
    ],
)  # fmt: skip
def test_malformed_files_are_refused(
    format: str, name: str, old: str, new: str, line: int | None
) -> None:
    place = name if line is None else f"{name}:{line}"
    assert place_of_error(read_files, changed(format, name, old, new), format) == place


def test_links_of_xmi_that_are_in_no_chain_are_a_warning() -> None:
    corpus = read_files(changed("xmi", "x.xmi", ' next="3"', ""), "xmi")
    assert corpus.to_dict(ends="inclusive") == {"x": [[(0, 0)]]}
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
    assert corpus.to_dict(ends="inclusive") == {"x": [[(0, 0), ((1, 1), (3, 3))]]}


@pytest.mark.parametrize(
    ("metadata", "name"),
    [
        ('documentTitle="a.txt" documentId="admin" documentUri="project/a.txt"', "a.txt"),
        ('documentTitle="a" documentId="sub/a" documentUri="file:/set/sub/a"', "sub/a"),
        ('documentTitle="a" documentId="b"', "b"),
        ('documentTitle="a"', "a"),
        ("", "x"),
    ],
)
def test_inception_writes_the_annotator_where_dkpro_writes_the_document(
    metadata: str, name: str
) -> None:
    element = f'<coref:DocumentMetaData xmi:id="9" {metadata}/> <cas:Sofa'
    assert read_files(changed("xmi", "x.xmi", "<cas:Sofa", element)).documents == (name,)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (sample("booknlp"), [(Kind.NAME, "PER"), (Kind.PRONOUN, "PER")]),
        (sample("gap"), [(Kind.PRONOUN, None), (Kind.NAME, None), (Kind.NAME, None)]),
        (changed("webanno", "x.tsv", "*[1]", "pro[1]"),
         [(Kind.PRONOUN, "pro"), (Kind.UNKNOWN, None), (Kind.UNKNOWN, None)]),
    ],
)  # fmt: skip
def test_kinds_and_types(files: dict[str, bytes], expected: list[tuple[Kind, str | None]]) -> None:
    (document,) = read_files(files)
    assert [(mention.kind, mention.type) for mention in document.mentions] == expected


def test_booknlp_without_tokens_is_counted_in_the_words_of_the_other_side() -> None:
    alone = read_files({"x.entities": sample("booknlp")["x.entities"]})
    assert alone.tokens is None
    assert corefine.score(read_files(sample("booknlp")), alone)["lea"].f1 == 1.0
    unresolved = changed("booknlp", "x.entities", "7\t2", "-1\t2")
    assert read_files(unresolved).to_dict(ends="inclusive") == {"x": [[(0, 0)], [(2, 2)]]}


def test_entities_of_ecb_reach_across_the_documents_of_a_topic() -> None:
    first = sample("ecb")["1_1ecb.xml"]
    second = first.replace(b"1_1ecb", b"1_2ecb").replace(b"Anna", b"She")
    other = first.replace(b"1_1ecb", b"2_1ecb")
    corpus = read_files({"a.xml": first, "b.xml": second, "c.xml": other})
    assert corpus.documents == ("1_1ecb", "1_2ecb", "2_1ecb")
    scores = corefine.score(corpus, corpus, scope="topic", metrics="muc")
    assert scores["muc"].recall == 1.0


@pytest.mark.parametrize(("note", "warnings"), [("HUM1", 0), ("HUM2", 1)])
def test_a_markable_in_two_relations_of_ecb_is_a_warning(note: str, warnings: int) -> None:
    again = f'<CROSS_DOC_COREF r_id="6" note="{note}"><source m_id="3"/></CROSS_DOC_COREF>'
    corpus = read_files(changed("ecb", "1_1ecb.xml", "</Relations>", again + "\n</Relations>"))
    assert corpus.to_dict(ends="inclusive") == {"1_1ecb": [[(0, 0)]]}
    assert len(corpus.warnings) == warnings


def test_mentions_of_one_chain_of_stanza_may_touch_and_files_may_have_no_chains() -> None:
    def parsed(*cells: str) -> corefine.Corpus:
        rows = [f"{n}\tw" + "\t_" * 4 + f"\t{n - 1}\t_\t_\t{c}\n" for n, c in enumerate(cells, 1)]
        return parse("".join(rows), "stanza")

    corpus = parsed("ner=start-id0", "SpaceAfter=No|coref_chains=end-id0,start-id0", "ner=end-id0")
    assert corpus.to_dict(ends="inclusive") == {"x": [[(0, 1), (1, 2)]]}
    assert [mention.head for mention in corpus[0].mentions] == [0, 1]
    assert parsed("_", "SpaceAfter=No").warnings == ()
