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
from corefine.formats.io.lines import has_header, headed_rows
from corefine.formats.io.sources import Source
from corefine.formats.registry import Format, register

_HEADER = ("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref",
           "B", "B-offset", "B-coref")  # fmt: skip
_REMEDY = (
    "A row has a text and three expressions with the index of their first character, from 0, and "
    "says TRUE or FALSE for both names."
)


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
        raise source.error("no rows", None, "Check that this is the right file.")


def _example(cells: list[str], where: Location) -> Example:
    id, text, *others = cells
    pronoun, a, b = (_span(text, others[n], others[n + 1], where) for n in (0, 2, 5))
    if not {others[4], others[7]} <= {"TRUE", "FALSE"}:
        raise FormatError("A-coref and B-coref must be TRUE or FALSE", where, _REMEDY)
    return Example(id, text, pronoun, (a, b), (others[4] == "TRUE", others[7] == "TRUE"), where)


def _span(text: str, words: str, offset: str, where: Location) -> tuple[int, int]:
    """Character span of an expression."""
    start = int(offset) if offset.isdecimal() and len(offset) < 10 else len(text)
    if not words.strip() or not text.startswith(words, start):
        message = f"{words[:40]!r} is not at character {offset[:20]!r} of the Text"
        raise FormatError(message, where, _REMEDY)
    return start, start + len(words)


register(
    Format("gap", "GAP TSV: a pronoun and two names per text", (".tsv",), read, has_header(_HEADER))
)
