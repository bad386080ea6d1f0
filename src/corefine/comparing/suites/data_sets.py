"""The data sets of a suite: which response belongs to which key.

A side of a suite is a folder or a pattern of files, which are matched by name; a TOML file; or a
dict. In the TOML
file of the keys each entry is a data set: the path of its key, or a table that may also name the
file of its response and the formats of both. In that of the responses it is a response's path.
Paths are relative to the file in which they stand, and a response that the keys' file names is one
of the folder of responses.

    cs_pdt = "gold/cs_pdt-dev.conllu"

    [es_ancora]
    key = "gold/es_ancora-dev.conllu"
    response = "spanish.conllu"
"""

from __future__ import annotations

import glob
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefine.errors import CorefineError, FormatError, Location, UsageError, closest
from corefine.formats.input.sources import Source, find_sources
from corefine.formats.registry import recognise
from corefine.scoring.sides import Side

SuiteLike = str | os.PathLike[str] | Mapping[str, Any]
"""A folder, a pattern of files, a TOML file, or a dict of sides by data set."""

FIELDS = ("key", "response", "key_format", "response_format")
_LAYOUT = 'Write: name = "path", or [name] with key = "path" and, if you like, response = "path".'


@dataclass(frozen=True, slots=True)
class DataSet:
    """One data set: its name, its key, and where each system's response is."""

    name: str
    key: Side
    responses: tuple[Side | None, ...]
    """By system; None where it has none."""

    @property
    def size(self) -> int:
        """The bytes of its files, by which work is dealt out; 0 for what is in memory."""
        paths = [side.path for side in (self.key, *self.responses) if side is not None]
        return sum(_size(path) for path in paths if path is not None)


@dataclass(frozen=True, slots=True)
class Suite:
    """Data sets with the responses of some systems, and what was left out."""

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
        """Match the responses of systems with the keys; what has no key is left out, and said."""
        warnings: list[str] = []
        wanted = _keys(keys, key_format, warnings)
        found: dict[str, dict[str, Side]] = {}
        for system, responses in systems.items():
            of = f" of {system!r}" if len(systems) > 1 else ""
            found[system] = _responses(wanted, responses, response_format, of, warnings)
            if not found[system]:
                raise UsageError(
                    f"no response{of} matches a data set of {_named(keys)}",
                    remedy="Give responses the names of their keys' files, or list them in TOML: "
                    'name = "path".',
                )
        answered = {name for responses in found.values() for name in responses}
        wanted = _without_strangers(wanted, answered, warnings)
        data_sets = [
            DataSet(name, one.side, tuple(found[system].get(name) for system in systems))
            for name, one in wanted.items()
        ]
        return cls(tuple(systems), tuple(data_sets), tuple(warnings))


@dataclass(frozen=True, slots=True)
class _Key:
    """The key of a data set, and by what its response is known."""

    side: Side
    file: str
    """Its file, relative to the folder of keys; the name of the data set where it has none."""
    response: str | None = None
    """The file of the response, where the keys' TOML file names it."""
    response_format: str | None = None
    recognised: str | None = None
    """The format by which a file of a folder was taken for a key."""


def _keys(keys: SuiteLike, format: str | None, warnings: list[str]) -> dict[str, _Key]:
    if isinstance(keys, Mapping):
        found = {
            str(name): _Key(Side.of(thing, "key", format if _is_path(thing) else None), str(name))
            for name, thing in keys.items()
        }
    elif _is_many(keys):
        found = _keys_in_folder(os.fspath(keys), format, warnings)
    else:
        found = _keys_in_toml(os.fspath(keys), format)
    if not found:
        raise UsageError(f"no data sets in {_named(keys)}")
    return found


def _without_strangers(
    keys: dict[str, _Key], answered: set[str], warnings: list[str]
) -> dict[str, _Key]:
    """The keys without files that lie in their folder and only look like keys, such as a table.

    A file without a response is a key if one with a response has the same format.
    """
    formats = {keys[name].recognised for name in answered}
    strangers = [
        name
        for name, one in keys.items()
        if name not in answered and one.recognised is not None and one.recognised not in formats
    ]
    if strangers:
        files = ", ".join(keys[name].file for name in strangers[:5])
        warnings.append(f"ignored, because their format differs from the others: {files}")
    return {name: one for name, one in keys.items() if name not in strangers}


