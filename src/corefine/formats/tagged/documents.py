"""Documents with the mentions of an answer, and heads of these mentions."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from corefine.corpus.copies import Copies, TagFault
from corefine.corpus.document import Document, Mention, without_empty_nodes
from corefine.formats.io.records import sentence_bounds
from corefine.formats.tagged.grounding import ground
from corefine.formats.tagged.listings import Listing
from corefine.formats.tagged.projection import Projected, WordPlace


def listed_document(
    source: Document, listing: Listing, failure: str = "", chunks: int = 1
) -> Document:
    """The document with the mentions of clusters of strings instead of its own."""
    document = _unannotated(source)
    mentions, copied = ground(source, listing.clusters)
    document.mentions = mentions if source.tokens else []
    set_heads(document)
    cut = [TagFault("", 0, "the answer is cut off: what is complete counts")] * listing.cut
    copied = replace(
        copied,
        malformed=len(cut),
        faults=tuple(cut),
        failure=failure,
        dialect=listing.shape,
        chunks="listed" if chunks > 1 else "",
    )
    document.copied = Copies("strings", (copied,))
    return document


def tagged_document(source: Document, projected: Projected, align: str) -> Document:
    """The source with the mentions and empty nodes of an answer instead of its own."""
    words = without_empty_nodes(_unannotated(source))
    document, token_of = _with_zeros(words, projected.zeros, "deps" in source.layers)
    for low, high, label in sorted(projected.spans, key=lambda s: (s[0], (-s[1][0], -s[1][1]))):
        document.mentions.append(Mention(label, [(token_of[low], token_of[high] + 1)]))
    set_heads(document)
    document.copied = Copies(align, (projected.copied,))
    return document


def _unannotated(source: Document) -> Document:
    """The document without its annotation and without ids, which may belong to empty nodes."""
    layers = {name: v for name, v in source.layers.items() if name not in ("sent_id", "node")}
    return replace(source, mentions=[], relations=[], annotations={}, layers=layers)


def _with_zeros(
    document: Document, zeros: Counter[int], dependent: bool
) -> tuple[Document, dict[WordPlace, int]]:
    """A document with so many empty nodes after each number of words; the token of each place."""
    words, starts = document.tokens or [], document.starts or [0]
    places = sorted(
        [
            *((place, 0) for place in range(1, len(words) + 1)),
            *((place, number + 1) for place in zeros for number in range(zeros[place])),
        ]
    )
    token_of = {place: token for token, place in enumerate(places)}
    if not zeros:
        return document, token_of
    # Nodes before the first word belong to its sentence.
    sentences = [token_of[start + 1, 0] - (zeros[0] if start == 0 else 0) for start in starts]

    def column(values: Sequence[str]) -> list[str]:
        return ["_" if number else values[place - 1] for place, number in places]

    layers = {name: column(values) for name, values in document.layers.items()}
    if dependent:
        layers.setdefault("deps", ["_"] * len(places))
        for (place, number), token in token_of.items():
            if number:
                sentence = starts[max(bisect_left(starts, place) - 1, 0)]
                layers["deps"][token] = f"{place - sentence}:_" if place else "0:_"
    lines = [document.lines[max(place - 1, 0)] for place, _ in places] if document.lines else []
    found = replace(
        document,
        tokens=column(words),
        starts=sorted(sentences),
        layers=layers,
        empty_nodes=[token for token, (_, number) in enumerate(places) if number],
        lines=lines,
        running_text=None,
        offsets=[],
    )
    return found, token_of


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
    parents: dict[int, int] = {}
    enhanced: dict[int, list[int]] = {}
    for start, stop in sentence_bounds(document):
        words = [token for token in range(start, stop) if token not in empty]
        known = {str(number): word for number, word in enumerate(words, 1)}
        for word in words:
            if numbers[word] in known:
                parents[word] = known[numbers[word]]
        known["0"] = _ROOT
        for token in range(start, stop):
            heads = [one.partition(":")[0] for one in deps[token].split("|")]
            enhanced[token] = [known[number] for number in heads if number in known]
            if deps[token] in ("", "_") and token in parents:
                enhanced[token] = [parents[token]]
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
