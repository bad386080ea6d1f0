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
from corefine.explaining.members import entity_labels
from corefine.report.document_text import Texts
from corefine.report.responses import ResponseTables, number_labels, rounded
from corefine.report.study import Study
from corefine.showing.plain_text import showable

Chunk = tuple[str, str]
"""A chunk's name and its content: JSON, deflated, in base64."""


def pack(value: Any) -> str:
    """JSON without blanks, deflated without a header, in base64: nothing in it can be markup."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(text.encode("utf-8", "replace")) + deflate.flush()
    return base64.b64encode(packed).decode("ascii")


def chunks(study: Study, shown: Sequence[int]) -> Iterator[Chunk]:
    """All chunks: one for each shown document, then the tables and what belongs to the whole."""
    tables = [ResponseTables(explanation) for explanation in study.explanations]
    texts = Texts.of(study.key, [one.matched.response for one in study.explanations])
    for number, document in enumerate(shown):
        text = texts.document(document)
        views = [
            table.add(number, document, text, own)
            for table, own in zip(tables, text.responses, strict=True)
        ]
        names = entity_labels(study.key, text.key.entities)
        yield (
            f"d{number}",
            pack(
                {
                    "id": showable(study.key.documents[document]),
                    "number": document,
                    "words": [showable(word) for word in text.words],
                    "rows": text.rows,
                    "sentence": text.sentences,
                    "empty": text.empty,
                    "plain": text.plain,
                    "key": text.key.columns()
                    | {
                        "labels": number_labels(text.key),
                        "names": [showable(name) for name in names],
                    },
                    "responses": views,
                }
            ),
        )
    for number, table in enumerate(tables):
        yield f"entities{number}", pack(table.entities)
        yield f"errors{number}", pack(table.errors)
    yield "meta", pack(_meta(study, shown))


def _meta(study: Study, shown: Sequence[int]) -> dict[str, Any]:
    key, documents = study.key, len(study.key.documents)
    place = {document: number for number, document in enumerate(shown)}
    identifiers = [showable(name) for name in key.documents]
    errors = [np.bincount(one.errors.document, minlength=documents) for one in study.explanations]
    return {
        "responses": [showable(name) for name in study.names],
        "metrics": study.metrics,
        "entityMetrics": study.explanations[0].entities.metrics,
        "shown": [identifiers[document] for document in shown],
        "errors": [counts[list(shown)].tolist() for counts in errors],
        "documents": {
            "id": identifiers,
            "shown": [place.get(document, -1) for document in range(documents)],
            "words": study.document_words(),
            "mentions": np.bincount(key.mentions.document, minlength=documents).tolist(),
            "entities": np.bincount(_documents_of_entities(key), minlength=documents).tolist(),
            "errors": [counts.tolist() for counts in errors],
            "f1": [
                [rounded(study.document_f1(system, metric)) for metric in study.metrics]
                for system in range(len(study.names))
            ],
        },
    }


def _documents_of_entities(corpus: Corpus) -> IntArray:
    """The document of every entity, once for each document that it has a mention in."""
    mentions, entities = corpus.mentions, max(len(corpus.entities), 1)
    return np.unique(mentions.document * entities + mentions.entity) // entities
