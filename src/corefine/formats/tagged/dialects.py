"""The ways in which mentions are tagged in running text: a table of dialects, each parsed here."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from corefine.corpus.copying import TagFault
from corefine.errors import choose

ZERO = "##"
"""How an empty node begins."""

_NOT_OPENED = "closes an unopened mention: dropped"
_NOT_CLOSED = "never closed: dropped"
_NO_LABEL = "closed without an entity id: dropped"
_INVALID = "invalid tag: dropped"


def full_width(text: str, characters: str) -> str:
    """A text with these characters in their full-width form."""
    return text.translate({ord(each): ord(each) + 0xFEE0 for each in characters})


@dataclass(frozen=True, slots=True)
class Marked:
    """A text without its tags: where mentions begin and end in it, and which tags were wrong."""

    text: str
    spans: list[tuple[int, int, str]]
    """First character, the one behind the last, label."""
    faults: list[TagFault]
    cuts: list[int]
    """Where tags stood: no word reaches across one."""
    doubts: list[tuple[int, TagFault]]
    """What is a malformed tag unless the source has the sign at this character too."""


@dataclass(slots=True)
class _Tags:
    """The tags of a text: what is cut out of it, and the mentions between them."""

    text: str
    cuts: list[tuple[int, int, str]] = field(default_factory=list)
    """First character, the one behind the last, and what takes their place."""
    mentions: list[tuple[int, int, str]] = field(default_factory=list)
    faults: list[TagFault] = field(default_factory=list)
    doubts: list[tuple[int, TagFault]] = field(default_factory=list)

    def cut(self, start: int, stop: int, replacement: str = "") -> None:
        self.cuts.append((start, stop, replacement))

    def fault(self, start: int, stop: int, outcome: str) -> None:
        self.faults.append(self._fault(start, stop, outcome))

    def doubt(self, sign: int, start: int, stop: int, outcome: str) -> None:
        """A malformed tag, unless the sign at this place is one of the source."""
        self.doubts.append((sign, self._fault(start, stop, outcome)))

    def without_id(self, begin: int | None, stop: int) -> None:
        """A pair of brackets, shown with what stands in the place of an entity id."""
        if begin is None:
            self.doubt(stop - 1, stop - 1, stop, _NOT_OPENED)
            return
        behind = _NO_ID.match(self.text, stop)
        self.doubt(begin, begin, behind.end() if behind else stop, _NO_LABEL)

    def _fault(self, start: int, stop: int, outcome: str) -> TagFault:
        return TagFault(" ".join(self.text[start : min(stop, start + 80)].split()), start, outcome)

    def stripped(self) -> Marked:
        """The text without the tags, and the places of the mentions in it."""
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
    """What malformed tags are ordered by."""
    return fault.character


_NO_ID = re.compile(r"\([^()\n]{0,40}\)|<[^<>\n]{0,40}>|_\S{0,40}")
"""What a model may write behind a bracket where an entity id belongs."""
_UNMARKED = r"(?:[A-Za-z]{1,20}[_-]?)?[0-9]{1,9}"
"""An entity id in a link that lacks its #."""
_MARKDOWN = re.compile(
    r"(?P<escape>\\(?=[\[\]]))(?:[\[\]])"
    r"|(?P<open>\[)"
    r"|\](?P<blank>[ \t]?)\(#(?:(?P<label>[^()\[\]\n]{1,80}?)\)|(?P<cut>[^\s()\[\]]{0,80})\)?)"
    rf"|\]\((?P<unmarked>{_UNMARKED})\)"
    r"|(?P<bare>\])"
)


def _markdown(text: str) -> Marked:
    tags, opened = _Tags(text), list[int]()
    for found in _MARKDOWN.finditer(text):
        start, stop = found.span()
        if found["escape"]:
            tags.cut(start, start + 1)
        elif found["open"]:
            opened.append(start)
        elif found["bare"]:
            tags.without_id(opened.pop() if opened else None, stop)
        else:
            tags.cut(start, stop)
            if not opened:
                tags.fault(start, stop, _NOT_OPENED)
                continue
            begin = opened.pop()
            tags.cut(begin, begin + 1)
            label = (found["label"] or found["unmarked"] or "").strip()
            if not label and found["cut"] and stop < len(text):
                label = found["cut"]
                tags.fault(start, stop, f"not closed: read as #{label}")
            elif found["unmarked"]:
                tags.fault(start, stop, f"no # before the entity id: read as #{label}")
            elif label and found["blank"]:
                tags.fault(start, stop, f"blank inside the tag: read as #{label}")
            if label:
                tags.mentions.append((begin + 1, start, label))
            else:
                tags.fault(start, stop, _NO_LABEL)
    for begin in opened:
        tags.doubt(begin, begin, begin + 20, _NOT_CLOSED)
    return tags.stripped()