def _is_many(place: object) -> bool:
    """Whether a place is a folder, or a pattern of files."""
    if not isinstance(place, str | os.PathLike):
        return False
    return os.path.isdir(place) or (glob.has_magic(os.fspath(place)) and not os.path.exists(place))


def _folder_of(place: str) -> Path:
    """The folder itself, or that above the first part of a pattern that stands for several."""
    path = Path(place)
    while glob.has_magic(str(path)) and not path.exists():
        path = path.parent
    return path


def _keys_in_folder(place: str, format: str | None, warnings: list[str]) -> dict[str, _Key]:
    sources, left_out, folder = find_sources(place), [], _folder_of(place)
    known: list[tuple[Source, str | None]] = []
    for source in sources:
        recognised = None if format is not None else _format_of(source)
        if format is None and recognised == "":
            left_out.append(source)
        else:
            known.append((source, recognised))
        source.close()
    if left_out:
        warnings.append(
            f"{len(left_out):,} file{'' if len(left_out) == 1 else 's'} of unknown format in "
            f"{folder} ignored, such as {left_out[0].name}"
        )
    names = _names([source for source, _ in known], folder)
    return {
        name: _Key(
            Side.of(source.name, "key", format), _below(source.name, folder), recognised=recognised
        )
        for name, (source, recognised) in zip(names, known, strict=True)
    }


def _format_of(source: Source) -> str | None:
    """The name of a file's format; empty for what is no key, None for what reading will refuse."""
    try:
        format = recognise(source, "key") if source.head().strip() else None
    except FormatError:
        return None
    return "" if format is None or format.read_against is not None else format.name


def _names(sources: Sequence[Source], folder: Path) -> list[str]:
    """Names of data sets: those of their files, with their folders where that is not enough."""
    stems = [source.stem for source in sources]
    names = []
    for source, stem in zip(sources, stems, strict=True):
        inner = os.path.dirname(_below(source.name, folder))
        name = stem if stems.count(stem) == 1 else os.path.join(inner, stem)
        if name in names:
            raise UsageError(
                f"two files in {folder} map to the data set {name!r}",
                remedy="Give them other names, or list the data sets in a TOML file.",
            )
        names.append(name)
    return names


def _keys_in_toml(path: str, format: str | None) -> dict[str, _Key]:
    found = {}
    for name, entry in _toml(path).items():
        where = Location(path, _line_of(path, name))
        table = {"key": entry} if isinstance(entry, str) else entry
        if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
            raise FormatError(f"the data set {name!r} is not a path", where, _LAYOUT)
        for field in table:
            if field not in FIELDS:
                raise FormatError(
                    f"a data set has no field {field!r}", where,
                    f"It has: {', '.join(FIELDS)}.{closest(field, FIELDS)}",
                )  # fmt: skip
        if "key" not in table:
            raise FormatError(f"the data set {name!r} has no key", where, _LAYOUT)
        key = os.path.join(os.path.dirname(path), table["key"])
        if not os.path.exists(key):
            raise CorefineError(
                f"the key {key} of {name!r} does not exist", where, "Check its path."
            )
        side = Side.of(key, "key", table.get("key_format", format))
        file = os.path.basename(table["key"])
        found[name] = _Key(side, file, table.get("response"), table.get("response_format"))
    return found


