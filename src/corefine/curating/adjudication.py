"""``corefine.adjudicate``: one gold annotation from two or more annotators.

Annotators are compared as :mod:`corefine.curating.questions`. Every answer, and every change that a
curator makes besides, is an :class:`Entry` of a log. The gold follows from the
annotations and the log alone, so that replaying a log gives the same gold.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal

import msgspec

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from corefine.curating.agreement import read_annotations
from corefine.curating.desk import RULES, Action, Desk, Entry, Rule
from corefine.curating.log import DecisionLog
from corefine.curating.questions import Question, Versions
from corefine.errors import (
    AlignmentError,
    Caution,
    FormatError,
    Location,
    UsageError,
    choose,
    code_of,
    emitting,
)
from corefine.kinds.kind_plan import plan_of
from corefine.matching.documents import pair_documents
from corefine.matching.settings import Settings
from corefine.output.grid import Column, Grid, Value
from corefine.output.plain_text import counted
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.score import score
from corefine.scoring.sides import SideLike

VERSION = 2
"""Version of the log."""


@dataclass(eq=False, repr=False)
class Adjudication(Result):
    """Annotations, what they differ on, the entries of the log, and the gold that results.

    Tables: ``annotators`` (agreement before and after), ``questions`` (what differs, and the
    decisions), ``profiles`` (how each annotator differs from the gold) and ``comments``.

    >>> from corefine import Corpus, adjudicate
    >>> first = Corpus.from_spans(["Anna", "left", "her"], [[(0, 1), (2, 3)]])
    >>> second = Corpus.from_spans(["Anna", "left", "her"], [[(0, 1)]])
    >>> adjudication = adjudicate({"anna": first, "ben": second}, rule=None)
    >>> [question.text for question in adjudication.undecided]
    ['ben lacks: her']
    """

    default_rows: ClassVar[Mapping[str, int]] = {"questions": 10, "comments": 10}
    default_tables = ("annotators", "questions")
    title: ClassVar[str] = "Adjudication"
    desk_type: ClassVar[type[Desk]] = Desk

    annotators: dict[str, Corpus]
    documents: dict[str, Versions]
    rule: Rule | None = None
    entries: list[Entry] = field(default_factory=list)
    warnings: tuple[str, ...] = ()
    log: DecisionLog | None = None

    def __post_init__(self) -> None:
        self._desks: dict[str, Desk] = {}
        self._of_document: dict[str, list[Entry]] = defaultdict(list)
        self._last: dict[str, list[Entry]] = {"undo": [], "redo": []}
        """The entries to undo and to do again, the next one last."""

    def desk(self, document: str) -> Desk:
        """A document with its questions and gold."""
        if document not in self._desks:
            if document not in self.documents:
                raise UsageError(f"there is no document {document!r}")
            self._desks[document] = self.desk_type(
                self.documents[document], self._effective(document)
            )
        return self._desks[document]

    def _effective(self, document: str) -> list[Entry]:
        """The entries of a document that are not undone."""
        entries = self._of_document[document]
        undone = {one.entry: one.do == "undo" for one in entries if one.do in ("undo", "redo")}
        return [one for one in entries if one.do not in ("undo", "redo") and not undone.get(one.id)]

    def sides(self, document: str) -> Mapping[str, Document]:
        """The versions of a document that are shown, by name."""
        return self.documents[document].documents

    def revision(self, document: str) -> int:
        """Number of entries on a document."""
        return len(self._of_document[document])

    @property
    def questions(self) -> list[Question]:
        """All questions, in the order of documents."""
        return [q for name in self.documents for q in self.desk(name).questions.values()]

    @property
    def undecided(self) -> list[Question]:
        """Questions without an answer."""
        return [q for name in self.documents for q in self.desk(name).undecided]

    def do(self, entry: Entry) -> None:
        """Add an entry: first to the log, if there is one, then to the adjudication."""
        if entry.do in self._last:
            raise UsageError(f"{entry.do} is not an entry of its own", remedy="Use reverse().")
        desk = self.desk(entry.document).after(entry)
        self._record(entry)
        self._desks[entry.document] = desk

    def _record(self, entry: Entry) -> None:
        if self.log is not None:
            self.log.append(msgspec.to_builtins(entry))
        self._take(entry)

    def _take(self, entry: Entry) -> None:
        """Add an entry to those in memory."""
        if entry.do in self._last:
            last = self.last(entry.do)
            if last is None or (last.id, last.document) != (entry.entry, entry.document):
                raise UsageError(f"the entry to {entry.do} is not the last one")
            back = "redo" if entry.do == "undo" else "undo"
            self._last[back].append(self._last[entry.do].pop())
        else:
            self._last["undo"].append(entry)
            self._last["redo"].clear()
        self.entries.append(entry)
        self._of_document[entry.document].append(entry)
        self._desks.pop(entry.document, None)

    def last(self, do: Action) -> Entry | None:
        """The entry that would be undone or done again."""
        return next(reversed(self._last[do]), None)

    def reverse(self, do: Literal["undo", "redo"], by: str = "") -> Entry | None:
        """Undo the last entry, or do the last undone one again.

        Returns the new entry of the log, or None if there is nothing to reverse.
        """
        last = self.last(do)
        if last is None:
            return None
        entry = Entry(do, last.document, last.question, entry=last.id, by=by)
        self._record(entry)
        return entry

    def replay(self, records: Iterable[tuple[Mapping[str, Any], Location]]) -> None:
        """Take over the entries of a log; an error names the line that does not fit."""
        last: dict[str, Location] = {}
        for record, where in records:
            try:
                entry = msgspec.convert(record, Entry)
            except ValueError:
                raise FormatError("not an entry of an adjudication", where) from None
            if entry.document not in self.documents:
                raise FormatError(f"there is no document {entry.document!r}", where)
            try:
                self._take(entry)
            except UsageError as error:
                raise FormatError(error.message, where) from None
            last[entry.document] = where
        for document, where in last.items():
            try:
                self.desk(document)
            except UsageError as error:
                raise FormatError(f"the log does not fit: {error.message}", where) from None

    @contextmanager
    def logging(self, path: str | os.PathLike[str]) -> Iterator[None]:
        """Take over the entries of a log, and append new ones to it within the context."""
        with DecisionLog(path, self.header) as log:
            self.replay(log.records())
            self.log = log
            try:
                yield
            finally:
                self.log = None

    def decide_by_rule(self, rule: Rule) -> list[Entry]:
        """Answer all open questions by a rule; returns the new entries."""
        choose("rule", rule, tuple(RULES))
        first = next(iter(self.annotators))
        new: list[Entry] = []
        for document in self.documents:
            for _stage in ("spans", "links and attributes", "attributes that links uncover"):
                for entry in self.desk(document).by_rule(rule, first):
                    self._record(entry)
                    new.append(entry)
        return new

    @property
    def gold(self) -> Corpus:
        """The gold annotation; what is undecided is left out."""
        documents: list[Document] = []
        first = 1  # no two documents share the name of an entity
        for name in self.documents:
            documents.append(self.desk(name).gold_document(first))
            first += len(documents[-1].entities)
        return Corpus.from_documents(documents)

    @cached_property
    def agreement_before(self) -> dict[str, float]:
        """Mean CoNLL F1 of each annotator with the other annotators."""
        f1: dict[str, list[float]] = defaultdict(list)
        for one, other in combinations(self.annotators, 2):
            value = _conll(self.annotators[one], self.annotators[other])
            f1[one].append(value)
            f1[other].append(value)
        return {name: sum(f1[name]) / len(f1[name]) for name in self.annotators}

    @property
    def agreement_after(self) -> dict[str, float]:
        """CoNLL F1 of each annotator against the gold."""
        gold = self.gold
        return {name: _conll(gold, corpus) for name, corpus in self.annotators.items()}

    @property
    def verdict(self) -> str:
        """The rule, the number of questions by kind, and agreement before and after."""
        before = sum(self.agreement_before.values()) / len(self.annotators)
        after = sum(self.agreement_after.values()) / len(self.annotators)
        kinds = Counter(question.kind for question in self.questions)
        said = ", ".join(counted(kinds[kind], f"{kind} question") for kind in kinds)
        return (
            f"{self._rule_in_words()}{said or 'The annotators agree on everything'}; "
            f"{len(self.undecided):,} undecided. CoNLL F1 is {100 * before:.2f} between annotators "
            f"and {100 * after:.2f} with the gold."
        )

    def _rule_in_words(self) -> str:
        if self.rule is None:
            return ""
        more = ""
        if self.rule == "majority" and len(self.annotators) == 2:
            more = " (with two annotators: of both)"
        return f"Rule {self.rule}: {RULES[self.rule]}{more}. "

    def table_functions(self) -> Tables:
        return TABLES

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "annotators": list(self.annotators),
            "questions": [msgspec.to_builtins(question) for question in self.questions],
            "undecided": len(self.undecided),
            "agreement_before": self.agreement_before,
            "agreement_after": self.agreement_after,
            "entries": msgspec.to_builtins(self.entries),
            "warnings": list(self.warnings),
        }

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the annotations that the entries refer to; it ignores the order of annotators."""
        content = [
            [name, annotator, sorted(owner.items())]
            for name, versions in sorted(self.documents.items())
            for annotator, owner in sorted(versions.owner.items())
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

    @property
    def header(self) -> dict[str, Any]:
        """First line of the log."""
        names = sorted(self.annotators)
        return {"adjudication": VERSION, "annotators": names, "annotations": self.fingerprint}


@emitting
def adjudicate(
    *annotations: SideLike,
    rule: Rule | None = "majority",
    log: str | os.PathLike[str] | None = None,
    format: str | None = None,
    words: Literal["check", "align"] = "check",
    progress: Progress = silent,
) -> Adjudication:
    """Build one gold annotation from two or more annotations of the same text.

    The annotations are given as in :func:`corefine.agree`. What all annotators agree on is taken.
    ``rule`` decides on the rest: ``majority``, ``union``, ``intersection`` or ``first``; None
    leaves it undecided. ``log`` is a file of earlier decisions, which take precedence; new ones are
    appended to it. ``words`` is ``check`` for annotations of the same tokens, or ``align`` for
    texts that differ by a few words: mentions are moved to the words of the first annotation.

    >>> from corefine import Corpus
    >>> words = ["Anna", "met", "Bea", ".", "She", "left", "."]
    >>> anna = Corpus.from_spans(words, [[(0, 1), (4, 5)], [(2, 3)]])
    >>> ben = Corpus.from_spans(words, [[(0, 1)], [(2, 3), (4, 5)]])
    >>> eva = Corpus.from_spans(words, [[(0, 1), (4, 5)], [(2, 3)]])
    >>> len(adjudicate(anna, ben, eva).gold.entities)
    2
    """
    if rule is not None:
        choose("rule", rule, tuple(RULES))
    corpora = read_annotations(annotations, "adjudication", format, None, progress)
    warnings: list[str] = [
        f"{name}: {w}" for name, corpus in corpora.items() for w in corpus.warnings
    ]
    if choose("words", words, ("check", "align")) == "align":
        base, *others = corpora
        for name in others:
            pair = pair_documents(corpora[base], corpora[name], Settings(words="align"))
            corpora[name] = pair.response
            said = [w for w in pair.provenance.warnings if code_of(w) == "words-aligned"]
            said = [w.removeprefix("response: ").replace("the key", base) for w in said]
            warnings += (f"{name}: {w}" for w in said)
    _check_same_text(corpora)
    by_name = {
        name: {document.name: document for document in corpus} for name, corpus in corpora.items()
    }
    documents = {
        document: Versions({name: by_name[name][document] for name in corpora})
        for document in by_name[next(iter(corpora))]
    }
    warnings += _left_out(documents.values())
    adjudication = Adjudication(corpora, documents, rule, warnings=tuple(warnings))
    with nullcontext() if log is None else adjudication.logging(log):
        if rule is not None:
            adjudication.decide_by_rule(rule)
    return adjudication


def _left_out(documents: Iterable[Versions]) -> Iterable[Caution]:
    """Warn about relations and layers on which annotators differ: they are not adjudicated."""
    lost = 0
    layers = set[str]()
    for versions in documents:
        _, differing = versions.agreed_relations({})
        lost += differing
        every = set[str]().union(*(one.annotations for one in versions.documents.values()))
        layers |= every - versions.agreed_layers.keys()
    if lost:
        text = (
            f"annotators differ on {lost:,} bridging relations and split antecedents: they are not "
            "adjudicated and left out"
        )
        yield Caution(text, "relations-left-out", relations=lost)
    if layers:
        yield Caution(
            f"annotators differ on {', '.join(sorted(layers))}: left out of the gold",
            "layers-left-out",
        )


def _check_same_text(corpora: Mapping[str, Corpus]) -> None:
    """Raise an error unless all annotations have the same documents and tokens."""
    (first, base), *others = corpora.items()
    texts = {document.name: document for document in base}
    if any(document.tokens is None for document in texts.values()):
        raise UsageError("adjudication needs the text", remedy="Give annotations with tokens.")
    for name, corpus in others:
        if set(corpus.documents) != set(base.documents):
            odd = sorted(set(corpus.documents) ^ set(base.documents))[0]
            raise AlignmentError(
                f"document {odd!r} is not in the annotations of both {first} and {name}",
                remedy="Adjudicate documents that all annotators have annotated.",
            )
        for document in corpus:
            if document.tokens != texts[document.name].tokens:
                raise AlignmentError(
                    f"{first} and {name} have different tokens in document {document.name!r}",
                    document.where,
                    "Adjudicate annotations of the same tokens, or align texts that differ by a "
                    "few words with --words align (words='align').",
                )


def _conll(key: Corpus, response: Corpus) -> float:
    # All annotations have the same tokens, so zeros are compared by position.
    return score(key, response, "conll", zeros="linear", allow_empty=True)["conll"].f1


def annotators_grid(adjudication: Adjudication) -> Grid:
    """One row per annotator: mentions, entities, and agreement before and after."""
    after = adjudication.agreement_after
    rows: list[tuple[Value, ...]] = [
        (name, len(corpus.mentions), len(corpus.entities), before, after[name])
        for (name, corpus), before in zip(
            adjudication.annotators.items(), adjudication.agreement_before.values(), strict=True
        )
    ]
    gold = adjudication.gold
    rows.append(("gold", len(gold.mentions), len(gold.entities), None, None))
    columns = (
        Column("annotator"),
        Column("mentions", "integer"),
        Column("entities", "integer"),
        Column("with others", "percent", "conll_with_others"),
        Column("with gold", "percent", "conll_with_gold"),
    )
    return Grid(columns, rows, "CoNLL F1 of each annotator with the others and with the gold")


def questions_grid(adjudication: Adjudication) -> Grid:
    """One row per question: what differs, and the decision."""
    rows = []
    for name in adjudication.documents:
        desk = adjudication.desk(name)
        for question in desk.questions.values():
            answer = desk.answers.get(question.id)
            decision = desk.in_words(question)
            by = "" if answer is None else answer.by or answer.do
            rows.append((name, question.kind, question.text, question.stake, decision, by))
    columns = (
        Column("document", priority=1),
        Column("kind"),
        Column("difference", shortest=30),
        Column("links at stake", "integer", "stake", priority=2),
        Column("decision", shortest=12),
        Column("by", priority=1),
    )
    return Grid(columns, rows, "What annotators differ on")


def profiles_grid(adjudication: Adjudication) -> Grid:
    """One row per annotator: shares of gold mentions missed and of chains split or merged."""
    plain = adjudication.gold
    gold, sources, _ = plan_of("auto,guess").apply(plain, plain.tokens)
    truth = {
        (document.name, tuple(mention.spans)): mention
        for document in gold
        for mention in document.mentions
    }
    total = Counter(mention.kind.name.lower() for mention in truth.values())
    rows: list[tuple[Value, ...]] = []
    for annotator, corpus in adjudication.annotators.items():
        owner = {
            (name, spans): (name, entity)
            for name, versions in adjudication.documents.items()
            for (spans, _), entity in versions.owner[annotator].items()
        }
        lacking = [mention for place, mention in truth.items() if place not in owner]
        missed = Counter(mention.kind.name.lower() for mention in lacking)
        shared = owner.keys() & truth.keys()
        # Pairs of an entity of the gold and one of the annotator that share a mention.
        pairs = {(truth[place].entity, owner[place]) for place in shared}
        split = sum(times > 1 for times in Counter(chain for chain, _ in pairs).values())
        merged = sum(times > 1 for times in Counter(entity for _, entity in pairs).values())
        kinds = [kind for kind in missed if kind != "unknown"]
        worst = max(kinds, key=lambda kind: (missed[kind] / total[kind], kind), default="")
        rows.append(
            (
                annotator,
                _share(missed.total(), total.total()),
                worst,
                _share(missed[worst], total[worst]),
                _share(len(owner) - len(shared), len(owner)),
                _share(split, len(gold.entities)),
                _share(merged, len(corpus.entities)),
            )
        )
    columns = (
        Column("annotator"),
        Column("mentions missed", "percent", "missed"),
        Column("missed most", name="missed_most", priority=1),
        Column("of these", "percent", "missed_most_share", priority=1),
        Column("extra mentions", "percent", "extra"),
        Column("chains split", "percent", "split"),
        Column("chains merged", "percent", "merged"),
    )
    notes = ("Kinds of mentions are guessed from their words.",) if "guess" in sources else ()
    return Grid(columns, rows, "How annotators differ from the gold", notes)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def comments_grid(adjudication: Adjudication) -> Grid:
    """One row per comment or reason, the most frequent first: questions for the guidelines."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for name in adjudication.documents:
        for entry in adjudication.desk(name).entries:
            if entry.reason:
                found[" ".join(entry.reason.casefold().split())].append(entry)

    def kinds(entries: list[Entry]) -> str:
        return ", ".join(sorted({e.question.rsplit(":", 2)[-2] for e in entries if e.question}))

    return Grid.of(
        sorted(found.values(), key=len, reverse=True),
        {
            Column("comment", shortest=30): lambda entries: entries[0].reason,
            Column("times", "integer"): len,
            Column("kinds"): kinds,
            Column("documents", priority=1): lambda entries: ", ".join(
                sorted({entry.document for entry in entries})
            ),
        },
        "Comments",
    )


TABLES: Tables = {
    "annotators": annotators_grid,
    "questions": questions_grid,
    "profiles": profiles_grid,
    "comments": comments_grid,
}
