"""Rules of ``check``: their table, and the functions that find what breaks them.

``rules.md`` describes each rule with a wrong and a right example. What a parser cannot understand
breaks a rule there and then; the functions here look at what could be read.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from itertools import combinations
from operator import attrgetter
from typing import NamedTuple, TypeVar

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention
from corefine.curating.parsing import (
    Bracket,
    Edit,
    Fault,
    WrittenDocument,
    WrittenMention,
    line_of,
    part_of,
)
from corefine.errors import UsageError, choose
from corefine.formats.io.lines import shown
from corefine.formats.io.token_rows import parent_tokens

T = TypeVar("T")
Finder = Callable[[WrittenDocument], Iterator[Fault]]
ALWAYS = ("CU001",)
"""Rules that cannot be ignored: what they report cannot be read."""
TYPES = frozenset(
    ("person", "place", "organization", "animal", "plant", "object", "substance", "time", "number",
     "abstract", "event", "other")
)  # fmt: skip
"""Types of entities in CorefUD."""
_POSITIVE = re.compile("[1-9][0-9]{0,8}")
_ORDER = re.compile("s*|(?:s*c+)?(?:o+s*)?")
"""Brackets of a token: of one word (s), opening (o), closing (c)."""
_RULE = re.compile(r"^### (CU\d{3}) (\w+)( repaired)?: (.*)\n", re.MULTILINE)
_EXAMPLE = re.compile(r"^```(wrong|right) (\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, its description, and a wrong and a right example with their formats."""

    code: str
    severity: str
    """``error``, ``warning``, or ``guess``: likely errors, found only if they are selected."""
    repaired: bool
    title: str
    text: str
    wrong: tuple[str, str]
    right: tuple[str, str]


@cache
def all_rules() -> dict[str, Rule]:
    """The rules by code."""
    _, *parts = _RULE.split(files(__package__).joinpath("rules.md").read_text("utf-8"))
    rules = {}
    for code, severity, repaired, title, text in zip(*(parts[n::5] for n in range(5)), strict=True):
        examples = {kind: (format, body) for kind, format, body in _EXAMPLE.findall(text)}
        plain = _EXAMPLE.sub("", text).strip()
        rules[code] = Rule(code, severity, bool(repaired), title, plain, **examples)
    return rules


def selected(select: str | None, ignore: str | None) -> frozenset[str]:
    """Codes of the rules to apply, by lists of codes, beginnings of codes, ``default`` and ``all``.

    >>> sorted(selected("CU20", "CU201"))[:3]
    ['CU001', 'CU202', 'CU203']
    """
    wanted = _codes("select", select or "default") - _codes("ignore", ignore or "")
    return frozenset(wanted | {*ALWAYS})


def _codes(option: str, names: str) -> set[str]:
    rules = all_rules()
    found: set[str] = set()
    for name in re.split(r"[,\s]+", names.strip()) if names.strip() else ():
        codes = [code for code in rules if code.startswith(name)]
        if name == "default":
            codes = [code for code, rule in rules.items() if rule.severity != "guess"]
        elif name == "all":
            codes = list(rules)
        elif not codes:
            choose(option, name, (*rules, "default", "all"))
            raise UsageError(f"no rule begins with {name!r}")
        found.update(codes)
    return found


def _later(items: Iterable[T], key: Callable[[T], Hashable]) -> Iterator[tuple[T, T]]:
    """Items that have the key of an earlier one, each after the first item with this key."""
    first: dict[Hashable, T] = {}
    for item in items:
        earlier = first.setdefault(key(item), item)
        if earlier is not item:
            yield earlier, item


def _no_mentions(document: WrittenDocument) -> Iterator[Fault]:
    if not document.mentions and document.lines and not document.faults and not document.unclear:
        yield Fault(document.line, f"document {shown(document.name)!r} has no mentions")


# --- Brackets of CoNLL-U --------------------------------------------------------------------------


def _brackets(document: WrittenDocument) -> Iterator[Bracket]:
    """Brackets of CoNLL-U."""
    return (one for cell in document.cells if document.header for one in cell.brackets)


