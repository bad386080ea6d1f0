"""Atoms: what two texts are compared by, whichever way each was cut into words.

An atom is a run of letters and digits, a punctuation mark, or a character of a script without
blanks between words. Atoms are the same if they are after Unicode normalisation, whatever their
case and the shape of quotes, dashes and brackets.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray

_ALONE = (
    "!-/:-@\\[-`{-~\u00a1-\u00bf\u00d7\u00f7\u055a-\u055f\u060c\u061b\u061f\u066a-\u066d\u06d4"
    "\u0964\u0965\u2000-\u206f\u2190-\u2bff\u2e00-\u2e7f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20"
    "\uff3b-\uff40\uff5b-\uff65"
)
_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
)
_WIDE = "\U00020000-\U0003ffff"
_WRITTEN_OUT = (
    "``|''|\u2018\u2018|\u2019\u2019|--+|-[LRlr][RSCrsc][Bb]-"
    "|&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,6});"
)
"""Quotes, dashes and brackets as treebanks write them, and signs as HTML does."""
_ATOM = re.compile(rf"{_WRITTEN_OUT}|[^\s{_ALONE}{_SCRIPTS}{_WIDE}]+|[{_ALONE}{_SCRIPTS}{_WIDE}]")
_PUNCTUATION = re.compile(rf"[{_ALONE}]")
_QUOTES = "\u2018\u2019\u201a\u201b\u0060\u00b4\u2032\u02bc\uff07"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_SHAPES = str.maketrans(
    {
        **dict.fromkeys(_QUOTES, "'"),
        **dict.fromkeys(_DOUBLE_QUOTES, '"'),
        **dict.fromkeys(_DASHES, "-"),
    }
)
_BRACKETS = {
    "-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}",
}  # fmt: skip
_INVISIBLE = re.compile("[\\s\u00ad\u200b-\u200f\u2060\ufeff]+")
STEM = 3
"""Letters that two words have in common at the beginning if one is a changed form of the other."""


@dataclass(slots=True)
class Vocabulary:
    """Numbers for atoms, equal for those that are the same when normalised."""

    texts: list[str] = field(default_factory=list)
    """The normalised atoms by number."""
    _codes: dict[str, int] = field(default_factory=dict)
    _raw: dict[str, int] = field(default_factory=dict)

    def code(self, raw: str) -> int:
        """The number of an atom."""
        known = self._raw.get(raw)
        if known is None:
            text = normalised(raw)
            known = self._codes.setdefault(text, len(self._codes))
            if known == len(self.texts):
                self.texts.append(text)
            self._raw[raw] = known
        return known

    def stems(self) -> IntArray:
        """For each number that of the first letters; negative and alone for punctuation."""
        seen: dict[str, int] = {}
        stems = [
            -1 - number if _PUNCTUATION.match(text) else seen.setdefault(text[:STEM], len(seen))
            for number, text in enumerate(self.texts)
        ]
        return np.array(stems, np.int64)


def normalised(text: str) -> str:
    """Normalised form in which a text is compared; the text itself if that is empty."""
    if text[:1] == "&" and text[-1:] == ";":
        text = html.unescape(text)
    plain = unicodedata.normalize("NFKC", text.translate(_SHAPES)).translate(_SHAPES).casefold()
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", plain)) or text
    if plain == "''":
        return '"'
    if len(plain) > 1 and plain[0] == plain[-1] == "-":
        return _BRACKETS.get(plain, "-")
    return plain


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """The atoms of a text in order."""

    codes: IntArray
    word: IntArray
    """The word that each is part of."""
    begin: IntArray
    """Its first character in the text; for the words of a source, 0."""
    end: IntArray
    words: int
    zero: BoolArray
    """Atoms that are empty nodes."""


def atoms_of_words(words: Sequence[str], vocabulary: Vocabulary) -> Atoms:
    """The atoms of the words of a source, each of which has at least one."""
    codes: list[int] = []
    owner: list[int] = []
    cut: dict[str, list[int]] = {}
    for number, word in enumerate(words):
        found = cut.get(word)
        if found is None:
            found = [vocabulary.code(atom) for atom in _ATOM.findall(word) or [word]]
            cut[word] = found
        codes += found
        owner += [number] * len(found)
    nowhere = np.zeros(len(codes), np.int64)
    return Atoms(
        np.array(codes, np.int64),
        np.array(owner, np.int64),
        nowhere,
        nowhere,
        len(words),
        np.zeros(len(codes), bool),
    )


def atoms_of_text(text: str, cuts: Sequence[int], vocabulary: Vocabulary, zeros: bool) -> Atoms:
    """The atoms of a running text, none of which reaches across a cut.

    Where ``zeros`` are looked for, what begins with ``##`` is one.
    """
    begins: list[int] = []
    ends: list[int] = []
    empties: list[bool] = []
    codes: list[int] = []
    pattern = re.compile(rf"(?P<zero>(?<!\S)##\S*)|{_ATOM.pattern}") if zeros else _ATOM
    bounds = [0, *cuts, len(text)]
    for start, stop in pairwise(bounds):
        if start == stop:
            continue
        for found in pattern.finditer(text[start:stop]):
            begins.append(start + found.start())
            ends.append(start + found.end())
            empty = found.lastgroup == "zero"
            empties.append(empty)
            codes.append(-1 if empty else vocabulary.code(found.group()))
    begin, end = np.array(begins, np.int64), np.array(ends, np.int64)
    blanks = np.array([found.start() for found in re.finditer(r"\s+", text)], np.int64)
    word = np.searchsorted(blanks, begin)
    _, word = np.unique(word, return_inverse=True)
    count = int(word[-1]) + 1 if len(word) else 0
    return Atoms(np.array(codes, np.int64), word, begin, end, count, np.array(empties, bool))
