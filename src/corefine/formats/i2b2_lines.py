"""The lines of i2b2's files: concepts with their places, and the type at the end of the line.

``c="text" 1:0 1:2||c="text" 3:0 3:0||t="coref problem"`` is a line of two concepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from corefine.columns import BoolArray, ByteArray, IntArray, Strings, numbered_bytes
from corefine.errors import FormatError, Location
from corefine.formats.joined_lines import JoinedLines
from corefine.formats.numerals import whole_numbers
from corefine.formats.sources import Source

_BLANK, _QUOTE, _COLON, _EQUALS, _BAR = b' ":=|'
_CONCEPT, _TYPE = b"ct"
_SAMPLES = {
    False: ("concept", 'c="text" 1:0 1:2||t="problem"'),
    True: ("chain", 'c="text" 1:0 1:2||c="text" 3:0 3:0||t="coref problem"'),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Concepts:
    """The concepts of several files, one after another."""

    lines: JoinedLines
    starts: IntArray
    stops: IntArray
    """Where the words of each concept lie in the text."""
    places: IntArray
    """Rows of first line and token, last line and token."""
    line: IntArray
    """The line of each concept."""
    group: IntArray
    """The number of this line among those that are not blank."""
    type: IntArray
    """The type of each line that is not blank, as an index of ``types``."""
    types: list[str]

    @property
    def document(self) -> IntArray:
        """The file of each concept."""
        return self.lines.file[self.line]

    @property
    def document_of_groups(self) -> IntArray:
        """The file of each line that is not blank."""
        document = np.zeros(len(self.type), np.int64)
        document[self.group] = self.document
        return document

    def where(self, concept: int) -> Location:
        return self.lines.where(int(self.line[concept]))


def read_concepts(sources: Sequence[Source], *, chained: bool) -> Concepts:
    """The concepts of files: chains of them, or one in each line."""
    lines = JoinedLines.of(sources)
    text = lines.text
    starts, stops, line = _segments(lines)
    is_type = _opens(text, starts, _TYPE)
    is_concept = _opens(text, starts, _CONCEPT)
    last = np.append(line[1:] != line[:-1], np.ones(min(len(line), 1), bool))
    wrong = np.where(last, ~is_type | (text[stops - 1] != _QUOTE), ~is_concept)
    wrong |= last & (stops - starts < 4)
    if not chained and len(last):
        # Every second segment is the last of its line.
        wrong[1:] |= ~last[1:] & ~last[:-1]
    concepts = np.flatnonzero(~last)
    places, words = _places(text, starts[concepts], stops[concepts])
    wrong[concepts] |= (places < 0).any(axis=1)
    alone = last.copy()
    alone[1:] &= last[:-1]
    wrong |= alone
    if wrong.any():
        raise _malformed(lines, int(line[np.argmax(wrong)]), chained)
    ends = np.flatnonzero(last)
    first, codes = numbered_bytes(text, starts[ends] + 3, stops[ends] - starts[ends] - 4)
    types = Strings.cut(text, starts[ends[first]] + 3, stops[ends[first]] - 1).tolist()
    group = np.cumsum(last)[concepts]
    return Concepts(lines, starts[concepts] + 3, words, places, line[concepts], group, codes, types)


def _segments(lines: JoinedLines) -> tuple[IntArray, IntArray, IntArray]:
    """The parts between double bars of lines that are not blank, and the line of each."""
    text, starts, stops = lines.text, lines.starts, lines.stops
    ragged = (text[starts] <= _BLANK) | (text[np.maximum(stops - 1, 0)] <= _BLANK)
    if ragged.any():
        starts, stops = _trimmed(text, starts.copy(), stops.copy(), np.flatnonzero(ragged))
    number = np.flatnonzero(stops > starts)
    bars = np.flatnonzero(text[1:-1] == _BAR) + 1
    # A text may hold double bars, but not behind a digit and before what is a mark as well.
    bars = bars[(text[bars - 1] - 48 < 10) & (bars < len(text) - 4)]
    bars = bars[text[bars + 1] == _BAR]
    bars = bars[_opens(text, bars + 2, _CONCEPT) | _opens(text, bars + 2, _TYPE)]
    begins = np.concatenate([starts[number], bars + 2])
    ends = np.concatenate([bars, stops[number]])
    begins.sort()
    ends.sort()
    return begins, ends, np.searchsorted(lines.stops, begins)


def _trimmed(
    text: ByteArray, starts: IntArray, stops: IntArray, rows: IntArray
) -> tuple[IntArray, IntArray]:
    """Lines without the white space at their ends; there is none in most files."""
    for row in rows.tolist():
        content = text[starts[row] : stops[row]].tobytes()
        starts[row] += len(content) - len(content.lstrip())
        stops[row] = max(starts[row], stops[row] - (len(content) - len(content.rstrip())))
    return starts, stops


def _opens(text: ByteArray, starts: IntArray, letter: int) -> BoolArray:
    """Whether a mark such as ``c="`` stands at each place."""
    last = len(text) - 1
    opens: BoolArray = (
        (text[np.minimum(starts, last)] == letter)
        & (text[np.minimum(starts + 1, last)] == _EQUALS)
        & (text[np.minimum(starts + 2, last)] == _QUOTE)
    )
    return opens


def _places(text: ByteArray, starts: IntArray, stops: IntArray) -> tuple[IntArray, IntArray]:
    """The numbers at the end of concepts, -1 where there are none, and where the words end."""
    colons, blanks = np.flatnonzero(text == _COLON), np.flatnonzero(text == _BLANK)
    second = _last_before(colons, stops)
    first = _last_before(colons, second)
    between = _last_before(blanks, second)
    before = _last_before(blanks, first)
    sound = (before > starts + 3) & (first > before) & (between > first) & (second > between)
    sound &= text[np.maximum(before - 1, 0)] == _QUOTE
    bounds = (before, first, between, second, stops)
    places = np.stack(
        [
            whole_numbers(text, np.where(sound, begin + 1, 0), np.where(sound, end, 0))
            for begin, end in pairwise(bounds)
        ],
        axis=1,
    )
    return places, before - 1


def _last_before(places: IntArray, limits: IntArray) -> IntArray:
    """The last of the places before each limit; -1 if there is none."""
    return np.append(-1, places)[np.searchsorted(places, limits)]


def _malformed(lines: JoinedLines, line: int, chained: bool) -> FormatError:
    what, sample = _SAMPLES[chained]
    shown = lines.shown(int(lines.starts[line]), int(lines.stops[line]))
    return FormatError(
        f"malformed {what} {shown!r}", lines.where(line), f"A line looks like this: {sample}"
    )
