"""Documents with the mentions that an answer lists as strings, and heads of their mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from corefine.corpus.document import Document
from corefine.formats.tagged.copies import Copied, Copies, TagFault
from corefine.formats.tagged.grounding import ground
from corefine.formats.tagged.listings import Listing


def listed_document(
    source: Document, listing: Listing, failure: str = "", chunks: int = 1
) -> Document:
    """The document with the mentions of clusters of strings instead of its own."""
    layers = {name: v for name, v in source.layers.items() if name not in ("sent_id", "node")}
    document = replace(source, mentions=[], relations=[], annotations={}, layers=layers)
    grounded = ground(source, listing.clusters)
    document.mentions = grounded.mentions if source.tokens else []
    set_heads(document)
    words = len(source.tokens or ())
    faults = (
        [TagFault("", 0, "the answer is cut off: what is complete counts")] if listing.cut else []
    )
    copied = Copied(
        source.name,
        words,
        words,
        mentions=len(grounded.mentions),
        kept=len(grounded.mentions) - grounded.missing,
        moved=sum(len(choice.rows) for choice in grounded.choices),
        lost=grounded.missing,
        malformed=len(faults),
        faults=tuple(faults),
        failure=failure,
        dialect=listing.shape,
        corrected=grounded.corrected,
        choices=grounded.choices,
        ordered=grounded.ordered,
        chunks="listed" if chunks > 1 else "",
    )
    document.copied = Copies("strings", (copied,))
    return document


# --- heads --------------------------------------------------------------------------------------

_ROOT = -1
"""Parent of the root of a sentence in enhanced dependencies."""


def set_heads(document: Document) -> None:
    """Set heads by the dependency tree, as the shared task's tools do.

    A head is the highest word of its mention: the only one whose parent is outside or, if there are
    several, the only one without an enhanced dependency inside, then the one that governs the
    others. Otherwise it is the first word or the first candidate.
    """
    numbers = document.layers.get("head")
    if numbers is None:
        return
    deps = document.layers.get("deps") or ["_"] * len(numbers)
    empty = set(document.empty_nodes)
    starts = document.starts or [0]
    parents: dict[int, int] = {}
    enhanced: dict[int, list[int]] = {}
    for start, stop in pairwise([*starts, len(numbers)]):
        words = [token for token in range(start, stop) if token not in empty]

        def word(number: str, words: list[int] = words) -> int | None:
            known = number.isdecimal() and len(number) < 10 and 0 < int(number) <= len(words)
            return words[int(number) - 1] if known else None

        for token in range(start, stop):
            parent = None if token in empty else word(numbers[token])
            if parent is not None:
                parents[token] = parent
            if deps[token] in ("", "_"):
                enhanced[token] = [] if parent is None else [parent]
            else:
                heads = [one.partition(":")[0] for one in deps[token].split("|")]
                found = [_ROOT if one == "0" else word(one) for one in heads]
                enhanced[token] = [other for other in found if other is not None]
    for mention in document.mentions:
        inside = [token for start, stop in mention.spans for token in range(start, stop)]
        mention.head = _highest(inside, parents, enhanced, empty)


def _highest(
    inside: Sequence[int],
    parents: Mapping[int, int],
    enhanced: Mapping[int, Sequence[int]],
    empty: set[int],
) -> int:
    """The highest of the tokens of a mention."""
    tokens = set(inside)
    tops = [token for token in inside if parents.get(token) not in tokens]
    if len(tops) == 1:
        return tops[0]
    heads = [token for token in tops if tokens.isdisjoint(enhanced[token])]
    heads = heads or [token for token in tops if not tokens.issuperset(enhanced[token])]
    if len(heads) < 2:
        return heads[0] if heads else inside[0]
    words = {token for token in heads if token not in empty}
    words |= {enhanced[token][0] for token in heads if token in empty and enhanced[token]}
    common: list[int] | None = None
    for token in words:
        path = [token]
        while path[-1] in parents and parents[path[-1]] not in path:
            path.append(parents[path[-1]])
        common = path if common is None else [one for one in common if one in path]
    if common and common[0] in heads:
        return common[0]
    return inside[0] if inside[0] in heads else heads[0]
