"""Holen's categories of key entities.

With K a key entity and R the response entity that it is paired with (Holen 2013, section 6), tested
in this order since her formulas overlap:

1
    K = R: a perfect match.
4
    failed: nothing of K is in R, or there is something, but no mention of K overlaps with any of R;
    4a without a response entity, 4b with one that has no correct mention of weight.
2a
    R is a proper subset of K: a partial entity.
3
    R has mentions of K and of another key entity: merged entities; 3a if a mention of another
    brings wrong information, 3b if not.
2b
    R has a mention of K, and a mention of K that R misses overlaps with one of R that is not in K:
    partial mentions.
other
    none of these: mentions are missing or extra, and they do not overlap.

Two mentions overlap if they share a content word; pronouns do not overlap even with themselves, so
that an entity of which only pronouns are left has failed. A partial mention (2b) shares tokens of
the text with the missed one: "African American" elsewhere is no part of "American Indian". Without
a text, shared content words decide.

Her formula for 2b requires only a mention of K that overlaps with one of R, possibly the same one:
to the letter, every entity is in some category, and most of 2b has no partial mention. ``literal``
follows the formula. ``lenient`` takes an entity of which no mention is exact, but which is paired
with one that overlaps, for 2b (NW0 in her Table 3); her formula says 4.

Holen (2013) judges an entity by the information that is kept (section 4.1) and by the information
that a merged entity adds: it may be wrong, or right or neutral (section 4.1.3, categories 3a and
3b). A mention of R that is not in K brings *wrong information* about K if

- it contradicts K in gender, number, person or animacy: both are known, and no mention of K has the
  value. Values are annotated features of the head (``Gender=Fem``); without them, those of pronouns
  in a closed list;
- or it is a name or nominal with another head than all mentions of K. The head is the annotated
  one or that by parts of speech; else the last content word.

Part of a missed mention of K (category 2b) is never wrong.

The measure: with T the information of K, F the information found in R, and W the wrong information
(the weight of its mentions, at least 1 each),

    information F1 = 2F / (T + F + W),

the harmonic mean of recall F/T and precision F/(F + W). It is 0 unless the resolution is
*successful* by the conditions of section 7: a correct link, that is, two mentions of K are found in
whole or in part (one if K is a singleton), and a mention of some weight among them (F > 0).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import wording_of
from corefine.errors import UsageError
from corefine.explaining.naming import Members
from corefine.explaining.pairing import Pairs
from corefine.explaining.phrases import Phrases
from corefine.metrics.base import ratio

CATEGORIES = ("1", "2a", "2b", "3a", "3b", "4a", "4b", "other")
Overlap = Callable[[str, str], bool]
"""A function that decides if the texts of a key and a response mention overlap."""
VALUES = {
    "Gender=Masc": (0, 1), "Gender=Fem": (0, 2), "Gender=Neut": (0, 4), "Gender=Com": (0, 3),
    "Number=Sing": (1, 1), "Number=Plur": (1, 2), "Number=Dual": (1, 2),
    "Person=1": (2, 1), "Person=2": (2, 2), "Person=3": (2, 4),
    "Animacy=Hum": (3, 1), "Animacy=Anim": (3, 1), "Animacy=Inan": (3, 2),
}  # fmt: skip
"""The attribute and the bit of each annotated feature."""
PRONOUNS = {
    "he him his himself": "Gender=Masc|Number=Sing|Person=3|Animacy=Anim",
    "she her hers herself": "Gender=Fem|Number=Sing|Person=3|Animacy=Anim",
    "it its itself": "Gender=Neut|Number=Sing|Person=3|Animacy=Inan",
    "they them their theirs themselves": "Number=Plur|Person=3",
    "we us our ours ourselves": "Number=Plur|Person=1|Animacy=Anim",
    "i me my mine myself": "Number=Sing|Person=1|Animacy=Anim",
    "you your yours yourself yourselves": "Person=2|Animacy=Anim",
}
"""The closed list of pronouns, English."""
_OF_PRONOUN = {word: feats for words, feats in PRONOUNS.items() for word in words.split()}


def categories_of(
    pairs: Pairs,
    phrases: Phrases,
    missed: BoolArray,
    wrong: BoolArray,
    overlap: Overlap | str | None = None,
    *,
    lenient: bool = False,
    literal: bool = False,
    correct: int = 1,
) -> IntArray:
    """By key entity: an index of ``CATEGORIES``.

    ``missed`` are the rows of partial mentions, ``wrong`` those of wrong information. ``overlap``
    is ``words``, ``substring(n)`` (n common characters), ``head`` (the same head word) or a
    function of two texts. ``correct`` is the number of correct mentions that 2b needs.
    """
    table, shared, size = pairs.table, pairs.shared, pairs.table.key.size
    equal = (shared == size) & (shared == pairs.response_size)
    overlap = overlap_named(overlap)
    if overlap == "head":
        head = head_words(phrases)
        rows = np.arange(len(head))
        overlapping, partial = (
            _have_common(pairs, rows, head, head >= 0, apart=apart) for apart in (False, True)
        )
    elif isinstance(overlap, str):
        # A mention of K overlaps with one of R, which may be the same.
        overlapping = _have_common(pairs, phrases.owner, phrases.word, phrases.content)
        partial = np.isin(np.arange(len(size)), table.key_entity[missed])
    else:
        overlapping, partial = _by_calls(pairs, overlap, ~equal)
    shares, found = shared > 0, (shared > 0) | (overlapping & lenient)
    foreign = np.append(table.response_matched, 0)[pairs.response] > shared
    failed, merged = ~(found & overlapping), shares & foreign
    misled = np.isin(np.arange(len(size)), pairs.paired_key[wrong & (table.key_entity >= 0)])
    tests = {
        "1": equal,
        "4a": failed & (pairs.response < 0),
        "4b": failed,
        "2a": shares & (shared == pairs.response_size) & (shared < size),
        "3a": merged & misled,
        "3b": merged,
        "2b": found & (shared >= correct - lenient) & (overlapping if literal else partial),
    }
    numbers = [CATEGORIES.index(name) for name in tests]
    return np.select(list(tests.values()), numbers, CATEGORIES.index("other"))


def overlap_named(overlap: Overlap | str | None) -> Overlap | str:
    """``words`` (or None), ``head``, the function of ``substring(n)``, or a given function."""
    if overlap is None:
        return "words"
    if not isinstance(overlap, str) or overlap in ("words", "head"):
        return overlap
    given = re.fullmatch(r"substring\(([1-9][0-9]{0,3})\)", overlap)
    if not given:
        raise UsageError(f"unknown overlap {overlap!r}", remedy="Use words, head, or substring(4).")
    length = int(given[1])

    def common(one: str, other: str) -> bool:
        one, other = one.casefold(), other.casefold()
        return any(one[at : at + length] in other for at in range(len(one) - length + 1))

    return common


def _have_common(
    pairs: Pairs, owner: IntArray, number: IntArray, counted: BoolArray, *, apart: bool = False
) -> BoolArray:
    """A mask of key entities that have a number of a row in common with their response entity.

    ``apart`` ignores the mentions that they share.
    """
    table = pairs.table
    key = table.key_entity[owner]
    paired = pairs.paired_key[owner]
    counted = counted & ~(apart & (key == paired))
    mine, other = (key >= 0) & counted, (paired >= 0) & counted
    width = int(number.max(initial=0)) + 1
    found = np.intersect1d((key * width + number)[mine], (paired * width + number)[other])
    return np.isin(np.arange(len(table.key)), found // width)


def _by_calls(pairs: Pairs, overlap: Overlap, asked: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Masks of overlapping and partial mentions by asking the user's function."""
    table = pairs.table
    overlapping, partial = np.zeros(len(asked), bool), np.zeros(len(asked), bool)
    key_rows = Members.of(table.key_entity, len(table.key))
    response_rows = Members.of(table.response_entity, len(table.response))
    answer = cache(overlap)

    def any_overlap(mine: IntArray, other: IntArray) -> bool:
        texts = [
            dict.fromkeys(map(table.matching.text_of, rows.tolist())) for rows in (mine, other)
        ]
        return any(bool(answer(x, y)) for x, y in product(*texts))

    for key in np.flatnonzero(asked & (pairs.response >= 0)).tolist():
        mine, other = key_rows[key], response_rows[int(pairs.response[key])]
        missed = table.response_entity[mine] != pairs.response[key]
        outside = table.key_entity[other] != key
        partial[key] = any_overlap(mine[missed], other[outside])
        overlapping[key] = partial[key] or any_overlap(mine, other)
    return overlapping, partial