_LABEL = r"[0-9]+|\d+|[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
"""An entity id that text may follow at once, as in scripts without blanks."""
_OTHER = r"(?P<other><[ \t]?/?[ \t]?[Mm](?:[ \t/][^<>\n]{0,40})?>)"
"""What looks like the tag of a mention and is none."""
_XML = re.compile(
    rf"(?P<open><[Mm]>)|</[Mm]>(?:[ \t]?#(?P<label>{_LABEL}))?|</?[Zz]/?>(?:@(?P<zero>{_LABEL}))?"
    rf"|{_OTHER}"
)


def _xml(text: str) -> Marked:
    tags, opened = _Tags(text), list[int]()
    for found in _XML.finditer(text):
        start, stop = found.span()
        if found["open"]:
            opened.append(start)
        elif found["other"]:
            tags.doubt(start, start, stop, _INVALID)
        elif "z" in found.group()[:3].lower():
            tags.cut(start, stop, f" {ZERO} ")
            if found["zero"]:
                tags.mentions.append((start, stop, found["zero"]))
            else:
                tags.fault(start, stop, _NO_LABEL)
        else:
            _close(tags, opened, 3, start, stop, found["label"])
    _unclosed(tags, opened, 3)
    return tags.stripped()


_SEQ2SEQ = re.compile(
    rf"(?P<open><[Mm]>)|(?:\|\s{{0,3}}(?P<label>[^|<>\s]{{1,80}})\s{{0,3}})?</[Mm]>|{_OTHER}"
)


def _seq2seq(text: str) -> Marked:
    tags, opened = _Tags(text), list[int]()
    for found in _SEQ2SEQ.finditer(text):
        if found["open"]:
            opened.append(found.start())
        elif found["other"]:
            tags.doubt(found.start(), *found.span(), _INVALID)
        else:
            _close(tags, opened, 3, *found.span(), found["label"])
    _unclosed(tags, opened, 3)
    return tags.stripped()


def _close(
    tags: _Tags, opened: list[int], width: int, start: int, stop: int, label: str | None
) -> None:
    """End the mention that was opened last."""
    tags.cut(start, stop)
    if not opened:
        tags.fault(start, stop, _NOT_OPENED)
        return
    begin = opened.pop()
    tags.cut(begin, begin + width)
    if label:
        tags.mentions.append((begin + width, start, label))
    else:
        tags.fault(start, stop, _NO_LABEL)


def _unclosed(tags: _Tags, opened: list[int], width: int) -> None:
    for begin in opened:
        tags.cut(begin, begin + width)
        tags.fault(begin, begin + 20, _NOT_CLOSED)


_BRACKETS = re.compile(
    r"(?P<escape>\\(?=[\[\]()]))(?:[\[\]()])"
    r"|(?P<open>[\[(])"
    rf"|(?P<close>[\])])(?:_(?:\{{(?P<braced>[^{{}}\n]{{1,80}})\}}|(?P<plain>{_LABEL}))"
    r"|(?P<subscript>[\u2080-\u2089]+))?"
)
_PARTNER = {"]": "[", ")": "("}


def _brackets(text: str) -> Marked:
    tags, opened = _Tags(text), defaultdict[str, list[int]](list)
    used = {"["}  # round brackets are mostly the text's own
    bare: list[tuple[str, int | None, int]] = []
    for found in _BRACKETS.finditer(text):
        start, stop = found.span()
        if found["escape"]:
            tags.cut(start, start + 1)
            continue
        if found["open"]:
            opened[found["open"]].append(start)
            continue
        label = (found["braced"] or found["plain"] or "").strip()
        if found["subscript"]:
            label = str(int(unicodedata.normalize("NFKC", found["subscript"])))
        opening = _PARTNER[found["close"]]
        before = opened[opening]
        if label:
            used.add(opening)
            _close(tags, before, 1, start, stop, label)
        else:
            bare.append((opening, before.pop() if before else None, stop))
    for opening, begins, stop in bare:
        if opening in used:
            tags.without_id(begins, stop)
    for opening in used:
        for begin in opened[opening]:
            tags.doubt(begin, begin, begin + 20, _NOT_CLOSED)
    return tags.stripped()


