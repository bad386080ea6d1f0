"""Numbers as papers print them: read from a typed-in table, and derived from one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

PrintedTable = dict[str, dict[str, float]]
"""By row and column, the numbers of a table."""


def printed_table(text: str) -> PrintedTable:
    """A table as typed in: a line of columns, then a line for each row; ``–`` is no number."""
    head, *lines = (line.split() for line in text.strip().splitlines())
    return {
        row: {
            column: float(number)
            for column, number in zip(head[1:], numbers, strict=True)
            if number != "–"
        }
        for row, *numbers in lines
    }


@dataclass(frozen=True, slots=True)
class Derived:
    """A number that follows from printed ones, and how far their rounding may have moved it."""

    value: float
    slack: float


def derive(
    rule: Callable[..., float], *printed: float, decimals: int, exact: Sequence[float] = ()
) -> Derived:
    """Apply a rule that is monotone in each number to what was printed with so many decimals.

    Each number stands for all that are rounded to it, so the ends of these ranges give the ends of
    the result. Numbers in ``exact`` are counts, which are not rounded.
    """
    half = 0.5 * 10.0**-decimals
    value = rule(*printed, *exact)
    corners = [
        rule(*corner, *exact) for corner in product(*((one - half, one + half) for one in printed))
    ]
    return Derived(value, max(abs(corner - value) for corner in corners))


def f_measure(precision: float, recall: float) -> float:
    """The harmonic mean of precision and recall."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def mean(*values: float) -> float:
    return sum(values) / len(values)


def one_digit_apart(one: float, other: float, decimals: int) -> bool:
    """Whether two numbers, printed with so many decimals, differ in a single digit."""
    first, second = (f"{number:.{decimals}f}" for number in (one, other))
    if len(first) != len(second):
        return False
    return sum(a != b for a, b in zip(first, second, strict=True)) == 1
