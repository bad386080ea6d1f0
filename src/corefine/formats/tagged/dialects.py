"""Dialects of tagged text: how mentions are marked in running text, parsed by one stack."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from corefine.errors import choose
from corefine.formats.tagged.copies import TagFault

ZERO = "##"
"""Prefix of an empty node."""

_NOT_OPENED = "closes an unopened mention: dropped"
_NOT_CLOSED = "never closed: dropped"
_NO_LABEL = "closed without an entity id: dropped"
_INVALID = "invalid tag: dropped"


def full_width(text: str, characters: str) -> str:
    """A text with these characters in their full-width form."""
    return text.translate({ord(each): ord(each) + 0xFEE0 for each in characters})


@dataclass(frozen=True, slots=True)
class Marked:
    """A text without its tags, its mentions, and malformed tags."""

    text: str
    spans: list[tuple[int, int, str]]
    """First character, the one after the last, label."""
    faults: list[TagFault]
    cuts: list[int]
    """Positions of tags: no word continues across one."""
    doubts: list[tuple[int, TagFault]]
    """Malformed tags, unless the source has the character at this position too."""


@dataclass(slots=True)
class _Tags:
    """Tags of a text: what is removed from it, and the mentions between them."""

    text: str
    cuts: list[tuple[int, int, str]] = field(default_factory=list)
    """First character, the one after the last, and their replacement."""
    mentions: list[tuple[int, int, str]] = field(default_factory=list)
    faults: list[TagFault] = field(default_factory=list)
    doubts: list[tuple[int, TagFault]] = field(default_factory=list)

    def cut(self, start: int, stop: int, replacement: str = "") -> None:
        self.cuts.append((start, stop, replacement))

    def fault(self, start: int, stop: int, outcome: str) -> None:
        self.faults.append(self._fault(start, stop, outcome))

    def doubt(self, sign: int, start: int, stop: int, outcome: str) -> None:
        """Note a malformed tag, unless the character at this position is one of the source."""
        self.doubts.append((sign, self._fault(start, stop, outcome)))

    def _fault(self, start: int, stop: int, outcome: str) -> TagFault:
        return TagFault(" ".join(self.text[start : min(stop, start + 80)].split()), start, outcome)

    def stripped(self) -> Marked:
        """The text without the tags, and the positions of mentions in it."""
        self.cuts.sort()
        pieces, read = [], 0
        for start, stop, replacement in self.cuts:
            pieces += [self.text[read:start], replacement]
            read = stop
        text = "".join([*pieces, self.text[read:]])
        stops = [stop for _, stop, _ in self.cuts]
        gains = list(accumulate((len(new) - (b - a) for a, b, new in self.cuts), initial=0))

        def place(character: int) -> int:
            return character + gains[bisect_right(stops, character)]

        spans = []
        for start, stop, label in self.mentions:
            begin, end = place(start), place(stop)
            if text[begin:end].strip():
                spans.append((begin, end, label))
            else:
                self.fault(start, start + 20, "empty mention: dropped")
        spans.sort(key=lambda span: (span[0], -span[1]))
        borders = {place(stop) for stop in stops} | {place(start) for start, _, _ in self.cuts}
        doubts = [(place(sign), fault) for sign, fault in self.doubts]
        return Marked(text, spans, sorted(self.faults, key=by_place), sorted(borders), doubts)


def by_place(fault: TagFault) -> int:
    """Sort key of malformed tags."""
    return fault.character


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way to tag mentions: how it is read, and written around words.

    The pattern has the groups ``open`` (with ``id``) or ``close`` (with ``label``), ``zero`` with
    ``node`` (its label), ``escape`` (a backslash before a bracket) and ``other`` (resembles a tag).
    """

    name: str
    title: str
    pattern: re.Pattern[str]
    hint: re.Pattern[str]
    """A tag that no other dialect has."""
    special: str
    """Characters that would be read as tags: in a word they are written in their full-width form,
    which is the same after Unicode normalisation."""
    opening: Callable[[str], str]
    closing: Callable[[str], str]
    zero: Callable[[str], str] | None = None
    """A mention that is an empty node, if it has a tag of its own."""
    lines: bool = True
    """True if sentences are on lines of their own."""
    crosses: bool = False
    """True if tags name their mentions, so that mentions may cross."""
    brackets: bool = False
    """True if tags are brackets, which the text may have too."""

    def parse(self, text: str) -> Marked:
        """Mentions of a text."""
        if self.crosses:
            return _parse_words(text)
        tags = _Tags(text)
        opened: dict[str, list[re.Match[str]]] = defaultdict(list)
        bare: list[tuple[re.Match[str] | None, re.Match[str]]] = []
        used = {"["} if self.brackets else {""}  # round brackets are mostly the text's own
        for found in self.pattern.finditer(text):
            start, stop = found.span()
            groups = found.groupdict()
            if groups.get("escape"):
                tags.cut(start, start + 1)
            elif groups.get("other"):
                tags.doubt(start, start, stop, _INVALID)
            elif groups.get("zero") is not None:
                tags.cut(start, stop, f" {ZERO} ")
                if groups["node"]:
                    tags.mentions.append((start, stop, groups["node"]))
                else:
                    tags.fault(start, stop, _NO_LABEL)
            elif groups["open"]:
                opened[_stack_of(found)].append(found)
            else:
                stack = opened[_stack_of(found)]
                opening = stack.pop() if stack else None
                label, fault = _label(found, opening, len(text))
                if self.brackets and not label and fault is None:
                    bare.append((opening, found))
                    continue
                used.add(_stack_of(found))
                tags.cut(start, stop)
                if opening is None:
                    tags.fault(start, stop, _NOT_OPENED)
                    continue
                tags.cut(*opening.span())
                if fault is not None:
                    tags.fault(start, stop, fault)
                if label:
                    tags.mentions.append((opening.end(), start, label))
                elif fault is None:
                    tags.fault(start, stop, _NO_LABEL)
        for opening, found in bare:
            if _stack_of(found) in used:
                _without_id(tags, opening, found)
        for key in used:
            for found in opened[key]:
                start, stop = found.span()
                if self.brackets:
                    tags.doubt(start, start, start + 20, _NOT_CLOSED)
                else:
                    tags.cut(start, stop)
                    tags.fault(start, start + 20, _NOT_CLOSED)
        return tags.stripped()


