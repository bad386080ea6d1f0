"""Places in texts that tools count in the 16-bit units of UTF-16, as Java and JavaScript do."""

from __future__ import annotations


def code_point_offsets(text: str) -> list[int]:
    """For each unit of a text, and the one behind its last, the character that it belongs to.

    >>> code_point_offsets("a😊b")
    [0, 1, 1, 2, 3]
    """
    if text.isascii() or max(text) <= "\uffff":
        return list(range(len(text) + 1))
    offsets = []
    for place, character in enumerate(text):
        offsets += [place] * (1 + (character > "\uffff"))
    return [*offsets, len(text)]
