"""The tables of entities and errors of one response, and how the page labels entities.

A key entity is called by its number in the document. A response entity has the number of the key
entity that it is paired with, or a letter where it is paired with none: above and below the words,
the same number is the same entity.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.explaining.categories import CATEGORIES
from corefine.explaining.contrasts import KINDS, MATCHES
from corefine.explaining.diagnosis import TYPES, ErrorType
from corefine.explaining.explanation import Explanation
from corefine.explaining.members import entity_labels
from corefine.report.document_text import DocumentText, Mentioned
from corefine.showing.plain_text import shortened, showable

_KINDS = tuple(kind.name.lower() for kind in KINDS)
FACTS = ("kind", "restKind", "distance", "match", "mentions")
"""What is said of an error beside its mentions and entities."""
LONGEST_TEXT = 80
"""Characters of a mention in a table; the text view has it whole."""


def number_labels(side: Mentioned) -> list[str]:
    """The labels of the key's entities."""
    return [str(number + 1) for number in range(len(side.entities))]


def letters(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


class ResponseTables:
    """The tables of entities and errors of one response, filled document by document."""

    def __init__(self, explanation: Explanation) -> None:
        self._explanation = explanation
        self._matched = matched = explanation.matched
        table = explanation.table
        pairs = explanation.entities.pairs
        # Entities of the corpora ↔ entities of the table.
        self._key_number = _inverse(table.key.source, len(matched.key.entities))
        self._key_of = np.full(len(matched.response.entities), -1)
        self._response_number = _inverse(table.response.source, len(matched.response.entities))
        for ours in np.flatnonzero(pairs.response >= 0).tolist():
            source = int(table.response.source[pairs.response[ours]])
            if source >= 0:
                self._key_of[source] = table.key.source[ours]
        self._twin = np.full(len(matched.response.mentions), -1)
        theirs = matched.response_mention
        both = (theirs >= 0) & (matched.key_mention >= 0)
        self._twin[theirs[both]] = matched.key_mention[both]
        self._key_mention: list[int] = matched.key_mention.tolist()
        self._response_mention: list[int] = theirs.tolist()
        self._telling = _telling(explanation)
        count = len(matched.key.documents)
        self._error_offsets = np.searchsorted(explanation.errors.document, np.arange(count + 1))
        self.entities: dict[str, Any] = {
            name: []
            for name in (
                "document", "text", "label", "side", "category", "keySize", "responseSize",
                "shared", "information",
            )
        } | {"f1": [[] for _ in explanation.entities.metrics]}  # fmt: skip
        self.errors: dict[str, list[Any]] = {
            name: []
            for name in (
                "document", "number", "type", "text", "keyLabel", "responseLabel", *FACTS,
            )
        }  # fmt: skip

    def add(self, number: int, document: int, text: DocumentText, own: Mentioned) -> dict[str, Any]:
        """The response's view of a document; its entities and errors go into the tables."""
        errors = self._errors_of(document, text, own)
        paired = [int(self._key_of[entity]) for entity in own.entities]
        partner = [text.key.place(entity) if entity >= 0 else -1 for entity in paired]
        labels, free = [], 0
        for at in partner:
            labels.append(str(at + 1) if at >= 0 else letters(free))
            free += at < 0
        names = entity_labels(self._matched.response, own.entities)
        twin = self._twin[own.first : own.first + len(own.spans)]
        self._add_entities(number, document, text, own, partner, labels)
        self._add_errors(number, errors, text, own, labels)
        return own.columns() | {
            "labels": labels,
            "names": [showable(name) for name in names],
            "partner": partner,
            "twin": np.where(twin < 0, -1, twin - text.key.first).tolist(),
            "category": [self._category(entity) for entity in text.key.entities],
            "errors": errors,
        }

    def _telling_text(self, row: int, text: DocumentText) -> str:
        """The mention that tells most of a key entity; it may stand in another document."""
        mention = int(self._telling[row])
        here = text.key.numbers([mention])
        key = self._matched.key
        return _short(text.text_of(text.key, here[0]) if here else key.text_of(mention))

    def _category(self, key_entity: int) -> str | None:
        number = int(self._key_number[key_entity])
        return None if number < 0 else CATEGORIES[self._explanation.entities.category[number]]

    def _add_entities(
        self,
        number: int,
        document: int,
        text: DocumentText,
        own: Mentioned,
        partner: Sequence[int],
        labels: Sequence[str],
    ) -> None:
        """Add the entities that occur in this document first."""
        entities, table, matched = (
            self._explanation.entities,
            self._explanation.table,
            self._matched,
        )
        add = self.entities
        sources = np.array(text.key.entities, np.int64)
        rows = self._key_number[sources]
        here = (rows >= 0) & (matched.key.entities.document[sources] == document)
        rows = rows[here]
        pairs = entities.pairs
        share = np.divide(
            entities.information_found[rows],
            entities.information[rows],
            out=np.full(len(rows), np.nan),
            where=entities.information[rows] > 0,
        )
        add["document"] += [number] * len(rows)
        add["text"] += [self._telling_text(row, text) for row in rows.tolist()]
        add["label"] += [str(at + 1) for at in np.flatnonzero(here).tolist()]
        add["side"] += ["both" if paired else "key" for paired in pairs.response[rows] >= 0]
        add["category"] += [CATEGORIES[category] for category in entities.category[rows]]
        add["keySize"] += table.key.size[rows].tolist()
        add["responseSize"] += pairs.response_size[rows].tolist()
        add["shared"] += pairs.shared[rows].tolist()
        add["information"] += rounded(share)
        for column, metric in zip(add["f1"], entities.metrics, strict=True):
            column += rounded(entities.scores[metric][2][rows])
        first = {entity: mention for mention, entity in reversed(list(enumerate(own.entity)))}
        for at, paired in enumerate(partner):
            source = own.entities[at]
            if paired >= 0 or matched.response.entities.document[source] != document:
                continue
            add["document"].append(number)
            add["text"].append(_short(text.text_of(own, first[at])))
            add["label"].append(labels[at])
            add["side"].append("response")
            add["responseSize"].append(int(table.response.size[self._response_number[source]]))
            for name in ("category", "keySize", "shared", "information"):
                add[name].append(None)
            for column in add["f1"]:
                column.append(None)

    def _errors_of(self, document: int, text: DocumentText, own: Mentioned) -> list[list[Any]]:
        """The errors of a document, as the page reads them: mentions and entities by number."""
        errors, contrast = self._explanation.errors, self._explanation.errors.contrast
        begin, end = self._error_offsets[document : document + 2].tolist()
        own_errors = slice(begin, end)
        bounds = errors.offsets[begin : end + 1].tolist()
        columns = (
            errors.type, errors.key_entity, errors.response_entity, errors.other_entity,
            contrast.kind, contrast.rest_kind, contrast.distance, contrast.match,
        )  # fmt: skip
        listed = []
        for (first, last), (type_, key, response, other, kind, rest, distance, match) in zip(
            pairwise(bounds),
            zip(*(column[own_errors].tolist() for column in columns), strict=True),
            strict=True,
        ):
            rows = errors.rows[first:last].tolist()
            merged, span = TYPES[type_] is ErrorType.MERGED, TYPES[type_] is ErrorType.SPAN
            of_key = [key, other] if merged else [key]
            of_response = [response] if merged else [response, other]
            listed.append(
                [
                    str(TYPES[type_]),
                    text.key.numbers([self._key_mention[row] for row in rows]),
                    own.numbers([self._response_mention[row] for row in rows]),
                    [text.key.place(entity) for entity in of_key if entity >= 0],
                    [own.place(entity) for entity in of_response if entity >= 0],
                    _KINDS[kind],
                    _named(rest, _KINDS),
                    None if distance < 0 else distance,
                    _named(match, MATCHES),
                    1 if span else len(rows),
                ]
            )
        return listed

    def _add_errors(
        self,
        number: int,
        errors: Sequence[Sequence[Any]],
        text: DocumentText,
        own: Mentioned,
        labels: Sequence[str],
    ) -> None:
        add = self.errors
        for place, (type_, key, response, key_entities, response_entities, *facts) in enumerate(
            errors
        ):
            first = text.text_of(text.key, key[0]) if key else text.text_of(own, response[0])
            add["document"].append(number)
            add["number"].append(place)
            add["type"].append(type_)
            add["text"].append(_short(first))
            add["keyLabel"].append(", ".join(str(at + 1) for at in key_entities))
            add["responseLabel"].append(", ".join(labels[at] for at in response_entities))
            for name, fact in zip(FACTS, facts, strict=True):
                add[name].append(fact)


def rounded(values: Iterable[float]) -> list[float | None]:
    """Numbers as the page shows them: percent with two decimals, and some to spare for sorting."""
    return [None if math.isnan(value) else round(float(value), 6) for value in values]


def _named(index: int, names: Sequence[str]) -> str | None:
    return None if index < 0 else names[index]


def _short(text: str) -> str:
    return shortened(showable(text), LONGEST_TEXT)


def _inverse(source: IntArray, length: int) -> IntArray:
    """By entity of a corpus, its number in the table; -1 where it has none."""
    number = np.full(length, -1)
    present = source >= 0
    number[source[present]] = np.flatnonzero(present)
    return number


def _telling(explanation: Explanation) -> IntArray:
    """By key entity of the table: its key mention that tells most, the first among equals."""
    table, weights = explanation.table, explanation.entities.weights
    rows = np.flatnonzero(table.key_entity >= 0)
    order = rows[np.lexsort((rows, -weights[rows], table.key_entity[rows]))]
    _, first = np.unique(table.key_entity[order], return_index=True)
    return explanation.matched.key_mention[order[first]]
