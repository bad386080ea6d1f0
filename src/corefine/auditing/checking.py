"""Validation of files: problems, warnings and a summary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate, repeated_document
from corefine.corpus.selection import select_documents
from corefine.errors import CorefineError, Location, UsageError
from corefine.formats.input.index import LONGEST_LINE, line_at, marked_lines, says_something
from corefine.formats.input.lines import line_blocks
from corefine.formats.input.sources import Source, find_sources
from corefine.formats.reading import Place, read, without_companions
from corefine.formats.registry import SIDE_FORMATS, Format, format_named, sniff
from corefine.formats.tagged.copies import LOSS_TABLES, Copies, Losses
from corefine.kinds.kind_plan import plan_of
from corefine.matching.match import describe_repeats
from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Result, Tables


@dataclass(frozen=True, slots=True)
class Summary:
    """Numbers of documents, tokens, mentions and entities of a file."""

    documents: int
    tokens: int | None
    mentions: int
    entities: int
    singletons: int
    discontinuous: int
    longest: int
    """Mentions of the largest entity."""
    kinds: dict[str, int]

    @classmethod
    def of(cls, corpus: Corpus) -> Summary:
        """Summarise a corpus; kinds come from its format or its columns."""
        corpus, _, _ = plan_of("auto").apply(corpus, corpus.tokens)
        sizes = np.bincount(corpus.mentions.entity, minlength=len(corpus.entities))
        kind = corpus.mentions.kind
        counts = [] if kind is None else np.bincount(kind, minlength=len(Kind)).tolist()
        pieces = corpus.mentions.pieces
        return cls(
            len(corpus.documents),
            None if corpus.tokens is None else len(corpus.tokens),
            len(corpus.mentions),
            int(np.count_nonzero(sizes)),
            int(np.count_nonzero(sizes == 1)),
            0 if pieces is None else len(np.unique(pieces.mention)),
            int(sizes.max(initial=0)),
            {member.name.lower(): counts[member] for member in Kind if counts},
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """The check of a file: problems, warnings, and a summary of what can be read."""

    source: str
    format: str | None
    problems: tuple[CorefineError, ...]
    warnings: tuple[str, ...]
    summary: Summary | None
    copies: Copies | None = None
    """The alignment of a language model's text with its source."""

    def to_dict(self) -> dict[str, Any]:
        """The form in which the check of a file is written as JSON."""
        return {
            "file": self.source,
            "format": self.format,
            "problems": [
                {
                    "message": problem.message,
                    "line": None if problem.where is None else problem.where.line,
                    "remedy": problem.remedy,
                }
                for problem in self.problems
            ],
            "warnings": list(self.warnings),
            "summary": None if self.summary is None else asdict(self.summary),
            **({} if self.copies is None else {"alignment": self.copies.to_dict()}),
        }


class Checks(Result, list[Checked]):
    """The checks of some files, one for each."""

    def table_functions(self) -> Tables:
        return TABLES

    @property
    def default_tables(self) -> tuple[str, ...]:
        aligned = any(checked.copies is not None for checked in self)
        return ("summary", "losses") if aligned else ("summary",)

    def to_dict(self) -> dict[str, Any]:
        """The problems and the summary of each file."""
        return {"files": [checked.to_dict() for checked in self]}


def check(
    place: Place,
    format: str | None = None,
    *,
    against: Place | Corpus | None = None,
    align: str = "tolerant",
) -> Checks:
    """Check the files of a path, a directory or a pattern, each by itself.

    Files that belong to another one, such as the text of a document, are checked with that. Files
    of which each is right are read together as well, as they are for scoring. Text tagged by a
    language model is checked ``against`` the corpus with its source, all files at once.

    >>> [checked.problems for checked in check("key.conll")]  # doctest: +SKIP
    [()]
    """
    if against is not None:
        source = against if isinstance(against, Corpus) else read(against)
        return Checks([_check_against(place, format, source, align)])
    named = None if format is None else format_named(format)
    sources = find_sources(place, None)
    several = len(sources) > 1
    if several:
        sources = without_companions(sources, named)
    found = Checks(_check_source(source, named) for source in sources)
    if several and found and not any(checked.problems for checked in found):
        try:
            read(place, format)
        except CorefineError as error:
            at = None if error.where is None else error.where.source
            row = next((row for row, each in enumerate(found) if each.source == at), 0)
            found[row] = replace(found[row], problems=_advised((error, *error.others)))
    return found


