"""From brat's annotations of characters to mentions of tokens, and to entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, numbered, offsets_of
from corefine.corpus.columns import Entities, Kind, Mentions, Pieces, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError
from corefine.formats.building.closure import linked
from corefine.formats.building.quoted_words import shown, told
from corefine.formats.standoff.brat_lines import Annotations
from corefine.formats.standoff.brat_writing import KINDS, UNTYPED
from corefine.formats.text.token_lines import equal_parts
from corefine.formats.text.tokens import RunningTexts, Segmented, segment

_WITH_KIND = re.compile(rf"({'|'.join(KINDS.values())})(?:_(.+))?")
_KIND_OF = {name: kind for kind, name in KINDS.items()}
_ENTITY = re.compile(r".+-[0-9]+")
"""What LitBank's types that name entities look like."""
_PADDING = np.zeros(8, np.uint8)
_NEWLINE = 10


def corpus_of(
    names: Sequence[str],
    sources: Sequence[str],
    texts: RunningTexts,
    found: Annotations,
    warnings: Sequence[str],
    *,
    with_places: bool,
) -> Corpus:
    """The corpus of documents, given by their texts and annotations."""
    _check_bounds(found, texts, sources)
    document = found.document
    of_fragment = document[found.owner]
    low, high = (texts.bytes_at(of_fragment, side) for side in (found.begin, found.end))
    cut = segment(texts, of_fragment, low, high, with_places=with_places)
    types = _Types.of(found, document)
    entity_of, label, dropped, repeated = _entities(found, document, types)
    rows = np.flatnonzero(~(dropped | found.trigger))
    first, entity = numbered(entity_of[rows])
    start, stop, pieces = _places(found, cut, rows)
    told_of = [*warnings, *_differences(found, texts, (low, high), sources)]
    if repeated:
        told_of.append(f"{repeated} annotations assign a mention to a second entity: ignored")
    if found.relations and not len(found.left) and not (label >= 0).any():
        relations = ", ".join(sorted(found.relations))
        told_of.append(f"no coreference relations, only: {shown(relations)}")
    return Corpus(
        tuple(names),
        Entities(document[rows[first]], _entity_names(found, names, rows[first], entity_of, label)),
        Mentions(
            document[rows],
            entity,
            start,
            stop,
            None,
            types.kind[rows] if types.kind.any() else None,
            None,
            types.type[rows],
            pieces,
        ),
        _tokens(texts, cut),
        types.names,
        sources=tuple(sources),
        format="brat",
        warnings=tuple(told_of),
    )


def _check_bounds(found: Annotations, texts: RunningTexts, sources: Sequence[str]) -> None:
    document = found.document[found.owner]
    wrong = (found.begin >= found.end) | (found.end > texts.sizes[document])
    if wrong.any():
        fragment = int(np.argmax(wrong))
        number = int(document[fragment])
        raise FormatError(
            f"no characters {found.begin[fragment]} to {found.end[fragment]} in "
            f"{sources[number]}, which has {texts.sizes[number]}",
            found.where(int(found.owner[fragment])),
            "A mention is [start, end] in characters from 0, end exclusive.",
        )


def _differences(
    found: Annotations,
    texts: RunningTexts,
    fragments: tuple[IntArray, IntArray],
    sources: Sequence[str],
) -> list[str]:
    """Warnings of mentions that repeat other words than the text has; an error if most do."""
    low, high = fragments
    bounds = offsets_of(np.bincount(found.owner, minlength=len(found.line)))
    document, block = found.document, found.lines.text
    starts, stops = found.words
    fragment = bounds[:-1]
    same = (np.diff(bounds) == 1) & ((high - low)[fragment] == stops - starts)
    alike = np.flatnonzero(same)
    same[alike] = equal_parts(
        np.concatenate([texts.data, _PADDING]),
        low[fragment[alike]],
        np.concatenate([block, _PADDING]),
        starts[alike],
        (stops - starts)[alike],
    )

    def words_of(span: int) -> tuple[str, str]:
        own = [
            texts.data[first:last].tobytes().decode("utf-8")
            for first, last in zip(
                low[bounds[span] : bounds[span + 1]].tolist(),
                high[bounds[span] : bounds[span + 1]].tolist(),
                strict=True,
            )
        ]
        return block[starts[span] : stops[span]].tobytes().decode("utf-8"), " ".join(own)

    def tell(span: int) -> str:
        given, own = map(shown, words_of(span))
        return f"a mention reads {given}, but {sources[int(document[span])]} has {own}"

    differing = [
        span
        for span in np.flatnonzero(~same & (stops > starts)).tolist()
        if len({"".join(words.split()) for words in words_of(span)}) > 1
    ]
    return told(np.array(differing, np.int64), document, tell, found.where)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Types:
    """What the types of annotations say of each."""

    kind: NDArray[np.uint8]
    type: IntArray
    names: tuple[str, ...]
    label: BoolArray
    """Whether it is no type but the name of an entity, as LitBank's are beside kinds."""

    @classmethod
    def of(cls, found: Annotations, document: IntArray) -> _Types:
        kinds, words = [], []
        for name in found.types:
            match = _WITH_KIND.fullmatch(name)
            kinds.append(_KIND_OF[match[1]] if match else Kind.UNKNOWN)
            words.append((match[2] or "") if match else "" if name == UNTYPED else name)
        kind = np.array(kinds, np.uint8)[found.type]
        of_entities = np.array([bool(_ENTITY.fullmatch(name)) for name in found.types], bool)
        has_kinds = np.bincount(document[kind > 0], minlength=len(found.lines.sources)) > 0
        label = of_entities[found.type] & (kind == 0) & has_kinds[document]
        used = np.zeros(len(words), bool)
        used[found.type[~label]] = True
        names = list(
            dict.fromkeys(word for word, there in zip(words, used.tolist(), strict=True) if there)
        )
        names = [name for name in names if name]
        number = {name: place for place, name in enumerate(names)}
        numbers = np.array([number.get(word, -1) for word in words], np.int64)[found.type]
        return cls(kind, np.where(label, -1, numbers), tuple(names), label)