def _too_many_fields(document: WrittenDocument) -> Iterator[Fault]:
    # Without a declaration, more fields than those that are assumed are no fault.
    for one in _brackets(document) if document.declared else ():
        allowed = len(document.header) if one.opens else 1
        if len(one.fields) > allowed:
            edits: tuple[Edit, ...] = ()
            if not one.opens:
                edits = (Edit(one.start, one.stop, f"{one.id})"),)
            elif not any(one.fields[allowed:]):
                close = one.stop - one.closes
                edits = (Edit(close - (len(one.fields) - allowed), close, ""),)
            text = shown("-".join(one.fields))
            what = f"{len(one.fields)} fields in {text!r}, where {allowed} can be"
            yield Fault(one.line, what, edits)


def _order(document: WrittenDocument) -> Iterator[Fault]:
    for cell in document.cells if document.header else ():
        brackets = cell.brackets
        kinds = "".join("s" if b.opens and b.closes else "o" if b.opens else "c" for b in brackets)
        if _ORDER.fullmatch(kinds):
            continue
        edits: tuple[Edit, ...] = ()
        if len({one.id for one in brackets}) == len(brackets) and cell.text == _written(brackets):
            order = "cos" if "o" in kinds else "sc"
            ranked = sorted(zip(kinds, brackets, strict=True), key=lambda one: order.index(one[0]))
            text = _written(one for _, one in ranked)
            edits = (Edit(brackets[0].start, brackets[-1].stop, text),)
        what = f"brackets of {shown(cell.text)!r} are not in the order closing, opening, one word"
        yield Fault(brackets[0].line, what, edits)


def _written(brackets: Iterable[Bracket]) -> str:
    return "".join("(" * b.opens + "-".join(b.fields) + ")" * b.closes for b in brackets)


def _malformed_id(document: WrittenDocument) -> Iterator[Fault]:
    for one in _brackets(document):
        entity, part, parts = part_of(one.id)
        edits: tuple[Edit, ...] = ()
        if one.id == f"{entity}[1/1]":
            if entity not in document.unbalanced:
                edits = (Edit(one.id_stop, one.id_stop + len("[1/1]"), ""),)
        elif entity and 1 <= part <= parts and not {"[", "]"} & {*entity}:
            continue
        if one.opens or edits:
            yield Fault(one.line, f"malformed entity id {shown(one.id)!r}", edits)


def _field(name: str, message: str, is_right: Callable[[str, WrittenMention], bool]) -> Finder:
    """A finder of mentions whose value of a declared field is wrong."""

    def find(document: WrittenDocument) -> Iterator[Fault]:
        for mention in document.mentions if name in document.header else ():
            value = mention.fields.get(name)
            if value is not None and not is_right(value, mention):
                words, length = document.quote(mention), mention.length
                what = message.format(value=shown(value), words=words, length=length)
                yield Fault(mention.line, what)

    return find


def _is_number(value: str, mention: WrittenMention) -> bool:
    return _POSITIVE.fullmatch(value) is not None


def _is_word(value: str, mention: WrittenMention) -> bool:
    return _is_number(value, mention) and int(value) <= mention.length


# --- Mentions -------------------------------------------------------------------------------------


def _across_sentences(document: WrittenDocument) -> Iterator[Fault]:
    for mention in document.mentions if document.header else ():
        start, stop = mention.spans[0][0], mention.spans[-1][1]
        if bisect_right(document.sentences, start) < bisect_left(document.sentences, stop):
            what = f"the mention {document.quote(mention)!r} ends in another sentence"
            yield Fault(mention.line, what)


def _parts_differ(document: WrittenDocument) -> Iterator[Fault]:
    for mention in document.mentions if document.header else ():
        first, *others = mention.brackets[::2]
        eid = document.header.index("eid")
        for other in others:
            one, two = ([*b.fields[:eid], *b.fields[eid + 1 :]] for b in (first, other))
            if one != two:
                what = f"{shown(other.id)!r} has other fields than the first part"
                yield Fault(other.line, what)


def _repeated(document: WrittenDocument) -> Iterator[Fault]:
    for earlier, mention in _later(document.mentions, attrgetter("key")):
        if earlier.entity == mention.entity:
            edits: list[Edit] = []
            if earlier.fields == mention.fields:
                brackets = dict.fromkeys(mention.brackets)
                edits = [one.cell.without(one) for one in brackets if one.cell is not None]
            what = f"the mention {document.quote(mention)!r} is in entity {shown(mention.entity)!r}"
            yield Fault(mention.line, f"{what} twice", tuple(edits))


