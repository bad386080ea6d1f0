"""BookNLP: entities by the tokens of a book, and these tokens beside them.

The smallest valid document is two files, with tabs between the cells. ``x.tokens``::

    sentence_ID	token_ID_within_document	word
    0	0	Anna
    0	1	slept
    1	2	She

``x.entities``::

    COREF	start_token	end_token	prop	cat	text
    7	0	0	PROP	PER	Anna
    7	2	2	PRON	PER	She

BookNLP itself writes more columns of tokens; of these, lemmas, tags and dependencies are read.
Tokens are counted from 0 in the book, and the last one is included. ``prop`` is the kind of a
mention, ``cat`` its type. A mention of the entity -1 is a singleton. Without the tokens mentions
can be scored against a side that has the text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError, Location
from corefine.formats.building.document_rows import DocumentRows
from corefine.formats.building.quoted_words import shown, told
from corefine.formats.input.folders import all_or_none, companion, document_name, stem
from corefine.formats.input.headed_rows import has_header, headed_rows
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register

ENTITIES, TOKENS = ".entities", ".tokens"
KINDS = {"PROP": Kind.NAME, "NOM": Kind.NOMINAL, "PRON": Kind.PRONOUN}
LAYERS = {
    "lemma": "lemma",
    "upos": "POS_tag",
    "pos": "fine_POS_tag",
    "deprel": "dependency_relation",
}
_HEADER = ("COREF", "start_token", "end_token", "prop", "cat", "text")
_SAMPLE = f"Its tab-separated columns are: {', '.join(_HEADER)}."


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The one document of a file of entities, with the tokens beside it."""
    return read_many([source], layers)


def read_many(sources: Sequence[Source], layers: frozenset[str] | None) -> Corpus:
    """The documents of files of entities, with the tokens beside them."""
    beside = [companion(source, (stem(source, ENTITIES) + TOKENS,)) for source in sources]
    tokens = all_or_none(sources, beside, "the tokens")
    rows = DocumentRows()
    texts: list[tuple[int, str]] = []
    lines: list[Location] = []
    for number, source in enumerate(sources):
        rows.begin(document_name(source, ENTITIES), (tokens or sources)[number].name)
        if tokens is not None:
            _read_tokens(tokens[number], rows, layers)
        _read_entities(source, rows, texts, lines, with_text=tokens is not None)
    if tokens is not None:
        rows.warnings += _differences(rows, texts, lines)
    return rows.corpus("booknlp", kinds=True, text=tokens is not None)


def _number(cell: str, line: int, source: Source, what: str, *, signed: bool = False) -> int:
    digits = cell.removeprefix("-") if signed else cell
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise FormatError(f"{what} is {cell[:60]!r}", source.where(line), "It must be an integer.")
    return int(cell)


def _read_tokens(source: Source, rows: DocumentRows, layers: frozenset[str] | None) -> None:
    header = ("sentence_ID", "token_ID_within_document", "word")
    opening = source.head().partition(b"\n")[0].rstrip(b"\r").decode("utf-8", "replace").split("\t")
    wanted = {
        name: key
        for name, key in LAYERS.items()
        if key in opening and (layers is None or name in layers)
    }
    for name in wanted:
        column = rows.layers.setdefault(name, [])
        column += [""] * (len(rows.words) - len(column))
    for line, (sentence, number, word, *more) in headed_rows(source, (*header, *wanted.values())):
        place = _number(number, line, source, "token_ID_within_document")
        if place != rows.size:
            raise FormatError(
                f"token {place} where token {rows.size} is expected",
                source.where(line),
                "Tokens are numbered from 0, in order.",
            )
        rows.add(word, sentence, line)
        for name, value in zip(wanted, more, strict=True):
            rows.layers[name].append(value)
    for column in rows.layers.values():
        column += [""] * (len(rows.words) - len(column))


def _read_entities(
    source: Source,
    rows: DocumentRows,
    texts: list[tuple[int, str]],
    lines: list[Location],
    *,
    with_text: bool,
) -> None:
    for line, (entity, first, last, kind, type, text) in headed_rows(source, _HEADER):
        start = _number(first, line, source, "start_token")
        end = _number(last, line, source, "end_token")
        if end < start or (with_text and end >= rows.size):
            raise FormatError(
                f"a mention of tokens {start} to {end} of {rows.size:,}"
                if with_text
                else f"a mention of tokens {start} to {end}",
                source.where(line),
                "Tokens are numbered from 0, and end_token is inclusive.",
            )
        number = _number(entity, line, source, "COREF", signed=True)
        label = entity if number >= 0 else f"{entity}:{line}"
        if kind not in KINDS:
            raise FormatError(f"prop is {kind[:60]!r}", source.where(line), _SAMPLE)
        rows.mentions.add(rows.document, label, [(start, end + 1)], KINDS[kind], type)
        texts.append((rows.document, text))
        lines.append(source.where(line))


def _differences(
    rows: DocumentRows, texts: Sequence[tuple[int, str]], lines: Sequence[Location]
) -> list[str]:
    """Warnings of texts that are not the tokens'; an error where most of a document's are."""
    own = []
    for (document, _), parts in zip(texts, rows.mentions.parts, strict=True):
        (start, stop), base = parts[0], rows.first[document]
        own.append(" ".join(rows.words[base + start : base + stop]))
    differing = [
        row
        for row, (document, text) in enumerate(texts)
        if "".join(text.split()) != "".join(own[row].split())
    ]
    return told(
        np.array(differing, np.int64),
        np.array([document for document, _ in texts], np.int64),
        lambda row: (
            f"a mention reads {shown(texts[row][1])}, but {rows.sources[texts[row][0]]} has "
            f"{shown(own[row])}"
        ),
        lambda row: lines[row],
    )


def sniff(head: bytes, name: str) -> float:
    """Sure where the first line names the columns of entities."""
    return 0.95 if has_header(head, _HEADER) else 0.0


BOOKNLP = register(
    Format(
        name="booknlp",
        title="BookNLP: entities and tokens of a book",
        suffixes=(ENTITIES,),
        sniff=sniff,
        read_columns=read,
        read_many=read_many,
        capabilities=Capabilities(layers=frozenset(LAYERS), kinds=True, types=True),
        companions=(TOKENS, ".quotes", ".supersense", ".book", ".book.html", ".txt"),
        documentation="docs/formats/booknlp.md",
    )
)
