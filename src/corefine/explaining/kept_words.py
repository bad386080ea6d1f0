"""Words kept: which content words of a key entity its response entity still has.

What an entity tells is lost where its words are, not where one of several mentions is that say the
same: {flooding, flooding, flooding} against {a flooding} keeps everything. A content word of a
mention of K is kept if any mention of K has the same word at a place where a mention of R stands,
R being the response entity that K is aligned with, or that has overlapping mentions where nothing
is shared. Without a text the words of R's names count.
"""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import FloatArray
from corefine.explaining.pairing import Pairs
from corefine.explaining.phrases import Phrases


def kept_shares(pairs: Pairs, phrases: Phrases) -> FloatArray:
    """By row of the table: the share of the content words that a key mention brings and are kept.

    A mention that is found keeps all. One without content words keeps nothing else.
    """
    table = pairs.table
    near = pairs.with_overlaps(phrases)
    standing = np.append(near.key_of, -1)[table.response_entity]
    found = (table.key_entity >= 0) & (standing == table.key_entity)

    words = np.flatnonzero(phrases.content)
    owner, word = phrases.owner[words], phrases.word[words]
    key, paired = table.key_entity[owner], standing[owner]
    place, document = phrases.place[words], phrases.document[owner]
    span = int(place.max(initial=0)) + 1
    spot = np.where(place >= 0, 2 * (document * span + place), 2 * word + 1)
    spot = np.unique(spot, return_inverse=True)[1].reshape(-1)
    width = int(spot.max(initial=0)) + 1
    covered = np.isin(key * width + spot, (paired * width + spot)[paired >= 0]) & (key >= 0)
    width = int(word.max(initial=0)) + 1
    kept = np.isin(key * width + word, (key * width + word)[covered]) & (key >= 0)

    # A mention stands for the words that it brings; one that brings none, for all its words.
    brings = np.zeros(len(words), bool)
    order = np.lexsort((phrases.turn[owner], word, key))
    fresh = np.ones(len(order), bool)
    fresh[1:] = (key[order][1:] != key[order][:-1]) | (word[order][1:] != word[order][:-1])
    brings[order[fresh]] = True
    rows = len(table.document)
    brings |= np.bincount(owner, brings, minlength=rows)[owner] == 0
    total = np.bincount(owner, brings, minlength=rows)
    share = np.bincount(owner, brings & kept, minlength=rows) / np.maximum(total, 1)
    return np.where(found, 1.0, share)