def _in_two_entities(document: WrittenDocument) -> Iterator[Fault]:
    for earlier, mention in _later(document.mentions, attrgetter("key")):
        if earlier.entity != mention.entity:
            names = f"{shown(earlier.entity)!r} and {shown(mention.entity)!r}"
            what = f"the mention {document.quote(mention)!r} is in entities {names}"
            yield Fault(mention.line, what)


def _crossing_in_entity(document: WrittenDocument) -> Iterator[Fault]:
    for mentions in document.entities().values():
        for one, other in _crossing(mentions):
            names = f"{document.quote(other)!r} and {document.quote(one)!r}"
            yield Fault(one.line, f"{names} of entity {shown(one.entity)!r} cross")


def _crossing_entities(document: WrittenDocument) -> Iterator[Fault]:
    for one, other in _crossing(document.mentions):
        if one.entity != other.entity:
            names = f"{document.quote(other)!r} and {document.quote(one)!r}"
            yield Fault(one.line, f"the mentions {names} cross")


def _crossing(
    mentions: Sequence[WrittenMention],
) -> Iterator[tuple[WrittenMention, WrittenMention]]:
    """Mentions that overlap with an earlier one without nesting.

    Each is given once, with the shortest of the mentions that it crosses.
    """
    still_open: list[WrittenMention] = []
    placed = [one for one in mentions if one.spans]
    for one in sorted(placed, key=lambda one: (one.spans[0][0], -one.spans[-1][1])):
        start, stop = one.spans[0][0], one.spans[-1][1]
        while still_open and still_open[-1].spans[-1][1] <= start:
            still_open.pop()
        if still_open and (len(one.spans) > 1 or len(still_open[-1].spans) > 1):
            crosses = _share_some(one, still_open[-1])
        else:
            crosses = bool(still_open) and still_open[-1].spans[-1][1] < stop
        if crosses:
            yield one, still_open[-1]
        else:
            still_open.append(one)


def _share_some(one: WrittenMention, other: WrittenMention) -> bool:
    """True if mentions share words, and each has words of its own."""
    words, others = ({w for a, b in m.spans for w in range(a, b)} for m in (one, other))
    return bool(words & others) and not words <= others and not others <= words


# --- Entities and relations -----------------------------------------------------------------------


def _differs(name: str, what: str) -> Finder:
    """A finder of mentions with another value of a field than the first of their entity.

    Values may be left out unless ids are CorefUD's, whose validator takes that for another value.
    """

    def find(document: WrittenDocument) -> Iterator[Fault]:
        mentions = document.mentions if name in document.header else ()
        given = [one for one in mentions if one.fields.get(name) or document.shares_ids]
        for first, one in _later(given, attrgetter("entity")):
            known, value = (mention.fields.get(name, "") for mention in (first, one))
            if value != known:
                words = f"{document.quote(one)!r} of entity {shown(one.entity)!r}"
                names = f"{shown(value)!r}, and {shown(known)!r} in line {first.line}"
                yield Fault(one.line, f"{words} has the {what} {names}")

    return find


def _to_itself(document: WrittenDocument) -> Iterator[Fault]:
    for one in document.relations:
        if one.source == one.target:
            yield Fault(one.line, f"{one.kind} relates entity {shown(one.source)!r} to itself")


def _misplaced(document: WrittenDocument) -> Iterator[Fault]:
    starts = {(one.entity, one.spans[0][0]) for one in document.mentions if one.spans}
    known = {entity for entity, _ in starts} - document.unclear - document.unbalanced
    places = {(one.kind, one.source, one.token): one for one in document.relations}
    for one in places.values():
        if (one.source, one.token) not in starts and one.source in known:
            what = f"{one.kind} of entity {shown(one.source)!r}, of which no mention starts here"
            yield Fault(one.line, what)


def _repeated_relation(document: WrittenDocument) -> Iterator[Fault]:
    named = attrgetter("kind", "target", "source", "token")
    for first, one in _later(document.relations, named):
        what = f"{one.kind} {shown(f'{one.target}<{one.source}')!r} is there twice"
        same = first.label == one.label
        yield Fault(one.line, what, (one.removal,) if one.removal and same else ())


