"""Renumbering: one function that moves everything in a corpus that refers to tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, Strings, offsets_of, ranges
from corefine.corpus.columns import Mentions, Pieces, Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import take_mentions, tokens_at


@dataclass(frozen=True, slots=True, eq=False)
class TokenMap:
    """The new tokens of each old token: a run of ``count`` tokens, in the order of the text.

    Tokens are numbered over the whole corpus.
    """

    first: IntArray
    """The first new token."""
    count: IntArray
    """The number of new tokens, 0 if the token is dropped."""
    head: IntArray
    """The new head of a mention whose head was this token; -1 without a head."""

    @classmethod
    def of(cls, token: IntArray) -> TokenMap:
        """Map each token to one token, or to none (-1)."""
        return cls(token, (token >= 0).astype(np.int64), token)


def renumber(
    corpus: Corpus, tokens: Tokens, token_map: TokenMap, *, fill: bool = False
) -> tuple[Corpus, BoolArray]:
    """Move a corpus to other tokens of the same documents; also mark the mentions that remain.

    Mentions, heads, minimum spans, relations and other annotations are moved. A mention that is
    torn apart becomes discontinuous or, with ``fill``, extends from its first to its last token. A
    mention without tokens is dropped, and so is a relation whose anaphor has none.

    >>> corpus = Corpus.from_spans(["Anna", "saw", "her"], [[(0, 1), (2, 3)], [(1, 2)]])
    >>> assert corpus.tokens is not None
    >>> tokens = take_tokens(corpus.tokens, np.array([True, False, True]))
    >>> moved, kept = renumber(corpus, tokens, TokenMap.of(np.array([0, -1, 1])))
    >>> moved.to_dict(), kept.tolist()
    ({'': [[(0, 1), (1, 2)]]}, [True, True, False])
    """
    assert corpus.tokens is not None
    return _renumbered(corpus, tokens, _Spans(corpus.tokens, tokens, token_map, fill))


def _renumbered(corpus: Corpus, tokens: Tokens | None, spans: _Spans) -> tuple[Corpus, BoolArray]:
    if corpus.has_places:
        mentions, kept = spans.mentions(corpus.mentions)
    else:
        mentions, kept = corpus.mentions, np.ones(len(corpus.mentions), bool)
    moved = [spans.relation(relation) for relation in corpus.relations]
    changed = replace(
        corpus,
        tokens=tokens,
        mentions=mentions,
        relations=tuple(relation for relation in moved if relation is not None),
        annotations={
            name: _renumbered(part, part.tokens, spans)[0]
            for name, part in corpus.annotations.items()
        },
    )
    return changed, kept


class _Spans:
    """Spans of old tokens as spans of new tokens, without listing the tokens of a span."""

    def __init__(self, old: Tokens, new: Tokens, token_map: TokenMap, fill: bool) -> None:
        self.old, self.new, self.head = old.offsets, new.offsets, token_map.head
        mapped = np.flatnonzero(token_map.count)
        self.first = token_map.first[mapped]
        self.stop = self.first + token_map.count[mapped]
        self.rank = offsets_of((token_map.count > 0).astype(np.int64))
        """Number of mapped tokens before each old token."""
        breaks = np.zeros(len(mapped), bool)
        if not fill:
            breaks[1:] = self.first[1:] != self.stop[:-1]
        self.breaks = np.flatnonzero(breaks)
        """Mapped tokens that do not directly follow the one before."""
        self.breaks_before = offsets_of(breaks.astype(np.int64))

    def runs(
        self, document: IntArray, start: IntArray, stop: IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        """The new spans: the old span that each belongs to, its start and its stop."""
        low = self.rank[self.old[document] + start]
        high = self.rank[self.old[document] + stop]
        rows = np.flatnonzero(low < high)
        low, high = low[rows], high[rows]
        inner = self.breaks_before[low + 1], self.breaks_before[high]
        counts = 1 + inner[1] - inner[0]
        opens = offsets_of(counts)
        begin = np.empty(opens[-1], np.int64)
        begin[opens[:-1]] = low
        later = np.ones(len(begin), bool)
        later[opens[:-1]] = False
        begin[later] = self.breaks[ranges(inner[0], counts - 1)]
        end = np.append(begin[1:], 0)
        end[opens[1:] - 1] = high
        owner = np.repeat(rows, counts)
        base = self.new[document[owner]]
        return owner, self.first[begin] - base, self.stop[end - 1] - base

    def mentions(self, mentions: Mentions) -> tuple[Mentions, BoolArray]:
        """The moved mentions that have tokens, and which these are."""
        owner, start, stop = self._parts(mentions)
        opens = np.ones(len(owner), bool)
        opens[1:] = (owner[1:] != owner[:-1]) | (start[1:] > stop[:-1])
        closes = np.append(opens[1:], True)[: len(opens)]
        owner, start, stop = owner[opens], start[opens], stop[closes]
        kept = np.zeros(len(mentions), bool)
        kept[owner] = True
        if not kept.all():
            mentions = take_mentions(mentions, np.flatnonzero(kept))
            owner = (np.cumsum(kept) - 1)[owner]
        edges = offsets_of(np.bincount(owner, minlength=len(mentions)))
        several = np.repeat(np.diff(edges) > 1, np.diff(edges))
        moved = replace(
            mentions,
            start=start[edges[:-1]],
            stop=stop[edges[1:] - 1],
            head=None if mentions.head is None else self._heads(mentions.document, mentions.head),
            pieces=Pieces(owner[several], start[several], stop[several]) if several.any() else None,
            minimum=None
            if mentions.minimum is None
            else self._whole(mentions.document, *mentions.minimum),
        )
        return moved, kept

    def _parts(self, mentions: Mentions) -> tuple[IntArray, IntArray, IntArray]:
        """The new spans of mentions, in order: mention, start and stop."""
        spans = mentions.spans
        row, start, stop = self.runs(mentions.document[spans.mention], spans.start, spans.stop)
        owner = spans.mention[row]
        order = np.lexsort((start, owner))
        return owner[order], start[order], stop[order]

    def _heads(self, document: IntArray, head: IntArray) -> IntArray:
        moved = self.head[self.old[document] + np.maximum(head, 0)]
        return np.where((head < 0) | (moved < 0), -1, moved - self.new[document])

    def _whole(
        self, document: IntArray, start: IntArray, stop: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Spans from their first to their last new token; -1 for unknown and for dropped ones."""
        row, starts, stops = self.runs(document, np.maximum(start, 0), np.maximum(stop, 0))
        first, last = np.full(len(start), -1), np.full(len(start), -1)
        first[row[::-1]], last[row] = starts[::-1], stops
        return first, last

    def relation(self, relation: Relation) -> Relation | None:
        """The relation with moved spans; None if its anaphor has no tokens."""
        anaphor = self._span(relation.document, relation.anaphor)
        antecedent = self._span(relation.document, relation.antecedent)
        if relation.anaphor is not None and anaphor is None:
            return None
        return replace(relation, anaphor=anaphor, antecedent=antecedent)

    def _span(self, document: int, span: tuple[int, int] | None) -> tuple[int, int] | None:
        if span is None:
            return None
        columns = (np.array([number]) for number in (document, *span))
        start, stop = self._whole(*columns)
        return None if start[0] < 0 else (int(start[0]), int(stop[0]))


