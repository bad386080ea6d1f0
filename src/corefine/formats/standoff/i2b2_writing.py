"""Writing i2b2's files: text, concepts and chains of each document, in folders of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.formats.building.written_text import with_text
from corefine.formats.input.folders import file_names, lost_names
from corefine.formats.text.token_lines import WrittenLines, lost_words

CHAINS, CONCEPTS = ".chains", ".con"
PRONOUN = "pronoun"
"""The type of a concept that is a pronoun: it tells a kind, and leaves the type to the chain."""
UNTYPED = "none"

_NOT_IN_TYPES = re.compile(r'[\x00-\x1f"|]')


def losses(corpus: Corpus) -> list[str]:
    """What i2b2's files cannot say of this corpus, besides what no such files say."""
    lost = lost_names(corpus.documents) + lost_words(corpus)
    kind = corpus.mentions.kind
    if kind is not None:
        others = np.count_nonzero((kind != Kind.UNKNOWN) & (kind != Kind.PRONOUN))
        if others:
            lost.append(f"mention kinds other than pronoun ({others})")
    unwritable = [name for name in corpus.types if _written_type(name) != name]
    if unwritable:
        lost.append(f"entity types such as {unwritable[0]!r}")
    if corpus.tokens is not None:
        overruled = int(np.count_nonzero(_overruled(corpus)))
        if overruled:
            lost.append(f"types of pronouns that differ from their entity's ({overruled})")
    return lost


def _written_type(name: str) -> str:
    written = _NOT_IN_TYPES.sub(" ", name).strip()
    return UNTYPED if written in ("", PRONOUN) else written


def _entity_types(corpus: Corpus) -> IntArray:
    """The type that most mentions of an entity have, the first of several; -1 if none has any."""
    type = corpus.mentions.type
    found = np.full(len(corpus.entities), -1)
    if type is None:
        return found
    rows = np.flatnonzero(type >= 0)
    pairs, first, count = np.unique(
        corpus.mentions.entity[rows] * len(corpus.types) + type[rows],
        return_index=True,
        return_counts=True,
    )
    order = np.lexsort((-first, count))
    found[pairs[order] // len(corpus.types)] = pairs[order] % len(corpus.types)
    return found


def _overruled(corpus: Corpus) -> BoolArray:
    """Which mentions are pronouns of another type than their entity: their own is not written."""
    kind, type = corpus.mentions.kind, corpus.mentions.type
    if kind is None or type is None:
        return np.zeros(len(corpus.mentions), bool)
    chain = _entity_types(corpus)[corpus.mentions.entity]
    overruled: BoolArray = (kind == Kind.PRONOUN) & (type != chain)
    return overruled


def write_files(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """The files of all documents, in the folders ``docs``, ``concepts`` and ``chains``."""
    corpus, tokens = with_text(corpus, "i2b2")
    mentions = corpus.mentions
    lines = WrittenLines.of(tokens)
    concepts = _concepts(corpus, lines)
    types, chain_types = _types(corpus)
    chains = np.flatnonzero(_in_chain(corpus))
    chains = chains[np.lexsort((mentions.entity[chains], mentions.document[chains]))]
    listed = np.lexsort((mentions.stop, mentions.start, mentions.document))
    for document, name in enumerate(file_names(corpus.documents)):
        rows = listed[_rows_of(document, mentions.document[listed])].tolist()
        lines_of_concepts = dict.fromkeys(f'{concepts[row]}||t="{types[row]}"\n' for row in rows)
        entities: dict[int, list[str]] = {}
        for row in chains[_rows_of(document, mentions.document[chains])].tolist():
            entities.setdefault(int(mentions.entity[row]), []).append(concepts[row])
        lines_of_chains = [
            f'{"||".join(chain)}||t="coref {chain_types[entity]}"\n'
            for entity, chain in entities.items()
        ]
        yield f"docs/{name}.txt", lines.text(document)
        yield f"concepts/{name}.txt{CONCEPTS}", _encoded(lines_of_concepts)
        yield f"chains/{name}.txt{CHAINS}", _encoded(lines_of_chains)


def _encoded(lines: Iterable[str]) -> bytes:
    return "".join(lines).encode("utf-8", "surrogatepass")


def _rows_of(document: int, column: IntArray) -> slice:
    """The rows of a document in a column that is in order."""
    return slice(*np.searchsorted(column, [document, document + 1]).tolist())


def _concepts(corpus: Corpus, lines: WrittenLines) -> list[str]:
    """Every mention with its words and its place."""
    assert corpus.tokens is not None
    base = corpus.tokens.offsets[corpus.mentions.document]
    first, last = base + corpus.mentions.start, base + corpus.mentions.stop - 1
    columns = (first, last, lines.line[first], lines.token[first], lines.line[last],
               lines.token[last])  # fmt: skip
    return [
        f'c="{" ".join(lines.words[start : stop + 1]).lower()}" {line}:{token} {to_line}:{to_token}'
        for start, stop, line, token, to_line, to_token in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


def _types(corpus: Corpus) -> tuple[list[str], list[str]]:
    """The types of mentions and of entities, as they are written."""
    names = [*map(_written_type, corpus.types), UNTYPED]
    mentions = corpus.mentions
    type = np.full(len(mentions), -1) if mentions.type is None else mentions.type
    types = [names[number] for number in type.tolist()]
    if mentions.kind is not None:
        for mention in np.flatnonzero(mentions.kind == Kind.PRONOUN).tolist():
            types[mention] = PRONOUN
    return types, [names[number] for number in _entity_types(corpus).tolist()]


def _in_chain(corpus: Corpus) -> BoolArray:
    """Which mentions must stand in a chain, since a concept alone would not tell their entity.

    Those of entities of several mentions; repeats, which would be taken for the same; and pronouns
    with a type, which only a chain gives.
    """
    mentions, tokens = corpus.mentions, corpus.tokens
    assert tokens is not None
    base = tokens.offsets[mentions.document]
    _, place, count = np.unique(
        (base + mentions.start) * (len(tokens) + 1) + base + mentions.stop,
        return_inverse=True,
        return_counts=True,
    )
    sizes = np.bincount(mentions.entity, minlength=len(corpus.entities))
    chained: BoolArray = (sizes[mentions.entity] > 1) | (count[place] > 1)
    if mentions.kind is not None and mentions.type is not None:
        chained |= (mentions.kind == Kind.PRONOUN) & (mentions.type >= 0)
    return chained
