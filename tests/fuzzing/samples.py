"""A small file, or files, of every format; the last one is read."""

from __future__ import annotations

import io
from functools import cache

from corefine.formats import format_named
from corefine.formats.columns import webanno
from corefine.formats.conllu import stanza
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
    "e2e": {
        "x.jsonl": '{"doc_key": "x", "sentences": [["a", "b"], ["c"]], "clusters": '
        '[[[0, 1], [2, 2]]]}\n{"doc_key": "y", "sentences": [["é"]], "clusters": []}\n'
    },
    "e2e-predicted": {
        "x.jsonl": '{"doc_key": "x", "sentences": [["a", "b"], ["c"]], "clusters": [[[0, 0]]], '
        '"predicted_clusters": [[[0, 1], [2, 2]]]}\n'
    },
    "fastcoref": {"x.jsonl": '{"text": "Anna saw her", "clusters": [[[0, 4], null, [9, 12]]]}\n'},
    "maverick": {
        "x.jsonl": '{"tokens": ["a", "b", "c"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}\n'
    },
    "preco": {
        "x.jsonl": '{"id": "x", "sentences": [["a"], ["b"]], "mention_clusters": [[[0, 0, 1]]]}\n'
    },
    "wl-coref": {
        "x.jsonl": '{"document_id": "x", "cased_words": ["a", "b"], "span_clusters": [[[0, 1]]]}\n'
    },
    "allennlp": {
        "x.jsonl": '{"document": ["a", "b", "c"], "top_spans": [[0, 0]], "clusters": '
        "[[[0, 0], [2, 2]]]}\n"
    },
    "clusters": {"x.jsonl": '{"doc_key": "x", "clusters": [[[0, 0], [2, 3]]]}\n'},
    "string-clusters": {
        "x.jsonl": '{"doc_key": "x", "text": "Anna saw her", "clusters": [["Anna", "her"], []]}\n'
    },
    "friends": {
        "x.json": '{"episodes": [{"scenes": [{"scene_id": "x", "utterances": [{"tokens": [["I"]], '
        '"speakers": ["A"], "character_entities": [[[0, 1, "A"]]]}]}]}]}\n'
    },
    "prodigy": {
        "x.jsonl": '{"text": "Anna saw her", "spans": [{"start": 0, "end": 4}, {"start": 9, '
        '"end": 12}], "relations": [{"head": 2, "child": 0, "label": "COREF", "head_span": '
        '{"start": 9, "end": 12}, "child_span": {"start": 0, "end": 4}}], "answer": "accept"}\n'
    },
    "doccano": {
        "x.jsonl": '{"id": 1, "text": "Anna saw her", "entities": [{"id": 3, "label": "PER", '
        '"start_offset": 0, "end_offset": 4}, {"id": 4, "label": "PER", "start_offset": 9, '
        '"end_offset": 12}], "relations": [{"id": 1, "from_id": 4, "to_id": 3, "type": "coref"}]}\n'
    },
    "crac-json": {
        "x.json": '[{"doc_id": "x", "tokens": ["Los", "de_el", "##", "él"], '
        '"clusters_token_offsets": [[[0, 1], [2, 2]], [[3, 3]]], '
        '"clusters_text_mentions": [["Los de el", "_"], ["él"]]}]\n'
    },
    "coref-data": {
        "x.jsonl": '{"id": "x", "sentences": [{"id": 1, "tokens": [{"id": 1, "text": "a"}, '
        '{"id": 2, "text": "b"}]}], "coref_chains": [[[0, 0, 0], [0, 1, 1]]]}\n'
    },
    "corenlp": {
        "x.json": '{"docId": "x", "sentences": [{"index": 0, "tokens": [{"index": 1, "word": "a"}, '
        '{"index": 2, "word": "b"}]}], "corefs": {"7": [{"startIndex": 1, "endIndex": 2, '
        '"headIndex": 1, "sentNum": 1, "type": "PROPER"}, {"startIndex": 2, "endIndex": 3, '
        '"headIndex": 2, "sentNum": 1, "type": "NOMINAL"}]}}\n'
    },
    "label-studio": {
        "x.json": '[{"id": 4, "data": {"text": "Anna saw her"}, "annotations": [{"result": '
        '[{"id": "a", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["P"]}}, '
        '{"id": "b", "type": "labels", "value": {"start": 9, "end": 12, "labels": ["P"]}}, '
        '{"type": "relation", "from_id": "b", "to_id": "a", "labels": ["coref"]}]}]}]\n'
    },
    "xcore": {
        "x.jsonl": '{"tokens": [[["Anna", "slept"]], [["Eve", "saw", "her"]]], '
        '"clusters_token_offsets": [[[0, 0, 0], [1, 2, 2]], [[1, 0, 0]]]}\n'
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
    "litbank": (litbank, ["x.txt", "x.tsv"]),
    "mmax": (mmax, ["x_words.xml", "x_coref_level.xml"]),
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
FORMATS = (*TEXTS, *IN_DOCSTRINGS, *TAGGED, "parquet")


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
