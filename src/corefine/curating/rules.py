"""Rules of ``check``: their table, and the functions that find what breaks them.

``rules.md`` describes each rule with a wrong and a right example. What a parser cannot understand
breaks a rule there and then; the functions here look at what could be read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import groupby
from operator import attrgetter

from corefine.curating.annotated import Annotated, Bracket, Edit, Fault, Mention, part_of
from corefine.errors import UsageError, choose
from corefine.formats.io.lines import shown

SEVERITIES = ("error", "warning", "guess")
"""Guesses are likely annotation errors: they are not looked for unless they are selected."""
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


Finder = Callable[[Annotated], Iterator[Fault]]
FINDERS: dict[str, Finder] = {}
"""Functions that find what breaks a rule in a document."""


def finds(code: str) -> Callable[[Finder], Finder]:
    """Register the function that finds what breaks a rule."""

    def register(function: Finder) -> Finder:
        FINDERS[code] = function
        return function

    return register


def faults_of(document: Annotated, codes: Iterable[str]) -> Iterator[tuple[str, Fault]]:
    """What breaks rules in a document."""
    for code in codes:
        yield from ((code, fault) for fault in document.faults.get(code, ()))
        if code in FINDERS:
            yield from ((code, fault) for fault in FINDERS[code](document))


@finds("CU004")
def _no_mentions(document: Annotated) -> Iterator[Fault]:
    if not document.mentions and document.lines and not document.faults and not document.unclear:
        yield Fault(document.line, f"document {shown(document.name)!r} has no mentions")


# --- Brackets of CoNLL-U --------------------------------------------------------------------------


def _brackets(document: Annotated) -> Iterator[Bracket]:
    """Brackets of CoNLL-U."""
    return (one for cell in document.cells if document.header for one in cell.brackets)


@finds("CU109")
def _too_many_fields(document: Annotated) -> Iterator[Fault]:
    for one in _brackets(document):
        allowed = len(document.header) if one.opens else 1
        if len(one.fields) > allowed:
            text = "-".join(one.fields)
            edits: tuple[Edit, ...] = ()
            if not one.opens:
                edits = (Edit(one.start, one.stop, f"{one.id})"),)
            elif not any(one.fields[allowed:]):
                close = one.stop - one.closes
                edits = (Edit(close - (len(one.fields) - allowed), close, ""),)
            what = f"{len(one.fields)} fields in {shown(text)!r}, where {allowed} can be"
            yield Fault(one.line, what, edits)


@finds("CU110")
def _order(document: Annotated) -> Iterator[Fault]:
    for cell in document.cells if document.header else ():
        brackets = cell.brackets
        kinds = ["s" if one.opens and one.closes else "o" if one.opens else "c" for one in brackets]
        if _ORDER.fullmatch("".join(kinds)):
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


@finds("CU115")
def _malformed_id(document: Annotated) -> Iterator[Fault]:
    for one in _brackets(document):
        entity, part, parts = part_of(one.id)
        edits: tuple[Edit, ...] = ()
        if one.id == f"{entity}[1/1]":
            edits = (Edit(one.id_stop, one.id_stop + len("[1/1]"), ""),)
        elif entity and 1 <= part <= parts and not {"[", "]"} & {*entity}:
            continue
        if one.opens or edits:
            yield Fault(one.line, f"malformed entity id {shown(one.id)!r}", edits)


def _values(document: Annotated, name: str) -> Iterator[tuple[Mention, str]]:
    """Mentions that have a declared field, and its value."""
    for mention in document.mentions if name in document.header else ():
        if name in mention.fields:
            yield mention, mention.fields[name]


@finds("CU111")
def _unknown_type(document: Annotated) -> Iterator[Fault]:
    for mention, value in _values(document, "etype"):
        if value and value not in TYPES:
            yield Fault(mention.line, f"the type {shown(value)!r} is not one of CorefUD's")


@finds("CU112")
def _malformed_head(document: Annotated) -> Iterator[Fault]:
    for mention, value in _values(document, "head"):
        if not _POSITIVE.fullmatch(value):
            yield Fault(mention.line, f"the head {shown(value)!r} is not a number from 1")


@finds("CU113")
def _head_outside(document: Annotated) -> Iterator[Fault]:
    for mention, value in _values(document, "head"):
        if _POSITIVE.fullmatch(value) and int(value) > mention.length:
            what = f"the head of {document.quote(mention)!r} is word {value} of {mention.length}"
            yield Fault(mention.line, what)


@finds("CU114")
def _minimum_outside(document: Annotated) -> Iterator[Fault]:
    for mention, value in _values(document, "minspan"):
        words = value.split(",") if value else []
        if any(not _POSITIVE.fullmatch(one) or int(one) > mention.length for one in words):
            what = f"the minimum span {shown(value)!r} has words that {document.quote(mention)!r}"
            yield Fault(mention.line, f"{what} does not have")


# --- Mentions -------------------------------------------------------------------------------------


@finds("CU204")
def _across_sentences(document: Annotated) -> Iterator[Fault]:
    sentence = document.sentence_of() if document.header else []
    for mention in document.mentions if document.header else ():
        start, stop = mention.spans[0][0], mention.spans[-1][1]
        if sentence[start] != sentence[stop - 1]:
            what = f"the mention {document.quote(mention)!r} ends in another sentence"
            yield Fault(mention.line, what)


@finds("CU206")
def _parts_differ(document: Annotated) -> Iterator[Fault]:
    for mention in document.mentions if document.header else ():
        first, *others = mention.brackets[::2]
        eid = document.header.index("eid")
        for other in others:
            if [*first.fields[:eid], *first.fields[eid + 1 :]] != [
                *other.fields[:eid],
                *other.fields[eid + 1 :],
            ]:
                what = f"{shown(other.id)!r} has other fields than the first part"
                yield Fault(other.line, what)


def _repeats(document: Annotated) -> Iterator[tuple[Mention, Mention]]:
    """Mentions of the same words, each with the first one."""
    first: dict[object, Mention] = {}
    for mention in document.mentions:
        earlier = first.setdefault(mention.key, mention)
        if earlier is not mention:
            yield earlier, mention


@finds("CU207")
def _repeated(document: Annotated) -> Iterator[Fault]:
    for earlier, mention in _repeats(document):
        if earlier.entity == mention.entity:
            edits: list[Edit] = []
            if earlier.fields == mention.fields:
                brackets = dict.fromkeys(mention.brackets)
                edits = [one.cell.without(one) for one in brackets if one.cell is not None]
            what = f"the mention {document.quote(mention)!r} is in entity {shown(mention.entity)!r}"
            yield Fault(mention.line, f"{what} twice", tuple(edits))


@finds("CU208")
def _in_two_entities(document: Annotated) -> Iterator[Fault]:
    for earlier, mention in _repeats(document):
        if earlier.entity != mention.entity:
            names = f"{shown(earlier.entity)!r} and {shown(mention.entity)!r}"
            what = f"the mention {document.quote(mention)!r} is in entities {names}"
            yield Fault(mention.line, what)


@finds("CU209")
def _crossing_in_entity(document: Annotated) -> Iterator[Fault]:
    for mentions in document.entities().values():
        for one, other in _crossing(mentions):
            names = f"{document.quote(other)!r} and {document.quote(one)!r}"
            yield Fault(one.line, f"{names} of entity {shown(one.entity)!r} cross")


@finds("CU210")
def _crossing_entities(document: Annotated) -> Iterator[Fault]:
    for one, other in _crossing(document.mentions):
        if one.entity != other.entity:
            names = f"{document.quote(other)!r} and {document.quote(one)!r}"
            yield Fault(one.line, f"the mentions {names} cross")


def _crossing(mentions: Sequence[Mention]) -> Iterator[tuple[Mention, Mention]]:
    """Mentions that share words with an earlier one, where neither is a part of the other.

    Each is given once, with the shortest of the mentions that it crosses.
    """
    still_open: list[Mention] = []
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


def _share_some(one: Mention, other: Mention) -> bool:
    """True if mentions share words, and each has words of its own."""
    words, others = ({w for a, b in m.spans for w in range(a, b)} for m in (one, other))
    return bool(words & others) and not words <= others and not others <= words


# --- Entities and relations -----------------------------------------------------------------------


def _differing(document: Annotated, name: str) -> Iterator[tuple[Mention, str, Mention, str]]:
    """Mentions with another value than the first of their entity.

    Values may be left out unless ids are CorefUD's, whose validator takes that for another value.
    """
    if name not in document.header:
        return
    for mentions in document.entities().values():
        first: tuple[Mention, str] | None = None
        for mention in mentions:
            value = mention.fields.get(name, "")
            if not value and not document.shares_ids:
                continue
            first = first or (mention, value)
            if value != first[1]:
                yield mention, value, *first


@finds("CU301")
def _types_differ(document: Annotated) -> Iterator[Fault]:
    for mention, value, first, given in _differing(document, "etype"):
        what = f"{document.quote(mention)!r} of entity {shown(mention.entity)!r} has the type"
        yield Fault(mention.line, f"{what} {value!r}, and {given!r} in line {first.line}")


@finds("CU302")
def _identities_differ(document: Annotated) -> Iterator[Fault]:
    for mention, value, first, given in _differing(document, "identity"):
        what = f"{document.quote(mention)!r} of entity {shown(mention.entity)!r} has the identity"
        names = f"{shown(value)!r}, and {shown(given)!r}"
        yield Fault(mention.line, f"{what} {names} in line {first.line}")


@finds("CU306")
def _to_itself(document: Annotated) -> Iterator[Fault]:
    for one in document.relations:
        if one.source == one.target:
            yield Fault(one.line, f"{one.kind} relates entity {shown(one.source)!r} to itself")


@finds("CU307")
def _misplaced(document: Annotated) -> Iterator[Fault]:
    starts = {(one.entity, one.spans[0][0]) for one in document.mentions if one.spans}
    known = {one.entity for one in document.mentions} - document.unclear
    places = {(one.kind, one.source, one.token): one for one in document.relations}
    for one in places.values():
        if (one.source, one.token) not in starts and one.source in known:
            what = f"{one.kind} of entity {shown(one.source)!r}, of which no mention starts here"
            yield Fault(one.line, what)


@finds("CU308")
def _repeated_relation(document: Annotated) -> Iterator[Fault]:
    seen: set[tuple[str, str, str, int]] = set()
    for one in document.relations:
        key = (one.kind, one.target, one.source, one.token)
        if key in seen:
            what = f"{one.kind} {shown(f'{one.target}<{one.source}')!r} is there twice"
            yield Fault(one.line, what, () if one.removal is None else (one.removal,))
        seen.add(key)


@finds("CU309")
def _dangling(document: Annotated) -> Iterator[Fault]:
    known = {part_of(b.id)[0] for cell in document.cells for b in cell.brackets} | document.unclear
    for one in document.relations:
        for entity in dict.fromkeys((one.target, one.source)):
            if entity not in known:
                what = f"{one.kind} names entity {shown(entity)!r}, which has no mention"
                yield Fault(one.line, f"{what} in its document")


@finds("CU310")
def _relations_differ(document: Annotated) -> Iterator[Fault]:
    seen: dict[tuple[str, ...], tuple[object, int]] = {}
    split: dict[tuple[str, int, int], set[str]] = defaultdict(set)
    for one in document.relations:
        if one.kind == "SplitAnte":
            split[one.source, one.token, one.line].add(one.target)
        else:
            label, line = seen.setdefault((one.target, one.source), (one.label, one.line))
            if label != one.label:
                what = f"{one.target}<{one.source}{one.label}"
                yield Fault(one.line, f"{one.kind} {shown(what)!r} differs from line {line}")
    for (source, _, line), targets in split.items():
        known, first = seen.setdefault((source,), (targets, line))
        if known != targets:
            what = f"the split antecedents of entity {shown(source)!r}"
            yield Fault(line, f"{what} differ from line {first}")


@finds("CU311")
def _one_antecedent(document: Annotated) -> Iterator[Fault]:
    malformed = {fault.line for fault in document.faults.get("CU304", ())}
    relations = [one for one in document.relations if one.line not in malformed]
    split = [one for one in relations if one.kind == "SplitAnte"]
    for _, found in groupby(split, attrgetter("token", "source")):
        items = list(found)
        if len({one.target for one in items}) < 2:
            source = shown(items[0].source)
            yield Fault(items[0].line, f"SplitAnte gives entity {source!r} only one antecedent")


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

    def add(self, document: Annotated, number: int) -> None:
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
