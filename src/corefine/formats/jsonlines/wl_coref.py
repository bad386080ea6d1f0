"""wl-coref's JSON lines: words of a document, and spans that end behind their last word.

The smallest valid line::

    {"document_id": "x", "cased_words": ["Anna", "saw", "her"], "span_clusters": [[[0, 1], [2, 3]]]}

Before wl-coref's preparation, ``span_clusters`` are called ``clusters``.
"""

from __future__ import annotations

import numpy as np

from corefine.formats.columns.conll import name_and_part
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.dialects import Keys, Line, dialect_format
from corefine.formats.jsonlines.plain_documents import Document


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _wl_line(document: Document) -> Line:
    name, part = name_and_part(document.name)
    layers = document.layers("speaker", "pos", "deprel", "head")
    bounds = np.array(document.bounds, np.int64)
    first = np.repeat(bounds[:-1], np.diff(bounds)).tolist()
    heads = [
        start + int(head) - 1 if _is_number(head) and int(head) else None
        for start, head in zip(first, layers.pop("head", ()), strict=False)
    ]
    spans = _head_spans(document)
    return {
        "document_id": name,
        "part_id": part,
        "cased_words": document.words,
        "sent_id": document.sentence_numbers(),
        **layers,
        **({"head": heads} if heads else {}),
        "span_clusters": document.clusters(),
        **({"head2span": spans} if spans else {}),
    }


def _head_spans(document: Document) -> list[tuple[int, int, int]]:
    """Head, start and stop of the mentions whose head is known."""
    mentions, rows = document.corpus.mentions, document.mentions
    if mentions.head is None:
        return []
    columns = (mentions.head[rows], mentions.start[rows], mentions.stop[rows])
    spans = zip(*(column.tolist() for column in columns), strict=True)
    return list(dict.fromkeys(span for span in spans if span[0] >= 0))


def _wl_sure(keys: Keys) -> float:
    if "cased_words" in keys:
        return 0.9
    # Tokens alone could be e2e's as well.
    alone = not keys & {"sentences", "text"}
    return 0.6 if alone and {"tokens", "clusters"} <= keys else 0.0


WL_COREF = dialect_format(
    Dialect(
        "wl-coref",
        clusters=("span_clusters", "clusters"),
        words=("cased_words", "tokens", "sentences"),
        names=("document_id", "doc_key"),
        part="part_id",
        sentence_map="sent_id",
        layers={"deprel": ("deprel", 1), "pos": ("pos", 1), "speaker": ("speaker", 1)},
        dependency_heads="head",
        heads="head2span",
    ),
    "wl-coref: JSON lines, word spans, end exclusive",
    _wl_sure,
    _wl_line,
)
