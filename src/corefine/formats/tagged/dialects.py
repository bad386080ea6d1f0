"""Dialects of tagged text: tags around mentions in running text, read with one stack parser."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate

from corefine.corpus.copies import TagFault
from corefine.errors import choose

ZERO = "##"
"""Prefix of an empty node."""

_NOT_OPENED = "closes an unopened mention: dropped"
_NOT_CLOSED = "never closed: dropped"
_NO_LABEL = "closed without an entity id: dropped"
_INVALID = "invalid tag: dropped"
_NO_BEGINNING = "no beginning is marked: read as a mention of one word"


def full_width(text: str, characters: str) -> str:
    """A text with these characters in their full-width form."""
    return text.translate({ord(each): ord(each) + 0xFEE0 for each in characters})


@dataclass(frozen=True, slots=True)
class Marked:
    """A text without its tags, its mentions, and malformed tags."""

    text: str
    spans: list[tuple[int, int, str]]
    """First character, the one after the last, label."""
    cuts: list[int]
    """Positions of tags: no word continues across one."""
    faults: list[tuple[TagFault, int | None]]
    """Malformed tags by place. If one has a position, it is none if the source has the character
    there too."""

    def malformed(self, is_own: Callable[[int], bool]) -> list[TagFault]:
        """Malformed tags, except where one of their characters belongs to the source."""
        return [fault for fault, sign in self.faults if sign is None or not is_own(sign)]


@dataclass(slots=True)
class _Tags:
    """Tags of a text: what is removed from it, and the mentions between them."""

    text: str
    cuts: list[tuple[int, int, str]] = field(default_factory=list)
    """First character, the one after the last, and their replacement."""
    mentions: list[tuple[int, int, str]] = field(default_factory=list)
    faults: list[tuple[TagFault, int | None]] = field(default_factory=list)

    def cut(self, start: int, stop: int, replacement: str = "") -> None:
        self.cuts.append((start, stop, replacement))

    def fault(self, start: int, stop: int, outcome: str, sign: int | None = None) -> None:
        """Note a malformed tag, unless its sign, a position, is one of the source."""
        shown = " ".join(self.text[start : min(stop, start + 80)].split())
        self.faults.append((TagFault(shown, start, outcome), sign))

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
        # Certain faults come first where two have the same place.
        self.faults.sort(key=lambda one: (one[0].character, one[1] is not None))
        faults = [(fault, None if sign is None else place(sign)) for fault, sign in self.faults]
        return Marked(text, spans, sorted(borders), faults)


_compiled = cache(re.compile)


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way to tag mentions: a row of :data:`DIALECTS`.

    The pattern has the groups ``open`` or ``close``, either of which may hold the entity id
    (``id`` in the opening tag, ``label…`` in the closing one), ``zero`` with ``node`` (its label),
    ``word`` (a mention without an opening tag), ``escape`` (a backslash before a bracket) and
    ``other`` (resembles a tag).
    """

    name: str
    """That of a format, or the tag itself: X is the mention, 1 the entity id."""
    tag: str
    """The pattern of a tag, compiled when it is first used, since there are hundreds."""
    tag_with_id: str
    """A tag with an entity id."""
    title: str = ""
    special: str = ""
    """Characters that would be read as tags: in a word they are written in their full-width form,
    which is the same after Unicode normalisation."""
    template: str = ""
    """A mention X with the entity id 1 as it is written; empty if the dialect is only read."""
    zero: str = ""
    """A mention that is an empty node, if it has a tag of its own."""
    crosses: bool = False
    """True if tags follow words and name their mentions, so that mentions may cross, and a
    document is one line."""
    brackets: bool = False
    """True if tags are brackets or other signs that the text may have too."""
    labelled: bool = False
    """True if both tags of a mention have its entity id, by which tags are paired."""
    stacks: Mapping[str, str] = field(default_factory=dict)
    """The stack of a tag by its first character, if brackets of several shapes are tags."""
    signs: str = ""
    """Text that every answer in the dialect has."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """A tag."""
        return _compiled(self.tag)

    @property
    def hint(self) -> re.Pattern[str]:
        """A tag with an entity id."""
        return _compiled(self.tag_with_id)

    def parse(self, text: str) -> Marked:
        """Mentions of a text."""
        if self.crosses:
            return _parse_words(text)
        tags = _Tags(text)
        opened: dict[str, list[re.Match[str]]] = {}
        bare: list[tuple[re.Match[str] | None, re.Match[str]]] = []
        # Round brackets are mostly the text's own.
        used = {self.stacks.get("[", "")}
        for found in self.pattern.finditer(text):
            start, stop = found.span()
            groups = found.groupdict()
            if groups.get("escape"):
                tags.cut(start, start + 1)
            elif groups.get("other"):
                tags.fault(start, stop, _INVALID, sign=start)
            elif groups.get("zero") is not None:
                tags.cut(start, stop, f" {ZERO} ")
                if groups["node"]:
                    tags.mentions.append((start, stop, groups["node"]))
                else:
                    tags.fault(start, stop, _NO_LABEL)
            elif groups.get("word"):
                tags.cut(found.end("word"), stop)
                tags.mentions.append((start, found.end("word"), _label(found, None, 0)[0]))
                tags.fault(start, stop, _NO_BEGINNING)
            elif groups.get("open") or groups.get("open0"):
                opened.setdefault(self._stack(found), []).append(found)
            else:
                stack = opened.get(self._stack(found)) or _begun(opened, groups.get("ended"))
                opening = stack.pop() if stack else None
                label, fault = _label(found, opening, len(text))
                if groups.get("after") and label not in groups["after"].casefold():
                    stop = found.start("after")  # the text goes on
                if self.brackets and not label and fault is None:
                    bare.append((opening, found))
                    continue
                used.add(self._stack(found))
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
            if self._stack(found) in used:
                begin = found.end() - 1 if opening is None else opening.start()
                outcome = _NOT_OPENED if opening is None else _NO_LABEL
                tags.fault(begin, found.end(), outcome, sign=begin)
        for key in used:
            for found in opened.get(key, ()):
                start, stop = found.span()
                tags.fault(start, start + 20, _NOT_CLOSED, sign=start if self.brackets else None)
                if not self.brackets:
                    tags.cut(start, stop)
        return tags.stripped()

    def _stack(self, found: re.Match[str]) -> str:
        """Brackets of each shape and elements of each name have a stack of their own."""
        groups = found.groupdict()
        if self.labelled:
            return _plain_label(groups["id"] or groups["label"])
        element = groups.get("element") or groups.get("ended")
        return element.casefold() if element else self.stacks.get(found.group()[0], "")


def _begun(opened: Mapping[str, list[re.Match[str]]], ended: str | None) -> list[re.Match[str]]:
    """The stack of the last element whose name begins like this one: ``<E1>`` of ``</E>``."""
    begun = [
        stack
        for name, stack in opened.items()
        if ended is not None and stack and name.startswith(ended.casefold())
    ]
    return max(begun, key=lambda stack: stack[-1].start(), default=[])


def _label(
    found: re.Match[str], opening: re.Match[str] | None, size: int
) -> tuple[str, str | None]:
    """The entity id of a mention, in its closing or opening tag, and what is malformed."""
    groups = found.groupdict()
    label = next((text for name, text in groups.items() if text and name.startswith("label")), "")
    if groups.get("unmarked"):
        label = groups["unmarked"]
        return label, f"no # before the entity id: read as #{label}"
    if groups.get("cut") is not None and not label:
        cut = groups["cut"] if found.end() < size else ""
        return cut, f"not closed: read as #{cut}" if cut else _NO_LABEL
    if label and groups.get("blank"):
        return label, f"blank inside the tag: read as #{label}"
    if opening is not None and not any(map(str.isdecimal, label)):
        groups = opening.groupdict()
        own = next((text for name, text in groups.items() if text and name.startswith("id")), "")
        if not own and groups.get("element"):
            own = _element_label(groups["element"], groups.get("attributes") or "")
        label = own or label
    return _plain_label(label), None


def _plain_label(label: str) -> str:
    """An entity id without decoration: superscripts are digits, names are equal in any case."""
    label = unicodedata.normalize("NFKC", label).strip(" \t*_#\"'`").casefold()
    return label.lstrip("0") or "0" if label.isdecimal() and label.isascii() else label


_ATTRIBUTE = re.compile(
    r"([\w:-]{1,60})\s{0,9}=\s{0,9}(?:\"([^\"<>]*)\"|'([^'<>]*)'|([^\s\"'<>]+))"
)
_ID_KEYS = (
    "cluster", "entity", "chain", "coref", "group", "set", "ref", "id", "num", "index", "label",
    "name", "class", "href", "type",
)  # fmt: skip
"""Words in the names of attributes that hold an entity id, in order of precedence."""


def _element_label(name: str, attributes: str) -> str:
    """The entity id of an element: the value of an attribute, else its name, such as E1 or Tom."""
    if attributes[:1] in ("=", ":"):
        return attributes[1:].strip(" \"'")
    given = {
        found[1].casefold(): next(filter(None, found.groups()[1:]), "")
        for found in _ATTRIBUTE.finditer(attributes)
    }
    for key in _ID_KEYS:
        for attribute, value in given.items():
            if key in attribute and value and attribute not in ("mention_id", "span_id"):
                return value
    kind = name.casefold() in _KINDS and not (len(name) == 1 and name.isupper())
    return next(iter(given.values()), "" if kind else name)


_KINDS = frozenset(
    (
        "m", "mention", "entity", "ent", "coref", "cluster", "chain", "np", "span", "mark", "b",
        "i", "u", "em", "strong", "p", "q", "br", "div", "a", "person", "per", "organization",
        "org", "location", "loc", "gpe", "pronoun", "answer", "output", "result", "response",
        "text", "document",
    )
)  # fmt: skip
"""Names of elements that are no entity ids."""


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
        start, stop = found.span()
        tags.fault(start, stop, "not attached to a word: dropped", sign=start)
    for found in _tagged_words(text):
        bar, tagged = found.end("word"), found["tags"].rstrip(",")
        written = [_WORD_TAG.fullmatch(tag) for tag in re.split(r"[,|]", tagged) if tag != ""]
        if not any(tag and (tag["open"] or tag["close"]) for tag in written):
            if found["word"] and (rest := _REST.match(text, bar + 1)):
                tags.fault(found.start(), rest.end(), _INVALID, sign=bar)
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
_LABEL = r"[0-9]+|\d+|[\u0370-\u03ff]+[0-9]*|[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
"""An entity id that text may follow at once, as in scripts without blanks."""
_NUMBER = r"(?:[A-Za-z]{1,12}[_-]?|(?:[Ee]ntity|[Cc]luster|[Cc]hain) )?[0-9]{1,9}|[A-Z]"
"""An entity id that no text resembles: a number, also after a word, or a capital."""
_SMALL = "[\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u2080-\u2089]{1,9}"
"""An entity id above or below the line."""
_NAME = r"(?:\w|[ \t.'\u2019&-]){1,60}?"
"""An entity id between signs: also a name of several words."""
_KEY = (
    r"[ \t]{0,9}(?:(?:cluster|entity|chain|coref|group|referent|ref|ent|id)(?:[ _-]?id)?"
    r"[ \t]?[:=][ \t]?)?[#^.@\"']{0,2}"
)
"""A key before an entity id between signs, as in ``cluster=1`` and ``#e1``."""
_SIGN = r"[ \t]{0,9}(?:\||::?|/|,|;|#|=|@|\^|_|~|\.(?=[0-9])|->|=>|\u2192|\u21d2)[ \t]{0,9}"
"""A sign between a mention and its entity id. Runs of blanks are bounded, for linear time."""
_NAME_SIGN = r"[ \t]{0,9}(?:\||::?|#|=|@|\^|->|=>|\u2192|\u21d2)[ \t]{0,9}"
"""A sign between a name and a mention: names may have commas and underscores of their own."""
_AFTER = (
    rf"(?:\$?[_^]\{{#?(?P<label1>{_NAME})\}}\$?|\$[_^](?P<label9>\w)\$"
    rf"|(?:[ \t]?[_^#]|[@:/=~|-])[ \t]?#?(?P<label2>{_LABEL})"
    rf"|(?P<label3>{_SMALL}|(?:[A-Za-z]{{1,12}}[_-]?)?[0-9]{{1,6}}(?![^\W_])|[0-9]{{1,6}})"
    rf"|<su[bp]>(?P<label4>{_NAME})</su[bp]>"
    rf"|[ \t]?\({_KEY}(?P<label5>{_NAME})[\"']?[ \t]{{0,9}}\)|\((?P<label0>[^\s()]{{1,80}})\)"
    rf"|[ \t]?\[{_KEY}(?P<label6>{_NAME})[\"']?[ \t]{{0,9}}\]|\[\[(?P<label10>{_NAME})\]\]"
    rf"|[ \t]?\{{{_KEY}(?P<label7>{_NAME})[\"']?[ \t]{{0,9}}\}}|<(?P<label8>{_NAME})>)"
)
_LAST = (
    rf"(?:{_NAME_SIGN}{_KEY}(?P<label1>{_NAME})[\"']?|{_SIGN}{_KEY}(?P<label5>{_NUMBER})[\"']?"
    rf"|[ \t]{{1,9}}(?P<label2>{_NUMBER})"
    rf"|(?P<label3>{_SMALL})|[ \t]{{0,9}}[(\[{{]{_KEY}(?P<label4>{_NAME})[)\]}}])[ \t]{{0,9}}"
)
_FIRST = (
    rf"[ \t]{{0,9}}(?:(?P<id4>{_SMALL})[ \t]{{0,9}}"
    rf"|[#_]?(?P<id1>{_NUMBER}|[0-9]+)(?:{_SIGN}|[ \t]{{1,9}})|{_KEY}(?P<id2>{_NAME}){_NAME_SIGN}"
    rf"|[(\[{{]{_KEY}(?P<id3>{_NAME})[)\]}}][ \t]{{0,9}})"
)
_BEFORE = (
    rf"(?:(?<!\w)(?P<id1>{_NUMBER})[ \t]?[:=]?|(?P<id2>{_SMALL})"
    rf"|[(\[{{]{_KEY}(?P<id3>{_NAME})[)\]}}])[ \t]?"
)
PLACES = {
    "{}X{}1": ("", "END" + _AFTER),
    "{}X: 1{}": ("", _LAST + "END"),
    "{}1: X{}": ("BEGIN" + _FIRST, ""),
    "1{}X{}": (_BEFORE + "BEGIN", ""),
    "{}1 X 1{}": (rf"BEGIN(?:{_NUMBER})[ \t]{{1,9}}", rf"[ \t]{{1,9}}(?P<label1>{_NUMBER})END"),
}
"""The opening and the closing tag by the place of the entity id; empty without it."""
PAIRS = (
    "[ ]", "{ }", "( )", "[[ ]]", "{{ }}", "< >", "<< >>", "\u00ab \u00bb", "\u27e8 \u27e9",
    "\u3010 \u3011", "\u300c \u300d", "\u27e6 \u27e7", "** **", "__ __", "* *", "== ==", "` `",
    '" "', "\u201c \u201d", "@@ ##", "_ _", "| |", "|| ||", "@@ @@", "~~ ~~", "# #",
)  # fmt: skip
"""Signs around mentions."""


