"""Characters as columns: the code points of a text, and what sort of character each one is."""

from __future__ import annotations

import unicodedata
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import ByteArray, IntArray, offsets_of

CodePoints = NDArray[np.uint8] | NDArray[np.uint32]
"""The characters of a text; bytes where all of them are ASCII."""


class Sort(IntEnum):
    """Character classes: white space, part of a word, digit, other sign."""

    SPACE = 0
    WORD = 1
    DIGIT = 2
    SIGN = 3


def code_points(text: str) -> CodePoints:
    """The characters of a text."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


def byte_offsets(characters: CodePoints) -> IntArray:
    """Byte offsets of characters in UTF-8, and the end of the last."""
    if characters.dtype == np.uint8:
        return np.arange(len(characters) + 1)
    lengths = np.ones(len(characters), np.int64)
    for limit in (0x80, 0x800, 0x10000):
        lengths += characters >= limit
    return offsets_of(lengths)


def sorts(characters: CodePoints) -> ByteArray:
    """The :class:`Sort` of each character; beyond ASCII each different one is looked up once."""
    if characters.dtype == np.uint8:
        return _ASCII[characters]
    found = _ASCII[np.minimum(characters, 127)]
    beyond = np.flatnonzero(characters >= 128)
    distinct, inverse = np.unique(characters[beyond], return_inverse=True)
    table = np.array([sort_of(chr(code)) for code in distinct.tolist()], np.uint8)
    found[beyond] = table[inverse.reshape(-1)]
    return found


def sort_of(character: str) -> Sort:
    """The sort of a character."""
    if character.isspace():
        return Sort.SPACE
    category = unicodedata.category(character)
    if category == "Nd":
        return Sort.DIGIT
    # Letters, other numbers, marks on letters, and signs that show only in what they do.
    word = category[0] in "LNM" or category == "Cf" or character == "_"
    return Sort.WORD if word else Sort.SIGN


_ASCII = np.array([sort_of(chr(code)) for code in range(128)], np.uint8)
