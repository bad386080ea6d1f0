"""A small file, or files, of every format; the last one is read."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from textwrap import dedent

from corefine.formats import (
    all_formats,
    booknlp,
    brat,
    cas,
    ccl,
    conll,
    conll_ud,
    conllu,
    corenlp_xml,
    ecb,
    format_named,
    gap,
    i2b2,
    koconovel,
    litbank,
    mmax,
    onf,
    ontonotes,
    semeval,
    stanza,
    tbf,
    tei,
    webanno,
)
from corefine.formats.io.records import RECORDS
from tests.building.text_corpora import make

FIXTURES = Path(__file__).parents[1] / "fixtures" / "formats"
UA = "# global.columns = ID FORM IDENTITY BRIDGING DISCOURSE_DEIXIS\n"
TEXTS: dict[str, dict[str, str]] = {
    "ua": {
        "x.ua": UA + "# newdoc id = x\n1\tAnna\t(EntityID=1|MarkableID=m1|ElementOf=2)\t_\t_\n"
        "2\told\t(EntityID=3|MarkableID=m2|Min=3\t_\t(EntityID=1-DD|MarkableID=d1\n"
        "3\tBen\t)\t(MarkableID=m2|Rel=poss|MentionAnchor=m1)\t)\n\n"
        "4\tThey\t(EntityID=2|MarkableID=m4)\t_\t_\n5\tit\t(EntityID=4-Pseudo|MarkableID=m5)\t_\t_\n"
    },
    "labels": {"x.csv": 'document,mention,entity\nd,a,1\nd,"b, c",1\n\ne,"d\n""e""",2\n'},
}
RICH = {format: (FIXTURES / f"rich.{format}").read_text("utf-8") for format in ("conll", "conllu")}
"""Files with more of their format than the sample, to be damaged."""
TAGGED = ("answers", "brackets", "crac-text", "markdown", "seq2seq", "xml-entity", "xml-m")
"""Formats that are read beside a corpus that has their source."""
SOURCE = make({"x": ([["Anna", "saw", "her", "old", "house"], ["It", "fell"]],
                     [(1, 0, 0), (1, 2, 2), (2, 2, 4), (2, 5, 5)])})  # fmt: skip
IN_DOCSTRINGS = {
    "conll": (conll, ["x.conll"]),
    "conll-ud": (conll_ud, ["x.conll"]),
    "conllu": (conllu, ["x.conllu"]),
    "semeval": (semeval, ["x.semeval"]),
    "i2b2": (i2b2, ["x.txt", "x.txt.con", "x.txt.chains"]),
    "booknlp": (booknlp, ["x.tokens", "x.entities"]),
    "brat": (brat, ["x.txt", "x.ann"]),
    "ccl": (ccl, ["x.xml", "x.rel.xml"]),
    "corenlp-xml": (corenlp_xml, ["x.xml"]),
    "koconovel": (koconovel, ["text.jsonl", "coref.jsonl"]),
    "litbank": (litbank, ["x.txt", "x.tsv"]),
    "mmax": (mmax, ["x_words.xml", "x_coref_level.xml"]),
    "onf": (onf, ["x.onf"]),
    "ontonotes": (ontonotes, ["x.coref"]),
    "tbf": (tbf, ["x.tbf"]),
    "tei": (tei, ["x.xml"]),
    "cas-json": (cas, ["", "x.json"]),
    "ecb": (ecb, ["1_1ecb.xml"]),
    "gap": (gap, ["x.tsv"]),
    "stanza": (stanza, ["x.conllu"]),
    "webanno": (webanno, ["x.tsv"]),
    "xmi": (cas, ["x.xmi", ""]),
}
all_formats()
JSON = tuple(RECORDS)
"""Dialects of JSON, whose samples are in the docstrings of their structs."""
FORMATS = (*TEXTS, *IN_DOCSTRINGS, *JSON, *TAGGED, "parquet")


@cache
def sample(format: str) -> dict[str, bytes]:
    """The files of a format."""
    if format in TEXTS:
        return {name: text.encode() for name, text in TEXTS[format].items()}
    if format in IN_DOCSTRINGS:
        module, names = IN_DOCSTRINGS[format]
        files = _sample_files(module.__doc__ or "", names)
        # Relations belong to the file of tokens, which is read.
        names = sorted(filter(None, files), key=lambda name: not name.endswith(".rel.xml"))
        return {name: files[name] for name in names}
    if format in JSON:
        indented = (RECORDS[format].__doc__ or "").partition("::\n\n")[2]
        record = dedent(indented).partition("\n\n")[0]
        return {"x.json": json.dumps(json.loads(record)).encode() + b"\n"}
    if format == "parquet":
        return {"x.parquet": _parquet()}
    write = format_named(format).write
    assert write is not None
    return {"x.jsonl": b"".join(write(SOURCE))}


def _sample_files(docstring: str, names: Sequence[str]) -> dict[str, bytes]:
    """The sample files of a module's docstring: its indented blocks, under these names."""
    blocks = re.findall(r"::\n\n((?:    .*\n|\n)+)", docstring)
    assert len(blocks) == len(names)
    files = {}
    for name, block in zip(names, blocks, strict=True):
        lines = [line[4:] for line in block.rstrip("\n").split("\n")]
        files[name] = ("\n".join(lines) + "\n").encode()
    return files


def _parquet() -> bytes:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"document": ["d", "d", "e"], "mention": ["a", "b, c", "é"],
                           "entity": [1, 1, 2]})  # fmt: skip
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream, compression="none")
    return stream.getvalue()
