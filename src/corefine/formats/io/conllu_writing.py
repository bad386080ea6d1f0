"""Writing CoNLL-U: token lines for all of its formats, and CorefUD's attribute Entity.

Split antecedents are written at the first mention of the entity that has them, bridging at the
anaphor or, if that is not known, at the first mention of its entity.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.formats.io.bracket_columns import entity_labels
from corefine.formats.io.brackets import crossing
from corefine.formats.io.conllu_lines import COLUMNS, LAYERS

ATTRIBUTES = {"bridge": "Bridge", "split": "SplitAnte"}
_BREAKS = re.compile(r"[\x00\t\n\r]")
_NOT_IN_ID = re.compile(r"[\x00-\x20()|=<,:\[\]-]")
_NOT_IN_VALUE = re.compile(r"[\x00-\x20()|-]")
_NOT_IN_LAST_VALUE = re.compile(r"[\x00-\x20()|]")
_NOT_IN_NAME = re.compile(r"[\x00-\x20-]")
_NOT_IN_LABEL = re.compile(r"[\x00-\x20|,]")
_RESERVED = {"eid", "etype", "head", "minspan", "GRP", "entity", "MIN"}


def as_line(text: str) -> str:
    """A text as the value of a comment."""
    return _BREAKS.sub(" ", text).strip(" ")


def token_lines(
    document: Document,
    cells: Mapping[str, Mapping[int, str]],
    columns: Sequence[str] = COLUMNS,
    layers: Mapping[str, str] = LAYERS,
    *,
    through_document: bool = False,
) -> Iterator[str]:
    """Comments and token lines of a document.

    ``cells`` has the content of columns by token; ``layers`` are written to the columns they name.
    Words are numbered in each sentence or ``through_document``; the column HEAD likewise.
    """
    empty, opens = set(document.empty_nodes), {0, *document.starts}
    ids, nodes = document.layers.get("sent_id"), document.layers.get("node")
    speakers = document.layers.get("speaker")
    values = {column: document.layers.get(name) for name, column in layers.items()}
    word = node = base = 0
    for token, form in enumerate(document.tokens or ()):
        if token in opens:
            if token:
                yield ""
            base = word if through_document else 0
            word, node = base, 0
            if ids is not None and as_line(ids[token]):
                yield f"# sent_id = {as_line(ids[token])}"
            if through_document and speakers is not None and speakers[token] not in ("", "_"):
                yield f"# speaker_id = {as_line(speakers[token])}"
        if token in empty:
            given = "" if nodes is None else nodes[token]
            node = int(given) if given.isdecimal() else node + 1
        else:
            word, node = word + 1, 0
        row = {"ID": f"{word}.{node}" if token in empty else str(word), "FORM": form}
        row |= {column: found[token] for column, found in values.items() if found is not None}
        row |= {column: found[token] for column, found in cells.items() if token in found}
        head = row.get("HEAD", "")
        if base and head.isdecimal() and head != "0":
            row["HEAD"] = str(int(head) + base)
        yield "\t".join(_BREAKS.sub(" ", row.get(column, "")) or "_" for column in columns)


def written(lines: Sequence[str]) -> bytes:
    """Lines of a document; an empty line follows the last sentence."""
    return "".join(f"{line}\n" for line in [*lines, ""]).encode("utf-8", "replace")


def newdoc(document: Document) -> str:
    """The comment that begins a document."""
    name = as_line(document.name)
    return f"# newdoc id = {name}" if name else "# newdoc"


def write(corpus: Corpus) -> Iterator[bytes]:
    """Content of a file, document by document."""
    writer = EntityAttributes.of(corpus)
    for document in corpus:
        cells = {token: "|".join(found) for token, found in writer.attributes(document).items()}
        lines = [newdoc(document), f"# global.Entity = {writer.header}"]
        lines += token_lines(document, {"MISC": cells})
        yield written(lines)


@dataclass(frozen=True, slots=True)
class EntityAttributes:
    """Attributes of entities and relations in the last column."""

    labels: Callable[[Document], Mapping[str | int, str]]
    fields: Mapping[str, str]

    @classmethod
    def of(cls, corpus: Corpus) -> EntityAttributes:
        return cls(entity_labels(corpus, _NOT_IN_ID, "e"), _fields_of(corpus))

    @property
    def header(self) -> str:
        """Names of the fields of a mention."""
        return "-".join(["eid", *self.fields.values()])

    def attributes(self, document: Document) -> dict[int, list[str]]:
        """Sorted attributes of each token that has any."""
        entities = EntityCells.of(document, self.labels(document), self.fields)
        misc: dict[int, list[str]] = defaultdict(list)
        for token, cell in entities.cells.items():
            misc[token].append(f"Entity={cell}")
        for token, attributes in _relations(document, entities).items():
            misc[token] += [f"{name}={','.join(values)}" for name, values in attributes.items()]
        return {token: sorted(found) for token, found in misc.items()}


def _fields_of(corpus: Corpus) -> dict[str, str]:
    """Fields of mentions besides the entity, and their names in the header."""
    mentions = corpus.mentions
    fields = {"etype": "etype"}
    if mentions.head is not None:
        fields["head"] = "head"
    if mentions.minimum is not None or "minspan" in mentions.attributes:
        fields["minspan"] = "minspan"
    others = [name for name in mentions.attributes if name != "minspan"]
    # Only the last field can have hyphens.
    others.sort(key=lambda name: any("-" in value for value in mentions.attributes[name]))
    for name in others or ["other"]:
        plain = _NOT_IN_NAME.sub("_", name) or "_"
        while plain in _RESERVED or plain in fields.values():
            plain += "_"
        fields[name] = plain
    return fields


def position(mention: Mention, token: int) -> int:
    """Position of a token among the words of a mention, from 1; 0 if it is not one of them."""
    before = 0
    for start, stop in mention.spans:
        if start <= token < stop:
            return before + token - start + 1
        before += stop - start
    return 0


def _values(mention: Mention, fields: Mapping[str, str]) -> list[str]:
    """Values of the fields of a mention, without empty ones at the end."""
    known = {"etype": mention.type or "", **mention.attributes}
    if mention.head is not None:
        known["head"] = str(position(mention, mention.head) or "")
    if mention.minimum is not None and not known.get("minspan"):
        low, high = mention.minimum
        found = position(mention, low), position(mention, high - 1)
        known["minspan"] = ",".join(map(str, range(found[0], found[1] + 1))) if all(found) else ""
    values = []
    for place, name in enumerate(fields):
        wrong = _NOT_IN_LAST_VALUE if place == len(fields) - 1 else _NOT_IN_VALUE
        value = known.get(name, "")
        values.append(wrong.sub(lambda sign: f"%{ord(sign.group()):02X}", value))
    while values and not values[-1]:
        values.pop()
    return values


@dataclass(frozen=True, slots=True)
class Part:
    """A continuous part of a mention; ``last`` is its last token."""

    mention: int
    first: int
    last: int
    number: int
    total: int


@dataclass(frozen=True, slots=True)
class EntityCells:
    """Brackets of a document."""

    labels: Mapping[str | int, str]
    cells: dict[int, str]
    """The value of Entity by token."""
    first_token: dict[str | int, int]
    """Token at which the first mention of each entity starts."""

    @classmethod
    def of(
        cls, document: Document, labels: Mapping[str | int, str], fields: Mapping[str, str]
    ) -> EntityCells:
        """Brackets of all mentions that do not cross others of their entity.

        Closing brackets come first if others open, since ``(e1-x`` and ``e2)`` would be one id;
        otherwise they come last. The shortest closes first.
        """
        opening: dict[int, list[str]] = defaultdict(list)
        single: dict[int, list[str]] = defaultdict(list)
        closing: dict[int, list[tuple[int, str]]] = defaultdict(list)
        first_token: dict[str | int, int] = {}
        for part in _separable_parts(document):
            mention = document.mentions[part.mention]
            first_token.setdefault(mention.entity, part.first)
            name = labels[mention.entity]
            if part.total > 1:
                name = f"{name}[{part.number}/{part.total}]"
            text = "(" + "-".join([name, *_values(mention, fields)])
            if part.first == part.last:
                single[part.first].append(f"{text})")
            else:
                opening[part.first].append(text)
                closing[part.last].append((-part.first, f"{name})"))
        cells = {}
        for token in opening.keys() | single.keys() | closing.keys():
            ends = sorted(closing.get(token, ()), key=lambda one: one[0])
            closes = "".join(text for _, text in ends)
            alone, opens = "".join(single.get(token, ())), "".join(opening.get(token, ()))
            cells[token] = closes + opens + alone if opens else alone + closes
        return cls(labels, cells, first_token)


def _separable_parts(document: Document) -> list[Part]:
    """Parts of mentions in the order in which they open, without those that cross.

    Parts with the same number must not cross. The next part of a mention is taken to belong to the
    one whose last part opened last, so the ways from part to part must not cross either.
    """
    numbers = {entity: number for number, entity in enumerate(document.entities)}
    parts = [
        Part(row, start, stop - 1, number, len(mention.spans))
        for row, mention in enumerate(document.mentions)
        for number, (start, stop) in enumerate(mention.spans, start=1)
    ]
    order = sorted(parts, key=lambda p: (p.first, p.first == p.last, -p.last, p.mention))
    rank = {(part.mention, part.number): place for place, part in enumerate(order)}
    while parts:
        groups = [(numbers[document.mentions[p.mention].entity], p.total, p.number) for p in parts]
        out = crossing([(group, p.first, p.last) for group, p in zip(groups, parts, strict=True)])
        later = [row for row, part in enumerate(parts) if part.number > 1]
        ways = [
            (groups[row], rank[p.mention, p.number - 1], rank[p.mention, p.number])
            for row in later
            for p in [parts[row]]
        ]
        out |= {later[row] for row in crossing(ways)}
        if not out:
            break
        dropped = {parts[row].mention for row in out}
        parts = [part for part in parts if part.mention not in dropped]
    kept = {part.mention for part in parts}
    return [part for part in order if part.mention in kept]


def _relations(document: Document, entities: EntityCells) -> dict[int, dict[str, list[str]]]:
    """Attributes of relations and their values, by the token at which they are written."""
    found: dict[int, dict[str, list[str]]] = {}
    labels, first_token = entities.labels, entities.first_token
    for relation in document.relations:
        attribute = ATTRIBUTES.get(relation.kind)
        token = first_token.get(relation.source)
        if token is None or relation.target not in labels or attribute is None:
            continue
        if relation.label and (relation.kind == "split" or _NOT_IN_LABEL.search(relation.label)):
            continue
        if relation.anaphor is not None:
            token = relation.anaphor[0]
        label = f":{relation.label}" if relation.label else ""
        value = f"{labels[relation.target]}<{labels[relation.source]}{label}"
        found.setdefault(token, {}).setdefault(attribute, []).append(value)
    return found
