"""JSON of annotation tools: a text, spans of its characters, and relations between them.

Label Studio, Prodigy and doccano. Spans are mentions; entities are the connected components of
coreference relations. A relation is one of coreference if it has no label, or a label such as
``coref`` or ``same as`` (:func:`is_coreference`), or the label that is named with the format
(``doccano:alias``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from corefine.corpus.document import Document, Mention
from corefine.formats.input.lines import code_point_offsets
from corefine.formats.jsonlines.records import Name, Record, Span, dialect, invalid
from corefine.formats.jsonlines.text_clusters import character_spans, text_of
from corefine.formats.registry import Capabilities
from corefine.formats.relations import is_coreference

UNTYPED = "Mention"
"""Label of mentions without a type, since spans need a label."""


class Relations:
    """Coreference relations between regions, given by their ids."""

    def __init__(self, regions: Iterable[Any], label: str) -> None:
        self.index = {region: place for place, region in enumerate(regions)}
        self.label = label
        self.pairs: list[tuple[int, int]] = []
        self.others: set[str] = set()

    def add(self, first: object, second: object, labels: Iterable[str]) -> None:
        """Add a relation; one that is not of coreference is left out."""
        given = list(filter(None, labels))
        if given and not any(is_coreference(label, self.label) for label in given):
            self.others.update(given)
            return
        for region in (first, second):
            if region not in self.index:
                raise invalid(
                    f"a relation with region {region!r}, which is not a span of the text",
                    "A relation connects two spans of the same task.",
                )
        self.pairs.append((self.index[first], self.index[second]))

    def link(self, document: Document) -> None:
        """Set the entities of the mentions of a document, one per region."""
        if self.others and not self.pairs:
            labels = ", ".join(sorted(self.others))
            raise invalid(
                f"no coreference relations, only {labels[:60]}",
                "Name the label of coreference with the format, such as "
                f"{document.source or 'label-studio'}:{min(self.others)}.",
            )
        document.link(self.pairs)


def _mention(span: Span, text: str, label: str | None, what: str) -> Mention:
    start, stop = span
    if not 0 <= start < stop <= len(text):
        raise invalid(
            f"{what} is [{start}, {stop}] in a text of {len(text):,} characters",
            "A span is [start, end] in characters from 0, end exclusive.",
        )
    return Mention(0, [span], type=None if label in (None, "", UNTYPED) else label)


# --- Label Studio ---------------------------------------------------------------------------------

_BESIDE = frozenset(("choices", "textarea", "rating", "number", "datetime", "taxonomy", "pairwise"))
"""Results that describe a text or a region and are no regions themselves."""
_DATA_NAMES = ("doc_key", "doc_id", "document", "document_id", "name", "id")
"""Keys of a task's data that may name the document."""


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
        regions = _regions(results)
        text = self._text(regions)
        mentions = [
            _mention(span, text, _label(region), f"span {region.id!r}")
            for region, span in zip(regions, _spans(regions, text), strict=True)
        ]
        relations = Relations([region.id for region in regions], label)
        for result in results:
            if result.type == "relation":
                relations.add(result.from_id, result.to_id, result.labels or ())
        document = Document.from_text(self._name(), text, mentions, sentences=())
        relations.link(document)
        return [document]

    def _name(self) -> str:
        named = (self.data[key] for key in _DATA_NAMES if isinstance(self.data.get(key), str))
        return next(named, "" if self.id is None else str(self.id))

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

    def _text(self, regions: list[StudioResult]) -> str:
        """The text of a task: under ``text``, the only one, or the only one with the spans."""
        strings = {
            key: value
            for key, value in self.data.items()
            if isinstance(value, str) and key not in _DATA_NAMES
        }
        quoted = [region.value.text for region in regions if region.value is not None]
        own = [value for key, value in strings.items() if key.lower() == "text"]
        fitting = [
            value
            for value in strings.values()
            if quoted and all(isinstance(words, str) and words in value for words in quoted)
        ]
        for found in (own, list(strings.values()), fitting):
            if len(found) == 1:
                return found[0]
        raise invalid(
            f"data has {len(strings)} texts, and none under the key 'text'",
            "Name the text of a task 'text'.",
        )

    @classmethod
    def from_document(cls, document: Document, number: int) -> LabelStudio:
        text, entities = character_spans(document)
        units = [0]
        for character in text:
            units.append(units[-1] + 1 + (character > "\uffff"))
        results: list[StudioResult] = []
        relations: list[StudioResult] = []
        for entity, mentions in enumerate(entities):
            for place, (mention, (start, stop)) in enumerate(mentions):
                id, before = f"e{entity}m{place}", f"e{entity}m{place - 1}"
                labels = [mention.type or UNTYPED]
                value = StudioValue(units[start], units[stop], text[start:stop], labels)
                results.append(StudioResult(id, "label", "text", "labels", value))
                if place:
                    relations.append(
                        StudioResult(type="relation", from_id=id, to_id=before, direction="right")
                    )
        return cls(
            id=number + 1,
            data={"text": text, "doc_key": document.name},
            annotations=[StudioAnnotation(results + relations)],
        )


def _regions(results: list[StudioResult]) -> list[StudioResult]:
    """The regions of a task; two results of one region must have the same span."""
    regions: dict[str, StudioResult] = {}
    for number, result in enumerate(results):
        if result.value is None or result.type == "relation" or result.type in _BESIDE:
            continue
        known = regions.setdefault(result.id or f"#{number}", result)
        assert known.value is not None
        if (known.value.start, known.value.end) != (result.value.start, result.value.end):
            raise invalid(
                f"two regions with the id {result.id!r}", "Give every region an id of its own."
            )
    return list(regions.values())