def _stack_of(found: re.Match[str]) -> str:
    """Brackets of each shape have a stack of their own."""
    return {"[": "[", "]": "[", "(": "(", ")": "("}.get(found.group()[0], "")


def _label(
    found: re.Match[str], opening: re.Match[str] | None, size: int
) -> tuple[str, str | None]:
    """The entity id of a mention, in its closing or opening tag, and what is malformed."""
    groups = found.groupdict()
    label = (groups.get("label") or groups.get("braced") or "").strip()
    if groups.get("subscript"):
        label = str(int(unicodedata.normalize("NFKC", groups["subscript"])))
    if groups.get("unmarked"):
        label = groups["unmarked"]
        return label, f"no # before the entity id: read as #{label}"
    if groups.get("cut") is not None and not label:
        cut = groups["cut"] if found.end() < size else ""
        return cut, f"not closed: read as #{cut}" if cut else _NO_LABEL
    if label and groups.get("blank"):
        return label, f"blank inside the tag: read as #{label}"
    if not label and opening is not None:
        label = opening.groupdict().get("id") or ""
    return label, None


_NO_ID = re.compile(r"\([^()\n]{0,40}\)|<[^<>\n]{0,40}>|_\S{0,40}")
"""Text after a bracket in place of an entity id."""


def _without_id(tags: _Tags, opening: re.Match[str] | None, closing: re.Match[str]) -> None:
    """Note a pair of brackets, shown with the text in place of an entity id."""
    stop = closing.end()
    if opening is None:
        tags.doubt(stop - 1, stop - 1, stop, _NOT_OPENED)
        return
    begin = opening.start()
    after = _NO_ID.match(tags.text, stop)
    tags.doubt(begin, begin, after.end() if after else stop, _NO_LABEL)


