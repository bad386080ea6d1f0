"""The data of the page: plain JSON per document, compressed, which the browser unpacks.

A key entity is called by its number in the document. A response entity has the number of the key
entity that it is paired with, or a letter if it is paired with none: the page gives these labels.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.explaining.categories import CATEGORIES
from corefine.explaining.diagnosis import TYPES, ErrorType
from corefine.explaining.entities import MEANINGS
from corefine.explaining.error_analysis import KIND_NAMES, MATCHES, resolution_lost
from corefine.explaining.explanation import Explanation
from corefine.explaining.naming import entity_labels
from corefine.explaining.outcomes import LEVELS, Outcomes
from corefine.metrics.registry import title_of
from corefine.output.plain_text import all_showable, showable
from corefine.report.analysis import Analysis
from corefine.report.document_text import DocumentText, Mentioned, Texts, steps

LEVEL = 4
"""Of gzip: level 6 takes almost three times as long, for a page that is 4% smaller."""

Chunk = tuple[str, str]
"""A chunk's name and its content: JSON, compressed, in base64."""


def pack(value: Any) -> str:
    """JSON, compressed, in base64: nothing in it can be markup."""
    packed = gzip.compress(msgspec.json.encode(value), LEVEL, mtime=0)
    return base64.b64encode(packed).decode("ascii")


def chunks(analysis: Analysis, shown: Sequence[int], texts: Texts) -> Iterator[Chunk]:
    """One chunk for each shown document, then ``meta`` for what belongs to the whole."""
    responses = [
        ResponseData(one, outcomes, {b.title: (b.groups, b.errors[at]) for b in analysis.buckets})
        for at, (one, outcomes) in enumerate(
            zip(analysis.explanations, analysis.outcomes, strict=True)
        )
    ]
    labels = all_showable(entity_labels(analysis.key))
    for number, document in enumerate(shown):
        text = texts.document(document)
        read = zip(responses, text.responses, strict=True)
        views = [response.document(document, text, own) for response, own in read]
        naming = analysis.naming[np.array(text.key.entities, np.int64)] - text.key.first
        inside = (naming >= 0) & (naming < len(text.key.spans))
        words = {
            "words": all_showable(text.words),
            "rows": text.rows,
            "sentence": text.sentences,
            "empty": text.empty,
            "plain": text.plain,
        }
        key = text.key.columns(labels) | {"naming": np.where(inside, naming, -1).tolist()}
        yield f"d{number}", pack({**words, "key": key, "responses": views})
    yield "meta", pack(_meta(analysis, shown))


class ResponseData:
    """Data of one response for the page, document by document."""

    def __init__(
        self,
        explanation: Explanation,
        outcomes: Outcomes,
        groups: Mapping[str, tuple[Sequence[str], IntArray]],
    ) -> None:
        self._explanation, self._outcomes, self._groups = explanation, outcomes, groups
        self._matched = matching = explanation.matching
        table, pairs = explanation.table, explanation.entities.pairs
        # Entities of the corpora ↔ entities of the table.
        self._key_number = _inverse(table.key.source, len(matching.key.entities))
        self._response_number = _inverse(table.response.source, len(matching.response.entities))
        paired = np.flatnonzero(pairs.response >= 0)
        sources = table.response.source[pairs.response[paired]]
        self._key_of = np.full(len(matching.response.entities), -1)
        self._key_of[sources[sources >= 0]] = table.key.source[paired[sources >= 0]]
        both = (matching.response_mention >= 0) & (matching.key_mention >= 0)
        self._twin = np.full(len(matching.response.mentions), -1)
        self._twin[matching.response_mention[both]] = matching.key_mention[both]
        self._scores = _scores_of_entities(explanation)
        documents = np.arange(len(matching.key.documents) + 1)
        self._offsets = np.searchsorted(explanation.errors.document, documents)
        self._labels = all_showable(entity_labels(matching.response))

    def document(self, document: int, text: DocumentText, own: Mentioned) -> dict[str, Any]:
        """Mentions, twins in the key, errors, entities and outcomes in one document."""
        errors = self._errors(document, text, own)
        paired = [int(self._key_of[entity]) for entity in own.entities]
        partner = [text.key.place(entity) if entity >= 0 else -1 for entity in paired]
        twin = self._twin[own.first : own.first + len(own.spans)].tolist()
        response = self._matched.response.entities
        home = [int(response.document[entity]) == document for entity in own.entities]
        numbers = self._response_number[np.array(own.entities, np.int64)]
        sizes = np.where(numbers < 0, 0, self._explanation.table.response.size[numbers])
        return own.columns(self._labels) | {
            "partner": partner,
            # Counted from the mention's own number: both sides are in the order of the text.
            "twin": [None if one < 0 else one - text.key.first - at for at, one in enumerate(twin)],
            "size": [int(size) if here else None for size, here in zip(sizes, home, strict=True)],
            "scores": self._entities(document, text),
            "right": self._right(text),
            "errors": errors,
        }

    def _entities(self, document: int, text: DocumentText) -> dict[str, list[Any]]:
        """Each key entity in the document that it begins in; None in others."""
        sources = np.array(text.key.entities, np.int64)
        rows = self._key_number[sources]
        here = (rows >= 0) & (self._matched.key.entities.document[sources] == document)
        own = np.where(here, rows, -1).tolist()
        return {
            name: [None if row < 0 else values[row] for row in own]
            for name, values in self._scores.items()
        }

    def _right(self, text: DocumentText) -> dict[str, list[int]]:
        """By level, the outcome of each key mention, link and entity of the document."""
        codes = self._outcomes.codes
        own = slice(text.key.first, text.key.first + len(text.key.spans))
        rows = self._key_number[np.array(text.key.entities, np.int64)]
        return {
            "mentions": codes["mentions"][own].tolist(),
            "links": codes["links"][own].tolist(),
            "entities": [-1 if row < 0 else int(codes["entities"][row]) for row in rows],
        }

    def _errors(self, document: int, text: DocumentText, own: Mentioned) -> dict[str, list[Any]]:
        """The errors of a document as columns; mentions of other documents are left out."""
        errors, matching = self._explanation.errors, self._matched
        first, last = self._offsets[document : document + 2].tolist()
        listed = slice(first, last)
        offsets = errors.offsets[first : last + 1]
        rows = errors.rows[offsets[0] : offsets[-1]]
        bounds = list(pairwise((offsets - offsets[0]).tolist()))
        ours = _parted(text.key.numbers(matching.key_mention[rows]), bounds)
        theirs = _parted(own.numbers(matching.response_mention[rows]), bounds)
        twin = (self._twin[own.first : own.first + len(own.spans)] - text.key.first).tolist()
        found = {one: at for at, one in enumerate(twin)}
        places = []
        for number in range(first, last):
            error = errors[number]
            if error.other_entity is not None:
                places.append(text.key.place(error.other_entity))
            elif error.type is ErrorType.SPLIT:
                places.append(own.place(error.response_entities[1]))
            else:
                places.append(-1)
        return {
            "type": _named(map(str, TYPES), errors.type[listed]),
            "worth": np.round(100 * errors.impact[listed], 4).tolist(),
            "kind": _named(KIND_NAMES, errors.kind[listed]),
            "restKind": _named(KIND_NAMES, errors.rest_kind[listed]),
            "distance": [None if one < 0 else one for one in errors.distance[listed].tolist()],
            "match": _named(MATCHES, errors.match[listed]),
            "key": list(map(steps, ours)),
            # None if they are the twins of the mentions in the key.
            "response": [
                None if others == [found.get(one) for one in mentions] else steps(others)
                for mentions, others in zip(ours, theirs, strict=True)
            ],
            "other": places,
            **{
                title: _named(groups, codes[listed])
                for title, (groups, codes) in self._groups.items()
            },
        }


