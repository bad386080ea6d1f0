"""Columns of labels, mention names and document ids given by users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray, Strings
from corefine.errors import UsageError

Values = NDArray[Any] | list[Any]
"""A column: an array of numbers or truth values, or a list of anything else."""


def column_of(given: Any, what: str) -> Values:
    """A column without missing values, named ``what`` in error messages."""
    if isinstance(given, list | tuple):
        values = list(given)
    else:
        array = given if isinstance(given, np.ndarray) else np.asarray(given)
        if array.ndim != 1:
            raise UsageError(
                f"{what} must be one-dimensional, but has shape {array.shape}",
                remedy="Give a list, a Series or a one-dimensional array.",
                code="wrong-shape",
            )
        if array.dtype.kind in "biu" and not np.ma.isMaskedArray(array):
            return array
        if array.dtype.kind in "mM":
            array = np.where(np.isnat(array), np.array(None), array.astype(str))
        values = array.tolist()
    types = set(map(type, values))
    for row, value in enumerate(() if types <= {str, int, bool, bytes} else values):
        # pandas.NA cannot be compared, so it is known by its type.
        if (
            value is None
            or type(value).__name__ == "NAType"
            or (isinstance(value, float) and value != value)
        ):
            raise UsageError(
                f"row {row} of {what} (counting from 0) has no value: {value!r}",
                remedy="Drop the row, or fill in a value.",
                code="missing-value",
            )
        if not isinstance(value, Hashable):
            raise UsageError(
                f"row {row} of {what} (counting from 0) is a {type(value).__name__}; {what} "
                "must be one column of values",
                remedy="Give strings, numbers or tuples.",
            )
    if types in ({bool}, {int}):
        array = np.asarray(values)
        return array if array.dtype.kind in "biu" else values  # not beyond 64 bits
    return values


def distinct(column: Values) -> tuple[list[Any], IntArray]:
    """Distinct values, sorted if possible, and the index of each row's value.

    Truth values are not numbers: ``1`` is not ``True``.
    """
    if isinstance(column, np.ndarray):
        values, inverse = np.unique(column, return_inverse=True)
        return values.tolist(), inverse.reshape(-1).astype(np.int64, copy=False)
    numbers: dict[Any, int] = {}
    found: list[Any] = []
    codes: list[int] = []
    for value in column:
        key = (bool, value) if isinstance(value, bool | np.bool_) else value
        if key not in numbers:
            numbers[key] = len(found)
            found.append(value)
        codes.append(numbers[key])
    try:
        order = sorted(range(len(found)), key=found.__getitem__)
    except TypeError:  # values of several types, which stay in the order of the rows
        order = list(range(len(found)))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return [found[place] for place in order], rank[np.array(codes, np.int64)]


def written(values: Sequence[Any]) -> Strings:
    """Distinct values as strings; the type is added if two values would read the same."""
    texts = list(map(str, values))
    clashing = {text for text, times in Counter(texts).items() if times > 1}
    return Strings.from_list(
        f"{text} ({type(value).__name__})" if text in clashing and type(value) is not str else text
        for text, value in zip(texts, values, strict=True)
    )


def document_ids(names: Sequence[object]) -> tuple[str, ...]:
    """Ids of documents as strings; duplicates are refused, except for empty ids."""
    ids: dict[str, object] = {}
    for name in names:
        if str(name) and str(name) in ids:
            raise UsageError(
                f"two documents have the same id: {ids[str(name)]!r} and {name!r}",
                remedy="Give each document a unique id; numbers are compared as strings.",
                code="repeated-document",
            )
        ids[str(name)] = name
    return tuple(map(str, names))
