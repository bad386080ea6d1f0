"""Markup: elements of HTML and SVG in which text can never become markup.

An :class:`Element` is written with every attribute and every string escaped, so that whatever a
corpus contains is shown and never run.

>>> print(element("text", "a < b", class_="label", x=1.5))
<text class="label" x="1.5">a &lt; b</text>
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from corefine.output.plain_text import showable

Attribute = str | int | float | None
VOID = ("input",)
"""Elements without content, which have no end tag."""
SHAPES = ("circle", "line", "path", "rect", "use")
"""Elements of drawings that may end at once."""


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
        if self.name in VOID:
            return f"<{self.name}{written}>"
        if self.name in SHAPES and not self.children:
            return f"<{self.name}{written}/>"
        inside = "".join(
            str(child) if isinstance(child, Element) else escape(showable(child), quote=False)
            for child in self.children
        )
        return f"<{self.name}{written}>{inside}</{self.name}>"


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


def _value(value: Attribute) -> str:
    if isinstance(value, float):
        return f"{round(value, 2):g}" if abs(value) < 1e5 else str(round(value, 2))
    return str(value)
