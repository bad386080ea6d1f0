"""Words that differ: a response is moved to the words of the key (``--words align``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Span
from corefine.corpus.joining import concatenate
from corefine.corpus.renumbering import TokenMap, renumber, words_of
from corefine.corpus.selection import tokens_at
from corefine.errors import AlignmentError, Caution
from corefine.matching.documents import listed
from corefine.matching.matching import Matching

if TYPE_CHECKING:
    from corefine.formats.tagged.copies import Copied

SIMILAR = 0.5
"""Minimum share of the words of a response that are in the key, for texts to be aligned."""


def align_words(matching: Matching) -> Matching:
    """Move the mentions of the response to the words of the key.

    Documents that differ only in white space are left as they are.
    """
    key, response = matching.key, matching.response
    if key.tokens is None or response.tokens is None:
        return matching
    from corefine.formats.tagged.projection import words_in_source

    differing: dict[int, tuple[list[Span | None], Copied]] = {}
    for number, (ours, theirs) in enumerate(zip(key, response, strict=True)):
        if _visible(ours) == _visible(theirs):
            continue
        found, copied = words_in_source(theirs, ours)
        size = copied.copied + copied.changed + copied.inserted
        if copied.copied < SIMILAR * size:
            raise AlignmentError(
                f"document {ours.name!r} has {copied.copied:,} words of the key among {size:,}",
                response.location(number),
                "Texts that differ so much are not aligned: check that they belong together.",
            )
        differing[number] = found, copied
    if not differing:
        return matching
    spans = {number: found for number, (found, _) in differing.items()}
    tokens, token_map = _with_words_of(key.tokens, response.tokens, spans)
    moved, kept = renumber(response, tokens, token_map, fill=True)
    concerned = np.isin(response.mentions.document, list(differing))
    counts = [copied for _, copied in differing.values()]
    changed, deleted, inserted = (
        sum(getattr(one, name) for one in counts) for name in ("changed", "deleted", "inserted")
    )
    names = [one.document for one in counts]
    caution = Caution(
        f"response: the words of {listed(names)} differ from the key "
        f"({changed:,} changed, {deleted:,} missing, {inserted:,} added); "
        f"{np.count_nonzero(concerned & ~kept):,} of {np.count_nonzero(concerned):,} mentions "
        "there have no words of the key and were left out",
        "words-aligned",
        documents=names,
    )
    return replace(matching, response=moved).warn(caution)


def _with_words_of(
    key: Tokens, response: Tokens, spans: Mapping[int, list[Span | None]]
) -> tuple[Tokens, TokenMap]:
    """Replace the words of some documents of the response by those of the key.

    ``spans`` are the words of the key at which the words of the response stand. Empty nodes of the
    response stay at their words. Also return where each token of the response went.
    """
    words = words_of(key)
    count = len(words.offsets) - 1
    names = [str(number) for number in range(2 * count)]
    both = concatenate(
        [
            Corpus.without_mentions(names[:count], words),
            Corpus.without_mentions(names[count:], response),
        ]
    ).tokens
    assert both is not None
    opens = np.zeros(len(both) + 1, bool)
    opens[both.sentences] = True
    chosen, first, size = [], np.full(len(response), -1), np.zeros(len(response), np.int64)
    base, inserted = 0, False
    for document in range(count):
        rows = np.arange(response.offsets[document], response.offsets[document + 1])
        taken = len(words) + rows
        if document in spans:
            start = int(words.offsets[document])
            placed = _places_among_words(response, rows, spans[document])
            taken = np.arange(start, words.offsets[document + 1])
            nodes = [row for row, place in placed.items() if place[0] == place[1]]
            before = [placed[row][0] for row in nodes]
            taken = np.insert(taken, before, np.array(nodes, np.int64) + len(words))
            _close_after_nodes(opens, taken, taken >= len(words))
            inserted = inserted or bool(nodes)
            place = {token: number for number, token in enumerate(taken.tolist())}
            for row, (begin, end) in placed.items():
                token = row + len(words) if begin == end else start + begin
                last = token if begin == end else start + end - 1
                first[row], size[row] = base + place[token], place[last] - place[token] + 1
        else:
            first[rows], size[rows] = base + rows - response.offsets[document], 1
        chosen.append(taken)
        base += len(taken)
    taken = np.concatenate(chosen)
    offsets = offsets_of(np.array([len(one) for one in chosen]))
    text = both.text
    if text is not None:  # empty nodes that are inserted have no place in the running text
        own = [document + count * (document not in spans) for document in range(count)]
        texts = None if inserted else replace(text, documents=text.documents.take(np.array(own)))
        both = replace(both, text=texts)
    tokens = tokens_at(both, taken, offsets, np.flatnonzero(opens[taken]))
    return tokens, TokenMap(first, size, first)


def _places_among_words(
    tokens: Tokens, rows: IntArray, spans: Sequence[Span | None]
) -> dict[int, Span]:
    """The words of the key at which tokens of a response stand; an empty span for empty nodes.

    An empty node follows the word before it, or precedes the word after it if it opens a sentence.
    """
    found: dict[int, Span] = {}
    words = iter(spans)
    opening, at = set(tokens.sentences.tolist()), 0
    leading: list[int] = []
    for row in rows.tolist():
        if tokens.empty is None or not tokens.empty[row]:
            span = next(words)
            if span is not None:
                found[row], at = span, span[1]
                found.update((node, (span[0], span[0])) for node in leading)
                leading = []
        else:
            found[row] = at, at
            if row in opening or row - 1 in leading:
                leading.append(row)
    return found


def _close_after_nodes(opens: BoolArray, taken: IntArray, is_node: BoolArray) -> None:
    """Let a word no longer open a sentence if empty nodes before it do."""
    for number in np.flatnonzero(opens[taken] & ~is_node).tolist():
        first = number
        while first and is_node[first - 1]:
            first -= 1
        if opens[taken[first:number]].any():
            opens[taken[number]] = False


def _visible(document: Document) -> str:
    """The text of a document without white space and empty nodes."""
    empty = set(document.empty_nodes)
    words = (word for token, word in enumerate(document.tokens or ()) if token not in empty)
    return "".join("".join(words).split())
