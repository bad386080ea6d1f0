"""JSON of annotation tools: a text, spans of its characters, and relations between them.

Label Studio, Prodigy and doccano. Spans are mentions; entities are the connected components of
coreference relations. A relation is one of coreference if it has no label, or a label such as
``coref`` or ``same as`` (:func:`is_coreference`), or the label that is named with the format
(``doccano:alias``).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from corefine.corpus.document import Document, Mention
from corefine.formats.input.lines import code_point_offsets
from corefine.formats.jsonlines.records import Name, NamedRecord, Record, Span, dialect, invalid
from corefine.formats.jsonlines.text_clusters import character_spans, text_of
from corefine.formats.registry import Capabilities
from corefine.formats.relations import is_coreference

UNTYPED = "Mention"
"""Label of mentions without a type, since spans need a label."""
_DATA_NAMES = ("doc_key", "doc_id", "document", "document_id", "name", "id")
"""Keys of a task's data that may name the document."""
Region = tuple[Span, str | None]
"""Characters of a region, and its label."""
Relation = tuple[Hashable, Hashable, Sequence[str]]
"""Ids of two regions, and the labels of their relation."""


def _document(
    name: str,
    text: str,
    regions: Mapping[Any, Region],
    relations: Iterable[Relation],
    label: str,
    tokens: Sequence[Span] | None = None,
) -> Document:
    """The document of a text with regions by id, joined by coreference relations."""
    mentions: list[Mention] = []
    for region, ((start, stop), type) in regions.items():
        if not 0 <= start < stop <= len(text):
            raise invalid(
                f"span {region!r} is [{start}, {stop}] in a text of {len(text):,} characters",
                "A span is [start, end] in characters from 0, end exclusive.",
            )
        known = type not in (None, "", UNTYPED)
        mentions.append(Mention(0, [(start, stop)], type=type if known else None))
    place = {region: number for number, region in enumerate(regions)}
    pairs: list[tuple[int, int]] = []
    others: set[str] = set()
    for first, second, labels in relations:
        given = list(filter(None, labels))
        if given and not any(is_coreference(one, label) for one in given):
            others.update(given)
        elif first in place and second in place:
            pairs.append((place[first], place[second]))
        else:
            raise invalid(
                f"a relation between {first!r} and {second!r}, which are not both spans",
                "A relation connects two spans of the same task.",
            )
    if others and not pairs:
        raise invalid(
            f"no coreference relations, only {', '.join(sorted(others))[:60]}",
            f"Name the label of coreference with the format, such as doccano:{min(others)}.",
        )
    document = Document.from_text(name, text, mentions, tokens=tokens, sentences=())
    document.link(pairs)
    return document


def _regions(document: Document) -> tuple[str, Iterator[tuple[Mention, Span, bool]]]:
    """The text, and mentions with their characters; true if the one before corefers."""
    text, entities = character_spans(document)
    return text, (
        (mention, span, place > 0)
        for mentions in entities
        for place, (mention, span) in enumerate(mentions)
    )


# --- Label Studio ---------------------------------------------------------------------------------

_BESIDE = frozenset(("choices", "textarea", "rating", "number", "datetime", "taxonomy", "pairwise"))
"""Results that describe a text or a region and are no regions themselves."""


class StudioValue(msgspec.Struct, omit_defaults=True):
    """The span of a region."""

    start: int | float | str | None = None
    end: int | float | str | None = None
    text: str | list[str] | None = None
    labels: list[str] = []
    hypertextlabels: list[str] = []


class StudioResult(msgspec.Struct, omit_defaults=True):
    """A region, or a relation between two."""

    id: str = ""
    from_name: str = ""
    to_name: str = ""
    type: str = ""
    value: StudioValue | None = None
    from_id: str = ""
    to_id: str = ""
    direction: str = ""
    labels: list[str] | None = None


class StudioAnnotation(msgspec.Struct, omit_defaults=True):
    """The results of one annotator or model."""

    result: list[StudioResult]
    was_cancelled: bool | None = False
    ground_truth: bool | None = False


