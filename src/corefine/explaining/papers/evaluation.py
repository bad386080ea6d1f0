"""Evaluation of a paper's data file: printed tables, numbers of the text, and claims.

``data/PAPER.toml`` describes a paper, ``data/PAPER.json`` has the keys and responses it prints:

``citation``, ``notes``, ``exhibits``
    citation, remarks, and the tables and figures as lists of name, title and note.
``[define]``
    names for the values of expressions.
``[[tables]]``
    a printed table: ``exhibit``, ``decimals``, and ``text`` (columns, then a line per row; ``–`` is
    a missing number) or ``printed`` (numbers by row and column, or an expression for them).
    Expressions refer to it by its ``name``. Each number becomes a
    :class:`~corefine.explaining.papers.results.Cell` by the first of ``[[tables.rules]]`` whose
    ``rows`` and ``columns`` match: ``value`` is the computed number and ``explanation`` a reason
    for a difference, or ``reason`` says why there is no value and ``stand_in`` is the value on
    other data. ``row_label`` and ``column_label`` are expressions for other names.
``[[numbers]]``
    numbers of the text under one rule, as lists of row, column, number and expression.
``[[claims]]``
    ``where``, ``text``, ``holds`` (an expression), ``numbers``, and ``why`` for a claim that fails.
    ``for`` repeats a claim for each value of a variable, ``let`` names values.

Expressions are Python. They refer to the functions of this module, to the names that the module of
the paper provides and, in a rule, to ``row``, ``column``, ``number`` (as printed), ``printed`` (the
row) and ``value``. ``text``, ``numbers``, ``why``, ``reason`` and ``notes`` are f-strings.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cached_property
from importlib.resources import files
from itertools import pairwise, product
from typing import Any

import numpy as np

from corefine.comparing.ranking import ranked
from corefine.explaining.papers.results import (
    Cell,
    Claim,
    Exhibit,
    Reason,
    Reproduction,
    Source,
)
from corefine.scoring.score import score

PrintedTable = dict[str, dict[str, float]]
"""The numbers of a table by row and column."""
Names = Mapping[str, Any]


def printed_table(text: str) -> PrintedTable:
    """Parse a table: a line of columns, then a line per row; ``–`` is a missing number."""
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
class Range:
    """The values that a number can have, given that its inputs are rounded."""

    value: float
    """The value computed from the inputs as printed."""
    low: float
    high: float

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    def overlaps(self, other: Range) -> bool:
        """True if both have a value in common."""
        return self.low <= other.high and other.low <= self.high

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    @property
    def slack(self) -> float:
        """Largest difference between the value and another one in the range."""
        return max(self.high - self.value, self.value - self.low)

    def __str__(self) -> str:
        return f"{self.low:,.0f} to {self.high:,.0f}"


def derive(
    rule: Callable[..., float], *printed: float, decimals: int = 2, exact: Sequence[float] = ()
) -> Range:
    """Apply a rule that is monotone in each argument to numbers printed with so many decimals.

    A printed number represents all numbers that round to it, so the limits of these ranges give
    the limits of the result. Numbers in ``exact`` are counts, which are not rounded.
    """
    half = 0.5 * 10.0**-decimals
    corners = [
        rule(*corner, *exact) for corner in product(*((one - half, one + half) for one in printed))
    ]
    value = rule(*printed, *exact)
    return Range(value, min(value, *corners), max(value, *corners))


def f_measure(precision: float, recall: float) -> float:
    """Harmonic mean of precision and recall."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def mean(*values: float) -> float:
    return sum(values) / len(values)


def ranks(values: Sequence[float]) -> list[int]:
    """Competition ranks ("1, 1, 3"), the highest value first."""
    return [int(rank) for rank in ranked(np.array(values))]


def one_digit_apart(one: float, other: float, decimals: int) -> bool:
    """True if two numbers, printed with so many decimals, differ in a single digit."""
    first, second = (f"{number:.{decimals}f}" for number in (one, other))
    if len(first) != len(second):
        return False
    return sum(a != b for a, b in zip(first, second, strict=True)) == 1


def load(paper: str) -> dict[str, Any]:
    """Keys, responses and numbers that a paper prints with them."""
    facts: dict[str, Any] = json.loads(_read(f"{paper}.json"))
    return facts


def _read(name: str) -> str:
    return (files("corefine.explaining.papers") / "data" / name).read_text("utf-8")


FUNCTIONS: Names = {
    "Reason": Reason,
    "Fraction": Fraction,
    "derive": derive,
    "f_measure": f_measure,
    "mean": mean,
    "one_digit_apart": one_digit_apart,
    "pairwise": pairwise,
    "ranks": ranks,
    "score": score,
    "SAME": 1e-9,
}


