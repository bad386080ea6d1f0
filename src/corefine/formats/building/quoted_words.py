"""Mentions whose files repeat their words, and give others than the text has there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.errors import FormatError, Location


def told(
    differing: IntArray,
    document: IntArray,
    tell: Callable[[int], str],
    where: Callable[[int], Location],
) -> list[str]:
    """Warnings of mentions that differ, one for each document; an error where most of one's do.

    ``document`` is that of every mention, ``tell`` says how one differs, ``where`` it stands.
    """
    if not len(differing):
        return []
    totals = np.bincount(document).tolist()
    warnings = []
    for number, count in enumerate(np.bincount(document[differing]).tolist()):
        if not count:
            continue
        mention = int(differing[np.argmax(document[differing] == number)])
        if 2 * count > totals[number]:
            remedy = "Check that this is the annotated text."
            raise FormatError(tell(mention), where(mention), remedy)
        more = f" (and {count - 1} more)" if count > 1 else ""
        warnings.append(f"{where(mention)}: {tell(mention)}{more}")
    return warnings


def shown(text: str) -> str:
    """A text for a message, cut where it is too long for one."""
    return repr(text if len(text) <= 60 else text[:59] + "…")
