"""The lines of i2b2's files: concepts with their places, and the type at the end of the line.

``c="text" 1:0 1:2||c="text" 3:0 3:0||t="coref problem"`` is a line of two concepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import ByteArray, IntArray
from corefine.corpus.strings import Strings, numbered_bytes
from corefine.errors import FormatError, Location
from corefine.formats.input.joined_lines import JoinedLines
from corefine.formats.input.sources import Source
from corefine.formats.text.numerals import whole_numbers

_BLANK, _QUOTE, _COLON, _BAR, _NEWLINE = b' ":|\n'
_CONCEPT, _TYPE = (np.uint64(int.from_bytes(mark, "little")) for mark in (b'c="', b't="'))
_THREE = np.uint64(0xFFFFFF)
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
    lines = JoinedLines.of(sources).stripped()
    text, eights = lines.text, lines.eights
    is_sign = (text == _BLANK) | (text == _COLON) | (text == _BAR) | (text == _NEWLINE)
    signs = np.flatnonzero(is_sign)
    sign = text[signs]
    ends = _ends(lines, signs, sign)
    starts, stops = np.zeros(len(ends), np.int64), signs[ends]
    last = sign[ends] == _NEWLINE
    starts[1:] = stops[:-1] + np.where(last[:-1], 1, 2)
    line = np.cumsum(last) - last
    if (starts == stops).any():
        filled = stops > starts
        starts, stops, last, line, ends = (
            column[filled] for column in (starts, stops, last, line, ends)
        )
    mark = eights[starts] & _THREE
    wrong = mark != np.where(last, _TYPE, _CONCEPT)
    wrong |= last & ((text[stops - 1] != _QUOTE) | (stops - starts < 4))
    # A line needs a concept before its type, and one of concepts has no other.
    before = np.append(True, last[:-1])[: len(last)]
    wrong |= ~last & ~before if not chained else False
    wrong |= last & before
    concepts = np.flatnonzero(~last)
    places, words = _places(text, signs, sign, starts[concepts], ends[concepts])
    wrong[concepts] |= (places < 0).any(axis=1)
    if wrong.any():
        raise _malformed(lines, int(line[np.argmax(wrong)]), chained)
    types = np.flatnonzero(last)
    begins, lengths = starts[types] + 3, stops[types] - starts[types] - 4
    first, codes = numbered_bytes(text, begins, lengths)
    names = Strings.cut(text, begins[first], begins[first] + lengths[first]).tolist()
    group = np.cumsum(last)[concepts]
    return Concepts(lines, starts[concepts] + 3, words, places, line[concepts], group, codes, names)


def _ends(lines: JoinedLines, signs: IntArray, sign: ByteArray) -> IntArray:
    """Which signs end a part of a line: newlines, and the first of two bars between parts.

    A text may hold bars as well, but not behind a digit and before what opens a part.
    """
    rows = np.flatnonzero(sign == _BAR)
    bars = signs[rows]
    is_end = (lines.text[bars - 1] - 48 < 10) & (lines.text[bars + 1] == _BAR)
    rows, bars = rows[is_end], bars[is_end]
    mark = lines.eights[np.minimum(bars + 2, len(lines.text))] & _THREE
    ends = sign == _NEWLINE
    ends[rows[(mark == _CONCEPT) | (mark == _TYPE)]] = True
    return np.flatnonzero(ends)


def _places(
    text: ByteArray, signs: IntArray, sign: ByteArray, starts: IntArray, ends: IntArray
) -> tuple[IntArray, IntArray]:
    """The numbers at the end of concepts, -1 where there are none, and where the words end."""
    # A blank and a colon, twice, are the last signs before the end.
    four = [np.maximum(ends - back, 0) for back in (4, 3, 2, 1)]
    bounds = [*(signs[row] for row in four), signs[ends]]
    sound = bounds[0] > starts + 3
    for row, expected in zip(four, (_BLANK, _COLON, _BLANK, _COLON), strict=True):
        sound &= sign[row] == expected
    sound &= text[bounds[0] - 1] == _QUOTE
    begins = np.concatenate([np.where(sound, place + 1, 0) for place in bounds[:-1]])
    stops = np.concatenate([np.where(sound, place, 0) for place in bounds[1:]])
    return whole_numbers(text, begins, stops).reshape(4, -1).T, bounds[0] - 1


def _malformed(lines: JoinedLines, line: int, chained: bool) -> FormatError:
    what, sample = _SAMPLES[chained]
    shown = lines.shown(int(lines.starts[line]), int(lines.stops[line]))
    return FormatError(
        f"malformed {what} {shown!r}", lines.where(line), f"A line looks like this: {sample}"
    )
