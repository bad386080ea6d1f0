"""The columns of mentions and entities from the brackets of CoNLL-U: heads, types, attributes."""

from __future__ import annotations

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, by_first_appearance
from corefine.corpus.columns import Entities, Mentions, Pieces
from corefine.corpus.strings import Strings, codes_of_bytes
from corefine.errors import FormatError
from corefine.formats.building.dependencies import head_words
from corefine.formats.conllu.conllu_entities import Parsed
from corefine.formats.conllu.conllu_parts import Places
from corefine.formats.input.lines import shown
from corefine.formats.text.numerals import whole_numbers

_COUNTED = "It is the number of a word among those of its mention, counted from 1."


def mentions_of(
    parsed: Parsed, parents: IntArray | None, empty: BoolArray | None, places: Places
) -> tuple[Entities, Mentions, tuple[str, ...]]:
    """Entities, mentions and the names of semantic types."""
    count = len(parsed.document)
    entity, first = by_first_appearance(parsed.entity)
    base = places.offsets[parsed.document]
    last_part = np.searchsorted(parsed.part_of, np.arange(count), side="right") - 1
    types, type_of = _types(parsed, entity)
    minimum, uneven = _minimum(parsed, places)
    attributes = {
        name: Strings.cut(parsed.text, *bounds)
        for name, bounds in parsed.fields.items()
        if name not in ("etype", "head", "minspan")
    }
    if uneven is not None:
        attributes["minspan"] = uneven
    mentions = Mentions(
        parsed.document,
        entity,
        parsed.token - base,
        parsed.stop[last_part] - base,
        head=_heads(parsed, parents, empty, places) - base,
        type=type_of,
        pieces=_pieces(parsed, base),
        minimum=None if minimum is None else (minimum[0] - base, minimum[1] - base),
        attributes={name: column for name, column in attributes.items() if len(column.data)},
        head_found=None if parents is None or not parsed.headless.any() else parsed.headless,
    )
    start, stop = parsed.name
    names = Strings.cut(parsed.text, start[first], stop[first])
    return Entities(parsed.document[first], names), mentions, types


def _pieces(parsed: Parsed, base: IntArray) -> Pieces | None:
    """The parts of those mentions that have several."""
    several = (np.bincount(parsed.part_of, minlength=len(base)) > 1)[parsed.part_of]
    if not several.any():
        return None
    mention = parsed.part_of[several]
    return Pieces(
        mention, parsed.start[several] - base[mention], parsed.stop[several] - base[mention]
    )


def _types(parsed: Parsed, entity: IntArray) -> tuple[tuple[str, ...], IntArray | None]:
    """Names of types, and the type of each mention: its own, else the first of its entity."""
    bounds = parsed.fields.get("etype")
    if bounds is None or not (bounds[1] > bounds[0]).any():
        return (), None
    start, stop = bounds
    given = np.flatnonzero(stop > start)
    codes = codes_of_bytes(parsed.text, start[given], stop[given] - start[given])
    number, first = by_first_appearance(codes)
    names = Strings.cut(parsed.text, start[given[first]], stop[given[first]])
    of_entity = np.full(int(entity.max()) + 1, -1)
    of_entity[entity[given][::-1]] = number[::-1]
    types = of_entity[entity]
    types[given] = number
    return tuple(names.tolist()), types


def _heads(
    parsed: Parsed, parents: IntArray | None, empty: BoolArray | None, places: Places
) -> IntArray:
    """The head of each mention, as a token of the corpus.

    It is the word that the field ``head`` names, and the first word where that is empty. Where the
    header has no such field, it is found in the dependency tree.
    """
    heads = parsed.token.copy()
    if parents is not None:
        found = head_words(parents, empty, parsed.part_of, parsed.start, parsed.stop, len(heads))
        heads[parsed.headless] = found[parsed.headless]
    if "head" in parsed.fields:
        start, stop = parsed.fields["head"]
        given = np.flatnonzero(stop > start)
        number = whole_numbers(parsed.text, start[given], stop[given])
        found = parsed.word_at(given, number)
        if (found < 0).any():
            raise _not_a_word(parsed, "head", int(given[np.argmax(found < 0)]), places)
        heads[given] = found
    return heads


def _not_a_word(parsed: Parsed, field: str, mention: int, places: Places) -> FormatError:
    start, stop = parsed.fields[field]
    written = shown(parsed.text[start[mention] : stop[mention]])
    size = parsed.size(mention)
    return FormatError(
        f"the {field} of a mention of entity {parsed.entity_name(mention)!r} is {written!r}, "
        f"but the mention has {size} word{'' if size == 1 else 's'}",
        places.where(int(parsed.token[mention])),
        _COUNTED,
    )


def _minimum(
    parsed: Parsed, places: Places
) -> tuple[tuple[IntArray, IntArray] | None, Strings | None]:
    """Minimum spans as tokens of the corpus, and the values that are not a run of words.

    ``2,3`` are the second and third word; of ``1,4`` the span is that from the first to the fourth.
    """
    bounds = parsed.fields.get("minspan")
    if bounds is None or not (bounds[1] > bounds[0]).any():
        return None, None
    start, stop = bounds
    given = np.flatnonzero(stop > start)
    codes = codes_of_bytes(parsed.text, start[given], stop[given] - start[given])
    values, first = by_first_appearance(codes)
    low, high, even = [], [], []
    for row in given[first].tolist():
        written = parsed.text[start[row] : stop[row]].tobytes().decode()
        words = [
            int(word) if word.isdecimal() and len(word) < 9 else 0 for word in written.split(",")
        ]
        if min(words) < 1:
            raise _not_a_word(parsed, "minspan", row, places)
        low.append(min(words))
        high.append(max(words))
        even.append(words == list(range(words[0], words[0] + len(words))))
    begins = parsed.word_at(given, np.array(low)[values])
    ends = parsed.word_at(given, np.array(high)[values])
    if (ends < 0).any():
        raise _not_a_word(parsed, "minspan", int(given[np.argmax(ends < 0)]), places)
    lowest, highest = np.full(len(start), -1), np.full(len(start), -1)
    lowest[given], highest[given] = begins, ends + 1
    uneven = stop.copy()
    uneven[given] = np.where(np.array(even)[values], stop[given], start[given])
    return (lowest, highest), None if all(even) else Strings.cut(parsed.text, uneven, stop)
