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

The columns are those of CoNLL-U, as far as there are such, and COREF last. A line of a multiword
token, ``3-4``, is no token. The format is only read: CoNLL-U says all of it.
"""

from __future__ import annotations

from dataclasses import replace

from corefine.corpus.corpus import Corpus
from corefine.formats.columns.assembly import BLOCK, read_columns
from corefine.formats.columns.blocks import MULTIWORD, Layout, begun_name
from corefine.formats.columns.semeval import cells_of, check_ids, heads_in
from corefine.formats.input.sources import HEAD, Source
from corefine.formats.registry import BEGIN, Capabilities, DocumentMark, Format, register

_COLUMNS = {"lemma": 2, "upos": 3, "pos": 4, "feats": 5, "head": 6, "deprel": 7}
LAYERS = frozenset(_COLUMNS)
LAYOUT = Layout("conll-ud", 1, {"id": 0, **_COLUMNS}, narrowest=3, multiword=True)
UPOS = frozenset(
    b"ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X _".split()
)


def read(source: Source, layers: frozenset[str] | None = None, block_size: int = BLOCK) -> Corpus:
    """The documents of a source; heads of mentions are found in the dependency tree."""
    wanted = LAYERS if layers is None else layers & LAYERS
    corpus = read_columns(source, LAYOUT, wanted | {"id", "head"}, block_size)
    tokens = corpus.tokens
    assert tokens is not None
    check_ids(source, tokens)
    kept = {name: column for name, column in tokens.layers.items() if name in wanted}
    return replace(
        corpus,
        mentions=replace(corpus.mentions, head=heads_in(corpus)),
        tokens=replace(tokens, layers=kept),
    )


def sniff(head: bytes, name: str) -> float:
    """Sure where tokens are counted as CoNLL-U does, and are parts of multiword ones or have UPOS.

    SemEval's lines count their tokens as well: there the fourth column is a lemma.
    """
    if not BEGIN.search(head):
        return 0.0
    text = head[: head.rfind(b"\n") + 1] if len(head) >= HEAD else head
    number, words, tagged, several = 0, 0, 0, False
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if not line.strip() or BEGIN.match(line):
            number = 0
        elif not line.startswith(b"#"):
            cells = cells_of(line)
            multiword = MULTIWORD.fullmatch(cells[0])
            if multiword is not None:
                several = True
                if int(multiword[1]) != number + 1:
                    return 0.0
                continue
            if b"." in cells[0] and cells[0].startswith(b"%d." % number):
                several = True
                continue
            number += 1
            if len(cells) < 5 or cells[0] != b"%d" % number:
                return 0.0
            words += 1
            tagged += cells[3] in UPOS and cells[3] != b"_"
    return 0.97 if words and (several or 2 * tagged > words) else 0.0


CONLL_UD = register(
    Format(
        name="conll-ud",
        title="CoNLL-U columns in CoNLL documents (ANCOR, Democrat)",
        suffixes=(".conll",),
        sniff=sniff,
        read_columns=read,
        capabilities=Capabilities(layers=LAYERS, heads=True),
        document_mark=DocumentMark(ord("#"), begun_name),
        documentation="docs/formats/conll.md",
    )
)
