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
from dataclasses import replace

from corefine.corpus.corpus import Corpus
from corefine.formats.conll import begun_name
from corefine.formats.io.sources import Source
from corefine.formats.registry import BEGIN, DocumentMark, Format, register
from corefine.formats.semeval import numbered_sentences, read_numbered

LAYERS = {
    name: column
    for column, name in enumerate(("lemma", "upos", "pos", "feats", "head", "deprel"), start=2)
}
_BRACKETS = re.compile(r"[()]")
UPOS = {
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON"),
    *("PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
}


def read(source: Source, layers: frozenset[str] | None = None) -> Corpus:
    """Documents of a source; heads of mentions are found in the dependency tree."""
    return replace(read_numbered(source, LAYERS, layers, _BRACKETS), format="conll-ud")


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
        read_columns=read,
        document_mark=DocumentMark(ord("#"), begun_name),
    )
)