def take_tokens(tokens: Tokens, wanted: BoolArray) -> Tokens:
    """The tokens that are wanted, with all columns, in the same documents."""
    before, rows = offsets_of(wanted.astype(np.int64)), np.flatnonzero(wanted)
    sentences = np.unique(before[tokens.sentences])
    return tokens_at(tokens, rows, before[tokens.offsets], sentences[sentences < len(rows)])


def words_of(tokens: Tokens) -> Tokens:
    """The tokens without empty nodes."""
    return tokens if tokens.empty is None else take_tokens(tokens, ~tokens.empty)


def without_empty_nodes(corpus: Corpus) -> Corpus:
    """The corpus without empty nodes; mentions and anaphors that consist of these are dropped."""
    tokens = corpus.tokens
    if tokens is None or tokens.empty is None:
        return corpus
    number = np.where(tokens.empty, -1, np.cumsum(~tokens.empty) - 1)
    return renumber(corpus, words_of(tokens), TokenMap.of(number))[0]


def insert_nodes(
    tokens: Tokens,
    order: IntArray,
    nodes: Mapping[str, Strings],
    beside: IntArray,
    characters: IntArray | None,
    starts: tuple[IntArray, IntArray],
) -> Tokens:
    """Insert empty nodes into tokens; ``order`` arranges the tokens, followed by the nodes.

    ``nodes`` are the ``words`` and the layers of the nodes; other layers are blank. A node has the
    line of the token ``beside`` it, and no width at its position among the ``characters`` of the
    running text. ``starts`` are the first tokens of documents (and the end) and of sentences.
    """
    number, count = len(tokens), len(beside)
    is_node = order >= number
    node = order[is_node] - number
    rows = order.copy()
    rows[is_node] = beside[node]
    found = tokens_at(tokens, rows, *starts)
    if found.text is not None and characters is not None:
        found.text.begins[is_node] = found.text.ends[is_node] = characters[node]

    def column(old: Strings | None, name: str) -> Strings:
        own = Strings.blank(number) if old is None else old
        return Strings.concatenate([own, nodes.get(name, Strings.blank(count))]).take(order)

    names = dict.fromkeys([*tokens.layers, *nodes])
    return replace(
        found,
        words=column(tokens.words, "words"),
        layers={name: column(tokens.layers.get(name), name) for name in names if name != "words"},
        empty=is_node if found.empty is None else found.empty | is_node,
        continues=None if found.continues is None else found.continues & ~is_node,
    )
