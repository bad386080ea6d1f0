"""Prompts for language models: one per dialect, and one for strings with their places.

::

    {"doc_id": "d", "dialect": "markdown", "prompt": "Copy the text …"}
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from typing import NoReturn

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, without_empty_nodes
from corefine.errors import UsageError
from corefine.formats.io.records import sentence_bounds
from corefine.formats.io.sources import Source
from corefine.formats.registry import Format, register
from corefine.formats.tagged.dialects import WRITTEN, Dialect, line, prompts, tagged_text
from corefine.formats.tagged.grounding import Occurrences

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


def write_all_prompts(corpus: Corpus, mentions: bool = False) -> Iterator[bytes]:
    """Every document with a prompt per dialect; ``mentions`` marks the corpus's in tagged text."""
    written = [(one, dict(prompts(corpus, one, mentions))) for one in WRITTEN.values()]
    for document in corpus:
        for dialect, texts in written:
            prompt = f"{instruction(dialect, mentions)}\n\n{texts[document.name]}"
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
