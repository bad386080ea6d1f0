"""Identity of mentions: numbers that are equal for the same expression.

Two mentions are the same expression if they cover the same words of the same document or, without
a text, if they have the same name in the same document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import count, pairwise
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import UsageError
from corefine.matching.fingerprint import Fingerprint, entity_sums, mention_codes
from corefine.matching.matched import Pair
from corefine.matching.places import STRIDE, Places


def identify(
    key_places: Places, response_places: Places, with_heads: bool = False
) -> tuple[IntArray, IntArray]:
    """Numbers of the mentions of both sides that are equal for the same expression.

    With ``with_heads``, mentions with different heads are different expressions.
    """
    key, response = key_places.corpus, response_places.corpus
    _refuse_rows(key, response)
    if key.has_places and response.has_places:
        return _identify_places(key_places, response_places, with_heads)
    ours, theirs = key.mentions.names, response.mentions.names
    if isinstance(ours, Strings) and isinstance(theirs, Strings):
        return _identify_strings(key.mentions, ours, response.mentions, theirs)
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        sorts = {ours.dtype.kind, theirs.dtype.kind}
        # Not where NumPy would round: the common type of int64 and uint64 is float64.
        whole = sorts <= {"i", "u"} and np.result_type(ours, theirs).kind != "f"
        if whole or sorts in ({"b"}, {"m"}, {"M"}):
            return _identify_arrays(key.mentions, ours, response.mentions, theirs)
    return _identify_names(key, response)


def _refuse_rows(key: Corpus, response: Corpus) -> None:
    """Raise an error for labels without mentions against mentions, or against other rows."""
    by_row = [
        side.has_places and side.tokens is None and side.format == "labels"
        for side in (key, response)
    ]
    if not any(by_row) or not len(key.mentions) or not len(response.mentions):
        return
    remedy = "Give both sides a column mention, or mentions= of Corpus.from_labels."
    if not all(by_row):
        rows, other = ("key", "response") if by_row[0] else ("response", "key")
        raise UsageError(
            f"the {rows} has labels without mentions, the {other} has mentions", remedy=remedy
        )
    if not np.array_equal(key.mentions.document, response.mentions.document):
        raise UsageError(
            f"labels without mentions are compared row by row, but the key has "
            f"{len(key.mentions):,} rows and the response {len(response.mentions):,}"
            if len(key.mentions) != len(response.mentions)
            else "labels without mentions are compared row by row, but the rows belong to "
            "different documents",
            remedy=remedy,
        )


def _identify_places(key: Places, response: Places, with_heads: bool) -> tuple[IntArray, IntArray]:
    sides = (key, response)
    documents = [side.corpus.mentions.document for side in sides]
    beyond = [side.last - side.first for side in sides]
    longest = 1 + max(int(lengths.max(initial=0)) for lengths in beyond)
    ends = np.zeros(max(len(key.corpus.documents), 1), np.int64)
    if len(ends) > 1:
        for side, document in zip(sides, documents, strict=True):
            np.maximum.at(ends, document, side.last + 1)
    before = np.cumsum(ends) - ends
    codes = []
    for side, document, code in zip(sides, documents, beyond, strict=True):
        # In place: the columns of a giant document are long.
        code += side.first * longest
        if len(ends) > 1:
            code += before[document] * longest
        codes.append(code)
    seen: dict[Hashable, int] = {}
    for side, code in zip(sides, codes, strict=True):
        _identify_irregular(side, code, seen)
    if with_heads:
        return _combined(codes, [side.head for side in sides])
    return codes[0], codes[1]


def _identify_irregular(side: Places, codes: IntArray, seen: dict[Hashable, int]) -> None:
    """Give mentions that are not a sequence of words negative numbers, by their set of words."""
    rows = np.flatnonzero(side.irregular)
    if len(rows) == 0:
        return
    owner, places = side.words(rows)
    documents = side.corpus.mentions.document[rows].tolist()
    parts = np.split(places, np.searchsorted(owner, np.arange(1, len(rows))))
    step = 1 if side.of_token is None else STRIDE
    for row, document, words in zip(rows.tolist(), documents, parts, strict=True):
        if not (words % step).any() and (np.diff(words) == step).all():
            continue  # a sequence of words, interrupted by empty nodes that the other side may lack
        codes[row] = -1 - seen.setdefault((document, words.tobytes()), len(seen))


def _combined(first: list[IntArray], second: list[IntArray]) -> tuple[IntArray, IntArray]:
    """Numbers that are equal if both of two numbers are equal."""
    pairs = np.stack([np.concatenate(first), np.concatenate(second)], axis=1)
    codes = np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)
    return codes[: len(first[0])], codes[len(first[0]) :]


def _identify_arrays(
    ours: Mentions, our_names: NDArray[Any], theirs: Mentions, their_names: NDArray[Any]
) -> tuple[IntArray, IntArray]:
    if our_names.dtype.kind in "iu" and our_names.shape == their_names.shape:
        same = np.array_equal(our_names, their_names) and np.array_equal(
            ours.document, theirs.document
        )
        if same and (np.diff(our_names) > 0).all():
            place = np.arange(len(our_names))
            return place, place
    names = np.concatenate([our_names, their_names])
    return _within_documents(ours, theirs, np.unique(names, return_inverse=True)[1].reshape(-1))


def _identify_strings(
    ours: Mentions, our_names: Strings, theirs: Mentions, their_names: Strings
) -> tuple[IntArray, IntArray]:
    same = np.array_equal(ours.document, theirs.document)
    if same and our_names.differs_from(their_names) is None:
        # Two files made from one list are common: number one side only.
        codes = _within_documents(ours, None, our_names.codes())[0]
        return codes, codes
    return _within_documents(ours, theirs, Strings.concatenate([our_names, their_names]).codes())


def _within_documents(
    ours: Mentions, theirs: Mentions | None, codes: IntArray
) -> tuple[IntArray, IntArray]:
    """Numbers of names within their documents, split into the two sides."""
    parts = [ours.document] if theirs is None else [ours.document, theirs.document]
    documents = np.concatenate(parts)
    codes = codes * (int(documents.max(initial=0)) + 1) + documents
    return codes[: len(ours)], codes[len(ours) :]


def _identify_names(key: Corpus, response: Corpus) -> tuple[IntArray, IntArray]:
    """Numbers of any hashable names, document by document."""
    columns: tuple[list[int], list[int]] = ([], [])
    following = count().__next__
    try:
        for sides in zip(_names_by_document(key), _names_by_document(response), strict=True):
            # A name that is new in its document gets the next number.
            numbers: dict[Hashable, int] = defaultdict(following)
            for column, names in zip(columns, sides, strict=True):
                column.extend(map(numbers.__getitem__, names))
    except TypeError as error:
        raise UsageError(
            f"mentions must be hashable: {error}",
            remedy="Give mentions as strings, numbers or tuples, not lists.",
        ) from None
    ours, theirs = np.array(columns[0], np.int64), np.array(columns[1], np.int64)
    if len(ours) and len(theirs) and not np.isin(theirs, ours).any():
        _refuse_different_sorts(key, response)
    return ours, theirs


def _refuse_different_sorts(key: Corpus, response: Corpus) -> None:
    """Raise an error if one side has strings and the other spans, which cannot match."""
    names = [_names_of(side) for side in (key, response)]
    sorts = [{_sort(name) for name in side} for side in names]
    different = sorts[0].isdisjoint(sorts[1])
    if different and sorts[0] | sorts[1] == {"string", "number"}:
        # Strings and numbers may be different mentions, unless they look the same.
        different = not {*map(str, names[0])}.isdisjoint(map(str, names[1]))
    if different:
        ours, theirs = (f"{_sort(side[0])}s such as {side[0]!r}" for side in names)
        raise UsageError(
            f"no mention can match: those of the key are {ours}, those of the response {theirs}",
            remedy="Give the mentions of both sides in the same form.",
        )


def _sort(name: Hashable) -> str:
    """The sort of a mention's name, for messages."""
    if isinstance(name, str):
        return "string"
    if isinstance(name, tuple):
        return "tuple"
    return "number" if isinstance(name, Number | np.number) else type(name).__name__


def _names_by_document(corpus: Corpus) -> list[Sequence[Hashable]]:
    names = _names_of(corpus)
    if len(corpus.documents) == 1:
        return [names]
    bounds = np.searchsorted(corpus.mentions.document, np.arange(len(corpus.documents) + 1))
    return [names[first:last] for first, last in pairwise(bounds.tolist())]


def _names_of(corpus: Corpus) -> Sequence[Hashable]:
    names = corpus.mentions.names
    if names is None:
        return [corpus.mention_id(index) for index in range(len(corpus.mentions))]
    return names.tolist() if isinstance(names, np.ndarray) else names


def identify_mentions(pair: Pair, given: Corpus, with_heads: bool) -> Pair:
    """The pair with positions and numbers of mentions, and the fingerprint of the given key."""
    places = Places.of(pair.key, pair.response)
    codes = mention_codes(given)
    sums = entity_sums(codes, pair.key.mentions.entity, len(pair.key.entities))
    return replace(
        pair,
        places=places,
        codes=identify(*places, with_heads),
        key_codes=codes,
        fingerprint=Fingerprint.of_entities(len(given.documents), len(given.mentions), sums),
    )
