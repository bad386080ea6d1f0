"""Label Studio's JSON: tasks with a text, spans of its characters, and relations between them.

The smallest valid file::

    [{"id": 1, "data": {"text": "Anna saw her house."},
      "annotations": [{"result": [
        {"id": "a", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["PER"]}},
        {"id": "b", "type": "labels", "value": {"start": 9, "end": 12, "labels": ["PER"]}},
        {"type": "relation", "from_id": "b", "to_id": "a", "direction": "right"}]}]}]

Spans are mentions, and end behind their last character. Relations make entities, also through
others: those without a label, and those whose label speaks of coreference. A span without a
relation is a singleton; its first label is its type, unless that is ``Mention``. Label Studio
counts characters as JavaScript does, in 16-bit units; the texts of the spans tell where a file
counts code points.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.formats.building.closure import linked
from corefine.formats.building.utf16 import code_point_offsets
from corefine.formats.building.written_text import lost_blanks
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.dialects import Line, dialect_format
from corefine.formats.jsonlines.json_records import Record, made_record
from corefine.formats.jsonlines.plain_documents import Document

if TYPE_CHECKING:
    from corefine.formats.text.json_values import StudioResult

UNTYPED = "Mention"
"""The label of mentions without a type: spans need one."""
_COREFERENCE = re.compile(r"coref|ident|same|anaph|antecedent|equal", re.IGNORECASE)
_ANNOTATIONS = ("annotations", "completions", "predictions")
"""Keys of what people have said, the second before version 1.0, and of what models have."""
_BESIDE = frozenset(("choices", "textarea", "rating", "number", "datetime", "taxonomy", "pairwise"))
"""What is said of a text or of a region, beside its label."""
_NAMES = ("doc_key", "doc_id", "document", "document_id", "name", "id")
"""Keys of a task's data under which its document may be named."""


def plain(record: Record, number: int, stem: str) -> list[Record]:
    """The record of a task with its text, and the clusters of its spans."""
    data = record.decode("data", dict[str, Any])
    results = _results(record)
    spans = _spans(results)
    text = _text(record, data, spans)
    places = _places(record, spans, text)
    row_of = {span.id: row for row, span in enumerate(spans) if span.id}
    pairs = [
        (_row(record, result.from_id, row_of), _row(record, result.to_id, row_of))
        for result in _coreference(record, results)
    ]
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T
    clusters: dict[int, list[int]] = {}
    for row, first in enumerate(linked(len(spans), left, right).tolist()):
        clusters.setdefault(first, []).append(row)
    name = next((data[key] for key in _NAMES if isinstance(data.get(key), str)), None)
    if name is None and record.has("id"):
        name = str(record.decode("id", int | str))
    return [
        made_record(
            record,
            {
                **({"id": name} if name is not None else {}),
                "text": text,
                "annotations": [[places[row] for row in rows] for rows in clusters.values()],
                "types": [[_label(spans[row]) for row in rows] for rows in clusters.values()],
            },
        )
    ]


def _spans(results: list[StudioResult]) -> list[StudioResult]:
    """The regions; what else is said of one has its id, and of the whole text no region."""
    found: dict[str, StudioResult] = {}
    for number, result in enumerate(results):
        if result.value is not None and result.type != "relation" and result.type not in _BESIDE:
            found.setdefault(result.id or f"#{number}", result)
    return list(found.values())


def _text(record: Record, data: dict[str, Any], spans: list[StudioResult]) -> str:
    """The text of a task: under ``text``, the only one, or the only one that has the spans."""
    strings = {
        key: value for key, value in data.items() if isinstance(value, str) and key not in _NAMES
    }
    own = [value for key, value in strings.items() if key.lower() == "text"]
    fitting = [value for value in strings.values() if spans and _fits(value, spans)]
    for found in (own, list(strings.values()), fitting):
        if len(found) == 1:
            return found[0]
    record.refuse(
        f"data has {len(strings)} texts, and none under the key 'text'",
        "Name the text of a task 'text'.",
    )


def _fits(text: str, spans: list[StudioResult]) -> bool:
    """Whether the spans of a task are in a text, as they say themselves."""
    told = [span.value.text for span in spans if span.value is not None]
    return all(isinstance(words, str) and words in text for words in told)


def _results(record: Record) -> list[StudioResult]:
    """What was said of a task: by its only annotation, or by the one that is the ground truth.

    Where people were not asked, the only prediction of a model counts.
    """
    from corefine.formats.text.json_values import StudioAnnotation

    found = record.decode(record.first(_ANNOTATIONS), list[StudioAnnotation])
    kept = [annotation for annotation in found if not annotation.was_cancelled]
    kept = [annotation for annotation in kept if annotation.ground_truth] or kept
    if len(kept) > 1:
        record.refuse(
            f"a task with {len(kept)} annotations",
            "Mark one as ground truth, or export the annotations of one annotator or model.",
        )
    return list(kept[0].result) if kept else []