# Searched from the beginnings of words alone, or a long one without a bar would be searched from
# each of its characters on.
_WORD_START = re.compile(r"(?<!\S)[^\s|]*\|")
_TAGGED_WORD = re.compile(r"(?P<word>[^\s|]*)\|(?P<tags>[A-Za-z0-9_\[\],|]*)")
_REST = re.compile(r"\S{1,40}")
_WORD_TAG = re.compile(
    r"(?P<open>\[?)(?:e(?!0)|(?P<spelling>E0*|e0+)(?=\d)|)(?P<label>\w+)(?P<close>\]?)"
)
_STRAY_TAG = re.compile(r"(?<!\S)(?:\[e\d{1,18}\]?|e\d{1,18}\])(?!\S)")
"""A tag that is not attached to a word."""


def _tagged_words(text: str) -> Iterator[re.Match[str]]:
    """Words with bars; further ones may follow without a blank."""
    for start in _WORD_START.finditer(text):
        found = _TAGGED_WORD.match(text, start.start())
        while found is not None:
            yield found
            found = _TAGGED_WORD.match(text, found.end())


def _parse_words(text: str) -> Marked:
    """Mentions of a text whose words have tags; each entity has a stack of its own."""
    tags, opened = _Tags(text), defaultdict[str, list[int]](list)
    for found in _STRAY_TAG.finditer(text):
        tags.doubt(found.start(), *found.span(), "not attached to a word: dropped")
    for found in _tagged_words(text):
        bar, tagged = found.end("word"), found["tags"].rstrip(",")
        written = [_WORD_TAG.fullmatch(tag) for tag in re.split(r"[,|]", tagged) if tag != ""]
        if not any(tag and (tag["open"] or tag["close"]) for tag in written):
            if found["word"] and (rest := _REST.match(text, bar + 1)):
                tags.doubt(bar, found.start(), rest.end(), _INVALID)
            continue
        stop = bar + 1 + len(tagged)  # punctuation after the tags is the text's
        tags.cut(bar, stop)
        if not found["word"]:
            tags.fault(bar, stop, "no word before the tag: dropped")
            continue
        for tag in written:
            if tag is not None and tag["spelling"]:
                tags.fault(found.start(), stop, f"read as e{tag['label']}")
            if tag is None or not (tag["open"] or tag["close"]):
                tags.fault(found.start(), stop, _INVALID)
            elif tag["open"] and tag["close"]:
                tags.mentions.append((found.start(), bar, tag["label"]))
            elif tag["open"]:
                opened[tag["label"]].append(found.start())
            elif opened[tag["label"]]:
                tags.mentions.append((opened[tag["label"]].pop(), bar, tag["label"]))
            else:
                tags.fault(found.start(), stop, _NOT_OPENED)
    for begins in opened.values():
        for begin in begins:
            tags.fault(begin, begin + 20, _NOT_CLOSED)
    return tags.stripped()


