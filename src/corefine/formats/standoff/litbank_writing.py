"""Writing LitBank's TSV: a file of mentions and one of the text for each document."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats.building.empty_nodes import drop_empty_nodes
from corefine.formats.input.folders import file_names, lost_names
from corefine.formats.text.token_lines import WrittenLines, lost_words

ENDING = ".tsv"
KINDS = {Kind.NAME: "PROP", Kind.NOMINAL: "NOM", Kind.PRONOUN: "PRON", Kind.ZERO: "ZERO"}
"""The words for kinds; LitBank itself has no zeros."""
UNKNOWN = "-"

_NOT_IN_CELLS = re.compile(r"[\x00-\x1f]")


def losses(corpus: Corpus) -> list[str]:
    """What LitBank's files cannot say of this corpus, besides what no such files say."""
    lost = lost_names(corpus.documents) + lost_words(corpus)
    types = [name for name in corpus.types if _written_type(name) != name]
    if types:
        lost.append(f"types such as {types[0]!r}")
    names = corpus.entities.names
    if names is not None:
        given = names.tolist()
        per_document = set(zip(corpus.entities.document.tolist(), given, strict=True))
        if len(per_document) < len(given) or any(_cell(name) != name for name in given):
            lost.append("names of entities that are not different, or hold tabs or newlines")
    return lost


def _cell(text: str) -> str:
    return _NOT_IN_CELLS.sub(" ", text).strip() or UNKNOWN


def _written_type(name: str) -> str:
    written = _cell(name)
    return f"{written}_" if written in KINDS.values() or written == UNKNOWN else written


def write_files(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """The files of all documents: ``x.txt`` and ``x.tsv``."""
    corpus = drop_empty_nodes(corpus)
    tokens, mentions = corpus.tokens, corpus.mentions
    if tokens is None:
        raise UsageError(
            "a corpus without text cannot be written as LitBank's TSV",
            None,
            "Choose a format that names mentions.",
        )
    lines = WrittenLines.of(tokens)
    bounds = np.searchsorted(mentions.document, np.arange(len(corpus) + 1)).tolist()
    places, labels = _mention_cells(corpus, lines), _entity_names(corpus)
    for document, name in enumerate(file_names(corpus.documents)):
        rows = range(bounds[document], bounds[document + 1])
        written = [f"MENTION\tT{number}\t{places[row]}\n" for number, row in enumerate(rows, 1)]
        written += [f"COREF\tT{number}\t{labels[row]}\n" for number, row in enumerate(rows, 1)]
        yield f"{name}.txt", lines.text(document)
        yield f"{name}{ENDING}", "".join(written).encode("utf-8", "surrogatepass")


def _mention_cells(corpus: Corpus, lines: WrittenLines) -> list[str]:
    """What a line says of each mention behind its id."""
    assert corpus.tokens is not None
    mentions = corpus.mentions
    base = corpus.tokens.offsets[mentions.document]
    first, last = base + mentions.start, base + mentions.stop - 1
    types = [*map(_written_type, corpus.types), UNKNOWN]
    type = np.full(len(mentions), -1) if mentions.type is None else mentions.type
    kind = np.zeros(len(mentions), np.uint8) if mentions.kind is None else mentions.kind
    columns = (first, last, lines.line[first] - 1, lines.token[first], lines.line[last] - 1,
               lines.token[last], type, kind)  # fmt: skip
    return [
        f"{line}\t{token}\t{last_line}\t{last_token}\t{' '.join(lines.words[start : end + 1])}"
        f"\t{types[number]}\t{KINDS.get(Kind(sort), UNKNOWN)}"
        for start, end, line, token, last_line, last_token, number, sort in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


def _entity_names(corpus: Corpus) -> list[str]:
    """For each mention the name of its entity, different for the entities of a document."""
    document = corpus.entities.document.tolist()
    names = corpus.entities.names
    given = map(str, range(len(document))) if names is None else map(_cell, names)
    written: list[str] = []
    used: set[tuple[int, str]] = set()
    for number, name in zip(document, given, strict=True):
        unused, count = name, 1
        while (number, unused) in used:
            count += 1
            unused = f"{name}-{count}"
        used.add((number, unused))
        written.append(unused)
    return [written[entity] for entity in corpus.mentions.entity.tolist()]
