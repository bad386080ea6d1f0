"""Validation of files: findings by rule, and a summary of what can be read."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, ClassVar
from urllib.parse import quote

import numpy as np

from corefine.corpus.copies import LOSS_TABLES, Copies, Losses
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate, repeated_document
from corefine.curating.parsing import Edit, Fault, annotated_document, json_documents, parser_of
from corefine.curating.rules import ALWAYS, GUESSERS, SeenIds, all_rules, faults_of, selected
from corefine.errors import CorefineError, Location, UsageError, choose, escaped, printable
from corefine.formats.io.index import line_at, marked_lines, says_something
from corefine.formats.io.sources import HEAD, Source, find_sources
from corefine.formats.reading import read, without_companions
from corefine.formats.registry import DocumentMark, Format, format_named, sniff
from corefine.kinds.kind_plan import plan_of
from corefine.output.grid import Column, Grid, Value
from corefine.output.result import Result, Tables
from corefine.output.saving import Place

NamedDocument = tuple[str, Location | None]
"""The name of a document, and where it begins."""
SCOPES = ("document", "topic", "corpus")
"""Documents in which an entity id names one entity."""
SARIF = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_OF_WORDS = frozenset({"CU004", "CU209", "CU210"})
"""Rules for mentions by their words, which arrays of JSON do not have."""
_IGNORE = re.compile(rb"^#[ \t]*corefine\.ignore[ \t]*=([^\r\n]*)", re.MULTILINE)
_TOKEN = re.compile(rb"^[^#\s]", re.MULTILINE)
_BLANK = re.compile(rb"\n\r?\n|\Z")


@dataclass(frozen=True, slots=True)
class Options:
    """Rules to apply, and the scope of entity ids."""

    codes: frozenset[str]
    scope: str | None = None

    @classmethod
    def of(cls, select: str | None, ignore: str | None, scope: str | None) -> Options:
        """Check names of rules and the scope."""
        return cls(selected(select, ignore), scope and choose("scope", scope, SCOPES))


@dataclass(frozen=True, slots=True)
class Finding:
    """A place of a file that breaks a rule.

    >>> print(Finding("CU201", "key.conll", 7, "a mention is never closed"))
    key.conll:7: CU201 a mention is never closed
    """

    code: str
    source: str
    line: int | None
    message: str
    edits: tuple[Edit, ...] = ()
    """The repair; empty if there are several readings, or the format can only be reported."""

    @property
    def severity(self) -> str:
        return all_rules()[self.code].severity

    @property
    def where(self) -> Location:
        return Location(self.source, self.line)

    def __str__(self) -> str:
        return f"{printable(str(self.where))}: {self.code} {printable(self.message)}"

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain values."""
        rest = {"message": self.message, "repairable": bool(self.edits)}
        return {"code": self.code, "severity": self.severity, "line": self.line, **rest}


@dataclass(frozen=True, slots=True)
class Summary:
    """The size of a file; :func:`corefine.describe` gives more measures."""

    documents: int
    tokens: int | None
    mentions: int
    entities: int
    singletons: int

    @classmethod
    def of(cls, corpus: Corpus) -> Summary:
        """Count what can be read."""
        sizes = np.bincount(corpus.mentions.entity)
        tokens = None if corpus.tokens is None else len(corpus.tokens)
        counts = [int(np.count_nonzero(which)) for which in (sizes, sizes == 1)]
        return cls(len(corpus.documents), tokens, len(corpus.mentions), *counts)


@dataclass(frozen=True, slots=True)
class Checked:
    """The check of a file: findings, and a summary of what can be read."""

    source: str
    format: str | None
    findings: tuple[Finding, ...]
    summary: Summary | None
    problems: tuple[CorefineError, ...] = ()
    """Errors of the format's reader; a file without problems can be scored."""
    copies: Copies | None = None
    """The alignment of a language model's text with its source."""
    documents: tuple[NamedDocument, ...] = ()
    """Named documents that can be read, and where they are."""

    @property
    def is_readable(self) -> bool:
        """False if the format is unknown, or nothing can be read, for a reason that has no line."""
        unplaced = any(one.where is None or one.where.line is None for one in self.problems)
        return self.format is not None and not (unplaced and self.summary is None)

    def to_dict(self) -> dict[str, Any]:
        """The form in which the check of a file is written as JSON."""
        return {
            "file": self.source,
            "format": self.format,
            "findings": [finding.to_dict() for finding in self.findings],
            "summary": None if self.summary is None else asdict(self.summary),
            **({} if self.copies is None else {"alignment": self.copies.to_dict()}),
        }


