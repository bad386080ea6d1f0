"""Mentions as brackets of CoNLL-U: the header, the fields of each mention, the cells of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of, ranges
from corefine.corpus.columns import Mentions
from corefine.corpus.corpus import Corpus
from corefine.formats.building.bracket_writing import counted
from corefine.formats.conllu.conllu_header import FIELDS_WITH_A_ROLE
from corefine.formats.text.nesting import crossing

_NOT_IN_ID = re.compile(r"[\x00-\x20()|=<,:\[\]-]")
_NOT_IN_VALUE = re.compile(r"[\x00-\x20()|]")
_NOT_IN_NAME = re.compile(r"[\x00-\x20-]")


@dataclass(frozen=True, slots=True)
class Parts:
    """The continuous parts of mentions, ordered by mention and place; tokens are the corpus's."""

    mention: IntArray
    first: IntArray
    last: IntArray
    number: IntArray
    """The number of a part in its mention, from 1."""
    total: IntArray


def parts_of(corpus: Corpus) -> Parts:
    """Mentions as parts; such as touch one another are one."""
    mentions, tokens = corpus.mentions, corpus.tokens
    assert tokens is not None
    mention = np.arange(len(mentions))
    start, stop = mentions.start, mentions.stop
    if mentions.pieces is not None:
        whole = np.ones(len(mentions), bool)
        whole[mentions.pieces.mention] = False
        mention = np.concatenate([mention[whole], mentions.pieces.mention])
        start = np.concatenate([start[whole], mentions.pieces.start])
        stop = np.concatenate([stop[whole], mentions.pieces.stop])
        order = np.lexsort((start, mention))
        mention, start, stop = mention[order], start[order], stop[order]
        apart = np.ones(len(mention), bool)
        apart[1:] = (mention[1:] != mention[:-1]) | (start[1:] > stop[:-1])
        begins = np.flatnonzero(apart)
        mention, start = mention[begins], start[begins]
        stop = np.maximum.reduceat(stop, begins) if len(begins) else stop
    base = tokens.offsets[mentions.document[mention]]
    total = np.bincount(mention, minlength=len(mentions))
    number = ranges(np.ones(len(mentions), np.int64), total)
    return Parts(mention, base + start, base + stop - 1, number, total[mention])


@dataclass(frozen=True, slots=True)
class Brackets:
    """All brackets of a corpus as text."""

    header: str
    ids: list[str]
    """The id of each entity as it is written."""
    cells: dict[int, str]
    """The value of Entity, by token of the corpus."""
    first_token: dict[int, int]
    """The token at which the first mention of each entity starts."""
    losses: list[str]


def brackets_of(corpus: Corpus) -> Brackets:
    """What to write for the mentions, and what cannot be written."""
    parts = parts_of(corpus)
    written = _written(corpus, parts)
    ids, renamed = _ids(corpus)
    header, values, lost = _fields(corpus, parts)
    if not written.all():
        count = int(np.count_nonzero(~written))
        lost.insert(0, f"mentions that cross another of the same entity ({count})")
    cells, first_token = _cells(corpus, parts, written, ids, values)
    return Brackets(header, ids, cells, first_token, renamed + lost)


def _opening_order(parts: Parts) -> IntArray:
    """The place of each part among all that open: by token, longest first, single words last."""
    order = np.lexsort((parts.mention, -parts.last, parts.first == parts.last, parts.first))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def _written(corpus: Corpus, parts: Parts) -> BoolArray:
    """Which mentions can be told apart from others of their entity when they are read.

    Parts with the same number must not cross. The next part of a mention is taken to belong to the
    one whose last part opened last, so the ways from part to part must not cross either.
    """
    entity = corpus.mentions.entity[parts.mention]
    most = int(parts.total.max(initial=0)) + 1
    kept = np.ones(len(corpus.mentions), bool)
    rank = _opening_order(parts)
    while True:
        rows = np.flatnonzero(kept[parts.mention])
        group = (entity[rows] * most + parts.total[rows]) * most + parts.number[rows]
        out = crossing(group, parts.first[rows], parts.last[rows])
        later = np.flatnonzero(parts.number[rows] > 1)
        out[later] |= crossing(group[later], rank[rows[later] - 1], rank[rows[later]])
        if not out.any():
            return kept
        kept[parts.mention[rows[out]]] = False


def _ids(corpus: Corpus) -> tuple[list[str], list[str]]:
    """An id for each entity: its name, or numbers for all where a name is no id; and that loss."""
    document = corpus.entities.document
    names = corpus.entities.names
    if names is not None:
        ids = names.tolist()
        wrong = [name for name in ids if not name or _NOT_IN_ID.search(name)]
        if not wrong and len(set(zip(document.tolist(), ids, strict=True))) == len(ids):
            return ids, []
        lost = listed(wrong, "name") or ["names of entities, since some are not unique"]
        return _numbers(document), [text.replace("name", "name of entities", 1) for text in lost]
    return _numbers(document), []


def _numbers(document: IntArray) -> list[str]:
    order = np.argsort(document, kind="stable")
    counts = np.bincount(document, minlength=1)
    numbers = np.empty(len(document), np.int64)
    numbers[order] = ranges(np.ones(len(counts), np.int64), counts)
    return [f"e{number}" for number in numbers.tolist()]


def listed(found: Sequence[str], noun: str) -> list[str]:
    """A loss that names how many there are and the first, if there are any."""
    return [counted(found, noun)] if found else []


