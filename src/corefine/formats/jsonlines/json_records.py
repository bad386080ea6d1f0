"""JSON lines: one document a line, as a JSON object. Lines are found, decoded and told when wrong.

A file that is one JSON array of such objects, or one object spread over lines, holds the same
records: they are cut out of it, and errors name the line at which their record begins.

The values of a line stay as they are written (``Raw``) until somebody asks for them: words and
clusters, which are most of a line, become columns without an object for each word and mention.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from corefine.errors import FormatError, Location
from corefine.formats.input.lines import check_text, line_blocks, shown
from corefine.formats.input.sources import Source
from corefine.formats.registry import LONGEST_OPENING

if TYPE_CHECKING:
    from msgspec import Raw

LONGEST_LINE = LONGEST_OPENING
"""Bytes of a line: room for the longest novel, and an end to what a broken file can cost."""
BLOCK = 1 << 20
"""Bytes taken at a time: lines that stay in the cache while they become columns."""
_RIGHT_FILE = "Check that this is the right file."
_PAGE = "See the documentation of the format for an example."

LARGEST_ARRAY = 1 << 30
"""Bytes of a file that is one array: it is read as a whole."""

_KEY = re.compile(rb'"([A-Za-z_]+)"\s*:\s*(?:\[\s*([\[{]))?')
_NESTED = re.compile(rb"\[\s*([\[{])")
_OPENS = {list: "[", dict: "{"}
_BLANKS = re.compile(rb"[ \t\r\n]*")
_BLANKS_AND_COMMA = re.compile(rb"[ \t\r\n]*,?[ \t\r\n]*")
_MARK = b"\xef\xbb\xbf"
_OPENING = re.compile(rb'[ \t\r\n]*[{,][ \t\r\n]*"(?:[^"\\]|\\.)*"[ \t\r\n]*:[ \t\r\n]*')
"""What stands before a value: a brace or a comma, its key and a colon."""
_AT = re.compile(r"(.*) - at `\$\.?(.*)`")
_MALFORMED = re.compile(r"JSON is malformed: (.*) \(byte (\d+)\)")
_NOT_A_NUMBER = re.compile(rb"-?(?:NaN|nan|Infinity|inf)")


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One line: what it has under its keys, and where it stands."""

    values: dict[str, Raw]
    where: Location

    def has(self, key: str) -> bool:
        """Whether there is something other than null under a key; no dialect's key is empty."""
        if not key:
            return False
        value = self.values.get(key)
        return value is not None and bytes(memoryview(value)[:5]) != b"null"

    def first(self, keys: Sequence[str]) -> str:
        """The first of the keys under which there is something; the first of all if none has."""
        return next((key for key in keys if self.has(key)), keys[0])

    def raw(self, key: str) -> Raw:
        """What is written under a key, which must be there."""
        if not self.has(key):
            self.refuse(f"the key {key!r} is missing", _PAGE)
        return self.values[key]

    def decode(self, key: str, kind: Any) -> Any:
        """What stands under a key, which must be there and of this kind."""
        value = self.raw(key)
        try:
            return _decoder(kind)(value)
        except ValueError as error:  # as all errors of msgspec are
            raise _problem(error, bytes(value), self.where, key) from None

    def refuse(self, message: str, remedy: str) -> NoReturn:
        """Raise the error of this line."""
        raise FormatError(message, self.where, remedy)


def made_record(record: Record, values: Mapping[str, object], kept: Sequence[str] = ()) -> Record:
    """A record with other values, at the same place, and with some of the old ones."""
    import msgspec

    old = {key: record.values[key] for key in kept if key in record.values}
    made = {key: msgspec.Raw(msgspec.json.encode(value)) for key, value in values.items()}
    return Record(old | made, record.where)


@cache
def _decoder(kind: Any) -> Callable[[Any], Any]:
    import msgspec

    return msgspec.json.Decoder(kind).decode


