"""``corefine.adjudicate``: one gold annotation from two or more annotators.

Entities of all annotators that share mentions form a :class:`Group`. A group on which all agree is
taken as it is; every other group is contested and gets a :class:`Decision`, by a rule or by a
person. A decision states the entities of its whole group, so that the result is always a partition.
Decisions are kept in a log, a file of JSON lines; applying the log again gives the same gold.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, Span, connected_components
from corefine.errors import AlignmentError, FormatError, UsageError, choose, code_of
from corefine.matching.documents import pair_documents
from corefine.matching.settings import Settings
from corefine.output.grid import Column, Grid, Value
from corefine.output.plain_text import shortened
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.score import score
from corefine.scoring.sides import SideLike, named_sides
from corefine.workbench.log import append_records, read_records

Rule = Literal["majority", "union", "intersection", "first"]
RULES: dict[Rule, str] = {
    "majority": "mentions and links of more than half of the annotators",
    "union": "mentions and links of any annotator",
    "intersection": "mentions and links of all annotators",
    "first": "the entities of the first annotator",
}
Spans = tuple[Span, ...]
"""The token spans of a mention, which identify it within a document."""
Entities = list[list[Spans]]
VERSION = 1


@dataclass(frozen=True)
class Group:
    """Entities of all annotators that share mentions, directly or through other entities."""

    document: str
    id: str
    """Document and first mention, such as ``novel:12-14``."""
    versions: Mapping[str, Entities]
    """Entities of each annotator."""

    @property
    def contested(self) -> bool:
        """True unless all annotators have the same entities."""
        return len({frozenset(map(frozenset, version)) for version in self.versions.values()}) > 1

    @property
    def mentions(self) -> list[Spans]:
        """All mentions of any annotator, in text order."""
        return sorted({m for version in self.versions.values() for e in version for m in e})

    def by_rule(self, rule: Rule) -> Entities:
        """The entities that a rule gives: closed under transitivity, in text order."""
        if rule == "first":
            return next(iter(self.versions.values()))
        annotators = len(self.versions)
        needed = {"majority": annotators // 2 + 1, "union": 1, "intersection": annotators}[rule]
        # Mentions in the same entity of every annotator stand and fall together.
        alike: dict[tuple[int, ...], list[Spans]] = defaultdict(list)
        owners = [
            {mention: number for number, entity in enumerate(version) for mention in entity}
            for version in self.versions.values()
        ]
        for mention in self.mentions:
            alike[tuple(owner.get(mention, -1) for owner in owners)].append(mention)
        taken = [key for key in alike if sum(entity >= 0 for entity in key) >= needed]
        links = [
            (left, right)
            for left, right in combinations(range(len(taken)), 2)
            if sum(a == b >= 0 for a, b in zip(taken[left], taken[right], strict=True)) >= needed
        ]
        entities: dict[int, list[Spans]] = defaultdict(list)
        for key, root in zip(taken, connected_components(len(taken), links), strict=True):
            entities[root] += alike[key]
        return sorted(map(sorted, entities.values()))


@dataclass(frozen=True)
class Decision:
    """The entities of a contested group, and who decided on them."""

    group: str
    entities: Entities
    action: str
    """Name of the rule, ``accept NAME``, ``merge``, ``split``, ``drop`` or ``edit``."""
    by: str = ""
    reason: str = ""
    time: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))


@dataclass(eq=False, repr=False)
class Adjudication(Result):
    """Annotations, the decisions on what they do not agree on, and the gold that results.

    Tables: ``annotators`` (agreement before and after) and ``contested`` (every contested group).

    >>> from corefine import Corpus, adjudicate
    >>> first = Corpus.from_spans(["Anna", "left", "her"], [[(0, 1), (2, 3)]])
    >>> second = Corpus.from_spans(["Anna", "left", "her"], [[(0, 1)]])
    >>> adjudication = adjudicate(first, second, rule=None)
    >>> [group.id for group in adjudication.undecided]
    [':0']
    """

    default_rows: ClassVar[Mapping[str, int]] = {"contested": 10}

    annotators: dict[str, Corpus]
    groups: list[Group]
    decisions: list[Decision] = field(default_factory=list)
    warnings: tuple[str, ...] = ()

    @cached_property
    def by_id(self) -> dict[str, Group]:
        return {group.id: group for group in self.groups}

    @property
    def contested(self) -> list[Group]:
        """Groups on which annotators differ, in text order."""
        return [group for group in self.groups if group.contested]

    @property
    def current(self) -> dict[str, Decision]:
        """The last decision on each group."""
        return {decision.group: decision for decision in self.decisions}

    @property
    def undecided(self) -> list[Group]:
        current = self.current
        return [group for group in self.contested if group.id not in current]

    def decide(self, decision: Decision) -> None:
        """Add a decision; an error if the result would not be a partition."""
        group = self.by_id.get(decision.group)
        if group is None or not group.contested:
            raise UsageError(f"there is no contested group {decision.group!r}")
        tokens = self._base[group.document].tokens or []
        others = self._mentions_of_others(group)
        seen: set[Spans] = set()
        for mention in (m for entity in decision.entities for m in entity):
            ends = [0, *(end for span in mention for end in span)]
            if not mention or ends != sorted(ends) or ends[-1] > len(tokens):
                raise UsageError(f"{_written(mention)} is not in the text of {group.document!r}")
            if any(start == stop for start, stop in mention):
                raise UsageError(f"the mention {_written(mention)} is empty")
            if mention in seen or mention in others:
                raise UsageError(f"the mention {_written(mention)} would be in two entities")
            seen.add(mention)
        self.decisions.append(decision)

    def decide_by_rule(self, rule: Rule) -> list[Decision]:
        """Decide on all undecided groups; returns the new decisions."""
        choose("rule", rule, tuple(RULES))
        new = [
            Decision(group.id, group.by_rule(rule), rule, f"rule {rule}")
            for group in self.undecided
        ]
        self.decisions += new
        return new

    @property
    def gold(self) -> Corpus:
        """The gold annotation; undecided groups are left out.

        Heads, kinds, types and attributes are those that most annotators of a mention give.
        """
        chosen: dict[str, Entities] = defaultdict(list)
        current = self.current
        for group in self.groups:
            if group.id in current:
                chosen[group.document] += current[group.id].entities
            elif not group.contested:
                chosen[group.document] += next(iter(group.versions.values()))
        return Corpus.from_documents(
            self._gold_document(document, chosen[document.name]) for document in self._base.values()
        )

    @cached_property
    def _by_document(self) -> dict[str, list[Group]]:
        groups: dict[str, list[Group]] = defaultdict(list)
        for group in self.groups:
            groups[group.document].append(group)
        return groups

    @cached_property
    def _base(self) -> dict[str, Document]:
        """Documents of the first annotator by name."""
        return {document.name: document for document in next(iter(self.annotators.values()))}

    @cached_property
    def _known(self) -> dict[str, dict[Spans, list[Mention]]]:
        """The mentions of all annotators by document and spans."""
        known: dict[str, dict[Spans, list[Mention]]] = defaultdict(lambda: defaultdict(list))
        for corpus in self.annotators.values():
            for document in corpus:
                for mention in document.mentions:
                    known[document.name][tuple(mention.spans)].append(mention)
        return known

    def _gold_document(self, document: Document, entities: Entities) -> Document:
        ordered = sorted(map(sorted, filter(None, entities)))
        mentions = [
            self._gold_mention(document.name, f"e{number}", mention)
            for number, entity in enumerate(ordered, 1)
            for mention in entity
        ]
        return replace(document, mentions=mentions, relations=[], annotations={}, warnings=[])

    def _gold_mention(self, document: str, entity: str, spans: Spans) -> Mention:
        known = self._known[document].get(spans, [])
        gold = Mention(entity, list(spans))
        unknown = {"kind": Kind.UNKNOWN}
        for name in ("head", "kind", "type", "minimum"):
            stated = [getattr(mention, name) for mention in known]
            values = [value for value in stated if value is not unknown.get(name)]
            if values:
                setattr(gold, name, _most_common(values))
        for name in sorted({name for mention in known for name in mention.attributes}):
            gold.attributes[name] = _most_common([m.attributes.get(name, "") for m in known])
        return gold

    def _mentions_of_others(self, group: Group) -> set[Spans]:
        """Gold mentions of the document outside of a group."""
        current = self.current
        found: set[Spans] = set()
        for other in self._by_document[group.document]:
            if other is not group:
                decision = current.get(other.id)
                entities = [[m] for m in other.mentions] if decision is None else decision.entities
                found.update(mention for entity in entities for mention in entity)
        return found

    @cached_property
    def agreement_before(self) -> dict[str, float]:
        """Mean CoNLL F1 of each annotator with the others."""
        f1: dict[str, list[float]] = defaultdict(list)
        for one, other in combinations(self.annotators, 2):
            value = _conll(self.annotators[one], self.annotators[other])
            f1[one].append(value)
            f1[other].append(value)
        return {name: sum(values) / len(values) for name, values in f1.items()}

    @property
    def agreement_after(self) -> dict[str, float]:
        """CoNLL F1 of each annotator against the gold."""
        gold = self.gold
        return {name: _conll(gold, corpus) for name, corpus in self.annotators.items()}

    @property
    def verdict(self) -> str:
        """Number of contested groups, and agreement before and after."""
        before = sum(self.agreement_before.values()) / len(self.annotators)
        after = sum(self.agreement_after.values()) / len(self.annotators)
        contested = len(self.contested)
        left = len(self.undecided)
        return (
            f"Annotators agree on {len(self.groups) - contested:,} of {len(self.groups):,} groups "
            f"of entities; {contested:,} contested, {left:,} undecided. "
            f"CoNLL F1 is {100 * before:.2f} between annotators and {100 * after:.2f} with gold."
        )

    def table_functions(self) -> Tables:
        return {"annotators": annotators_grid, "contested": contested_grid}

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "annotators": list(self.annotators),
            "groups": len(self.groups),
            "contested": len(self.contested),
            "agreement_before": self.agreement_before,
            "agreement_after": self.agreement_after,
            "decisions": [asdict(decision) for decision in self.decisions],
            "warnings": list(self.warnings),
        }

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the annotations that decisions refer to."""
        content = [(group.id, sorted(group.versions.items())) for group in self.groups]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def adjudicate(
    *annotations: SideLike,
    rule: Rule | None = "majority",
    log: str | os.PathLike[str] | None = None,
    format: str | None = None,
    words: Literal["check", "align"] = "check",
    progress: Progress = silent,
) -> Adjudication:
    """Build one gold annotation from two or more annotations of the same text.

    The annotations are given as in :func:`corefine.agree`. Entities on which all annotators agree
    are taken. ``rule`` decides on the others: ``majority``, ``union``, ``intersection`` or
    ``first``; None leaves them undecided. ``log`` is a file of earlier decisions, which take
    precedence; new ones are appended to it. ``words`` is ``check`` for annotations of the same
    tokens, or ``align`` for texts that differ by a few words: mentions are moved to the words of
    the first annotation.

    >>> from corefine import Corpus
    >>> words = ["Anna", "met", "Bea", ".", "She", "left", "."]
    >>> anna = Corpus.from_spans(words, [[(0, 1), (4, 5)], [(2, 3)]])
    >>> ben = Corpus.from_spans(words, [[(0, 1)], [(2, 3), (4, 5)]])
    >>> eva = Corpus.from_spans(words, [[(0, 1), (4, 5)], [(2, 3)]])
    >>> adjudicate(anna, ben, eva).gold.to_dict()
    {'': [[(0, 0), (4, 4)], [(2, 2)]]}
    """
    sides = named_sides(annotations, format, what="annotation")
    if len(sides) < 2:
        raise UsageError("adjudication needs at least two annotations")
    corpora = {name: side.read(None, progress, allow_empty=True) for name, side in sides.items()}
    warnings = [f"{name}: {w}" for name, corpus in corpora.items() for w in corpus.warnings]
    if choose("words", words, ("check", "align")) == "align":
        base, *others = corpora
        for name in others:
            pair = pair_documents(corpora[base], corpora[name], Settings(words="align"))
            corpora[name] = pair.response
            said = [w for w in pair.warnings if code_of(w) == "words-aligned"]
            said = [w.removeprefix("response: ").replace("the key", base) for w in said]
            warnings += (f"{name}: {w}" for w in said)
    _check_same_text(corpora)
    adjudication = Adjudication(corpora, _groups(corpora), warnings=tuple(warnings))
    if log is not None:
        for decision in read_log(log, adjudication):
            adjudication.decide(decision)
    if rule is not None:
        new = adjudication.decide_by_rule(rule)
        if log is not None:
            append_to_log(log, adjudication, new)
    return adjudication


