"""Drawings without a style sheet: every colour and width is an attribute of its element.

Programs that make papers (LaTeX, Inkscape, word processors) and those that make pixels know little
of CSS: neither variables nor ``light-dark()``. Here the style of the charts is worked out
beforehand, in its light colours and on a white ground.

Only what the style of the charts consists of is understood: rules for one class each, variables,
``light-dark()``. Later rules win over earlier ones, whatever the order of an element's classes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from corefine.showing.markup import Attribute, Element, element

_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_CLASS = re.compile(r"\.([\w-]+)")
_VARIABLE = re.compile(r"var\((--[\w-]+)\)")
_LIGHT = re.compile(r"light-dark\(([^,()]+),[^()]*\)")

# What has a meaning as an attribute of SVG.
_ATTRIBUTES = frozenset(
    (
        "fill",
        "fill-opacity",
        "font-family",
        "font-size",
        "font-weight",
        "stroke",
        "stroke-dasharray",
        "stroke-linecap",
        "stroke-opacity",
        "stroke-width",
    )
)


@dataclass(frozen=True, slots=True)
class Rule:
    """The declarations of one class."""

    name: str
    declarations: tuple[tuple[str, str], ...]


def rules_of(style: str) -> list[Rule]:
    """The rules of a style sheet that are for a single class, in their order."""
    rules = []
    for selectors, body in _RULE.findall(style):
        declarations = tuple(
            (name.strip(), " ".join(value.split()))
            for name, _, value in (part.partition(":") for part in body.split(";"))
            if value.strip()
        )
        for selector in selectors.split(","):
            single = _CLASS.fullmatch(selector.strip())
            if single is not None:
                rules.append(Rule(single[1], declarations))
    return rules


def plain(drawing: Element, style: str) -> Element:
    """The drawing with attributes in the place of its classes, on a ground of its own."""
    rules = rules_of(style)
    variables = {
        name: value
        for rule in rules
        if rule.name in _classes(drawing)
        for name, value in rule.declarations
        if name.startswith("--")
    }
    ground = element(
        "rect", width="100%", height="100%", fill=_resolved("var(--cf-paper)", variables)
    )
    result = _plain(drawing, rules, variables)
    # A drawing's title and description have to be its first children.
    words = sum(isinstance(c, Element) and c.name in ("title", "desc") for c in result.children)
    children = (*result.children[:words], ground, *result.children[words:])
    return Element(result.name, result.attributes, children)


def _plain(one: Element, rules: list[Rule], inherited: dict[str, str]) -> Element:
    classes = _classes(one)
    applied = [
        declaration for rule in rules if rule.name in classes for declaration in rule.declarations
    ]
    variables = inherited | {name: value for name, value in applied if name.startswith("--")}
    styled: dict[str, Attribute] = {
        name: _resolved(value, variables) for name, value in applied if name in _ATTRIBUTES
    }
    own = {name: value for name, value in one.attributes if name != "class"}
    return Element(
        one.name,
        tuple((styled | own).items()),
        tuple(
            _plain(child, rules, variables) if isinstance(child, Element) else child
            for child in one.children
        ),
    )


def _classes(one: Element) -> set[str]:
    return set(str(dict(one.attributes).get("class") or "").split())


def _resolved(value: str, variables: dict[str, str]) -> str:
    """A value without variables, of the two colours the light one."""
    while (found := _VARIABLE.search(value)) is not None:
        value = value.replace(found[0], variables.get(found[1], "currentColor"))
    return _LIGHT.sub(lambda colours: colours[1].strip(), value)
