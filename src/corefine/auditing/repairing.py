"""Repairs of files that have one reading, with a log.

- *unbalanced bracket* (CoNLL): a mention that is opened at the last token of a sentence and never
  closed, or closed at the first and never opened, is that token;
- *crossed brackets* (CoNLL): a mention that is closed and opened at a token, ``2)|(2``, and neither
  opened before nor closed later, is that token;
- *empty entity* (JSON): a cluster without mentions is removed;
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
from corefine.formats.jsonlines.records import RECORDS, read_records
from corefine.output.grid import Column, Grid
from corefine.output.result import Result, Tables, plain_values

_NAMES = ("doc_key", "doc_id", "document_id", "id")
"""Keys of JSON records that name a document."""
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
    if corpus.format in RECORDS and Path(name).is_file():
        log += _empty_entities(Source(name, Path(name)))
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
    """Balance brackets that have one reading, changing the lines."""
    document = ""
    rows: list[int] = []
    starts: list[int] = []
    for number, line in enumerate([*lines, "#begin document"]):
        if line.startswith("#begin document"):
            yield from _balance_document(lines, rows, starts, document)
            document, rows, starts = line.partition("(")[2].partition(")")[0], [], []
        elif line.strip() and not line.startswith("#"):
            if not rows or rows[-1] != number - 1:
                starts.append(number)
            rows.append(number)


def _balance_document(
    lines: list[str], rows: Sequence[int], starts: Sequence[int], document: str
) -> Iterator[Repair]:
    """Repair the brackets that are left over in a document; ``starts`` begin its sentences."""
    opened: dict[str, list[int]] = {}
    left: dict[tuple[int, str], list[str]] = {}
    for row in rows:
        for bracket in _BRACKET.findall(lines[row].split()[-1]):
            entity = bracket.strip("()")
            if bracket.startswith("(") and not bracket.endswith(")"):
                opened.setdefault(entity, []).append(row)
            elif bracket.endswith(")") and not bracket.startswith("("):
                if opened.get(entity):
                    opened[entity].pop()
                else:
                    left.setdefault((row, entity), []).append(bracket)
    for entity, found in opened.items():
        for row in found:
            left.setdefault((row, entity), []).append(f"({entity}")
    firsts, tokens = set(starts), set(rows)
    for (row, entity), brackets in sorted(left.items()):
        crossed = brackets == [f"{entity})", f"({entity}"]
        at_start = row in firsts and brackets == [f"{entity})"]
        at_end = row + 1 not in tokens and brackets == [f"({entity}"]
        before, cell = re.fullmatch(r"(.*?)(\S+)\s*", lines[row]).groups()  # type: ignore[union-attr]
        parts = cell.split("|")
        if not (crossed or at_start or at_end) or not set(brackets).issubset(parts):
            continue
        parts[parts.index(brackets[0])] = f"({entity})"
        if crossed:
            parts.remove(brackets[1])
        lines[row] = before + "|".join(parts)
        kind = "crossed brackets" if crossed else "unbalanced bracket"
        yield Repair(kind, document, row + 1, f"{cell} → {'|'.join(parts)}")


def _empty_entities(source: Source) -> Iterator[Repair]:
    """Empty clusters of JSON records, which are not written again."""
    for record, line in read_records(source, dict[str, Any]):
        name = next((str(record[key]) for key in _NAMES if key in record), "")
        for key, clusters in record.items():
            if key.endswith("clusters") and isinstance(clusters, list):
                for number, cluster in enumerate(clusters):
                    if cluster == []:
                        yield Repair("empty entity", name, line, f"{key}[{number}]: removed")
