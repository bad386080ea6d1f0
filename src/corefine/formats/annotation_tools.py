"""JSON of annotation tools: texts, labelled regions of their characters, and relations.

Regions are mentions; entities are the connected components of coreference relations. A relation is
one of coreference if it has no label, or a label such as ``coref`` or ``same as``
(:func:`is_coreference`), or the label that is named with the format (``doccano:alias``). doccano
and Prodigy are only read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from corefine.corpus.document import Document
from corefine.formats.io.lines import code_point_offsets
from corefine.formats.io.records import (
    PRESENT,
    Name,
    NamedRecord,
    Record,
    Span,
    dialect,
    having,
    invalid,
    mentions_of,
)
from corefine.formats.io.relations import is_coreference
from corefine.formats.text_clusters import character_spans

UNTYPED = "Mention"
"""Label of mentions without a type, since regions need a label."""
DATA_NAMES = ("doc_key", "doc_id", "document", "document_id", "name", "id")
"""Keys of a task's data that may name the document."""
Region = tuple[Span, str | None, str | None]
"""Characters of a region, its label, and its words if the source repeats them."""
Relation = tuple[Hashable, Hashable, Sequence[str]]
"""Ids of two regions, and the labels of their relation."""


def document_of(
    name: str,
    text: str,
    regions: Mapping[Any, Region],
    relations: Iterable[Relation],
    label: str,
    tokens: Sequence[Span] | None = None,
) -> Document:
    """The document of a text with regions by id, joined by coreference relations."""
    spans = [[span] for span, _, _ in regions.values()]
    mentions = mentions_of(spans, [len(text)], "spans", inclusive=False, unit="characters")
    for mention, (_, type, quoted) in zip(mentions, regions.values(), strict=True):
        mention.type = None if type in ("", UNTYPED) else type
        mention.quoted = quoted
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


