"""CCL: annotations by channel, relations, and XML as it is written and refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from corefine import Corpus, Kind
from corefine.formats import read
from tests.building.format_files import place_of_error, put, read_files
from tests.fuzzing.samples import sample

SAMPLE = sample("ccl")
TEXT, RELATIONS = SAMPLE["x.xml"], SAMPLE["x.rel.xml"]
ENTITIES = {"x": [[(0, 0), (1, 1)]]}
Change = Callable[[bytes], bytes]


def changed(text: Change = bytes, relations: Change = bytes) -> Corpus:
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
    written = "".join(
        '<rel name="coreference_pn">'
        + "".join(
            f'<{name} sent="s" chan="{end.split("=")[0]}">{end.split("=")[1]}</{name}>'
            for name, end in zip(("from", "to"), pair.split("-"), strict=True)
        )
        + "</rel>"
        for pair in relations.split()
    )
    files = {"x.xml": text.encode(), "x.rel.xml": f"<relations>{written}</relations>".encode()}
    return read_files(files, "ccl")


def kinds_of(corpus: Corpus) -> dict[str, str]:
    return {
        document.words_of(mention): mention.kind.name
        for document in corpus
        for mention in document.mentions
    }


def test_kinds_types_layers_and_lines_of_the_sample() -> None:
    (document,) = read_files(SAMPLE)
    assert [(mention.kind, mention.type) for mention in document.mentions] == [
        (Kind.NAME, "nam_liv_person"), (Kind.ZERO, None),
    ]  # fmt: skip
    assert document.layers["lemma"] == ["Ala", "spać"]
    assert document.layers["pos"] == ["subst:sg:nom:f", "fin:sg:ter:imperf"]
    assert document.lines == [4, 10]


def test_a_document_of_kpwr(data: Path) -> None:
    corpus = read(data / "kpwr-sample")
    entities = corpus.to_dict(ends="inclusive")["00099883"]
    assert [entity for entity in entities if len(entity) > 1] == [
        [(0, 2), (3, 5), (20, 20), (36, 36), (55, 55), (69, 69)]
    ]
    kinds = kinds_of(corpus)
    assert kinds["Toronto Dominion Centre"] == "NAME"
    assert kinds["Składa"] == "ZERO"
    assert kinds["Budynki"] == kinds["budynkami"] == kinds["kompleksie"] == "NOMINAL"
    document = corpus[0]
    assert (len(entities), len(document.tokens or ()), len(document.starts)) == (17, 86, 7)


def test_heads_gaps_and_closure() -> None:
    corpus = with_tokens(
        "a adj anafora_wyznacznik=1=",
        "b x nam=7=",
        "c ppron3 anafora_wyznacznik=1=h nam=8=",
        "d x nam=9= chunk_np=1=",
        relations="anafora_wyznacznik=1-nam=7 nam=9-nam=8 chunk_np=1-anafora_wyznacznik=1",
    )
    assert corpus.to_dict(ends="inclusive") == {
        "x": [[((0, 0), (2, 2)), (1, 1), (3, 3)], [(2, 2), (3, 3)]]
    }
    assert [mention.head for mention in corpus[0].mentions] == [2, None, None, None, None]
    assert kinds_of(corpus)["a c"] == "PRONOUN"
    several = with_tokens(
        "a x nam_loc=1= nam_org=1= anafora_wyznacznik=1=",
        "b x nam_loc=2= nam_org=2=",
        relations="nam_org=1-nam_loc=2",
    )
    assert several.to_dict(ends="inclusive") == ENTITIES
    assert several.types == ("nam_org", "nam_loc")


def test_relations_belong_to_their_document(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        put({f"{name}.xml": TEXT, f"{name}.rel.xml": RELATIONS}, tmp_path)
    put({"b.rel.xml": b"<relations/>", "c.ini": b"[x]"}, tmp_path)
    (tmp_path / "c.rel.xml").unlink()
    corpus = read(tmp_path)
    assert corpus.warnings == ()
    assert [len(document.entities) for document in corpus] == [1, 2, 2]
    assert str(corpus.location(1, 1)) == f"{tmp_path / 'b.xml'}:10"
    whole = TEXT.replace(b"</chunkList>", RELATIONS + b"</chunkList>")
    assert read_files({"x.xml": whole}, "ccl").to_dict(ends="inclusive") == ENTITIES
    other = changed(relations=lambda r: r.replace(b"oreference", b"omposition"))
    assert len(other.entities) == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda t: b"\xef\xbb\xbf" + t,
        lambda t: b'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE x SYSTEM "ccl.dtd">\n' + t,
        lambda t: t.replace(b"\n", b"\r\n"),
        lambda t: t.replace(b'="', b'  =\n "'),
        lambda t: t.replace(b"<tok>", b"<!-- > --><tok><?pi > ?>"),
        lambda t: t.replace(b"<orth>Ala", b"<orth><![CDATA[Ala]]>"),
        lambda t: t.replace(b"Ala", b"&#65;l&#x61;"),
        lambda t: t.replace(b"<tok>", b"<!-- &x; --><tok>"),
        lambda t: b'<?xml version="1.0" encoding="iso-8859-2"?>' + t.decode().encode("iso-8859-2"),
        lambda t: b"<!DOCTYPE chunkList [<!ELEMENT chunkList ANY>]>" + t,
        lambda t: t.replace(b"</orth>", b"</orth><ns/>").replace(b"0</ann>", b" 0 </ann>"),
        lambda t: t.replace(b'chan="nam', b'x="a=b" chan="nam'),
        lambda t: t.replace(b"<sentence", b'<chunk type="s"').replace(b"</sentence", b"</chunk"),
        lambda t: b"<cesAna>" + t + b"</cesAna>",
    ],
)
def test_xml_may_be_written_in_many_ways(change: Change) -> None:
    corpus = changed(change)
    assert corpus.to_dict(ends="inclusive") == ENTITIES
    assert corpus[0].tokens == ["Ala", "śpi"]
    assert corpus.types == ("nam_liv_person",)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        *((lambda t, name=name: t.decode().encode(name), "x.xml:1")
          for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")),
        (lambda t: t.replace(b"Ala", b"A<b>l</b>a"), "x.xml"),
        (lambda t: t.replace(b'nam_liv_person">1<', b'nam_liv_person">1<b/><'), "x.xml"),
        (lambda t: t[:-20], "x.xml"),
        (lambda t: b"", "x.xml"),
        (lambda t: b"hello", "x.xml"),
        (lambda t: t.replace(b"<tok>", b"<tok", 1), "x.xml"),
        (lambda t: t.replace(b"Ala", b"A\xffa"), "x.xml"),
        (lambda t: b"<a>" * 300 + b"</a>" * 300, "x.xml:1"),
        (lambda t: t.replace(b"sentence", b"phrase"), "x.xml"),
        (lambda t: t.replace(b"orth", b"word", 2), "x.xml:4"),
        (lambda t: t.replace(b"<lex", b"<orth>x</orth><lex", 1), "x.xml"),
        (lambda t: t.replace(b"</tok>\n   <tok>", b"<tok>").replace(
            b"</sentence>", b"</tok></sentence>"), "x.xml:9"),
        (lambda t: t.replace(b">1<", b">one<", 1), "x.xml"),
        (lambda t: t.replace(b">1<", b">-1<", 1), "x.xml"),
        (lambda t: t.replace(b"</tok>", b'</tok><ann chan="nam">1</ann>', 1), "x.xml"),
        (lambda t: t.replace(b' chan="nam_liv_person"', b""), "x.xml:7"),
        (lambda t: t.replace(b"<chunkList>", b'<chunkList xmlns="x">'), "x.xml"),
        (lambda t: t.replace(b' id="sent1"', b""), "x.rel.xml:3"),
    ],
)  # fmt: skip
def test_malformed_texts_are_refused(change: Change, place: str) -> None:
    assert place_of_error(changed, change).startswith(place)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda r: r[:-9], "x.rel.xml"),
        (lambda r: r.replace(b"sent1", b"sent2", 1), "x.rel.xml:3"),
        (lambda r: r.replace(b">1<", b">2<", 1), "x.rel.xml:3"),
        (lambda r: r.replace(b">1<", b"><", 1), "x.rel.xml:3"),
        (lambda r: r.replace(b"nam_liv", b"nam_loc"), "x.rel.xml:4"),
        (lambda r: r.replace(b"<from", b"<to").replace(b"</from", b"</to"), "x.rel.xml:2"),
        (lambda r: b'<relations><rel name="coref"/></relations>', "x.rel.xml:1"),
    ],
)
def test_malformed_relations_are_refused(change: Change, place: str) -> None:
    assert place_of_error(changed, bytes, change).startswith(place)
