"""Connected components: tables that have nothing to do with each other, solved apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """Cells by component. The shorter side of each component lies along its rows."""

    number: IntArray
    """By cell: its component."""
    row: IntArray
    """By cell: its row, counted within the component."""
    column: IntArray
    """By cell: its column, counted within the component."""
    height: IntArray
    """By component: how many rows it has."""
    width: IntArray
    """By component: how many columns it has, no fewer than rows."""


def split(rows: IntArray, columns: IntArray) -> Components:
    """The components of these cells, in the order of their first rows."""
    _, row = np.unique(rows, return_inverse=True)
    _, column = np.unique(columns, return_inverse=True)
    _, of_row = np.unique(_labels(row, column), return_inverse=True)
    number = of_row[row]
    of_column = np.empty(int(column.max()) + 1, dtype=np.int64)
    of_column[column] = number
    height, width = np.bincount(of_row), np.bincount(of_column)
    row, column = _ranks(of_row, height)[row], _ranks(of_column, width)[column]
    lying = (height <= width)[number]
    return Components(
        number=number,
        row=np.where(lying, row, column),
        column=np.where(lying, column, row),
        height=np.minimum(height, width),
        width=np.maximum(height, width),
    )


def _labels(row: IntArray, column: IntArray) -> IntArray:
    """By row, the first row of its component.

    Each row looks for the lowest label among the rows that it shares a column with, and the row
    that its own label names is told of it: labels merge like trees, and the number of rounds grows
    with the logarithm of the component's diameter.
    """
    rows = int(row.max()) + 1
    columns = int(column.max()) + 1
    label = np.arange(rows)
    while True:
        lowest_at_column = np.full(columns, rows)
        np.minimum.at(lowest_at_column, column, label[row])
        lowest = label.copy()
        np.minimum.at(lowest, row, lowest_at_column[column])
        merged = lowest.copy()
        np.minimum.at(merged, label, lowest)
        while (merged != (shorter := merged[merged])).any():
            merged = shorter
        if (merged == label).all():
            return label
        label = merged


def _ranks(group: IntArray, sizes: IntArray) -> IntArray:
    """The place of each member within its group."""
    order = np.argsort(group, kind="stable")
    ranks = np.empty(group.size, dtype=np.int64)
    ranks[order] = np.arange(group.size) - np.repeat(offsets_of(sizes)[:-1], sizes)
    return ranks
