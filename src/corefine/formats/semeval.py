"""SemEval-2010 task 1: one token per line, its number in the sentence first, coreference last.

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
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

import numpy as np

from corefine.corpus.arrays import Strings, offsets_of
from corefine.corpus.columns import Kind, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import without_empty_nodes
from corefine.formats.conll import (
    BEGUN,
    BRACKETS,
    CONTROL,
    ENDED,
    begun_name,
    corpus_of,
    document_mark,
    layer_cells,
    malformed_cells,
    not_empty,
    numbers_of,
    tokens_of,
    words_of,
    written_document,
)
from corefine.formats.io.brackets import (
    NOT_IN_ID,
    PLACEHOLDERS,
    Brackets,
    Cells,
    Places,
    bracket_cells,
    entity_labels,
    is_coreference_cell,
)
from corefine.formats.io.conllu_lines import LineReader
from corefine.formats.io.sources import Source
from corefine.formats.io.token_rows import heads_of, is_tabbed
from corefine.formats.registry import BEGIN, DocumentMark, Format, register

LAYERS = {"lemma": 2, "pos": 4, "feats": 6, "head": 8, "deprel": 10, "ner": 12}
"""Columns of annotated layers; the predicted layer is in the next column."""


_NUMBERED = (
    "The first column numbers the tokens of a sentence from 1, and sentences end with an empty "
    "line; begin documents with '#begin document NAME', and separate columns by tabs."
)
_BESIDE = re.compile(r"[0-9]{1,9}[.-][0-9]{1,9}")
"""Number of a multiword token or of an empty node."""


def read_numbered(
    source: Source,
    columns: Mapping[str, int],
    layers: frozenset[str] | None,
    misplaced: re.Pattern[str],
) -> Corpus:
    """Documents whose lines begin with the number of the token in its sentence and the word.

    ``columns`` are the places of layers. Lines of multiword tokens are no tokens; they are refused
    if ``misplaced`` is found in their last column. The dependency tree gives the heads of mentions.
    """
    columns = {**columns, BRACKETS: -1}
    reader = LineReader(
        source,
        {"ID": 0, "FORM": 1, **columns},
        required=3,
        tabbed=is_tabbed(source.head()),
        remedy=_NUMBERED,
        misplaced=misplaced,
        mark=_mark_of,
        marks=(BEGUN, ENDED),
    )
    rows = not_empty(source, reader.read(columns))
    if rows.numbers.any():
        line = int(rows.lines[np.argmax(rows.numbers > 0)])
        raise source.error("an empty node", line, _NUMBERED)
    listed = list(rows.layers.get(BRACKETS, ()))
    marked = [token for token, cell in enumerate(listed) if cell not in PLACEHOLDERS]
    cells = Cells(
        Strings.from_list([f"{listed[token]}|" for token in marked]), np.array(marked, int)
    )
    names, tokens = tokens_of(source, rows, lambda: source.stem)
    places = Places(source, names, tokens.offsets, rows.lines)
    brackets, malformed = Brackets.find(cells)
    bare = brackets.token[~(brackets.opens | brackets.closes)]
    malformed += np.searchsorted(cells.token, bare).tolist()
    if malformed:
        raise malformed_cells(cells, sorted(malformed), places)
    corpus = corpus_of(brackets, places, tokens)
    mentions = replace(corpus.mentions, head=heads_of(tokens, corpus.mentions))
    kept = {
        name: column for name, column in tokens.layers.items() if layers is None or name in layers
    }
    named = any(comment.name == BEGUN for comment in rows.comments)
    return replace(corpus, mentions=mentions, tokens=replace(tokens, layers=kept), named=named)


def _mark_of(line: bytes) -> tuple[str, str] | None:
    """Name and value of a line that begins or ends a document, for a reader of lines."""
    mark = document_mark(line.decode("utf-8", "replace"))
    return mark and (BEGUN if mark[0] else ENDED, mark[1])


def numbered_sentences(head: bytes) -> list[list[list[str]]] | None:
    """Sentences of a file with these first bytes, as lines of cells; None if not numbered.

    Tokens are numbered from 1 in the first column; multiword tokens and empty nodes may be between.
    """
    text = head[: head.rfind(b"\n") + 1] if len(head) > 1 << 15 else head
    sentences: list[list[list[str]]] = []
    number = 0
    for line in text.decode("utf-8", "replace").removeprefix("\ufeff").split("\n"):
        cells = line.rstrip().split("\t") if line.count("\t") > 1 else line.split()
        if not line.strip() or BEGIN.match(line.encode()):
            number = 0
        elif not line.startswith("#"):
            number += cells[0].isdecimal()
            beside = _BESIDE.fullmatch(cells[0]) is not None
            if len(cells) < 3 or not (beside or cells[0] == str(number)):
                return None
            if (number == 1 and not beside) or not sentences:
                sentences.append([])
            sentences[-1].append(cells)
    return sentences


def read(source: Source, layers: frozenset[str] | None = None) -> Corpus:
    """Documents of a source.

    A predicted value is used if the annotated one is missing. Heads of mentions are found in the
    dependency tree.
    """
    predicted = {f"predicted {name}": place + 1 for name, place in LAYERS.items()}
    corpus = read_numbered(source, LAYERS | predicted, None, re.compile(""))
    mentions, tokens = corpus.mentions, corpus.tokens
    assert tokens is not None
    found = {name: _filled(tokens, name) for name in LAYERS if layers is None or name in layers}
    layers_found = {name: column for name, column in found.items() if column is not None}
    corpus = replace(corpus, tokens=replace(tokens, layers=layers_found))
    base = tokens.offsets[mentions.document]
    blank = offsets_of(tokens.words.looked_up("_".__eq__, np.int64))
    is_zero = np.diff(blank[[base + mentions.start, base + mentions.stop]], axis=0)[0] == (
        mentions.stop - mentions.start
    )
    if is_zero.any():
        kinds = np.where(is_zero, Kind.ZERO, Kind.UNKNOWN).astype(np.uint8)
        corpus = replace(corpus, mentions=replace(mentions, kind=kinds))
    return replace(corpus, format="semeval")


def _filled(tokens: Tokens, name: str) -> Strings | None:
    """A layer with predicted values where the annotated one is missing."""
    annotated, predicted = tokens.layers.get(name), tokens.layers.get(f"predicted {name}")
    if annotated is None or predicted is None:
        return annotated or predicted
    missing = annotated.looked_up(("", "_").__contains__, bool)
    rows = np.arange(len(tokens)) + np.where(missing, len(tokens), 0)
    return Strings.concatenate([annotated, predicted]).take(rows)


def detect(head: bytes, name: str) -> bool:
    """True if tokens are numbered from 1 in each sentence, in the first column."""
    sentences = numbered_sentences(head)
    if not sentences or any(not row[0].isdecimal() for rows in sentences for row in rows):
        return False
    longest = max(map(len, sentences))
    if longest == 1 and all(rows[0][2] == "0" for rows in sentences):
        return False  # documents with a number for a name, in CoNLL's columns
    if BEGIN.search(head):
        return True
    return longest > 1 and all(
        len(rows[0]) > 12 and is_coreference_cell(rows[0][-1]) for rows in sentences
    )


def write(corpus: Corpus) -> Iterator[bytes]:
    """Content of a file, document by document.

    There are seventeen columns, separated by tabs; unknown and predicted values are ``_``.
    """
    labels = entity_labels(corpus, NOT_IN_ID)
    for document in map(without_empty_nodes, corpus):
        layers = [layer_cells(document, name, "_") for name in LAYERS]
        columns = [
            *(numbers_of(document, 1), words_of(document)),
            *chain.from_iterable((layer, "_") for layer in layers),
            *("_", "_", bracket_cells(document, labels(document), "_")),
        ]
        mark = CONTROL.sub(" ", document.name)
        begin, end = f"#begin document {mark}", f"#end document {mark}"
        yield written_document(begin, columns, document, end)


SEMEVAL = register(
    Format(
        name="semeval",
        title="SemEval-2010 task 1",
        suffixes=(".semeval",),
        detect=detect,
        read_columns=read,
        write=write,
        document_mark=DocumentMark(ord("#"), begun_name),
    )
)
