"""JSON records of a source, decoded into structs or dicts, each with the line where it starts.

A source holds one record per line, one array of records, or one record over several lines. Arrays
and records over several lines are read as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, TypeVar

import msgspec
import numpy as np

from corefine.errors import FormatError, Location
from corefine.formats.input.lines import check_text, line_blocks
from corefine.formats.input.sources import Source

T = TypeVar("T")

BLOCK = 1 << 20
LONGEST_LINE = 64 << 20
"""Maximum number of bytes of a line: more than the longest novel."""
LARGEST_ARRAY = 1 << 30
"""Maximum number of bytes of a file that is one array."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_RIGHT_FILE = "Check that this is the right file."
_BLANK = re.compile(rb"[ \t\r\n]*")
_SEPARATOR = re.compile(rb"[ \t\r\n]*,?[ \t\r\n]*")
_PATH = re.compile(r"(.*) - at `\$\.?(.*)`")
_MALFORMED = re.compile(r"JSON is malformed: (.*) \(byte (\d+)\)")
_NOT_A_NUMBER = re.compile(rb"-?(?:NaN|nan|Infinity|inf)")
_MISSING = re.compile(r"Object missing required field `(.*?)`")
_KEY = re.compile(rb'"([A-Za-z_]+)"\s*:\s*(\[\s*[\[{"]|\[|\{|"|)')
_SHAPES = {"[": "list", "{": "object", '"': "string", "n": "null"}
STRING_CLUSTERS = "list of lists of strings"
"""Shape of clusters whose mentions are strings."""
_STRING_CLUSTERS = re.compile(rb'\[(?:\s*\[\s*\]\s*,)*\s*\[\s*"')
_ITEMS = {"[": "lists", "{": "objects", '"': "strings"}


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """The decoder of a type, made once."""
    return _decoder(kind)  # type: ignore[arg-type]


def read_records(source: Source, kind: type[T]) -> Iterator[tuple[T, int]]:
    """Yield the records of a source, decoded as ``kind``, and the line where each starts.

    Lines are counted from the start of the source, which may be a part of a file.
    """
    if not source.part and _is_whole(source):
        yield from _read_whole(source, kind)
        return
    decode = decoder(kind).decode
    number, empty = 0, True
    for block in line_blocks(source, BLOCK, LONGEST_LINE):
        check_text(block, source, number + 1, LONGEST_LINE)
        for line in block.tobytes().split(b"\n")[:-1]:
            number += 1
            if not line or line.isspace():
                continue
            empty = False
            try:
                record = decode(line)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                raise decoding_error(error, line, source.where(number)) from None
            yield record, number
    if empty:
        problem = "the file has only blank lines" if number else "the file is empty"
        raise FormatError(problem, source.where(), _RIGHT_FILE)


def _is_whole(source: Source) -> bool:
    """True if the source is one array, or one record over several lines."""
    opening = source.head().removeprefix(_BYTE_ORDER_MARK).lstrip()
    if opening.startswith(b"["):
        return True
    if not opening.startswith(b"{"):
        return False
    opening = source.first_line(LONGEST_LINE).removeprefix(_BYTE_ORDER_MARK).lstrip()
    line, _, rest = opening.partition(b"\n")
    following = rest.lstrip().partition(b"\n")[0]
    return bool(following) and _is_cut(line) and decode_object(following) is None


def is_spread(head: bytes) -> bool:
    """True if a file that starts with these bytes has a first record over several lines."""
    opening = head.removeprefix(_BYTE_ORDER_MARK).lstrip()
    line = opening.partition(b"\n")[0].rstrip()
    return opening.startswith(b"[") or (opening.startswith(b"{") and not line.endswith(b"}"))


def _is_cut(line: bytes) -> bool:
    """True if a line stops inside a JSON object that is valid so far."""
    try:
        decoder(msgspec.Raw).decode(line)
    except msgspec.DecodeError as error:
        return str(error) == "Input data was truncated"
    except (RecursionError, UnicodeDecodeError):
        return False
    return False


