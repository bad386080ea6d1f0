"""Mentions that an answer lists as strings: JSON of any shape, and lists in prose.

JSON is read leniently: comments, trailing commas, literals of Python, and values that are cut off,
of which the complete parts count. One walker looks for lists of mentions in the value.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from corefine.corpus.document import connected_components


@dataclass(frozen=True, slots=True)
class Quote:
    """A mention as an answer gives it: its words and, if stated, their place."""

    text: str
    sentence: int | None = None
    occurrence: int | None = None
    start: int | None = None
    """Character or token at which the mention begins."""
    loose: bool = False
    """True if it was found by the separators around it, which the mention may have too."""
    is_name: bool = False
    """True if it names an entity, and need not be one of its mentions."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Mentions of one entity, and the name that the answer gives it."""

    quotes: tuple[Quote, ...]
    name: str = ""
    doubtful: bool = False
    """True if it may be a remark instead of a cluster."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The clusters of an answer, and what it looks like."""

    clusters: tuple[Cluster, ...]
    shape: str
    """``JSON``, ``list``, ``table`` or ``questions``."""
    cut: bool = False
    """True if the answer ends in the middle."""

    @property
    def size(self) -> int:
        """Number of mentions."""
        return sum(len(cluster.quotes) for cluster in self.clusters)


# --- JSON -----------------------------------------------------------------------------------------

