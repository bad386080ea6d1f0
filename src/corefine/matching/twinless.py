"""Treatment of twinless mentions, which are on one side only.

``drop`` removes them. ``add-to-key`` adds those of the response to the key as singletons (Kaczmarek
& Marcińczuk 2015, section 5.4), so that extra mentions cost nothing unless they are linked.

``cai-strube`` applies to B³ and CEAF (Cai & Strube 2010). Mentions that only the key has become
singletons of the response. Then, for precision, singletons that only the response has are dropped,
and its other twinless mentions become singletons of the key; for recall, all mentions that only the
response has are dropped. Precision and recall are thus counted from two different tables.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, Strings, offsets_of
from corefine.corpus.columns import SENTENCE_START, STRIDE, Entities, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import joined_mentions
from corefine.corpus.renumbering import TokenMap, insert_nodes, renumber
from corefine.corpus.selection import keep_mentions, take_mentions
from corefine.corpus.words import Spans
from corefine.matching.matching import Matching
from corefine.matching.places import common_places, tokens_placed


def treat_twinless(matching: Matching, twinless: str) -> Matching:
    """The comparison with twinless mentions dropped or added to the key.

    ``cai-strube`` needs two comparisons: see :func:`cai_strube`.
    """
    if twinless == "drop":
        return matching.without((matching.key_mention < 0) | (matching.response_mention < 0))
    if twinless == "add-to-key":
        return _added_to_key(matching)
    return matching


def cai_strube(matching: Matching) -> tuple[Matching, Matching]:
    """The comparisons for precision and for recall."""
    matching = _added_to_response(matching)
    invented = matching.key_mention < 0
    response = matching.response.mentions
    size = np.bincount(response.entity, minlength=len(matching.response.entities))
    single: BoolArray = size == 1
    alone = invented & single[response.entity[matching.response_mention]]
    return _added_to_key(matching.without(alone)), matching.without(invented)


def _added_to_key(matching: Matching) -> Matching:
    """Add the mentions that only the response has to the key, as singletons."""
    key, key_mention = _completed(
        matching.key, matching.key_mention, matching.response, matching.response_mention
    )
    # The rows of the key are in the order of its mentions; all rows are in the key now.
    order = np.argsort(key_mention, kind="stable")
    return replace(
        matching,
        key=key,
        key_mention=key_mention[order],
        response_mention=matching.response_mention[order],
    )


def _added_to_response(matching: Matching) -> Matching:
    """Add the mentions that only the key has to the response, as singletons."""
    response, response_mention = _completed(
        matching.response, matching.response_mention, matching.key, matching.key_mention
    )
    return replace(matching, response=response, response_mention=response_mention)


def _completed(
    corpus: Corpus, mention: IntArray, other: Corpus, other_mention: IntArray
) -> tuple[Corpus, IntArray]:
    """A side with the mentions that only the other has, and the mention of each row in it."""
    rows = np.flatnonzero(mention < 0)
    if not len(rows):
        return corpus, mention
    wanted = np.zeros(len(other.mentions), bool)
    wanted[other_mention[rows]] = True
    complete, place = add_singletons(corpus, keep_mentions(other, wanted))
    found = mention.copy()
    found[rows] = len(corpus.mentions) + (np.cumsum(wanted) - 1)[other_mention[rows]]
    return complete, place[found]


def add_singletons(corpus: Corpus, others: Corpus) -> tuple[Corpus, IntArray]:
    """The corpus with the mentions of a corpus of the same text added as singletons.

    Mentions stay in document order. Also returns the new number of each mention: first those of the
    corpus, then the added ones.
    """
    if corpus.has_places != others.has_places:
        corpus, others = (_by_name(side) for side in (corpus, others))
    else:
        corpus, others = on_tokens_of(corpus, others)
    added = replace(others.mentions, entity=np.arange(len(others.mentions)))
    types = tuple(dict.fromkeys([*corpus.types, *others.types]))
    parts = [corpus, replace(others, mentions=added)]
    joined = joined_mentions(parts, [0, 0], [0, len(corpus.entities)], types)
    order = np.argsort(joined.document, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    names = corpus.entities.names
    if names is not None:
        invented = [f"added {number}" for number in range(1, len(added) + 1)]
        names = Strings.concatenate([names, Strings.from_list(invented)])
    entities = Entities(np.concatenate([corpus.entities.document, added.document]), names)
    mentions = take_mentions(joined, order)
    return replace(corpus, entities=entities, mentions=mentions, types=types), place


def _by_name(corpus: Corpus) -> Corpus:
    """The corpus with a name for each mention: its position, if it has one."""
    names = [corpus.mention_id(index) for index in range(len(corpus.mentions))]
    return replace(corpus, mentions=replace(corpus.mentions, names=names))


def on_tokens_of(corpus: Corpus, others: Corpus) -> tuple[Corpus, Corpus]:
    """The corpus, and the other corpus with its mentions moved to the tokens of the first.

    Empty nodes that the moved mentions contain are added to the tokens if they are missing.
    """
    tokens, other_tokens = corpus.tokens, others.tokens
    if tokens is None or other_tokens is None:
        return corpus, others
    if not len(others.mentions) or (tokens.empty is None and other_tokens.empty is None):
        return corpus, others
    our_place, their_place = common_places(tokens, other_tokens)
    covered = np.unique(Spans.of(others, other_tokens).tokens)
    lacking = covered[np.isin(their_place[covered], our_place, invert=True)]
    place = np.concatenate([our_place, their_place[lacking]])
    order = np.argsort(place, kind="stable")
    if len(lacking):
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        joined = _with_nodes(tokens, other_tokens, lacking, place, order)
        corpus, _ = renumber(corpus, joined, TokenMap.of(rank[: len(tokens)]))
        tokens = joined
    found = tokens_placed(place[order], their_place)
    return corpus, renumber(others, tokens, TokenMap.of(found))[0]


def _with_nodes(
    own: Tokens, other: Tokens, nodes: IntArray, place: IntArray, order: IntArray
) -> Tokens:
    """Tokens with empty nodes of the other side inserted in the order of their places."""
    inserted = place[len(own) :]
    number = inserted % STRIDE
    number = np.where(number > SENTENCE_START, number - SENTENCE_START, number)
    added = {name: other.layers[name].take(nodes) for name in own.layers if name in other.layers}
    added |= {
        "words": other.words.take(nodes),
        "node": Strings.from_list(map(str, number.tolist())),
    }
    before = np.maximum(np.searchsorted(place[: len(own)], inserted, side="right") - 1, 0)
    document = np.searchsorted(other.offsets, nodes, side="right") - 1
    sizes = np.diff(own.offsets) + np.bincount(document, minlength=len(own.offsets) - 1)
    # Empty nodes before the first word of a sentence belong to that sentence.
    first = (place[own.sentences] - 1) // STRIDE * STRIDE + SENTENCE_START
    sentences = np.searchsorted(place[order], first, side="right")
    characters = None if own.text is None else own.text.ends[before]
    return insert_nodes(own, order, added, before, characters, (offsets_of(sizes), sentences))