class Checks(Result, list[Checked]):
    """The checks of some files, one for each."""

    default_rows: ClassVar = {"summary": 20}

    def table_functions(self) -> Tables:
        return TABLES

    @property
    def findings(self) -> list[Finding]:
        """The findings of all files."""
        return [finding for checked in self for finding in checked.findings]

    @property
    def status(self) -> int:
        """The exit status: 2 if a file cannot be read at all, 1 if there are errors, else 0."""
        if not all(checked.is_readable for checked in self):
            return 2
        return int(any(finding.severity == "error" for finding in self.findings))

    @property
    def default_tables(self) -> tuple[str, ...]:
        aligned = any(checked.copies is not None for checked in self)
        return ("codes", "summary", "losses") if aligned else ("codes", "summary")

    @property
    def csv_table(self) -> str:
        return "findings"

    def to_dict(self) -> dict[str, Any]:
        """The findings and the summary of each file."""
        return {"files": [checked.to_dict() for checked in self]}

    def to_github(self) -> str:
        """Workflow commands, which GitHub shows as annotations of the files."""
        names = {"error": "error", "warning": "warning", "guess": "notice"}
        lines = []
        for one in self.findings:
            place = f"file={_workflow(one.source)},line={one.line or 1},title={one.code}"
            lines.append(f"::{names[one.severity]} {place}::{_workflow(one.message, '')}")
        return "\n".join(lines)

    def to_sarif(self) -> dict[str, Any]:
        """A log in the Static Analysis Results Interchange Format 2.1.0."""
        levels = {"error": "error", "warning": "warning", "guess": "note"}
        used = sorted({finding.code for finding in self.findings})
        rules = [
            {"id": code, "shortDescription": {"text": all_rules()[code].title}} for code in used
        ]
        results = []
        for one in self.findings:
            place = {
                "artifactLocation": {"uri": quote(one.source.replace(os.sep, "/"))},
                "region": {"startLine": one.line or 1},
            }
            message, locations = {"text": one.message}, [{"physicalLocation": place}]
            result = {"ruleId": one.code, "level": levels[one.severity]}
            results.append({**result, "message": message, "locations": locations})
        run = {"tool": {"driver": {"name": "corefine check", "rules": rules}}, "results": results}
        return {"$schema": SARIF, "version": "2.1.0", "runs": [run]}


def _workflow(text: str, more: str = ":,") -> str:
    """A text with the escapes of GitHub's workflow commands."""
    for letter in "%\r\n" + more:
        text = text.replace(letter, f"%{ord(letter):02X}")
    return escaped(text)


def check(
    place: Place,
    format: str | None = None,
    *,
    against: Place | Corpus | None = None,
    align: str = "tolerant",
    select: str | None = None,
    ignore: str | None = None,
    scope: str | None = None,
) -> Checks:
    """Check each file of a path, a directory or a pattern.

    ``select`` and ``ignore`` are lists of rules with commas, as ``default,CU5``. ``scope`` tells
    which documents may share an entity id on purpose. Files that belong to another one, such as the
    text of a document, are checked with that. Text tagged by a language model is checked
    ``against`` the corpus with its source, all files at once.

    >>> [checked.findings for checked in check("key.conll")]  # doctest: +SKIP
    [()]
    """
    require_file(place, "check")
    options = Options.of(select, ignore, scope)
    if against is not None:
        source = against if isinstance(against, Corpus) else read(against)
        return Checks([_check_against(place, format, source, align, options)])
    named = None if format is None else format_named(format)
    sources = find_sources(place, None)
    if len(sources) > 1:
        sources = without_companions(sources, named)
    found = Checks(check_source(source, named, options) for source in sources)
    return _compared(found) if len(sources) > 1 else found