_JSON = re.compile(
    r"[\[{(]\s*[\"'\u201c\u201d\[{(]|[\[{]\s*(?:-?\d+\s*[,:]|[}\]]|//|/\*|#[^\n]*\n)|\{\s*\w+\s*:"
)
_TOKEN = re.compile(
    r"\s*(?:(?P<comment>//[^\n]*|\#[^\n]*|/\*.*?\*/|\.\.\.|\u2026)"
    r"|(?P<double>\"(?:[^\"\\]|\\.)*\")|'(?P<single>(?:[^'\\]|\\.|'(?!\s*[,\]}):]))*)'"
    r"|[\u201c\u201d](?P<curly>[^\u201c\u201d]*)[\u201c\u201d]|(?P<sign>[\[\]{}(),:])|(?P<word>[^\s\[\]{}(),:\"'\u201c\u201d]+))",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": ""}
_LITERALS = {"null": None, "None": None, "true": True, "True": True, "false": False, "False": False}


class _Bare(str):
    """A value without quotes, which is no mention."""

    __slots__ = ()


class _Key(NamedTuple):
    """A key, which precedes its value."""

    name: str


DEEPEST = 40
"""Depth of nested values, beyond which a text is not JSON."""


def json_values(text: str) -> tuple[list[Any], bool]:
    """The JSON values in a text, in order, and true if the last one is cut off."""
    values, place, complete = [], 0, True
    while complete and (found := _JSON.search(text, place)):
        value, place, complete = _json_value(text, found.start())
        values.append(value)
    return values, not complete


def _json_value(text: str, place: int) -> tuple[Any, int, bool]:
    """The value that starts at a place, its end, and true if it is complete."""
    opened: list[tuple[str, list[Any]]] = [("", [])]
    while found := _TOKEN.match(text, place):
        place, sign, kind, items = found.end(), found["sign"] or "", found.lastgroup, opened[-1][1]
        if sign in ("[", "{", "("):
            if len(opened) > DEEPEST:
                return [], len(text), False
            opened.append((sign, []))
        elif sign in ("]", "}", ")"):
            _close(opened)
            if len(opened) == 1:
                return opened[0][1][0], place, True
        elif sign == ":" and items and not isinstance(items[-1], _Key):
            name = items.pop()
            items.append(_Key(name if isinstance(name, str) else str(name)))
        elif not sign and kind != "comment":
            items.append(_scalar(str(kind), found))
    while len(opened) > 1:
        _close(opened)
    return opened[0][1][0], len(text), False


def _close(opened: list[tuple[str, list[Any]]]) -> None:
    """Add the innermost object or list to the one around it; a repeated key gets a number.

    What is between braces is a list if it has no keys, as a set in Python.
    """
    sign, items = opened.pop()
    values = [item for item in items if not isinstance(item, _Key)]
    if sign != "{" or len(values) == len(items):
        opened[-1][1].append(values)
        return
    found, key = dict[str, Any](), ""
    for item in items:
        if isinstance(item, _Key):
            key = item.name
        else:
            found[f"{key} {len(found)}" if key in found else key] = item
            key = ""
    opened[-1][1].append(found)


def _scalar(kind: str, found: re.Match[str]) -> Any:
    """The value of a token: a text, a number, a literal, or a word without quotes."""
    text = found[kind]
    if kind == "word":
        if text in _LITERALS:
            return _LITERALS[text]
        return int(text) if re.fullmatch(r"-?\d{1,18}", text) else _Bare(text)
    text = _ESCAPE.sub(
        lambda one: chr(int(one[1], 16)) if one[1] else _CONTROLS.get(one[2], one[2]),
        text[1:-1] if kind == "double" else text,
    )
    # Characters outside the basic plane are escaped as two halves.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# --- the walker -----------------------------------------------------------------------------------

_TEXTS = ("text", "mention", "string", "surface", "phrase", "expression", "span", "word", "quote",
          "value", "token", "form", "content", "pronoun", "name", "anaphor", "mention1", "source",
          "mentiontext", "spantext", "surfaceform", "mentionstring")  # fmt: skip
_IDS = ("cluster", "clusterid", "entity", "entityid", "chain", "chainid", "coref", "corefid",
        "group", "groupid", "set", "label", "referent", "id", "entitynumber", "cid")  # fmt: skip
_LISTS = ("mentions", "references", "coreferences", "expressions", "members", "strings", "spans",
          "corefs", "aliases", "occurrences", "refs", "coreferents", "surfaceforms", "texts",
          "referringexpressions", "mentionlist", "items", "tokens", "phrases")  # fmt: skip
_NAMES = ("name", "entity", "canonical", "canonicalname", "representative", "entityname", "label",
          "referent", "head", "title", "id", "entityid", "cluster", "clusterid")  # fmt: skip
_ANTECEDENTS = ("antecedent", "refersto", "referent", "coreferswith", "resolvedto", "answer",
                "mention2", "target")  # fmt: skip
_SENTENCES = ("sentence", "sent", "sentenceid", "sentenceindex", "sentencenumber", "sentid", "line")
_OCCURRENCES = ("occurrence", "nth", "occurrencenumber", "occurrenceindex", "instance")
_STARTS = ("start", "begin", "startchar", "charstart", "starttoken", "tokenstart", "startoffset",
           "startindex", "startposition", "offset", "position", "span", "offsets", "charspan",
           "tokenspan", "indices", "index", "from")  # fmt: skip
LONGEST = 1000
"""Number of characters of the longest mention."""


def _plain(key: object) -> str:
    """A key as it is compared: in lower case, and without signs and blanks."""
    return re.sub(r"[\W_]", "", str(key)).casefold()


def _plain_keys(record: Mapping[str, Any]) -> dict[str, Any]:
    return {_plain(key): value for key, value in record.items()}


def _first(record: Mapping[str, Any], keys: Sequence[str], kind: Any) -> Any:
    """The first value of this type under one of the keys."""
    found = (record[key] for key in keys if key in record)
    return next((one for one in found if isinstance(one, kind) and one is not True), None)


def _quote(value: object) -> Quote | None:
    """The mention that a value describes; None for other values."""
    if isinstance(value, str):
        is_mention = value.strip() and len(value) <= LONGEST and not isinstance(value, _Bare)
        return Quote(value.strip()) if is_mention else None
    if isinstance(value, list):
        texts = [one for one in value if isinstance(one, str) and not isinstance(one, _Bare)]
        numbers = [one for one in value if isinstance(one, int)]
        if len(texts) == 1 and numbers and len(value) == 1 + len(numbers) <= 3:
            return Quote(texts[0].strip(), start=numbers[0]) if texts[0].strip() else None
        return None
    if not isinstance(value, dict):
        return None
    record = _plain_keys(value)
    text = _first(record, _TEXTS, str)
    for one in list(record.values()):
        if isinstance(one, dict):  # as in {"span": {"start": 0, "end": 4}}
            record = _plain_keys(one) | record
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        if not all(isinstance(number, int) for number in inner):
            return None
    if not text or not text.strip():
        return None
    sentence, occurrence = _number(record, _SENTENCES), _number(record, _OCCURRENCES)
    return Quote(text.strip(), sentence, occurrence, _number(record, _STARTS))


def _number(record: Mapping[str, Any], keys: Sequence[str]) -> int | None:
    """The first whole number under one of the keys, or at the beginning of a list."""
    given = (record[key] for key in keys if key in record)
    firsts = (one[:1] if isinstance(one, list) else [one] for one in given)
    numbers = (str(one) for first in firsts for one in first)
    return next((int(one) for one in numbers if re.fullmatch(r"\d{1,9}", one)), None)


def _list_of_mentions(value: object) -> tuple[Quote, ...]:
    """The mentions of a list; empty if a value is anything else."""
    if not isinstance(value, list):
        return ()
    quotes = [_quote(one) for one in value if one is not None]
    return tuple(one for one in quotes if one) if all(quotes) else ()


def clusters_in(value: object, name: str = "") -> list[Cluster]:
    """The clusters of a JSON value: all lists of mentions that it holds."""
    if isinstance(value, dict):
        return _clusters_of_object(value)
    if not isinstance(value, list):
        return []
    records = [_plain_keys(one) for one in value if isinstance(one, dict)]
    if records and len(records) == len(value):
        if linked := _linked(records):
            return linked
        if labelled := _labelled(value, records):
            return labelled
    if quotes := _list_of_mentions(value):
        return [Cluster(quotes, name)]
    return [cluster for one in value for cluster in clusters_in(one)]


def _clusters_of_object(value: Mapping[str, Any]) -> list[Cluster]:
    record = _plain_keys(value)
    lists = {key: _list_of_mentions(one) for key, one in record.items()}
    lists = {key: quotes for key, quotes in lists.items() if quotes}
    name = _first(record, _NAMES, (str, int))
    wanted = [key for key in _LISTS if key in lists] or (list(lists) if name is not None else [])
    if wanted and not (name is None and len(lists) > 1 and len(value) == len(lists)):
        records = [one for key in wanted[:1] for one in record[key] if isinstance(one, dict)]
        if records and name is None and (found := clusters_in(record[wanted[0]])):
            return found
        quotes = tuple(quote for key in wanted for quote in lists[key])
        return [Cluster(quotes, "" if name is None else str(name))]
    nested = any(isinstance(one, dict | list) for one in value.values())
    if not nested and any(isinstance(one, _Bare) for pair in value.items() for one in pair):
        return []
    if value and all(isinstance(one, int) and not isinstance(one, bool) for one in value.values()):
        rows = [(Quote(str(key).strip()), str(one)) for key, one in value.items()]
        return _grouped(rows)
    if not lists and record and all(isinstance(one, str) for one in record.values()):
        pairs = _linked([{"mention": key, "antecedent": one} for key, one in value.items()])
        return pairs if not set(record) & {*_TEXTS, *_NAMES} else []
    deep = [(key, one) for key, one in value.items() if not _list_of_mentions(one)]
    found = [cluster for _, one in deep for cluster in clusters_in(one)]
    return found or [
        cluster for key, one in value.items() for cluster in clusters_in(one, str(key).strip())
    ]


def _grouped(rows: Sequence[tuple[Quote, str]]) -> list[Cluster]:
    """Clusters of the mentions with the same label."""
    found: dict[str, list[Quote]] = {}
    for quote, label in rows:
        found.setdefault(label.casefold(), []).append(quote)
    return [Cluster(tuple(quotes)) for quotes in found.values()]


def _labelled(values: Sequence[Any], records: Sequence[Mapping[str, Any]]) -> list[Cluster]:
    """Clusters of mentions that each have an entity id; empty if they have none."""
    quotes = [_quote(one) for one in values]
    for key in _IDS:
        labels = [_first(record, [key], (str, int)) for record in records]
        if None in quotes or None in labels or (key == "id" and len(set(labels)) == len(labels)):
            continue
        return _grouped(
            [(quote, str(label)) for quote, label in zip(quotes, labels, strict=True) if quote]
        )
    return []


def _linked(records: Sequence[Mapping[str, Any]]) -> list[Cluster]:
    """Clusters of mentions that each have an antecedent; empty if no record has one.

    The same antecedent is one mention, or the anaphor of an earlier record.
    """
    keys = [key for key in _ANTECEDENTS if any(key in record for record in records)]
    quotes, known, pairs = list[Quote](), dict[str, int](), list[tuple[int, int]]()
    for record in records:
        anaphor = _quote({key: one for key, one in record.items() if key not in keys})
        antecedent = _first(record, keys, str)
        antecedent = (antecedent or "").strip()
        if anaphor is None or not antecedent:
            continue
        if antecedent not in known:
            known[antecedent] = len(quotes)
            quotes.append(Quote(antecedent, is_name=True))
        if anaphor.text == antecedent and quotes[known[antecedent]].is_name:
            quotes[known[antecedent]] = anaphor
            continue
        pairs.append((len(quotes), known[antecedent]))
        known.setdefault(anaphor.text, len(quotes))
        quotes.append(anaphor)
    roots = connected_components(len(quotes), pairs)
    return _grouped([(quote, str(root)) for quote, root in zip(quotes, roots, strict=True)])


def _walk(value: Any) -> Iterator[object]:
    """A JSON value and all values in it."""
    yield value
    inner = value.values() if isinstance(value, dict) else value
    for one in inner if isinstance(value, dict | list) else ():
        yield from _walk(one)


def _mentions_by_id(value: object) -> dict[str, Any]:
    """The mentions of a value that assigns ids to mentions; empty for other values."""
    if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
        return value if all(re.fullmatch(r"\w{0,10}\d+", key) for key in value) else {}
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return {}
    ids = [_first(_plain_keys(row), ("id", "mentionid", "mid"), (str, int)) for row in value]
    distinct = None not in ids and len(set(ids)) == len(ids)
    return (
        dict(zip(map(str, ids), value, strict=True)) if distinct and all(map(_quote, value)) else {}
    )


def _resolved(value: object) -> object:
    """A value whose lists of mentions' ids are lists of the mentions themselves."""
    known = {key: row for one in _walk(value) for key, row in _mentions_by_id(one).items()}

    def are_ids(one: object) -> bool:
        return (
            isinstance(one, list)
            and one != []
            and all(isinstance(each, str | int) and str(each) in known for each in one)
        )

    def resolved(one: Any) -> Any:
        if _mentions_by_id(one):
            return []
        if are_ids(one):
            return [known[str(each)] for each in one]
        if isinstance(one, dict):
            return {key: resolved(each) for key, each in one.items()}
        return list(map(resolved, one)) if isinstance(one, list) else one

    return resolved(value) if any(map(are_ids, _walk(value))) else value


_ELEMENTS = re.compile(
    r"<(\w+)(?:\s[^<>]{0,200})?>((?:\s*<(\w+)(?:\s[^<>]{0,200})?>[^<>]*</\3>)+)\s*</\1>"
)
"""An element of XML that holds nothing but elements with text."""


def _elements(text: str) -> list[Cluster]:
    """Clusters of elements of XML whose children are their mentions."""
    children = (re.findall(r">\s*([^<>]*?)\s*</", found[2]) for found in _ELEMENTS.finditer(text))
    clusters = [Cluster(tuple(Quote(each) for each in mentions if each)) for mentions in children]
    return [one for one in clusters if one.quotes]


# --- prose ----------------------------------------------------------------------------------------

_BULLET = re.compile(
    r"\s{0,40}(?:[-*+\u2022\u25e6\u2013\u2023]|\(?\d{1,3}[.):]|\(?[A-Za-z][.)])[ \t]+"
)
_LABELLED = re.compile(
    r"(?P<label>[^:\uff1a=\u2192\"\u201c?]{1,80}?)[*_` \t]*"
    r"(?::|\uff1a|=|\u2192|->|=>| \u2013 | \u2014 | - )[*_` \t]*(?P<rest>.*)"
)
_GENERIC = re.compile(
    r"(?:(?:coreference|coref|entity|mention)[ _-]?)?(?:entity|cluster|chain|group|referent|person|"
    r"character|set|class|coref\w*|object|e|c)?[ _#-]*(?:\d+|[A-Za-z])?",
    re.IGNORECASE,
)
"""A heading that names no entity: Entity 1, Cluster A, E3."""
_QUOTED = re.compile(
    r"\"([^\"\n]+)\"|\u201c([^\u201c\u201d\n]+)\u201d|\u00ab([^\u00ab\u00bb\n]+)\u00bb|`([^`\n]+)`|\u300c([^\u300c\u300d\n]+)\u300d"
    r"|(?<!\w)['\u2018]((?:[^'\u2018\u2019\n]|['\u2019](?=\w))+)['\u2019](?!\w)"
)
_PLACE = re.compile(
    r"^[ \t]*[(\[][^()\[\]]*?\b(?:sentence|sent\.?|line|s)[ #]*(?P<sentence>\d{1,6})"
    r"(?:[^()\[\]\d]+(?P<occurrence>\d{1,6}))?[^()\[\]]*[)\]]",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:who|what|which|whom|whose|where)\b[^?]{0,200}\?[ \t]*"
    r"(?:[*_]*(?:a|answer)[ \t]?\d*[.:)][*_ \t]*)?(?P<answer>.+)",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"(?P<anaphor>.{1,200}?)[*_ \t]*"
    r"(?:\b(?:refers? (?:back )?to|is coreferent with|corefers with)\b|\u2192|->|=>)"
    r"[*_ \t]*(?P<antecedent>.{1,200})",
    re.IGNORECASE,
)
_ARROW = re.compile("\u2192|->|=>")
_REMARKS = ("note", "notes", "explanation", "reasoning", "justification", "remark", "rationale")
"""Headings of text that is no list of mentions."""
_SENTENCE = re.compile(r"\b(?:sentence|line)[ #]*(\d{1,6})", re.IGNORECASE)
_CHAINED = ("\u2194", "\u27f7", "<->", "<-", "\u2190", " | ")
"""Signs between mentions that need neither a bullet nor brackets on their line."""
_SEPARATORS = (
    *_CHAINED, ";", "\uff1b", " / ", "\u2192", "->", " = ", " ~ ", "\u3001", "\uff0c", ",",
)  # fmt: skip
_AND = re.compile(r"^(?:and|und|et|y|&)\s+(?=\S)")
_MARKS = "*_` \t"
"""Markup of Markdown around words."""


