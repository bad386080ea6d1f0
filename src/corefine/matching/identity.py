"""Which mentions are the same expression: a number for each, equal where they are identical.

Two mentions are identical if they cover the same set of words of the same document or, where there
is no text, if they have the same name in it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.columns import BoolArray, IntArray
from corefine.corpus import Corpus, Mentions
from corefine.errors import UsageError
from corefine.settings import Settings


def identify(key: Corpus, response: Corpus) -> tuple[IntArray, IntArray]:
    """Numbers for the mentions of both sides: the same number, the same expression."""
    if key.has_places and response.has_places:
        return _identify_places(key, response)
    ours, theirs = key.mentions.names, response.mentions.names
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        sorts = {ours.dtype.kind, theirs.dtype.kind}
        if sorts <= {"i", "u"} or sorts == {"U"} or sorts == {"S"}:
            return _identify_arrays(key.mentions, ours, response.mentions, theirs)
    return _identify_names(key, response)


def _identify_places(key: Corpus, response: Corpus) -> tuple[IntArray, IntArray]:
    sides = (key.mentions, response.mentions)
    longest = 1 + max((int((side.stop - side.start).max(initial=0)) for side in sides), default=0)
    ends = np.zeros(max(len(key.documents), 1), np.int64)
    if len(ends) > 1:
        for side in sides:
            np.maximum.at(ends, side.document, side.stop)
    before = np.cumsum(ends) - ends
    codes = [
        (before[side.document] + side.start) * longest + (side.stop - side.start) for side in sides
    ]
    if any(side.pieces is not None for side in sides):
        seen: dict[Hashable, int] = {}
        for side, code in zip(sides, codes, strict=True):
            _identify_discontinuous(side, code, seen)
    return codes[0], codes[1]


def _identify_discontinuous(mentions: Mentions, codes: IntArray, seen: dict[Hashable, int]) -> None:
    """Give discontinuous mentions negative numbers, by the set of their parts."""
    if mentions.pieces is None or len(mentions.pieces.mention) == 0:
        return
    owners, firsts = np.unique(mentions.pieces.mention, return_index=True)
    starts = np.split(mentions.pieces.start, firsts[1:])
    stops = np.split(mentions.pieces.stop, firsts[1:])
    for owner, start, stop in zip(owners.tolist(), starts, stops, strict=True):
        identity = (int(mentions.document[owner]), tuple(start.tolist()), tuple(stop.tolist()))
        codes[owner] = -1 - seen.setdefault(identity, len(seen))


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
    codes = np.unique(names, return_inverse=True)[1].reshape(-1)
    documents = np.concatenate([ours.document, theirs.document])
    codes = codes * (int(documents.max(initial=0)) + 1) + documents
    return codes[: len(our_names)], codes[len(our_names) :]


def _identify_names(key: Corpus, response: Corpus) -> tuple[IntArray, IntArray]:
    many = len(key.documents) > 1
    seen: dict[Hashable, int] = {}
    columns = []
    for corpus in (key, response):
        names: Sequence[Hashable] = _names_of(corpus)
        if many:
            names = list(zip(corpus.mentions.document.tolist(), names, strict=True))
        try:
            codes = [seen.setdefault(name, len(seen)) for name in names]
        except TypeError as error:
            raise UsageError(
                f"a mention must be hashable: {error}",
                remedy="Give mentions as strings, numbers or tuples; lists cannot be compared.",
            ) from None
        columns.append(np.array(codes, np.int64))
    return columns[0], columns[1]


def _names_of(corpus: Corpus) -> Sequence[Hashable]:
    names = corpus.mentions.names
    if names is None:
        return [corpus.mention_id(index) for index in range(len(corpus.mentions))]
    return names.tolist() if isinstance(names, np.ndarray) else names


def first_occurrences(
    corpus: Corpus, codes: IntArray, settings: Settings
) -> tuple[BoolArray | None, str | None]:
    """Which mentions are not repeats of an earlier one (None: all), and a warning on those."""
    if len(codes) < 2 or bool((codes[1:] > codes[:-1]).all()):
        return None, None
    order = np.argsort(codes, kind="stable")
    repeated = np.flatnonzero(codes[order][1:] == codes[order][:-1]) + 1
    if len(repeated) == 0:
        return None, None
    wanted = np.ones(len(codes), bool)
    wanted[order[repeated]] = False
    # Every repeat beside the mention that it repeats: the first of its run in the stable order.
    run_start = np.flatnonzero(np.diff(codes[order], prepend=codes[order][0] - 1))
    first = order[run_start[np.searchsorted(run_start, repeated, side="right") - 1]]
    second = order[repeated]
    entity = corpus.mentions.entity
    across = entity[first] != entity[second]
    if settings.duplicates == "error" or across.any():
        at = int(np.argmax(across)) if across.any() else 0
        text = _describe_repeat(corpus, int(first[at]), int(second[at]), int(across.sum()))
        if settings.duplicates == "error":
            document = int(corpus.mentions.document[second[at]])
            raise UsageError(
                text,
                corpus.location(document, int(corpus.mentions.start[second[at]])),
                "Remove the repeat, or pass --duplicates first (duplicates='first').",
            )
        return wanted, f"{text}; it stays in the first"
    return wanted, None


def _describe_repeat(corpus: Corpus, first: int, second: int, across: int) -> str:
    mentions = corpus.mentions
    document = corpus.documents[int(mentions.document[second])]
    where = corpus.location(int(mentions.document[second]), int(mentions.start[second]))
    at = f" ({where})" if where is not None else f" of document {document!r}" if document else ""
    what = f"mention {corpus.text_of(second)!r}{at}"
    if mentions.entity[first] == mentions.entity[second]:
        return f"{what} is repeated inside entity {_entity_name(corpus, first)}"
    more = f" ({across - 1:,} more such mentions)" if across > 1 else ""
    return (
        f"{what} is in two entities, {_entity_name(corpus, first)} and "
        f"{_entity_name(corpus, second)}{more}"
    )


def _entity_name(corpus: Corpus, mention: int) -> str:
    entity = int(corpus.mentions.entity[mention])
    if corpus.entities.names is not None:
        return repr(corpus.entities.names[entity])
    first = int(np.argmax(corpus.entities.document == corpus.entities.document[entity]))
    return f"number {entity - first + 1}"
