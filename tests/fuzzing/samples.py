"""A small file, or files, of every format; the last one is read."""

from __future__ import annotations

import io
import json
from functools import cache
from textwrap import dedent

from corefine.formats import all_formats, format_named
from corefine.formats.columns import webanno
from corefine.formats.conllu import stanza
from corefine.formats.jsonlines import koconovel
from corefine.formats.jsonlines.records import RECORDS
from corefine.formats.standoff import (
    booknlp,
    brat,
    cas,
    ccl,
    corenlp_xml,
    ecb,
    inline_xml,
    litbank,
    mmax,
    onf,
    tbf,
)
from corefine.formats.tables import gap
from tests.building.standoff_corpora import sample_files
from tests.building.text_corpora import make

UA = "# global.columns = ID FORM IDENTITY BRIDGING DISCOURSE_DEIXIS\n"
TEXTS: dict[str, dict[str, str]] = {
    "conll": {
        "x.conll": "#begin document (x); part 000\nx\t0\t0\tAnna\t-\t(1)\nx\t0\t1\tsaw\t-\t-\n"
        "x\t0\t2\ther\t-\t(2|(1)\nx\t0\t3\thouse\t-\t2)\n\nx\t0\t0\tIt\t-\t(2)\n#end document\n"
    },
    "conll-ud": {
        "x.conll": "#begin document x\n1\tA\ta\tNOUN\t_\t_\t0\troot\t_\t_\t(1)\n"
        "2-3\tdu\t_\t_\t_\t_\t_\t_\t_\t_\t-\n2\tde\tde\tADP\t_\t_\t1\tcase\t_\t_\t(2\n"
        "3\tle\tle\tDET\t_\t_\t1\tdet\t_\t_\t2)\n"
    },
    "semeval": {
        "x.semeval": "#begin document x\n1\tA\ta\t_\tN" + "\t_" * 11 + "\t(1)\n2\tb\tb\t_\tV"
        "" + "\t_" * 11 + "\t_\n#end document x\n"
    },
    "conllu": {
        "x.conllu": "# newdoc id = x\n# global.Entity = eid-etype-head-other\n"
        "1\tA\ta\tNOUN\t_\t_\t0\troot\t_\tEntity=(e1-p-1-)\n1.1\t_\t_\t_\t_\t_\t_\t_\t1:dep\t_\n"
        "2\tb\tb\tVERB\t_\t_\t1\tdep\t_\tEntity=(e2-p-1-\n3\tc\tc\tX\t_\t_\t1\tdep\t_\tEntity=e2)\n"
    },
    "ua": {
        "x.ua": UA + "# newdoc id = x\n1\tAnna\t(EntityID=1|MarkableID=m1|ElementOf=2)\t_\t_\n"
        "2\told\t(EntityID=3|MarkableID=m2|Min=3\t_\t(EntityID=1-DD|MarkableID=d1\n"
        "3\tBen\t)\t(MarkableID=m2|Rel=poss|MentionAnchor=m1)\t)\n\n"
        "4\tThey\t(EntityID=2|MarkableID=m4)\t_\t_\n5\tit\t(EntityID=4-Pseudo|MarkableID=m5)\t_\t_\n"
    },
    "labels": {"x.csv": 'document,mention,entity\nd,a,1\nd,"b, c",1\n\ne,"d\n""e""",2\n'},
    "i2b2": {
        "x.txt": "mr. ito has pain .\nhe rests .\n",
        "x.txt.chains": 'c="mr. ito" 1:0 1:1||c="he" 2:0 2:0||t="coref person"\n',
    },
}
TAGGED = ("brackets", "crac-text", "markdown", "seq2seq", "xml-entity", "xml-m")
"""Formats that are read beside a corpus that has their source."""
SOURCE = make({"x": ([["Anna", "saw", "her", "old", "house"], ["It", "fell"]],
                     [(1, 0, 0), (1, 2, 2), (2, 2, 4), (2, 5, 5)])})  # fmt: skip
IN_DOCSTRINGS = {
    "booknlp": (booknlp, ["x.tokens", "x.entities"]),
    "brat": (brat, ["x.txt", "x.ann"]),
    "ccl": (ccl, ["x.xml", "x.rel.xml"]),
    "corenlp-xml": (corenlp_xml, ["x.xml"]),
    "koconovel": (koconovel, ["text.jsonl", "coref.jsonl"]),
    "litbank": (litbank, ["x.txt", "x.tsv"]),
    "mmax": (mmax, ["x_words.xml", "x_coref_level.xml"]),
    "onf": (onf, ["x.onf"]),
    "ontonotes": (inline_xml, ["x.coref", ""]),
    "tbf": (tbf, ["x.tbf"]),
    "tei": (inline_xml, ["", "x.xml"]),
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
        files = sample_files(module.__doc__ or "", names)
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


def _parquet() -> bytes:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"document": ["d", "d", "e"], "mention": ["a", "b, c", "é"],
                           "entity": [1, 1, 2]})  # fmt: skip
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream, compression="none")
    return stream.getvalue()
