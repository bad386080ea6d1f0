"""Addresses inside the page: the fragments after ``#`` that the page's own script reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from corefine.output.plain_text import showable


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to another place of the page."""

    words: str
    address: str


@dataclass(frozen=True, slots=True)
class Aside:
    """Text with less emphasis, such as an interval after its score."""

    words: str


@dataclass(frozen=True, slots=True)
class Strong:
    """Text or a link with more emphasis than its surroundings."""

    words: str | Link


Sentence = tuple[str | Link | Aside | Strong, ...]
"""A sequence of texts and links."""


def place(document: str, what: str = "", response: str = "", beside: str = "") -> str:
    """The address of a document, of an entity (``3``) or an error (``!12``) in it."""
    parts = [document, what, response, beside]
    while len(parts) > 2 and not parts[-1]:
        parts.pop()
    return "#" + "/".join(map(_encoded, parts))


def section(name: str, chosen: Mapping[str, str] | None = None) -> str:
    """The address of a section, with what is chosen in its table."""
    pairs = "&".join(f"{_encoded(key)}={_encoded(value)}" for key, value in (chosen or {}).items())
    return f"#{name}?{pairs}" if pairs else f"#{name}"


def _encoded(text: str) -> str:
    return quote(showable(text), safe="!~*'()")
