"""GAP: texts with a pronoun and two names, and which of the names the pronoun refers to.

The smallest valid file, with tabs between the cells::

    ID	Text	Pronoun	Pronoun-offset	A	A-offset	A-coref	B	B-offset	B-coref	URL
    x	Ann met Eve when she left.	she	17	Ann	0	TRUE	Eve	8	FALSE	-

A row is a document with three mentions. The pronoun is in one entity with the names whose
``coref`` is ``TRUE``; the others are singletons. Offsets are characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention
from corefine.errors import FormatError, Location
from corefine.formats.input.lines import has_header, headed_rows
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register

_HEADER = ("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref",
           "B", "B-offset", "B-coref")  # fmt: skip
_TRUTH = {"TRUE": True, "FALSE": False}


def read(source: Source) -> Iterator[Document]:
    """Read the documents of a source, one per row."""
    for example in examples(source):
        mentions = [Mention("pronoun", [example.pronoun], kind=Kind.PRONOUN)]
        for label, span, coreferent in zip("AB", example.names, example.truth, strict=True):
            entity = "pronoun" if coreferent else label
            mentions.append(Mention(entity, [span], kind=Kind.NAME))
        document = Document.from_text(example.id, example.text, mentions, sentences=())
        document.lines = [example.where.line or 0] * len(document.tokens or ())
        yield document


@dataclass(frozen=True, slots=True)
class Example:
    """A pronoun and two names as character spans, and whether it refers to each of them."""

    id: str
    text: str
    pronoun: tuple[int, int]
    names: tuple[tuple[int, int], tuple[int, int]]
    truth: tuple[bool, bool]
    where: Location


def examples(source: Source) -> Iterator[Example]:
    """The examples of a source, one per row."""
    found = False
    for number, cells in headed_rows(source, _HEADER):
        found = True
        yield _example(cells, source.where(number))
    if not found:
        raise FormatError("no rows", source.where(), "Check that this is the right file.")


def _example(cells: list[str], where: Location) -> Example:
    id, text, pronoun, at, a, a_at, a_truth, b, b_at, b_truth = cells
    if not text.strip():
        raise FormatError("the Text is empty", where, "Every row needs a text.")
    return Example(
        id,
        text,
        _span(text, pronoun, at, "Pronoun", where),
        (_span(text, a, a_at, "A", where), _span(text, b, b_at, "B", where)),
        (_truth(a_truth, "A", where), _truth(b_truth, "B", where)),
        where,
    )


def _truth(cell: str, label: str, where: Location) -> bool:
    if cell not in _TRUTH:
        raise FormatError(f"{label}-coref is {cell[:20]!r}", where, "It must be TRUE or FALSE.")
    return _TRUTH[cell]


def _span(text: str, words: str, offset: str, what: str, where: Location) -> tuple[int, int]:
    """Character span of an expression."""
    start = int(offset) if offset.isascii() and offset.isdigit() and len(offset) < 10 else -1
    if start < 0 or not words.strip() or text[start : start + len(words)] != words:
        raise FormatError(
            f"{what} {words[:40]!r} is not at character {offset[:20]!r} of the Text",
            where,
            "The offset is the index of its first character, from 0.",
        )
    return start, start + len(words)


def detect(head: bytes, name: str) -> bool:
    """True if the first line names GAP's columns."""
    return has_header(head, _HEADER)


GAP = register(
    Format(
        "gap",
        "GAP TSV: a pronoun and two names per text",
        (".tsv",),
        read,
        detect,
        capabilities=Capabilities(kinds=True),
        documentation="docs/formats/gap.md",
    )
)