def _dangling(document: WrittenDocument) -> Iterator[Fault]:
    known = {part_of(b.id)[0] for cell in document.cells for b in cell.brackets} | document.unclear
    for one in document.relations:
        for entity in dict.fromkeys((one.target, one.source)):
            if entity not in known:
                what = f"{one.kind} names entity {shown(entity)!r}, which has no mention"
                yield Fault(one.line, f"{what} in its document")


def _relations_differ(document: WrittenDocument) -> Iterator[Fault]:
    bridges = [one for one in document.relations if one.kind != "SplitAnte"]
    for first, one in _later(bridges, attrgetter("target", "source")):
        if first.label != one.label:
            what = f"{one.target}<{one.source}{one.label}"
            yield Fault(one.line, f"{one.kind} {shown(what)!r} differs from line {first.line}")
    for known, split in _later(_split_antecedents(document), attrgetter("entity")):
        if known.antecedents != split.antecedents:
            what = f"the split antecedents of entity {shown(split.entity)!r}"
            yield Fault(split.line, f"{what} differ from line {known.line}")


class _Split(NamedTuple):
    """The antecedents of an entity in one line."""

    entity: str
    line: int
    antecedents: set[str]


def _split_antecedents(document: WrittenDocument) -> list[_Split]:
    found: dict[tuple[str, int], _Split] = {}
    for one in document.relations:
        if one.kind == "SplitAnte":
            split = found.setdefault((one.source, one.line), _Split(one.source, one.line, set()))
            split.antecedents.add(one.target)
    return list(found.values())


def _one_antecedent(document: WrittenDocument) -> Iterator[Fault]:
    malformed = {fault.line for fault in document.faults.get("CU304", ())}
    for split in _split_antecedents(document):
        if len(split.antecedents) < 2 and split.line not in malformed:
            what = f"SplitAnte gives entity {shown(split.entity)!r} only one antecedent"
            yield Fault(split.line, what)


FINDERS: dict[str, Finder] = {
    "CU004": _no_mentions,
    "CU109": _too_many_fields,
    "CU110": _order,
    "CU111": _field(
        "etype",
        "the type {value!r} is not one of CorefUD's",
        lambda value, mention: value in ("", *TYPES),
    ),
    "CU112": _field("head", "the head {value!r} is not a number from 1", _is_number),
    "CU113": _field(
        "head",
        "the head of {words!r} is word {value} of {length}",
        lambda value, mention: not _is_number(value, mention) or _is_word(value, mention),
    ),
    "CU114": _field(
        "minspan",
        "the minimum span {value!r} has words that {words!r} does not have",
        lambda value, mention: all(_is_word(n, mention) for n in value.split(",") if value),
    ),
    "CU115": _malformed_id,
    "CU204": _across_sentences,
    "CU206": _parts_differ,
    "CU207": _repeated,
    "CU208": _in_two_entities,
    "CU209": _crossing_in_entity,
    "CU210": _crossing_entities,
    "CU301": _differs("etype", "type"),
    "CU302": _differs("identity", "identity"),
    "CU306": _to_itself,
    "CU307": _misplaced,
    "CU308": _repeated_relation,
    "CU309": _dangling,
    "CU310": _relations_differ,
    "CU311": _one_antecedent,
}
"""Functions that find what breaks a rule in a document."""


def faults_of(document: WrittenDocument, codes: Iterable[str]) -> Iterator[tuple[str, Fault]]:
    """Find what breaks rules in a document."""
    for code in codes:
        yield from ((code, fault) for fault in document.faults.get(code, ()))
        if code in FINDERS:
            yield from ((code, fault) for fault in FINDERS[code](document))