def require_file(place: object, function: str) -> None:
    """Refuse a corpus, or anything else that is no path: rules are about the text of files."""
    if not isinstance(place, str | os.PathLike):
        raise UsageError(
            f"{function}() reads files: give a path, not {type(place).__name__}",
            remedy="For a corpus in memory, use corefine.describe(corpus).",
        )


def _compared(checks: Checks) -> Checks:
    """Report what is wrong between the files of a folder, which are scored together."""
    formats = {checked.format: checked.source for checked in checks if checked.format}
    names = ", ".join(f"{name} ({source})" for name, source in formats.items())
    several = [CorefineError(f"files of several formats: {names}")] if len(formats) > 1 else []
    seen: dict[str, Location | None] = {}
    for row, checked in enumerate(checks):
        problems = [*(several if row == 0 else ()), *_repeated(checked.documents, seen)]
        findings = (finding_of(problem, checked.source) for problem in problems)
        checks[row] = replace(
            checked,
            problems=(*checked.problems, *problems),
            findings=(*checked.findings, *findings),
        )
    return checks


def _repeated(
    documents: Iterable[NamedDocument], seen: dict[str, Location | None]
) -> list[CorefineError]:
    """An error for each document whose name was seen before."""
    problems: list[CorefineError] = []
    for name, where in documents:
        if name in seen:
            problems.append(repeated_document(name, seen[name], where))
        seen.setdefault(name, where)
    return problems


def finding_of(problem: CorefineError, source: str) -> Finding:
    """A refusal of a reader as a finding."""
    message = problem.message
    if problem.remedy:
        message = f"{message.rstrip('.')}. {problem.remedy}"
    return Finding("CU001", source, problem.where.line if problem.where else None, message)


def _check_against(
    place: Place, format: str | None, source: Corpus, align: str, options: Options
) -> Checked:
    """Check text tagged by a language model against its source."""
    name = os.fspath(place)
    try:
        corpus = read(place, format, against=source, align=align)
    except CorefineError as error:
        problems = (error, *error.others)
        findings = tuple(finding_of(problem, name) for problem in problems)
        return Checked(name, format, findings, None, problems)
    if corpus.copies is None:
        raise UsageError(
            "only text tagged by a language model can be checked against a source",
            Location(name),
            "Leave out --against, or give the format with --format.",
        )
    found = [("CU002", Fault(0, warning)) for warning in corpus.warnings]
    for document in map(annotated_document, corpus):
        found += faults_of(document, options.codes)
    findings = tuple(_located(name, found))
    return Checked(name, corpus.format, findings, Summary.of(corpus), (), corpus.copies)


def _located(name: str, found: Iterable[tuple[str, Fault]]) -> Iterator[Finding]:
    """Faults by rule as findings of a file."""
    for code, fault in found:
        yield Finding(code, name, fault.line or None, fault.message, fault.edits)


def check_source(source: Source, format: Format | None, options: Options) -> Checked:
    """Check one file."""
    problems: list[CorefineError] = []
    corpora: list[Corpus] = []
    content = b""
    try:
        format = format or sniff(source)
        content = source.read_all()
        for result in _documents(source, content, format):
            if isinstance(result, CorefineError):
                problems += [result, *result.others]
            else:
                corpora.append(result)
    except CorefineError as error:
        problems += [error, *error.others]
    finally:
        source.close()
    known = set(map(str, problems))
    seen: dict[str, Location | None] = {}
    readable = []
    for corpus in corpora:
        repeated = _repeated(_named_documents(corpus), seen)
        problems += [problem for problem in repeated if str(problem) not in known]
        if not repeated:
            readable.append(corpus)
    whole = None
    try:
        whole = concatenate(readable) if readable else None
    except CorefineError as error:
        problems.append(CorefineError(error.message, source.where(), error.remedy))
    if format is not None and problems and parser_of(format.name) and not _is_text(content):
        format = None
    findings = [] if format is None else rule_findings(source.name, content, format, whole, options)
    told = list(_readers_findings(source.name, problems, whole, findings, options))
    if "CU002" in options.codes:
        told += _unknown_rules(source.name, content)
    findings += _without_ignored(told, content)
    return Checked(
        source.name,
        None if format is None else format.name,
        tuple(sorted(findings, key=by_place)),
        None if whole is None else Summary.of(whole),
        tuple(problems),
        documents=() if whole is None else tuple(_named_documents(whole)),
    )