def _items(text: str) -> list[Quote]:
    """The mentions on a line: quoted strings or, without quotes, what separators divide."""
    text = text.strip()
    if text.startswith(("[", "{")):
        text = text.strip("[]{}").strip()
    if quoted := list(_QUOTED.finditer(text)):
        return [_placed(found[found.lastindex or 0], text[found.end() :]) for found in quoted]
    sign = next((one for one in _SEPARATORS if one in text), None)
    found = []
    for part in [text] if sign is None else text.split(sign):
        words = part.strip() if sign is None else _AND.sub("", part.strip(), count=1)
        words = words.strip(_MARKS).rstrip(".\u3002").strip(_MARKS)
        behind = re.search(r"[ \t]{0,9}[(\[][^()\[\]]{0,300}[)\]]$", words)
        placed = _placed(words[: behind.start()], behind.group()) if behind else None
        if placed is not None and placed.sentence is not None:
            found.append(placed)
        elif words:
            found.append(Quote(words, loose=True))
    return found


def _placed(words: str, behind: str) -> Quote:
    """A mention with the sentence and occurrence that are stated after it."""
    place = _PLACE.match(behind)
    if place is None:
        return Quote(words.strip())
    sentence, occurrence = (
        None if one is None else int(one) for one in place.group("sentence", "occurrence")
    )
    return Quote(words.strip(), sentence, occurrence)


