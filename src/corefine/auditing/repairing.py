"""Repairs of files that have one reading, with a log.

- *unbalanced bracket* (CoNLL): a mention that is opened at the last token of a sentence and never
  closed, or closed at the first and never opened, is that token;
- *duplicate mention*: the first of several mentions with the same span is kept;
- *reused id*: if an entity id (other than a number) occurs in several documents, it gets the number
  of the document appended in all but the first;
- *trailing punctuation*: a mention that ends with a punctuation mark is reported, and not changed.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from corefine.errors import FormatError, UsageError
from corefine.formats import format_named, read, write
from corefine.formats.input.lines import text_lines
from corefine.formats.input.sources import Source
from corefine.output.grid import Column, Grid
from corefine.output.result import Result, Tables, plain_values

_BRACKET = re.compile(r"\(?[^()|]+\)?")


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair, or a remark on something that was left as it is."""

    repair: str
    document: str
    line: int | None
    text: str
    """The mention or cell, before and after."""
    changed: bool = True


@dataclass(frozen=True, repr=False)
class Repairs(Result):
    """The log of repairs of a file, and its repaired content; returned by :func:`repair`."""

    source: str
    log: tuple[Repair, ...]
    corpus: Corpus
    warnings: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        made = sum(one.changed for one in self.log)
        left = len(self.log) - made
        return f"{self.source}: repaired {made:,}; left {left:,} as they are."

    def table_functions(self) -> Tables:
        return {"repairs": repairs_grid}

    def to_dict(self) -> dict[str, Any]:
        return {"file": self.source, "repairs": [plain_values(one) for one in self.log]}


def repairs_grid(repairs: Repairs) -> Grid:
    """One row per repair."""
    return Grid.of(
        repairs.log,
        {
            Column("repair"): "repair",
            Column("document", priority=1): "document",
            Column("line", "integer"): "line",
            Column("changed"): lambda one: "yes" if one.changed else "no",
            Column("text"): "text",
        },
    )


def repair(
    path: str | os.PathLike[str],
    target: str | os.PathLike[str] | None = None,
    format: str | None = None,
    *,
    in_place: bool = False,
) -> Repairs:
    """Repair a file where there is one reading, and write it to ``target`` if that is given.

    The file itself is a target only if ``in_place`` is true.

    >>> from corefine.cli.samples import sample_path
    >>> repair(sample_path("key")).log
    ()
    """
    name = os.fspath(path)
    if in_place and target is not None:
        raise UsageError("a file is repaired in place or written to another, not both")
    log: list[Repair] = []
    try:
        corpus = read(name, format)
    except FormatError as error:
        source = Source(name, Path(name))
        if format not in (None, "conll") or not Path(name).is_file():
            raise
        lines = [line for _, line in text_lines(source)]
        log = list(_balance(lines))
        if not log:
            raise
        content = "\n".join([*lines, ""]).encode()
        try:
            corpus = format_named("conll").corpus(Source(name, content=content))
        except FormatError:
            raise error from None
    documents = list(corpus)
    log += repaired_documents(documents)
    repaired = Corpus.from_documents(documents, corpus.format)
    written = name if in_place else target
    if written is not None:
        write(repaired, written, corpus.format, inputs=() if in_place else (name,))
    return Repairs(name, tuple(log), repaired, corpus.warnings)


def repaired_documents(documents: Sequence[Document]) -> list[Repair]:
    """Repair documents, and return the log."""
    log: list[Repair] = []
    seen: dict[str, str] = {}
    for number, document in enumerate(documents, 1):
        log += _without_duplicates(document)
        log += _with_unique_ids(document, number, seen)
        log += _punctuation(document)
    return log


def _line(document: Document, token: int) -> int | None:
    return document.lines[token] if document.lines else None


def _without_duplicates(document: Document) -> Iterator[Repair]:
    seen: set[Any] = set()
    kept = []
    for mention in document.mentions:
        place = tuple(mention.spans) or mention.name
        if place in seen:
            line = _line(document, mention.spans[0][0]) if mention.spans else None
            text = f"“{document.words(mention)}” of entity {mention.entity}: removed"
            yield Repair("duplicate mention", document.name, line, text)
        else:
            kept.append(mention)
        seen.add(place)
    document.mentions = kept


def _with_unique_ids(document: Document, number: int, seen: dict[str, str]) -> Iterator[Repair]:
    for entity, mentions in document.entities.items():
        if isinstance(entity, int) or entity.isdigit():
            continue
        if seen.setdefault(entity, document.name) != document.name:
            new = f"{entity}.{number}"
            for mention in mentions:
                mention.entity = new
            text = f"{entity} of {seen[entity]} is {new} here"
            yield Repair("reused id", document.name, None, text)


def _punctuation(document: Document) -> Iterator[Repair]:
    for mention in document.mentions:
        if document.tokens is None or not mention.spans:
            continue
        last = mention.spans[-1][1] - 1
        word = document.tokens[last]
        if last > mention.spans[0][0] and all(unicodedata.category(c)[0] == "P" for c in word):
            text = f"“{document.words(mention)}”"
            line = _line(document, last)
            yield Repair("trailing punctuation", document.name, line, text, changed=False)


def _balance(lines: list[str]) -> Iterator[Repair]:
    """Close brackets at the ends of sentences, changing the lines."""
    document = ""
    sentence: list[int] = []
    for number, line in enumerate([*lines, ""]):
        if line.startswith("#begin document"):
            document = line.partition("(")[2].partition(")")[0]
        if line.strip() and not line.startswith("#"):
            sentence.append(number)
        elif sentence:
            yield from _balance_sentence(lines, sentence, document)
            sentence = []


def _balance_sentence(lines: list[str], rows: Sequence[int], document: str) -> Iterator[Repair]:
    opened: dict[str, list[int]] = {}
    unopened: list[tuple[int, str]] = []
    for row in rows:
        for bracket in _BRACKET.findall(lines[row].split()[-1]):
            entity = bracket.strip("()")
            if bracket.startswith("(") and not bracket.endswith(")"):
                opened.setdefault(entity, []).append(row)
            elif bracket.endswith(")") and not bracket.startswith("("):
                if opened.get(entity):
                    opened[entity].pop()
                else:
                    unopened.append((row, f"{entity})"))
    ends = [(row, cell) for row, cell in unopened if row == rows[0]]
    ends += [(row, f"({e}") for e, left in opened.items() for row in left if row == rows[-1]]
    for row, bracket in ends:
        before, cell = re.fullmatch(r"(.*?)(\S+)\s*", lines[row]).groups()  # type: ignore[union-attr]
        brackets = cell.split("|")
        at = brackets.index(bracket)
        brackets[at] = f"({bracket.strip('()')})"
        lines[row] = before + "|".join(brackets)
        text = f"{cell} → {'|'.join(brackets)}"
        yield Repair("unbalanced bracket", document, row + 1, text)
