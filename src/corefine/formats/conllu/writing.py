"""Writing CoNLL-U: one document after another, each with its header and its Entity attributes.

A column that the corpus does not know is ``_``. Split antecedents stand at the first mention of
the entity that has them, bridging at the anaphor, or there as well where that is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of, ranges
from corefine.corpus.columns import Mentions, Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats.building.bracket_writing import counted, entity_ids
from corefine.formats.conllu.lines import LAYERS
from corefine.formats.text.nesting import crossing

FIELDS_WITH_A_ROLE = {"eid", "etype", "head", "minspan", "GRP", "entity", "MIN"}

_NOT_IN_ID = re.compile(r"[\x00-\x20()|=<,:\[\]-]")
_NOT_IN_VALUE = re.compile(r"[\x00-\x20()|]")
_NOT_IN_NAME = re.compile(r"[\x00-\x20-]")
_BREAKS = re.compile(r"[\x00\t\n\r]")
_ATTRIBUTES = {"bridge": "Bridge", "split": "SplitAnte"}
_NOT_IN_LABEL = re.compile(r"[\x00-\x20|,]")


def losses(corpus: Corpus) -> list[str]:
    """What a CoNLL-U file cannot say of this corpus."""
    if corpus.tokens is None:
        return []
    brackets = _brackets_of(corpus)
    renamed = [name for name in corpus.documents if name != _line(name) or not name]
    changed = [word for word in corpus.tokens.words if word != _cell(word)]
    relations = len(corpus.relations) - sum(map(len, _relations(corpus, brackets).values()))
    return [
        *_listed(renamed, "document name"),
        *_listed(changed, "word"),
        *brackets.losses,
        *([f"relations that cannot be attached to a mention ({relations})"] if relations else []),
    ]


def write(corpus: Corpus) -> Iterator[bytes]:
    """The documents of a corpus, each as one piece of the file."""
    tokens = corpus.tokens
    if tokens is None:
        raise UsageError(
            "a corpus without text cannot be written as CoNLL-U",
            None,
            "Choose a format that does not need the text, such as labels.",
        )
    brackets = _brackets_of(corpus)
    relations = _relations(corpus, brackets)
    columns = [_column(tokens, name) for name in LAYERS]
    words = [_cell(word) for word in tokens.words]
    sentence_ids = tokens.layers.get("sent_id")
    nodes = tokens.layers.get("node")
    empty = np.zeros(len(tokens), bool) if tokens.empty is None else tokens.empty
    is_empty = empty.tolist()
    opens = np.zeros(len(tokens) + 1, bool)
    opens[tokens.sentences] = True
    opens_sentence = opens.tolist()
    offsets = tokens.offsets.tolist()
    for document, name in enumerate(corpus.documents):
        lines = [
            f"# newdoc id = {_line(name)}" if _line(name) else "# newdoc",
            f"# global.Entity = {brackets.header}",
        ]
        word = node = 0
        for token in range(offsets[document], offsets[document + 1]):
            if token == offsets[document] or opens_sentence[token]:
                if word or node:
                    lines.append("")
                word = node = 0
                if sentence_ids is not None and (called := _line(sentence_ids[token])):
                    lines.append(f"# sent_id = {called}")
            if is_empty[token]:
                given = "" if nodes is None else nodes[token]
                node = int(given) if given.isdecimal() else node + 1
                number = f"{word}.{node}"
            else:
                word, node = word + 1, 0
                number = str(word)
            links = relations.get(token, ())
            misc = [f"Entity={brackets.cells[token]}"] if token in brackets.cells else []
            misc += _attributes(links)
            layers = "\t".join([column[token] for column in columns])
            lines.append(f"{number}\t{words[token]}\t{layers}\t{'|'.join(sorted(misc)) or '_'}")
        lines += ["", ""] if word or node else [""]
        yield "\n".join(lines).encode("utf-8", "replace")


def _line(text: str) -> str:
    """A text as the value of a comment."""
    return _BREAKS.sub(" ", text).strip(" ")


def _cell(text: str) -> str:
    """A text as the content of one cell, which cannot be empty."""
    return _BREAKS.sub(" ", text) or "_"


def _column(tokens: Tokens, name: str) -> Sequence[str]:
    column = tokens.layers.get(name)
    return ["_"] * len(tokens) if column is None else [_cell(value) for value in column]


def _relations(corpus: Corpus, brackets: WrittenEntities) -> dict[int, list[tuple[str, str]]]:
    """The attributes of relations and their values, by the token at which they stand."""
    names = corpus.entities.names
    if names is None or not corpus.relations:
        return {}
    document = corpus.entities.document.tolist()
    number = {pair: row for row, pair in enumerate(zip(document, names.tolist(), strict=True))}
    found: dict[int, list[tuple[str, str]]] = {}
    for relation in corpus.relations:
        link = _link(relation, number, brackets)
        if link is not None:
            found.setdefault(link[0], []).append(link[1:])
    return found


def _link(
    relation: Relation, number: dict[tuple[int, str], int], brackets: WrittenEntities
) -> tuple[int, str, str] | None:
    """A relation as token, attribute and value; None if it cannot be written."""
    source = number.get((relation.document, relation.source))
    target = number.get((relation.document, relation.target))
    token = None if source is None else brackets.first_token.get(source)
    if token is not None and relation.anaphor is not None:
        token = int(brackets.offsets[relation.document]) + relation.anaphor[0]
    attribute = _ATTRIBUTES.get(relation.kind)
    unfit = relation.label and (relation.kind == "split" or _NOT_IN_LABEL.search(relation.label))
    if token is None or source is None or target is None or attribute is None or unfit:
        return None
    label = f":{relation.label}" if relation.label else ""
    return token, attribute, f"{brackets.ids[target]}<{brackets.ids[source]}{label}"


def _attributes(links: Sequence[tuple[str, str]]) -> list[str]:
    """Links of one token as attributes, those of a kind together."""
    values: dict[str, list[str]] = {}
    for attribute, value in links:
        values.setdefault(attribute, []).append(value)
    return [f"{attribute}={','.join(found)}" for attribute, found in values.items()]


@dataclass(frozen=True, slots=True)
class MentionParts:
    """The continuous parts of mentions, ordered by mention and place; tokens are the corpus's."""

    mention: IntArray
    first: IntArray
    last: IntArray
    number: IntArray
    """The number of a part in its mention, from 1."""
    total: IntArray