def listing_in(text: str) -> Listing | None:
    """The clusters that an answer lists, as JSON or in prose; None if it lists none."""
    return json_listing(text) or prose_listing(text)


def json_listing(text: str) -> Listing | None:
    """The clusters of the JSON in an answer; None if it has none."""
    if clusters := _elements(text):
        return Listing(tuple(clusters), "list")
    values, cut = json_values(text)
    values = [_resolved(value) for value in values]
    found = clusters_in(values[0] if len(values) == 1 else values)
    if len(values) > 1:
        best = max(map(clusters_in, values), key=_size)
        found = best if _size(best) * 2 > _size(found) else found
    if found or (not cut and len(values) == 1 and _is_empty(values[0])):
        return Listing(tuple(found), "JSON", cut)
    return None


def prose_listing(text: str) -> Listing | None:
    """The clusters of a table, of questions or of a list; None without clusters."""
    for shape, read in (("table", _table), ("questions", _questions), ("list", _list)):
        clusters = read(text)
        if clusters:
            return Listing(tuple(clusters), shape)
    return None


def _is_empty(value: object) -> bool:
    """True for a list of clusters without any, also as the only list of an object."""
    if isinstance(value, dict):
        lists = [one for one in value.values() if isinstance(one, list | dict)]
        return len(lists) == 1 and _is_empty(lists[0])
    return value == []


