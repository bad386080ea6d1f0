"""SemEval-2010 task 1: one token a line, its number in the sentence first, coreference last.

The smallest valid file (columns are separated by tabs)::

    #begin document x
    1	Anna	anna	_	NNP	_	_	_	2	_	SBJ	_	(PER)	_	_	_	(1)
    2	saw	see	_	VBD	_	_	_	0	_	ROOT	_	_	_	_	_	_
    3	her	she	_	PRP$	_	_	_	4	_	NMOD	_	_	_	_	_	(2|(1)
    4	house	house	_	NN	_	_	_	2	_	OBJ	_	_	_	_	_	2)

    #end document x

The columns are ID TOKEN LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL NE PNE PRED
PPRED, any number of APREDs, and COREF last; PLEMMA, PPOS and so on are predicted. A line may lack
columns before the last. A token ``_`` is an elliptical subject, a zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corefine.corpus.corpus import Corpus
from corefine.formats.columns.conll import BLOCK, is_coreference_cell, read_columns
from corefine.formats.columns.conll_columns import begun_name
from corefine.formats.columns.semeval_columns import LAYERS, LAYOUT, PREDICTED, finished
from corefine.formats.columns.semeval_writing import losses, write
from corefine.formats.input.sources import HEAD, Source
from corefine.formats.registry import DocumentMark, Format, Holds, register

_BEGIN = re.compile(
    rb"^(?:\xef\xbb\xbf)?#[ \t]*begin[ \t]+document\b", re.IGNORECASE | re.MULTILINE
)


def read(
    source: Source,
    layers: frozenset[str] | None = None,
    window: int | None = None,
    block_size: int = BLOCK,
) -> Iterator[Corpus]:
    """The documents of a source, as one corpus or as one for every ``window`` bytes or so.

    ``layers`` names the token layers to extract (all by default); a predicted column fills in where
    the annotated one says nothing. Heads of mentions are found in the dependency tree.
    """
    wanted = LAYERS if layers is None else layers & LAYERS
    needed = {"id", *wanted, "head"}
    needed |= {predicted for name, predicted in PREDICTED.items() if name in needed}
    for corpus in read_columns(source, LAYOUT, frozenset(needed), window, block_size):
        yield finished(source, corpus, wanted)


def sniff(head: bytes, name: str) -> float:
    """Sure where tokens are counted from 1 in each sentence, in the first column."""
    text = head[: head.rfind(b"\n") + 1] if len(head) >= HEAD else head
    rows: list[list[list[bytes]]] = [[]]
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if not line.strip() or _BEGIN.match(line):
            rows.append([])
        elif not line.startswith(b"#"):
            cells = _cells(line)
            if len(cells) < 3 or cells[0] != b"%d" % (len(rows[-1]) + 1):
                return 0.0
            rows[-1].append(cells)
    rows = [sentence for sentence in rows if sentence]
    if not rows:
        return 0.0
    longest = max(map(len, rows))
    if longest == 1 and all(cells[2] == b"0" for (cells,) in rows):
        return 0.0  # documents with a number for a name, in CoNLL's columns
    if _BEGIN.search(head):
        return 0.95
    wide = all(len(cells) > 12 and is_coreference_cell(cells[-1]) for (cells, *_) in rows)
    return 0.6 if wide and longest > 1 else 0.0


def _cells(line: bytes) -> list[bytes]:
    return line.rstrip(b"\r").split(b"\t") if line.count(b"\t") > 1 else line.split()


SEMEVAL = register(
    Format(
        name="semeval",
        title="SemEval-2010 task 1",
        suffixes=(".semeval",),
        sniff=sniff,
        read=read,
        holds=Holds(layers=LAYERS, kinds=True, heads=True),
        write=write,
        losses=losses,
        document_mark=DocumentMark(ord("#"), begun_name),
        documentation="docs/formats/semeval.md",
    )
)
