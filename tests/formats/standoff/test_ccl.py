"""CCL: annotations by channel, relations, what is refused of XML, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError
from corefine.formats import losses, read
from corefine.formats.input import xml_files
from corefine.formats.standoff import ccl
from tests.building.standoff_corpora import (
    again,
    content,
    put,
    read_files,
    sample_files,
)

assert ccl.__doc__ is not None
SAMPLE = sample_files(ccl.__doc__, ["x.xml", "x.rel.xml"])
TEXT, RELATIONS = SAMPLE["x.xml"], SAMPLE["x.rel.xml"]


def changed(
    text: Callable[[bytes], bytes] = bytes, relations: Callable[[bytes], bytes] = bytes
) -> Corpus:
    return read_files({"x.xml": text(TEXT), "x.rel.xml": relations(RELATIONS)}, "ccl")


def with_tokens(*tokens: str, relations: str = "") -> Corpus:
    """A document of one sentence: words with their tags and annotations, all apart by blanks."""
    rows = []
    for token in tokens:
        word, tag, *annotations = token.split()
        said = "".join(
            f'<ann chan="{channel}"{head and " head=" + repr("1")}>{number}</ann>'
            for channel, number, head in (part.split("=")[:3] for part in annotations)
        )
        rows.append(
            f'<tok><orth>{word}</orth><lex disamb="1"><base>b</base><ctag>{tag}</ctag></lex>'
            f"{said}</tok>"
        )
    text = f'<chunkList><sentence id="s">{"".join(rows)}</sentence></chunkList>'
    ends = [pair.split("-") for pair in relations.split()]
    written = "".join(
        '<rel name="coreference_pn">'
        + "".join(
            f'<{name} sent="s" chan="{end.split("=")[0]}">{end.split("=")[1]}</{name}>'
            for name, end in zip(("from", "to"), pair, strict=True)
        )
        + "</rel>"
        for pair in ends
    )
    files = {"x.xml": text.encode(), "x.rel.xml": f"<relations>{written}</relations>".encode()}
    return read_files(files, "ccl")


def kinds_of(corpus: Corpus) -> dict[str, str]:
    assert corpus.mentions.kind is not None
    return {
        corpus.text_of(index): Kind(kind).name
        for index, kind in enumerate(corpus.mentions.kind.tolist())
    }


def test_the_sample_of_the_documentation() -> None:
    corpus = read_files(SAMPLE)
    assert corpus.format == "ccl"
    assert corpus.to_dict() == {"x": [[(0, 0), (1, 1)]]}
    assert kinds_of(corpus) == {"Ala": "NAME", "śpi": "ZERO"}
    assert corpus.types == ("nam_liv_person",)
    assert corpus.tokens is not None
    assert corpus.tokens.layers["lemma"].tolist() == ["Ala", "spać"]
    assert corpus.tokens.layers["pos"].tolist() == ["subst:sg:nom:f", "fin:sg:ter:imperf"]
    assert corpus.tokens.lines is not None
    assert corpus.tokens.lines.tolist() == [4, 10]


def test_a_document_of_kpwr(data: Path) -> None:
    corpus = read(data / "kpwr-sample")
    assert corpus.documents == ("00099883",)
    entities = corpus.to_dict()["00099883"]
    (entity,) = (entity for entity in entities if len(entity) > 1)
    assert entity == [(0, 2), (3, 5), (20, 20), (36, 36), (55, 55), (69, 69)]
    mentions = [corpus.mentions.entity.tolist().index(corpus.mentions.entity[0])]
    assert mentions == [0]
    kinds = kinds_of(corpus)
    assert kinds["Toronto Dominion Centre"] == "NAME"
    assert kinds["Składa"] == "ZERO"
    assert kinds["Budynki"] == kinds["budynkami"] == kinds["kompleksie"] == "NOMINAL"
    assert len(entities) == 17
    assert corpus.tokens is not None
    assert len(corpus.tokens) == 86
    assert len(corpus.tokens.sentences) == 7
    assert losses(corpus, ccl.CCL) == []
    assert content(again(corpus, "ccl")) == content(corpus)


def test_kinds_by_channel_and_tag() -> None:
    corpus = with_tokens(
        "Jan subst:sg nam_liv_person=1=",
        "on ppron3:sg anafora_wyznacznik=1=",
        "siebie siebie:acc anafora_wyznacznik=2=",
        "śpi fin:sg anafora_wyznacznik=3=",
        "wstał praet:sg anafora_verb_null_in=1=",
        "stary adj:sg anafora_wyznacznik=4=",
        "dom subst:sg anafora_wyznacznik=4=",
        "kot subst:sg mention=1=",
        "je fin:sg chunk_vp=1=",
    )
    assert kinds_of(corpus) == {
        "Jan": "NAME",
        "on": "PRONOUN",
        "siebie": "PRONOUN",
        "śpi": "ZERO",
        "wstał": "ZERO",
        "stary dom": "NOMINAL",
        "kot": "UNKNOWN",
    }


def test_heads_gaps_and_closure() -> None:
    corpus = with_tokens(
        "a adj anafora_wyznacznik=1=",
        "b x nam=7=",
        "c ppron3 anafora_wyznacznik=1=h nam=8=",
        "d x nam=9= chunk_np=1=",
        relations="anafora_wyznacznik=1-nam=7 nam=9-nam=8 chunk_np=1-anafora_wyznacznik=1",
    )
    assert corpus.to_dict() == {"x": [[((0, 0), (2, 2)), (1, 1), (3, 3)], [(2, 2), (3, 3)]]}
    assert corpus.mentions.head is not None
    assert corpus.mentions.head.tolist() == [2, -1, -1, -1, -1]
    assert kinds_of(corpus)["a c"] == "PRONOUN"


def test_one_expression_in_several_channels_is_one_mention() -> None:
    corpus = with_tokens(
        "a x nam_loc=1= nam_org=1= anafora_wyznacznik=1=",
        "b x nam_loc=2= nam_org=2=",
        relations="nam_org=1-nam_loc=2",
    )
    assert corpus.to_dict() == {"x": [[(0, 0), (1, 1)]]}
    assert corpus.types == ("nam_org", "nam_loc")


def test_documents_are_kept_apart(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        put({f"{name}.xml": TEXT, f"{name}.rel.xml": RELATIONS}, tmp_path)
    put({"b.rel.xml": b"<relations/>", "c.ini": b"[x]"}, tmp_path)
    (tmp_path / "c.rel.xml").unlink()
    corpus = read(tmp_path)
    assert corpus.warnings == ()
    assert corpus.to_dict() == {
        "a": [[(0, 0), (1, 1)]],
        "b": [[(0, 0)], [(1, 1)]],
        "c": [[(0, 0)], [(1, 1)]],
    }
    assert str(corpus.location(1, 1)) == f"{tmp_path / 'b.xml'}:10"


def test_relations_may_stand_in_the_text() -> None:
    whole = TEXT.replace(b"</chunkList>", RELATIONS + b"</chunkList>")
    assert read_files({"x.xml": whole}, "ccl").to_dict() == {"x": [[(0, 0), (1, 1)]]}


def test_relations_other_than_coreference_make_no_entities() -> None:
    corpus = changed(relations=lambda r: r.replace(b"oreference", b"omposition"))
    assert corpus.to_dict() == {"x": [[(0, 0)], [(1, 1)]]}


@pytest.mark.parametrize(
    "change",
    [
        lambda t: b"\xef\xbb\xbf" + t,
        lambda t: b'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE x SYSTEM "ccl.dtd">\n' + t,
        lambda t: t.replace(b"\n", b"\r\n"),
        lambda t: t.replace(b'"', b"'"),
        lambda t: t.replace(b'="', b'  =\n "'),
        lambda t: t.replace(b"<tok>", b"<!-- > --><tok><?pi > ?>"),
        lambda t: t.replace(b"<orth>Ala", b"<orth><![CDATA[Ala]]>"),
        lambda t: t.replace(b"Ala", b"&#65;l&#x61;"),
        lambda t: t.replace(b"Ala", b"&#x00000041;l&#0000097;"),
        lambda t: t.replace(b"<tok>", b"<!-- &x; --><tok>"),
        lambda t: b'<?xml version="1.0" encoding="iso-8859-2"?>' + t.decode().encode("iso-8859-2"),
        lambda t: b"<!DOCTYPE chunkList [<!ELEMENT chunkList ANY>]>" + t,
        lambda t: t.replace(b"</orth>", b"</orth><ns/>").replace(b"0</ann>", b" 0 </ann>"),
        lambda t: t.replace(b'chan="nam', b'x="a=b" chan="nam'),
        lambda t: t.replace(b"<sentence", b'<chunk type="s"').replace(b"</sentence", b"</chunk"),
        lambda t: b"<cesAna>" + t + b"</cesAna>",
    ],
)
def test_xml_may_be_written_in_many_ways(change: Callable[[bytes], bytes]) -> None:
    corpus = changed(change)
    assert corpus.to_dict() == {"x": [[(0, 0), (1, 1)]]}
    assert corpus.tokens is not None
    assert corpus.tokens.words.tolist() == ["Ala", "śpi"]
    assert corpus.types == ("nam_liv_person",)


def test_numbers_of_characters_in_annotations_and_relations() -> None:
    corpus = changed(
        lambda text: text.replace(b'">1<', b'">&#x00000031;<'),
        lambda relations: relations.replace(b"sent1", b"&#x00000073;ent1"),
    )
    assert corpus.to_dict() == {"x": [[(0, 0), (1, 1)]]}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("opening", ["", '<?xml version="1.0" encoding="UTF-16"?>'])
@pytest.mark.parametrize("format", ["ccl", None])
def test_other_encodings_without_a_mark(encoding: str, opening: str, format: str | None) -> None:
    data = (opening + SAMPLE["x.xml"].decode()).encode(encoding)
    with pytest.raises(FormatError, match=r"x\.xml:1:"):
        read_files({"x.xml": data}, format)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"<orth>Ala</orth>", b"<orth>A<b>l</b>a</orth>"),
        (b"<orth>Ala</orth>", b"<orth>Ala<lex/></orth>"),
        (b'nam_liv_person">1<', b'nam_liv_person">1<b/><'),
        (b'nam_liv_person">0<', b'nam_liv_person">0<b/>1<'),
    ],
)
def test_markup_inside_of_text_is_refused(old: bytes, new: bytes) -> None:
    with pytest.raises(FormatError, match=r"x\.xml:\d+:"):
        read_files(SAMPLE | {"x.xml": SAMPLE["x.xml"].replace(old, new)})


def test_words_with_signs_of_xml() -> None:
    corpus = changed(lambda t: t.replace(b"Ala<", b"a&lt;&amp;>&quot;&#13;b<", 1))
    assert corpus.tokens is not None
    assert corpus.tokens.words[0] == 'a<&>"\rb'


BOMB = b"".join(
    [
        b"<!DOCTYPE chunkList [\n<!ENTITY a0 'ha'>\n",
        *(b"<!ENTITY a%d '%s'>\n" % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12)),
        b"]>\n",
    ]
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: BOMB + t.replace(b"Ala", b"&a11;"), r"xml:2:"),
        (lambda t: BOMB + t.replace(b"sent1", b"&a11;"), r"xml:2:"),
        (
            lambda t: b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n' + t,
            r"xml:1:",
        ),
        (
            lambda t: b'<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]>' + t,
            r"x\.",
        ),
        (lambda t: t.replace(b"Ala", b"&nbsp;"), r"x\."),
        (
            lambda t: b'<!DOCTYPE x SYSTEM "ccl.dtd">' + t.replace(b"Ala", b"&nbsp;"),
            r"x\.",
        ),
        (
            lambda t: (
                b'<?xml version="1.0" encoding="UTF-7"?>\n'
                + (b'<!DOCTYPE x [<!ENTITY e "boo">]>' + t.replace(b"Ala", b"&e;"))
                .decode()
                .encode("utf-7")
            ),
            r"x\.",
        ),
    ],
)
def test_entities_are_refused(change: Callable[[bytes], bytes], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        changed(change)


def test_a_file_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_files, "LARGEST", 1 << 20)
    with pytest.raises(FormatError, match=r"x\.xml:"):
        changed(lambda t: t + b" " * (1 << 20))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t[:-20], r"x\."),
        (lambda t: b"", r"x\."),
        (lambda t: b"hello", r"x\."),
        (lambda t: t.replace(b"<tok>", b"<tok", 1), r"x\."),
        (lambda t: t.replace(b"Ala", b"A\x00a"), r"x\."),
        (lambda t: t.replace(b"Ala", b"A\xffa"), r"x\."),
        (lambda t: b"<a>" * 300 + b"</a>" * 300, r"x\.xml:1:"),
        (lambda t: t.replace(b"sentence", b"phrase"), r"x\.xml:\d:"),
        (lambda t: t.replace(b"orth", b"word", 2), r"x\.xml:4:"),
        (lambda t: t.replace(b"<lex", b"<orth>x</orth><lex", 1), r"x\."),
        (lambda t: t.replace(b"</tok>\n   <tok>", b"<tok>").replace(
            b"</sentence>", b"</tok></sentence>"), r"x\.xml:9:"),
        (lambda t: t.replace(b">1<", b">one<", 1), r"x\."),
        (lambda t: t.replace(b">1<", b">-1<", 1), r"x\."),
        (lambda t: t.replace(b"</tok>", b'</tok><ann chan="nam">1</ann>', 1), r"x\.xml:\d+:"),
        (lambda t: t.replace(b' chan="nam_liv_person"', b""), r"xml:7:"),
        (lambda t: t.replace(b"<chunkList>", b'<chunkList xmlns="x">'), r"x\.xml:\d:"),
        (lambda t: t.replace(b"tok>", b"TOK>"), r"x\.xml:\d:"),
        (lambda t: t.replace(b' id="sent1"', b""), r"rel\.xml:3:"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_text_is_told(
    change: Callable[[bytes], bytes], message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        changed(change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r[:-9], r"x\."),
        (lambda r: r.replace(b"sent1", b"sent2", 1), r"rel\.xml:3:"),
        (lambda r: r.replace(b">1<", b">2<", 1), r"x\.rel\.xml:3:"),
        (lambda r: r.replace(b">1<", b"><", 1), r"x\.rel\.xml:3:"),
        (lambda r: r.replace(b"nam_liv", b"nam_loc"), r"x\.rel\.xml:4:"),
        (lambda r: r.replace(b"<from", b"<to").replace(b"</from", b"</to"), r"x\.rel\.xml:2:"),
        (lambda r: b'<relations><rel name="coref"/></relations>', r"xml:1:"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_relations_is_told(
    change: Callable[[bytes], bytes], message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        changed(relations=change)


def test_tags_and_odd_words_come_back() -> None:
    corpus = changed()
    assert corpus.tokens is not None
    words = Strings.from_list(["a\tb\n\r<&>", ""])
    odd = replace(corpus, tokens=replace(corpus.tokens, words=words), documents=("a.rel",))
    found = again(odd, "ccl")
    assert content(found) == content(odd)
    assert found.tokens is not None
    assert found.tokens.layers["pos"].tolist() == corpus.tokens.layers["pos"].tolist()
    wrong = replace(odd, tokens=replace(corpus.tokens, words=Strings.from_list(["\x01", "x"])))
    assert losses(wrong, ccl.CCL) == ["words (1, such as '\\x01')"]