def _spans(regions: list[StudioResult], text: str) -> list[Span]:
    """The character spans of regions, which count UTF-16 code units or code points."""
    spans: list[Span] = []
    quoted: list[object] = []
    for region in regions:
        value = region.value
        if value is None or not isinstance(value.start, int) or not isinstance(value.end, int):
            raise invalid(
                f"region {region.id!r} is not a character span of the text",
                "Only spans of plain text are supported (Labels on Text), not of HTML or images.",
            )
        spans.append((value.start, value.end))
        quoted.append(value.text)
    offsets = code_point_offsets(text)
    if len(offsets) == len(text) + 1:
        return spans
    converted = [(_at(offsets, start), _at(offsets, stop)) for start, stop in spans]

    def agreeing(candidates: list[Span]) -> int:
        pairs = zip(candidates, quoted, strict=True)
        return sum(text[start:stop] == words for (start, stop), words in pairs)

    return max((converted, spans), key=agreeing)


def _at(offsets: list[int], unit: int) -> int:
    return offsets[unit] if 0 <= unit < len(offsets) else unit


def _label(region: StudioResult) -> str | None:
    value = region.value
    labels = value.labels or value.hypertextlabels if value is not None else []
    return labels[0] if labels else None


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
        spans = dict.fromkeys((span.start, span.end) for span in self.spans)
        labels = {(span.start, span.end): span.label for span in self.spans}
        ends = [self._relation_spans(relation) for relation in self.relations]
        spans |= dict.fromkeys(span for pair in ends for span in pair)
        relations = Relations(spans, label)
        for relation, (head, child) in zip(self.relations, ends, strict=True):
            relations.add(head, child, [relation.label or ""])
        document = Document.from_text(
            next((str(self.meta[key]) for key in _DATA_NAMES if key in self.meta), ""),
            self.text,
            [_mention(span, self.text, labels.get(span), "a span") for span in spans],
            tokens=[(token.start, token.end) for token in self.tokens] or None,
            sentences=(),
        )
        relations.link(document)
        return [document]

    def _relation_spans(self, relation: ProdigyRelation) -> tuple[Span, Span]:
        """The spans of a relation: as given, else the tokens that it connects."""
        return (
            self._span(relation.head_span, relation.head),
            self._span(relation.child_span, relation.child),
        )

    def _span(self, span: ProdigySpan | None, token: int) -> Span:
        if span is not None:
            return span.start, span.end
        if not 0 <= token < len(self.tokens):
            raise invalid(f"a relation with token {token} of {len(self.tokens)}")
        return self.tokens[token].start, self.tokens[token].end

    @classmethod
    def from_document(cls, document: Document, number: int) -> Prodigy:
        text, entities = character_spans(document)
        _, offsets = text_of(document)
        record = cls(
            text,
            tokens=[
                ProdigyToken(text[start:stop], start, stop, place)
                for place, (start, stop) in enumerate(offsets)
            ],
            meta={"doc_key": document.name} if document.named else {},
        )
        for mentions in entities:
            for place, (mention, span) in enumerate(mentions):
                first, last = mention.spans[0][0], mention.spans[-1][1] - 1
                record.spans.append(ProdigySpan(*span, first, last, mention.type))
                if place:
                    before, own = record.spans[-2:]
                    record.relations.append(
                        ProdigyRelation(last, before.token_end or 0, "COREF", own, before)
                    )
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
class Doccano(Record):
    """doccano (sequence labelling with relations): a text, spans and relations.

    ::

        {"id": 1, "text": "Anna saw her.",
         "entities": [{"id": 3, "label": "PER", "start_offset": 0, "end_offset": 4},
                      {"id": 4, "label": "PER", "start_offset": 9, "end_offset": 12}],
         "relations": [{"id": 1, "from_id": 4, "to_id": 3, "type": "coref"}]}
    """

    NAMES = ("doc_key", "id")

    text: str
    entities: list[DoccanoEntity]
    relations: list[DoccanoRelation]
    id: Name | None = None
    doc_key: Name | None = None

    def to_documents(self, number: int, label: str) -> list[Document]:
        ids = [entity.id for entity in self.entities]
        if len(set(ids)) < len(ids):
            raise invalid("two entities with the same id", "Give every entity an id of its own.")
        relations = Relations(ids, label)
        for relation in self.relations:
            relations.add(relation.from_id, relation.to_id, [relation.type or ""])
        mentions = [
            _mention(
                (entity.start_offset, entity.end_offset), self.text, entity.label,
                f"entity {entity.id}",
            )
            for entity in self.entities
        ]  # fmt: skip
        document = Document.from_text(self.name(), self.text, mentions, sentences=())
        relations.link(document)
        return [document]

    @classmethod
    def from_document(cls, document: Document, number: int) -> Doccano:
        text, entities = character_spans(document)
        record = cls(text, [], [], number + 1, document.name if document.named else None)
        for mentions in entities:
            for place, (mention, (start, stop)) in enumerate(mentions):
                id = len(record.entities) + 1
                record.entities.append(DoccanoEntity(id, start, stop, mention.type or UNTYPED))
                if place:
                    number = len(record.relations) + 1
                    record.relations.append(DoccanoRelation(id, id - 1, "coref", number))
        return record