def wrong_rows(pairs: Pairs, phrases: Phrases, parts: BoolArray) -> BoolArray:
    """True for rows that bring wrong information about the key entity paired with their own.

    ``parts`` of missed mentions never do.
    """
    table, key = pairs.table, pairs.paired_key
    outside = (key >= 0) & (table.key_entity != key)
    inside = table.key_entity >= 0
    wrong = np.zeros(len(outside), bool)
    masks, listed = _attributes(pairs)
    for mask in masks.T:
        known = np.zeros(len(table.key) + 1, np.int64)
        np.bitwise_or.at(known, table.key_entity[inside], mask[inside])
        of_key = known[key]
        wrong |= (mask != 0) & (of_key != 0) & ((mask & of_key) == 0)
    head = head_words(phrases)
    width = int(head.max(initial=0)) + 1
    heads = (table.key_entity * width + head)[inside & (head >= 0)]
    other = (head >= 0) & ~np.isin(key * width + head, heads)
    wrong |= other & ~(listed | _pronouns(pairs))
    found: BoolArray = wrong & outside & ~parts
    return found


def found_mentions(pairs: Pairs, missed: BoolArray) -> IntArray:
    """By key entity: number of its mentions that its response entity has in whole or in part."""
    table = pairs.table
    whole = (table.key_entity >= 0) & (pairs.paired_key == table.key_entity)
    return np.bincount(table.key_entity[whole | missed], minlength=len(table.key))


