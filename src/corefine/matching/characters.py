"""One text with other tokens on the two sides: both are cut into the same, finer tokens.

Where the words of key and response are the same characters, white space left out, every boundary of
a token of either side becomes one of both. Nothing that a mention can begin or end with is lost, so
mentions are equal if and only if they have the same characters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, Strings, offsets_of, ranges
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.renumbering import TokenMap, renumber
from corefine.corpus.selection import tokens_at
from corefine.errors import AlignmentError


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """The characters of some documents that are not white space, and the tokens they belong to."""

    tokens: IntArray
    """Indices, over the corpus, of the tokens that are words."""
    characters: str
    """All characters of the words, including white space."""
    first: IntArray
    """Start of the characters of each token, and the end of the last token."""
    places: IntArray
    """The characters that are not white space."""
    ends: IntArray
    """Number of characters up to the end of each token."""
    texts: list[str]
    """The characters that are not white space, by document."""

    @classmethod
    def of(cls, tokens: Tokens, documents: IntArray) -> Solid:
        """Characters of the documents with these indices."""
        counts = np.diff(tokens.offsets)[documents]
        rows = ranges(tokens.offsets[documents], counts)
        owner = np.repeat(np.arange(len(documents)), counts)
        if tokens.empty is not None:
            words = ~tokens.empty[rows]
            rows, owner = rows[words], owner[words]
        texts = tokens.words.take(rows).tolist()
        characters = "".join(texts)
        first = offsets_of(np.array([len(text) for text in texts], np.int64))
        solid = np.array([not character.isspace() for character in characters], bool)
        bounds = first[np.searchsorted(owner, np.arange(len(documents) + 1))].tolist()
        return cls(
            rows,
            characters,
            first,
            np.flatnonzero(solid),
            offsets_of(solid.astype(np.int64))[first[1:]],
            ["".join(characters[begin:end].split()) for begin, end in pairwise(bounds)],
        )


def first_difference(key: Solid, response: Solid) -> tuple[int, int] | None:
    """Find the first document whose characters differ, and the position of the first difference."""
    for document, (ours, theirs) in enumerate(zip(key.texts, response.texts, strict=True)):
        if ours != theirs:
            pairs = enumerate(zip(ours, theirs, strict=False))
            shorter = min(len(ours), len(theirs))
            return document, next((at for at, (one, other) in pairs if one != other), shorter)
    return None


def refine(key: Corpus, response: Corpus, ours: Solid, theirs: Solid) -> tuple[Corpus, Corpus]:
    """Cut the tokens of both corpora at all word boundaries of either, in some documents.

    Tokens that are only white space are left out. Heads become the longest part of the token that
    they were, the last of several. Parts of a token have its layers; the layers ``head`` and
    ``deps`` still count the tokens of the file.
    """
    cuts = np.unique(np.concatenate([ours.ends, theirs.ends]))
    bounds = np.append(0, cuts[cuts > 0])
    # Words are counted as the key has them: windows and distances do not depend on the response.
    begun = np.isin(bounds[:-1], np.append(0, ours.ends))
    return _refined(key, ours, bounds, begun), _refined(response, theirs, bounds, begun)


def _refined(corpus: Corpus, side: Solid, bounds: IntArray, begun: BoolArray) -> Corpus:
    tokens = corpus.tokens
    assert tokens is not None
    begin, end = side.places[bounds[:-1]], side.places[bounds[1:] - 1] + 1
    owner = np.searchsorted(side.first, begin, side="right") - 1
    parts = np.ones(len(tokens), np.int64)
    parts[side.tokens] = np.bincount(owner, minlength=len(side.tokens))
    place = offsets_of(parts)
    old = np.repeat(np.arange(len(tokens)), parts)
    is_cut = np.zeros(len(tokens), bool)
    is_cut[side.tokens] = True
    cut = np.flatnonzero(is_cut[old])
    words = tokens.words.take(old).tolist()
    for token, first, last in zip(cut.tolist(), begin.tolist(), end.tolist(), strict=True):
        words[token] = side.characters[first:last]
    continues, sizes = np.zeros(len(old), bool), np.zeros(len(old), np.int64)
    continues[cut], sizes[cut] = ~begun, end - begin
    sentences = np.unique(place[tokens.sentences])
    refined = tokens_at(tokens, old, place[tokens.offsets], sentences[sentences < len(old)])
    if refined.text is not None:
        begins, ends = refined.text.begins, refined.text.ends
        ends[cut] = begins[cut] + end - side.first[owner]
        begins[cut] += begin - side.first[owner]
    once = {
        name: _divided(column, parts, _ONCE[name])
        for name, column in tokens.layers.items()
        if name in _ONCE
    }
    refined = replace(
        refined,
        words=Strings.from_list(words),
        layers={**refined.layers, **once},
        continues=continues,
    )
    _refuse_blank(corpus, tokens, place)
    token_map = TokenMap(place[:-1], parts, _longest(place, sizes))
    return renumber(corpus, refined, token_map)[0]


def _longest(place: IntArray, sizes: IntArray) -> IntArray:
    """The longest part of each token, the last of several; -1 for tokens without parts."""
    longest = np.full(len(place) - 1, -1)
    filled = np.flatnonzero(np.diff(place))
    order = sizes * len(sizes) + np.arange(len(sizes))
    if len(filled):
        longest[filled] = np.maximum.reduceat(order, place[filled]) % len(sizes)
    return longest


def _refuse_blank(corpus: Corpus, tokens: Tokens, place: IntArray) -> None:
    """Raise an error if a mention is only white space, and so has no parts of tokens."""
    for annotation in (corpus, *corpus.annotations.values()):
        mentions = annotation.mentions
        if not annotation.has_places:
            continue
        base = tokens.offsets[mentions.document]
        blank = place[base + mentions.start] == place[base + mentions.stop]
        if blank.any():
            mention = int(np.argmax(blank))
            document = int(mentions.document[mention])
            raise AlignmentError(
                f"a mention of document {corpus.documents[document]!r} is only white space, which "
                "cannot be aligned with a different tokenisation",
                corpus.location(document, int(mentions.start[mention])),
                "Remove the mention, or tokenise both sides the same way.",
            )


def _divided(column: Strings, parts: IntArray, divide: Callable[[str, int], list[str]]) -> Strings:
    """A layer whose cells are divided among the parts of a token."""
    return Strings.from_list(
        text
        for cell, count in zip(column.tolist(), parts.tolist(), strict=True)
        for text in ([cell] * count if count < 2 else divide(cell, count))
    )


def _divide_brackets(cell: str, count: int) -> list[str]:
    """Brackets such as ``(NP*)``: what opens to the first part, what closes to the last.

    >>> _divide_brackets("(S(NP*)", 2), _divide_brackets("(ORG)", 3), _divide_brackets("B-PER", 2)
    (['(S(NP*', '*)'], ['(ORG*', '*', '*)'], ['B-PER', 'B-PER'])
    """
    if "(" not in cell and ")" not in cell:
        return [cell] * count
    closing = len(cell) - len(cell.rstrip(")"))
    opening = cell[: len(cell) - closing].rstrip("*")
    return [f"{opening}*", *["*"] * (count - 2), "*" + ")" * closing]


_ONCE: dict[str, Callable[[str, int], list[str]]] = {
    "parse": _divide_brackets,
    "ner": _divide_brackets,
    "sent_id": lambda cell, count: [cell, *[""] * (count - 1)],
}
