"""Names and locations of files of documents that consist of several files.

The name of a document becomes the name of a file and back. What a file's name cannot hold is
written as in a web address: the document ``bc/cctv`` is the file ``bc%2Fcctv``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from corefine.formats.input.sources import Source

_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|%]|^[. ]|[. ]$')
_WRITTEN = re.compile(r"%([0-9A-F]{2})")
_LONGEST = 200
"""Bytes of a file's name, its endings left out; 255 is what most systems allow."""
_NAMELESS = "%"
"""The file of a document whose name is empty."""


def document_name(source: Source, *endings: str) -> str:
    """The name of the document that a file holds: the file's, without these endings."""
    name = stem(source, *endings)
    return "" if name == _NAMELESS else _WRITTEN.sub(_decoded, name)


def stem(source: Source, *endings: str) -> str:
    """The name of a source's file without these endings, taken off in their order."""
    name = "" if source.path is None else source.path.name.removesuffix(".gz")
    for ending in endings:
        name = name.removesuffix(ending)
    return name


def _decoded(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if _NOT_IN_NAMES.match(character) else match[0]


def file_names(documents: Sequence[str]) -> list[str]:
    """Names of files without endings, one for each document, all different."""
    names: list[str] = []
    used: set[str] = set()
    for document in documents:
        name = _encoded(document)
        if len(name.encode("utf-8", "replace")) > _LONGEST or name in used:
            cut = name.encode("utf-8", "ignore")[: _LONGEST - 12].decode("utf-8", "ignore")
            number = 1
            while (name := f"{cut}~{number}") in used:
                number += 1
        used.add(name)
        names.append(name)
    return names


def _encoded(document: str) -> str:
    return _NOT_IN_NAMES.sub(lambda match: f"%{ord(match[0]):02X}", document) or _NAMELESS


def lost_names(documents: Sequence[str]) -> list[str]:
    """The loss of document names that are too long for a file name."""
    names = zip(documents, file_names(documents), strict=True)
    return [document for document, name in names if name != _encoded(document)]


def companion(source: Source, names: Iterable[str], folders: Iterable[str] = ()) -> Source | None:
    """The first file with one of these names in the folder of a source, or in sibling folders."""
    if source.path is None:
        return None
    own, names = os.path.dirname(source.path), list(names)
    for folder in (own, *(os.path.join(own, os.pardir, name) for name in folders)):
        for name in names:
            for ending in ("", ".gz"):
                path = os.path.join(folder, name + ending)
                if os.path.isfile(path):
                    tidy = os.path.normpath(path)
                    return Source(tidy, Path(tidy))
    return None
