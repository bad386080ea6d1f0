"""CoNLL-U with CorefUD's attribute Entity: one word a line, coreference in the tenth column.

The smallest valid file (columns are separated by tabs)::

    # newdoc id = x
    # global.Entity = eid-etype-head-other
    1	Anna	_	_	_	_	_	_	_	Entity=(e1-person-1-)
    2	saw	_	_	_	_	_	_	_	_
    3	her	_	_	_	_	_	_	_	Entity=(e2-place-2-(e1-person-1-)
    4	house	_	_	_	_	_	_	_	Entity=e2)

The header names the fields of a mention: its entity, the type, the number of its head among its own
words, and whatever else. ``e1[1/2]`` is the first of two parts of a discontinuous mention, ``2.1``
an empty node behind word 2, ``3-4`` a multiword token, which is no word itself.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain, islice

from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError
from corefine.formats.conllu.assembly import assemble
from corefine.formats.conllu.blocks import LAYERS, LineReader
from corefine.formats.conllu.comments import begun_name, header_text
from corefine.formats.conllu.writing import losses, write
from corefine.formats.input.lines import check_text, line_blocks
from corefine.formats.input.sources import HEAD, Source
from corefine.formats.registry import BEGIN, Capabilities, DocumentMark, Format, register

BLOCK = 1 << 20
"""Bytes taken at a time: large enough to make NumPy's calls cheap, small enough for the cache."""

_TOKEN = re.compile(rb"[0-9]+(?:[.-][0-9]+)?(?:\t[^\t\n]*){9}\r?")
_HEADER = re.compile(rb"^#[ \t]*(?:newdoc|global\.Entity|sent_id|text)\b", re.MULTILINE)


def read(
    source: Source,
    layers: frozenset[str] | None = None,
    block_size: int = BLOCK,
) -> Corpus:
    """The documents of a source.

    ``layers`` names the token layers to extract, of those that the format has (all by default);
    ids of sentences and the dependencies of empty nodes always come.
    """
    wanted = frozenset(LAYERS) if layers is None else layers
    reader = LineReader(source, wanted)
    blocks = []
    for block in line_blocks(source, block_size):
        check_text(block, source, reader.next_line)
        blocks.append(reader.rows(block))
    if not any(len(rows.lines) or rows.marks for rows in blocks):
        raise FormatError(
            "the file is empty" if reader.next_line == 1 else "the file has no documents",
            source.where(),
            "Check that this is the right file.",
        )
    corpus = assemble(source, blocks)
    if not source.part and not any(len(rows.marked) for rows in blocks):
        warning = f"{source.name}: no Entity attributes, so there are no mentions"
        corpus = replace(corpus, warnings=(*corpus.warnings, warning))
    return corpus


def sniff(head: bytes, name: str) -> float:
    """Sure where every line but comments has a number, counted from 1, and ten columns."""
    commented = b"#" in head
    if commented and BEGIN.search(head):
        return 0.0
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if len(head) >= HEAD:
        lines.pop()
    tokens = (line for line in lines if line[:1] != b"#" and line.strip())
    first = next(tokens, None)
    if first is None:
        return 0.6 if commented and _HEADER.search(head) else 0.0
    if not first.startswith((b"1\t", b"1-", b"0.")) or not all(
        map(_TOKEN.fullmatch, islice(chain([first], tokens), 100))
    ):
        usual = name.removesuffix(".gz").endswith(CONLLU.suffixes)
        return 0.3 if usual or (commented and _HEADER.search(head)) else 0.0
    return 0.95


CONLLU = register(
    Format(
        name="conllu",
        title="CoNLL-U with CorefUD's Entity",
        suffixes=(".conllu",),
        sniff=sniff,
        read_columns=read,
        capabilities=Capabilities(
            layers=frozenset({*LAYERS, "sent_id", "node"}),
            heads=True,
            types=True,
            minimum_spans=True,
            discontinuous=True,
            zeros=True,
            relations=True,
            attributes=True,
        ),
        write=write,
        document_mark=DocumentMark(
            ord("#"),
            begun_name,
            carried=lambda line: header_text(line) is not None,
            frequent=(b"# sent_id", b"# text"),
        ),
        losses=losses,
        documentation="docs/formats/conllu.md",
    )
)