@dialect(
    "label-studio",
    "Label Studio: JSON array of tasks, character spans and relations",
    lambda shapes: (
        "data" in shapes and bool(shapes.keys() & {"annotations", "completions", "predictions"})
    ),
    array=True,
    streamed=False,
    labelled=True,
    documentation="docs/formats/label-studio.md",
    capabilities=Capabilities(types=True),
)
class LabelStudio(Record):
    """Label Studio: tasks with a text, regions and relations.

    ::

        [{"id": 1, "data": {"text": "Anna saw her house."},
          "annotations": [{"result": [
            {"id": "a", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["PER"]}},
            {"id": "b", "type": "labels", "value": {"start": 9, "end": 12, "labels": ["PER"]}},
            {"type": "relation", "from_id": "b", "to_id": "a", "direction": "right"}]}]}]

    Characters are UTF-16 code units, as in JavaScript; the texts of the regions show if a file
    counts code points.
    """

    data: dict[str, Any]
    id: Name | None = None
    annotations: list[StudioAnnotation] | None = None
    completions: list[StudioAnnotation] | None = None
    predictions: list[StudioAnnotation] | None = None

    def to_documents(self, number: int, label: str) -> list[Document]:
        results = self._results()
        strings = {
            key: value
            for key, value in self.data.items()
            if isinstance(value, str) and key not in _DATA_NAMES
        }
        texts = [value for key, value in strings.items() if key.lower() == "text"]
        texts = texts or list(strings.values())
        if len(texts) != 1:
            raise invalid(
                f"data has {len(strings)} texts, and none under the key 'text'",
                "Name the text of a task 'text'.",
            )
        named = (self.data[key] for key in _DATA_NAMES if isinstance(self.data.get(key), str))
        relations = [
            (result.from_id, result.to_id, result.labels or ())
            for result in results
            if result.type == "relation"
        ]
        name = next(named, "" if self.id is None else str(self.id))
        return [_document(name, texts[0], _studio_regions(results, texts[0]), relations, label)]

    def _results(self) -> list[StudioResult]:
        """The results of the only annotation, or of the ground truth; else of the only model."""
        given = (self.annotations, self.completions, self.predictions)
        found = next((one for one in given if one is not None), None) or []
        kept = [annotation for annotation in found if not annotation.was_cancelled]
        kept = [annotation for annotation in kept if annotation.ground_truth] or kept
        if len(kept) > 1:
            raise invalid(
                f"a task with {len(kept)} annotations",
                "Mark one as ground truth, or export the annotations of one annotator or model.",
            )
        return kept[0].result if kept else []

    @classmethod
    def from_document(cls, document: Document, number: int) -> LabelStudio:
        text, regions = _regions(document)
        units = [0]
        for character in text:
            units.append(units[-1] + 1 + (character > "\uffff"))
        results: list[StudioResult] = []
        relations: list[StudioResult] = []
        for place, (mention, (start, stop), corefers) in enumerate(regions):
            labels = [mention.type or UNTYPED]
            value = StudioValue(units[start], units[stop], text[start:stop], labels)
            results.append(StudioResult(f"m{place}", "label", "text", "labels", value))
            if corefers:
                relation = StudioResult(type="relation", direction="right")
                relation.from_id, relation.to_id = f"m{place}", f"m{place - 1}"
                relations.append(relation)
        return cls(
            id=number + 1,
            data={"text": text, "doc_key": document.name},
            annotations=[StudioAnnotation(results + relations)],
        )


def _studio_regions(results: Iterable[StudioResult], text: str) -> dict[str, Region]:
    """The regions of a task by id; two results of one region must have the same span."""
    regions: dict[str, Region] = {}
    quoted: dict[str, object] = {}
    for number, result in enumerate(results):
        value = result.value
        if value is None or result.type == "relation" or result.type in _BESIDE:
            continue
        if not isinstance(value.start, int) or not isinstance(value.end, int):
            raise invalid(
                f"region {result.id!r} is not a character span of the text",
                "Only spans of plain text are supported (Labels on Text), not of HTML or images.",
            )
        id, span = result.id or f"#{number}", (value.start, value.end)
        if id in regions and regions[id][0] != span:
            raise invalid(f"two regions with the id {id!r}", "Give every region an id of its own.")
        labels = value.labels or value.hypertextlabels
        regions.setdefault(id, (span, labels[0] if labels else None))
        quoted.setdefault(id, value.text)
    offsets = code_point_offsets(text)
    if len(offsets) == len(text) + 1:
        return regions

    def at(unit: int) -> int:
        return offsets[unit] if 0 <= unit < len(offsets) else unit

    def agreeing(candidate: dict[str, Region]) -> int:
        return sum(text[slice(*span)] == quoted[id] for id, (span, _) in candidate.items())

    converted = {
        id: ((at(start), at(stop)), label) for id, ((start, stop), label) in regions.items()
    }
    return max((converted, regions), key=agreeing)


# --- Prodigy --------------------------------------------------------------------------------------


class ProdigyToken(msgspec.Struct, omit_defaults=True):
    """A token of Prodigy."""

    text: str
    start: int
    end: int
    id: int = 0


class ProdigySpan(msgspec.Struct, omit_defaults=True):
    """A span of Prodigy; tokens from 0, ``token_end`` inclusive."""

    start: int
    end: int
    token_start: int | None = None
    token_end: int | None = None
    label: str | None = None


class ProdigyRelation(msgspec.Struct, omit_defaults=True):
    """A relation of Prodigy between two spans; ``head`` and ``child`` are their last tokens."""

    head: int
    child: int
    label: str | None = None
    head_span: ProdigySpan | None = None
    child_span: ProdigySpan | None = None


