"""Brackets that close no mention by name: mentions that cross, as Universal Anaphora has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.formats.text.brackets import pair
from corefine.formats.text.nesting import crossing


def last_opened(corpus: Corpus) -> Corpus:
    """The corpus as it is read if a bracket closes the mention that opened last.

    It differs where mentions cross: of those from 0 to 2 and from 1 to 3, the second ends first. At
    one token, brackets that close come before those that open.
    """
    mentions = corpus.mentions
    if not corpus.has_places or mentions.pieces is not None:
        return corpus
    longer = np.flatnonzero(mentions.stop - mentions.start > 1)
    document, start, stop = (
        column[longer] for column in (mentions.document, mentions.start, mentions.stop)
    )
    out = crossing(document, start, stop - 1)
    if not out.any():
        return corpus
    rows = longer[np.isin(document, document[out])]
    count = len(rows)
    owner = np.tile(mentions.document[rows], 2)
    place = np.concatenate([2 * mentions.start[rows] + 1, 2 * mentions.stop[rows] - 2])
    # The longest opens first.
    tie = np.concatenate([-mentions.stop[rows], np.zeros(count, np.int64)])
    order = np.lexsort((tie, place, owner))
    opens = order < count
    opening, closing = pair(owner[order], opens, ~opens)
    ends = mentions.stop.copy()
    ends[rows[order[opening]]] = mentions.stop[rows[order[closing] - count]]
    return replace(corpus, mentions=replace(mentions, stop=ends))
