"""GAP: a pronoun and two names in each text, and which of the names the pronoun means.

The smallest valid file, with tabs between the cells::

    ID	Text	Pronoun	Pronoun-offset	A	A-offset	A-coref	B	B-offset	B-coref	URL
    x	Ann met Eve when she left.	she	17	Ann	0	TRUE	Eve	8	FALSE	-

Every row is a document with three mentions. The pronoun is in one entity with the names whose
``coref`` is ``TRUE``; the others are singletons. Offsets are characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError, Location
from corefine.formats.input.headed_rows import has_header, headed_rows
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.json_records import Record, made_record
from corefine.formats.jsonlines.reader import read_records
from corefine.formats.registry import Capabilities, Format, register

_HEADER = ("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref",
           "B", "B-offset", "B-coref")  # fmt: skip
_TRUTH = {"TRUE": True, "FALSE": False}
_AT_A_TIME = 1000
_ROWS = Dialect(
    "gap",
    clusters=("entities",),
    words=("text",),
    names=("ID",),
    entity_names="names",
    kinds="kinds",
)
"""Rows as records: they are read as texts with mentions of their characters are."""


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The documents of a source: one for each row."""
    return read_records(_ROWS, _records(source), source, layers)


def _records(source: Source) -> Iterator[list[Record]]:
    records: list[Record] = []
    for example in examples(source):
        records.append(_record(example))
        if len(records) == _AT_A_TIME:
            yield records
            records = []
    if records:
        yield records


@dataclass(frozen=True, slots=True)
class Example:
    """A pronoun and two names in a text, as spans of characters, and which of them it refers to."""

    id: str
    text: str
    pronoun: tuple[int, int]
    names: tuple[tuple[int, int], tuple[int, int]]
    truth: tuple[bool, bool]
    where: Location


def examples(source: Source) -> Iterator[Example]:
    """The examples of a source, one in each row."""
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


def _record(example: Example) -> Record:
    entities = [[example.pronoun]]
    labels, kinds = ["pronoun"], [[int(Kind.PRONOUN)]]
    for label, span, coreferent in zip("AB", example.names, example.truth, strict=True):
        if coreferent:
            entities[0].append(span)
            kinds[0].append(int(Kind.NAME))
        else:
            entities.append([span])
            labels.append(label)
            kinds.append([int(Kind.NAME)])
    values = {"ID": example.id, "text": example.text, "entities": entities, "names": labels,
              "kinds": kinds}  # fmt: skip
    return made_record(Record({}, example.where), values)


def _span(text: str, words: str, offset: str, what: str, where: Location) -> tuple[int, int]:
    """First character of an expression, and the one behind its last."""
    start = int(offset) if offset.isascii() and offset.isdigit() and len(offset) < 10 else -1
    if start < 0 or not words.strip() or text[start : start + len(words)] != words:
        raise FormatError(
            f"{what} {words[:40]!r} is not at character {offset[:20]!r} of the Text",
            where,
            "The offset is the index of its first character, from 0.",
        )
    return start, start + len(words)


def sniff(head: bytes, name: str) -> float:
    """Sure where the first line names GAP's columns."""
    return 0.95 if has_header(head, _HEADER) else 0.0


GAP = register(
    Format(
        name="gap",
        title="GAP TSV: a pronoun and two names per text",
        suffixes=(".tsv",),
        sniff=sniff,
        read_columns=read,
        capabilities=Capabilities(kinds=True),
        documentation="docs/formats/gap.md",
    )
)
