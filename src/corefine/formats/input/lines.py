"""Text as blocks of whole lines, so that a reader works on many lines at once and keeps none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np

from corefine.corpus.arrays import ByteArray, IntArray
from corefine.errors import FormatError
from corefine.formats.input.sources import Source

LONGEST_LINE = 1 << 20
RETURN = 13


def line_blocks(
    source: Source, size: int = LONGEST_LINE, longest: int = LONGEST_LINE
) -> Iterator[ByteArray]:
    """The source as blocks of whole lines, each of about ``size`` bytes and ending in a newline.

    A block is a view of a buffer that the next one overwrites: copy what must last. A byte order
    mark is left out; a missing last newline is added. A line of more than ``longest`` bytes comes
    as a last block without a newline, which :func:`check_text` refuses: a file that has no lines
    costs no memory.
    """
    buffer = np.empty(max(size, 16) + 1, np.uint8)
    kept = 0
    first = True
    try:
        while True:
            room = len(buffer) - 1
            filled = kept + source.read_into(buffer[kept:room].data)
            ended = filled < room
            if first:
                first = False
                if buffer[: min(3, filled)].tobytes() == b"\xef\xbb\xbf":
                    filled -= 3
                    buffer[:filled] = buffer[3 : filled + 3].copy()
            cut = _after_last_newline(buffer, filled)
            kept = filled - cut
            if kept > longest:
                yield buffer[:filled]
                return
            if ended:
                if kept:
                    buffer[filled] = 10
                    yield buffer[: filled + 1]
                elif filled:
                    yield buffer[:filled]
                return
            if cut:
                yield buffer[:cut]
                buffer[:kept] = buffer[cut:filled].copy()
            else:
                buffer = np.concatenate([buffer, np.empty(len(buffer), np.uint8)])
    finally:
        source.close()


def _after_last_newline(buffer: ByteArray, filled: int) -> int:
    """End of the last whole line of the buffer; 0 if there is no line."""
    for start in (max(0, filled - (1 << 12)), 0):  # mostly the end is enough
        place = buffer[start:filled].tobytes().rfind(b"\n")
        if place >= 0:
            return start + place + 1
    return 0


def check_text(
    block: ByteArray, source: Source, first_line: int, longest: int = LONGEST_LINE
) -> None:
    """Refuse bytes that are not lines of UTF-8 text, naming the line of the first."""
    if not len(block):
        return
    if int(block.max()) >= 128 and not _is_utf8(block):
        content = block.tobytes()
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            if block[-1] == 10 or error.start < len(block) - 4:
                raise FormatError(
                    f"invalid UTF-8 (byte 0x{content[error.start]:02x})",
                    source.where(first_line + content.count(b"\n", 0, error.start)),
                    "Convert the file to UTF-8.",
                ) from None
    if int(block.min()) == 0:
        raise FormatError(
            "a null byte: not a text file",
            source.where(first_line + block.tobytes().split(b"\0", 1)[0].count(b"\n")),
            "Check that this is the right file.",
        )
    if block[-1] != 10:
        refuse_long_line(source, first_line + int(np.count_nonzero(block == 10)), longest)


def text_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a source as text, with their numbers and without their ends."""
    number = 0
    for block in line_blocks(source):
        check_text(block, source, number + 1)
        for line in block.tobytes().decode("utf-8").split("\n")[:-1]:
            number += 1
            yield number, line.removesuffix("\r")


def _is_utf8(block: ByteArray) -> bool:
    """True if the bytes beyond ASCII are UTF-8; only these few are checked."""
    places = np.flatnonzero(block >= 128)
    beyond = block[places]
    # A run of them must not complete the one before it, so none may start inside a character.
    first_of_runs = beyond[1:][places[1:] - places[:-1] > 1]
    if (first_of_runs & 0xC0 == 0x80).any():
        return False
    try:
        beyond.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def check_lines(block: ByteArray, line_stops: IntArray, source: Source, first_line: int) -> None:
    """Refuse lines that are too long or end in carriage returns; they stop at ``line_stops``."""
    if line_stops[-1] > LONGEST_LINE:
        lengths = np.diff(line_stops, prepend=-1)
        if int(lengths.max()) > LONGEST_LINE:
            refuse_long_line(source, first_line + int(lengths.argmax()))
    if len(line_stops) == 1 and np.count_nonzero(block == RETURN) > 1:
        raise FormatError(
            "lines end in carriage returns only",
            source.where(first_line),
            "Convert the line endings to newlines.",
        )


def shown(text: ByteArray | str) -> str:
    """A text in a message, shortened in the middle where it is too long for one."""
    content = text if isinstance(text, str) else text.tobytes().decode()
    return content if len(content) <= 60 else f"{content[:35]}…{content[-24:]}"


def refuse_long_line(source: Source, line: int, longest: int = LONGEST_LINE) -> NoReturn:
    size = "a mebibyte" if longest == 1 << 20 else f"{longest >> 20} mebibytes"
    raise FormatError(
        f"a line of more than {size}",
        source.where(line),
        "This does not look like a text file; check that it is the right one.",
    )
