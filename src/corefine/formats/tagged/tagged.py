"""Tagged text as formats: read beside the corpus that has the source, and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

import numpy as np

from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.copying import Copied, Copies
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import UsageError, choose
from corefine.formats.building.mention_rows import MentionRows
from corefine.formats.columns.heads import head_words, parent_tokens
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.tagged.answers import (
    Answer,
    find_answers,
    is_records,
    output_of,
    over_lines,
    without_chatter,
)
from corefine.formats.tagged.dialects import DIALECTS, Dialect, dialect_named, dialect_of
from corefine.formats.tagged.projection import RULES, SourceText, project
from corefine.formats.tagged.writing import write_answers, write_prompts
from corefine.formats.text.numerals import whole_numbers

ANOTHER = 0.2
"""The share of the source's words below which an answer without tags is another text."""


def read_tagged(
    text: str,
    words: Sequence[str] | Sequence[Sequence[str]],
    dialect: str | None = None,
    *,
    align: str = "tolerant",
    document: str = "",
) -> Corpus:
    """The mentions that a language model tagged in a text, as places in the source's words.

    ``words`` are those of the source, or its sentences. The dialect (``"crac-text"``,
    ``"markdown"``, ``"xml-m"``, ``"seq2seq"``, ``"brackets"``) is recognised unless it is named.
    ``align`` is ``"tolerant"``, or ``"crac"`` for the rule of the shared task's cleaner. What was
    copied and what got lost is in the corpus's ``copies``.

    >>> corpus = read_tagged("Sure! [Tom](#1) say [he](#1) left.", "Tom says he left .".split())
    >>> corpus.to_dict()
    {'': [[(0, 0), (2, 2)]]}
    >>> corpus.copies.total.changed
    1
    """
    choose("align", align, RULES)
    if isinstance(words, str):
        raise UsageError("the source words are a string", remedy="Give a list of words.")
    sentences = [[word] if isinstance(word, str) else list(word) for word in words]
    flat = [word for sentence in sentences for word in sentence]
    sizes = [len(sentence) for sentence in sentences if sentence]
    whole = all(isinstance(word, str) for word in words)
    first = [0] if whole and flat else np.cumsum([0, *sizes])[:-1]
    source = Corpus(
        (document,),
        Entities(np.zeros(0, np.int64)),
        MentionRows().mentions(),
        Tokens(
            Strings.from_list(flat),
            np.array([0, len(flat)]),
            np.array(first if flat else [], np.int64),
        ),
    )
    chosen = None if dialect is None else dialect_named(dialect)
    return read_answers({document: Answer(text, "")}, source, chosen, align)


def _read_against(
    sources: Sequence[Source], source: Corpus, align: str, dialect: Dialect
) -> Corpus:
    """The answers of files, aligned with the words of a corpus."""
    return read_answers(find_answers(sources, source.documents), source, dialect, align)


