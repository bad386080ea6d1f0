"""Formats: bytes to corpora and back, one module a format."""

from __future__ import annotations

from corefine.formats import conll as conll
from corefine.formats import conllu as conllu
from corefine.formats import i2b2 as i2b2
from corefine.formats import jsonl_e2e as jsonl_e2e
from corefine.formats import jsonl_fastcoref as jsonl_fastcoref
from corefine.formats import jsonl_maverick as jsonl_maverick
from corefine.formats import jsonl_preco as jsonl_preco
from corefine.formats import jsonl_wl as jsonl_wl
from corefine.formats import labels as labels
from corefine.formats import litbank as litbank
from corefine.formats import parquet as parquet
from corefine.formats import semeval as semeval
from corefine.formats.indexing import DocumentIndex, index_documents
from corefine.formats.reading import read, stream
from corefine.formats.registry import (
    DocumentMark,
    Format,
    Holds,
    all_formats,
    format_named,
    register,
    sniff,
)
from corefine.formats.sources import Source, find_sources
from corefine.formats.writing import losses, write

__all__ = [
    "DocumentIndex",
    "DocumentMark",
    "Format",
    "Holds",
    "Source",
    "all_formats",
    "find_sources",
    "format_named",
    "index_documents",
    "losses",
    "read",
    "register",
    "sniff",
    "stream",
    "write",
]