def _parted(numbers: Sequence[int], bounds: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The numbers between each two bounds, without those below 0."""
    return [[one for one in numbers[start:stop] if one >= 0] for start, stop in bounds]


def _named(names: Iterable[str], codes: IntArray) -> list[str | None]:
    """The names with these numbers; None for -1."""
    with_none = [*names, None]
    return [with_none[code] for code in codes.tolist()]


def _scores_of_entities(explanation: Explanation) -> dict[str, list[Any]]:
    """By name, a value for each key entity of the table."""
    entities, pairs = explanation.entities, explanation.entities.pairs
    with np.errstate(invalid="ignore", divide="ignore"):
        kept = entities.information_found / entities.information
    return {
        "keySize": explanation.table.key.size.tolist(),
        "responseSize": np.where(pairs.response >= 0, pairs.response_size, 0).tolist(),
        "shared": pairs.shared.tolist(),
        "lost": rounded(100 * resolution_lost(explanation.table)),
        "information": rounded(kept),
        "category": [CATEGORIES[number] for number in entities.category],
        **{metric: rounded(entities.scores[metric][2]) for metric in entities.distinct_metrics},
    }


def _meta(analysis: Analysis, shown: Sequence[int]) -> dict[str, Any]:
    key, documents = analysis.key, len(analysis.key.documents)
    place = {document: number for number, document in enumerate(shown)}
    by_entity = analysis.explanations[0].entities.distinct_metrics
    return {
        "responses": [showable(name) for name in analysis.names],
        "metrics": analysis.metrics,
        "lead": analysis.lead,
        "titles": {name: title_of(name) for name in dict.fromkeys([*analysis.metrics, *by_entity])},
        "types": list(map(str, TYPES)),
        "entityMetrics": by_entity,
        "categories": MEANINGS,
        "buckets": [bucket.title for bucket in analysis.buckets],
        # What one right item of a level is worth of a response's F1, in points.
        "worth": [
            {level: 200 / max(1, one.total(level) + one.found[level]) for level in LEVELS}
            for one in analysis.outcomes
        ],
        "documents": {
            "id": [showable(name) for name in key.documents],
            "shown": [place.get(document, -1) for document in range(documents)],
            "words": analysis.document_words(),
            "mentions": np.bincount(key.mentions.document, minlength=documents).tolist(),
            "entities": np.bincount(_documents_of_entities(key), minlength=documents).tolist(),
            "errors": [
                np.bincount(one.errors.document, minlength=documents).tolist()
                for one in analysis.explanations
            ],
            "f1": [
                {
                    metric: rounded(analysis.document_f1(system, metric))
                    for metric in analysis.metrics
                }
                for system in range(len(analysis.names))
            ],
        },
    }


def _documents_of_entities(corpus: Corpus) -> IntArray:
    """The document of every entity, once for each document that it has a mention in."""
    mentions, entities = corpus.mentions, max(len(corpus.entities), 1)
    return np.unique(mentions.document * entities + mentions.entity) // entities


def rounded(values: FloatArray) -> list[float | None]:
    """Numbers as the page shows them; None if unknown."""
    return [None if value != value else round(value, 4) for value in values.tolist()]


def _inverse(source: IntArray, length: int) -> IntArray:
    """By entity of a corpus, its number in the table, or -1."""
    number = np.full(length, -1)
    present = source >= 0
    number[source[present]] = np.flatnonzero(present)
    return number