def _entities(
    found: Annotations, document: IntArray, types: _Types
) -> tuple[IntArray, IntArray, BoolArray, int]:
    """For each annotation a number for its entity, and the type that names it (-1 if none does).

    Also which annotations only give another one its entity, and how many give it a second one.
    """
    spans = len(found.line)
    label = np.full(spans, -1)
    dropped = np.zeros(spans, bool)
    rows = np.flatnonzero(types.label)
    if not len(rows) and not len(found.named):
        return linked(spans, found.left, found.right), label, dropped, 0
    # What is linked to a label, or named, is its mention.
    stands_for = np.arange(spans)
    stands_for[rows] = _mentions_of(found, document, types.label, rows)
    dropped[rows] = stands_for[rows] != rows
    target = stands_for[np.concatenate([rows, found.named])]
    given = np.concatenate([found.type[rows], len(found.types) + found.name])
    label[target[::-1]] = given[::-1]
    repeated = int(np.count_nonzero(label[target] != given))
    named = np.flatnonzero(label >= 0)
    leading, group = numbered(label[named] * len(found.lines.sources) + document[named])
    left = np.concatenate([found.left, named])
    right = np.concatenate([found.right, named[leading[group]]])
    return linked(spans, stands_for[left], stands_for[right]), label, dropped, repeated


def _mentions_of(
    found: Annotations, document: IntArray, label: BoolArray, rows: IntArray
) -> IntArray:
    """The mention of each label: the first annotation of the same characters that is no label.

    A label without one is a mention itself; where there are several, the first of them is.
    """
    bounds = offsets_of(np.bincount(found.owner, minlength=len(found.line)))
    place = numbered((found.begin[bounds[:-1]] << 30) + found.end[bounds[1:] - 1])[1]
    place = place * len(found.lines.sources) + document
    mention = np.full(int(place.max(initial=-1)) + 1, -1)
    mention[place[rows[::-1]]] = rows[::-1]
    others = np.flatnonzero(~label)[::-1]
    mention[place[others]] = others
    return mention[place[rows]]


def _entity_names(
    found: Annotations,
    names: Sequence[str],
    first: IntArray,
    entity_of: IntArray,
    label: IntArray,
) -> Strings | None:
    """The names of entities, where annotations name any; others are called by a mention."""
    if not (label >= 0).any():
        return None
    named = np.full(len(entity_of), -1)
    rows = np.flatnonzero(label >= 0)[::-1]
    named[entity_of[rows]] = label[rows]
    given = [*found.types, *found.names]
    document = found.document[first].tolist()
    ids = Strings.cut(found.lines.text, found.ids[0][first], found.ids[1][first])
    return Strings.from_list(
        given[number] if number >= 0 else f"{names[place]}:{id}"
        for number, place, id in zip(named[entity_of[first]].tolist(), document, ids, strict=True)
    )


def _places(
    found: Annotations, cut: Segmented, rows: IntArray
) -> tuple[IntArray, IntArray, Pieces | None]:
    """Start and stop of mentions as tokens of their documents, and the parts of those with gaps."""
    start, stop = cut.start.astype(np.int64), cut.stop.astype(np.int64)
    blank = stop <= start
    if blank.any():
        raise FormatError(
            "a mention of white space",
            found.where(int(found.owner[np.argmax(blank)])),
            "A mention must contain a visible character.",
        )
    spans = len(found.line)
    bounds = offsets_of(np.bincount(found.owner, minlength=spans))
    first = start[bounds[:-1]]
    last = np.maximum.reduceat(stop, bounds[:-1]) if spans else stop
    place = np.full(spans, -1)
    place[rows] = np.arange(len(rows))
    several = [row for row in np.flatnonzero(np.diff(bounds) > 1).tolist() if place[row] >= 0]
    parts: list[tuple[int, int, int]] = []
    for row in several:
        fragments = slice(int(bounds[row]), int(bounds[row + 1]))
        joined = _joined(start[fragments].tolist(), stop[fragments].tolist())
        if len(joined) > 1:
            parts += [(int(place[row]), *part) for part in joined]
    table = np.array(parts, np.int64).reshape(-1, 3)
    pieces = Pieces(table[:, 0], table[:, 1], table[:, 2]) if parts else None
    return first[rows], last[rows], pieces


def _joined(starts: Sequence[int], stops: Sequence[int]) -> list[tuple[int, int]]:
    """Fragments with those made one that have no token between them: brat cuts at line ends."""
    joined: list[tuple[int, int]] = []
    for start, stop in zip(starts, stops, strict=True):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined


def _tokens(texts: RunningTexts, cut: Segmented) -> Tokens:
    """The tokens of the texts; a line is a sentence, unless it is blank."""
    bounds = texts.bounds
    newlines = np.flatnonzero(texts.data == _NEWLINE)
    # Stable sorting merges what is sorted.
    starts = np.sort(np.concatenate([bounds, newlines + 1]), kind="stable")
    starts = starts[np.diff(starts, prepend=-1) > 0]
    before = cut.before[starts].astype(np.int64)
    count = np.diff(before)
    lines_before = np.searchsorted(starts, bounds[:-1])
    document = np.searchsorted(bounds, starts[:-1], side="right") - 1
    return Tokens(
        cut.words,
        offsets_of(cut.lengths),
        before[:-1][count > 0],
        lines=np.repeat(np.arange(1, len(starts)) - lines_before[document], count),
        text=cut.text,
    )
