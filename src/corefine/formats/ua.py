"""Universal Anaphora: CoNLL-U Plus with a column for each kind of anaphora ("exploded").

The smallest valid file (columns are separated by tabs; here by blanks)::

    # global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING …
    # newdoc id = x
    1 Anna _ _ _ _ _ _ _ _ (EntityID=1|MarkableID=m_1|Min=1|ElementOf=3) _ _ _ _

In IDENTITY, ``(EntityID=1|…`` opens a mention; ``)`` closes the one that opened last, ``m_1)`` that
of this id. ``ElementOf`` names the entities that this one is an element of: split antecedents. An
``EntityID`` that ends in ``-Pseudo`` marks a non-referring expression. BRIDGING leads from a
markable to its antecedent; DISCOURSE_DEIXIS has mentions and entities of its own. Words are
numbered through the document.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice, pairwise
from typing import Self

from corefine.corpus.columns import Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, Span, merged
from corefine.errors import FormatError, Location
from corefine.formats.io import conllu_lines
from corefine.formats.io.brackets import crossing, entity_labels
from corefine.formats.io.conllu_lines import (
    begun_name,
    comment_of,
    corpus_of_tokens,
    is_number,
    newdoc,
    token_lines,
    written,
)
from corefine.formats.io.lines import shown
from corefine.formats.io.sources import Source
from corefine.formats.registry import DocumentMark, Format, register

COLUMNS = (
    *conllu_lines.COLUMNS,
    *("IDENTITY", "BRIDGING", "DISCOURSE_DEIXIS", "REFERENCE", "NOM_SEM"),
)
LAYERS = {name: column for name, column in conllu_lines.LAYERS.items() if name != "deps"} | {
    "reference": "REFERENCE",
    "nom_sem": "NOM_SEM",
}
"""Token layers and their columns; the numbers in DEPS count other words."""
PSEUDO = "-Pseudo"
"""End of the ids of non-referring expressions."""
_COLUMN_NAMES = "global.columns"
_CELLS = ("IDENTITY", "BRIDGING", "DISCOURSE_DEIXIS")
_BRACKET = re.compile(r"\(([^()]*)|((?<![^()])[^()]+|)\)")
_FIELDS = {
    "entityid": "EntityID",
    "markableid": "MarkableID",
    "mentionid": "MarkableID",
    "min": "Min",
    "elementof": "ElementOf",
    "rel": "Rel",
    "mentionanchor": "MentionAnchor",
    "entityanchor": "EntityAnchor",
}
"""Fields by their names in lower case without underscores."""
_REMEDY = (
    f"Write # {_COLUMN_NAMES} = {' '.join(COLUMNS)}; attributes as Name=value, separated by |; "
    "(EntityID=1|MarkableID=m_1|Min=2,3 where a mention starts and ) or m_1) where it ends. Only "
    "parts of a discontinuous mention share their ids, and Min numbers words in the document."
)
_NOT_IN_ID = re.compile(r"[\x00-\x20()|=,@]|-Pseudo$")
_NOT_IN_VALUE = re.compile(r"[\x00-\x20()|@]")


def read(source: Source) -> Iterator[Document]:
    """Documents of a source."""
    carried = source.carried or next(
        (line for line in source.head().splitlines() if _names_columns(line)), b""
    )
    names = comment_of(carried)[1].split() if carried else list(COLUMNS)
    if not {"ID", "FORM", "IDENTITY"} <= set(names) or len(set(names)) < len(names):
        raise source.error("the header lacks a column or repeats one", None, _REMEDY)
    places = {name: place for place, name in enumerate(names)}
    corpus, comments = corpus_of_tokens(
        source,
        LAYERS | {name: name for name in ("ID", *_CELLS)},
        places,
        strict=False,
        required=places["IDENTITY"] + 1,
    )
    assert corpus.tokens is not None
    speakers = {one.token: one.value for one in comments if one.name in ("speaker_id", "speaker")}
    mentions = 0
    for document, base in zip(corpus, corpus.tokens.offsets.tolist(), strict=False):
        ids = document.layers.pop("ID", [])
        cells = {
            name: {row: cell for row, cell in enumerate(column) if cell not in ("", "_")}
            for name in _CELLS
            for column in [document.layers.pop(name, [])]
        }
        _count_by_sentence(document, ids)
        spoken = ["_"] * len(ids)
        for start, stop in pairwise([*document.starts, len(ids)]):
            spoken[start:stop] = [speakers.get(base + start) or "_"] * (stop - start)
        if set(spoken) - {"_"}:
            document.layers["speaker"] = spoken
        _Annotations(document, source).add(cells)
        mentions += len(document.mentions)
        yield document
    if not mentions and not source.part:
        document.warnings.append(f"{source.name}: IDENTITY has no mentions")


def _count_by_sentence(document: Document, ids: Sequence[str]) -> None:
    """Let heads count the words of their sentence instead of the words of the document."""
    heads = document.layers.get("head", [])
    for start, stop in pairwise([*document.starts, len(ids)] if heads else []):
        before = int(ids[start].partition(".")[0]) - ("." not in ids[start])
        for row in range(start, stop):
            if before and is_number(heads[row]) and int(heads[row]):
                heads[row] = str(max(int(heads[row]) - before, 0))


def _names_columns(line: bytes) -> bool:
    line = line.removeprefix(b"\xef\xbb\xbf")
    return line.startswith(b"#") and comment_of(line)[0] == _COLUMN_NAMES


@dataclass(slots=True)
class Markable:
    """A bracket as it is in the file; one per part of a discontinuous mention."""

    fields: dict[str, str]
    start: int
    where: Location
    stop: int = -1


def _fields(text: str, where: Location) -> dict[str, str]:
    fields = {}
    for item in text.split("|"):
        key, equals, value = item.partition("=")
        if not equals or not key:
            raise FormatError(f"{shown(item)!r} is not an attribute", where, _REMEDY)
        fields[_FIELDS.get(key.lower().replace("_", ""), key)] = value
    return fields


@dataclass(slots=True)
class _Annotations:
    """Adds the annotations of a document to it."""

    document: Document
    source: Source
    problems: Counter[str] = field(default_factory=Counter)

    def add(self, cells: Mapping[str, Mapping[int, str]]) -> None:
        document = self.document
        identity = self._markables("IDENTITY", cells["IDENTITY"])
        deixis = self._markables("DISCOURSE_DEIXIS", cells["DISCOURSE_DEIXIS"])
        document.mentions, document.relations, pseudo = self._mentions(identity)
        if pseudo:
            document.annotations["nonreferring"] = Document(document.name, mentions=pseudo)
        mentions, relations, pseudo = self._mentions(deixis)
        if mentions:
            document.annotations["deixis"] = Document(
                document.name, mentions=mentions, relations=relations
            )
        self.problems["mentions of DISCOURSE_DEIXIS have no antecedent"] += len(pseudo)
        for token, cell in cells["BRIDGING"].items():
            document.relations += self._bridges(token, cell, identity)
        document.warnings += [
            f"{self.source.name}: {count:,} {what}: ignored"
            for what, count in self.problems.items()
            if count
        ]

    def _where(self, token: int) -> Location:
        return self.source.where(self.document.lines[token])

    def _markables(self, column: str, cells: Mapping[int, str]) -> dict[str, list[Markable]]:
        """Parts of the markables of a column, by id."""
        still_open: dict[int, Markable] = {}
        """Markables by number, in the order in which they open."""
        numbers: dict[str, list[int]] = {}
        """Numbers of the open markables with each id."""
        seen: dict[str, list[Markable]] = {}
        count = 0
        for token, cell in cells.items():
            where, text = self._where(token), cell.strip().replace("@", "")
            if "".join(found.group() for found in _BRACKET.finditer(text)) != text:
                raise FormatError(f"malformed {column} {shown(cell)!r}", where, _REMEDY)
            for found in _BRACKET.finditer(text):
                if found[1] is not None:
                    fields = _fields(found[1], where)
                    if not fields.get("EntityID"):
                        raise FormatError(f"a mention of {column} without EntityID", where, _REMEDY)
                    count += 1
                    still_open[count] = Markable(fields, token, where)
                    numbers.setdefault(fields.get("MarkableID", ""), []).append(count)
                    called = fields.get("MarkableID") or f"\0{len(seen)}"
                    seen.setdefault(called, []).append(still_open[count])
                    continue
                named = numbers.get(found[2]) if found[2] else [*islice(reversed(still_open), 1)]
                if not named:
                    raise FormatError(f"{column} closes a mention that is not open", where, _REMEDY)
                markable = still_open.pop(named[-1])
                markable.stop = token + 1
                numbers[markable.fields.get("MarkableID", "")].pop()
        if still_open:
            message = f"a mention of {column} is not closed in its document"
            raise FormatError(message, list(still_open.values())[-1].where, _REMEDY)
        return seen

    def _mentions(
        self, markables: Mapping[str, Sequence[Markable]]
    ) -> tuple[list[Mention], list[Relation], list[Mention]]:
        """Mentions of entities, split antecedents, and non-referring expressions."""
        mentions: list[Mention] = []
        pseudo: list[Mention] = []
        elements: dict[Relation, None] = {}
        for parts in markables.values():
            fields = parts[0].fields
            entity = fields["EntityID"]
            spans = sorted((part.start, part.stop) for part in parts)
            overlap = any(one[1] > other[0] for one, other in pairwise(spans))
            if overlap or any(part.fields["EntityID"] != entity for part in parts):
                message = f"two markables have the id {fields['MarkableID']!r}"
                raise FormatError(message, parts[-1].where, _REMEDY)
            others = {
                key: value
                for key, value in fields.items()
                if key not in ("EntityID", "Min", "ElementOf") and value
            }
            minimum = self._minimum(parts[0], spans[0][0], spans[-1][1])
            mention = Mention(entity, merged(spans), minimum=minimum, attributes=others)
            (pseudo if entity.endswith(PSEUDO) else mentions).append(mention)
            owners = [
                owner for part in parts for owner in part.fields.get("ElementOf", "").split(",")
            ]
            elements |= {
                Relation("split", 0, owner.strip(), entity): None
                for owner in owners
                if owner.strip()
            }
        known = {mention.entity for mention in mentions}
        kept = [one for one in elements if {one.source, one.target} <= known]
        problem = "values of ElementOf at non-referring expressions, or of unknown entities"
        self.problems[problem] += len(elements) - len(kept)
        return mentions, kept, pseudo

    def _minimum(self, markable: Markable, start: int, stop: int) -> tuple[int, int] | None:
        """The minimum span, given by the numbers of its first and last word."""
        written = markable.fields.get("Min", "")
        if written in ("", "_"):
            return None
        numbers = re.split("[,-]", written)
        if not all(is_number(number) and int(number) for number in numbers):
            raise FormatError(f"malformed Min {shown(written)!r}", markable.where, _REMEDY)
        low, high = min(map(int, numbers)) - 1, max(map(int, numbers))
        if start <= low and high <= stop:
            return low, high
        self.problems["minimum spans are not inside their mention"] += 1
        return None

    def _bridges(
        self, token: int, cell: str, markables: Mapping[str, Sequence[Markable]]
    ) -> Iterator[Relation]:
        for part in cell.split("("):
            text = part.strip().removesuffix("@").removesuffix(")")
            if not text:
                continue
            fields = _fields(text, self._where(token))
            anaphor = markables.get(fields.get("MarkableID", ""))
            antecedent = markables.get(fields.get("MentionAnchor", ""))
            target = fields.get("EntityAnchor", "")
            if antecedent is not None:
                target = antecedent[0].fields["EntityID"]
            if anaphor is None or not target or (antecedent is None and "MentionAnchor" in fields):
                self.problems["bridging links refer to markables missing from IDENTITY"] += 1
                continue
            yield Relation(
                "bridge",
                0,
                _referent(anaphor[0].fields["EntityID"]),
                _referent(target),
                fields.get("Rel", ""),
                _whole(anaphor),
                None if antecedent is None else _whole(antecedent),
            )


def _whole(parts: Sequence[Markable]) -> tuple[int, int]:
    """Span from the first to the last word of a markable."""
    return parts[0].start, max(part.stop for part in parts)


def _referent(entity: str) -> str:
    """Name of an entity; empty for non-referring expressions."""
    return "" if entity.endswith(PSEUDO) else entity


def write(corpus: Corpus) -> Iterator[bytes]:
    """Content of a file, document by document."""
    labels = entity_labels(corpus, _NOT_IN_ID)
    deixis_labels = entity_labels(corpus.annotation("deixis"), _NOT_IN_ID)
    for document in corpus:
        pseudo = document.annotations.get("nonreferring", Document(document.name)).mentions
        deixis = document.annotations.get("deixis", Document(document.name))
        stems = [str(mention.entity).removesuffix(PSEUDO) for mention in pseudo]
        if any(not stem or _NOT_IN_ID.search(stem) for stem in stems):
            stems = [str(number) for number, _ in enumerate(pseudo, start=1)]
        names, deixis_names = labels(document), deixis_labels(deixis)
        entities = [names[mention.entity] for mention in document.mentions]
        entities += [f"{stem}{PSEUDO}" for stem in stems]
        identity = _Column.of("markable_", [*document.mentions, *pseudo], entities)
        entities = [deixis_names[mention.entity] for mention in deixis.mentions]
        second = _Column.of("dd_markable_", deixis.mentions, entities)
        cells = {
            "IDENTITY": identity.cells(document.relations, names),
            "BRIDGING": identity.bridging(document.relations, names),
            "DISCOURSE_DEIXIS": second.cells(deixis.relations, deixis_names),
        }
        yield written(
            [
                f"# {_COLUMN_NAMES} = {' '.join(COLUMNS)}",
                newdoc(document),
                *token_lines(document, cells, COLUMNS, LAYERS, through_document=True),
            ]
        )


Names = Mapping[str | int, str]
"""Written ids of entities."""


@dataclass(frozen=True, slots=True)
class _Column:
    """Mentions of a column, and the written ids of their entities and of themselves."""

    mentions: Sequence[Mention]
    entities: Sequence[str]
    ids: Sequence[str]

    @classmethod
    def of(cls, prefix: str, mentions: Sequence[Mention], entities: Sequence[str]) -> Self:
        """A column whose mentions keep their ids where these can be written."""
        given = [mention.attributes.get("MarkableID", "") for mention in mentions]
        taken = set(given)
        new = (one for one in map(f"{prefix}{{}}".format, count(1)) if one not in taken)
        ids: dict[str, None] = {}
        for id in given:
            fits = id and id not in ids and not _NOT_IN_VALUE.search(id)
            ids[id if fits else next(new)] = None
        return cls(mentions, entities, list(ids))

    def cells(self, relations: Sequence[Relation], names: Names) -> dict[int, str]:
        """Cells by token: brackets that close, then those that open, the longest first.

        If spans cross, closing brackets name their mentions.
        """
        elements: dict[str | int, dict[str, None]] = defaultdict(dict)
        for relation in relations:
            if relation.kind == "split" and relation.source in names:
                elements[relation.target][names[relation.source]] = None
        spans = [span for one in self.mentions for span in one.spans if span[1] - span[0] > 1]
        named = bool(crossing([(0, start, stop - 1) for start, stop in spans]))
        opening: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
        closing: dict[int, str] = defaultdict(str)
        rows = zip(self.mentions, self.entities, self.ids, strict=True)
        for row, (mention, entity, id) in enumerate(rows):
            fields = [f"EntityID={entity}", f"MarkableID={id}", *_more(mention)]
            if owners := elements.pop(mention.entity, None):
                fields.append(f"ElementOf={','.join(owners)}")
            for start, stop in mention.spans:
                end = ")" if stop - start == 1 else ""
                opening[start].append((-stop, row, f"({'|'.join(fields)}{end}"))
                if not end:
                    closing[stop - 1] += f"{id if named else ''})"
        return {
            token: closing.get(token, "")
            + "".join(one[2] for one in sorted(opening.get(token, ())))
            for token in opening.keys() | closing.keys()
        }

    def bridging(self, relations: Sequence[Relation], names: Names) -> dict[int, str]:
        """Cells of bridging links, without those that lack a mention.

        The anchor is the antecedent or, if the source names only its entity, the first mention.
        """
        id_at: dict[Span, str] = {}
        first_of: dict[str, str] = {}
        ordered = sorted(zip(self.mentions, self.entities, self.ids, strict=True),
                         key=lambda one: one[0].start)  # fmt: skip
        for mention, entity, id in ordered:
            id_at.setdefault((mention.start, mention.end), id)
            first_of.setdefault(entity, id)
        cells: dict[int, str] = defaultdict(str)
        for relation in relations:
            if relation.kind != "bridge" or relation.anaphor is None:
                continue
            target = names.get(relation.target, "")
            anchor = first_of.get(target)
            if relation.antecedent is not None:
                anchor = id_at.get(relation.antecedent)
            if anchor is None or relation.anaphor not in id_at:
                continue
            label = _NOT_IN_VALUE.sub("_", relation.label)
            fields = {"MarkableID": id_at[relation.anaphor], "Rel": label}
            fields |= {"MentionAnchor": anchor, "EntityAnchor": target}
            text = "|".join(f"{key}={value}" for key, value in fields.items() if value)
            cells[relation.anaphor[0]] += f"({text})"
        return cells


def _more(mention: Mention) -> list[str]:
    """Fields of a mention besides its ids."""
    fields = []
    if mention.minimum is not None:
        low, high = mention.minimum[0] + 1, mention.minimum[1]
        fields.append(f"Min={low}" if low == high else f"Min={low},{high}")
    for name, value in mention.attributes.items():
        if value and name != "MarkableID":
            fields.append(f"{_NOT_IN_ID.sub('_', name)}={_NOT_IN_VALUE.sub('_', value)}")
    return fields


def detect(head: bytes, name: str) -> bool:
    """True if a header names the column IDENTITY, or a cell has the fields of a mention."""
    if b"\t(EntityID=" in head:
        return True
    return b"IDENTITY" in head and any(
        _names_columns(line) and b"IDENTITY" in line.split() for line in head.splitlines()
    )


UA = register(
    Format(
        name="ua",
        title="Universal Anaphora (CoNLL-U Plus)",
        suffixes=(".ua", ".conllua"),
        detect=detect,
        read=read,
        write=write,
        document_mark=DocumentMark(ord("#"), begun_name, carried=_names_columns),
    )
)
