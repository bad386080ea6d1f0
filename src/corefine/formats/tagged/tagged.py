"""Formats of tagged text, which are aligned with the corpus that has the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import NoReturn

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from corefine.errors import UsageError, choose
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
from corefine.formats.tagged.copies import Copied
from corefine.formats.tagged.dialects import DIALECTS, Dialect, dialect_named, dialect_of
from corefine.formats.tagged.projection import RULES, Projected, project, response_document
from corefine.formats.tagged.writing import write_answers, write_prompts

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
    ``"markdown"``, ``"xml-m"``, ``"xml-entity"``, ``"seq2seq"``, ``"brackets"``) is detected unless
    it is given. ``align`` is ``"tolerant"``, or ``"crac"`` for the rule of the shared task's
    cleaner. What was copied and what was lost is in the corpus's ``copies``.

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
    whole = all(isinstance(word, str) for word in words)
    source = Document(document, [word for sentence in sentences for word in sentence])
    if not whole:
        sizes = [len(sentence) for sentence in sentences if sentence]
        source.sentences = list(accumulate(sizes, initial=0))[:-1]
    chosen = None if dialect is None else dialect_named(dialect)
    corpus = Corpus.from_documents([source])
    return read_answers({document: Answer(text, "")}, corpus, chosen, align)


def _read_against(
    sources: Sequence[Source], source: Corpus, align: str, dialect: Dialect
) -> Corpus:
    """The answers of files, aligned with the words of a corpus."""
    return read_answers(find_answers(sources, source.documents), source, dialect, align)


def read_answers(
    answers: Mapping[str, Answer], source: Corpus, dialect: Dialect | None, align: str
) -> Corpus:
    """A corpus of all documents of the source, with the mentions of the answers.

    The dialect of each answer is detected unless it is given.
    """
    if source.tokens is None:
        raise UsageError(
            "tagged text needs a key with words, but the key has none",
            remedy="Give a key with text, such as CoNLL-U.",
        )
    documents = []
    for document in source:
        answer = answers.get(document.name)
        projected = _projected(document, None if answer is None else answer.text, dialect, align)
        response = response_document(document, projected, align)
        response.source = "" if answer is None else answer.source
        documents.append(response)
    corpus = Corpus.from_documents(documents, None if dialect is None else dialect.name)
    warnings = () if corpus.copies is None else tuple(corpus.copies.warnings())
    return replace(corpus, warnings=warnings)


def _projected(
    document: Document, text: str | None, dialect: Dialect | None, align: str
) -> Projected:
    """Mentions of one answer; none if it is missing or not a copy of the text."""
    if text is None or not text.strip():
        words = len(document.tokens or ()) - len(document.empty_nodes)
        failure = "no answer" if text is None else "the answer is empty"
        failed = Copied(document.name, words, deleted=words, stopped=0, failure=failure)
        return Projected([], [], failed if words else Copied(document.name, 0))
    literal = align == "crac" and (dialect or dialect_of(text)) is DIALECTS["crac-text"]
    part = text if literal else without_chatter(text, document.tokens or [], dialect)
    chosen = dialect or dialect_of(part) or DIALECTS["markdown"]
    projected = project(part, chosen, document, align)
    copied, before = projected.copied, max(0, text.find(part))
    faults = (replace(fault, character=fault.character + before) for fault in copied.faults)
    copied = replace(copied, faults=tuple(faults))
    untagged = not copied.mentions and not copied.malformed
    if copied.words and (not copied.copied or (untagged and copied.coverage < ANOTHER)):
        copied = replace(copied, failure="the answer is not a copy of the text")
        if align == "tolerant":
            # No word of it is known to correspond to one of the text.
            copied = replace(copied, kept=0, moved=0, lost=copied.mentions)
            return Projected([], [], copied)
    return replace(projected, copied=copied)


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
