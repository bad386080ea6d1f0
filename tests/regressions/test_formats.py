"""Findings about readers, writers and messages of formats."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine import Corpus, Document, Mention
from corefine.errors import CorefineError, FormatError
from corefine.formats import Format, Source, all_formats, format_named, losses, register, sniff
from corefine.formats.litbank import write as write_litbank
from corefine.formats.losses import read_back
from corefine.metrics.base import RatioMetric
from corefine.metrics.registry import register as register_metric
from tests.building.format_files import entity_words, json_lines, parse, place_of_error, read_files
from tests.building.refusals import refused
from tests.fuzzing.samples import sample

# --- misread without a word -----------------------------------------------------------------------


def tei(body: str) -> str:
    return f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>{body}</body></text></TEI>'


def test_floating_text_of_tei_is_read_once() -> None:
    inner = '<floatingText><body><p><rs ref="#b">her</rs></p></body></floatingText>'
    corpus = parse(tei(f'<p><rs ref="#a">Anna</rs> saw</p>{inner}'), name="x.xml")
    assert corpus[0].tokens == ["Anna", "saw", "her"]
    assert corpus.to_dict(ends="inclusive") == {"x": [[(0, 0)], [(2, 2)]]}


def test_each_text_of_a_tei_corpus_is_a_document() -> None:
    texts = tei('<p><rs ref="#a">Anna</rs></p>') + tei('<p><rs ref="#a">Eve</rs></p>')
    corpus = parse(f"<teiCorpus>{texts}</teiCorpus>", name="x.xml")
    assert entity_words(corpus) == {"x": [["Anna"]], "x:2": [["Eve"]]}


@pytest.mark.parametrize("references", ["#a #b", "#b #a"])
def test_a_reference_of_tei_to_two_entities_is_their_set(references: str) -> None:
    people = '<rs ref="#a">Anna</rs> <rs ref="#b">Ben</rs>'
    them = f'<rs ref="{references}">they</rs> <rs ref="#b #a">them</rs>'
    corpus = parse(tei(f"<p>{people} {them}</p>"), name="x.xml")
    assert entity_words(corpus) == {"x": [["Anna"], ["Ben"], ["they", "them"]]}
    assert [(one.kind, one.source, one.target) for one in corpus[0].relations] == [
        ("split", "a b", "a"),
        ("split", "a b", "b"),
    ]


def test_mentions_of_tei_outside_of_the_body_are_told() -> None:
    content = tei('<p><rs ref="#a">Anna</rs></p>')
    front = '<text><front><p><rs ref="#a">her</rs></p></front>'
    corpus = parse(content.replace("<text>", front), name="x.xml")
    assert entity_words(corpus) == {"x": [["Anna"]]}
    assert "in front or back" in corpus.warnings[0]


def test_the_root_of_tei_may_be_text_and_urs_is_named() -> None:
    corpus = parse('<text><body><p><rs ref="#a">Anna</rs></p></body></text>', name="x.xml")
    assert entity_words(corpus) == {"x": [["Anna"]]}
    urs = '<annotations><annotationGrp type="Unit" subtype="MENTION"/></annotations>'
    with pytest.raises(FormatError, match="URS"):
        parse(f"<TEI><standOff>{urs}</standOff></TEI>", name="x.xml")


def corenlp(*sentences: tuple[str, str], mentions: str = "", id: str = "x") -> str:
    rows = "".join(
        f'<sentence id="{number}"><tokens>'
        + "".join(
            f'<token id="{place}"><word>{word}</word></token>'
            for place, word in enumerate(words.split(), 1)
        )
        + "</tokens></sentence>"
        for number, words in sentences
    )
    return (
        f"<document><docId>{id}</docId><sentences>{rows}</sentences>"
        f"<coreference><coreference>{mentions}</coreference></coreference></document>"
    )


def mention(sentence: int, start: int, text: str = "") -> str:
    said = f"<text>{text}</text>" if text else ""
    return (
        f"<mention><sentence>{sentence}</sentence><start>{start}</start><end>{start + 1}</end>"
        f"<head>{start}</head>{said}</mention>"
    )


def test_documents_and_sentences_of_corenlp_are_found_by_id() -> None:
    both = mention(1, 1) + mention(3, 1)
    first = corenlp(("1", "Anna slept"), ("3", "She woke"), mentions=both)
    second = corenlp(("1", "Ben ran"), mentions=mention(1, 1), id="y")
    corpus = parse(f"<root>{first}{second}</root>", name="z.xml")
    assert entity_words(corpus) == {"x": [["Anna", "She"]], "y": [["Ben"]]}


@pytest.mark.parametrize(
    "document",
    [
        corenlp(("1", "Anna"), ("3", "She"), mentions=mention(2, 1)),
        corenlp(("1", "Anna"), ("1", "She")),
        corenlp(("1", "Anna"), mentions=mention(1, 1, "Eve")),
    ],
)
def test_sentences_of_corenlp_that_do_not_exist_are_refused(document: str) -> None:
    assert place_of_error(parse, f"<root>{document}</root>", None, "x.xml") == "x.xml:1"


WORDS = b"".join(
    [b"<words>\n", *(b'<word id="word_%d">w%d</word>\n' % (n, n) for n in range(1, 5)), b"</words>"]
)


def mmax(*markables: str) -> dict[str, bytes]:
    rows = "\n".join(f"<markable {one}/>" for one in markables)
    level = f'<markables xmlns="www.eml.org/NameSpaces/coref">\n{rows}\n</markables>'
    return {"x_words.xml": WORDS, "x_coref_level.xml": level.encode()}


@pytest.mark.parametrize(
    "markables",
    [
        ('span="word_1"', 'span="word_2"'),
        ('id="markable_1" span="word_1"', 'id="markable_1" span="word_2"'),
        ('id="markable_1" span="word_3..word_1"',),
        ('id="markable_1" span="word_1" anaphor_antecedent="markable_9"',),
        ('id="markable_1" span="word_1" related="markable_1"',),
    ],
)
def test_markables_of_mmax_with_faulty_ids_and_spans_are_refused(
    markables: tuple[str, ...],
) -> None:
    place = place_of_error(read_files, mmax(*markables), "mmax")
    assert place in ("x_coref_level.xml:2", "x_coref_level.xml:3")


def test_pointers_of_mmax_are_coreference() -> None:
    files = mmax(
        'id="markable_1" span="word_1" coref_class="empty"',
        'id="markable_2" span="word_2" anaphor_antecedent="markable_1"',
        'id="markable_3" span="word_3" anaphor_antecedent="coref:markable_2"',
        'id="markable_4" span="word_4" anaphor_antecedent="empty"',
    )
    corpus = read_files(files)
    assert corpus.warnings == ()
    assert entity_words(corpus) == {"x": [["w1", "w2", "w3"], ["w4"]]}


def test_a_project_of_mmax_is_read_by_its_paths(tmp_path: Path) -> None:
    files = mmax('id="markable_1" span="word_1" coref_class="set_1"')
    for folder, name in (("data", "x_words.xml"), ("marks", "x_coref_level.xml")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(files[name])
    (tmp_path / "marks" / "x_coref_level.xml.bak").write_bytes(files["x_coref_level.xml"])
    project = tmp_path / "x.mmax"
    project.write_text("<mmax_project><words>x_words.xml</words></mmax_project>")
    (tmp_path / "common_paths.xml").write_text(
        "<common_paths><basedata_path>data/</basedata_path><markable_path>marks/</markable_path>"
        '<annotations><level name="coref">$_coref_level.xml</level></annotations></common_paths>'
    )
    assert entity_words(corefine.read(project)) == {"x": [["w1"]]}


TBF = (
    "#BeginOfDocument x\n"
    "s\tx\tE1\t0,5\tvoted\tElect\tActual\n"
    "s\tx\tE2\t20,28\telection\tElect\tActual\n"
    "{}#EndOfDocument\n"
)


@pytest.mark.parametrize(
    "relations",
    ["@Coreference\tR1\tE1\n@Coreference\tR2\tE1,E2\n", "@Coreference\tR1\tE1\n" * 2],
)
def test_repeated_mentions_and_clusters_of_tbf_are_refused(relations: str) -> None:
    assert place_of_error(parse, TBF.format(relations), None, "x.tbf") == "x.tbf:5"


@pytest.mark.parametrize(
    "mention",
    [
        *('Entity="9" Surface="4"', 'Entity="1" Surface="9"', 'Entity="1"', 'Surface="4"'),
        'Entity="4" Surface="4"',
    ],
)
def test_unknown_references_of_coref_annotator_are_refused(mention: str) -> None:
    content = (
        '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:c="c" xmlns:v="v">\n'
        '<v:Entity xmi:id="1" Label="Anna"/>\n'
        f'<v:Mention xmi:id="2" {mention}/>\n'
        '<v:MentionSurface xmi:id="4" sofa="7" begin="0" end="4"/>\n'
        '<c:Sofa xmi:id="7" sofaString="Anna saw her house."/></xmi:XMI>'
    )
    assert place_of_error(parse, content, None, "x.xmi") == "x.xmi:3"


def test_universal_anaphora_without_a_header_is_recognised() -> None:
    content = "# newdoc id = x\n1\tAnna" + "\t_" * 8 + "\t(EntityID=1|MarkableID=m)" + "\t_" * 4
    corpus = parse(content + "\n\n", name="x.conllua")
    assert (corpus.format, entity_words(corpus)) == ("ua", {"x": [["Anna"]]})


def test_a_mention_of_onf_without_indentation_is_refused() -> None:
    content = sample("onf")["x.onf"].decode()
    line = next(line for line in content.splitlines() if line.strip().startswith("0.2-2"))
    number = content.splitlines().index(line) + 1
    changed = content.replace(line, line.strip())
    assert place_of_error(parse, changed, None, "x.onf") == f"x.onf:{number}"


def test_a_line_of_a_separator_in_ancor_is_refused() -> None:
    """A line of white space that is not ASCII ended in a traceback."""
    content = sample("conll-ud")["x.conll"].decode()
    place = place_of_error(parse, content + "\u2028\n", "conll-ud", "x.conll")
    assert place == f"x.conll:{content.count(chr(10)) + 1}"


def test_a_record_of_koconovel_without_the_annotation_is_refused() -> None:
    files = {
        "text.jsonl": json_lines({"doc_id": "1_0", "text": "Anna"}),
        "coref.jsonl": json_lines(
            {"doc_id": "1_0", "reader_separate": [[["0", "4", "Anna", "A"]]]}
        ),
    }
    assert place_of_error(read_files, files, "koconovel") == "coref.jsonl:1"
    assert len(read_files(files, "koconovel:reader_separate").mentions) == 1


def test_predictions_of_label_studio_count_where_annotations_are_empty() -> None:
    region = {"id": "a", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["PER"]}}
    task = {"id": 1, "data": {"text": "Anna"}, "annotations": []}
    record = task | {"predictions": [{"result": [region]}]}
    assert len(parse(json_lines(record)).mentions) == 1


UA = (
    "# global.columns = ID FORM IDENTITY BRIDGING DISCOURSE_DEIXIS\n# newdoc id = x\n"
    "1\tAnna\t(EntityID=1|MarkableID=m1)\t_\t_\n"
)


def test_a_byte_order_mark_does_not_change_what_a_file_is() -> None:
    corpus = parse("\ufeff" + UA)
    assert (corpus.format, len(corpus.mentions)) == ("ua", 1)
    tagged = b"\xef\xbb\xbf" + sample("xml-m")["x.jsonl"]
    assert sniff(Source("x.jsonl", content=tagged)).name == "answers"


E2E = '{"doc_key": "x", "sentences": [["Anna", "saw", "her"]], "clusters": [[[0, 0], [2, 2]]]'


@pytest.mark.parametrize(
    "content",
    [E2E + ', "clusters": []}', f'[\n{E2E}, "clusters": []}}]', E2E + ', "clusters" :[]}'],
)
def test_a_key_that_is_repeated_in_a_record_is_refused(content: str) -> None:
    line = 2 if content.startswith("[") else 1
    assert place_of_error(parse, content, "e2e") == f"x:{line}"
    assert len(parse(E2E.replace("saw", "clusters") + "}").mentions) == 2


@pytest.mark.parametrize("others", [1, 40])
def test_a_quotation_that_differs_from_the_text_is_refused(others: int) -> None:
    agreeing = b"".join(b"T%d\tP 0 4\tAnna\n" % number for number in range(3, 3 + others))
    files = {"x.txt": b"Anna saw her.", "x.ann": b"T1\tP 0 4\tAnna\nT2\tP 9 12\this\n" + agreeing}
    assert place_of_error(read_files, files) == "x.ann:2"


@pytest.mark.parametrize(
    ("format", "file", "old", "new", "line"),
    [
        ("onf", "x.onf", "section 0", "section x", 14),
        ("onf", "x.onf", "Chain 12 (", "Chain (", 17),
        ("onf", "x.onf", "(VB sleep)", "(VB sleep", 14),
        ("ontonotes", "x.coref", 'TYPE="IDENT"', 'TYPE="zz"', 3),
        ("tei", "x.xml", 'ref="#anna"', 'ref=""', 2),
        ("xmi", "x.xmi", 'sofa="1" begin', 'sofa="9" begin', 3),
        ("ecb", "1_1ecb.xml", 'target m_id="9"', 'target m_id="8"', 9),
        ("corenlp", "x.json", '"corefs"', '"chains"', 1),
        ("friends", "x.json", '"character_entities"', '"characters"', 1),
        ("friends", "x.json", '[[[2, 3, "Joey Tribbiani"]]]', '[[], [[2, 3, "Joey"]]]', 1),
        ("label-studio", "x.json", '"annotations"', '"results"', 1),
        ("prodigy", "x.json", '"accept"', '"zz"', 1),
        ("semeval", "x.semeval", "\n", "\r", 1),
        ("conll-ud", "x.conll", "\n", "\r", 1),
        ("corenlp", "x.json", '"sentNum": 2', '"text": "He", "sentNum": 2', 1),
        ("corenlp", "x.json", '{"index": 1, "tokens"', '{"index": 2, "tokens"', 1),
        ("corenlp", "x.json", '"endIndex": 2', '"headIndex": 2, "endIndex": 2', 1),
        ("corenlp-xml", "x.xml", "<head>1", "<head>2", 19),
        (
            "label-studio",
            "x.json",
            '"start": 9, "end": 12',
            '"start": 9, "end": 12, "text": "x"',
            1,
        ),
        ("onf", "x.onf", "(IDENT)", "(OTHER)", 17),
        ("prodigy", "x.json", '"end": 12}]', '"end": 12, "text": "his"}]', 1),
        (
            "prodigy",
            "x.json",
            '"spans"',
            '"tokens": [{"text": "A", "start": 0, "end": 4}], "spans"',
            1,
        ),
        ("prodigy", "x.json", '"accept"', '"reject"', 1),
        ("stanza", "x.conllu", "unit-id0,start", "unit-id0,middle-id5,start", 4),
        ("brat", "x.ann", "R1\tCoref", "R1\tOther Arg1:T2 Arg2:T1\nR1\tCoref", 4),
        ("labels", "x.csv", "document,mention,entity\nd,a,1", "start,end,entity\n5,1,a", 2),
        ("e2e", "x.json", "{", '{"cl\\u0075sters": [], ', 1),
    ],
)
def test_what_was_dropped_without_a_word_is_refused(
    format: str, file: str, old: str, new: str, line: int, tmp_path: Path
) -> None:
    for name, content in sample(format).items():
        changed = content.replace(old.encode(), new.encode(), -1 if old == "\n" else 1)
        assert (changed != content) == (name == file)
        (tmp_path / name).write_bytes(changed)
    with pytest.raises(FormatError) as caught:
        corefine.read(tmp_path / file, format)
    assert caught.value.where is not None
    assert caught.value.where.line == line


EMPTY = [one.name for one in all_formats() if one.read is not None and not one.companions]


@pytest.mark.parametrize("content", [b"", b" \n\n"])
@pytest.mark.parametrize("format", EMPTY)
def test_an_empty_file_of_a_named_format_is_refused(format: str, content: bytes) -> None:
    named = format_named(format)
    with pytest.raises(FormatError, match=r"^x: "):
        named.corpus(Source("x", content=content))


def test_types_in_place_of_entities_are_refused_in_conllu() -> None:
    rows = ["# newdoc id = x"]
    for number, type in enumerate(("person", "place", "person"), 1):
        rows.append(f"{number}\tw\t_\t_\t_\t_\t_\t_\t_\tEntity=({type})")
    with pytest.raises(FormatError, match="types such as 'person'"):
        parse("\n".join(rows) + "\n", "conllu")
    header = "# global.Entity = etype-identity\n"
    with pytest.raises(FormatError, match="no field 'eid'"):
        parse(header + "\n".join(rows) + "\n", "conllu")


def test_types_of_brat_that_number_clusters_are_entities() -> None:
    lines = b"T1\tCluster1 0 4\tAnna\nT2\tCluster2 5 8\tsaw\nT3\tCluster1 9 12\ther\n"
    corpus = read_files({"x.txt": b"Anna saw her.", "x.ann": lines})
    assert entity_words(corpus) == {"x": [["Anna", "her"], ["saw"]]}
    assert len(corpus.warnings) == 1


@pytest.mark.parametrize("tags", ["\tNN", "\t0\tNN", "\tNN\tx\tnsubj\tx"])
def test_words_of_conll_in_the_first_column_are_refused_in_any_width(tags: str) -> None:
    content = "".join(f"w{row}{tags}\t(1)\n" for row in range(3))
    assert place_of_error(parse, content, "conll", "x.conll") == "x.conll:1"


def test_words_of_conll_in_the_first_column_are_refused() -> None:
    words = ["one", "two", "three", "four", "five", "six"]
    rows = "".join(f"{word}\tlemma{n}\tNOUN\t_\t_\t(1)\n" for n, word in enumerate(words))
    assert place_of_error(parse, f"#begin document (x);\n{rows}#end document\n", "conll") == "x:2"


def test_a_table_without_brackets_is_not_conll() -> None:
    content = "a\tb\tc\td\te\tf\n" + "1\t2\t3\t4\t5\t-\n" * 3
    with pytest.raises(FormatError, match="unknown format"):
        parse(content, name="x.tsv")
    with pytest.raises(FormatError, match="unknown format"):
        parse("1\t2\t3\t4\t5\t-\n" * 3, name="x.tsv")


# --- messages -------------------------------------------------------------------------------------


def message_of(content: str, name: str = "x") -> str:
    with pytest.raises(FormatError) as caught:
        parse(content, name=name)
    return str(caught.value)


@pytest.mark.parametrize("array", [False, True])
def test_a_long_record_of_an_unknown_format_is_not_called_cut(array: bool) -> None:
    record = json.dumps({"spans": [[0, 0]] * 20000, "title": "a"})
    found = message_of(f"[{record}, {record}]" if array else record + "\n")
    assert "their keys are spans, title" in found


def test_sacr_and_conllu_plus_are_named() -> None:
    assert "SACR" in message_of('{M1:ref="x" Anna} saw {M1:ref="x" her}\n', "x.sacr")
    columns = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC A B COREF\n"
    row = "\t".join(["1", "Anna", *"__________", "(1)"]) + "\n"
    assert "CoNLL-U Plus" in message_of(columns + row + "2" + row[1:], "x.conllup")


def test_a_table_of_unique_ids_is_read_and_one_without_mentions_says_so() -> None:
    corpus = parse("unique_id,cluster\na,1\nb,1\n", name="x.csv")
    assert corpus.to_dict(ends="inclusive") == {"": [["a", "b"]]}
    assert "without a mention column" in message_of("name,cluster\na,1\nb,1\n", "x.csv")


def test_the_error_for_a_missing_document_names_both_files(tmp_path: Path) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    document = "#begin document ({});\nd 0 0 Anna (1)\n#end document\n"
    key.write_text(document.format("a") + document.format("b"))
    response.write_text(document.format("a"))
    with pytest.raises(corefine.CorefineError) as caught:
        corefine.score(key, response)
    assert str(key) in str(caught.value)
    assert str(response) in str(caught.value)


# --- conversions ----------------------------------------------------------------------------------

CONLLU = (
    "# newdoc id = x\n# global.Entity = eid-etype-head-other\n# meta::author = A\n\n"
    "# sent_id = x-1\n# text = Anna saw del house\n"
    "1\tAnna\tanna\tPROPN\t_\t_\t2\tnsubj\t2:nsubj|4:dep\tEntity=(e1-person-1-)|SpaceAfter=No\n"
    "2\tsaw\tsee\tVERB\t_\t_\t0\troot\t0:root\tDiscourse=x\n"
    "3-4\tdel\t_\t_\t_\t_\t_\t_\t_\tTypo=Yes\n"
    "3\tde\tde\tADP\t_\t_\t4\tcase\t4:case\tEntity=(e2-place-2-\n"
    "4\tel\tel\tDET\t_\t_\t2\tobl\t2:obl\tEntity=e2)\n\n"
)
CONLL = (
    "#begin document (x); part 000\n"
    "x   0   0   Anna   NNP   (TOP*   -   -   -   A   (PER)   (ARG0*)   (1)\n"
    "x   0   1   saw    VBD   *       see 01  1   A   *       (V*)      -\n"
    "x   0   2   her    PRP   *)      -   -   -   A   *       (ARG1*)   (1)\n\n#end document\n"
)


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        (CONLLU, ".conllu"),
        (CONLLU.replace("# newdoc id = x\n", ""), ".conllu"),
        (CONLL, ".conll"),
        (
            json_lines({"doc_key": "x", "sentences": [["a"]], "clusters": [[[0, 0]]], "z": 1}),
            ".jsonl",
        ),
    ],
)
@pytest.mark.parametrize("piped", [False, True])
def test_a_conversion_from_standard_input_changes_nothing(
    text: str | bytes, suffix: str, piped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = text.encode() if isinstance(text, str) else text
    place, target = "-", tmp_path / f"b{suffix}"
    if piped:
        place = str(tmp_path / f"pipe{suffix}")
        os.mkfifo(place)
        writer = threading.Thread(target=Path(place).write_bytes, args=[content])
        writer.start()
    else:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    corpus = corefine.convert(place, target)
    if piped:
        writer.join()
    assert target.read_bytes() == content
    assert corpus.warnings == ()


def test_what_a_conversion_from_standard_input_drops_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CONLLU.encode())))
    *_, warning = corefine.convert("-", tmp_path / "b.jsonl", lossy=True).warnings
    assert "comments (2)" in warning


@pytest.mark.parametrize(("text", "suffix"), [(CONLLU, ".conllu"), (CONLL, ".conll")])
def test_only_changed_entities_are_edited(text: str, suffix: str, tmp_path: Path) -> None:
    path, target = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    path.write_text(text)
    (document,) = corpus = corefine.read(path)
    document.mentions.pop(0)
    changed = corefine.Corpus.from_documents([document], corpus.format)
    corefine.write(changed, target)
    assert corefine.read(target).to_dict(ends="inclusive") == changed.to_dict(ends="inclusive")
    lines = zip(text.split("\n"), target.read_text().split("\n"), strict=True)
    differing = [new for old, new in lines if old != new]
    assert len(differing) == 1
    assert "Anna" in differing[0]
    assert differing[0].endswith("SpaceAfter=No" if suffix == ".conllu" else " -")


def test_files_of_a_folder_are_joined_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    unnamed = CONLLU.replace("# newdoc id = x\n", "")
    (folder / "a.conllu").write_text(CONLLU)
    (folder / "b.conllu").write_text(unnamed)
    before = corefine.convert(folder, tmp_path / "out.conllu")
    text = (tmp_path / "out.conllu").read_text()
    assert text == CONLLU + "# newdoc id = b\n" + unnamed
    assert corefine.read(tmp_path / "out.conllu").to_dict(ends="inclusive") == before.to_dict(
        ends="inclusive"
    )


def test_what_another_format_cannot_carry_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU)
    *_, warning = corefine.convert(path, tmp_path / "b.jsonl", lossy=True).warnings
    for what in ("comments (2)", "multiword tokens (1)", "SpaceAfter in MISC (1)", "layer deps"):
        assert what in warning
    path = tmp_path / "a.conll"
    path.write_text(CONLL)
    *_, warning = corefine.convert(path, tmp_path / "b.jsonl").warnings
    assert "senses of words (1)" in warning


def test_the_order_of_the_entities_of_a_mention_is_kept_or_reported(tmp_path: Path) -> None:
    cells = ["(1)", "(3|(1", "1)|3)", "(1)", "(3)"]
    rows = "".join(f"x\t0\t{n}\tw{n}\t{cell}\n" for n, cell in enumerate(cells))
    path = tmp_path / "a.conll"
    path.write_text(f"#begin document (x); part 000\n{rows}\n#end document\n")
    corpus = corefine.read(path)
    for format in all_formats():
        if format.write is None or losses(corpus, format):
            continue
        again = read_back(corpus, format)
        assert corefine.score(corpus, again)["bcub"].f1 == 1.0, format.name
    assert losses(corpus, format_named("e2e")) == ["the order of a mention's entities (1)"]


# --- plug-ins and names ---------------------------------------------------------------------------


def foreign(function: Callable[..., object]) -> Callable[..., object]:
    """A function as of another package."""
    function.__module__ = "toy.formats"
    return function


@pytest.mark.parametrize("pieces", [lambda corpus: 1 / 0, lambda corpus: ["text"]])
def test_a_writer_that_fails_is_named_with_its_package(
    pieces: Callable[..., object], tmp_path: Path
) -> None:
    format = Format("toy", "Toy", write=foreign(pieces))
    corpus = corefine.Corpus.from_entities([["a", "b"]])
    with pytest.raises(corefine.CorefineError, match="the format toy of the package toy failed"):
        b"".join(format.written(corpus))


@pytest.mark.parametrize(
    "fields",
    [{"title": ""}, {"name": "Two Words"}, {"suffixes": ".x"}, {"read": "read"}, {"read": None}],
)
def test_a_faulty_format_is_refused_when_it_is_registered(fields: dict[str, Any]) -> None:
    given: dict[str, Any] = {"name": "toy", "title": "Toy", "read": list} | fields
    with refused("usage"):
        register(Format(**given))


def test_a_metric_without_a_title_is_refused_when_it_is_registered() -> None:
    with refused("usage"):

        @register_metric
        class Untitled(RatioMetric):
            name = "untitled"
            summary = "A metric."


@pytest.mark.parametrize(
    ("name", "format"),
    [
        *(("csv", "labels"), ("tsv", "labels"), ("json", "e2e"), ("jsonl", "e2e")),
        *(("conll2012", "conll"), ("conll-2012", "conll"), ("corefud", "conllu")),
        *(("inception", "webanno"), ("conllua", "ua"), (".CONLLUA", "ua"), ("CoNLL", "conll")),
    ],
)
def test_names_that_people_type(name: str, format: str) -> None:
    assert format_named(name).name == format


def test_json_is_read_in_any_dialect_and_tsv_is_written_with_tabs(tmp_path: Path) -> None:
    record = {"text": "Anna saw her.", "clusters": [[[0, 4], [9, 12]]]}
    assert parse(json_lines(record), "jsonl").format == "fastcoref"
    corefine.write(corefine.Corpus.from_entities([["a", "b"]]), tmp_path / "x", "tsv")
    assert (tmp_path / "x").read_text().startswith("document\tmention\tentity\n")


def test_a_misspelt_format_gets_at_most_three_suggestions() -> None:
    with pytest.raises(corefine.CorefineError) as caught:
        format_named("conl")
    assert caught.value.code == "unknown-format"
    remedy = str(caught.value.remedy)
    assert "'conll'" in remedy
    assert remedy.count(" or ") <= 2
    assert len(remedy) < 120


def test_labels_of_entities_in_litbank_are_unique() -> None:
    """Names that differ only in control characters become different names."""
    mentions = [corefine.Mention("a" + "\x01" * n, [(n, n + 1)]) for n in range(200)]
    document = corefine.Document("x", ["w"] * 200, mentions)
    text = dict(write_litbank([document]))["x.tsv"].decode()
    names = [line.split("\t")[2] for line in text.splitlines() if line.startswith("COREF")]
    assert len(set(names)) == 200


@pytest.mark.parametrize("format", ["webanno", "stanza"])
def test_formats_that_repeat_mentions_at_every_word_refuse_deep_nests(format: str) -> None:
    size = 1500
    mentions = [Mention(f"e{start % 9}", [(start, size)]) for start in range(size)]
    with pytest.raises(CorefineError, match="nested so deeply"):
        losses(Corpus.from_documents([Document("d", ["w"] * size, mentions)]), format_named(format))


def test_documents_by_number_are_those_of_the_corpus() -> None:
    mentions = [
        Mention("a", [(0, 1), (2, 3)], minimum=(2, 3)),
        Mention("b", [(1, 2)], head=1),
        Mention("a", [(0, 2)]),
    ]
    tokens = ["w", "x", "y"]
    documents = [Document(name, tokens, mentions[part:]) for part, name in enumerate("xyz")]
    corpus = Corpus.from_documents(documents)
    assert [corpus[name] for name in "xyz"] == [corpus[number] for number in range(3)]
    assert [one.mentions for one in corpus] == [one.mentions for one in documents]
    assert [corpus[number].mentions for number in range(3)] == [one.mentions for one in documents]


def test_an_answer_without_a_document_id_is_scored_at_each_of_its_places(tmp_path: Path) -> None:
    words = ["Anna", "saw", "her", "and", "saw", "her"]
    key = Corpus.from_documents([Document("x", words, [Mention("a", [(0, 1)])])])
    path = tmp_path / "x.json"
    path.write_text('{"text": "Anna saw her and saw her", "clusters": [["Anna", "her"]]}')
    scores = corefine.score(key, path, "muc", response_format="string-clusters")
    assert scores.counts.placements["muc"]


def test_words_of_records_that_no_file_could_hold_are_refused() -> None:
    record = {"doc_key": "x", "sentences": [["\ud800"]], "clusters": []}
    with refused("usage", "<response>:1"):
        corefine.score([{**record, "sentences": [["a"]]}], [record], "muc")


def test_a_mention_that_is_added_by_writing_is_reported() -> None:
    words = ["é<\r&", "[-", "e", "", "", "]}"]
    corpus = Corpus.from_documents([Document("x", words, [Mention("e", [(4, 5)])])])
    assert losses(corpus, format_named("answers")) != []


def test_the_name_of_a_document_begins_with_no_control_character() -> None:
    text = "# newdoc id =\x0cx\n1\tAnna" + 8 * "\t_" + "\n\n"
    assert parse(text, name="y.conllu").documents == ("x",)


def test_brackets_before_the_last_column_of_a_multiword_token_are_passed_over_at_once() -> None:
    blank = 8 * "\t_"
    rows = [f"1\tAnna{blank}\t(1)", f"2\tparle{blank}\t-", f"3\tde{blank}\t-", f"4\tle{blank}\t-"]
    rows.insert(2, "3-4\tdu\t_\t" + 60_000 * ")" + 7 * "\t_")
    text = "\n".join(["#begin document x", *rows, "", "#end document", ""])
    assert parse(text, name="x.conll")[0].tokens == ["Anna", "parle", "de", "le"]


@pytest.mark.parametrize("mark", ["documenté", "document (x); part \r00"])
def test_a_document_of_conll_begins_whatever_follows_the_word(mark: str) -> None:
    rows = "x\t0\t0\tAnna\tNNP\t(1)\nx\t0\t1\tde la\tVBD\t-\n\n#end document\n"
    corpus = parse(f"#begin {mark}\n{rows}", name="y.conll")
    assert corpus.documents != ("y",)
    assert corpus[0].words == ["Anna", "de la"]
