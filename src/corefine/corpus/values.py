"""Columns of labels, mention names and document ids given by users."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from itertools import count
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.strings import Strings
from corefine.errors import UsageError

Values = NDArray[Any] | list[Any]
"""A column: an array of numbers, strings, dates or truth values, or a list of anything else."""

_NEVER_MISSING = {str, int, bool, bytes}


def column_of(given: Any, what: str) -> Values:
    """A column without missing values, named ``what`` in error messages.

    NumPy converts ``[1, "1"]`` to strings and pairs to a matrix, so such lists stay lists.
    """
    if isinstance(given, list | tuple):
        column = _column_of_list(list(given), what)
    else:
        array = np.asarray(given)
        if array.ndim != 1:
            raise UsageError(
                f"{what} must be one-dimensional, but has shape {array.shape}",
                remedy="Give a list, a Series or a one-dimensional array.",
            )
        column = array if array.dtype.kind in "biufcmMSU" else array.tolist()
    missing = _missing(column) | (
        np.ma.getmaskarray(given) if np.ma.isMaskedArray(given) else False
    )
    if missing.any():
        row = int(np.argmax(missing))
        raise UsageError(
            f"row {row} of {what} (counting from 0) has no value: {column[row]!r}",
            remedy="Drop the row, or fill in a value.",
        )
    return column


def _column_of_list(column: list[Any], what: str) -> Values:
    types = set(map(type, column))
    if not all(issubclass(sort, Hashable) for sort in types):
        row = next(row for row, value in enumerate(column) if not isinstance(value, Hashable))
        raise UsageError(
            f"row {row} of {what} (counting from 0) is a {type(column[row]).__name__}; {what} "
            "must be one column of values",
            remedy="Give strings, numbers or tuples.",
        )
    # An array drops zeros at the end of a string.
    plain = types == {str} and "\0" not in "".join(column)
    if plain or (len(types) == 1 and types <= {bool, int, float}):
        array = np.asarray(column)
        # Whole numbers beyond 64 bits stay as they are.
        if types != {int} or array.dtype.kind in "iu":
            return array
    return column


def _missing(column: Values) -> BoolArray:
    """Mask of missing values: None, NaN, NaT and similar."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind in "mM":
            return np.isnat(column)
        return np.isnan(column) if column.dtype.kind in "fc" else np.zeros(len(column), bool)
    if set(map(type, column)) <= _NEVER_MISSING:
        return np.zeros(len(column), bool)
    return np.array([_is_missing(value) for value in column], bool)


def _is_missing(value: Any) -> bool:
    # pandas.NA cannot be compared, so it is known by its type.
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def distinct(column: Values) -> tuple[Values, IntArray]:
    """Distinct values, sorted if possible, and the index of each row's value.

    Values of different types are different: ``1`` is not ``"1"``, nor ``True``.
    """
    if isinstance(column, np.ndarray):
        values, inverse = np.unique(column, return_inverse=True)
        return values, inverse.reshape(-1).astype(np.int64, copy=False)
    mixed = len(set(map(type, column))) > 1
    numbers: defaultdict[Any, int] = defaultdict(count().__next__)
    keys = [(_sort(value), value) for value in column] if mixed else column
    codes = np.array(list(map(numbers.__getitem__, keys)), np.int64)
    found = list(numbers)
    try:
        order = sorted(range(len(found)), key=found.__getitem__)
    except TypeError:  # values such as complex objects, which stay in the order of the rows
        order = list(range(len(found)))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return [found[place][1] if mixed else found[place] for place in order], rank[codes]


def _sort(value: Hashable) -> str:
    """Group of types whose values can be equal: all numbers, or one type."""
    if isinstance(value, bool | np.bool_ | str):
        return "str" if isinstance(value, str) else "bool"
    return "number" if isinstance(value, Number | np.number) else type(value).__name__


def written(values: Values) -> Strings:
    """Distinct values as strings; the type is added if two values would read the same."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "mM":
            values = values.astype(str)
        return Strings.from_list(map(str, values.tolist()))
    texts = list(map(str, values))
    clashing = {text for text, times in Counter(texts).items() if times > 1}
    return Strings.from_list(
        f"{text} ({type(value).__name__})" if text in clashing and type(value) is not str else text
        for text, value in zip(texts, values, strict=True)
    )


def document_ids(names: Sequence[object]) -> tuple[str, ...]:
    """Ids of documents as strings; duplicates are refused, except for empty ids."""
    ids = tuple(map(str, names))
    if len(set(ids)) < len(ids):
        for repeated, times in Counter(filter(None, ids)).items():
            if times > 1:
                twice = [name for text, name in zip(ids, names, strict=True) if text == repeated]
                raise UsageError(
                    f"two documents have the same id: {twice[0]!r} and {twice[1]!r}",
                    remedy="Give each document a unique id; numbers are compared as strings.",
                )
    return ids