@dialect(
    "prodigy",
    "Prodigy: JSON lines, character spans and relations",
    lambda shapes: (
        "text" in shapes
        and "spans" in shapes
        and ("relations" in shapes or "_input_hash" in shapes)
    ),
    streamed=False,
    labelled=True,
    documentation="docs/formats/annotation-tools.md",
    capabilities=Capabilities(types=True),
)
class Prodigy(Record):
    """Prodigy: a text, tokens, spans and relations; rejected and skipped tasks are left out.

    ::

        {"text": "Anna saw her.", "spans": [{"start": 0, "end": 4}, {"start": 9, "end": 12}],
         "relations": [{"head": 2, "child": 0, "label": "COREF",
                        "head_span": {"start": 9, "end": 12},
                        "child_span": {"start": 0, "end": 4}}], "answer": "accept"}
    """

    text: str
    spans: list[ProdigySpan] = msgspec.field(default_factory=list)
    tokens: list[ProdigyToken] = msgspec.field(default_factory=list)
    relations: list[ProdigyRelation] = msgspec.field(default_factory=list)
    answer: str = "accept"
    meta: dict[str, Any] = msgspec.field(default_factory=dict)

    def to_documents(self, number: int, label: str) -> list[Document]:
        if self.answer != "accept":
            return []
        regions = {(span.start, span.end): span.label for span in self.spans}
        relations: list[tuple[Span, Span, list[str]]] = []
        for relation in self.relations:
            ends = (
                self._span(relation.head_span, relation.head),
                self._span(relation.child_span, relation.child),
            )
            relations.append((*ends, [relation.label or ""]))
            for span in ends:
                regions.setdefault(span, None)
        return [
            _document(
                next((str(self.meta[key]) for key in _DATA_NAMES if key in self.meta), ""),
                self.text,
                {span: (span, type) for span, type in regions.items()},
                relations,
                label,
                [(token.start, token.end) for token in self.tokens] or None,
            )
        ]

    def _span(self, span: ProdigySpan | None, token: int) -> Span:
        """The span of a relation: as given, else the token that it connects."""
        if span is not None:
            return span.start, span.end
        if not 0 <= token < len(self.tokens):
            raise invalid(f"a relation with token {token} of {len(self.tokens)}")
        return self.tokens[token].start, self.tokens[token].end

    @classmethod
    def from_document(cls, document: Document, number: int) -> Prodigy:
        text, regions = _regions(document)
        record = cls(text, meta={"doc_key": document.name} if document.named else {})
        for place, (start, stop) in enumerate(text_of(document)[1]):
            record.tokens.append(ProdigyToken(text[start:stop], start, stop, place))
        for mention, span, corefers in regions:
            first, last = mention.spans[0][0], mention.spans[-1][1] - 1
            own = ProdigySpan(*span, first, last, mention.type)
            if corefers:
                before = record.spans[-1]
                record.relations.append(
                    ProdigyRelation(last, before.token_end or 0, "COREF", own, before)
                )
            record.spans.append(own)
        return record


# --- doccano --------------------------------------------------------------------------------------


class DoccanoEntity(msgspec.Struct):
    """A span of doccano."""

    id: int
    start_offset: int
    end_offset: int
    label: str | None = None


class DoccanoRelation(msgspec.Struct):
    """A relation of doccano."""

    from_id: int
    to_id: int
    type: str | None = None
    id: int = 0


@dialect(
    "doccano",
    "doccano: JSON lines, character spans and relations",
    lambda shapes: {"text", "entities", "relations"} <= shapes.keys(),
    streamed=False,
    labelled=True,
    documentation="docs/formats/annotation-tools.md",
    capabilities=Capabilities(types=True),
)
class Doccano(NamedRecord):
    """doccano (sequence labelling with relations): a text, spans and relations.

    ::

        {"id": 1, "text": "Anna saw her.",
         "entities": [{"id": 3, "label": "PER", "start_offset": 0, "end_offset": 4},
                      {"id": 4, "label": "PER", "start_offset": 9, "end_offset": 12}],
         "relations": [{"id": 1, "from_id": 4, "to_id": 3, "type": "coref"}]}
    """

    text: str
    entities: list[DoccanoEntity]
    relations: list[DoccanoRelation]

    def to_documents(self, number: int, label: str) -> list[Document]:
        regions = {one.id: ((one.start_offset, one.end_offset), one.label) for one in self.entities}
        if len(regions) < len(self.entities):
            raise invalid("two entities with the same id", "Give every entity an id of its own.")
        relations = [(one.from_id, one.to_id, [one.type or ""]) for one in self.relations]
        return [_document(self.name(), self.text, regions, relations, label)]

    @classmethod
    def from_document(cls, document: Document, number: int) -> Doccano:
        text, regions = _regions(document)
        record = cls(text, [], [], id=number + 1)
        record.doc_key = document.name if document.named else None
        for id, (mention, span, corefers) in enumerate(regions, 1):
            record.entities.append(DoccanoEntity(id, *span, mention.type or UNTYPED))
            if corefers:
                relation = DoccanoRelation(id, id - 1, "coref", len(record.relations) + 1)
                record.relations.append(relation)
        return record