def _without(pattern: str, signs: Iterable[str]) -> str:
    """The pattern of tags whose entity ids and separators have none of the signs of mentions."""
    for sign in signs:
        pattern = pattern.replace(f"|{sign}|", "|").replace(f"|\\{sign}|", "|")
        if sign == "_":
            pattern = pattern.replace(_NAME, _NAME.replace(r"\w", r"[^\W_]"))
    return pattern


def _rows() -> Iterator[Dialect]:
    """A dialect for every pair of signs and every place of the entity id."""
    for pair in PAIRS:
        opening, closing = pair.split(" ")
        begin, end = re.escape(opening), re.escape(closing)
        if opening == closing:
            begin, end = rf"{begin}(?=\S)", rf"(?<=\S){end}"
        for name, tags_with_id in PLACES.items():
            opens, closes = (
                _without(one, {opening[0], closing[0]}).replace("BEGIN", begin).replace("END", end)
                for one in tags_with_id
            )
            tags = [f"(?P<open>{opens})"] if opens else []
            tags += [f"(?P<close>{closes})"] if closes else []
            # Signs without an entity id may be the text's own.
            tags += [f"(?P<open0>{begin})"] if begin != end or not opens else []
            tags += [f"(?P<close0>{end})"] if begin != end or not closes else []
            yield Dialect(
                name.format(opening, closing),
                "|".join(tags),
                closes or opens,
                brackets=True,
                signs=opening,
            )