def read_log(path: str | os.PathLike[str], adjudication: Adjudication) -> list[Decision]:
    """The decisions of a log."""
    decisions = []
    for record, where in read_records(path, _header(adjudication)):
        try:
            entities = [[_spans(mention) for mention in e] for e in record["entities"]]
            decisions.append(Decision(**{**record, "entities": entities}))
        except (ValueError, TypeError, KeyError):
            raise FormatError("not a decision of an adjudication", where) from None
    return decisions


def append_to_log(
    path: str | os.PathLike[str], adjudication: Adjudication, decisions: Iterable[Decision]
) -> None:
    """Append decisions to a log. They are on disk when this returns."""
    append_records(path, _header(adjudication), map(asdict, decisions))


def _header(adjudication: Adjudication) -> dict[str, Any]:
    return {
        "adjudication": VERSION,
        "annotators": list(adjudication.annotators),
        "annotations": adjudication.fingerprint,
    }


def _spans(value: Sequence[Sequence[int]]) -> Spans:
    return tuple((int(start), int(stop)) for start, stop in value)


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


def _groups(corpora: Mapping[str, Corpus]) -> list[Group]:
    """Connected components of entities that share mentions, in text order."""
    base = next(iter(corpora.values()))
    chains: dict[str, list[tuple[str, list[Spans]]]] = {name: [] for name in base.documents}
    for annotator, corpus in corpora.items():
        for document in corpus:
            seen: set[Spans] = set()
            for entity in document.entities.values():
                spans = {tuple(mention.spans) for mention in entity} - seen
                seen |= spans
                if spans:
                    chains[document.name].append((annotator, sorted(spans)))
    groups = []
    for name, entities in chains.items():
        first: dict[Spans, int] = {}
        links = [
            (number, first.setdefault(mention, number))
            for number, (_, mentions) in enumerate(entities)
            for mention in mentions
        ]
        members: dict[int, dict[str, Entities]] = {}
        roots = connected_components(len(entities), links)
        for root, (annotator, mentions) in zip(roots, entities, strict=True):
            versions = members.setdefault(root, {annotator: [] for annotator in corpora})
            versions[annotator].append(mentions)
        found = [
            Group(name, "", {annotator: sorted(v) for annotator, v in versions.items()})
            for versions in members.values()
        ]
        found.sort(key=lambda group: group.mentions)
        groups += [replace(group, id=f"{name}:{_written(group.mentions[0])}") for group in found]
    return groups


