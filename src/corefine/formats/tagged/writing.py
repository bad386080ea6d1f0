"""Writing tagged text: gold answers, and prompts for a model."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, merged
from corefine.errors import UsageError
from corefine.formats.tagged.dialects import ZERO, Dialect, full_width


def write_answers(corpus: Corpus, dialect: Dialect) -> Iterator[bytes]:
    """Every document with its mentions tagged, entities numbered from 1 in each."""
    for name, text in _documents(corpus, dialect, tags=True, labels=True):
        if dialect.lines:
            yield _line({"doc_id": name, "output": text})
        else:
            yield (text + "\n").encode()


def write_prompts(corpus: Corpus, dialect: Dialect, mentions: bool) -> Iterator[bytes]:
    """The text of every document for a model to tag, as JSON lines.

    With ``mentions`` those of the corpus are marked, without saying which belong together.
    """
    for name, text in prompts(corpus, dialect, mentions):
        yield _line({"doc_id": name, "text": text})


def prompts(corpus: Corpus, dialect: Dialect, mentions: bool) -> Iterator[tuple[str, str]]:
    """The id of every document and its text for a model to tag."""
    return _documents(corpus, dialect, tags=mentions, labels=False)


def _line(record: dict[str, str]) -> bytes:
    # JSON cannot represent lone surrogates as UTF-8.
    return (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _documents(
    corpus: Corpus, dialect: Dialect, tags: bool, labels: bool
) -> Iterator[tuple[str, str]]:
    if corpus.tokens is None:
        raise UsageError(
            "a corpus without text cannot be tagged",
            None,
            "Choose a format that does not need the text, such as labels.",
        )
    for document in corpus:
        document = _with_zeros_after_parents(document)
        empty, opens = set(document.empty_nodes), set(document.sentences)
        words = [
            _written(word, dialect, token in empty)
            for token, word in enumerate(document.tokens or ())
        ]
        if tags:
            words = _tagged(words, _nested(document, dialect), dialect, labels)
        text = "".join(
            ("\n" if dialect.lines and token in opens else " ") + word
            for token, word in enumerate(words)
        )
        yield document.name, text[1:]


def _with_zeros_after_parents(document: Document) -> Document:
    """The document with its empty nodes after their parents, as in the data of the shared task.

    The parent is the first dependency; nodes without one stay where they are. Nodes of the root
    come first in their sentence.
    """
    deps = document.layers.get("deps")
    if not document.empty_nodes or deps is None:
        return document
    empty, tokens = set(document.empty_nodes), document.tokens or []
    place: dict[int, tuple[int, int, int]] = {}
    words: list[int] = []
    waiting: list[int] = []
    for token in range(len(tokens) + 1):
        if token == len(tokens) or token in document.sentences:
            for node in waiting:
                head = deps[node].partition("|")[0].partition(":")[0]
                known = head.isdecimal() and len(head) < 10 and int(head) <= len(words)
                if known and words:
                    owner = words[int(head) - 1] if int(head) else words[0]
                    if place[node][0] != owner or not int(head):
                        place[node] = (owner, 1 if int(head) else -1, node)
            words, waiting = [], []
        if token < len(tokens) and token in empty:
            place[token] = (words[-1] if words else token, 1, token)
            waiting.append(token)
        elif token < len(tokens):
            words.append(token)
            place[token] = (token, 0, token)
    order = sorted(range(len(tokens)), key=lambda token: place[token])
    return reordered(document, order)


def reordered(document: Document, order: Sequence[int]) -> Document:
    """The document with its tokens in another order; sentences keep their first words."""
    position = {token: place for place, token in enumerate(order)}
    sentences = [*document.sentences, len(order)]
    firsts = [
        min(position[token] for token in range(start, stop))
        for start, stop in pairwise(sentences)
        if stop > start
    ]

    def moved(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        places = [position[token] for start, stop in spans for token in range(start, stop)]
        return merged((place, place + 1) for place in places)

    return replace(
        document,
        tokens=[(document.tokens or [])[token] for token in order],
        sentences=firsts,
        layers={name: [column[t] for t in order] for name, column in document.layers.items()},
        empty_nodes=sorted(position[token] for token in document.empty_nodes),
        lines=[],
        mentions=[
            replace(
                mention,
                spans=moved(mention.spans),
                head=None if mention.head is None else position[mention.head],
            )
            for mention in document.mentions
        ],
    )


def _written(word: str, dialect: Dialect, empty: bool) -> str:
    """A word in which nothing can be read as a tag; an empty node begins with ``##``."""
    parts = full_width(word, dialect.special).split()
    word = ("_" if dialect.crosses else " ").join(parts)
    if empty:
        return ZERO + ("" if word == "_" else "_".join(parts))
    return full_width(word, "#") if word.startswith(ZERO) else word


Span = tuple[int, int, str | int]
"""First token, the one after the last, entity."""


def _nested(document: Document, dialect: Dialect) -> list[Span]:
    """The mentions that can be tagged, longer ones first if several begin.

    Of mentions that cross the first is kept, unless the dialect has a stack for each entity.
    """
    spans = sorted(
        ((*_part(mention), mention.entity) for mention in document.mentions),
        key=lambda span: (span[0], -span[1]),
    )
    kept: list[Span] = []
    opened: dict[str | int, list[int]] = defaultdict(list)
    for start, stop, entity in spans:
        stack = opened[entity if dialect.crosses else ""]
        while stack and stack[-1] <= start:
            stack.pop()
        if not stack or stop <= stack[-1]:
            stack.append(stop)
            kept.append((start, stop, entity))
    return kept


def _part(mention: Mention) -> tuple[int, int]:
    """Tokens of a mention; of a discontinuous one the part with its head, else the first."""
    head = -1 if mention.head is None else mention.head
    return next(((a, b) for a, b in mention.spans if a <= head < b), mention.spans[0])


def _tagged(
    words: Sequence[str], spans: Sequence[Span], dialect: Dialect, labels: bool
) -> list[str]:
    """The words with tags before and after them."""
    words = list(words)
    numbers: dict[str | int, int] = {}
    before: dict[int, list[str]] = defaultdict(list)
    behind: dict[int, list[str]] = defaultdict(list)
    for start, stop, entity in spans:
        label = str(numbers.setdefault(entity, len(numbers) + 1)) if labels else ""
        opening, closing = dialect.opening(label), dialect.closing(label)
        if dialect.zero is not None and stop - start == 1 and words[start].startswith(ZERO):
            words[start] = dialect.zero(label)
        elif dialect.crosses and stop - start == 1:
            behind[start].append(f"{opening}]")
        elif dialect.crosses:
            behind[start].append(opening)
            behind[stop - 1].append(closing)
        else:
            before[start].append(opening)
            behind[stop - 1].insert(0, closing)
    if dialect.crosses:
        return [
            f"{word}|{','.join(behind[place])}" if place in behind else word
            for place, word in enumerate(words)
        ]
    return [
        "".join(before[place]) + word + "".join(behind[place])
        if place in before or place in behind
        else word
        for place, word in enumerate(words)
    ]