class Paper:
    """The data file of a paper."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.data: dict[str, Any] = tomllib.loads(_read(f"{name.replace('-', '_')}.toml"))

    @cached_property
    def tables(self) -> dict[str, PrintedTable]:
        """The tables that have a name."""
        return {
            table["name"]: printed_table(table["text"]) if "text" in table else table["printed"]
            for table in self.data.get("tables", ())
            if "name" in table
        }

    def evaluate(self, names: Names | None = None, **figures: Any) -> Reproduction:
        """Evaluate all expressions; ``figures`` are the plots, matrices and directions."""
        known = dict(FUNCTIONS) | self.tables | dict(names or {})
        for name, expression in self.data.get("define", {}).items():
            known[name] = evaluate(expression, known)
        cells = [
            *(cell for table in self.data.get("tables", ()) for cell in _table_cells(table, known)),
            *(cell for rule in self.data.get("numbers", ()) for cell in _text_cells(rule, known)),
        ]
        return Reproduction(
            self.name,
            self.data["citation"],
            tuple(Exhibit(*one) for one in self.data["exhibits"]),
            tuple(cells),
            tuple(claim for one in self.data["claims"] for claim in _claims(one, known)),
            notes=tuple(formatted(note, known) for note in self.data.get("notes", ())),
            **figures,
        )


def evaluate(expression: Any, names: Names) -> Any:
    """Evaluate an expression of a data file; anything but a string is a value itself."""
    if not isinstance(expression, str):
        return expression
    return eval(f"({expression})", dict(names))


def formatted(text: str, names: Names) -> str:
    """Replace the fields of an f-string."""
    if "{" not in text:
        return text
    joined = " ".join(line.strip() for line in text.strip().splitlines())
    result: str = eval(f'f"""{joined} """', dict(names))
    return result.rstrip()


def _table_cells(table: dict[str, Any], names: Names) -> Iterator[Cell]:
    printed: PrintedTable = (
        printed_table(table["text"]) if "text" in table else evaluate(table["printed"], names)
    )
    for row, numbers in printed.items():
        for column, number in numbers.items():
            rule = next(rule for rule in table["rules"] if _matches(rule, row, column))
            local = {"row": row, "column": column, "number": number, "printed": numbers}
            yield _cell({**table, **rule}, rule.get("value"), dict(names) | local)


def _matches(rule: dict[str, Any], row: str, column: str) -> bool:
    """True if the rule applies to a row and a column; both are lists of patterns."""
    return all(
        any(fnmatchcase(name, pattern) for pattern in rule.get(patterns, ["*"]))
        for patterns, name in (("rows", row), ("columns", column))
    )


def _text_cells(rule: dict[str, Any], names: Names) -> Iterator[Cell]:
    for row, column, number, *expression in rule["list"]:
        local = {"row": row, "column": column, "number": number}
        yield _cell(rule, expression[0] if expression else None, dict(names) | local)


def _cell(rule: dict[str, Any], expression: Any, names: dict[str, Any]) -> Cell:
    """A printed number under a rule; a value of type Range is derived from rounded numbers."""
    value = None if expression is None else evaluate(expression, names)
    slack = value.slack if isinstance(value, Range) else 0.0
    value = value.value if isinstance(value, Range) else value
    names["value"] = value
    source: Source = "not derivable" if expression is None else rule.get("source", "derived")
    return Cell(
        rule["exhibit"],
        _words(evaluate(rule.get("row_label", "row"), names)),
        _words(evaluate(rule.get("column_label", "column"), names)),
        names["number"],
        value,
        rule["decimals"],
        cuts=evaluate(rule.get("cuts", False), names),
        source=source,
        slack=slack,
        explanation=evaluate(rule.get("explanation"), names),
        reason=formatted(rule.get("reason", ""), names) if expression is None else "",
        stand_in=evaluate(rule.get("stand_in"), names),
    )


def _words(name: str) -> str:
    """The name of a row or column of a printed table, which has no blanks, in words."""
    return re.sub(r"(?<=\w)[._](?=\w)", " ", name)


def _claims(data: dict[str, Any], names: Names) -> Iterator[Claim]:
    variables = data.get("for", {})
    for values in product(*(evaluate(values, names) for values in variables.values())):
        local = dict(names) | dict(zip(variables, values, strict=True))
        for name, expression in data.get("let", {}).items():
            local[name] = evaluate(expression, local)
        holds = bool(evaluate(data["holds"], local))
        yield Claim(
            formatted(data["where"], local),
            formatted(data["text"], local),
            holds,
            formatted(data["numbers"], local),
            "" if holds else formatted(data.get("why", ""), local),
        )
