"""The JSON of the CRAC shared task: one array of documents, whose empty nodes begin with ``##``.

The smallest valid file::

    [{"doc_id": "x", "tokens": ["Anna", "saw", "##"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}]
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.dialects import Keys, Line, dialect_format
from corefine.formats.jsonlines.plain_documents import Document


def _crac_line(document: Document) -> Line:
    words = [
        f"##{'' if word == '_' else word}" if empty else word
        for word, empty in zip(document.words, document.empty, strict=True)
    ]
    return {
        "doc_id": document.name,
        "tokens": words,
        "clusters_token_offsets": document.clusters(-1),
        "clusters_text_mentions": [
            [" ".join(words[start:stop]) for start, stop in cluster]
            for cluster in document.clusters()
        ],
    }


def _crac_losses(corpus: Corpus) -> list[str]:
    tokens = corpus.tokens
    if tokens is None:
        return []
    words = (
        tokens.words if tokens.empty is None else tokens.words.take(np.flatnonzero(~tokens.empty))
    )
    signs = sum(word.startswith("##") for word in words)
    return (
        [f"words that begin with ## ({signs:,}), which is reserved for empty nodes"]
        if signs
        else []
    )


def _sure(keys: Keys) -> float:
    own = {"clusters_token_offsets", "doc_id", "tokens"} <= keys and "tokens[[" not in keys
    return 0.95 if own else 0.0


CRAC = dialect_format(
    Dialect(
        "crac-json",
        clusters=("clusters_token_offsets",),
        words=("tokens",),
        inclusive=True,
        names=("doc_id",),
        strings=("clusters_text_mentions",),
        unsaid=b" _#",
        zeros="##",
    ),
    "CRAC shared task: JSON array, token spans, end inclusive, zeros as ##",
    _sure,
    _crac_line,
    _crac_losses,
    array=True,
)