def settled(listing: Listing, find: Any) -> Listing:
    """The listing with its strings as the text has them.

    Remarks are left out. Names of entities become mentions if they are listed nowhere else. Strings
    that were divided at a separator of their own are joined, a last one with "and" is divided,
    names inside of mentions are left out, and pairs that share a mention are linked.
    """
    kept = [
        one
        for one in listing.clusters
        if not one.doubtful or all(find.of(quote.text).every for quote in one.quotes)
    ]
    clusters = [
        replace(one, quotes=_without_names(_as_in_text(one.quotes, find), find))
        for one in _with_names(kept, find)
    ]
    if len(clusters) > 1 and all(len(one.quotes) == 2 for one in clusters):
        return replace(listing, clusters=joined(clusters, find))
    return replace(listing, clusters=tuple(clusters))


def _with_names(clusters: list[Cluster], find: Any) -> list[Cluster]:
    """The clusters with the names of entities as mentions, if they are listed nowhere else."""
    named = [one for one in clusters if one.name and not _GENERIC.fullmatch(one.name)]
    listed = any(
        quote.text.casefold() == one.name.casefold() for one in named for quote in one.quotes
    )
    if listed or not all(find.of(one.name).every for one in named):
        return clusters
    return [
        replace(one, quotes=(Quote(one.name, is_name=True), *one.quotes)) if one in named else one
        for one in clusters
    ]


