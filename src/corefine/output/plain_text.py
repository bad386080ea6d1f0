"""Plain text for people: characters that every program can show, and their widths."""

from __future__ import annotations

import re

from corefine.errors import escaped

# Not allowed in HTML and XML: control characters, half of a surrogate pair, non-characters.
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_NARROW = frozenset("ijlI.,:;!|' ()[]")
_BROAD = frozenset("mwMW@%—…")
ROUNDING = 1e-6
"""Widths that differ by less are the same, added up in another order."""


def showable(text: str) -> str:
    """The text with a replacement character for characters that no page can hold."""
    return _UNSHOWABLE.sub("\ufffd", text)


def all_showable(texts: list[str]) -> list[str]:
    """The same for many texts, checked together since nearly all can be shown."""
    if _UNSHOWABLE.search("".join(texts)) is None:
        return texts
    return [showable(text) for text in texts]


def one_line(text: str) -> str:
    """The text in one line, without terminal control characters."""
    if text.isprintable():
        return text
    return escaped(" ".join(text.replace("\t", " ").splitlines()))


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def counted(count: int, what: str) -> str:
    """A number of things: ``1 document``, ``1,200 documents``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def cell_width(text: str) -> int:
    """The cells that a text takes in a terminal: two per wide character, none per combining one.

    >>> cell_width("北京 e\u0301")
    6
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        2 if east_asian_width(character) in "WF" else not combining(character) for character in text
    )


def padded(text: str, width: int, *, right: bool = False) -> str:
    """The text padded with blanks; ``right`` aligns it to the right."""
    blanks = " " * (width - cell_width(text))
    return blanks + text if right else text + blanks


def shortened_inside(text: str, width: int) -> str:
    """The text, or its beginning and end with an ellipsis between: names often differ there."""
    if cell_width(text) <= width:
        return text
    end = (width - 1) // 2
    tail = ""
    while len(tail) < len(text) and cell_width(text[-len(tail) - 1 :]) <= end:
        tail = text[-len(tail) - 1 :]
    head = text[: width - 1 - end]
    while cell_width(head) > width - 1 - end:
        head = head[:-1]
    return f"{head}…{tail}"


def wrapped_note(note: str, width: int) -> list[str]:
    """A note in lines of at most this width, broken between words or after bars (signatures)."""
    if cell_width(note) <= width:
        return [note]
    separator = " " if " " in note else "|"
    lines = [""]
    for part in re.findall(f"[^{separator}]*(?:[{separator}]|$)", note):
        if lines[-1] and cell_width(lines[-1] + part.rstrip(" ")) > width:
            lines.append("")
        lines[-1] += part
    return [line.rstrip(" ") for line in lines]


def text_width(text: str, size: float = 12.0) -> float:
    """About how wide a text is in a common sans-serif font, in the unit of ``size``.

    There is no font to measure here: the estimate is on the safe side for Latin text, and takes
    wide characters as square and combining ones as nothing.
    """
    from unicodedata import combining, east_asian_width  # only charts need them

    width = 0.0
    for character in text:
        if east_asian_width(character) in "WF":
            width += 1.0
        elif not combining(character):
            width += 0.35 if character in _NARROW else 0.62 if character not in _BROAD else 0.95
    return width * size


def fitted(text: str, width: float, size: float = 12.0) -> str:
    """The text, cut with an ellipsis where it would be wider than ``width``."""
    if text_width(text, size) <= width + ROUNDING:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…"