def batches(source: Source) -> Iterator[list[Record]]:
    """The lines of a source, some at a time; blank ones are left out."""
    import msgspec

    if not source.part and (whole := _whole(source)) is not None:
        yield from _array_batches(whole, source)
        return
    decode = _decoder(dict[str, msgspec.Raw])
    number, nothing = 0, True
    for block in line_blocks(source, BLOCK, LONGEST_LINE):
        check_text(block, source, number + 1, LONGEST_LINE)
        records = []
        for line in block.tobytes().split(b"\n")[:-1]:
            number += 1
            if not line or line.isspace():
                continue
            try:
                record = Record(decode(line), source.where(number))
                _refuse_duplicates(record, line)
                records.append(record)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                raise _problem(error, line, source.where(number)) from None
        if records:
            nothing = False
            yield records
    if nothing:
        raise FormatError(
            "the file is empty" if not number else "the file has only blank lines",
            source.where(),
            _RIGHT_FILE,
        )


def _whole(source: Source) -> bytes | None:
    """The content of a file that is one JSON array or one object over lines; None for lines."""
    opening = source.head().removeprefix(_MARK).lstrip()
    if not opening.startswith((b"{", b"[")):
        return None
    if opening.startswith(b"{"):
        opening = source.first_line(LONGEST_LINE).removeprefix(_MARK).lstrip()
        line, _, rest = opening.partition(b"\n")
        following = rest.lstrip().partition(b"\n")[0]
        if not following or not is_spread(opening) or not _is_cut(line):
            return None
        if record_of(following) is not None:
            return None  # lines, of which the first is damaged
    content = source.read_all(LARGEST_ARRAY, "Write one document per line.")
    return content.removeprefix(_MARK)


def _is_cut(line: bytes) -> bool:
    """Whether a line stops inside of a JSON object, and is right so far."""
    import msgspec

    try:
        _decoder(msgspec.Raw)(line)
    except msgspec.DecodeError as error:
        return str(error) == "Input data was truncated"
    except (RecursionError, UnicodeDecodeError):
        return False
    return False


def _array_batches(content: bytes, source: Source) -> Iterator[list[Record]]:
    """The records of an array, some at a time; of an object, it alone."""
    import msgspec

    check_text(np.frombuffer(content + b"\n", np.uint8), source, 1, LARGEST_ARRAY)
    place = _behind(_BLANKS, content, 0)
    array = content[place : place + 1] == b"["
    try:
        elements = _decoder(list[msgspec.Raw] if array else msgspec.Raw)(content)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _array_problem(error, content, source) from None
    if not array:
        elements = [elements]
    if not elements:
        raise FormatError(
            "the array is empty", source.where(1), "Check that this is the right file."
        )
    decode = _decoder(dict[str, msgspec.Raw])
    records: list[Record] = []
    line = 1 + content.count(b"\n", 0, place)
    size, behind = 0, place + array
    for element in elements:
        begin = _behind(_BLANKS_AND_COMMA, content, behind) if array else place
        line += content.count(b"\n", behind, begin)
        behind = begin + len(element)
        where = source.where(line)
        try:
            records.append(Record(decode(element), where))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise _problem(error, bytes(element), where) from None
        _refuse_duplicates(records[-1], bytes(element))
        line += content.count(b"\n", begin, behind)
        size += len(element)
        if size > BLOCK:
            yield records
            records, size = [], 0
    if records:
        yield records


def _behind(pattern: re.Pattern[bytes], content: bytes, place: int) -> int:
    found = pattern.match(content, place)
    assert found is not None
    return found.end()


def _array_problem(error: Exception, content: bytes, source: Source) -> FormatError:
    """What is wrong with an array or object over lines, with the line at which it is."""
    line = 1
    if isinstance(error, UnicodeDecodeError):
        line += content.count(b"\n", 0, error.start)
    found = _MALFORMED.fullmatch(str(error))
    if found is not None:
        byte = int(found.group(2))
        line += content.count(b"\n", 0, byte)
        reason = "not a number" if _NOT_A_NUMBER.match(content[byte : byte + 9]) else found.group(1)
        column = byte - content.rfind(b"\n", 0, byte)
        return FormatError(
            f"malformed JSON: {reason} (byte {column})",
            source.where(line),
            "The file must be one array of JSON objects, or have one object per line.",
        )
    if str(error) == "Input data was truncated":
        return FormatError(
            "malformed JSON: unexpected end of file",
            source.where(1 + content.rstrip().count(b"\n")),
            "If the file was truncated, copy it again.",
        )
    return _problem(error, b"", source.where(line))


