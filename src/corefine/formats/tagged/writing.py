"""Writing of answers as language models give them, and of the prompts that ask for them.

There is a prompt per dialect, and one for strings with their places::

    {"doc_id": "d", "dialect": "markdown", "prompt": "Copy the text …"}
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import NoReturn

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, Span, merged, without_empty_nodes
from corefine.errors import UsageError
from corefine.formats.io.records import sentence_bounds
from corefine.formats.io.sources import Source
from corefine.formats.registry import Format, register
from corefine.formats.tagged.dialects import WRITTEN, ZERO, Dialect, full_width
from corefine.formats.tagged.grounding import Occurrences

# --- tagged text ----------------------------------------------------------------------------------


def write_answers(corpus: Corpus, dialect: Dialect) -> Iterator[bytes]:
    """Every document with its mentions tagged; entities are numbered from 1 in each."""
    for document in with_text(corpus):
        text = tagged_text(document, dialect)
        if dialect.crosses:
            yield (text + "\n").encode()
        else:
            yield line({"doc_id": document.name, "output": text})


def with_text(corpus: Corpus) -> Corpus:
    """The corpus, which must have words."""
    if corpus.tokens is None:
        raise UsageError(
            "a corpus without text cannot be tagged",
            None,
            "Choose a format that does not need the text, such as labels.",
        )
    return corpus


def line(record: dict[str, str]) -> bytes:
    """A record as a line of JSON."""
    # JSON cannot represent lone surrogates as UTF-8.
    return (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def tagged_text(
    document: Document, dialect: Dialect, tags: bool = True, labels: bool = True
) -> str:
    """The text of a document, by choice with tags around its mentions, with entity ids in them."""
    tokens, order = document.tokens or [], _written_order(document)
    empty, opens = set(document.empty_nodes), set(document.starts)
    words = [_written(tokens[token], dialect, token in empty) for token in order]
    if tags:
        position = {token: place for place, token in enumerate(order)}
        spans = [(*_part(mention, position), mention.entity) for mention in document.mentions]
        _tag(words, _nested(spans, dialect), dialect, labels)
    text = "".join(
        (" " if dialect.crosses or token not in opens else "\n") + word
        for token, word in enumerate(words)
    )
    return text[1:]


def _written_order(document: Document) -> list[int]:
    """The tokens with empty nodes after their parents, as in the data of the CRAC shared task.

    The parent is the first dependency; nodes without one stay where they are. Nodes of the root
    come first in their sentence.
    """
    size, deps = len(document.tokens or ()), document.layers.get("deps")
    if not document.empty_nodes or deps is None:
        return list(range(size))
    empty = set(document.empty_nodes)
    places: list[tuple[int, int]] = []
    for start, stop in sentence_bounds(document):
        words = [token for token in range(start, stop) if token not in empty]
        behind = {str(number): (word, 1) for number, word in enumerate(words, 1)}
        if words:
            behind["0"] = (words[0], -1)
        before = start
        for token in range(start, stop):
            if token in empty:
                parent = deps[token].partition("|")[0].partition(":")[0]
                places.append(behind.get(parent, (before, 1)))
            else:
                places.append((token, 0))
                before = token
    return sorted(range(size), key=lambda token: (places[token], token))


def _written(word: str, dialect: Dialect, empty: bool) -> str:
    """A word without characters that could be read as a tag; an empty node begins with ``##``."""
    parts = full_width(word, dialect.special).split()
    word = ("_" if dialect.crosses else " ").join(parts)
    if empty:
        return ZERO + ("" if word == "_" else "_".join(parts))
    return full_width(word, "#") if word.startswith(ZERO) else word


def _part(mention: Mention, position: dict[int, int]) -> Span:
    """The places of a mention; of a discontinuous one, of the part with its head or the first."""
    places = (position[token] for start, stop in mention.spans for token in range(start, stop))
    spans = merged((place, place + 1) for place in places)
    head = -1 if mention.head is None else position[mention.head]
    return next(((start, stop) for start, stop in spans if start <= head < stop), spans[0])


TaggedSpan = tuple[int, int, str | int]
"""First place, the one after the last, entity."""


def _nested(spans: list[TaggedSpan], dialect: Dialect) -> Iterator[TaggedSpan]:
    """The mentions that can be tagged, longer ones first if several begin.

    Of crossing mentions the first is kept, unless the dialect has a stack per entity.
    """
    opened: dict[str | int, list[int]] = defaultdict(list)
    for start, stop, entity in sorted(spans, key=lambda span: (span[0], -span[1])):
        stack = opened[entity if dialect.crosses else ""]
        while stack and stack[-1] <= start:
            stack.pop()
        if not stack or stop <= stack[-1]:
            stack.append(stop)
            yield start, stop, entity