_OTHER = r"(?P<other><[ \t]?/?[ \t]?[Mm](?:[ \t/][^<>\n]{0,40})?>)"
"""Text that resembles the tag of a mention."""
_ELEMENT = r"(?:entity|mention|coref|ent)"
_TAG_NAME = r"[A-Za-z0-9][\w:.-]{0,60}"


def _elements(opening: str, closing: str) -> Dialect:
    """Elements between two signs, with their entity id in an attribute, the name, or after them."""
    begin, end = re.escape(opening), re.escape(closing)
    return Dialect(
        f'{opening}X id="1"{closing}',
        rf"(?P<open>{begin}(?!think)(?P<element>{_TAG_NAME})"
        rf"(?P<attributes>[\s=:][^<>\[\]]{{0,200}})?{end})"
        rf"|(?P<close>(?:\|[ \t]*(?P<label_inside>{_NAME})[ \t]*)?"
        rf"{begin}/(?P<ended>{_TAG_NAME})?{end}"
        rf"(?P<after>(?<={end})(?![ \t]?{begin}(?!su[bp]>)){_AFTER})?)",
        rf"{begin}/(?:{_TAG_NAME})?{end}",
        signs=f"{opening}/",
    )


DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            "crac-text",
            "",
            r"\S\|(?:\[[A-Za-z]?[0-9]+\]?|[A-Za-z]?[0-9]+\])(?![A-Za-z0-9])",
            "CRAC text, one document per line: word|[e1 … word|e1]",
            "|",
            "[e1Xe1]",
            crosses=True,
            signs="|",
        ),
        Dialect(
            "markdown",
            r"(?P<escape>\\(?=[\[\]]))(?:[\[\]])"
            r"|(?P<open>\[)"
            r"|\](?P<blank>[ \t]?)\(#(?:(?P<label>[^()\[\]\n]{1,80}?)\)"
            r"|(?P<cut>[^\s()\[\]]{0,80})\)?)"
            rf"|\]\((?P<unmarked>{_UNMARKED})\)|(?P<close>\])",
            rf"\][ \t]?\(#[^()\[\]\n]{{1,80}}\)|\]\({_UNMARKED}\)",
            "Tagged text with links: [Tom](#1)",
            "[]\\",
            "[X](#1)",
            brackets=True,
            signs="](",
        ),
        Dialect(
            "xml-m",
            rf"(?P<open><[Mm]>)|(?P<close></[Mm]>)(?:[ \t]?#(?P<label>{_LABEL}))?"
            rf"|(?P<zero></?[Zz]/?>)(?:@(?P<node>{_LABEL}))?|{_OTHER}",
            r"</m>[ \t]?#\w|</z>@\w",
            "Tagged text of CorefInst: <m>Tom</m>#1",
            "<",
            "<m>X</m>#1",
            "</z>@1",
            signs="<",
        ),
        Dialect(
            "xml-entity",
            rf"(?i)(?P<open><{_ELEMENT}\s[^<>\n]{{0,80}}?\bid\s?=\s?[\"']?(?P<id>[^<>\"'\s/]{{1,80}})"
            rf"[\"']?[^<>\n]{{0,80}}>)|(?P<close></{_ELEMENT}>)"
            rf"|(?P<other></?{_ELEMENT}(?:\s[^<>\n]{{0,80}})?>)",
            rf"(?i)<{_ELEMENT}\s+id\s?=[^<>=\n]{{1,80}}>",
            'Tagged text with elements: <entity id="1">Tom</entity>',
            "<",
            '<entity id="1">X</entity>',
            signs="<",
        ),
        Dialect(
            "seq2seq",
            rf"(?P<open><[Mm]>)|(?P<close>(?:\|\s{{0,3}}(?P<label>[^|<>\s]{{1,80}})\s{{0,3}})?"
            rf"</[Mm]>)|{_OTHER}",
            r"\|\s{0,3}[^|<>\s]{1,80}\s{0,3}</m>",
            "Tagged text of sequence-to-sequence models: <m> Tom | 1 </m>",
            "<|",
            "<m> X | 1 </m>",
            signs="<",
        ),
        Dialect(
            "brackets",
            r"(?P<escape>\\(?=[\[\]()]))(?:[\[\]()])|(?P<open>[\[(])|(?P<close>[\])])"
            rf"(?:_(?:\{{(?P<label1>[^{{}}\n]{{1,80}})\}}|(?P<label2>{_LABEL}))"
            rf"|(?P<label3>{_SMALL}))?",
            rf"[\])](?:_(?:\{{[^{{}}\n]{{1,80}}\}}|\d)|{_SMALL})",
            "Tagged text with brackets: [Tom]_1 or (Tom)_{1}",
            "[]()\\",
            "[X]_1",
            brackets=True,
            stacks={"[": "[", "]": "[", "(": "(", ")": "("},
        ),
        Dialect(
            "[B-1]X[E-1]",
            rf"(?i)(?P<open>[\[<](?:B|begin|start|open)[-:_= ]?(?P<id>{_NUMBER})[\]>])[ \t]?"
            rf"|[ \t]?(?P<close>[\[<](?:E|end|stop|close)[-:_= ]?(?P<label>{_NUMBER})[\]>])",
            rf"(?i)[\[<](?:E|end|stop|close)[-:_= ]?(?:{_NUMBER})[\]>]",
            labelled=True,
        ),
        _elements("<", ">"),
        _elements("[", "]"),
        *_rows(),
        Dialect(
            "X1",
            r"(?<![^\W_])(?<![^\W_]['\u2019-])"  # a long word is searched once
            r"(?P<word>[^\W\d_][^\W_]*(?:['\u2019-][^\W_]+)*)"
            rf"(?:[_^#/]\{{?(?P<label1>{_NUMBER})\}}?(?!\w)|(?P<label2>{_SMALL})"
            rf"|<su[bp]>(?P<label3>{_NAME})</su[bp]>"
            rf"|[ \t]?[(\[{{]#?(?P<label4>{_NUMBER})[)\]}}])",
            rf"\w(?:[_^#/]\{{?(?:{_NUMBER})|{_SMALL}|<su|[ \t]?[(\[{{]#?(?:{_NUMBER})[)\]}}])",
            brackets=True,
        ),
    )
}
"""The dialects by name."""
WRITTEN = {name: dialect for name, dialect in DIALECTS.items() if dialect.template}
"""The dialects that are written as well, which are formats."""


def dialect_named(name: str) -> Dialect:
    """The dialect of this name."""
    return DIALECTS[choose("a dialect", name, tuple(DIALECTS))]


def likely_dialects(text: str) -> list[Dialect]:
    """The dialects of which a text has tags with entity ids."""
    found = [one for one in DIALECTS.values() if one.signs in text and one.hint.search(text)]
    # The tags of elements are between the signs of other dialects.
    ends = {one.signs[0] for one in found if one.signs in ("</", "[/")}
    return [one for one in found if one.template or one.signs not in ends]


def dialect_of(text: str) -> Dialect | None:
    """The dialect whose tags a text has most of; None if it has none of any."""
    likely = likely_dialects(text)
    return max(likely, key=lambda one: len(one.hint.findall(text)), default=None)


def nearest_dialect(text: str) -> Dialect:
    """The dialect with the most signs in a text."""
    return max(DIALECTS.values(), key=lambda one: text.count(one.signs) if one.signs else 0)