def _places(record: Record, spans: list[StudioResult], text: str) -> list[tuple[int, int]]:
    """First character of each span, and the one behind its last."""
    places: list[tuple[int, int]] = []
    for span in spans:
        value = span.value
        assert value is not None
        if not isinstance(value.start, int) or not isinstance(value.end, int):
            record.refuse(
                f"region {span.id!r} is not a character span of the text",
                "Only spans of plain text are supported (Labels on Text), not of HTML or images.",
            )
        places.append((value.start, value.end))
    offsets = code_point_offsets(text)
    if len(offsets) == len(text) + 1:
        units = places
    else:
        told = [span.value.text if span.value is not None else None for span in spans]
        as_units = [(_at(offsets, start), _at(offsets, end)) for start, end in places]
        units = max(
            (as_units, places),
            key=lambda found: sum(text[s:e] == t for (s, e), t in zip(found, told, strict=True)),
        )
    for (start, end), span in zip(units, spans, strict=True):
        if not 0 <= start < end <= len(text):
            record.refuse(
                f"span {span.id!r} is [{start}, {end}] in a text of {len(text):,} characters",
                "A span is [start, end] in characters from 0, end exclusive.",
            )
    return units


def _at(offsets: list[int], unit: int) -> int:
    return offsets[unit] if 0 <= unit < len(offsets) else unit


def _coreference(record: Record, results: list[StudioResult]) -> list[StudioResult]:
    relations = [result for result in results if result.type == "relation"]
    labels = {label for relation in relations for label in relation.labels or ()}
    found = [
        relation
        for relation in relations
        if not relation.labels or any(map(_COREFERENCE.search, relation.labels))
    ]
    if relations and not found:
        record.refuse(
            f"no coreference relations, only {', '.join(sorted(labels))[:60]}",
            "Label coreference relations 'coref', or leave them unlabelled.",
        )
    return found


def _row(record: Record, id: str, row_of: dict[str, int]) -> int:
    if id not in row_of:
        record.refuse(
            f"a relation with region {id!r}, which is not a span of the text",
            "A relation connects two spans of the same task.",
        )
    return row_of[id]


def _label(span: StudioResult) -> str:
    assert span.value is not None
    labels = span.value.labels or span.value.hypertextlabels
    return labels[0] if labels and labels[0] != UNTYPED else ""


def _task(document: Document) -> Line:
    """A task: a relation joins each mention to the one before it in its entity."""
    text, begins, ends = document.text()
    units = [0]
    for character in text:
        units.append(units[-1] + 1 + (ord(character) > 0xFFFF))
    found = document.corpus.mentions
    rows = iter(document.mentions.tolist())
    results: list[dict[str, object]] = []
    relations: list[dict[str, object]] = []
    for number, cluster in enumerate(document.clusters()):
        before = ""
        for place, (start, stop) in enumerate(cluster):
            begin, end, row = begins[start], ends[stop - 1], next(rows)
            if not text[begin:end].strip():
                continue
            id = f"e{number}m{place}"
            type = -1 if found.type is None else int(found.type[row])
            label = document.corpus.types[type] if type >= 0 else UNTYPED
            value = {"start": units[begin], "end": units[end], "text": text[begin:end]}
            results.append(
                {
                    "id": id,
                    "from_name": "label",
                    "to_name": "text",
                    "type": "labels",
                    "value": value | {"labels": [label]},
                }
            )
            if before:
                relations.append(
                    {"from_id": id, "to_id": before, "type": "relation", "direction": "right"}
                )
            before = id
    return {
        "id": document.number + 1,
        "data": {"text": text, "doc_key": document.name},
        "annotations": [{"result": results + relations}],
    }


def _losses(corpus: Corpus) -> list[str]:
    lost = lost_blanks(corpus)
    return [*lost, f"the type {UNTYPED}"] if UNTYPED in corpus.types else lost


LABEL_STUDIO = dialect_format(
    Dialect(
        "label-studio",
        clusters=("annotations",),
        words=("text",),
        names=("id",),
        named=False,
        plain=plain,
        types="types",
    ),
    "Label Studio: JSON array of tasks, character spans and relations",
    lambda keys: 0.9 if "data" in keys and keys & {*_ANNOTATIONS} else 0.0,
    _task,
    _losses,
    array=True,
    documentation="docs/formats/label-studio.md",
)
