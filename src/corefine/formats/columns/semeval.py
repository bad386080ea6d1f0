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

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError
from corefine.formats.building.bracket_writing import (
    CONTROL,
    bracket_cells,
    bracket_losses,
    document_lines,
    in_brackets,
    layer_cells,
    word_cells,
)
from corefine.formats.building.dependencies import head_words, parent_tokens
from corefine.formats.columns.assembly import BLOCK, read_columns
from corefine.formats.columns.blocks import Layout, begun_name, canonical_name, is_coreference_cell
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import HEAD, Source
from corefine.formats.registry import BEGIN, Capabilities, DocumentMark, Format, register
from corefine.formats.text.numerals import whole_numbers

UNDERSCORE = b"_"[0]

PREDICTED = {
    "lemma": "predicted lemma",
    "pos": "predicted pos",
    "feats": "predicted feats",
    "head": "predicted head",
    "deprel": "predicted deprel",
    "ner": "predicted ner",
}
LAYERS = frozenset(PREDICTED)
LAYOUT = Layout(
    "semeval",
    1,
    {
        "id": 0,
        **{name: 2 + 2 * place for place, name in enumerate(PREDICTED)},
        **{name: 3 + 2 * place for place, name in enumerate(PREDICTED.values())},
    },
    narrowest=3,
)


def read(
    source: Source,
    layers: frozenset[str] | None = None,
    block_size: int = BLOCK,
) -> Corpus:
    """The documents of a source.

    ``layers`` names the token layers to extract (all by default); a predicted column fills in where
    the annotated one says nothing. Heads of mentions are found in the dependency tree.
    """
    wanted = LAYERS if layers is None else layers & LAYERS
    needed = {"id", *wanted, "head"}
    needed |= {predicted for name, predicted in PREDICTED.items() if name in needed}
    corpus = read_columns(source, LAYOUT, frozenset(needed), block_size)
    return _finished(source, corpus, wanted)


def sniff(head: bytes, name: str) -> float:
    """Sure where tokens are counted from 1 in each sentence, in the first column."""
    text = head[: head.rfind(b"\n") + 1] if len(head) >= HEAD else head
    rows: list[list[list[bytes]]] = [[]]
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if not line.strip() or BEGIN.match(line):
            rows.append([])
        elif not line.startswith(b"#"):
            cells = cells_of(line)
            if len(cells) < 3 or cells[0] != b"%d" % (len(rows[-1]) + 1):
                return 0.0
            rows[-1].append(cells)
    rows = [sentence for sentence in rows if sentence]
    if not rows:
        return 0.0
    longest = max(map(len, rows))
    if longest == 1 and all(cells[2] == b"0" for (cells,) in rows):
        return 0.0  # documents with a number for a name, in CoNLL's columns
    if BEGIN.search(head):
        return 0.95
    wide = all(len(cells) > 12 and is_coreference_cell(cells[-1]) for (cells, *_) in rows)
    return 0.6 if wide and longest > 1 else 0.0


def cells_of(line: bytes) -> list[bytes]:
    """The cells of a line, to guess what they are."""
    return line.rstrip(b"\r").split(b"\t") if line.count(b"\t") > 1 else line.split()


def _finished(source: Source, corpus: Corpus, layers: frozenset[str]) -> Corpus:
    """A corpus as it was read, with these layers, with heads and with the kind of zeros."""
    tokens = corpus.tokens
    assert tokens is not None
    check_ids(source, tokens)
    found = {name: _merged(tokens, name) for name in PREDICTED if name in layers or name == "head"}
    known = {name: column for name, column in found.items() if column is not None}
    corpus = replace(corpus, tokens=replace(tokens, layers=known))
    mentions = replace(corpus.mentions, head=heads_in(corpus), kind=_zeros_in(corpus))
    wanted = {name: column for name, column in known.items() if name in layers}
    return replace(corpus, mentions=mentions, tokens=replace(tokens, layers=wanted))


def check_ids(source: Source, tokens: Tokens) -> None:
    """Refuse lines whose first column does not count the tokens of the sentence."""
    ids = tokens.layers.get("id")
    if ids is None:
        return
    found = _numbers_of(ids)
    place = np.arange(len(tokens))
    expected = place - tokens.sentences[tokens.sentence_of(place)] + 1
    wrong = (found != expected) & (ids.lengths > 0)
    if wrong.any():
        at = int(np.argmax(wrong))
        line = None if tokens.lines is None else int(tokens.lines[at])
        raise FormatError(
            f"token number {shown(ids[at])!r} where {expected[at]} is expected",
            source.where(line),
            "The first column numbers the tokens of a sentence from 1; sentences end with an "
            "empty line.",
        )


def _numbers_of(column: Strings) -> IntArray:
    """A column as whole numbers, -1 where it has none."""
    return whole_numbers(column.data, column.offsets[:-1], column.offsets[1:])


