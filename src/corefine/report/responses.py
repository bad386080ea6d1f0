"""The tables of entities and errors of one response, and how the page labels entities.

A key entity is called by its number in the document. A response entity has the number of the key
entity that it is paired with, or a letter where it is paired with none: above and below the words,
the same number is the same entity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.explaining.diagnosis import TYPES, ErrorType
from corefine.explaining.error_analysis import GROUPS, Errors
from corefine.explaining.explanation import Explanation
from corefine.explaining.impact import resolution_lost
from corefine.explaining.naming import entity_labels
from corefine.output.plain_text import all_showable
from corefine.report.document_text import DocumentText, Mentioned

WORTH = 1_000_000
"""The page holds what errors and entities are worth as whole numbers of this part of F1."""


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

    def __init__(
        self, explanation: Explanation, naming: IntArray, groups: Mapping[str, IntArray]
    ) -> None:
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
        self._naming = naming
        self._lost = resolution_lost(table)
        self._groups = groups
        count = len(matched.key.documents)
        documents = [error.document_number for error in explanation.errors]
        self._error_offsets = np.searchsorted(documents, np.arange(count + 1))
        self._labels = all_showable(entity_labels(matched.response))
        self.entities: dict[str, Any] = {
            name: []
            for name in (
                "count", "label", "mention", "category", "keySize", "responseSize", "shared",
                "information", "lost",
            )
        } | {"f1": [[] for _ in explanation.entities.metrics]}  # fmt: skip
        self._shown: list[range] = []

    def add(self, document: int, text: DocumentText, own: Mentioned) -> dict[str, Any]:
        """The response's view of a document; its entities and errors go into the tables."""
        errors = self._errors_of(document, text, own)
        paired = [int(self._key_of[entity]) for entity in own.entities]
        partner = [text.key.place(entity) if entity >= 0 else -1 for entity in paired]
        labels, free = [], 0
        for at in partner:
            labels.append(str(at + 1) if at >= 0 else letters(free))
            free += at < 0
        twin = self._twin[own.first : own.first + len(own.spans)]
        twins = np.where(twin < 0, -1, twin - text.key.first).tolist()
        self._add_entities(document, text, own, partner, labels)
        names = [self._labels[entity] for entity in own.entities]
        return own.columns(text.key, twins) | {
            "names": None if _plain_names(names) else names,
            "partner": partner,
            "twin": _twin_steps(twins),
            "category": [self._category(entity) for entity in text.key.entities],
            "errors": errors,
        }

    def _category(self, key_entity: int) -> int:
        number = int(self._key_number[key_entity])
        return -1 if number < 0 else int(self._explanation.entities.category[number])

    def _add_entities(
        self,
        document: int,
        text: DocumentText,
        own: Mentioned,
        partner: Sequence[int],
        labels: Sequence[str],
    ) -> None:
        """Add the entities that occur in this document first: the key's, then what is only here."""
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
        add["label"] += [str(at + 1) for at in np.flatnonzero(here).tolist()]
        add["category"] += entities.category[rows].tolist()
        add["keySize"] += table.key.size[rows].tolist()
        paired = pairs.response[rows] >= 0
        add["responseSize"] += np.where(paired, pairs.response_size[rows], 0).tolist()
        add["shared"] += pairs.shared[rows].tolist()
        add["information"] += rounded(share)
        add["lost"] += np.rint(WORTH * self._lost[rows]).astype(np.int64).tolist()
        naming = self._naming[sources[here]] - text.key.first
        inside = (naming >= 0) & (naming < len(text.key.spans))
        add["mention"] += np.where(inside, naming, -1).tolist()
        for column, metric in zip(add["f1"], entities.metrics, strict=True):
            column += rounded(entities.scores[metric][2][rows])
        first = {entity: mention for mention, entity in reversed(list(enumerate(own.entity)))}
        count = len(rows)
        for at, other in enumerate(partner):
            source = own.entities[at]
            if other >= 0 or matched.response.entities.document[source] != document:
                continue
            count += 1
            add["label"].append(labels[at])
            add["mention"].append(first[at])
            add["responseSize"].append(int(table.response.size[self._response_number[source]]))
            for name in ("category", "keySize", "shared", "information", "lost"):
                add[name].append(None)
            for column in add["f1"]:
                column.append(None)
        add["count"].append(count)

    def _errors_of(self, document: int, text: DocumentText, own: Mentioned) -> dict[str, Any]:
        """The errors of a document as columns.

        ``rows`` are mentions of the key and, as -1 - m, mentions m of the response without a twin.
        """
        errors = self._explanation.errors
        begin, end = self._error_offsets[document : document + 2].tolist()
        self._shown.append(range(begin, end))
        first, stop = text.key.first, text.key.first + len(text.key.spans)
        mine, mine_stop = own.first, own.first + len(own.spans)
        rows: list[list[int]] = []
        other = []
        for number in range(begin, end):
            listed = []
            for row in errors[number].rows:
                ours, theirs = self._key_mention[row], self._response_mention[row]
                # If documents share entities, mentions of other documents are left out.
                if first <= ours < stop:
                    listed.append(ours - first)
                elif ours < 0 and mine <= theirs < mine_stop:
                    listed.append(mine - 1 - theirs)
            rows.append(listed)
            error = errors[number]
            if error.other_entity is not None:
                other.append(text.key.place(error.other_entity))
            elif error.type is ErrorType.SPLIT:
                other.append(own.place(error.response_entities[1]))
            else:
                other.append(-1)
        return _error_columns(errors, range(begin, end)) | {"rows": rows, "other": other}

    @property
    def errors(self) -> dict[str, Any]:
        """The errors of all documents that were added, as columns."""
        errors = self._explanation.errors
        chosen = [number for numbers in self._shown for number in numbers]
        return _error_columns(errors, chosen) | {
            "count": [len(numbers) for numbers in self._shown],
            "mentions": [
                1 if errors[number].type is ErrorType.SPAN else len(errors[number].rows)
                for number in chosen
            ],
            "groups": {name: codes[chosen].tolist() for name, codes in self._groups.items()},
        }


def _error_columns(errors: Errors, numbers: Sequence[int]) -> dict[str, Any]:
    """Type, impact and difficulty of errors as columns; -1 means unknown."""
    found = [errors[number] for number in numbers]

    def codes(field: str) -> list[int]:
        values = [getattr(error, field) for error in found]
        return [-1 if value is None else GROUPS[field].index(value) for value in values]

    return {
        "type": "".join(str(TYPES.index(error.type)) for error in found),
        "worth": [round(WORTH * error.impact) for error in found],
        "kind": "".join(map(str, codes("kind"))),
        "rest": codes("rest_kind"),
        "distance": [-1 if error.distance is None else error.distance for error in found],
        "match": codes("match"),
    }


def _twin_steps(twins: Sequence[int]) -> list[int | None]:
    """Twins as steps from the previous twin; None for a mention without one."""
    listed: list[int | None] = []
    last = 0
    for twin in twins:
        listed.append(None if twin < 0 else twin - last)
        last = last if twin < 0 else twin
    return listed


def _plain_names(names: Sequence[str]) -> bool:
    """True if names only number the entities, which the page does anyway."""
    return all(name.isdigit() for name in names)


def rounded(values: FloatArray) -> list[float | None]:
    """Numbers as the page shows them: percent with two decimals."""
    return [None if value != value else round(value, 4) for value in values.tolist()]


def _inverse(source: IntArray, length: int) -> IntArray:
    """By entity of a corpus, its number in the table, or -1."""
    number = np.full(length, -1)
    present = source >= 0
    number[source[present]] = np.flatnonzero(present)
    return number