def _responses(
    keys: Mapping[str, _Key],
    responses: SuiteLike,
    format: str | None,
    of: str,
    warnings: list[str],
) -> dict[str, Side]:
    """The responses by data set; data sets without one are not among them."""

    def side(name: str, thing: Any) -> Side:
        chosen = keys[name].response_format or format
        return Side.of(thing, f"response to {name!r}", chosen if _is_path(thing) else None)

    if _is_many(responses):
        assert isinstance(responses, str | os.PathLike)
        files = _in_folder(keys, os.fspath(responses), of, warnings)
        return {name: side(name, file) for name, file in files.items()}
    if isinstance(responses, Mapping):
        listed: Mapping[str, Any] = responses
        where = None
    else:
        path = os.fspath(responses)
        where = Location(path)
        listed = {}
        for name, entry in _toml(path).items():
            if not isinstance(entry, str):
                raise FormatError(
                    f"the response to {name!r} is not a path", Location(path, _line_of(path, name)),
                    'Write: name = "path".',
                )  # fmt: skip
            file = os.path.join(os.path.dirname(path), entry)
            listed[name] = file if os.path.exists(file) else None
    for name in listed:
        if name not in keys:
            raise UsageError(
                f"there is no data set {name!r}",
                where,
                f"There are: {', '.join(keys)}.{closest(name, keys)}",
            )
    return {name: side(name, thing) for name, thing in listed.items() if thing is not None}


def _in_folder(
    keys: Mapping[str, _Key], place: str, of: str, warnings: list[str]
) -> dict[str, str]:
    """The files of a folder of responses by data set: of the same name, if need be without the
    endings that tell the format."""
    sources, folder = find_sources(place), _folder_of(place)
    files = {_below(source.name, folder): source.name for source in sources}
    stems = {file: source.stem for file, source in zip(files, sources, strict=True)}
    found: dict[str, str] = {}
    for name, key in keys.items():
        if key.response is not None:
            if key.response in files:
                found[name] = key.response
            continue
        stem = _stem(key.file)
        for alike in (
            [file for file in files if file == key.file],
            [file for file in files if os.path.basename(file) == os.path.basename(key.file)],
            [file for file in files if stems[file] == stem],
        ):
            if len(alike) > 1:
                raise UsageError(
                    f"several responses{of} match the data set {name!r}: {', '.join(alike)}",
                    remedy="Leave one in the folder, or list the responses in a TOML file.",
                )
            if alike:
                found[name] = alike[0]
                break
    unused = [file for file in files if file not in found.values()]
    if unused and found:
        warnings.append(
            f"{len(unused):,} file{'' if len(unused) == 1 else 's'} in {folder} "
            f"{'has' if len(unused) == 1 else 'have'} no key, such as {unused[0]}"
        )
    return {name: files[file] for name, file in found.items()}


def _toml(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise CorefineError(
            f"cannot be read: {(error.strerror or str(error)).lower()}", Location(path),
            "Give a folder of data sets, or a TOML file that lists them.",
        ) from None  # fmt: skip
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        line = re.search(r"at line (\d+)", str(error))
        raise FormatError(
            f"not a TOML file: {error}",
            Location(path, None if line is None else int(line[1])),
            "Give a folder of data sets, or a TOML file that lists them.",
        ) from None


def listed_files(path: str) -> list[str]:
    """The files that a TOML file of a suite names; none where it is no such file."""
    if not os.path.isfile(path):
        return []
    try:
        entries = _toml(path).values()
    except CorefineError:
        return []
    named = [one.get("key") if isinstance(one, dict) else one for one in entries]
    return [os.path.join(os.path.dirname(path), one) for one in named if isinstance(one, str)]


def _line_of(path: str, name: str) -> int | None:
    """The line in which an entry of a TOML file begins, as far as it can be seen."""
    begins = re.compile(rf"\s*\[?\s*[\"']?{re.escape(name)}[\"']?\s*(?:[=.\]]|$)")
    for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
        if begins.match(line):
            return number
    return None


def _is_path(thing: object) -> bool:
    return isinstance(thing, str | os.PathLike) or hasattr(thing, "read")


def _below(path: str, folder: Path) -> str:
    return os.path.relpath(path, folder)


def _stem(file: str) -> str:
    return Source(file, Path(file)).stem


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _named(side: SuiteLike) -> str:
    return "the keys" if isinstance(side, Mapping) else os.fspath(side)
