"""Texts as numbers: codes that are equal for equal texts, and which words a markable holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, ranges
from corefine.resolving import lexicon
from corefine.resolving.markables import Markables


def sequence_codes(code: IntArray, owner: IntArray, count: int) -> IntArray:
    """A 64-bit code for the sequence of codes of each of ``count`` owners, equal for equal ones.

    Σ h(code) · b^place modulo 2⁶⁴, h a mixing function: of a million different sequences two share
    a code with a probability of about one in ten million. ``owner`` is in ascending order. An
    owner without any code is equal to no other.
    """
    place = np.arange(len(owner)) - np.searchsorted(owner, owner, side="left")
    longest = int(place.max(initial=0)) + 1
    powers = np.cumprod(np.full(longest, 0x9E3779B97F4A7C15, np.uint64))
    total = np.zeros(count, np.uint64)
    np.add.at(total, owner, _mixed(code) * powers[place])
    empty = np.bincount(owner, minlength=count) == 0
    total[empty] = np.arange(1, count + 1, dtype=np.uint64)[empty]
    return total.view(np.int64)


def _mixed(code: IntArray) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Numbers spread over 64 bits (the finaliser of SplitMix64)."""
    value = code.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(value ^ (value >> np.uint64(31)), np.uint64)


def acronyms(markables: Markables, name: BoolArray) -> tuple[IntArray, IntArray]:
    """Codes by which "IBM" and "I.B.M." meet "International Business Machines".

    First the code of the initials of the capitalised words of a name that has two or more of them,
    determiners aside;
    then that of the letters of a name of one word, without full stops. -1 for all others.
    """
    words = markables.words
    lengths = markables.stop - markables.start
    token = ranges(markables.start, lengths)
    owner = np.repeat(np.arange(len(markables)), lengths)
    capital = words.capital[token] & ~words.among(lexicon.DETERMINERS)[token]
    token, owner = token[capital], owner[capital]
    initial = np.array([ord(word[0]) if word else 0 for word in words.words], np.int64)
    initials = sequence_codes(initial[words.code[token]], owner, len(markables))
    several = name & (np.bincount(owner, minlength=len(markables)) >= 2)

    spelled = [word.replace(".", "") for word in words.words]
    letter = np.array([ord(sign) for word in spelled for sign in word], np.int64)
    of_word = np.repeat(np.arange(len(spelled)), [len(word) for word in spelled])
    letters = sequence_codes(letter, of_word, len(spelled))[words.code[markables.start]]
    return np.where(several, initials, -1), np.where(name & (lengths == 1), letters, -1)


def incidence(owner: IntArray, column: IntArray, count: int) -> Any:
    """The sparse matrix (scipy's CSR) with a one where an owner has a column, however often."""
    from scipy.sparse import csr_matrix

    distinct, column = np.unique(column, return_inverse=True)
    width = max(len(distinct), 1)
    rows, columns = np.divmod(np.unique(owner * width + column.reshape(-1)), width)
    ones = np.ones(len(rows), np.int32)
    return csr_matrix((ones, (rows, columns)), shape=(count, width))
