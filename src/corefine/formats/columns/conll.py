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
from corefine.formats.columns.conll_columns import (
    CONLL_LAYOUT,
    PLACEHOLDERS,
    Layout,
    Rows,
    begun_name,
    columns_of,
)
from corefine.formats.columns.conll_documents import assemble, split_at_last_document
from corefine.formats.columns.conll_grid import lay_out, without_returns
from corefine.formats.columns.conll_writing import losses, write
from corefine.formats.input.lines import check_lines, check_text, line_blocks
from corefine.formats.input.sources import HEAD, Source
from corefine.formats.registry import DocumentMark, Format, Holds, register
from corefine.formats.text.brackets import is_well_formed

_BEGIN = re.compile(
    rb"^(?:\xef\xbb\xbf)?#[ \t]*begin[ \t]+document\b", re.IGNORECASE | re.MULTILINE
)
_END = re.compile(rb"^#[ \t]*end[ \t]+document\b", re.IGNORECASE | re.MULTILINE)

BLOCK = 1 << 20
"""Bytes taken at a time: large enough to make NumPy's calls cheap, small enough for the cache."""


def read(
    source: Source,
    layers: frozenset[str] | None = None,
    window: int | None = None,
    block_size: int = BLOCK,
) -> Iterator[Corpus]:
    """The documents of a source, as one corpus or as one for every ``window`` bytes or so.

    No document is ever cut. ``layers`` names the token layers to extract, of those that the format
    has (all by default).
    """
    return read_columns(source, CONLL_LAYOUT, layers, window, block_size)


def read_columns(
    source: Source,
    layout: Layout,
    layers: frozenset[str] | None,
    window: int | None,
    block_size: int = BLOCK,
) -> Iterator[Corpus]:
    """As :func:`read`, for any format whose last column has brackets."""
    known = frozenset(layout.layers)
    wanted = known if layers is None else layers & known
    names = _BEGIN.search(source.head()) is None
    pending: list[Rows] = []
    size, line = 0, 1
    begun, mentioned, nothing = False, False, True
    for block in line_blocks(source, block_size):
        check_text(block, source, line)
        size += len(block)
        block = without_returns(block)
        grid = lay_out(block)
        check_lines(block, grid.line_stops, source, line)
        rows = columns_of(block, grid, line, layout, wanted, names=names)
        line += len(grid.line_stops)
        if len(rows.lines) or rows.marks:
            nothing = False
            begun = begun or any(mark.name is not None for mark in rows.marks)
            mentioned = mentioned or len(rows.marked) > 0
        if not nothing:
            pending.append(rows)
        if window is not None and size >= window:
            done, pending = split_at_last_document(pending)
            if done:
                size = 0
                yield assemble(source, done, layout, begun=True)
    if nothing:
        raise FormatError(
            "the file is empty" if line == 1 else "the file holds no document and no token",
            source.where(),
            "Check that this is the right file.",
        )
    corpus = assemble(source, pending, layout, begun=begun)
    if not mentioned:
        warning = f"{source.name}: no line has a coreference bracket, so there are no mentions"
        corpus = replace(corpus, warnings=(*corpus.warnings, warning))
    yield corpus


def sniff(head: bytes, name: str) -> float:
    """Sure where a document begins in a line of its own; else by the cells of the last column.

    A file in which a document only ends is damaged: reading it tells in which line.
    """
    if b"#" in head and _BEGIN.search(head):
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


def is_coreference_cell(cell: bytes) -> bool:
    return cell in PLACEHOLDERS or is_well_formed(cell)


CONLL = register(
    Format(
        name="conll",
        title="CoNLL-2011 and CoNLL-2012",
        suffixes=(".conll", "_conll", ".v4_gold_conll", ".v4_auto_conll"),
        sniff=sniff,
        read=read,
        holds=Holds(layers=frozenset(CONLL_LAYOUT.layers)),
        write=write,
        losses=losses,
        document_mark=DocumentMark(ord("#"), begun_name),
        documentation="docs/formats/conll.md",
    )
)