def _is_text(content: bytes) -> bool:
    """True for text in UTF-8, as all formats are that can be repaired."""
    try:
        return "\0" not in content.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _named_documents(corpus: Corpus) -> list[NamedDocument]:
    """Names of documents and where they begin; none if the file does not name them."""
    names = corpus.documents if corpus.named else ()
    return [(name, corpus.location(number)) for number, name in enumerate(names)]


def rule_findings(
    name: str, content: bytes, format: Format, corpus: Corpus | None, options: Options
) -> list[Finding]:
    """Find what breaks rules in a file.

    Formats that have a parser of their own are looked at as they are written, others as they are
    read: a corpus is needed for these, for guesses, and for the words of JSON's mentions.
    """
    parser = parser_of(format.name)
    documents = parser(content) if parser else map(annotated_document, corpus or ())
    found: list[tuple[str, Fault]] = []
    if parser is json_documents:
        for document in map(annotated_document, corpus or ()):
            found += faults_of(document, options.codes & _OF_WORDS)
    seen = SeenIds(options.scope)
    try:
        for number, document in enumerate(documents):
            found += faults_of(document, options.codes)
            seen.add(document, number)
    except CorefineError:
        pass  # a table without known columns, which the reader refuses as well
    if "CU303" in options.codes:
        found += [("CU303", fault) for fault in seen.faults()]
    wanted = sorted(GUESSERS.keys() & options.codes)
    if wanted and corpus is not None:
        listed = list(plan_of("auto").apply(corpus, corpus.tokens)[0])
        found += [(code, fault) for code in wanted for fault in GUESSERS[code](listed)]
    return sorted(_without_ignored(_located(name, found), content), key=by_place)


def by_place(finding: Finding) -> tuple[int, str, str]:
    """The order of findings: by line, rule and message."""
    return finding.line or 0, finding.code, finding.message


def _without_ignored(findings: Iterable[Finding], content: bytes) -> list[Finding]:
    """Findings of rules that no comment switches off at their line."""
    ignored = [(first, last, code) for _, first, last, code in _ignored(content) if code]
    return [
        one
        for one in findings
        if one.code in ALWAYS
        or not any(
            first <= (one.line or 0) <= last and one.code.startswith(code)
            for first, last, code in ignored
        )
    ]


def _unknown_rules(name: str, content: bytes) -> Iterator[Finding]:
    """Comments that switch off a rule that does not exist."""
    for line, _, _, code in _ignored(content):
        if not code or not any(rule.startswith(code) for rule in all_rules()):
            what = f"a comment ignores {code!r}, which is no rule"
            yield Finding("CU002", name, line, what)


def _ignored(content: bytes) -> Iterator[tuple[int, int, int, str]]:
    """Codes or their beginnings in comments: the line, the first and last line, and the code.

    A comment before the first token holds for the file, another one for its sentence.
    """
    first = _TOKEN.search(content) if b"corefine.ignore" in content else None
    for found in _IGNORE.finditer(content) if first is not None else ():
        line = content.count(b"\n", 0, found.start()) + 1
        blank = _BLANK.search(content, found.end())
        last = content.count(b"\n", 0, blank.start() if blank else len(content)) + 1
        whole = first is not None and found.start() < first.start()
        for code in re.split(r"[,\s]+", found[1].decode("utf-8", "replace").strip()):
            yield line, 0 if whole else line, len(content) if whole else last, code


def _readers_findings(
    name: str,
    problems: Iterable[CorefineError],
    corpus: Corpus | None,
    findings: Iterable[Finding],
    options: Options,
) -> Iterator[Finding]:
    """Errors and warnings of the reader, at lines that break no rule."""
    known = {one.line for one in findings}
    errors = {one.line for one in findings if one.severity == "error"}
    for problem in problems:
        finding = finding_of(problem, name)
        if finding.line not in errors and not (finding.line is None and errors):
            yield finding
    told: set[str] = set()
    for warning in corpus.warnings if corpus is not None and "CU002" in options.codes else ():
        place = re.match(rf"{re.escape(name)}(?::(\d+))?: ", warning)
        line = int(place[1]) if place and place[1] else None
        message = warning[place.end() :] if place else warning
        if message not in told and (line is None or line not in known):
            yield Finding("CU002", name, line, message)
        told.add(message)