def _check_against(place: Place, format: str | None, source: Corpus, align: str) -> Checked:
    """Check text tagged by a language model against its source."""
    try:
        corpus = read(place, format, against=source, align=align)
    except CorefineError as error:
        return Checked(os.fspath(place), format, _advised((error, *error.others)), (), None)
    if corpus.copies is None:
        raise UsageError(
            "only text tagged by a language model can be checked against a source",
            Location(os.fspath(place)),
            "Leave out --against, or give the format with --format.",
        )
    warnings = (*corpus.warnings, *describe_repeats(corpus), *_doubts(corpus))
    name = corpus.format
    return Checked(os.fspath(place), name, (), warnings, Summary.of(corpus), corpus.copies)


def _advised(problems: Iterable[CorefineError]) -> tuple[CorefineError, ...]:
    """The problems, whose remedies name the one option for a format that a check has."""
    found = tuple(problems)
    for problem in found:
        if problem.remedy is not None:
            problem.remedy = problem.remedy.replace(SIDE_FORMATS, "--format")
    return found


def _check_source(source: Source, format: Format | None) -> Checked:
    problems: list[CorefineError] = []
    corpora: list[Corpus] = []
    try:
        format = format or sniff(source)
        for result in _documents(source, format):
            if isinstance(result, CorefineError):
                problems += [result, *result.others]
            else:
                corpora.append(result)
    except CorefineError as error:
        problems += [error, *error.others]
    finally:
        source.close()
    corpora, repeats = _without_repeats(corpora)
    known = set(map(str, problems))
    problems += [repeat for repeat in repeats if str(repeat) not in known]
    corpus = None
    try:
        corpus = concatenate(corpora) if corpora else None
    except CorefineError as error:
        problems.append(CorefineError(error.message, source.where(), error.remedy))
    warnings = list(corpus.warnings) if corpus is not None else []
    if corpus is not None:
        warnings += describe_repeats(corpus)
        warnings += _doubts(corpus)
    return Checked(
        source.name,
        None if format is None else format.name,
        _advised(problems),
        tuple(warnings),
        None if corpus is None else Summary.of(corpus),
    )


def _without_repeats(corpora: list[Corpus]) -> tuple[list[Corpus], list[CorefineError]]:
    """The corpora without documents that are there a second time, and an error for each."""
    seen: dict[str, Location | None] = {}
    kept, problems = [], list[CorefineError]()
    for corpus in corpora:
        fresh = []
        for number, name in enumerate(corpus.documents):
            where = corpus.location(number)
            if name in seen:
                problems.append(repeated_document(name, seen[name], where))
            else:
                seen[name] = where
                fresh.append(number)
        if len(fresh) == len(corpus):
            kept.append(corpus)
        elif fresh:
            kept.append(select_documents(corpus, fresh))
    return kept, problems


def _documents(source: Source, format: Format) -> Iterator[Corpus | CorefineError]:
    """Readable documents and errors; after an error, document by document."""
    mark = format.document_mark
    whole = mark is None or (mark.undivided is not None and mark.undivided(source.head()))
    if whole or source.path is None:
        yield format.corpus(source)
        return
    try:
        yield format.corpus(source)
        return
    except CorefineError as error:
        first = error
    source.close()
    found = False
    for documents, (line, part, carried) in enumerate(_parts(source, format)):
        piece = Source(
            source.name,
            source.path,
            content=part,
            part=True,
            carried=carried,
            lines_before=line - 1,
        )
        try:
            yield _placed(format.corpus(piece), source, line - 1, documents)
        except CorefineError as error:
            found = True
            yield error
    if not found:
        # Each document is right by itself: what is wrong lies between them.
        yield first


