"""Formats: bytes to corpora and back, one module per format."""

from __future__ import annotations

from corefine.formats.input.sources import Source, find_sources
from corefine.formats.losses import losses
from corefine.formats.reading import read
from corefine.formats.registry import (
    Capabilities,
    DocumentMark,
    Format,
    all_formats,
    format_named,
    register,
    sniff,
)
from corefine.formats.writing import convert, write

__all__ = [
    "Capabilities",
    "DocumentMark",
    "Format",
    "Source",
    "all_formats",
    "convert",
    "find_sources",
    "format_named",
    "losses",
    "read",
    "register",
    "sniff",
    "write",
]
