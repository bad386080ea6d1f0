"""UIMA CAS as JSON: a text, tokens and sentences of its characters, and chains of links.

The smallest valid file::

    {"%FEATURE_STRUCTURES": [
      {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "Anna saw her house."},
      {"%ID": 2, "%TYPE": "x.CoreferenceLink", "@sofa": 1, "begin": 0, "end": 4, "@next": 3},
      {"%ID": 3, "%TYPE": "x.CoreferenceLink", "@sofa": 1, "begin": 9, "end": 12},
      {"%ID": 4, "%TYPE": "x.CoreferenceChain", "@sofa": 1, "@first": 2}]}

This is UIMA CAS JSON 0.4, which INCEpTION and cassis write; a feature that refers to a structure
begins with ``@``. The older form, which INCEpTION calls legacy, has the structures of each type
under ``_views`` and those that others refer to under ``_referenced_fss``; there a number may be
left out if it is 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError
from corefine.formats.building.document_rows import DocumentRows, documents_of
from corefine.formats.input.folders import document_name
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import Source
from corefine.formats.input.xml_files import LARGEST
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.standoff.cas import Structure, add_document

_STRUCTURES, _REFERENCED, _VIEWS = "%FEATURE_STRUCTURES", "_referenced_fss", "_views"
_OPENING = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:%(?:TYPES|FEATURE_STRUCTURES|VIEWS|FLAGS)'
    rb'|_(?:context|views|referenced_fss))"\s*:'
)
_READ = ("first", "next", "begin", "end", "sofa", "sofaString")
"""Features that make mentions and chains: of another type, they would be lost."""
_REMEDY = "Export the document as UIMA CAS JSON again."


def _read(source: Source, rows: DocumentRows) -> None:
    content = source.read_all(LARGEST)
    try:
        root = json.loads(content, object_pairs_hook=partial(_object, source))
    except json.JSONDecodeError as error:
        raise FormatError(
            f"invalid JSON: {error.msg}", source.where(error.lineno), _REMEDY
        ) from None
    except (ValueError, RecursionError):
        raise FormatError("invalid JSON", source.where(), _REMEDY) from None
    found = _structures(root, source) if isinstance(root, dict) else None
    if found is None:
        raise FormatError(
            "neither %FEATURE_STRUCTURES nor _referenced_fss", source.where(), _REMEDY
        )
    add_document(found, document_name(source, ".json"), rows, source)


def _object(source: Source, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; of a key that occurs twice, one value would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                break
            seen.add(key)
        raise FormatError(
            f"the key {shown(key)!r} occurs twice", source.where(), "Remove one of them."
        )
    return found


def _structures(root: Mapping[str, Any], source: Source) -> Iterator[Structure] | None:
    if _STRUCTURES in root:
        return _current(root[_STRUCTURES], source)
    return _legacy(root, source) if _REFERENCED in root else None


def _current(listed: Any, source: Source) -> Iterator[Structure]:
    """The structures of version 0.4: a list, or an object by their ids."""
    items = listed.items() if isinstance(listed, dict) else enumerate(_listed(listed, source))
    for key, one in items:
        if not isinstance(one, dict) or not isinstance(one.get("%TYPE"), str):
            raise FormatError(
                f"{_STRUCTURES}[{key}] is not a structure with a %TYPE", source.where(), _REMEDY
            )
        features = {name.removeprefix("@"): value for name, value in one.items()}
        yield _structure(one["%TYPE"], one.get("%ID", key), features, source)


def _legacy(root: Mapping[str, Any], source: Source) -> Iterator[Structure]:
    """The structures of the older form; what is inside of another gets an id of its own."""
    waiting: list[tuple[str, str, Any]] = [
        (id, "", one) for id, one in _mapping(root[_REFERENCED], source).items()
    ]
    for view in _mapping(root.get(_VIEWS) or {}, source).values():
        for type, members in _mapping(view, source).items():
            waiting += [
                (f"{type}.{place}", type, one)
                for place, one in enumerate(_listed(members, source))
                if not isinstance(one, int)  # the id of one that is referred to
            ]
    inner = 0
    for id, type, one in waiting:  # which grows
        features = dict(_mapping(one, source))
        for name in ("first", "next"):
            if isinstance(features.get(name), dict):
                inner += 1
                waiting.append((f"{name}.{inner}", "Link", features[name]))
                features[name] = f"{name}.{inner}"
        yield _structure(str(features.get("_type") or type), id, features, source)


def _structure(type: str, id: object, features: Mapping[str, Any], source: Source) -> Structure:
    told = {
        name: str(value)
        for name, value in features.items()
        if isinstance(value, str | int) and not isinstance(value, bool)
    }
    for name in _READ:
        if name not in told and features.get(name) is not None:
            raise FormatError(
                f"{name} of structure {shown(str(id))} is {shown(str(features[name]))!r}",
                source.where(),
                "Places and ids are integers, and the text is a string.",
            )
    return Structure(re.split(r"[.:]", type)[-1], str(id), told, source.where())


def _mapping(value: Any, source: Source) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f"{str(value)[:40]!r} is not an object", source.where(), _REMEDY)
    return value


def _listed(value: Any, source: Source) -> list[Any]:
    if not isinstance(value, list):
        raise FormatError(f"{str(value)[:40]!r} is not an array", source.where(), _REMEDY)
    return value


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The one document of a file."""
    return read_many([source], layers)


read_many = partial(documents_of, format="cas-json", add=_read)
"""The documents of files."""


def sniff(head: bytes, name: str) -> float:
    """Sure where the first key is one of a CAS."""
    return 0.97 if _OPENING.match(head) else 0.0


CAS_JSON = register(
    Format(
        name="cas-json",
        title="UIMA CAS JSON: chains of CoreferenceLink (INCEpTION, cassis)",
        suffixes=(".json",),
        sniff=sniff,
        read_columns=read,
        read_many=read_many,
        capabilities=Capabilities(types=True, zeros=True),
        documentation="docs/formats/webanno.md",
    )
)