def _as_in_text(quotes: Sequence[Quote], find: Any) -> list[Quote]:
    """Strings that were divided at commas of the text joined, and the last one divided at "and"."""
    parts, found = list(quotes), list[Quote]()
    if parts and parts[-1].loose:
        first, _, second = parts[-1].text.rpartition(" and ")
        known = [bool(find.of(text).every) for text in (parts[-1].text, first, second)]
        if known == [False, True, True]:
            parts[-1:] = [replace(parts[-1], text=first), Quote(second)]
    for quote in parts:
        both = f"{found[-1].text}, {quote.text}" if found else ""
        if found and found[-1].loose and quote.loose and find.of(both).every:
            found[-1] = replace(quote, text=both)
        else:
            found.append(quote)
    return found


def _without_names(quotes: Sequence[Quote], find: Any) -> tuple[Quote, ...]:
    """Strings without the names that only occur inside of other strings."""
    others = [find.of(quote.text).every for quote in quotes if not quote.is_name]
    inside = [spans[0] for spans in others if len(spans) == 1]
    return tuple(
        quote
        for quote in quotes
        if not quote.is_name
        or not all(
            any(low <= start and stop <= high for low, high in inside)
            for start, stop in find.of(quote.text).every or [(-1, -1)]
        )
    )


def joined(clusters: Sequence[Cluster], find: Any, by_name: bool = False) -> tuple[Cluster, ...]:
    """Clusters, joined if they share a string or, by choice, a name.

    A common string links clusters if it occurs once in the text; it is then counted once.
    """
    owner: dict[str, int] = {}
    pairs = []
    for row, cluster in enumerate(clusters):
        once = [quote.text for quote in cluster.quotes if len(find.of(quote.text).exact) == 1]
        names = [f"\0{cluster.name.casefold()}"] if by_name and cluster.name else []
        pairs += [(row, owner.setdefault(text, row)) for text in (*once, *names)]
    found: dict[int, dict[str | tuple[int, int], Quote]] = defaultdict(dict)
    roots = connected_components(len(clusters), pairs)
    for row, cluster in enumerate(clusters):
        for place, quote in enumerate(cluster.quotes):
            is_once = len(find.of(quote.text).exact) == 1
            found[roots[row]].setdefault(quote.text if is_once else (row, place), quote)
    return tuple(
        Cluster(tuple(quotes.values()), clusters[row].name) for row, quotes in found.items()
    )