@dialect(
    "doccano",
    "doccano: JSON lines, character spans and relations",
    having(text=PRESENT, entities=PRESENT, relations=PRESENT),
    streamed=False,
    writable=False,
    labelled=True,
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
        regions = {
            one.id: ((one.start_offset, one.end_offset), one.label, None) for one in self.entities
        }
        if len(regions) < len(self.entities):
            raise invalid("two entities with the same id", "Give every entity an id of its own.")
        relations = [(one.from_id, one.to_id, [one.type or ""]) for one in self.relations]
        return [document_of(self.name(), self.text, regions, relations, label)]


# --- Prodigy --------------------------------------------------------------------------------------


class ProdigyToken(msgspec.Struct, omit_defaults=True):
    """A token of Prodigy."""

    text: str
    start: int
    end: int
    id: int = 0


class ProdigySpan(msgspec.Struct, omit_defaults=True):
    """A span of Prodigy."""

    start: int
    end: int
    label: str | None = None
    text: str | None = None


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
        {"text", "spans"} <= shapes.keys() and not {"relations", "_input_hash"}.isdisjoint(shapes)
    ),
    streamed=False,
    writable=False,
    labelled=True,
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
        if self.answer not in ("accept", "reject", "ignore"):
            raise invalid(f"the answer {self.answer[:60]!r}", "It is accept, reject or ignore.")
        if self.answer != "accept":
            return []
        for token in self.tokens:
            if self.text[token.start : token.end] != token.text:
                raise invalid(
                    f"token {token.id} is {token.text[:60]!r}, but the text has "
                    f"{self.text[token.start : token.end][:60]!r}"
                )
        regions: dict[Span, Region] = {}
        for one in self.spans:
            regions[one.start, one.end] = ((one.start, one.end), one.label, one.text)
        relations: list[Relation] = []
        for relation in self.relations:
            head = self._span(relation.head_span, relation.head)
            child = self._span(relation.child_span, relation.child)
            relations.append((head, child, [relation.label or ""]))
            for span in (head, child):
                regions.setdefault(span, (span, None, None))
        name = next((str(self.meta[key]) for key in DATA_NAMES if key in self.meta), "")
        tokens = [(token.start, token.end) for token in self.tokens] or None
        return [document_of(name, self.text, regions, relations, label, tokens)]

    def _span(self, span: ProdigySpan | None, token: int) -> Span:
        """The span of a relation: as given, else the token that it connects."""
        if span is not None:
            return span.start, span.end
        if not 0 <= token < len(self.tokens):
            raise invalid(f"a relation with token {token} of {len(self.tokens)}")
        return self.tokens[token].start, self.tokens[token].end


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
        strings = {key: value for key, value in self.data.items() if isinstance(value, str)}
        named = [strings.pop(key) for key in DATA_NAMES if key in strings]
        texts = [value for key, value in strings.items() if key.lower() == "text"]
        texts = texts or list(strings.values())
        if len(texts) != 1:
            raise invalid(
                f"data has {len(strings)} texts, and none under the key 'text'",
                "Name the text of a task 'text'.",
            )
        relations = [
            (result.from_id, result.to_id, result.labels or ())
            for result in results or ()
            if result.type == "relation"
        ]
        name = [*named, "" if self.id is None else str(self.id)][0]
        regions = _studio_regions(results or (), texts[0])
        document = document_of(name, texts[0], regions, relations, label)
        if results is None:
            document.warnings.append("a task without an annotation, so there are no mentions")
        return [document]

    def _results(self) -> list[StudioResult] | None:
        """The results of the only annotation, or of the ground truth; else of the only model.

        None if the task is not annotated.
        """
        listed = (self.annotations, self.completions, self.predictions)
        if all(one is None for one in listed):
            raise invalid("the key 'annotations' is missing", "Export tasks with annotations.")
        found = next(filter(None, listed), [])
        kept = [annotation for annotation in found if not annotation.was_cancelled]
        kept = [annotation for annotation in kept if annotation.ground_truth] or kept
        if len(kept) > 1:
            raise invalid(
                f"a task with {len(kept)} annotations",
                "Mark one as ground truth, or export the annotations of one annotator or model.",
            )
        return kept[0].result if kept else None

    @classmethod
    def from_document(cls, document: Document, number: int) -> LabelStudio:
        text, entities = character_spans(document)
        units = [0]
        for character in text:
            units.append(units[-1] + 1 + (character > "\uffff"))
        results: list[StudioResult] = []
        relations: list[StudioResult] = []
        for mentions in entities:
            for place, (mention, (start, stop)) in enumerate(mentions):
                id = f"m{len(results)}"
                if place:
                    relation = StudioResult(type="relation", direction="right")
                    relation.from_id, relation.to_id = id, results[-1].id
                    relations.append(relation)
                labels = [mention.type or UNTYPED]
                value = StudioValue(units[start], units[stop], text[start:stop], labels)
                results.append(StudioResult(id, "label", "text", "labels", value))
        return cls(
            id=number + 1,
            data={"text": text, "doc_key": document.name},
            annotations=[StudioAnnotation(results + relations)],
        )


def _studio_regions(results: Iterable[StudioResult], text: str) -> dict[str, Region]:
    """The regions of a task by id; two results of one region must have the same span."""
    regions: dict[str, Region] = {}
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
        quoted = value.text if isinstance(value.text, str) else None
        regions.setdefault(id, (span, labels[0] if labels else None, quoted))
    offsets = code_point_offsets(text)

    def at(unit: int) -> int:
        return offsets[unit] if 0 <= unit < len(offsets) else unit

    def agreeing(candidate: dict[str, Region]) -> int:
        return sum(text[slice(*span)] == quoted for span, _, quoted in candidate.values())

    converted = {
        id: ((at(start), at(stop)), label, quoted)
        for id, ((start, stop), label, quoted) in regions.items()
    }
    return max((converted, regions), key=agreeing)
