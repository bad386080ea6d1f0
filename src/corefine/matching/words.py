"""Words that differ: a response is moved to the words of the key (``--words align``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Span, visible, without_empty_nodes
from corefine.corpus.renumbering import TokenMap, renumber
from corefine.errors import AlignmentError, Caution
from corefine.matching.documents import listed
from corefine.matching.matching import Matching

if TYPE_CHECKING:
    from corefine.corpus.copies import Copied

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

    documents: list[Document] = []
    places: list[Span] = []
    differing: dict[int, Copied] = {}
    for number, (ours, theirs) in enumerate(zip(key, response, strict=True)):
        place = [(token, token + 1) for token in range(len(theirs.words))]
        if _visible(ours) != _visible(theirs):
            spans, copied = words_in_source(theirs, ours)
            size = copied.copied + copied.changed + copied.inserted
            if copied.copied < SIMILAR * size:
                raise AlignmentError(
                    f"document {ours.name!r} has {copied.copied:,} words of the key among {size:,}",
                    response.location(number),
                    "Texts that differ so much are not aligned: check that they belong together.",
                )
            differing[number] = copied
            theirs, place = _on_words_of(without_empty_nodes(ours), theirs, spans)
        documents.append(replace(theirs, mentions=[], relations=[], annotations={}, copied=None))
        places += place
    if not differing:
        return matching
    tokens = Corpus.from_documents(documents).tokens
    assert tokens is not None
    start, stop = np.array(places, np.int64).reshape(-1, 2).T
    first = np.where(start < stop, start + tokens.offsets[response.tokens.document_of_token], -1)
    token_map = TokenMap(first, stop - start, first)
    moved, kept = renumber(response, tokens, token_map, fill=True)
    concerned = np.isin(response.mentions.document, list(differing))
    counts = list(differing.values())
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


def _on_words_of(
    source: Document, document: Document, spans: Sequence[Span | None]
) -> tuple[Document, list[Span]]:
    """Copy the words of a source with the empty nodes of a document.

    ``spans`` are the words of the source at which the words of the document stand. Also return the
    new tokens of each token of the document, an empty span if it has none.
    """
    among = _places_among_words(document, spans)
    nodes: dict[int, list[int]] = {}
    for node in document.empty_nodes:
        nodes.setdefault(among[node][0], []).append(node)
    layers: dict[str, list[str]] = {name: [] for name in (*source.layers, *document.layers)}
    tokens: list[str] = []
    result = Document(document.name, tokens, layers=layers, source=document.source)
    opening = {0, *document.starts}
    place = [0] * len(source.words)
    moved: list[Span] = [(0, 0)] * len(document.words)

    def add(owner: Document, token: int) -> int:
        for name, values in layers.items():
            values.append(owner.layers[name][token] if name in owner.layers else "")
        tokens.append(owner.words[token])
        return len(tokens) - 1

    for word in range(len(source.words) + 1):
        here = nodes.get(word, [])
        for node in here:
            new = add(document, node)
            moved[node] = new, new + 1
            result.empty_nodes.append(new)
            result.starts += [new] if node in opening else []
        if word < len(source.words):
            place[word] = add(source, word)
            # A word opens no sentence that an empty node before it opens.
            if word in source.starts and opening.isdisjoint(here):
                result.starts.append(place[word])
    for token, (start, stop) in among.items():
        if start < stop:
            moved[token] = place[start], place[stop - 1] + 1
    if not document.empty_nodes:  # which have no place in the running text
        result.running_text, result.offsets = source.running_text, source.offsets
    return result, moved


def _places_among_words(document: Document, spans: Sequence[Span | None]) -> dict[int, Span]:
    """The words of the key at which tokens of a response stand; an empty span for empty nodes.

    An empty node follows the word before it, or precedes the word after it if it opens a sentence.
    """
    found: dict[int, Span] = {}
    words, empty, opening = iter(spans), set(document.empty_nodes), {0, *document.starts}
    at, leading = 0, list[int]()
    for token in range(len(document.words)):
        if token not in empty:
            span = next(words)
            if span is not None:
                found[token], at = span, span[1]
                found.update((node, (span[0], span[0])) for node in leading)
                leading = []
        else:
            found[token] = at, at
            if token in opening or token - 1 in leading:
                leading.append(token)
    return found


def _visible(document: Document) -> str:
    """The text of a document without white space and empty nodes."""
    return visible("".join(without_empty_nodes(document).words))
