"""The tags of XML files as columns: where each stands, what it is called, what it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, offsets_of
from corefine.corpus.strings import Strings
from corefine.errors import Location
from corefine.formats.input.sources import Source
from corefine.formats.text.tab_cells import equal_to as parts_equal_to
from corefine.formats.text.xml_files import XmlFile, refused_entity

_SLASH, _AND, _EQUALS, _QUOTE, _BLANK, _NEWLINE = b'/&=" \n'
_ATTRIBUTE = re.compile(r"""([^\s=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|([A-Za-z]+));")
_KNOWN = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ENDS_NAME = np.zeros(256, bool)
_ENDS_NAME[list(b" \t\n/>")] = True


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class XmlTags:
    """The tags of several files, one file after another."""

    files: Sequence[XmlFile]
    text: ByteArray
    """The bytes of all files, with eight zeros behind them."""
    offsets: IntArray
    """Where the bytes of each file start; one entry more than there are files."""
    starts: IntArray
    """Where each tag starts: at its ``<``."""
    stops: IntArray
    """Where it ends: at its ``>``."""
    initial: NDArray[np.uint64]
    """The first eight bytes behind the ``<`` of each tag, as a number."""
    equals: IntArray
    """The equals signs in tags."""
    quotes: IntArray
    """All quotation marks."""
    tidy: bool
    """Whether in tags every equals sign stands between a name and a quotation mark."""

    @classmethod
    def of(cls, sources: Sequence[Source]) -> XmlTags:
        """The tags of files; one that is not well-formed, or declares entities, is refused."""
        files = [XmlFile.of(source) for source in sources]
        text = np.frombuffer(b"".join([*(file.content for file in files), b"\0" * 8]), np.uint8)
        offsets = offsets_of(np.array([len(file.content) for file in files], np.int64))
        starts, stops = (
            np.concatenate([place + before for place, before in zip(places, offsets, strict=False)])
            for places in ([file.starts for file in files], [file.stops for file in files])
        )
        eights = np.ndarray((len(text) - 7,), np.dtype("<u8"), text, strides=(1,))
        equals = np.flatnonzero(text == _EQUALS)
        tag = np.searchsorted(starts, equals, side="right") - 1
        equals = equals[(tag >= 0) & (equals < stops[tag])] if len(starts) else equals[:0]
        tidy = bool((text[equals + 1] == _QUOTE).all() and (text[equals - 1] > _BLANK).all())
        quotes = np.flatnonzero(text == _QUOTE)
        return cls(files, text, offsets, starts, stops, eights[starts + 1], equals, quotes, tidy)

    def file_of(self, tags: IntArray) -> IntArray:
        """The file of each tag."""
        return np.searchsorted(self.offsets, self.starts[tags], side="right") - 1

    def lines(self, tags: IntArray) -> IntArray | None:
        """The line of each tag in its file; None where not all files are as they were given."""
        if not all(file.as_given for file in self.files):
            return None
        newlines = np.flatnonzero(self.text == _NEWLINE)
        before = np.searchsorted(newlines, self.offsets)[self.file_of(tags)]
        return np.searchsorted(newlines, self.starts[tags]) + 1 - before

    def where(self, tag: int) -> Location:
        """The file and line of a tag."""
        file = int(np.searchsorted(self.offsets, self.starts[tag], side="right")) - 1
        if not self.files[file].as_given:
            return self.files[file].source.where()
        before = self.text[self.offsets[file] : self.starts[tag]]
        return self.files[file].source.where(1 + int(np.count_nonzero(before == _NEWLINE)))

    def named(self, name: bytes) -> IntArray:
        """The tags that open elements of this name, empty elements included."""
        return self._with(name)

    def elements(self, name: bytes) -> tuple[IntArray, IntArray]:
        """The tags that open and close elements of this name; an empty one closes itself."""
        opened, closed = self.named(name), self._with(b"/" + name)
        empty = self.text[self.stops[opened] - 1] == _SLASH
        if empty.any():
            closed = np.sort(np.concatenate([closed, opened[empty]]))
        if (closed >= opened).all() and (closed[:-1] < opened[1:]).all():
            return opened, closed
        # Some lie in others: those of one depth open and close in turn. An empty one does at once.
        tags = np.concatenate([opened, closed])
        opens = np.repeat([True, False], [len(opened), len(closed)])
        order = np.lexsort((~opens, tags))
        depth = np.cumsum(np.where(opens[order], 1, -1)) + ~opens[order]
        order = order[np.argsort(depth, kind="stable")]
        pairs = tags[order].reshape(-1, 2)
        pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
        return pairs[:, 0], pairs[:, 1]

    def _with(self, name: bytes) -> IntArray:
        """The tags that begin with this name, which ends there."""
        size = min(len(name), 8)
        kept = np.uint64((1 << (8 * size)) - 1)
        wanted = np.uint64(int.from_bytes(name[:size], "little"))
        rows = np.flatnonzero((self.initial & kept) == wanted)
        for place, letter in enumerate(name[8:], 9):
            rows = rows[self.text[self.starts[rows] + place] == letter]
        return rows[_ENDS_NAME[self.text[self.starts[rows] + len(name) + 1]]]

    def contents(self, tags: IntArray) -> tuple[IntArray, IntArray]:
        """Start and stop of the text behind opening tags, up to the next tag."""
        starts = self.stops[tags] + 1
        stops = np.append(self.starts, len(self.text) - 8)[tags + 1]
        empty = self.text[self.stops[tags] - 1] == _SLASH
        return starts, np.where(empty, starts, stops)

    def strings(self, starts: IntArray, stops: IntArray) -> Strings:
        """Parts of the text, with references such as ``&amp;`` replaced."""
        column = Strings.cut(self.text, starts, stops)
        signs = np.flatnonzero(column.data == _AND)
        if not len(signs):
            return column
        values = column.tolist()
        rows = np.unique(np.searchsorted(column.offsets, signs, side="right") - 1)
        for row in rows.tolist():
            values[row] = self._replaced(values[row], int(starts[row]))
        return Strings.from_list(values)

    def values(self, tags: IntArray, name: bytes) -> Strings:
        """The attribute of this name that each of these tags has; empty where it has none.

        The tags must be in order.
        """
        if not self.tidy:
            return self._values_one_by_one(tags, name.decode())
        found = self.equals[self.text[self.equals - 1] == name[-1]]
        for place, letter in enumerate(reversed(name[:-1]), 2):
            found = found[self.text[found - place] == letter]
        found = found[self.text[found - len(name) - 1] <= _BLANK]
        tag = np.searchsorted(self.starts, found, side="right") - 1
        row = np.searchsorted(tags, tag)
        wanted = row < len(tags)
        wanted[wanted] = tags[row[wanted]] == tag[wanted]
        row, begins = row[wanted], found[wanted] + 2
        starts, stops = np.zeros(len(tags), np.int64), np.zeros(len(tags), np.int64)
        starts[row] = begins
        stops[row] = self.quotes[np.searchsorted(self.quotes, begins)]
        return self.strings(starts, stops)

    def _values_one_by_one(self, tags: IntArray, name: str) -> Strings:
        """As ``values``, for attributes that are written with other signs, or more white space."""
        found = []
        for tag in tags.tolist():
            place = int(self.starts[tag])
            written = self.text[place : self.stops[tag]].tobytes().decode("utf-8")
            said = {key: one or other for key, one, other in _ATTRIBUTE.findall(written)}
            value = said.get(name, "").replace("\n", " ").replace("\t", " ")
            found.append(self._replaced(value, place) if "&" in value else value)
        return Strings.from_list(found)

    def _replaced(self, text: str, place: int) -> str:
        def meant(reference: re.Match[str]) -> str:
            hexadecimal, decimal, name = reference.groups()
            if name in _KNOWN:
                return _KNOWN[name]
            if name is not None:
                tag = int(np.searchsorted(self.starts, place, side="right")) - 1
                raise refused_entity(f"the entity &{name};", self.where(tag))
            return chr(int(hexadecimal, 16) if hexadecimal else int(decimal))

        return _REFERENCE.sub(meant, text)


def equal_to(column: Strings, word: bytes) -> BoolArray:
    """Which strings of a column are this word."""
    return parts_equal_to(column.data, column.offsets[:-1], column.offsets[1:], word)


def lies_in(tags: IntArray, opened: IntArray, closed: IntArray) -> tuple[IntArray, BoolArray]:
    """For each tag the element that opens last before it, and whether it is still open there."""
    owner = np.searchsorted(opened, tags, side="right") - 1
    inside: BoolArray = owner >= 0
    if len(closed):
        inside &= closed[np.maximum(owner, 0)] > tags
    return owner, inside
