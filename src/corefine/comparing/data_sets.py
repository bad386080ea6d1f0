"""Data sets of a suite: keys, and the responses of systems to them.

Keys are a folder or a pattern of files, and systems folders with files of the same relative paths.
A TOML file can list the keys instead, with paths relative to it; a table may name the file of the
response in the systems' folders:

    cs_pdt = "gold/cs_pdt-dev.conllu"

    [es_ancora]
    key = "gold/es_ancora-dev.conllu"
    response = "spanish.conllu"

A TOML file of a system has the paths of its responses. In Python, dicts map names to corpora.
"""

from __future__ import annotations

import glob
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, FormatError, Location, UsageError, choose
from corefine.formats.io.sources import Source, find_sources
from corefine.formats.registry import recognise
from corefine.matching.settings import Settings
from corefine.scoring.sides import SideLike, is_file, path_of, read_side

SuiteLike = str | os.PathLike[str] | Mapping[str, Any]
"""A folder, a pattern of files, a TOML file, or a dict of corpora by data set."""

FIELDS = ("key", "response")
MISMATCH = 'Give responses the relative paths of their keys, or list them: name = "path".'
_LAYOUT = 'Write: name = "path", or [name] with key = "path" and, if you like, response = "path".'
_LISTING = "Give a folder of data sets, or a TOML file that lists them."
LARGEST_TOML = 1 << 20


