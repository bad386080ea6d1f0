"""A small file, or files, of every format; the last one is read."""

from __future__ import annotations

import io
import json
from functools import cache
from textwrap import dedent

from corefine.formats import all_formats, format_named
from corefine.formats.columns import conll, conll_ud, semeval, webanno
from corefine.formats.conllu import conllu, stanza
from corefine.formats.jsonlines import koconovel
from corefine.formats.jsonlines.records import RECORDS
from corefine.formats.standoff import (
    booknlp,
    brat,
    cas,
    ccl,
    corenlp_xml,
    ecb,
    i2b2,
    inline_xml,
    litbank,
    mmax,
    onf,
    tbf,
)
from corefine.formats.tables import gap
from tests.building.format_files import sample_files
from tests.building.text_corpora import make

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
RICH = {
    "conll": """\
#begin document (bc/x 1); part 000
bc/x\t0\t0\tAnna\tNNP\t(S*\tanna\t-\t-\tBo\t(PER)\t(1)
bc/x\t0\t1\tsaw\tVBD\t*\tsee\t-\t-\tBo\t*\t-
bc/x\t0\t2\ther\tPRP$\t*\tshe\t-\t-\tBo\t*\t(a2|(1)
bc/x\t0\t3\thouse\tNN\t*)\thouse\t-\t-\tBo\t*\ta2)

bc/x\t0\t0\tÉtienne\tNNP\t*\t-\t-\t-\t-\t*\t(3|(1
bc/x\t0\t1\t#\tX\t*\t-\t-\t-\t-\t*\t1)|3)
#end document
#begin document y; part 001
# a comment
y\t1\t0\tIt\t(7)
y\t1\t1\twas\t-
y\t1\t2\ttwo\t(7|(8|(7)
y\t1\t3\tand\t7)(9)

y\t1\t0\tmore\t8)\t
""",
    "conllu": """\
# newdoc id = a
# global.Entity = eid-etype-head-other
# sent_id = a-1
1\tAnna\tAnna\tPROPN\tNNP\tNumber=Sing\t3\tnmod\t_\tEntity=(e2-animal-3-(e1-person-1-)
2\t’s\t’s\tPART\tPOS\t_\t1\tcase\t_\tSpaceAfter=No
3\tcats\tcat\tNOUN\tNNS\t_\t6\tnsubj\t_\tBridge=e1<e2:part|Entity=e2)
3.1\t_\t_\tPRON\t_\t_\t_\t_\t6:nsubj\tEntity=(e2-animal-1-)
4-5\tdon’t\t_\t_\t_\t_\t_\t_\t_\t_
4\tdo\tdo\tAUX\tVBP\t_\t6\taux\t_\tEntity=(e3[1/2]-event-2-
5\tn’t\tnot\tPART\tRB\t_\t6\tadvmod\t_\tEntity=e3[1/2])
6\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\tEntity=(e4--1-)(e3[2/2]-event-2-)

# newdoc id = b
# global.Entity = GRP-etype-infstat-minspan-link
1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\tEntity=(1-event-giv-1-ana)
2\tdoes\tdo\tAUX\tVBZ\t_\t0\troot\t_\tEntity=(5-abstract-new-1,2
3\tnot\tnot\tPART\tRB\t_\t2\tadvmod\t_\tEntity=5)|SplitAnte=1<5,5<1
""",
}
"""Files with more of their format than the sample, to be damaged."""
TAGGED = ("brackets", "crac-text", "markdown", "seq2seq", "xml-entity", "xml-m")
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
