"""Label Studio: a JSON array of tasks with a text, regions of its characters, and relations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from corefine.corpus.document import Document
from corefine.formats.io.lines import code_point_offsets
from corefine.formats.io.records import Name, Record, dialect, invalid
from corefine.formats.io.regions import DATA_NAMES, UNTYPED, Region, document_of
from corefine.formats.text_clusters import character_spans

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
        strings = {
            key: value
            for key, value in self.data.items()
            if isinstance(value, str) and key not in DATA_NAMES
        }
        texts = [value for key, value in strings.items() if key.lower() == "text"]
        texts = texts or list(strings.values())
        if len(texts) != 1:
            raise invalid(
                f"data has {len(strings)} texts, and none under the key 'text'",
                "Name the text of a task 'text'.",
            )
        named = (self.data[key] for key in DATA_NAMES if isinstance(self.data.get(key), str))
        relations = [
            (result.from_id, result.to_id, result.labels or ())
            for result in results or ()
            if result.type == "relation"
        ]
        name = next(named, "" if self.id is None else str(self.id))
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
    if len(offsets) == len(text) + 1:
        return regions

    def at(unit: int) -> int:
        return offsets[unit] if 0 <= unit < len(offsets) else unit

    def agreeing(candidate: dict[str, Region]) -> int:
        return sum(text[slice(*span)] == quoted for span, _, quoted in candidate.values())

    converted = {
        id: ((at(start), at(stop)), label, quoted)
        for id, ((start, stop), label, quoted) in regions.items()
    }
    return max((converted, regions), key=agreeing)