def _most_common(values: Sequence[Any]) -> Any:
    """The most common value; the smallest of several."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], str(value)))


def _conll(key: Corpus, response: Corpus) -> float:
    return score(key, response, metrics="conll")["conll"].f1


def _written(mention: Spans) -> str:
    """Spans as first and last token: ``3``, ``12-14`` or ``3+5-6``."""
    return "+".join(f"{a}" if b == a + 1 else f"{a}-{b - 1}" for a, b in mention)


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


def contested_grid(adjudication: Adjudication) -> Grid:
    """One row per contested group: the entities of each annotator, and the decision."""
    current = adjudication.current
    base = adjudication._base

    def text(group: Group, entities: Entities) -> str:
        document = base[group.document]
        return " / ".join(
            ", ".join(document.words(Mention("", list(mention))) for mention in entity)
            for entity in entities
        )

    rows = []
    for group in adjudication.contested:
        decision = current.get(group.id)
        rows.append(
            (
                group.document,
                shortened(text(group, [group.mentions]), 40),
                *(text(group, version) for version in group.versions.values()),
                "" if decision is None else decision.action,
                "" if decision is None else text(group, decision.entities),
            )
        )
    columns = [Column("document", priority=1), Column("mentions")]
    columns += [Column(name, priority=3) for name in adjudication.annotators]
    columns += [Column("decision"), Column("gold", priority=2)]
    return Grid(tuple(columns), rows, "Contested entities")