@dataclass(slots=True)
class SeenIds:
    """Ids of entities in the documents of a file, and those that occur in several of them."""

    scope: str | None
    """Documents that may share ids: None by the format's rule, else document, topic or corpus."""
    first: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The scope and the line where each id occurs first."""
    named: set[str] = field(default_factory=set)
    """Every id that brackets and relations name, also without a mention."""
    reused: list[tuple[str, int, tuple[int, ...]]] = field(default_factory=list)
    """Ids, the line of their first mention here, and the bytes after each of their names."""

    def add(self, document: WrittenDocument, number: int) -> None:
        """Note the ids of a document; numbers count for one document in most formats."""
        group = str(number)
        if self.scope == "topic":
            group = document.topic or re.split("[_/]", document.name, maxsplit=1)[0]
        applies = document.shares_ids if self.scope is None else self.scope != "corpus"
        self.named |= {part_of(one.id)[0] for cell in document.cells for one in cell.brackets}
        self.named |= {name for name, _ in document.named} | document.unclear
        for entity, mentions in document.entities().items():
            known, _ = self.first.setdefault(entity, (group, mentions[0].line))
            numeric = entity.isdecimal() and not document.shares_ids
            if entity and applies and known != group and not numeric:
                brackets = [one for cell in document.cells for one in cell.brackets]
                brackets += [one for mention in mentions for one in mention.brackets]
                stops = {one.id_stop for one in brackets if part_of(one.id)[0] == entity}
                stops |= {stop for name, stop in document.named if name == entity}
                self.reused.append((entity, mentions[0].line, tuple(sorted(stops))))

    def faults(self) -> Iterator[Fault]:
        """Ids that are reused, each with the edits that append a number to it."""
        taken = {*self.first, *self.named}
        for entity, line, stops in self.reused:
            number = 2
            while (new := f"{entity}.{number}") in taken:
                number += 1
            taken.add(new)
            first = self.first[entity][1]
            what = f"the entity id {shown(entity)!r} is that of another document (line {first})"
            edits = tuple(Edit(stop, stop, f".{number}") for stop in stops if stop)
            yield Fault(line, what, edits)


FUNCTION_WORDS = frozenset(("ADP", "CCONJ", "SCONJ", "DET", "IN", "CC", "DT", "TO", "PRP$"))
"""Parts of speech, of UD or of the Penn Treebank, with which no mention ends."""
DETERMINERS = frozenset(("DET", "DT", "PDT"))
LONG = 3
"""Words of a string that is rarely the same for two entities."""

Guesser = Callable[[Sequence[Document]], Iterator[Fault]]


def fault(document: Document, mention: Mention, message: str) -> Fault:
    """A fault at a mention, whose words replace ``{}`` in the message."""
    words = repr(shown(document.words_of(mention)))
    return Fault(line_of(document, mention), message.replace("{}", words, 1))


def _placed(documents: Iterable[Document]) -> Iterator[tuple[Document, Mention, int, int]]:
    """Mentions of texts, with their first token and that after their last."""
    for document in documents:
        for mention in document.mentions if document.tokens is not None else ():
            if mention.spans:
                yield document, mention, mention.spans[0][0], mention.spans[-1][1]


def _tag(document: Document, token: int) -> str:
    """The part of speech of a token; empty if unknown."""
    layer = document.layers.get("upos") or document.layers.get("pos")
    return layer[token] if layer else ""


def _is_punctuation(document: Document, token: int) -> bool:
    words = document.tokens or []
    return all(unicodedata.category(letter).startswith("P") for letter in words[token])


def _entities(documents: Iterable[Document]) -> Iterator[tuple[Document, list[Mention]]]:
    for document in documents:
        yield from ((document, mentions) for mentions in document.entities.values())


def _outer_punctuation(documents: Sequence[Document]) -> Iterator[Fault]:
    for document, mention, start, stop in _placed(documents):
        ends = [_is_punctuation(document, token) for token in (start, stop - 1)]
        if stop - start > 1 and ends[0] != ends[1]:
            side = "begins" if ends[0] else "ends"
            yield fault(document, mention, f"the mention {{}} {side} with punctuation")


def _function_word(documents: Sequence[Document]) -> Iterator[Fault]:
    for document, mention, start, stop in _placed(documents):
        if stop - start > 1 and _tag(document, stop - 1) in FUNCTION_WORDS:
            yield fault(document, mention, "the mention {} ends with a function word")


def _determiner_apart(documents: Sequence[Document]) -> Iterator[Fault]:
    spans = {(id(d), start, stop) for d, _, start, stop in _placed(documents)}
    for document, mention, start, stop in _placed(documents):
        inner = (id(document), start + 1, stop)
        if inner in spans and _tag(document, start) in DETERMINERS:
            yield fault(document, mention, "the mention {} and the same without its determiner")


def _single_pronoun(documents: Sequence[Document]) -> Iterator[Fault]:
    for document, (first, *others) in _entities(documents):
        if not others and first.kind == Kind.PRONOUN:
            yield fault(document, first, "the pronoun {} is the only mention of its entity")


def _mixed(feature: str, documents: Sequence[Document]) -> Iterator[Fault]:
    """Pronouns of an entity whose heads have different values of a feature."""
    for document, mentions in _entities(documents):
        feats = document.layers.get("feats")
        first = ""
        for mention in mentions if feats else ():
            if feats is None or mention.kind != Kind.PRONOUN or mention.head is None:
                continue
            given = dict(pair.partition("=")[::2] for pair in feats[mention.head].split("|"))
            value = given.get(feature, "")
            if value and given.get("Person", "3") == "3":
                first = first or value
                if value != first:
                    what = f"{{}} has {feature}={value}, an earlier pronoun of its entity {first}"
                    yield fault(document, mention, what)


def _singletons(documents: Sequence[Document]) -> Iterator[Fault]:
    for document, (first, *others) in _entities(documents):
        if not others:
            yield fault(document, first, "{} is the only mention of its entity")


def _inside_itself(documents: Sequence[Document]) -> Iterator[Fault]:
    for document, mentions in _entities(documents):
        placed = [one for one in mentions if one.spans]
        reach = -1
        for one in sorted(placed, key=lambda one: (one.spans[0][0], -one.spans[-1][1])):
            if one.spans[-1][1] <= reach:
                yield fault(document, one, "the mention {} is inside another one of its entity")
            reach = max(reach, one.spans[-1][1])


def _same_string(documents: Sequence[Document]) -> Iterator[Fault]:
    def string(placed: tuple[Document, Mention]) -> tuple[int, str]:
        document, mention = placed
        return id(document), document.words_of(mention).casefold()

    long = [(d, mention) for d, mention, start, stop in _placed(documents) if stop - start >= LONG]
    for (_, first), (document, one) in _later(long, string):
        if first.entity != one.entity:
            names = f"{shown(str(one.entity))!r}, elsewhere in {shown(str(first.entity))!r}"
            yield fault(document, one, f"{{}} is in entity {names}")


def _apposition(documents: Sequence[Document]) -> Iterator[Fault]:
    for document in documents:
        relations = document.layers.get("deprel")
        if not relations or "head" not in document.layers:
            continue
        parents = _parents(document)
        entities: dict[int, set[str | int]] = defaultdict(set)
        for mention in document.mentions:
            if mention.head is not None:
                entities[mention.head].add(mention.entity)
        for mention in document.mentions:
            if mention.head is not None and relations[mention.head] == "appos":
                others = entities[parents[mention.head]]
                if others and mention.entity not in others:
                    yield fault(document, mention, "the apposition {} is in an entity of its own")


def _parents(document: Document) -> list[int]:
    """The token of the head of each token; -1 if it has none."""
    numbers = [int(n) if n.isdecimal() and len(n) < 9 else -1 for n in document.layers["head"]]
    empty = np.zeros(len(numbers), bool)
    empty[document.empty_nodes] = True
    sentences = np.array(document.starts or [0])
    found: list[int] = parent_tokens(np.array(numbers), sentences, empty).tolist()
    return found


def _unrelated_names(documents: Sequence[Document]) -> Iterator[Fault]:
    found: list[tuple[Document, dict[str, Mention]]] = []
    for document, mentions in _entities(documents):
        names = {document.words_of(m).casefold(): m for m in mentions if m.kind == Kind.NAME}
        found.append((document, names))
    alone = Counter(name for _, names in found for name in names)
    together = Counter(pair for _, names in found for pair in combinations(sorted(names), 2))
    for document, names in found:
        for one, other in combinations(sorted(names), 2):
            apart = not set(one.split()) & set(other.split())
            if apart and together[one, other] == 1 and min(alone[one], alone[other]) > 2:
                what = f"{{}} and {shown(other)!r} are names of one entity only here"
                yield fault(document, names[one], what)


GUESSERS: dict[str, Guesser] = {
    "CU501": _outer_punctuation,
    "CU502": _function_word,
    "CU503": _determiner_apart,
    "CU504": _single_pronoun,
    "CU505": partial(_mixed, "Gender"),
    "CU506": partial(_mixed, "Number"),
    "CU507": _singletons,
    "CU508": _inside_itself,
    "CU601": _same_string,
    "CU602": _apposition,
    "CU603": _unrelated_names,
}
"""Functions that find what breaks a rule in the documents of a file."""