_UNMARKED = r"(?:[A-Za-z]{1,20}[_-]?)?[0-9]{1,9}"
"""An entity id in a link that lacks its #."""
_LABEL = r"[0-9]+|\d+|[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
"""An entity id that text may follow at once, as in scripts without blanks."""
_OTHER = r"(?P<other><[ \t]?/?[ \t]?[Mm](?:[ \t/][^<>\n]{0,40})?>)"
"""Text that resembles the tag of a mention."""
_ELEMENT = r"(?:entity|mention|coref|ent)"

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            "crac-text",
            "CRAC text, one document per line: word|[e1 … word|e1]",
            _TAGGED_WORD,
            re.compile(r"\S\|(?:\[[A-Za-z]?[0-9]+\]?|[A-Za-z]?[0-9]+\])(?![A-Za-z0-9])"),
            "|",
            lambda label: f"[e{label}",
            lambda label: f"e{label}]",
            lines=False,
            crosses=True,
        ),
        Dialect(
            "markdown",
            "Tagged text with links: [Tom](#1)",
            re.compile(
                r"(?P<escape>\\(?=[\[\]]))(?:[\[\]])"
                r"|(?P<open>\[)"
                r"|\](?P<blank>[ \t]?)\(#(?:(?P<label>[^()\[\]\n]{1,80}?)\)"
                r"|(?P<cut>[^\s()\[\]]{0,80})\)?)"
                rf"|\]\((?P<unmarked>{_UNMARKED})\)|(?P<close>\])"
            ),
            re.compile(rf"\][ \t]?\(#[^()\[\]\n]{{1,80}}\)|\]\({_UNMARKED}\)"),
            "[]\\",
            lambda label: "[",
            lambda label: f"](#{label})",
            brackets=True,
        ),
        Dialect(
            "xml-m",
            "Tagged text of CorefInst: <m>Tom</m>#1",
            re.compile(
                rf"(?P<open><[Mm]>)|(?P<close></[Mm]>)(?:[ \t]?#(?P<label>{_LABEL}))?"
                rf"|(?P<zero></?[Zz]/?>)(?:@(?P<node>{_LABEL}))?|{_OTHER}"
            ),
            re.compile(r"</m>[ \t]?#\w|</z>@\w"),
            "<",
            lambda label: "<m>",
            lambda label: f"</m>#{label}",
            lambda label: f"</z>@{label}",
        ),
        Dialect(
            "xml-entity",
            'Tagged text with elements: <entity id="1">Tom</entity>',
            re.compile(
                rf"(?P<open><{_ELEMENT}\s[^<>\n]{{0,80}}?\bid\s?=\s?[\"']?(?P<id>[^<>\"'\s/]{{1,80}})"
                rf"[\"']?[^<>\n]{{0,80}}>)|(?P<close></{_ELEMENT}>)"
                rf"|(?P<other></?{_ELEMENT}(?:\s[^<>\n]{{0,80}})?>)",
                re.IGNORECASE,
            ),
            re.compile(rf"<{_ELEMENT}\s[^<>\n]{{0,80}}?\bid\s?=", re.IGNORECASE),
            "<",
            lambda label: f'<entity id="{label}">',
            lambda label: "</entity>",
        ),
        Dialect(
            "seq2seq",
            "Tagged text of sequence-to-sequence models: <m> Tom | 1 </m>",
            re.compile(
                rf"(?P<open><[Mm]>)|(?P<close>(?:\|\s{{0,3}}(?P<label>[^|<>\s]{{1,80}})\s{{0,3}})?"
                rf"</[Mm]>)|{_OTHER}"
            ),
            re.compile(r"\|\s{0,3}[^|<>\s]{1,80}\s{0,3}</m>"),
            "<|",
            lambda label: "<m> ",
            lambda label: f" | {label} </m>",
        ),
        Dialect(
            "brackets",
            "Tagged text with brackets: [Tom]_1 or (Tom)_{1}",
            re.compile(
                r"(?P<escape>\\(?=[\[\]()]))(?:[\[\]()])|(?P<open>[\[(])"
                rf"|(?P<close>[\])])(?:_(?:\{{(?P<braced>[^{{}}\n]{{1,80}})\}}|(?P<label>{_LABEL}))"
                r"|(?P<subscript>[\u2080-\u2089]{1,18}))?"
            ),
            re.compile(r"[\])](?:_(?:\{[^{}\n]{1,80}\}|\d)|[\u2080-\u2089])"),
            "[]()\\",
            lambda label: "[",
            lambda label: f"]_{label}",
            brackets=True,
        ),
    )
}
"""The dialects by name."""


def dialect_named(name: str) -> Dialect:
    """The dialect of this name."""
    return DIALECTS[choose("a dialect", name, tuple(DIALECTS))]


def dialect_of(text: str) -> Dialect | None:
    """The dialect whose tags a text has most of; None if it has none of any."""
    counts = {name: len(dialect.hint.findall(text)) for name, dialect in DIALECTS.items()}
    best = max(counts, key=lambda name: counts[name])
    return DIALECTS[best] if counts[best] else None