def _parts(source: Source, format: Format) -> Iterator[tuple[int, bytes, bytes]]:
    """The documents of a file, each with its first line's number and a line that holds for it.

    A line that is longer than any format allows ends the last of them.
    """
    mark = format.document_mark
    assert mark is not None
    pending: list[bytes] = []
    first, holds, carried, begun, lines = 0, b"", b"", False, 0
    for content in line_blocks(source, longest=LONGEST_LINE):
        cut = 0
        for place, number in marked_lines(content, mark):
            line = line_at(content, place)
            if mark.name(line) is not None:
                before = b"".join([*pending, content[cut:place]])
                if begun or says_something(before):
                    yield first + 1, before, holds
                pending, cut = [], place
                first, holds, begun = lines + number, carried, True
            if mark.carried is not None and mark.carried(line):
                carried = line
        pending.append(content[cut:])
        lines += content.count(b"\n")
    yield first + 1, b"".join(pending), holds


def _placed(corpus: Corpus, source: Source, lines: int, documents: int) -> Corpus:
    """The corpus of a part of a file, with its lines and numbers of documents in the whole."""
    tokens = corpus.tokens
    if tokens is not None and tokens.lines is not None:
        corpus = replace(corpus, tokens=replace(tokens, lines=tokens.lines + lines))
    if not corpus.named:
        numbers = range(documents + 1, documents + 1 + len(corpus))
        names = tuple(f"{source.stem}:{number}".removeprefix(":") for number in numbers)
        corpus = replace(corpus, documents=names)
    return corpus


def _doubts(corpus: Corpus) -> list[str]:
    """Warnings of valid but suspicious content."""
    doubts = []
    present = np.bincount(corpus.mentions.document, minlength=len(corpus.documents))
    empty = np.flatnonzero(present == 0)
    if len(empty):
        more = f" and {len(empty) - 1:,} more documents" if len(empty) > 1 else ""
        doubts.append(f"document {corpus.documents[int(empty[0])]!r}{more} without mentions")
    return doubts


def summary_grid(checks: Checks) -> Grid:
    """One row per file: the size of its content."""
    names = ("documents", "tokens", "mentions", "entities", "singletons", "longest")
    rows: list[tuple[Value, ...]] = []
    for checked in checks:
        summary = {} if checked.summary is None else asdict(checked.summary)
        counts = summary.get("kinds", {}).items()
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts if count)
        numbers = (summary.get(name) for name in names)
        rows.append((checked.source, checked.format, *numbers, kinds, len(checked.problems)))
    columns = (
        Column("file"),
        Column("format"),
        *(Column(name, "integer") for name in names[:-1]),
        Column("longest entity", "integer", "longest"),
        Column("mention kinds", name="kinds"),
        Column("problems", "integer"),
    )
    return Grid(columns, rows)


def problems_grid(checks: Checks) -> Grid:
    """One row per problem, with location and remedy."""
    rows: list[tuple[Value, ...]] = [
        (
            checked.source,
            None if problem.where is None else problem.where.line,
            problem.message,
            problem.remedy,
        )
        for checked in checks
        for problem in checked.problems
    ]
    columns = (Column("file"), Column("line", "integer"), Column("problem"), Column("remedy"))
    return Grid(columns, rows, "Problems")


def _losses_grid(checks: Checks, name: str) -> Grid:
    """A table of the alignment of language model output with its sources."""
    copies = Copies.sum(checked.copies for checked in checks) or Copies("none", ())
    (grid,) = Losses({"": copies}).tables(name)
    return grid


TABLES: Tables = {
    "summary": summary_grid,
    "problems": problems_grid,
    **{name: partial(_losses_grid, name=name) for name in LOSS_TABLES},
}
"""The tables of checks by name."""