# Sought from the beginnings of words alone, or a long one without a bar would be looked at from
# each of its characters on.
_CRAC_BAR = re.compile(r"(?<!\S)[^\s|]*\|")
_CRAC_WORD = re.compile(r"(?P<word>[^\s|]*)\|(?P<tags>[A-Za-z0-9_\[\],|]*)")
_CRAC_REST = re.compile(r"\S{1,40}")
_CRAC_TAG = re.compile(r"(?P<open>\[?)e?(?P<label>\w+)(?P<close>\]?)")


def _crac_words(text: str) -> Iterator[re.Match[str]]:
    """Words with bars; further ones may follow without a blank."""
    for start in _CRAC_BAR.finditer(text):
        found = _CRAC_WORD.match(text, start.start())
        while found is not None:
            yield found
            found = _CRAC_WORD.match(text, found.end())


def _crac(text: str) -> Marked:
    tags, opened = _Tags(text), defaultdict[str, list[int]](list)
    for found in _crac_words(text):
        bar, tagged = found.end("word"), found["tags"].rstrip(",")
        written = [_CRAC_TAG.fullmatch(tag) for tag in re.split(r"[,|]", tagged) if tag != ""]
        if not any(tag and (tag["open"] or tag["close"]) for tag in written):
            if found["word"] and (rest := _CRAC_REST.match(text, bar + 1)):
                tags.doubt(bar, found.start(), rest.end(), _INVALID)
            continue
        stop = bar + 1 + len(tagged)  # punctuation behind the tags is the text's
        tags.cut(bar, stop)
        if not found["word"]:
            tags.fault(bar, stop, "no word before the tag: dropped")
            continue
        for tag in written:
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


@dataclass(frozen=True, slots=True)
class Dialect:
    """How mentions are tagged: read from a text, and written around words."""

    name: str
    title: str
    parse: Callable[[str], Marked]
    hint: re.Pattern[str]
    """A tag that no other dialect has."""
    special: str
    """Characters that would be read as tags: in a word they are written in their full-width form,
    which is the same after Unicode normalisation."""
    opening: Callable[[str], str]
    closing: Callable[[str], str]
    zero: Callable[[str], str] | None = None
    """A mention that is an empty node, where it has a tag of its own."""
    lines: bool = True
    """Whether sentences stand on lines of their own."""
    crosses: bool = False
    """Whether mentions may cross."""


DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            "crac-text",
            "CRAC text, one document per line: word|[e1 … word|e1]",
            _crac,
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
            _markdown,
            re.compile(rf"\][ \t]?\(#[^()\[\]\n]{{1,80}}\)|\]\({_UNMARKED}\)"),
            "[]\\",
            lambda label: "[",
            lambda label: f"](#{label})",
        ),
        Dialect(
            "xml-m",
            "Tagged text of CorefInst: <m>Tom</m>#1",
            _xml,
            re.compile(r"</m>[ \t]?#\w|</z>@\w"),
            "<",
            lambda label: "<m>",
            lambda label: f"</m>#{label}",
            lambda label: f"</z>@{label}",
        ),
        Dialect(
            "seq2seq",
            "Tagged text of sequence-to-sequence models: <m> Tom | 1 </m>",
            _seq2seq,
            re.compile(r"\|\s{0,3}[^|<>\s]{1,80}\s{0,3}</m>"),
            "<|",
            lambda label: "<m> ",
            lambda label: f" | {label} </m>",
        ),
        Dialect(
            "brackets",
            "Tagged text with brackets: [Tom]_1 or (Tom)_{1}",
            _brackets,
            re.compile(r"[\])](?:_(?:\{[^{}\n]{1,80}\}|\d)|[\u2080-\u2089])"),
            "[]()\\",
            lambda label: "[",
            lambda label: f"]_{label}",
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
