"""Which tokens lie in a named entity, from a column of brackets or of B-, I- and O-labels."""

from __future__ import annotations

import re

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Tokens

_NUMBERS = {
    "CARDINAL",
    "DATE",
    "DURATION",
    "MONEY",
    "NUMBER",
    "ORDINAL",
    "PERCENT",
    "QUANTITY",
    "SET",
    "TIME",
}
"""Labels of expressions that are no names."""
_PREFIXED = re.compile(r"[BIESUL]-(.+)")


def in_named_entity(tokens: Tokens) -> BoolArray | None:
    """Of each token, whether a named entity covers it that is a name and no number or date."""
    column = tokens.layers.get("ner")
    if column is None:
        return None
    codes = column.codes()
    values, first = np.unique(codes, return_index=True)
    cells = [_judge(cell) for cell in column.take(first).tolist()]
    table = np.zeros((3, int(values.max(initial=0)) + 1), np.int64)
    table[:, values] = np.array(cells, np.int64).reshape(-1, 3).T
    opens, closes, name = table[:, codes]
    inside: BoolArray = name > 0
    if opens.any():
        inside |= _between_brackets(opens, closes, inside, tokens.sentences)
    return inside


def _between_brackets(
    opens: IntArray, closes: IntArray, name: BoolArray, sentences: IntArray
) -> BoolArray:
    """Whether the last bracket that was opened is a name's and still open, within a sentence."""
    before = np.cumsum(opens - closes) - (opens - closes)
    places = np.arange(len(opens))
    base = before[sentences][np.searchsorted(sentences, places, side="right") - 1]
    last = np.maximum.accumulate(np.where(opens > 0, places, 0))
    still_open: BoolArray = before - base > 0
    return still_open & name[last]


def _judge(cell: str) -> tuple[int, int, bool]:
    """Brackets opened, brackets closed, and whether the cell says that it is in a name."""
    if not cell.strip("*-_)") or cell == "O":
        return 0, cell.count(")"), False
    prefixed = _PREFIXED.fullmatch(cell)
    label = prefixed.group(1) if prefixed else cell.strip("()*")
    return cell.count("("), cell.count(")"), label.upper() not in _NUMBERS
