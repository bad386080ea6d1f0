"""The result of matching: every distinct mention once, with where each side has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions

if TYPE_CHECKING:
    from corefine.matching.scope import Grouping
    from corefine.matching.token_windows import TokenWindows


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matched:
    """Key and response mention by mention; a mention that a side lacks is -1 there.

    ``key`` and ``response`` are the corpora as they are scored: the same documents in the same
    order, repeats (and singletons, if they are dropped) taken out.
    """

    key: Corpus
    response: Corpus
    key_mention: IntArray
    response_mention: IntArray
    warnings: tuple[str, ...] = ()
    grouping: Grouping | None = None
    """The groups of documents that share entities, where the scope is not the document."""
    windows: TokenWindows | None = None
    """The windows that documents are cut into, if they are."""
    twinless: str = "none"
    """The rule that is still to be followed for mentions that one side lacks; the table does so,
    when their kinds are known."""
    split_antecedents: str = "ignore"
    """How entities that are made of others are counted; the metrics do so."""
    layers: Mapping[str, Matched] = field(default_factory=dict)
    """The further annotations of the documents, each matched by itself, by name."""

    def without(self, rows: BoolArray) -> Matched:
        """The comparison without the mentions of these rows, on either side."""
        if not rows.any():
            return self
        kept = ~rows
        key, key_mention = _kept(self.key, self.key_mention[kept])
        response, response_mention = _kept(self.response, self.response_mention[kept])
        return replace(
            self,
            key=key,
            response=response,
            key_mention=key_mention,
            response_mention=response_mention,
        )

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many mentions the key has, the response has, and both have."""
        common = np.count_nonzero((self.key_mention >= 0) & (self.response_mention >= 0))
        return len(self.key.mentions), len(self.response.mentions), int(common)


def _kept(corpus: Corpus, mentions: IntArray) -> tuple[Corpus, IntArray]:
    """The corpus with only these mentions, and their new numbers; -1 stays -1."""
    wanted = np.zeros(len(corpus.mentions), bool)
    wanted[mentions[mentions >= 0]] = True
    number = np.append(np.cumsum(wanted) - 1, -1)
    return keep_mentions(corpus, wanted), number[mentions]
