"""BookNLP: entities by the tokens of a book, and the tokens in a second file.

The smallest valid document is two files of tab-separated cells. ``x.tokens``::

    sentence_ID	token_ID_within_document	word
    0	0	Anna
    0	1	slept
    1	2	She

``x.entities``::

    COREF	start_token	end_token	prop	cat	text
    7	0	0	PROP	PER	Anna
    7	2	2	PRON	PER	She

BookNLP itself writes more columns of tokens, of which lemmas, tags and dependency relations are
read. Tokens count from 0 in the book, the last one is included. ``prop`` is the kind of a mention,
``cat`` its type. A mention of the entity -1 is a singleton. Without the tokens, mentions can be
scored against a side that has the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corefine.corpus.document import Document, Mention
from corefine.formats.io.lines import has_header, headed_rows
from corefine.formats.io.relations import KIND_OF_NAME
from corefine.formats.io.sources import Source, companion, document_name, stem
from corefine.formats.registry import Format, register

ENTITIES, TOKENS = ".entities", ".tokens"
LAYERS = {
    "lemma": "lemma",
    "upos": "POS_tag",
    "pos": "fine_POS_tag",
    "deprel": "dependency_relation",
}
_HEADER = ("COREF", "start_token", "end_token", "prop", "cat", "text")
_NUMBERS = re.compile(r"-?[0-9]{1,9} [0-9]{1,9} [0-9]{1,9}")
_REMEDY = "Tokens are numbered from 0, end_token is inclusive, and prop is one of PROP, NOM, PRON."


def read(source: Source) -> Iterator[Document]:
    """The document of a file of entities, with its tokens."""
    document = Document(document_name(source, ENTITIES), source=source.name)
    beside = companion(source, (stem(source, ENTITIES) + TOKENS,))
    if beside is not None:
        _read_tokens(beside, document)
    for line, (entity, first, last, kind, type, text) in headed_rows(source, _HEADER):
        if not _NUMBERS.fullmatch(f"{entity} {first} {last}") or kind not in KIND_OF_NAME:
            message = f"a malformed mention {text[:60]!r} of tokens {first[:20]!r} to {last[:20]!r}"
            raise source.error(message, line, _REMEDY)
        document.mentions.append(
            Mention(
                f"{entity}:{line}" if entity.startswith("-") else entity,
                [(int(first), int(last) + 1)],
                kind=KIND_OF_NAME[kind],
                type=type or None,
                quoted=text,
                where=source.where(line),
            )
        )
    yield document


def _read_tokens(source: Source, document: Document) -> None:
    header = ("sentence_ID", "token_ID_within_document", "word")
    opening = source.head().partition(b"\n")[0].rstrip(b"\r").decode("utf-8", "replace").split("\t")
    layers = {name: key for name, key in LAYERS.items() if key in opening}
    columns: dict[str, list[str]] = {name: [] for name in layers}
    tokens: list[str] = []
    previous = None
    for line, (sentence, number, word, *more) in headed_rows(source, (*header, *layers.values())):
        if number != str(len(tokens)):
            message = f"token {number[:20]!r} where token {len(tokens)} is expected"
            raise source.error(message, line, _REMEDY)
        if sentence != previous:
            document.starts.append(len(tokens))
            previous = sentence
        tokens.append(word)
        document.lines.append(line)
        for column, value in zip(columns.values(), more, strict=True):
            column.append(value)
    document.tokens, document.source = tokens, source.name
    document.layers = {name: column for name, column in columns.items() if any(column)}


BOOKNLP = register(
    Format(
        name="booknlp",
        title="BookNLP: entities and tokens of a book",
        suffixes=(ENTITIES,),
        read=read,
        detect=has_header(_HEADER),
        companions=(TOKENS, ".quotes", ".supersense", ".book", ".book.html", ".txt"),
    )
)