def _fields(corpus: Corpus, parts: Parts) -> tuple[str, list[tuple[str, ...]], list[str]]:
    """The header, for each mention the values of its fields behind the id, and what gets lost."""
    mentions = corpus.mentions
    count = len(mentions)
    columns: dict[str, list[str]] = {"etype": [""] * count, "head": [""] * count}
    if mentions.type is not None:
        columns["etype"] = [corpus.types[t] if t >= 0 else "" for t in mentions.type.tolist()]
    number_in = _numbers_in(mentions, parts, corpus)
    if mentions.head is not None:
        heads = number_in(mentions.head)
        columns["head"] = [str(n) if n else "" for n in heads.tolist()]
    if mentions.minimum is not None:
        low, high = number_in(mentions.minimum[0]), number_in(mentions.minimum[1] - 1)
        columns["minspan"] = [
            ",".join(map(str, range(a, b + 1))) if a and b else ""
            for a, b in zip(low.tolist(), high.tolist(), strict=True)
        ]
    lost: list[str] = []
    others: dict[str, list[str]] = {}
    for name, column in mentions.attributes.items():
        values = column.tolist()
        if name == "minspan":
            given = columns.get(name, [""] * count)
            columns[name] = [own or known for own, known in zip(values, given, strict=True)]
            continue
        plain = _NOT_IN_NAME.sub("_", name) or "_"
        while plain in FIELDS_WITH_A_ROLE or plain in others:
            plain += "_"
        if plain != name:
            lost.append(f"the name of the attribute {name!r}")
        others[plain] = values
    # Only the last field can hold hyphens.
    for name in sorted(others, key=lambda name: any("-" in value for value in others[name])):
        columns[name] = others[name]
    if not others:
        columns["other"] = [""] * count
    names = list(columns)
    for name in names:
        columns[name] = _escaped(columns[name], name, name == names[-1], lost)
    rows = [_without_empty_end(values) for values in zip(*columns.values(), strict=True)]
    return "-".join(["eid", *names]), rows, lost


def _without_empty_end(values: tuple[str, ...]) -> tuple[str, ...]:
    end = len(values)
    while end and not values[end - 1]:
        end -= 1
    return values[:end]


def _escaped(values: list[str], name: str, last: bool, lost: list[str]) -> list[str]:
    """Values without the signs that end a field; these are written as URLs write them."""
    wrong = _NOT_IN_VALUE if last else re.compile(_NOT_IN_VALUE.pattern[:-1] + "-]")
    changed = [value for value in values if wrong.search(value)]
    if not changed:
        return values
    what = {"etype": "type"}.get(name, f"value of {name}")
    lost += listed(changed, what)
    return [wrong.sub(lambda sign: f"%{ord(sign.group()):02X}", value) for value in values]


def _numbers_in(mentions: Mentions, parts: Parts, corpus: Corpus) -> Callable[[IntArray], IntArray]:
    """A function from one token for each mention to its number among its words, 0 if it is none."""
    assert corpus.tokens is not None
    base = corpus.tokens.offsets[mentions.document]
    lengths = parts.last - parts.first + 1
    before = offsets_of(lengths)[:-1]
    first_part = np.flatnonzero(parts.number == 1)

    def number_in(token: IntArray) -> IntArray:
        token = (base + token)[parts.mention]
        there = np.flatnonzero((parts.first <= token) & (token <= parts.last))
        numbers = np.zeros(len(mentions), np.int64)
        owner = parts.mention[there]
        earlier = before[there] - before[first_part][owner]
        numbers[owner] = earlier + token[there] - parts.first[there] + 1
        return numbers

    return number_in


def _cells(
    corpus: Corpus, parts: Parts, written: BoolArray, ids: list[str], values: list[tuple[str, ...]]
) -> tuple[dict[int, str], dict[int, int]]:
    """The brackets of each token, and where the first mention of each entity starts.

    Brackets that close come first where others open, since ``(e1-x`` and ``e2)`` would be one id;
    where none opens they come last. The shortest closes first.
    """
    opening: dict[int, list[str]] = {}
    single: dict[int, list[str]] = {}
    closing: dict[int, list[tuple[int, str]]] = {}
    first_token: dict[int, int] = {}
    order = np.argsort(_opening_order(parts))
    order = order[written[parts.mention[order]]]
    columns = (parts.mention, parts.first, parts.last, parts.number, parts.total)
    owner = corpus.mentions.entity.tolist()
    for mention, first, last, number, total in zip(
        *(c[order].tolist() for c in columns), strict=True
    ):
        entity = owner[mention]
        first_token.setdefault(entity, first)
        name = f"{ids[entity]}[{number}/{total}]" if total > 1 else ids[entity]
        text = "(" + "-".join([name, *values[mention]])
        if first == last:
            single.setdefault(first, []).append(f"{text})")
        else:
            opening.setdefault(first, []).append(text)
            closing.setdefault(last, []).append((-first, f"{name})"))
    cells: dict[int, str] = {}
    for token in opening.keys() | single.keys() | closing.keys():
        closes = "".join(text for _, text in sorted(closing.get(token, ()), key=lambda c: c[0]))
        alone = "".join(single.get(token, ()))
        opens = "".join(opening.get(token, ()))
        cells[token] = closes + opens + alone if opens else alone + closes
    return cells, first_token
