"""Markup: elements of HTML and SVG in which text can never become markup.

An :class:`Element` is written with every attribute and every string escaped, so that whatever a
corpus holds is shown and nothing of it is run. It tells jinja2 (``__html__``) that it is safe.

>>> print(element("text", "a < b", class_="label", x=1.5))
<text class="label" x="1.5">a &lt; b</text>
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

Attribute = str | int | float | None

# What neither HTML nor XML can hold: control characters, half of a surrogate pair, non-characters.
_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_NARROW = frozenset("ijlI.,:;!|' ()[]")
_BROAD = frozenset("mwMW@%—…")


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its name, its attributes and what stands inside it."""

    name: str
    attributes: tuple[tuple[str, Attribute], ...]
    children: tuple[Element | str, ...]

    def __str__(self) -> str:
        written = "".join(
            f' {name}="{escape(showable(_value(value)))}"'
            for name, value in self.attributes
            if value is not None
        )
        inside = "".join(
            str(child) if isinstance(child, Element) else escape(showable(child), quote=False)
            for child in self.children
        )
        return f"<{self.name}{written}>{inside}</{self.name}>"

    def __html__(self) -> str:
        return str(self)


def element(
    name: str, *children: Element | str | Iterable[Element | str], **attributes: Attribute
) -> Element:
    """An element; ``class_`` is the attribute class, ``stroke_width`` is stroke-width.

    Children are elements, strings and lists of them; an attribute that is None is left out.
    """
    inside: list[Element | str] = []
    for child in children:
        if isinstance(child, Element | str):
            inside.append(child)
        else:
            inside.extend(child)
    named = tuple((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    return Element(name, named, tuple(inside))


def showable(text: str) -> str:
    """The text with a replacement character for what no page can hold."""
    return _UNSHOWABLE.sub("\ufffd", text)


def _value(value: Attribute) -> str:
    if isinstance(value, float):
        return f"{round(value, 2):g}" if abs(value) < 1e5 else str(round(value, 2))
    return str(value)


def text_width(text: str, size: float = 12.0) -> float:
    """About how wide a text is in a common sans-serif font, in the unit of ``size``.

    There is no font to measure here: the estimate is on the safe side for Latin text, and takes
    wide characters as square and combining ones as nothing.
    """
    width = 0.0
    for character in text:
        if unicodedata.east_asian_width(character) in "WF":
            width += 1.0
        elif not unicodedata.combining(character):
            width += 0.35 if character in _NARROW else 0.62 if character not in _BROAD else 0.95
    return width * size


def fitted(text: str, width: float, size: float = 12.0) -> str:
    """The text, cut with an ellipsis where it would be wider than ``width``."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…"
