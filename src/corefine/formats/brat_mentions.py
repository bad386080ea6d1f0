"""From brat's annotations of characters to mentions of tokens, and to entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.columns import BoolArray, IntArray, Strings, numbered, offsets_of
from corefine.corpus import Corpus, Entities, Kind, Mentions, Pieces, Tokens
from corefine.errors import FormatError
from corefine.formats.brat_lines import Annotations
from corefine.formats.brat_writing import KINDS, UNTYPED
from corefine.formats.closure import linked
from corefine.formats.differences import shown, told
from corefine.formats.segmenting import Segmented, segment
from corefine.formats.token_lines import equal_parts

_WITH_KIND = re.compile(rf"({'|'.join(KINDS.values())})(?:_(.+))?")
_KIND_OF = {name: kind for kind, name in KINDS.items()}
_ENTITY = re.compile(r".+-[0-9]+")
"""What LitBank's types that name entities look like."""
_PADDING = np.zeros(8, np.uint8)


def corpus_of(
    names: Sequence[str], sources: Sequence[str], texts: Sequence[str], found: Annotations
) -> Corpus:
    """The corpus of documents, given by their texts and annotations."""
    _check_bounds(found, texts, sources)
    document = found.document
    of_fragment = document[found.owner]
    cuts = np.concatenate([found.begin, found.end])
    cut = segment(texts, cuts, np.tile(of_fragment, 2))
    warnings = _differences(found, cut, texts, sources)
    types = _Types.of(found, document)
    entity_of, label, dropped, repeated = _entities(found, document, types)
    rows = np.flatnonzero(~(dropped | found.trigger))
    first, entity = numbered(entity_of[rows])
    start, stop, pieces = _places(found, cut, of_fragment, rows)
    if repeated:
        warnings.append(f"{repeated} annotations give a mention a second entity: left out")
    if found.relations and not len(found.left) and not types.label.any():
        warnings.append(
            f"no relation is one of coreference; there are: {', '.join(sorted(found.relations))}"
        )
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
        _tokens(cut),
        types.names,
        sources=tuple(sources),
        format="brat",
        warnings=tuple(warnings),
    )


def _check_bounds(found: Annotations, texts: Sequence[str], sources: Sequence[str]) -> None:
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    document = found.document[found.owner]
    wrong = (found.begin >= found.end) | (found.end > sizes[document])
    if wrong.any():
        fragment = int(np.argmax(wrong))
        number = int(document[fragment])
        raise FormatError(
            f"there are no characters {found.begin[fragment]} to {found.end[fragment]} in "
            f"{sources[number]}, which has {sizes[number]}",
            found.where(int(found.owner[fragment])),
            "A mention is its first character, counted from 0, and the one behind its last.",
        )


def _differences(
    found: Annotations, cut: Segmented, texts: Sequence[str], sources: Sequence[str]
) -> list[str]:
    """Warnings of mentions that repeat other words than the text has; an error if most do."""
    bounds = offsets_of(np.bincount(found.owner, minlength=len(found.line)))
    document, block = found.document, found.lines.text
    whole = np.flatnonzero(np.diff(bounds) == 1)
    fragment = bounds[whole]
    own = cut.slices(document[whole], found.begin[fragment], found.end[fragment])
    starts, stops = found.words[0], found.words[1]
    same = np.zeros(len(document), bool)
    alike = np.flatnonzero(own.lengths == (stops - starts)[whole])
    same[whole[alike]] = equal_parts(
        np.concatenate([own.data, _PADDING]),
        own.offsets[:-1][alike],
        np.concatenate([block, _PADDING]),
        starts[whole[alike]],
        own.lengths[alike],
    )

    def words_of(span: int) -> tuple[str, str]:
        given = block[starts[span] : stops[span]].tobytes().decode("utf-8")
        text = texts[int(document[span])]
        fragments = slice(int(bounds[span]), int(bounds[span + 1]))
        columns = (found.begin[fragments].tolist(), found.end[fragments].tolist())
        return given, " ".join(text[begin:end] for begin, end in zip(*columns, strict=True))

    def tell(span: int) -> str:
        given, own = words_of(span)
        return (
            f"a mention reads {shown(given)}, where {sources[int(document[span])]} has {shown(own)}"
        )

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
    if not len(rows):
        return linked(spans, found.left, found.right), label, dropped, 0
    bounds = offsets_of(np.bincount(found.owner, minlength=spans))
    place = numbered((found.begin[bounds[:-1]] << 30) + found.end[bounds[1:] - 1])[1]
    place = place * len(found.lines.sources) + document
    # The mention of a label: the first annotation of the same characters that is no label.
    mention = np.full(int(place.max()) + 1, -1)
    others = np.flatnonzero(~types.label)[::-1]
    mention[place[others]] = others
    target = np.where(mention[place[rows]] >= 0, mention[place[rows]], rows)
    dropped[rows] = target != rows
    label[target[::-1]] = found.type[rows][::-1]
    repeated = int(np.count_nonzero(label[target] != found.type[rows]))
    named = np.flatnonzero(label >= 0)
    leading, group = numbered(label[named] * len(found.lines.sources) + document[named])
    left = np.concatenate([found.left, named])
    right = np.concatenate([found.right, named[leading[group]]])
    # What is linked to a label is linked to its mention.
    stands_for = np.arange(spans)
    stands_for[rows] = target
    return linked(spans, stands_for[left], stands_for[right]), label, dropped, repeated


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
    document = found.document[first].tolist()
    ids = Strings.cut(found.lines.text, found.ids[0][first], found.ids[1][first])
    return Strings.from_list(
        found.types[number] if number >= 0 else f"{names[place]}:{id}"
        for number, place, id in zip(named[entity_of[first]].tolist(), document, ids, strict=True)
    )


def _places(
    found: Annotations, cut: Segmented, of_fragment: IntArray, rows: IntArray
) -> tuple[IntArray, IntArray, Pieces | None]:
    """Start and stop of mentions as tokens of their documents, and the parts of those with gaps."""
    start, stop = cut.words_between(of_fragment, found.begin, found.end)
    blank = stop <= start
    if blank.any():
        raise FormatError(
            "a mention of white space",
            found.where(int(found.owner[np.argmax(blank)])),
            "A mention has at least one character that shows.",
        )
    spans = len(found.line)
    bounds = offsets_of(np.bincount(found.owner, minlength=spans))
    first, last = start[bounds[:-1]], np.zeros(spans, np.int64)
    np.maximum.at(last, found.owner, stop)
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


def _tokens(cut: Segmented) -> Tokens:
    """The tokens of the texts; a line is a sentence."""
    offsets = offsets_of(cut.lengths)
    before = cut.characters_before[:-1]
    newlines = np.flatnonzero(cut.text.documents.data == b"\n"[0])
    at = cut.bytes_before[cut.text.begins + np.repeat(before, cut.lengths)]
    line = np.searchsorted(newlines, at)
    lines_before = np.searchsorted(newlines, cut.bytes_before[before])
    opens = np.zeros(len(line) + 1, bool)
    opens[1:-1] = line[1:] != line[:-1]
    opens[offsets] = True
    return Tokens(
        cut.words,
        offsets,
        np.flatnonzero(opens[:-1]),
        lines=line + 1 - np.repeat(lines_before, cut.lengths),
        text=cut.text,
    )
