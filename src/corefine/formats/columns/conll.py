"""CoNLL-2011 and CoNLL-2012: one token a line, coreference brackets in the last column.

The smallest valid file::

    #begin document (x); part 000
    x 0 0 Anna  NNP * - - - - * (1)
    x 0 1 saw   VBD * - - - - * -
    x 0 2 her   PRP * - - - - * (2|(1)
    x 0 3 house NN  * - - - - * 2)

    #end document

Any number of columns will do: the word is the fourth, or the last but one of fewer than five.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from corefine.corpus.corpus import Corpus
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
from corefine.formats.columns.assembly import assemble
from corefine.formats.columns.blocks import (
    CONLL_LAYOUT,
    ColumnRows,
    Layout,
    begun_name,
    canonical_name,
    is_coreference_cell,
    rows_of,
)
from corefine.formats.columns.cell_grid import lay_out, without_returns
from corefine.formats.input.lines import check_lines, check_text, line_blocks
from corefine.formats.input.sources import HEAD, Source
from corefine.formats.registry import BEGIN, Capabilities, DocumentMark, Format, register

_END = re.compile(rb"^#[ \t]*end[ \t]+document\b", re.IGNORECASE | re.MULTILINE)
_PART = re.compile(r"(.*); part ([1-9][0-9]{0,17})", re.DOTALL)

BLOCK = 1 << 20
"""Bytes taken at a time: large enough to make NumPy's calls cheap, small enough for the cache."""


def read(
    source: Source,
    layers: frozenset[str] | None = None,
    block_size: int = BLOCK,
) -> Corpus:
    """The documents of a source.

    ``layers`` names the token layers to extract, of those that the format has (all by default).
    """
    return read_columns(source, CONLL_LAYOUT, layers, block_size)


def read_columns(
    source: Source, layout: Layout, layers: frozenset[str] | None, block_size: int = BLOCK
) -> Corpus:
    """As :func:`read`, for any format whose last column has brackets."""
    known = frozenset(layout.layers)
    wanted = known if layers is None else layers & known
    names = BEGIN.search(source.head()) is None
    blocks: list[ColumnRows] = []
    line = 1
    for block in line_blocks(source, block_size):
        check_text(block, source, line)
        block = without_returns(block)
        grid = lay_out(block)
        check_lines(block, grid.line_stops, source, line)
        blocks.append(rows_of(block, grid, line, layout, wanted, names=names))
        line += len(grid.line_stops)
    begun = any(mark.name is not None for rows in blocks for mark in rows.marks)
    if not begun and not any(len(rows.lines) for rows in blocks):
        raise FormatError(
            "the file is empty" if line == 1 else "the file has no documents and no tokens",
            source.where(),
            "Check that this is the right file.",
        )
    corpus = assemble(source, blocks, layout)
    if not source.part and not any(len(rows.marked) for rows in blocks):
        warning = f"{source.name}: no coreference brackets, so there are no mentions"
        corpus = replace(corpus, warnings=(*corpus.warnings, warning))
    return corpus


def sniff(head: bytes, name: str) -> float:
    """Sure where a document begins in a line of its own; else by the cells of the last column.

    A file in which a document only ends is damaged: reading it tells in which line.
    """
    if b"#" in head and BEGIN.search(head):
        return 0.9
    if b"#" in head and _END.search(head):
        return 0.55
    lines = head.splitlines()
    if len(head) >= HEAD:
        lines.pop()
    first = 0
    for line in islice((line for line in lines if line.strip() and line[:1] != b"#"), 1000):
        cells = line.split()
        if not is_coreference_cell(cells[-1]):
            return 0.0
        first = first or len(cells)
    usual = name.removesuffix(".gz").endswith(CONLL.suffixes)
    return 0.0 if not first else 0.5 if usual and first > 1 else 0.2


def losses(corpus: Corpus) -> list[str]:
    """What a CoNLL file cannot say of this corpus, besides what no CoNLL file says."""
    return bracket_losses(corpus, lambda name: canonical_name(_mark(name)))


def write(corpus: Corpus) -> Iterator[bytes]:
    """The documents of a corpus, each as one piece of the file.

    There are twelve columns, cut by tabs: ``document part number word pos parse lemma - - speaker
    ner coreference``; one that the corpus does not know is ``-``, or ``*`` for parse and ner.
    """
    corpus, tokens = in_brackets(corpus, "CoNLL")
    cells, words = bracket_cells(corpus), word_cells(tokens)
    pos, lemma, speaker = (layer_cells(tokens, name, "-") for name in ("pos", "lemma", "speaker"))
    parse, ner = (layer_cells(tokens, name, "*") for name in ("parse", "ner"))
    for document, name in enumerate(corpus.documents):
        plain, part = name_and_part(name)
        label = re.sub(r"[\s\x00-\x1f]", "_", plain) or "-"

        def row(token: int, number: int, label: str = label, part: int = part) -> str:
            return (
                f"{label}\t{part}\t{number}\t{words[token]}\t{pos[token]}\t{parse[token]}\t"
                f"{lemma[token]}\t-\t-\t{speaker[token]}\t{ner[token]}\t{cells.get(token, '-')}"
            )

        begin = f"#begin document {_mark(name)}"
        yield document_lines(tokens, document, begin, row, "#end document")


def name_and_part(name: str) -> tuple[str, int]:
    found = _PART.fullmatch(name)
    return (found.group(1), int(found.group(2))) if found else (name, 0)


def _mark(name: str) -> str:
    """What follows ``#begin document``; read back it is the name, if that can be."""
    plain, part = name_and_part(name)
    return f"({CONTROL.sub(' ', plain)}); part {part:03d}"


CONLL = register(
    Format(
        name="conll",
        title="CoNLL-2011 and CoNLL-2012",
        suffixes=(".conll", "_conll", ".v4_gold_conll", ".v4_auto_conll"),
        sniff=sniff,
        read_columns=read,
        capabilities=Capabilities(layers=frozenset(CONLL_LAYOUT.layers)),
        write=write,
        losses=losses,
        document_mark=DocumentMark(ord("#"), begun_name),
        documentation="docs/formats/conll.md",
    )
)
