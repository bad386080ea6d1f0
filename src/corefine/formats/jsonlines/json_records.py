"""JSON lines: one document a line, as a JSON object. Lines are found, decoded and told when wrong.

The values of a line stay as they are written (``Raw``) until somebody asks for them: words and
clusters, which are most of a line, become columns without an object for each word and mention.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

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
_PAGE = "The page of the format shows what a line looks like."

_KEY = re.compile(rb'"([A-Za-z_]+)"\s*:')
_OPENING = re.compile(rb'[ \t\r]*[{,][ \t\r]*"(?:[^"\\]|\\.)*"[ \t\r]*:[ \t\r]*')
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


@cache
def _decoder(kind: Any) -> Callable[[Any], Any]:
    import msgspec

    return msgspec.json.Decoder(kind).decode


def batches(source: Source) -> Iterator[list[Record]]:
    """The lines of a source, some at a time; blank ones are left out."""
    import msgspec

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
            "the file is empty" if not number else "the file holds only blank lines",
            source.where(),
            "Check that this is the right file.",
        )


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
        record.refuse(f"the key {shown(twice)!r} stands twice", "Remove one of them.")


def record_of(line: bytes) -> Record | None:
    """A line by itself; None if it is no JSON object."""
    import msgspec

    try:
        return Record(_decoder(dict[str, msgspec.Raw])(line), Location("a line"))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def keys_of(head: bytes) -> frozenset[str]:
    """The keys of the first line of a file that starts with these bytes; none if it is not JSON."""
    opening = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not opening.startswith((b"{", b"[")):
        return frozenset()
    line, newline, rest = opening.partition(b"\n")
    if newline and len(line.strip()) < 3:
        line += rest  # an object or an array that is spread over lines
    record = record_of(line)
    if record is not None:
        return frozenset(record.values)
    # A damaged line still shows what it was meant to be; reading it says what is wrong.
    return frozenset(key.decode() for key in _KEY.findall(line[:BLOCK]))


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
            reason, remedy = "not a number", "JSON knows no NaN and no Infinity: leave them out."
        return FormatError(f"malformed JSON: {reason} (byte {byte + 1})", where, remedy)
    if text == "Input data was truncated":
        return FormatError(
            "malformed JSON: the line ends in the middle of it",
            where,
            "Write each document on one line; a file that was cut off must be copied again.",
        )
    if not key and written.lstrip().startswith(b"["):
        return FormatError(
            "a JSON array where the object of a document should be",
            where,
            "Write one document a line, without brackets around them all.",
        )
    path = key
    if found := _AT.fullmatch(text):
        text, path = found.group(1), key + found.group(2)
    text = (path and f"{path}: ") + (text[0].lower() + text[1:]).replace("`", "")
    return FormatError(text, where, _PAGE)