def partial_rows(pairs: Pairs, phrases: Phrases) -> tuple[BoolArray, BoolArray]:
    """Missed mentions of K, and mentions of R that are not in K, that share words of the text."""
    table, key = pairs.table, pairs.paired_key
    missed = (table.key_entity >= 0) & (key != table.key_entity)
    outside = (key >= 0) & (key != table.key_entity)
    counted = phrases.spot >= 0
    owner, spot = phrases.owner[counted], phrases.spot[counted]
    width = int(spot.max(initial=0)) + 1
    ours, theirs = table.key_entity[owner] * width + spot, key[owner] * width + spot
    rows = np.arange(len(key))
    return (
        missed & np.isin(rows, owner[np.isin(ours, theirs[outside[owner]])]),
        outside & np.isin(rows, owner[np.isin(theirs, ours[missed[owner]])]),
    )


def information_f1(
    total: FloatArray, found: FloatArray, wrong: FloatArray, successful: BoolArray
) -> FloatArray:
    """The measure of information of each entity."""
    f1: FloatArray = np.where(successful, ratio(2 * found, total + found + wrong), 0.0)
    return f1


def head_words(phrases: Phrases) -> IntArray:
    """The number of each row's head word; -1 if it has no content word."""
    head = np.full(len(phrases), -1)
    content = np.flatnonzero(phrases.content)
    head[phrases.owner[content]] = phrases.word[content]  # the last one stays
    at_head = (phrases.place >= 0) & (phrases.place == phrases.head[phrases.owner])
    head[phrases.owner[at_head]] = phrases.word[at_head]
    return head


def _sides(pairs: Pairs) -> list[tuple[Corpus, IntArray, IntArray]]:
    """For both corpora: rows that are described by it, and their mentions there."""
    matched = pairs.table.matching
    ours = np.flatnonzero(matched.key_mention >= 0)
    theirs = np.flatnonzero(matched.key_mention < 0)
    return [
        (matched.key, ours, matched.key_mention[ours]),
        (matched.response, theirs, matched.response_mention[theirs]),
    ]


def _pronouns(pairs: Pairs) -> BoolArray:
    """True for rows whose kind is pronoun or zero."""
    pronoun = np.zeros(len(pairs.table.document), bool)
    for corpus, rows, mentions in _sides(pairs):
        if corpus.mentions.kind is not None:
            kind = corpus.mentions.kind[mentions]
            pronoun[rows] = (kind == Kind.PRONOUN) | (kind == Kind.ZERO)
    return pronoun


def _attributes(pairs: Pairs) -> tuple[IntArray, BoolArray]:
    """Bits of gender, number, person and animacy by row, 0 if unknown; True for listed pronouns."""
    count = len(pairs.table.document)
    masks, listed = np.zeros((count, 4), np.int64), np.zeros(count, bool)
    for corpus, rows, mentions in _sides(pairs):
        texts = map(str.lower, wording_of(corpus).take(mentions).texts)
        described = list(zip(_features(corpus, mentions), texts, strict=True))
        bits = {one: _bits(*one) for one in set(described)}
        masks[rows] = np.array([bits[one] for one in described], np.int64).reshape(-1, 4)
        listed[rows] = [text in _OF_PRONOUN for _, text in described]
    return masks, listed


def _bits(feats: str, text: str) -> list[int]:
    """Bits by attribute of annotated features or, without these, of a listed pronoun."""
    bits = [0, 0, 0, 0]
    for feature in (feats or _OF_PRONOUN.get(text, "")).split("|"):
        if feature in VALUES:
            attribute, bit = VALUES[feature]
            bits[attribute] |= bit
    return bits


def _features(corpus: Corpus, mentions: IntArray) -> list[str]:
    """Annotated features of the head of each mention; empty if unknown."""
    columns = corpus.mentions
    layers = {} if corpus.tokens is None else corpus.tokens.layers
    if corpus.tokens is None or "feats" not in layers:
        return [""] * len(mentions)
    start, stop = columns.start[mentions], columns.stop[mentions]
    head = np.where(stop - start == 1, start, -1)
    if columns.head is not None:
        head = np.where(columns.head[mentions] >= 0, columns.head[mentions], head)
    token = head + corpus.tokens.offsets[columns.document[mentions]]
    cells, code = layers["feats"].distinct()
    return [
        cells[code[place]] if known else ""
        for place, known in zip(token.tolist(), (head >= 0).tolist(), strict=True)
    ]