def _read_whole(source: Source, kind: type[T]) -> Iterator[tuple[T, int]]:
    content = source.read_all(LARGEST_ARRAY, "Write one document per line.")
    content = content.removeprefix(_BYTE_ORDER_MARK)
    check_text(np.frombuffer(content + b"\n", np.uint8), source, 1, LARGEST_ARRAY)
    place = _end(_BLANK, content, 0)
    is_array = content[place : place + 1] == b"["
    try:
        if is_array:
            elements = decoder(list[msgspec.Raw]).decode(content)
        else:
            elements = [decoder(msgspec.Raw).decode(content)]
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _whole_error(error, content, source) from None
    if not elements:
        raise FormatError("the array is empty", source.where(1), _RIGHT_FILE)
    decode = decoder(kind).decode
    line, stop = 1 + content.count(b"\n", 0, place), place + is_array
    for element in elements:
        start = _end(_SEPARATOR, content, stop) if is_array else place
        line += content.count(b"\n", stop, start)
        stop = start + len(element)
        try:
            record = decode(element)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise decoding_error(error, bytes(element), source.where(line)) from None
        yield record, line
        line += content.count(b"\n", start, stop)


def _end(pattern: re.Pattern[bytes], content: bytes, place: int) -> int:
    found = pattern.match(content, place)
    assert found is not None
    return found.end()


def _whole_error(error: Exception, content: bytes, source: Source) -> FormatError:
    """The error of an array or of a record over several lines, with its line."""
    if found := _MALFORMED.fullmatch(str(error)):
        byte = int(found[2])
        reason = "not a number" if _NOT_A_NUMBER.match(content, byte) else found[1]
        column = byte - content.rfind(b"\n", 0, byte)
        return FormatError(
            f"malformed JSON: {reason} (byte {column})",
            source.where(1 + content.count(b"\n", 0, byte)),
            "The file must be one array of JSON objects, or have one object per line.",
        )
    if str(error) == "Input data was truncated":
        return FormatError(
            "malformed JSON: unexpected end of file",
            source.where(1 + content.rstrip().count(b"\n")),
            "If the file was truncated, copy it again.",
        )
    return decoding_error(error, b"", source.where(1))


def decoding_error(error: Exception, line: bytes, where: Location | None) -> FormatError:
    """The error of a record that msgspec cannot decode."""
    if isinstance(error, RecursionError):
        return FormatError("nested too deeply", where, _RIGHT_FILE)
    if isinstance(error, UnicodeDecodeError):
        return FormatError("invalid UTF-8", where, "Convert the file to UTF-8.")
    text = str(error)
    if found := _MALFORMED.fullmatch(text):
        reason, byte = found[1], int(found[2])
        remedy = "Every line must be one JSON object."
        if _NOT_A_NUMBER.match(line, byte):
            reason, remedy = "not a number", "JSON has no NaN and no Infinity: remove them."
        return FormatError(f"malformed JSON: {reason} (byte {byte + 1})", where, remedy)
    if text == "Input data was truncated":
        return FormatError(
            "malformed JSON: unexpected end of line",
            where,
            "Write each document on one line; if the file was truncated, copy it again.",
        )
    if line.lstrip().startswith(b"["):
        return FormatError(
            "a JSON array instead of a document object",
            where,
            "Write one document per line, without brackets around them.",
        )
    path = ""
    if found := _PATH.fullmatch(text):
        text, path = found[1], found[2]
    if missing := _MISSING.match(text):
        text = f"the key {missing[1]!r} is missing"
    else:
        text = (text[0].lower() + text[1:]).replace("`", "")
    message = f"{path}: {text}" if path else text
    return FormatError(message, where, "See the documentation of the format for an example.")


def decode_object(line: bytes) -> dict[str, Any] | None:
    """The JSON object of a line; None if it is not one."""
    try:
        return decoder(dict[str, Any]).decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


# --- keys, by which dialects are detected ---------------------------------------------------------


