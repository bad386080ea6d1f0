"""Writing Universal Anaphora's CoNLL-U Plus: every document with its columns, words and brackets.

Words are numbered through a document. A bracket that closes names no mention, so mentions of one
column must not cross.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from corefine.corpus.arrays import BoolArray
from corefine.corpus.columns import Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.errors import UsageError
from corefine.formats.building.bracket_writing import (
    as_cell,
    counted,
    entity_ids,
    layer_cells,
)
from corefine.formats.text.nesting import crossing

COLUMNS = (
    *("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"),
    *("IDENTITY", "BRIDGING", "DISCOURSE_DEIXIS", "REFERENCE", "NOM_SEM"),
)
LAYERS = {
    "lemma": "LEMMA",
    "upos": "UPOS",
    "pos": "XPOS",
    "feats": "FEATS",
    "head": "HEAD",
    "deprel": "DEPREL",
    "reference": "REFERENCE",
    "nom_sem": "NOM_SEM",
}
"""The columns that are layers of the tokens; the numbers in DEPS would have to be others."""
_NOT_IN_ID = re.compile(r"[\x00-\x20()|=,@]|-Pseudo$")
_NOT_IN_VALUE = re.compile(r"[\x00-\x20()|@]")
_ID_FIELD = "MarkableID"


@dataclass(slots=True)
class WrittenColumn:
    """The brackets of one column by token of the corpus, and what gets lost."""

    closing: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    opening: dict[int, list[tuple[int, int, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """For each token the brackets that open, by where they end."""
    markables: dict[tuple[int, int, int], str] = field(default_factory=dict)
    """The id of the mention with this document, start and stop."""
    ids: dict[tuple[int, str], str] = field(default_factory=dict)
    """The written id of each entity, by document and name."""
    lost: list[str] = field(default_factory=list)

    def cell(self, token: int) -> str:
        """What stands at a token: brackets that close, then those that open, the longest first."""
        opened = sorted(self.opening.get(token, ()), key=lambda one: (-one[0], one[1]))
        return ")" * self.closing.get(token, 0) + "".join(
            f"({text})" if last == token else f"({text}" for last, _, text in opened
        )


def losses(corpus: Corpus) -> list[str]:
    """What a file of Universal Anaphora cannot say of this corpus."""
    if corpus.tokens is None:
        return []
    identity, deixis = _columns(corpus)
    renamed = [name for name in corpus.documents if as_cell(name) != name or not name]
    unlinked = sum(_link(relation, identity) is None for relation in _bridges(corpus))
    elements = sum(
        (relation.document, name) not in column.ids
        for part, column in ((corpus, identity), (corpus.annotation("deixis"), deixis))
        for relation in part.relations
        if relation.kind == "split"
        for name in (relation.source, relation.target)
    )
    lost = [*identity.lost, *deixis.lost]
    if renamed:
        lost.append(counted(renamed, "document name"))
    if unlinked or elements:
        lost.append(f"relations of mentions or entities that do not exist ({unlinked + elements})")
    return list(dict.fromkeys(lost))


def write(corpus: Corpus) -> Iterator[bytes]:
    """The documents of a corpus, each as one piece of the file."""
    tokens = corpus.tokens
    if tokens is None:
        raise UsageError(
            "a corpus without text cannot be written as Universal Anaphora",
            None,
            "Choose a format that does not need the text, such as labels.",
        )
    identity, deixis = _columns(corpus)
    bridging: dict[int, list[str]] = defaultdict(list)
    for relation in _bridges(corpus):
        link = _link(relation, identity)
        if link is not None and relation.anaphor is not None:
            base = int(tokens.offsets[relation.document])
            bridging[base + relation.anaphor[0]].append(f"({link})")
    cells = {name: layer_cells(tokens, name, "_") for name in LAYERS}
    words = [as_cell(word) or "_" for word in tokens.words]
    ids, speakers = tokens.layers.get("sent_id"), tokens.layers.get("speaker")
    empty = np.zeros(len(tokens), bool) if tokens.empty is None else tokens.empty
    opens = set(tokens.sentences.tolist())
    for document, name in enumerate(corpus.documents):
        first, stop = tokens.offsets[document : document + 2].tolist()
        called = as_cell(name)
        lines = [
            f"# global.columns = {' '.join(COLUMNS)}",
            f"# newdoc id = {called}" if called else "# newdoc",
        ]
        word = node = base = 0
        for token in range(first, stop):
            if token == first or token in opens:
                if token > first:
                    lines.append("")
                base = word
                if ids is not None and ids[token]:
                    lines.append(f"# sent_id = {as_cell(ids[token])}")
                if speakers is not None and speakers[token] not in ("", "_"):
                    lines.append(f"# speaker_id = {as_cell(speakers[token])}")
            word, node = (word, node + 1) if empty[token] else (word + 1, 0)
            row = {
                "ID": f"{word}.{node}" if empty[token] else str(word),
                "FORM": words[token],
                "IDENTITY": identity.cell(token),
                "BRIDGING": "".join(bridging.get(token, ())),
                "DISCOURSE_DEIXIS": deixis.cell(token),
            } | {column: cells[name][token] for name, column in LAYERS.items()}
            if row["HEAD"].isdecimal() and row["HEAD"] != "0":
                row["HEAD"] = str(int(row["HEAD"]) + base)
            lines.append("\t".join(row.get(column) or "_" for column in COLUMNS))
        yield ("\n".join([*lines, ""]) + "\n").encode("utf-8", "replace")


def _columns(corpus: Corpus) -> tuple[WrittenColumn, WrittenColumn]:
    """The brackets of identity, what refers to nothing included, and of discourse deixis."""
    deixis = WrittenColumn()
    _add(deixis, corpus.annotation("deixis"), "dd_markable_", set())
    identity = WrittenColumn()
    nothing = corpus.annotation("nonreferring")
    used = {*_given(corpus), *_given(nothing)}
    _add(identity, corpus, "markable_", used, nothing)
    return identity, deixis


def _given(corpus: Corpus) -> Iterable[str]:
    column = corpus.mentions.attributes.get(_ID_FIELD)
    return () if column is None else column.tolist()


def _add(
    column: WrittenColumn,
    corpus: Corpus,
    prefix: str,
    used: set[str],
    nothing: Corpus | None = None,
) -> None:
    """Put the mentions of a corpus, and of what refers to nothing, into a column."""
    parts = [corpus] if nothing is None else [corpus, nothing]
    kept = _nested(parts)
    number = 0
    taken: set[tuple[int, str]] = set()
    for part, wanted in zip(parts, kept, strict=True):
        if not wanted.all():
            lost = int(np.count_nonzero(~wanted))
            column.lost.append(f"crossing mentions ({lost})")
        part = keep_mentions(part, wanted)
        if part is nothing or (nothing is not None and part.entities is nothing.entities):
            ids = _ids_of_nothing(part)
        else:
            ids, renamed = entity_ids(part, _NOT_IN_ID)
            column.lost += renamed
            names = part.entities.names
            for row, document in enumerate(part.entities.document.tolist()):
                column.ids[document, ids[row] if names is None else names[row]] = ids[row]
        elements = _elements(part, column)
        given = list(_given(part))
        mentions = part.mentions
        first_of: set[int] = set()
        for row in range(len(mentions)):
            document, entity = int(mentions.document[row]), int(mentions.entity[row])
            called = given[row] if given else ""
            while not called or (document, called) in taken or _NOT_IN_VALUE.search(called):
                number += 1
                called = f"{prefix}{number}" if f"{prefix}{number}" not in used else ""
            taken.add((document, called))
            column.markables.setdefault(
                (document, int(mentions.start[row]), int(mentions.stop[row])), called
            )
            fields = [f"EntityID={ids[entity]}", f"{_ID_FIELD}={called}"]
            fields += _more(part, row, column)
            of = elements.get(entity)
            if of and entity not in first_of:
                fields.append(f"ElementOf={','.join(of)}")
            first_of.add(entity)
            _brackets(column, part, row, "|".join(fields))


def _ids_of_nothing(corpus: Corpus) -> list[str]:
    """Ids that end as those of what refers to nothing do."""
    stems = corpus.entities.names
    plain = None if stems is None else [name.removesuffix("-Pseudo") for name in stems.tolist()]
    if plain is None or any(not name or _NOT_IN_ID.search(name) for name in plain):
        plain = [str(row + 1) for row in range(len(corpus.entities))]
    return [f"{name}-Pseudo" for name in plain]


def _nested(parts: list[Corpus]) -> list[BoolArray]:
    """Which mentions can be written: brackets of one column must not cross.

    A mention may begin with the word that another one ends with: what closes comes first.
    """
    pieces = np.array(
        [
            (number, row, int(part.mentions.document[row]), start, stop - 1)
            for number, part in enumerate(parts)
            for row in range(len(part.mentions))
            for start, stop in part.pieces_of(row)
            if stop - start > 1
        ],
        np.int64,
    ).reshape(-1, 5)
    kept = [np.ones(len(part.mentions), bool) for part in parts]
    for number, row, *_ in pieces[crossing(*pieces[:, 2:].T)].tolist():
        kept[number][row] = False
    return kept


def _elements(corpus: Corpus, column: WrittenColumn) -> dict[int, list[str]]:
    """For each entity the ids of the entities that it is an element of."""
    elements: dict[int, list[str]] = defaultdict(list)
    split = [relation for relation in corpus.relations if relation.kind == "split"]
    names = corpus.entities.names
    if not split or names is None:
        return elements
    document = corpus.entities.document.tolist()
    number = {pair: row for row, pair in enumerate(zip(document, names.tolist(), strict=True))}
    for relation in split:
        element = number.get((relation.document, relation.target))
        owner = column.ids.get((relation.document, relation.source))
        if element is not None and owner is not None and owner not in elements[element]:
            elements[element].append(owner)
    return elements


def _more(corpus: Corpus, row: int, column: WrittenColumn) -> list[str]:
    """The fields of a mention behind its ids."""
    fields = []
    minimum = corpus.mentions.minimum
    if minimum is not None and minimum[0][row] >= 0:
        low, high = int(minimum[0][row]) + 1, int(minimum[1][row])
        fields.append(f"Min={low}" if low == high else f"Min={low},{high}")
    for name, values in corpus.mentions.attributes.items():
        value = values[row]
        if not value or name == _ID_FIELD:
            continue
        if _NOT_IN_VALUE.search(value) or _NOT_IN_ID.search(name):
            column.lost.append(f"values of {name} such as {value!r}")
            value = _NOT_IN_VALUE.sub("_", value)
            name = _NOT_IN_ID.sub("_", name)
        fields.append(f"{name}={value}")
    return fields


def _brackets(column: WrittenColumn, corpus: Corpus, row: int, text: str) -> None:
    """The brackets of a mention: one pair, or one for each part."""
    assert corpus.tokens is not None
    base = int(corpus.tokens.offsets[corpus.mentions.document[row]])
    for start, stop in corpus.pieces_of(row):
        first, last = base + start, base + stop - 1
        column.opening[first].append((last, len(column.markables), text))
        if last > first:
            column.closing[last] += 1


def _bridges(corpus: Corpus) -> list[Relation]:
    return [relation for relation in corpus.relations if relation.kind == "bridge"]


def _link(relation: Relation, identity: WrittenColumn) -> str | None:
    """The cell of a bridging link; None where a mention that it needs is not written."""
    document = relation.document
    if relation.anaphor is None:
        return None
    anaphor = identity.markables.get((document, *relation.anaphor))
    fields = [f"{_ID_FIELD}={anaphor}"]
    if relation.label:
        fields.append(f"Rel={_NOT_IN_VALUE.sub('_', relation.label)}")
    entity = identity.ids.get((document, relation.target))
    if relation.antecedent is not None:
        antecedent = identity.markables.get((document, *relation.antecedent))
        if antecedent is None:
            return None
        fields.append(f"MentionAnchor={antecedent}")
    elif entity is None:
        return None
    if entity is not None:
        fields.append(f"EntityAnchor={entity}")
    return None if anaphor is None else "|".join(fields)