def _tag(words: list[str], spans: Iterator[TaggedSpan], dialect: Dialect, labels: bool) -> None:
    """Add tags before and after words."""
    numbers: dict[str | int, int] = {}
    before: dict[int, str] = defaultdict(str)
    behind: dict[int, list[str]] = defaultdict(list)
    for start, stop, entity in spans:
        label = str(numbers.setdefault(entity, len(numbers) + 1)) if labels else ""
        opening, _, closing = dialect.template.replace("1", label).partition("X")
        if dialect.zero and stop - start == 1 and words[start].startswith(ZERO):
            words[start] = dialect.zero.replace("1", label)
        elif not dialect.crosses:
            before[start] += opening
            behind[stop - 1].insert(0, closing)
        elif stop - start == 1:
            behind[start].append(f"{opening}]")
        else:
            behind[start].append(opening)
            behind[stop - 1].append(closing)
    for place, tags in behind.items():
        words[place] += f"|{','.join(tags)}" if dialect.crosses else "".join(tags)
    for place, opened in before.items():
        words[place] = opened + words[place]


# --- prompts --------------------------------------------------------------------------------------

TAG = (
    "Copy the text below word for word and tag {} with the number of their entity, as in: {}\n"
    "Number entities from 1. Write nothing but the text."
)
ANNOTATED = Document("", ["Anna", "saw", "her", "dog"])
ANNOTATED.mentions = [Mention(one, [span]) for one, span in ((1, (0, 1)), (1, (2, 3)), (2, (2, 4)))]
"""The text whose tags are the example in a prompt."""
STRINGS = {
    "strings": (
        "List all mentions of entities in the text below, by entity and in the order of the text, "
        'as in: {"clusters": [["Anna", "her"], ["her dog"]]}\nWrite nothing but JSON.'
    ),
    "numbered": (
        "List all mentions of entities in the text below, by entity, each with the number of its "
        "sentence and of its occurrence in that sentence, as in: "
        '{"clusters": [[{"text": "Anna", "sentence": 1, "occurrence": 1}, '
        '{"text": "her", "sentence": 1, "occurrence": 1}]]}\nWrite nothing but JSON.'
    ),
}
"""Prompts for answers that list strings."""


def instruction(dialect: Dialect, mentions: bool = False) -> str:
    """The text that asks for tags."""
    return TAG.format(
        "the mentions that are marked" if mentions else "all mentions of entities",
        tagged_text(ANNOTATED, dialect),
    )


def write_prompts(corpus: Corpus, dialect: Dialect, mentions: bool) -> Iterator[bytes]:
    """The text of every document for a model to tag, as JSON lines.

    With ``mentions`` those of the corpus are tagged, without entity ids.
    """
    for document in with_text(corpus):
        text = tagged_text(document, dialect, mentions, labels=False)
        yield line({"doc_id": document.name, "text": text})


def write_all_prompts(corpus: Corpus, mentions: bool = False) -> Iterator[bytes]:
    """Every document with a prompt per dialect; ``mentions`` marks the corpus's in tagged text."""
    for document in with_text(corpus):
        for dialect in WRITTEN.values():
            text = tagged_text(document, dialect, mentions, labels=False)
            prompt = f"{instruction(dialect, mentions)}\n\n{text}"
            yield line({"doc_id": document.name, "dialect": dialect.name, "prompt": prompt})
        words = without_empty_nodes(document)
        sentences = [" ".join((words.tokens or [])[a:b]) for a, b in sentence_bounds(words)]
        numbered = [f"{number}. {text}" for number, text in enumerate(sentences, 1)]
        for name, rows in (("strings", sentences), ("numbered", numbered)):
            prompt = "\n".join([f"{STRINGS[name]}\n", *rows])
            yield line({"doc_id": document.name, "dialect": name, "prompt": prompt})


def write_numbered(corpus: Corpus) -> Iterator[bytes]:
    """Every document as the answer to the prompt for numbered strings."""
    for document in map(without_empty_nodes, corpus):
        find = Occurrences(document)
        clusters = [
            [
                _numbered(document, find, mention.spans[0][0], document.words_of(mention))
                for mention in entity
            ]
            for entity in document.entities.values()
        ]
        answer = json.dumps({"clusters": clusters}, ensure_ascii=False)
        yield line({"doc_id": document.name, "output": answer})


def _numbered(document: Document, find: Occurrences, start: int, words: str) -> dict[str, object]:
    """A mention with its sentence and its occurrence in it, counted from 1."""
    starts = document.starts or [0]
    number = bisect_right(starts, start)
    exact = find.of(words).exact
    before = [span for span in exact if starts[number - 1] <= span[0] < start]
    return {"text": words, "sentence": number, "occurrence": len(before) + 1}


def _refuse(source: Source, layers: frozenset[str] | None, /) -> NoReturn:
    raise UsageError(
        "prompts have no mentions", source.where(), "Give the answers of the model to them."
    )


register(
    Format(
        "prompts",
        "Prompts for language models: a prompt per document and dialect, as JSON lines",
        read_columns=_refuse,
        write_prompts=write_all_prompts,
    )
)
