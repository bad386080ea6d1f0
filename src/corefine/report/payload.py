"""The data of the page: compressed chunks that the browser unpacks when they are asked for."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import texts_of
from corefine.explaining.naming import entity_labels
from corefine.explaining.outcomes import LEVELS
from corefine.metrics.registry import title_of
from corefine.output.plain_text import all_showable, shortened, showable
from corefine.report.analysis import Analysis
from corefine.report.answers import best_system
from corefine.report.document_text import Texts, steps
from corefine.report.responses import ResponseTables, rounded

LONGEST_TEXT = 60
"""Characters of an entity's name in a table; the text view has it whole."""

LEVEL = 4
"""Of zlib: level 6 takes almost three times as long, for a page that is 4% smaller."""

Chunk = tuple[str, str]
"""A chunk's name and its content: JSON, deflated, in base64."""


def pack(value: Any) -> str:
    """JSON without blanks, deflated without a header, in base64: nothing in it can be markup."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -15)
    packed = deflate.compress(text.encode("utf-8", "replace")) + deflate.flush()
    return base64.b64encode(packed).decode("ascii")


def chunks(analysis: Analysis, shown: Sequence[int], texts: Texts) -> Iterator[Chunk]:
    """All chunks: one for each shown document, then the tables and what belongs to the whole."""
    naming = analysis.naming
    tables = [
        ResponseTables(
            one, naming, {bucket.title: bucket.errors[at] for bucket in analysis.buckets}
        )
        for at, one in enumerate(analysis.explanations)
    ]
    labels = all_showable(entity_labels(analysis.key))
    called = _short_names(analysis.key, naming)
    named: list[list[str]] = []
    for number, document in enumerate(shown):
        text = texts.document(document)
        views = [
            table.add(document, text, own)
            for table, own in zip(tables, text.responses, strict=True)
        ]
        names = [labels[entity] for entity in text.key.entities]
        named.append([called[entity] for entity in text.key.entities])
        best = naming[np.array(text.key.entities, np.int64)] - text.key.first
        inside = (best >= 0) & (best < len(text.key.spans))
        yield (
            f"d{number}",
            pack(
                {
                    "id": showable(analysis.key.documents[document]),
                    "number": document,
                    "words": all_showable(text.words),
                    "rows": steps(text.rows),
                    "sentence": steps(text.sentences),
                    "empty": text.empty,
                    "plain": text.plain,
                    "key": text.key.columns()
                    | {
                        "names": None if all(map(str.isdigit, names)) else names,
                        "entities": len(text.key.entities),
                        "naming": np.where(inside, best, -1).tolist(),
                    },
                    "responses": views,
                }
            ),
        )
    yield "names", pack(named)
    for number, table in enumerate(tables):
        yield f"entities{number}", pack(table.entities)
        yield f"errors{number}", pack(table.errors)
    if len(analysis.names) > 1:
        yield "outcomes", pack(_outcomes(analysis))
    yield "meta", pack(_meta(analysis, shown))


def chunks_of_tables(analysis: Analysis) -> int:
    """Number of chunks in addition to those of the documents."""
    return 2 + 2 * len(analysis.names) + (len(analysis.names) > 1)


def _short_names(corpus: Corpus, naming: IntArray) -> list[str]:
    """By entity, the words of the mention that names it, as much of them as a table shows."""
    names = np.full(len(naming), "", object)
    named = naming >= 0
    names[named] = all_showable(texts_of(corpus, naming[named]))
    return [shortened(name, LONGEST_TEXT) for name in names.tolist()]


def _outcomes(analysis: Analysis) -> dict[str, Any]:
    """Outcome of each response for the key: one digit per mention, link and entity."""
    key, naming = analysis.key, analysis.naming
    source = analysis.explanations[0].table.key.source
    entities = np.flatnonzero(source >= 0)
    order = np.argsort(naming[source[entities]], kind="stable")
    entities = entities[order]
    kinds = key.mentions.kind

    def digits(codes: np.ndarray) -> str:
        return "".join("." if code < 0 else str(code) for code in codes.tolist())

    return {
        "mentions": np.bincount(key.mentions.document, minlength=len(key.documents)).tolist(),
        "kind": None if kinds is None else "".join(map(str, kinds.tolist())),
        "naming": steps(naming[source[entities]].tolist()),
        "size": analysis.explanations[0].table.key.size[entities].tolist(),
        "codes": [
            [
                digits(one.codes["mentions"]),
                digits(one.codes["links"]),
                digits(one.codes["entities"][entities]),
            ]
            for one in analysis.outcomes
        ],
        "found": [[one.found[level] for level in LEVELS] for one in analysis.outcomes],
    }


def _meta(analysis: Analysis, shown: Sequence[int]) -> dict[str, Any]:
    key, documents = analysis.key, len(analysis.key.documents)
    place = {document: number for number, document in enumerate(shown)}
    identifiers = [showable(name) for name in key.documents]
    errors = [
        np.bincount([error.document_number for error in one.errors], minlength=documents)
        for one in analysis.explanations
    ]
    by_entity = analysis.explanations[0].entities.metrics
    return {
        "responses": [showable(name) for name in analysis.names],
        "metrics": analysis.metrics,
        "lead": analysis.metrics.index(analysis.lead),
        "titles": {name: title_of(name) for name in dict.fromkeys([*analysis.metrics, *by_entity])},
        "best": best_system(analysis),
        "order": analysis.order,
        "entityMetrics": by_entity,
        "groups": {bucket.title: bucket.groups for bucket in analysis.buckets},
        "shown": [identifiers[document] for document in shown],
        "errors": [counts[list(shown)].tolist() for counts in errors],
        "documents": {
            "id": identifiers,
            "shown": [place.get(document, -1) for document in range(documents)],
            "words": analysis.document_words(),
            "mentions": np.bincount(key.mentions.document, minlength=documents).tolist(),
            "entities": np.bincount(_documents_of_entities(key), minlength=documents).tolist(),
            "errors": [counts.tolist() for counts in errors],
            "f1": [
                [rounded(analysis.document_f1(system, metric)) for metric in analysis.metrics]
                for system in range(len(analysis.names))
            ],
        },
    }


def _documents_of_entities(corpus: Corpus) -> IntArray:
    """The document of every entity, once for each document that it has a mention in."""
    mentions, entities = corpus.mentions, max(len(corpus.entities), 1)
    return np.unique(mentions.document * entities + mentions.entity) // entities