def _refuse_duplicates(record: Record, line: bytes) -> None:
    """Refuse a line in which a key stands twice: readers differ in which of them they take."""
    whole, place = memoryview(line), 0
    for value in record.values.values():
        opening = _OPENING.match(line, place)
        if opening is None:
            break
        place = opening.end() + len(value)
        if whole[opening.end() : place] != memoryview(value):
            break
    else:
        if not line[place:].strip(b" \t\r\n").rstrip(b"}"):
            return
    from json import loads  # which tells all keys, at ten times the cost

    keys = [key for key, _ in loads(line, object_pairs_hook=list, parse_int=str)]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        record.refuse(f"the key {shown(twice)!r} occurs twice", "Remove one of them.")


def record_of(line: bytes) -> Record | None:
    """A line by itself; None if it is no JSON object."""
    import msgspec

    try:
        return Record(_decoder(dict[str, msgspec.Raw])(line), Location("a line"))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def keys_of(head: bytes) -> frozenset[str]:
    """The keys of the first record of a file that starts with these bytes; none if it is not JSON.

    A key whose value is an array of arrays is there a second time with ``[[`` behind it, one whose
    value is an array of objects with ``[{``: dialects share keys, but not what they hold.
    """
    opening = head.removeprefix(_MARK).lstrip()
    if not opening.startswith((b"{", b"[")):
        return frozenset()
    record = record_of(opening.partition(b"\n")[0])
    if record is not None:
        nested = ((key, _NESTED.match(value)) for key, value in record.values.items())
        shapes = (f"{key}[{found[1].decode()}" for key, found in nested if found)
        return frozenset(record.values).union(shapes)
    first = _first_object(opening)
    if first is not None:
        lists = [
            (key, value[0]) for key, value in first.items() if isinstance(value, list) and value
        ]
        shapes = (f"{key}[{'[' if isinstance(inner, list) else '{'}" for key, inner in lists
                  if isinstance(inner, list | dict))  # fmt: skip
        return frozenset(first).union(shapes)
    # A damaged line still shows what it was meant to be; reading it says what is wrong.
    keys = set[str]()
    for key, opens in _KEY.findall(opening[:BLOCK]):
        keys.add(key.decode())
        if opens:
            keys.add(f"{key.decode()}[{opens.decode()}")
    return frozenset(keys)


def is_spread(head: bytes) -> bool:
    """Whether JSON begins here whose first record does not end with the first line."""
    opening = head.removeprefix(_MARK).lstrip()
    line = opening.partition(b"\n")[0].rstrip()
    return opening.startswith(b"[") or (opening.startswith(b"{") and not line.endswith(b"}"))


def _first_object(opening: bytes) -> dict[str, Any] | None:
    """The first object of an array, or an object over lines; None if there is none."""
    import json

    text = opening.decode("utf-8", "replace")
    start = len(text) - len(text.removeprefix("[").lstrip())
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _problem(error: Exception, written: bytes, where: Location, key: str = "") -> FormatError:
    """What is wrong with a line, or with what it has under a key, in words."""
    if isinstance(error, RecursionError):
        return FormatError("nested too deeply", where, "Check that this is the right file.")
    if isinstance(error, UnicodeDecodeError):
        return FormatError("invalid UTF-8", where, "Convert the file to UTF-8.")
    text = str(error)
    if found := _MALFORMED.fullmatch(text):
        reason, byte = found.group(1), int(found.group(2))
        remedy = "Every line must be one JSON object."
        if _NOT_A_NUMBER.match(written[byte : byte + 9]):
            reason, remedy = "not a number", "JSON has no NaN and no Infinity: remove them."
        return FormatError(f"malformed JSON: {reason} (byte {byte + 1})", where, remedy)
    if text == "Input data was truncated":
        return FormatError(
            "malformed JSON: unexpected end of line",
            where,
            "Write each document on one line; if the file was truncated, copy it again.",
        )
    if not key and written.lstrip().startswith(b"["):
        return FormatError(
            "a JSON array instead of a document object",
            where,
            "Write one document per line, without brackets around them.",
        )
    path = key
    if found := _AT.fullmatch(text):
        text, path = found.group(1), key + found.group(2)
    text = (path and f"{path}: ") + (text[0].lower() + text[1:]).replace("`", "")
    return FormatError(text, where, _PAGE)
