"""CoNLL-U's columns in CoNLL's documents, coreference brackets last: the French ANCOR and Democrat.

The smallest valid file (columns are separated by tabs)::

    #begin document x
    1	Anna	Anna	PROPN	_	_	2	nsubj	_	_	(1)
    2	parle	parler	VERB	_	_	0	root	_	_	-
    3-4	du	_	_	_	_	_	_	_	_	-
    3	de	de	ADP	_	_	5	case	_	_	-
    4	le	le	DET	_	_	5	det	_	_	(2
    5	chat	chat	NOUN	_	_	2	obl	_	_	2)

    #end document

A line of a multiword token, ``3-4``, is not a token. The format is only read: CoNLL-U can represent
everything in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corefine.corpus.document import Document
from corefine.formats.io.bracket_columns import (
    begun_name,
    check_numbers,
    numbered_sentences,
    read_tables,
)
from corefine.formats.io.heads import set_heads
from corefine.formats.io.sources import Source
from corefine.formats.registry import BEGIN, DocumentMark, Format, register

LAYERS = {"lemma": 2, "upos": 3, "pos": 4, "feats": 5, "head": 6, "deprel": 7}
UPOS = {
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON"),
    *("PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
}
_RANGE = re.compile("[1-9][0-9]{0,8}-[1-9][0-9]{0,8}")


def read(source: Source) -> Iterator[Document]:
    """Documents of a source; heads of mentions are found in the dependency tree."""
    for table in read_tables(source, lambda cells: not _is_multiword(cells)):
        check_numbers(table, source)
        table.set_layers(LAYERS)
        set_heads(table.document)
        yield table.document


def _is_multiword(cells: list[str]) -> bool:
    return _RANGE.fullmatch(cells[0]) is not None and "(" not in cells[-1] and ")" not in cells[-1]


def detect(head: bytes, name: str) -> bool:
    """True if tokens are numbered as in CoNLL-U and have its tags, or parts of multiword tokens.

    SemEval's lines number their tokens as well: there the fourth column is a lemma.
    """
    sentences = numbered_sentences(head) if BEGIN.search(head) else None
    rows = [row for sentence in sentences or () for row in sentence]
    words = [row for row in rows if row[0].isdecimal()]
    if not words or any(len(row) < 5 for row in words):
        return False
    return len(words) < len(rows) or 2 * sum(row[3] in UPOS for row in words) > len(words)


CONLL_UD = register(
    Format(
        name="conll-ud",
        title="CoNLL-U columns in CoNLL documents (ANCOR, Democrat)",
        suffixes=(".conll",),
        detect=detect,
        read=read,
        document_mark=DocumentMark(ord("#"), begun_name),
    )
)