def _size(clusters: Sequence[Cluster]) -> int:
    return sum(len(cluster.quotes) for cluster in clusters)


def _table(text: str) -> list[Cluster]:
    """Clusters of a table: an entity and its mentions, or a mention and its entity, per row."""
    lines = [line for line in re.sub(r"\s*<br\s*/?>\s*", "; ", text).splitlines() if line.strip()]
    rows = [
        [cell.strip().strip("*`") for cell in line.strip().strip("|").split("|")]
        for line in lines
        if line.strip().startswith("|") and not re.fullmatch(r"[\s|:-]+", line)
    ] or _separated(lines)
    if len(rows) < 2 or len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
        return []
    head, *body = rows
    names = list(map(_plain, head))
    lists = [column for column, name in enumerate(names) if name in _LISTS]
    if lists:
        others = [column for column in range(len(head)) if column not in lists]
        return [Cluster(tuple(_items(row[lists[0]])), _name_of(row[others[0]])) for row in body]
    records = [dict(zip(names, row, strict=True)) for row in body]
    return _linked(records) or _labelled(records, records)


def _separated(lines: Sequence[str]) -> list[list[str]]:
    """The rows of a table with commas, semicolons or tabs; without a header, a column has ids."""
    for sign in "\t,;":
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=sign)]
        if len(rows) < 3 or {len(row) for row in rows} != {len(rows[0])} or len(rows[0]) < 2:
            continue
        names = set(map(_plain, rows[0]))
        if names & {*_TEXTS, *_LISTS} and names & {*_IDS, *_ANTECEDENTS}:
            return rows
        if len(rows[0]) == 2:
            for head, column in ((["mention", "cluster"], 1), (["cluster", "mention"], 0)):
                if all(row[column].isdecimal() for row in rows):
                    return [head, *rows]
    return []


def _questions(text: str) -> list[Cluster]:
    """Clusters of questions with answers, and of statements that X refers to Y."""
    records: list[dict[str, Any]] = []
    if any(len(_ARROW.findall(line)) > 1 for line in text.splitlines()):
        return []  # chains of mentions
    for line in re.sub(r"\?[*_ \t]*\n+\s*", "? ", text).splitlines():
        bullet = _BULLET.match(line)
        line = (line[bullet.end() :] if bullet else line).strip()
        found = _QUESTION.search(line)
        if found:
            asked = _QUOTED.search(line[: found.start("answer")])
            if asked is None:
                continue
            sentence = _SENTENCE.search(line[: found.start("answer")])
            answer = _items(found["answer"])
            record = {
                "mention": asked[asked.lastindex or 0],
                "antecedent": answer[0].text if answer else "",
            }
            records.append(record | ({"sentence": int(sentence[1])} if sentence else {}))
        elif (found := _REFERS.fullmatch(line)) and not _ARROW.search(found["antecedent"]):
            anaphor, antecedent = (_side(found[name]) for name in ("anaphor", "antecedent"))
            if anaphor and antecedent:
                records.append({"mention": anaphor.text, "antecedent": antecedent.text,
                                "sentence": anaphor.sentence})  # fmt: skip
    return _linked(records) if records else []