def keys_of(head: bytes) -> dict[str, str]:
    """The keys of the first record of a file that starts with these bytes, and their shapes.

    A shape is ``string``, ``number``, ``null``, ``object``, ``list``, ``list of lists``, ``list of
    objects``, ``list of strings``, or :data:`STRING_CLUSTERS`. For token spans, the key ``ends`` is
    added with ``inclusive`` or ``exclusive`` if the spans decide it. Empty if the bytes are no
    JSON.
    """
    opening = head.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if not opening.startswith((b"{", b"[")):
        return {}
    record = first_record(opening)
    if record is not None:
        shapes = {key: _raw_shape(bytes(memoryview(value)[:64])) for key, value in record.items()}
        if "clusters" in record and _STRING_CLUSTERS.match(record["clusters"]):
            shapes["clusters"] = STRING_CLUSTERS
        elif "tokens" in record and "clusters" in record:
            shapes |= _ends_of(record["tokens"], record["clusters"])
        return shapes
    # A damaged or very long record: its keys show what it was meant to be.
    found: dict[str, str] = {}
    for key, value in _KEY.findall(opening[:BLOCK]):
        found.setdefault(key.decode(), _raw_shape(value))
    return found


def first_record(head: bytes) -> dict[str, msgspec.Raw] | None:
    """The first record of a file that starts with these bytes; None if it does not end there."""
    opening = head.removeprefix(_BYTE_ORDER_MARK).lstrip()
    for text in (opening.partition(b"\n")[0], opening):
        try:
            return decoder(dict[str, msgspec.Raw]).decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            continue
    return _first_element(opening)


def _first_element(opening: bytes) -> dict[str, msgspec.Raw] | None:
    """The first record of an array, which may go on beyond the bytes at hand."""
    import json

    if not opening.startswith(b"["):
        return None
    text = opening.decode("utf-8", "ignore")
    start = len(text) - len(text.removeprefix("[").lstrip())
    try:
        _, stop = json.JSONDecoder().raw_decode(text, start)
        return decoder(dict[str, msgspec.Raw]).decode(text[start:stop])
    except (ValueError, RecursionError):
        return None


def _raw_shape(value: bytes) -> str:
    text = value.decode("utf-8", "replace").lstrip()
    shape = _SHAPES.get(text[:1], "number")
    item = _ITEMS.get(text[1:].lstrip()[:1]) if shape == "list" else None
    return f"list of {item}" if item else shape


def _ends_of(tokens: Any, clusters: Any) -> dict[str, str]:
    """The key ``ends``, if the spans of a record decide whether ends are inclusive.

    A span [0, 0] has a token only if ends are inclusive, and one that ends with the number of
    tokens exists only if they are exclusive.
    """
    try:
        size = len(decoder(list[str]).decode(tokens))
        spans = list(chain.from_iterable(decoder(list[list[tuple[int, int]]]).decode(clusters)))
    except (msgspec.DecodeError, RecursionError):
        return {}
    inclusive = any(start == stop for start, stop in spans)
    exclusive = any(stop == size for _, stop in spans)
    if inclusive == exclusive:
        return {}
    return {"ends": "inclusive" if inclusive else "exclusive"}


def shapes_of(record: Mapping[str, Any]) -> dict[str, str]:
    """The keys of a record in Python and the shapes of their values, as :func:`keys_of`."""
    shapes = {key: _shape(value) for key, value in record.items()}
    encode = msgspec.json.encode
    if "clusters" in record and _STRING_CLUSTERS.match(encode(record["clusters"])):
        shapes["clusters"] = STRING_CLUSTERS
    elif "tokens" in record and "clusters" in record:
        shapes |= _ends_of(encode(record["tokens"]), encode(record["clusters"]))
    return shapes


def _shape(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "string"
    if isinstance(value, Mapping):
        return "object"
    if not isinstance(value, list | tuple):
        return "number"
    item = _shape(value[0]).partition(" ")[0] if len(value) else ""
    return f"list of {item}s" if item in ("list", "object", "string") else "list"
