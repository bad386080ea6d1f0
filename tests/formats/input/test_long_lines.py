"""Lines that never end: an error in every format, before much of the file is read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from corefine.auditing import checking
from corefine.auditing.checking import check
from corefine.errors import FormatError
from corefine.formats import all_formats, format_named, read
from corefine.formats.input import index as indexing
from corefine.formats.input import lines, xml_files
from corefine.formats.input.index import index_documents
from corefine.formats.jsonlines import records as jsonl
from corefine.formats.standoff import cas
from corefine.formats.tables import parquet
from tests.building.standoff_corpora import put
from tests.fuzzing.samples import SOURCE, TAGGED

LIMIT = lines.LONGEST_LINE
LONG = b"a" * (8 * LIMIT)
CCL = b'<chunkList><sentence id="s"><tok><orth>%s</orth></tok></sentence></chunkList>'
CHAINS = b'c="a" 1:0 1:0||t="coref person"\n'
MENTION = b"MENTION\tT1\t0\t0\t0\t0\ta\tPER\tPROP\n"

CASES: list[tuple[str, str, dict[str, bytes]]] = [
    ("conll", "x", {"x": b"#begin document (x); part 000\nx 0 0 a (1)\nx 0 1 " + LONG}),
    ("conll", "x", {"x": b"#begin document (x" + LONG}),
    ("conll-ud", "x", {"x": b"#begin document x\n1\ta\ta\tNOUN\t(1)\n2\t" + LONG}),
    *((name, "x", {"x": b'{"doc_id": "x", "output": "' + LONG}) for name in TAGGED),
    *((name, "x", {"x": b"Anna saw " + LONG}) for name in TAGGED),
    ("conllu", "x", {"x": b"# global.Entity = eid-etype-head-other\n1\t" + LONG}),
    ("conllu", "x", {"x": b"# global.Entity = eid-etype-head-other\n# newdoc id = " + LONG}),
    ("ua", "x", {"x": b"# global.columns = ID FORM IDENTITY\n1\t" + LONG}),
    ("semeval", "x", {"x": b"#begin document x\n1\ta\t(1)\n2\t" + LONG}),
    *(
        (name, "x", {"x": b'{"doc_key": "' + LONG})
        for name in (
            "e2e",
            "e2e-predicted",
            "fastcoref",
            "maverick",
            "preco",
            "wl-coref",
            "allennlp",
            "clusters",
            "coref-data",
            "corenlp",
            "xcore",
            "friends",
            "prodigy",
            "doccano",
            "string-clusters",
        )
    ),
    ("crac-json", "x", {"x": b'[{"doc_id": "' + LONG}),
    ("label-studio", "x", {"x": b'[{"id": 1, "data": {"text": "' + LONG}),
    ("stanza", "x", {"x": b"1\ta\t_\t_\t_\t_\t_\t_\t_\tcoref_chains=unit-id0\n2\t" + LONG}),
    ("webanno", "x.tsv", {"x.tsv": b"#FORMAT=WebAnno TSV 3.3\n1-1\t" + LONG}),
    ("booknlp", "x.entities", {"x.entities": b"COREF\t" + LONG}),
    ("booknlp", "x.entities", {"x.entities": b"COREF\n", "x.tokens": b"word\t" + LONG}),
    ("gap", "x.tsv", {"x.tsv": b"ID\tText\t" + LONG}),
    ("ecb", "x.xml", {"x.xml": b'<Document doc_name="x"><token t_id="1">' + LONG}),
    ("cas-json", "x.json", {"x.json": b'{"%TYPES": {}, "x": "' + LONG}),
    ("xmi", "x.xmi", {"x.xmi": b"<xmi:XMI>" + LONG}),
    ("labels", "x", {"x": b"document,mention,entity\nd,m," + LONG}),
    ("labels", "x", {"x": b'document,mention,entity\nd,m,"' + LONG}),
    ("labels", "x", {"x": b"document,mention,entity," + LONG}),
    ("labels", "x", {"x": LONG}),
    ("parquet", "x.gz", {"x.gz": gzip.compress(b"PAR1" + LONG, 1)}),
    ("i2b2", "x.txt.chains", {"x.txt.chains": b'c="' + LONG}),
    ("i2b2", "x.txt.chains", {"x.txt.chains": CHAINS, "x.txt.con": b'c="' + LONG}),
    ("i2b2", "x.txt.chains", {"x.txt.chains": CHAINS, "x.txt": LONG}),
    ("litbank", "x.tsv", {"x.tsv": b"COREF\tT1\t" + LONG}),
    ("litbank", "x.tsv", {"x.tsv": MENTION, "x.txt": LONG}),
    ("brat", "x.ann", {"x.ann": b"T1\tPer 0 1\t" + LONG, "x.txt": b"a"}),
    ("brat", "x.ann", {"x.ann": b"T1\tPer 0 1\ta\n", "x.txt": LONG}),
    ("ccl", "x.xml", {"x.xml": CCL % LONG}),
    ("ccl", "x.xml", {"x.xml": CCL % b"a", "x.rel.xml": b"<relations>" + LONG}),
]


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else than lines is limited is so at a mebibyte too."""
    for module in (jsonl, checking, indexing):
        monkeypatch.setattr(module, "LONGEST_LINE", LIMIT)
    monkeypatch.setattr(jsonl, "LARGEST_ARRAY", LIMIT)
    for module in (xml_files, lines, cas, parquet):
        monkeypatch.setattr(module, "LARGEST", LIMIT)


@pytest.mark.parametrize(("format", "name", "files"), CASES)
def test_a_line_without_end_is_an_error(
    format: str, name: str, files: dict[str, bytes], tmp_path: Path, lowered: None
) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    put(files, tmp_path)
    against = SOURCE if format in TAGGED else None
    consumed = 0

    def progress(task: str, done: int, total: int) -> None:
        nonlocal consumed
        consumed = done

    with pytest.raises(FormatError, match=r"more than|no entity column") as refused:
        read(tmp_path / name, format, progress=progress, against=against)
    assert refused.value.where is not None
    assert len(str(refused.value)) < 400
    if not name.endswith(".gz"):
        assert consumed <= 3 * LIMIT
    (checked,) = check(tmp_path / name, format, against=against)
    assert [str(problem) for problem in checked.problems] == [str(refused.value)]


def test_every_format_is_there() -> None:
    # XML is parsed as a whole, whatever its lines; so are the other formats of whole files.
    whole = {"corenlp-xml", "mmax", "tei", "tbf", "ontonotes"}
    assert {case[0] for case in CASES} | whole == {format.name for format in all_formats()}


def test_an_index_gives_up_on_a_line_without_end(tmp_path: Path, lowered: None) -> None:
    path = tmp_path / "x.conll"
    begin = b"#begin document (x); part 000\nx 0 0 "
    mark = format_named("conll").document_mark
    assert mark is not None
    path.write_bytes(begin + LONG)
    assert index_documents(path, mark) is None
    path.write_bytes(begin + b"a" * (LIMIT // 2) + b" (1)\n")
    found = index_documents(path, mark)
    assert found is not None
    assert (found.names, found.stops) == (("x",), (path.stat().st_size,))