def _side(text: str) -> Quote | None:
    """The mention on one side of a statement; None if there are several in quotes."""
    items = _items(text)
    if len(items) < 2:
        return items[0] if items else None
    return Quote(text.strip().strip("*_` \t.")) if items[0].loose else None


def _name_of(label: str) -> str:
    """The name of an entity in a heading; empty if the heading only numbers it."""
    label = label.strip("*_#` \t")
    inner = re.fullmatch(r"(.{0,200}?)\s{0,9}[(\[]\s{0,9}(.{1,200}?)\s{0,9}[)\]]", label)
    if inner:
        label = inner[2] if _GENERIC.fullmatch(inner[1].strip()) else inner[1]
    quoted = _QUOTED.fullmatch(label.strip())
    label = quoted[quoted.lastindex or 0] if quoted else label.strip("*_#` \t")
    return "" if _GENERIC.fullmatch(label) else label


def _groups(text: str) -> list[tuple[Quote, ...]]:
    """The mentions on a line, by the brackets around them if it has several."""
    groups = re.findall(r"[\[{(]([^\[\]{}()]+)[\]})]", text)
    lines = groups if len(groups) > 1 and text[:1] in "[{(" else [text]
    return [tuple(_items(line)) for line in lines]


def _list(text: str) -> list[Cluster]:
    """Clusters of a list: one per line, or one per heading with its mentions below."""
    clusters: list[Cluster] = []
    heading: str | None = None
    below: list[Quote] = []
    level = -1

    def close(new: str | None = None, at: int = -1) -> None:
        nonlocal heading, level
        if heading is not None and below:
            clusters.append(Cluster(tuple(below), heading))
        heading, level = new, at
        below.clear()

    for line in filter(str.strip, text.splitlines()):
        bullet = _BULLET.match(line)
        indent = len(line) - len(line.lstrip()) if bullet else -1
        content = (line[bullet.end() :] if bullet else line).strip()
        if bullet and (inner := _BULLET.match(content)):  # as in YAML: a list in a list
            close("", indent)
            below += _items(content[inner.end() :])
            continue
        marked = content.startswith("#") or content[:2] == "**"
        labelled = _LABELLED.fullmatch(content.strip("*_# \t"))
        label, rest = (labelled["label"], labelled["rest"]) if labelled else ("", "")
        numbered = bool(label) and _GENERIC.fullmatch(label.strip()) is not None
        items = _items(content)
        key = _plain(label)
        if key in _REMARKS:
            close()
        elif key in _LISTS:  # as in YAML: a name, then the mentions of the entity
            heading = heading or ""
            below += _items(rest) if rest else []
        elif key in _NAMES and rest and len(_items(rest)) == 1:
            close(_name_of(rest))
        elif heading is not None and indent > level and not numbered and (len(items) == 1 or below):
            below += items
        elif not rest and (labelled or content[:1] == "#" or (marked and content[-2:] == "**")):
            close(_name_of(label or content), indent)
        elif marked and rest and len(_items(rest)) == 1 and not bullet:
            close(_items(rest)[0].text)
        elif rest:
            close()
            doubtful = not bullet and not numbered
            name = _name_of(label)
            clusters += [Cluster(quotes, name, doubtful) for quotes in _groups(rest)]
        elif (
            bullet
            or re.fullmatch(r"[\[{(].*[\]})][,.;]?", content)
            or any(sign in content for sign in _CHAINED)
        ):
            close()
            clusters += [Cluster(quotes) for quotes in _groups(content)]
        else:
            close()
    close()
    return [cluster for cluster in clusters if cluster.quotes]
