"""Tagged text is written: gold answers, and the prompts that a model is asked with."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from corefine.corpus.arrays import IntArray, offsets_of
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats.building.written_text import lost_blanks
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
    # What JSON cannot hold as UTF-8 is a lone surrogate, which no file of text has.
    return (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def tagging_losses(corpus: Corpus, dialect: Dialect) -> list[str]:
    """What of a corpus cannot be tagged in this dialect."""
    if corpus.tokens is None:
        return []
    crossing = 0
    for number in range(len(corpus)):
        rows = np.flatnonzero(corpus.mentions.document == number)
        crossing += len(rows) - len(_nested(corpus, rows, dialect))
    lost = [f"crossing mentions ({crossing:,})"] if crossing else []
    return [*lost, *lost_blanks(corpus)]


def _documents(
    corpus: Corpus, dialect: Dialect, tags: bool, labels: bool
) -> Iterator[tuple[str, str]]:
    tokens, mentions = corpus.tokens, corpus.mentions
    if tokens is None:
        raise UsageError(
            "a corpus without text cannot be tagged",
            None,
            "Choose a format that does not need the text, such as labels.",
        )
    bounds = offsets_of(np.bincount(mentions.document, minlength=len(corpus))).tolist()
    opens = np.zeros(len(tokens) + 1, bool)
    opens[tokens.sentences] = True
    for number, name in enumerate(corpus.documents):
        low, high = tokens.offsets[number : number + 2].tolist()
        empty = None if tokens.empty is None else tokens.empty[low:high].tolist()
        words = [
            _written(word, dialect, empty is not None and empty[place])
            for place, word in enumerate(tokens.words[low:high])
        ]
        if tags:
            rows = np.arange(bounds[number], bounds[number + 1])
            words = _tagged(words, _nested(corpus, rows, dialect), dialect, labels)
        breaks = opens[low:high] if dialect.lines else np.zeros(high - low, bool)
        text = "".join(
            ("\n" if begins else " ") + word for word, begins in zip(words, breaks, strict=True)
        )
        yield name, text[1:]


def _written(word: str, dialect: Dialect, empty: bool) -> str:
    """A word in which nothing can be read as a tag; an empty node begins with ``##``."""
    parts = full_width(word, dialect.special).split()
    word = ("_" if dialect.crosses else " ").join(parts)
    if empty:
        return ZERO + ("" if word == "_" else "_".join(parts))
    return full_width(word, "#") if word.startswith(ZERO) else word


Span = tuple[int, int, int]
"""First token, the one behind the last, entity."""


def _nested(corpus: Corpus, rows: IntArray, dialect: Dialect) -> list[Span]:
    """The mentions that can be tagged, longer ones first where several begin.

    Of mentions that cross the first is kept, unless the dialect has a stack for each entity.
    """
    spans = sorted(
        ((*_part(corpus, row), int(corpus.mentions.entity[row])) for row in rows.tolist()),
        key=lambda span: (span[0], -span[1]),
    )
    kept: list[Span] = []
    opened: dict[int, list[int]] = defaultdict(list)
    for start, stop, entity in spans:
        stack = opened[entity if dialect.crosses else 0]
        while stack and stack[-1] <= start:
            stack.pop()
        if not stack or stop <= stack[-1]:
            stack.append(stop)
            kept.append((start, stop, entity))
    return kept


def _part(corpus: Corpus, row: int) -> tuple[int, int]:
    """A mention's tokens; of a discontinuous one the part with its head, else the first."""
    parts = corpus.pieces_of(row)
    head = -1 if corpus.mentions.head is None else int(corpus.mentions.head[row])
    return next(((a, b) for a, b in parts if a <= head < b), parts[0])


def _tagged(
    words: Sequence[str], spans: Sequence[Span], dialect: Dialect, labels: bool
) -> list[str]:
    """The words with tags before and behind them."""
    words = list(words)
    numbers: dict[int, int] = {}
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
