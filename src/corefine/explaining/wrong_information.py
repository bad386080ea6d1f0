"""Wrong information in response entities, and the measure of information that subtracts it.

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

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import wording_of
from corefine.explaining.pairing import Pairs
from corefine.explaining.phrases import Phrases
from corefine.metrics.base import ratio

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


def wrong_rows(pairs: Pairs, phrases: Phrases) -> BoolArray:
    """True for rows that bring wrong information about the key entity paired with their own."""
    table = pairs.table
    key = np.append(pairs.key_of, -1)[table.response_entity]
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
    found: BoolArray = wrong & outside & ~_parts(pairs, phrases, key)
    return found


def found_mentions(pairs: Pairs, phrases: Phrases) -> IntArray:
    """By key entity: number of its mentions that its response entity has in whole or in part."""
    table = pairs.table
    key = np.append(pairs.key_of, -1)[table.response_entity]
    whole = (table.key_entity >= 0) & (key == table.key_entity)
    counted = phrases.spot >= 0
    owner, spot = phrases.owner[counted], phrases.spot[counted]
    width = int(spot.max(initial=0)) + 1
    apart = (key[owner] >= 0) & (table.key_entity[owner] != key[owner])
    met = np.isin(table.key_entity[owner] * width + spot, (key[owner] * width + spot)[apart])
    part = np.zeros(len(whole), bool)
    part[owner[met & (table.key_entity[owner] >= 0)]] = True
    rows = table.key_entity[whole | part]
    return np.bincount(rows, minlength=len(table.key))


def information_f1(
    total: FloatArray, found: FloatArray, wrong: FloatArray, successful: BoolArray
) -> FloatArray:
    """The measure of information of each entity."""
    f1: FloatArray = np.where(successful, ratio(2 * found, total + found + wrong), 0.0)
    return f1


def _parts(pairs: Pairs, phrases: Phrases, key: IntArray) -> BoolArray:
    """True for rows outside their key entity that share words of the text with it."""
    table = pairs.table
    counted = phrases.spot >= 0
    owner, spot = phrases.owner[counted], phrases.spot[counted]
    width = int(spot.max(initial=0)) + 1
    missed = (table.key_entity >= 0) & (key != table.key_entity)
    of_key = (table.key_entity[owner] * width + spot)[missed[owner]]
    part = np.zeros(len(key), bool)
    part[owner[np.isin(key[owner] * width + spot, of_key) & (key[owner] >= 0)]] = True
    return part


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
        feats = _features(corpus, mentions)
        texts = wording_of(corpus).take(mentions).texts
        for row, given, text in zip(rows.tolist(), feats, texts, strict=True):
            of_pronoun = _OF_PRONOUN.get(text.lower(), "")
            listed[row] = bool(of_pronoun)
            known = given or of_pronoun
            for feature in known.split("|") if known else ():
                if feature in VALUES:
                    attribute, bit = VALUES[feature]
                    masks[row, attribute] |= bit
    return masks, listed


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
