"""Formats: bytes to corpora and back, one module per format.

Names are imported when they are first used: reading needs nothing of what writing needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Not when they are first used: `losses` is also a module, which would then take its place.
from corefine.formats.losses import capabilities_of, losses

if TYPE_CHECKING:
    from corefine.formats.io.sources import Source, find_sources
    from corefine.formats.reading import read
    from corefine.formats.registry import (
        DocumentMark,
        Format,
        all_formats,
        format_named,
        register,
        sniff,
    )
    from corefine.formats.writing import convert, write

__all__ = [
    "DocumentMark",
    "Format",
    "Source",
    "all_formats",
    "capabilities_of",
    "convert",
    "find_sources",
    "format_named",
    "losses",
    "read",
    "register",
    "sniff",
    "write",
]
_MODULES = {
    "DocumentMark": "registry",
    "Format": "registry",
    "Source": "io.sources",
    "all_formats": "registry",
    "convert": "writing",
    "find_sources": "io.sources",
    "format_named": "registry",
    "read": "reading",
    "register": "registry",
    "sniff": "registry",
    "write": "writing",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
