"""Duplicate mentions and singletons, which are dropped before matching."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.errors import Caution, UsageError
from corefine.matching.identity import identify
from corefine.matching.matched import Pair
from corefine.matching.places import Places


def drop_duplicates(pair: Pair, duplicates: str) -> Pair:
    """Drop mentions that occur twice on a side, or raise an error."""
    assert pair.codes is not None
    wanted, cautions = [], []
    for name, corpus, codes in (
        ("key", pair.key, pair.codes[0]),
        ("response", pair.response, pair.codes[1]),
    ):
        kept, caution = first_occurrences(corpus, codes, duplicates)
        wanted.append(kept)
        if caution is not None:
            cautions.append(caution.replaced(f"{name}: {caution}"))
    return pair.keep(*wanted).warn(*cautions)


def drop_singletons(pair: Pair, singletons: str) -> Pair:
    """Drop the entities of one mention on both sides, if ``singletons`` is ``drop``."""
    if singletons != "drop":
        return pair
    wanted = []
    for corpus in (pair.key, pair.response):
        entity = corpus.mentions.entity
        size = np.bincount(entity, minlength=len(corpus.entities))
        wanted.append(np.asarray(size[entity] > 1))
    return pair.keep(*wanted)


def first_occurrences(
    corpus: Corpus, codes: IntArray, duplicates: str
) -> tuple[BoolArray, Caution | None]:
    """The mentions that do not repeat an earlier one, and a warning about those that do."""
    first, second = _repeated(codes)
    wanted = np.ones(len(codes), bool)
    if len(second) == 0:
        return wanted, None
    wanted[second] = False
    entity = corpus.mentions.entity
    across = entity[first] != entity[second]
    if duplicates == "error" or across.any() or not corpus.has_places:
        at = int(np.argmax(across)) if across.any() else 0
        text = _describe_repeat(corpus, int(first[at]), int(second[at]), int(across.sum()))
        if duplicates == "error":
            document = int(corpus.mentions.document[second[at]])
            raise UsageError(
                text,
                corpus.location(document, int(corpus.mentions.start[second[at]])),
                "Remove the duplicate, or use --duplicates first (duplicates='first').",
            )
        if not across.any():
            more = f" ({len(second) - 1:,} more duplicate mentions)" if len(second) > 1 else ""
            text = f"{text}{more}; counted once: give every mention a name of its own"
            return wanted, Caution(text, "duplicate-mention", mentions=len(second))
        text = f"{text}; the first is kept"
        return wanted, Caution(text, "duplicate-mention", mentions=len(second))
    return wanted, None


def _repeated(codes: IntArray) -> tuple[IntArray, IntArray]:
    """The mentions that repeat an earlier one: the first occurrence, and the repetition."""
    if len(codes) < 2 or bool((codes[1:] > codes[:-1]).all()):
        return codes[:0], codes[:0]
    order = np.argsort(codes, kind="stable")
    arranged = codes[order]
    repeated = np.flatnonzero(arranged[1:] == arranged[:-1]) + 1
    run_start = np.flatnonzero(np.diff(arranged, prepend=arranged[0] - 1))
    first = run_start[np.searchsorted(run_start, repeated, side="right") - 1]
    return order[first], order[repeated]


def describe_repeats(corpus: Corpus) -> list[str]:
    """A sentence on each mention that the corpus gives twice."""
    codes, _ = identify(*Places.of(corpus, corpus))
    first, second = _repeated(codes)
    rows = zip(first.tolist(), second.tolist(), strict=True)
    return [_describe_repeat(corpus, earlier, later, 1) for earlier, later in rows]


def _describe_repeat(corpus: Corpus, first: int, second: int, across: int) -> str:
    mentions = corpus.mentions
    document = corpus.documents[int(mentions.document[second])]
    where = corpus.location(int(mentions.document[second]), int(mentions.start[second]))
    at = f" ({where})" if where is not None else f" of document {document!r}" if document else ""
    what = f"mention {corpus.text_of(second)!r}{at}"
    if mentions.entity[first] == mentions.entity[second]:
        return f"{what} occurs twice in entity {_entity_name(corpus, first)}"
    more = f" ({across - 1:,} more duplicate mentions)" if across > 1 else ""
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