def _merged(tokens: Tokens, name: str) -> Strings | None:
    """A layer as it is annotated, and as it is predicted where the annotation says nothing."""
    given, predicted = tokens.layers.get(name), tokens.layers.get(PREDICTED[name])
    if given is None or predicted is None:
        return predicted if given is None else given
    lacking = np.flatnonzero(_says_nothing(given))
    if not len(lacking):
        return given
    row = np.arange(len(given))
    row[lacking] += len(given)
    return Strings.concatenate([given, predicted]).take(row)


def _says_nothing(column: Strings) -> BoolArray:
    short = column.lengths == 0
    single = np.flatnonzero(column.lengths == 1)
    short[single] = column.data[column.offsets[:-1][single]] == UNDERSCORE
    return np.asarray(short)


def heads_in(corpus: Corpus) -> IntArray | None:
    """Heads by the dependency trees; -1 where no word of a mention has a place in one."""
    tokens, mentions = corpus.tokens, corpus.mentions
    assert tokens is not None
    column = tokens.layers.get("head")
    if column is None or not len(mentions):
        return None
    numbers = _numbers_of(column)
    base = tokens.offsets[mentions.document]
    start, stop = base + mentions.start, base + mentions.stop
    placed = np.concatenate([[0], np.cumsum(numbers >= 0)])
    known = placed[stop] > placed[start]
    if not known.any():
        return None
    parents = parent_tokens(numbers, tokens.sentences, tokens.empty)
    rows = np.arange(len(mentions))
    heads = head_words(parents, tokens.empty, rows, start, stop, len(rows))
    return np.where(known, heads - base, -1)


def _zeros_in(corpus: Corpus) -> NDArray[np.uint8] | None:
    """The kind of mentions that are nothing but ``_``; None where there are none."""
    tokens, mentions = corpus.tokens, corpus.mentions
    assert tokens is not None
    words = tokens.words
    single = np.flatnonzero(words.lengths == 1)
    blank = single[words.data[words.offsets[:-1][single]] == UNDERSCORE]
    if not len(blank):
        return None
    filled = np.ones(len(words), np.int64)
    filled[blank] = 0
    before = np.concatenate([[0], np.cumsum(filled)])
    base = tokens.offsets[mentions.document]
    zero = before[base + mentions.stop] == before[base + mentions.start]
    if not zero.any():
        return None
    return np.where(zero, np.uint8(Kind.ZERO), np.uint8(Kind.UNKNOWN))


def losses(corpus: Corpus) -> list[str]:
    """What a SemEval file cannot say of this corpus; heads and zeros it says by its tokens."""
    lost = bracket_losses(corpus, lambda name: canonical_name(_mark(name)))
    head, kind = corpus.mentions.head, corpus.mentions.kind
    if corpus.tokens is not None and head is not None:
        found = heads_in(corpus)
        wrong = np.count_nonzero((head >= 0) & (head != (-1 if found is None else found)))
        if wrong:
            lost.append(f"heads that the HEAD column does not give ({wrong})")
    if corpus.tokens is not None and kind is not None:
        zeros = _zeros_in(corpus)
        wrong = np.count_nonzero((kind != Kind.UNKNOWN) & (kind != (0 if zeros is None else zeros)))
        if wrong:
            lost.append(f"mention kinds ({wrong})")
    return lost


def write(corpus: Corpus) -> Iterator[bytes]:
    """The documents of a corpus, each as one piece of the file.

    There are seventeen columns, cut by tabs; what the corpus does not know, and all that is
    predicted, is ``_``.
    """
    corpus, tokens = in_brackets(corpus, "SemEval-2010")
    cells, words = bracket_cells(corpus), word_cells(tokens)
    layers = [layer_cells(tokens, name, "_") for name in PREDICTED]

    def row(token: int, number: int) -> str:
        known = "\t_\t".join([layer[token] for layer in layers])
        return f"{number + 1}\t{words[token]}\t{known}\t_\t_\t_\t{cells.get(token, '_')}"

    for document, name in enumerate(corpus.documents):
        mark = _mark(name)
        begin, end = f"#begin document {mark}", f"#end document {mark}"
        yield document_lines(tokens, document, begin, row, end)


def _mark(name: str) -> str:
    """What follows ``#begin document``."""
    return CONTROL.sub(" ", name)


SEMEVAL = register(
    Format(
        name="semeval",
        title="SemEval-2010 task 1",
        suffixes=(".semeval",),
        sniff=sniff,
        read_columns=read,
        capabilities=Capabilities(layers=LAYERS, kinds=True, heads=True),
        write=write,
        losses=losses,
        document_mark=DocumentMark(ord("#"), begun_name),
        documentation="docs/formats/semeval.md",
    )
)