def _documents(source: Source, content: bytes, format: Format) -> Iterator[Corpus | CorefineError]:
    """Readable documents and errors; after an error, document by document."""
    try:
        yield format.corpus(Source.of_content(source.name, content))
        return
    except CorefineError as error:
        first = error
    mark = format.document_mark
    found = False
    if mark is not None and not (mark.undivided and mark.undivided(content[:HEAD])):
        for number, part in enumerate(_parts(source, content, mark), 1):
            try:
                yield _part_corpus(part, format, number)
            except CorefineError as error:
                found = True
                yield error
    if not found:
        # Each document is right by itself: what is wrong lies between them.
        yield first


def _parts(source: Source, content: bytes, mark: DocumentMark) -> Iterator[Source]:
    """Each document of a file, with the line before it that holds for it as well."""
    part = Source(source.name, source.path, part=True)
    start, begun, carried = 0, False, b""
    for place, lines in marked_lines(content, mark):
        line = line_at(content, place)
        if mark.name(line) is not None:
            part.content = content[start:place]
            if begun or says_something(part.content):
                yield part
            part = Source(source.name, source.path, part=True, lines_before=lines, carried=carried)
            start, begun = place, True
        if mark.carried is not None and mark.carried(line):
            carried = line
    part.content = content[start:]
    yield part


def _part_corpus(part: Source, format: Format, number: int) -> Corpus:
    """The corpus of a part of a file, with its lines and the number of its document."""
    corpus = format.corpus(part)
    tokens = corpus.tokens
    if tokens is not None and tokens.lines is not None:
        corpus = replace(corpus, tokens=replace(tokens, lines=tokens.lines + part.lines_before))
    if not corpus.named:
        numbers = range(number, number + len(corpus))
        names = tuple(f"{part.stem}:{one}".removeprefix(":") for one in numbers)
        corpus = replace(corpus, documents=names)
    return corpus


def codes_grid(checks: Checks) -> Grid:
    """One row per rule that is broken, with the number of findings."""
    counts = Counter(finding.code for finding in checks.findings)
    repairs = Counter(finding.code for finding in checks.findings if finding.edits)
    return Grid.of(
        [all_rules()[code] for code in sorted(counts)],
        {
            Column("rule"): "code",
            Column("severity"): "severity",
            Column("findings", "integer"): lambda rule: counts[rule.code],
            Column("repairable", "integer"): lambda rule: repairs[rule.code],
            Column("title"): "title",
        },
    )


def summary_grid(checks: Checks) -> Grid:
    """One row per file: the size of its content."""

    def size(checked: Checked, name: str) -> Value:
        return None if checked.summary is None else getattr(checked.summary, name)

    names = ("documents", "tokens", "mentions", "entities", "singletons")
    return Grid.of(
        checks,
        {
            Column("file"): "source",
            Column("format"): "format",
            **{Column(name, "integer"): partial(size, name=name) for name in names},
            Column("findings", "integer"): lambda checked: len(checked.findings),
        },
    )


def findings_grid(checks: Checks) -> Grid:
    """One row per finding."""
    return Grid.of(
        checks.findings,
        {
            Column("file"): "source",
            Column("line", "integer"): "line",
            Column("rule"): "code",
            Column("severity"): "severity",
            Column("repairable"): lambda one: "yes" if one.edits else "no",
            Column("message"): "message",
        },
    )


def _losses_grid(checks: Checks, name: str) -> Grid:
    """A table of the alignment of language model output with its sources."""
    copies = Copies.sum(checked.copies for checked in checks) or Copies("none", ())
    (grid,) = Losses({"": copies}).tables(name)
    return grid


TABLES: Tables = {
    "codes": codes_grid,
    "summary": summary_grid,
    "findings": findings_grid,
    **{name: partial(_losses_grid, name=name) for name in LOSS_TABLES},
}
"""The tables of checks by name."""