def read_answers(
    answers: Mapping[str, Answer], source: Corpus, dialect: Dialect | None, align: str
) -> Corpus:
    """A corpus of all documents of the source, whose mentions are those of the answers.

    The dialect of each answer is recognised unless it is given.
    """
    tokens = source.tokens
    if tokens is None:
        raise UsageError(
            "tagged text needs a key with words, but the key has none",
            remedy="Give a key with text, such as CoNLL-U.",
        )
    rows, documents = MentionRows(), []
    opens = np.zeros(len(tokens) + 1, bool)
    opens[tokens.sentences] = True
    empty = np.zeros(len(tokens), bool) if tokens.empty is None else tokens.empty
    for number, name in enumerate(source.documents):
        low, high = tokens.offsets[number : number + 2].tolist()
        words = tokens.words[low:high].tolist()
        beside = SourceText(name, words, empty[low:high], opens[low:high])
        answer = answers.get(name)
        text = None if answer is None else answer.text
        if text is None or not text.strip():
            documents.append(_failed(name, len(beside.solid), text))
            continue
        literal = align == "crac" and (dialect or dialect_of(text)) is DIALECTS["crac-text"]
        part = text if literal else without_chatter(text, words, dialect)
        spans, copied = project(
            part, dialect or dialect_of(part) or DIALECTS["markdown"], beside, align
        )
        copied = _at_their_places(copied, max(0, text.find(part)))
        untagged = not copied.mentions and not copied.malformed
        if copied.words and (not copied.copied or (untagged and copied.coverage < ANOTHER)):
            copied = replace(copied, failure="the answer is not a copy of the text")
            if align == "tolerant":
                # Nothing tells that any word of it stands for one of the text.
                spans, copied = [], replace(copied, kept=0, moved=0, lost=copied.mentions)
        documents.append(copied)
        for first, last, label in sorted(spans, key=lambda span: (span[0], -span[1])):
            rows.add(number, label, ((first, last + 1),))
    mentions = rows.mentions()
    mentions = replace(_with_heads(mentions, tokens), type=None)
    copies = Copies(align, tuple(documents))
    labels = [str(label) for _, label in rows.entities]
    return Corpus(
        source.documents,
        Entities(rows.all_entities().document, Strings.from_list(labels)),
        mentions,
        tokens,
        topics=source.topics,
        sources=tuple(answers[name].source if name in answers else "" for name in source.documents),
        format=None if dialect is None else dialect.name,
        warnings=tuple(copies.warnings()),
        named=source.named,
        copies=copies,
    )


def _at_their_places(copied: Copied, before: int) -> Copied:
    """With faults at their places in the whole answer, of which so much was left out before."""
    faults = (replace(fault, character=fault.character + before) for fault in copied.faults)
    return replace(copied, faults=tuple(faults)) if before else copied


def _failed(name: str, words: int, text: str | None) -> Copied:
    """A document without an answer; one without words needs none."""
    if not words:
        return Copied(name, 0)
    failure = "no answer" if text is None else "the answer is empty"
    return Copied(name, words, deleted=words, stopped=0, failure=failure)


def _with_heads(mentions: Mentions, tokens: Tokens) -> Mentions:
    """The mentions with their heads, where the source has dependency trees."""
    column = tokens.layers.get("head")
    if column is None or not len(mentions):
        return mentions
    parents = whole_numbers(column.data, column.offsets[:-1], column.offsets[1:])
    above = parent_tokens(parents, tokens.sentences, tokens.empty)
    base = tokens.offsets[mentions.document]
    rows = np.arange(len(mentions))
    heads = head_words(
        above, tokens.empty, rows, base + mentions.start, base + mentions.stop, len(mentions)
    )
    return replace(mentions, head=heads - base)


def _refuse(source: Source, layers: frozenset[str] | None, /) -> NoReturn:
    raise UsageError(
        "text tagged by a language model needs its source",
        source.where(),
        "Score it against a key, or give the source with --against KEY (against=key).",
    )


def _detect(head: bytes, name: str, dialect: Dialect) -> bool:
    if is_records(head) and not over_lines(head):
        lines = head.split(b"\n")
        from corefine.formats.jsonlines.records import decode_object

        records = [decode_object(line) for line in lines[:50] if line.strip()]
        outputs = [
            output
            for record in records
            if record is not None and (output := output_of(record)) is not None
        ]
        text = "\n".join(outputs)
    else:
        text = head.decode("utf-8", "replace")
    return dialect_of(text) is dialect


for _dialect in DIALECTS.values():
    register(
        Format(
            _dialect.name,
            _dialect.title,
            fallback=partial(_detect, dialect=_dialect),
            read_columns=_refuse,
            capabilities=Capabilities(zeros=True, entity_names=False),
            documentation="docs/formats/tagged.md",
            write=partial(write_answers, dialect=_dialect),
            read_against=partial(_read_against, dialect=_dialect),
            write_prompts=partial(write_prompts, dialect=_dialect),
        )
    )