def _parts_of(corpus: Corpus) -> MentionParts:
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
    return MentionParts(mention, base + start, base + stop - 1, number, total[mention])


@dataclass(frozen=True, slots=True)
class WrittenEntities:
    """All brackets of a corpus as text."""

    header: str
    ids: list[str]
    """The id of each entity as it is written."""
    cells: dict[int, str]
    """The value of Entity, by token of the corpus."""
    offsets: IntArray
    """Where the tokens of each document start."""
    first_token: dict[int, int]
    """The token at which the first mention of each entity starts."""
    losses: list[str]


def _brackets_of(corpus: Corpus) -> WrittenEntities:
    """What to write for the mentions, and what cannot be written."""
    parts = _parts_of(corpus)
    written = _written(corpus, parts)
    ids, renamed = entity_ids(corpus, _NOT_IN_ID, "e")
    header, values, lost = _fields(corpus, parts)
    if not written.all():
        count = int(np.count_nonzero(~written))
        lost.insert(0, f"crossing mentions of the same entity ({count})")
    cells, first_token = _cells(corpus, parts, written, ids, values)
    assert corpus.tokens is not None
    offsets = corpus.tokens.offsets
    return WrittenEntities(header, ids, cells, offsets, first_token, renamed + lost)


def _opening_order(parts: MentionParts) -> IntArray:
    """The place of each part among all that open: by token, longest first, single words last."""
    order = np.lexsort((parts.mention, -parts.last, parts.first == parts.last, parts.first))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def _written(corpus: Corpus, parts: MentionParts) -> BoolArray:
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


def _listed(found: Sequence[str], noun: str) -> list[str]:
    """A loss that names how many there are and the first, if there are any."""
    return [counted(found, noun)] if found else []


def _fields(corpus: Corpus, parts: MentionParts) -> tuple[str, list[tuple[str, ...]], list[str]]:
    """The header, for each mention the values of its fields behind the id, and what gets lost."""
    mentions = corpus.mentions
    count = len(mentions)
    columns: dict[str, list[str]] = {"etype": [""] * count}
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
    lost += _listed(changed, what)
    return [wrong.sub(lambda sign: f"%{ord(sign.group()):02X}", value) for value in values]


def _numbers_in(
    mentions: Mentions, parts: MentionParts, corpus: Corpus
) -> Callable[[IntArray], IntArray]:
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
    corpus: Corpus,
    parts: MentionParts,
    written: BoolArray,
    ids: list[str],
    values: list[tuple[str, ...]],
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