@dataclass(frozen=True, slots=True)
class DataSet:
    """One data set: its name, its key, and the response of each system, None if missing."""

    name: str
    key: SideLike
    path: str
    """Path of its response in the folder of a system."""
    formats: tuple[str | None, str | None] = (None, None)
    """Formats of the key and of the responses, if they are files."""
    responses: tuple[SideLike | None, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of its files; 0 for corpora in memory."""
        return sum(os.path.getsize(path) for path in self.paths if os.path.isfile(path))

    @property
    def paths(self) -> list[str]:
        """Paths of its files."""
        found = [path_of(side, self.name) for side in (self.key, *self.responses)]
        return [path for path in found if path]

    def read(
        self, settings: Settings, layers: frozenset[str] | None = None
    ) -> tuple[Corpus, list[Corpus | None]]:
        """Read the key and the response of each system, with these layers (None: all)."""
        key_format, response_format = self.formats
        form = key_format if is_file(self.key) else None
        key = read_side(self.key, "key", form, layers, allow_empty=settings.allow_empty)
        responses = [
            None
            if side is None
            else read_side(
                side, f"response to {self.name!r}", response_format if is_file(side) else None,
                layers, against=key, align=settings.align, allow_empty=settings.allow_empty,
            )
            for side in self.responses
        ]  # fmt: skip
        return key, responses


@dataclass(frozen=True, slots=True)
class Suite:
    """Data sets with the responses of some systems."""

    systems: tuple[str, ...]
    data_sets: tuple[DataSet, ...]
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        keys: SuiteLike,
        systems: Mapping[str, SuiteLike],
        key_format: str | None = None,
        response_format: str | None = None,
    ) -> Suite:
        """Match the responses of systems with the keys."""
        warnings: list[str] = []
        known = _keys(keys, key_format, warnings)
        found = {}
        for system, responses in systems.items():
            found[system] = _responses(known, responses, system, warnings)
            if not found[system]:
                raise UsageError(f"no response of {system!r} matches a data set", remedy=MISMATCH)
        data_sets = [
            replace(
                one,
                formats=(key_format, response_format),
                responses=tuple(found[system].get(name) for system in systems),
            )
            for name, one in known.items()
        ]
        return cls(tuple(systems), tuple(data_sets), tuple(warnings))


def _keys(keys: SuiteLike, format: str | None, warnings: list[str]) -> dict[str, DataSet]:
    if isinstance(keys, Mapping):
        named = {str(name): thing for name, thing in keys.items()}
        found = {name: DataSet(name, thing, name) for name, thing in named.items()}
    elif os.path.isdir(keys) or (glob.has_magic(os.fspath(keys)) and not os.path.exists(keys)):
        found = _keys_in_folder(os.fspath(keys), format, warnings)
    else:
        found = _keys_in_toml(os.fspath(keys))
    if not found:
        raise UsageError("there are no data sets", remedy=_LISTING)
    return found


def _keys_in_folder(place: str, format: str | None, warnings: list[str]) -> dict[str, DataSet]:
    """Files of a known format, named by their relative paths without the suffix of the format."""
    folder = Path(place)
    while glob.has_magic(str(folder)) and not folder.exists():
        folder = folder.parent
    found: dict[str, DataSet] = {}
    for source in find_sources(place):
        path = os.path.relpath(source.name, folder)
        name = os.path.join(os.path.dirname(path), source.stem)
        is_key = format is not None or _is_key(source)
        source.close()
        if not is_key:
            warnings.append(f"{source.name} is ignored: unknown format")
        elif name in found:
            raise UsageError(
                f"two files in {folder} are named {name!r}",
                remedy="Give them other names, or list the data sets in a TOML file.",
            )
        else:
            found[name] = DataSet(name, source.name, path)
    return found


def _is_key(source: Source) -> bool:
    try:
        format = recognise(source, "key") if source.head().strip() else None
    except FormatError:
        return True  # reading reports the error
    return format is not None and format.read_against is None


def _keys_in_toml(path: str) -> dict[str, DataSet]:
    found = {}
    for name, (entry, where) in _entries(path).items():
        table = {"key": entry} if isinstance(entry, str) else entry
        if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
            raise FormatError(f"the data set {name!r} is not a path", where, _LAYOUT)
        for field in table:
            choose("field", field, FIELDS)
        if "key" not in table:
            raise FormatError(f"the data set {name!r} has no key", where, _LAYOUT)
        key = os.path.join(os.path.dirname(path), table["key"])
        if not os.path.exists(key):
            raise CorefineError(f"the key of {name!r} does not exist: {key}", where)
        found[name] = DataSet(name, key, table.get("response", os.path.basename(key)))
    return found


def _responses(
    keys: Mapping[str, DataSet], responses: SuiteLike, system: str, warnings: list[str]
) -> dict[str, SideLike]:
    """Responses by data set, without those that are missing."""
    listed: dict[str, SideLike]
    if isinstance(responses, Mapping):
        listed = {str(name): thing for name, thing in responses.items()}
    elif os.path.isdir(responses):
        places = {name: os.path.join(responses, key.path) for name, key in keys.items()}
        listed = {name: path for name, path in places.items() if os.path.exists(path)}
        present = set(map(os.path.normpath, listed.values()))
        extra = [s.name for s in find_sources(responses) if os.path.normpath(s.name) not in present]
        if extra and listed:
            warnings.append(f"{len(extra):,} files of {system} have no key, such as {extra[0]}")
    else:
        listed = {}
        for name, (entry, where) in _entries(os.fspath(responses)).items():
            if not isinstance(entry, str):
                raise FormatError(f"the response to {name!r} is not a path", where, _LAYOUT)
            file = os.path.join(os.path.dirname(responses), entry)
            listed[name] = file if os.path.exists(file) else None
    for name in listed:
        choose("data set", name, tuple(keys))
    return {name: thing for name, thing in listed.items() if thing is not None}


def _entries(path: str) -> dict[str, tuple[Any, Location]]:
    """The entries of a TOML file, each with the line where it begins, if it is written plainly."""
    try:
        if os.path.getsize(path) > LARGEST_TOML:
            raise FormatError("too large for a list of data sets", Location(path), _LISTING)
        text = Path(path).read_text("utf-8")
        entries = tomllib.loads(text)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CorefineError(f"cannot be read: {reason}", Location(path), _LISTING) from None
    except (ValueError, RecursionError) as error:
        # TOMLDecodeError, invalid UTF-8, integers of too many digits, and tables nested too deeply.
        line = re.search(r"at line (\d+)", str(error))
        where = Location(path, None if line is None else int(line[1]))
        text = f"not a TOML file: {error}"
        raise FormatError(text, where, _LISTING, code="corrupt-list") from None
    lines = [line.strip("[ \t\"'") for line in text.splitlines()]

    def place(name: str) -> Location:
        found = (number for number, line in enumerate(lines, 1) if line.startswith(name))
        return Location(path, next(found, None))

    return {name: (entry, place(name)) for name, entry in entries.items()}


def listed_files(path: str) -> list[str]:
    """Files that a TOML file of a suite names; none if it is no such file."""
    if not os.path.isfile(path):
        return []
    try:
        entries = [entry for entry, _ in _entries(path).values()]
    except CorefineError:
        return []
    named = [one.get("key") if isinstance(one, dict) else one for one in entries]
    return [os.path.join(os.path.dirname(path), one) for one in named if isinstance(one, str)]
