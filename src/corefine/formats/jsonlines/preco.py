"""PreCo's JSON lines, and the places of mentions in their sentences.

The smallest valid line::

    {"id": "x", "sentences": [["Anna", "ran"], ["She"]],
     "mention_clusters": [[[0, 0, 1], [1, 0, 1]]]}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.formats.building.written_text import in_one_sentence
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.dialects import Line, dialect_format
from corefine.formats.jsonlines.plain_documents import Document


def _preco_line(document: Document) -> Line:
    """Mentions that reach over the end of a sentence are left out."""
    return {
        "id": document.name,
        "sentences": document.sentences(),
        "mention_clusters": in_sentences(document),
    }


def in_sentences(document: Document, behind: int = 0) -> list[list[tuple[int, int, int]]]:
    """The clusters as sentences and places in them, with so much added to the stop of each.

    Mentions that reach over the end of a sentence are left out.
    """
    bounds = np.array(document.bounds, np.int64)
    clusters = [list(_in_sentences(bounds, spans, behind)) for spans in document.clusters()]
    return [cluster for cluster in clusters if cluster]


def _in_sentences(
    bounds: IntArray, spans: Iterable[tuple[int, int]], behind: int
) -> Iterator[tuple[int, int, int]]:
    for start, stop in spans:
        sentence = int(np.searchsorted(bounds, start, side="right")) - 1
        first = int(bounds[sentence])
        if stop <= bounds[sentence + 1]:
            yield sentence, start - first, stop - first + behind


def sentence_losses(corpus: Corpus) -> list[str]:
    """The loss of mentions that reach over the end of a sentence, in words."""
    crossing = 0
    if corpus.tokens is not None:
        crossing = int(np.count_nonzero(~in_one_sentence(corpus)))
    return [f"mentions across a sentence boundary ({crossing:,})"] if crossing else []


PRECO = dialect_format(
    Dialect(
        "preco",
        clusters=("mention_clusters",),
        words=("sentences",),
        in_sentences=True,
        names=("id",),
    ),
    "PreCo: JSON lines, token spans within sentences, end exclusive",
    lambda keys: 0.9 if "mention_clusters" in keys else 0.0,
    _preco_line,
    sentence_losses,
)
