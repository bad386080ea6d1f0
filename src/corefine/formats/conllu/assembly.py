"""The corpus of a CoNLL-U file: names, sentences, mentions, entities, relations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, by_first_appearance, offsets_of
from corefine.corpus.columns import Entities, Mentions, Pieces, Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings, codes_of_bytes
from corefine.errors import FormatError
from corefine.formats.building.dependencies import head_words, parent_tokens
from corefine.formats.building.token_rows import JoinedRows
from corefine.formats.conllu.blocks import ConlluRows
from corefine.formats.conllu.comments import DEFAULT, Header, header_of
from corefine.formats.conllu.entity_brackets import EntityMentions, TokenLocations, parse
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import Source
from corefine.formats.text.numerals import whole_numbers

_COUNTED = "It must be the position of a word in the mention, counting from 1."


def assemble(source: Source, blocks: Sequence[ConlluRows]) -> Corpus:
    """The corpus of all documents that the rows of these blocks hold."""
    rows = JoinedRows.of(blocks)
    names, offsets = _documents(source, rows)
    sentences = rows.sentences(offsets)
    empty = _empty(blocks)
    header, headers, assumed = _headers(blocks, rows.bases)
    places = TokenLocations(names, offsets, rows.lines, source)
    parsed = parse(rows.cells, header, headers, places)
    entities, mentions, types = _mentions(parsed, _parents(blocks, sentences, empty), empty, places)
    warnings: tuple[str, ...] = ()
    if assumed is not None:
        what = f"Entity without a preceding '# global.Entity = …'; assumed to be {DEFAULT}"
        warnings = (f"{places.where(assumed)}: {what}",)
    relations = tuple(_relations(source, blocks, rows.bases, offsets, _starts(entities, mentions)))
    warnings += _unknown(source, blocks, relations, entities)
    layers = rows.layers(b"_", b"_")
    ids = _sentence_ids(blocks, rows, sentences)
    if ids is not None:
        layers["sent_id"] = ids
    return Corpus(
        documents=tuple(names),
        entities=entities,
        mentions=mentions,
        tokens=Tokens(rows.words, offsets, sentences, layers, empty, rows.lines),
        types=types,
        relations=relations,
        sources=(source.name,) * len(names),
        format="conllu",
        warnings=warnings,
    )


def _documents(source: Source, rows: JoinedRows) -> tuple[list[str], IntArray]:
    """Names of the documents, and where the tokens of each start (and the last one stops).

    Documents without an id are called by their number; the only one of a file by the file's name.
    """
    marks, count = rows.marks, len(rows.lines)
    if not marks:
        return [source.stem], np.array([0, count])
    if marks[0].token:
        raise FormatError(
            "a token outside a document",
            source.where(int(rows.lines[0])),
            "Add '# newdoc id = name' before it.",
        )
    names = []
    unnamed = 0
    for mark in marks:
        unnamed += mark.name is None
        names.append(mark.name or (source.stem if len(marks) == 1 else str(unnamed)))
    return names, np.array([*(mark.token for mark in marks), count])


def _empty(blocks: Sequence[ConlluRows]) -> BoolArray | None:
    """Which tokens are empty nodes; None where none is."""
    if all(rows.empty is None for rows in blocks):
        return None
    return np.concatenate(
        [np.zeros(len(rows.lines), bool) if rows.empty is None else rows.empty for rows in blocks]
    )


def _sentence_ids(
    blocks: Sequence[ConlluRows], joined: JoinedRows, sentences: IntArray
) -> Strings | None:
    """The id of each sentence at its first token; of several the last one counts."""
    tokens = np.concatenate(
        [rows.sentence_tokens + base for rows, base in zip(blocks, joined.bases, strict=True)]
    )
    last = np.append(tokens[1:] != tokens[:-1], True)[: len(tokens)]
    rows = np.flatnonzero(last & np.isin(tokens, sentences))
    if not len(rows):
        return None
    ids = Strings.concatenate([rows.sentence_ids for rows in blocks]).take(rows)
    lengths = np.zeros(len(joined.lines), np.int64)
    lengths[tokens[rows]] = ids.lengths
    return Strings(ids.data, offsets_of(lengths))


def _headers(
    blocks: Sequence[ConlluRows], bases: Sequence[int]
) -> tuple[IntArray, list[Header], int | None]:
    """The header of each cell, the distinct headers, and the first token that had none."""
    numbers: dict[Header, int] = {}
    of_cell: list[IntArray] = []
    assumed: int | None = None
    default = header_of(DEFAULT)
    for rows, base in zip(blocks, bases, strict=True):
        headers = rows.headers
        if not headers or headers[0][0] > 0:
            if assumed is None and len(rows.marked):
                unheaded = not headers or rows.marked[0] < headers[0][0]
                assumed = int(rows.marked[0]) + base if unheaded else None
            headers = [(0, default), *headers]
        codes = np.array([numbers.setdefault(header, len(numbers)) for _, header in headers])
        begins = np.array([token for token, _ in headers])
        of_cell.append(codes[np.searchsorted(begins, rows.marked, side="right") - 1])
    return np.concatenate(of_cell), list(numbers), assumed


def _parents(
    blocks: Sequence[ConlluRows], sentences: IntArray, empty: BoolArray | None
) -> IntArray | None:
    """The parent of each token in its dependency tree, where any header does not give heads."""
    if all(rows.parents is None for rows in blocks):
        return None
    numbers = np.concatenate(
        [np.full(len(rows.lines), -1) if rows.parents is None else rows.parents for rows in blocks]
    )
    return parent_tokens(numbers, sentences, empty)


def _relations(
    source: Source,
    blocks: Sequence[ConlluRows],
    bases: Sequence[int],
    offsets: IntArray,
    starts: Callable[[], Mapping[tuple[int, str, int], tuple[int, int]]],
) -> Iterator[Relation]:
    """``Bridge=e1<e2:part`` and ``SplitAnte=e1<e3,e2<e3``: e2 bridges to e1, e3 is e1 and e2.

    A bridging anaphor is the mention of its entity that starts where the attribute stands.
    """
    for rows, base in zip(blocks, bases, strict=True):
        for at, line, kind, value in rows.relations:
            document = int(np.searchsorted(offsets, at + base, side="right")) - 1
            for link in value.decode().split(","):
                target, arrow, rest = link.partition("<")
                origin, _, label = rest.partition(":")
                if not (target and arrow and origin):
                    attribute = "Bridge" if kind == "bridge" else "SplitAnte"
                    raise FormatError(
                        f"malformed {attribute} {shown(link)!r}",
                        source.where(line),
                        "Write target<source, as in Bridge=e1<e2:part or SplitAnte=e1<e3,e2<e3",
                    )
                anaphor = None
                if kind == "bridge":
                    token = at + base - int(offsets[document])
                    anaphor = starts().get((document, origin, token))
                yield Relation(kind, document, origin, target, label, anaphor)


def _unknown(
    source: Source,
    blocks: Sequence[ConlluRows],
    relations: Sequence[Relation],
    entities: Entities,
) -> tuple[str, ...]:
    """A warning if relations name entities without mentions, as those of real corpora do."""
    if not relations:
        return ()
    assert entities.names is not None
    known = set(zip(entities.document.tolist(), entities.names.tolist(), strict=True))
    missing = [
        (number, name)
        for number, relation in enumerate(relations)
        for name in (relation.source, relation.target)
        if (relation.document, name) not in known
    ]
    if not missing:
        return ()
    lines = [
        line for rows in blocks for _, line, _, value in rows.relations for _ in value.split(b",")
    ]
    number, name = missing[0]
    what = f"Bridge or SplitAnte with entity {shown(name)!r}, which has no mention in its document"
    more = f" ({len(missing):,} such ends of relations in all)" if len(missing) > 1 else ""
    return (f"{source.where(lines[number])}: {what}{more}",)


def _starts(
    entities: Entities, mentions: Mentions
) -> Callable[[], Mapping[tuple[int, str, int], tuple[int, int]]]:
    """What gives spans by document, entity and first token; looked up only if it is asked for."""

    @cache
    def spans() -> Mapping[tuple[int, str, int], tuple[int, int]]:
        assert entities.names is not None
        names = entities.names.take(mentions.entity).tolist()
        columns = (mentions.document, mentions.start, mentions.stop)
        rows = zip(names, *(column.tolist() for column in columns), strict=True)
        return {(document, name, start): (start, stop) for name, document, start, stop in rows}

    return spans


def _mentions(
    parsed: EntityMentions,
    parents: IntArray | None,
    empty: BoolArray | None,
    places: TokenLocations,
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
    # Neither the header nor a tree tells heads, as after conversion from a format without them.
    plain = empty is None or not empty.any()
    unknown = plain and parents is not None and parsed.headless.all() and (parents < 0).all()
    mentions = Mentions(
        parsed.document,
        entity,
        parsed.token - base,
        parsed.stop[last_part] - base,
        head=None if unknown else _heads(parsed, parents, empty, places) - base,
        type=type_of,
        pieces=_pieces(parsed, base),
        minimum=None if minimum is None else (minimum[0] - base, minimum[1] - base),
        attributes={name: column for name, column in attributes.items() if len(column.data)},
        head_found=None
        if unknown or parents is None or not parsed.headless.any()
        else parsed.headless,
    )
    start, stop = parsed.name
    names = Strings.cut(parsed.text, start[first], stop[first])
    return Entities(parsed.document[first], names), mentions, types


def _pieces(parsed: EntityMentions, base: IntArray) -> Pieces | None:
    """The parts of those mentions that have several."""
    several = (np.bincount(parsed.part_of, minlength=len(base)) > 1)[parsed.part_of]
    if not several.any():
        return None
    mention = parsed.part_of[several]
    return Pieces(
        mention, parsed.start[several] - base[mention], parsed.stop[several] - base[mention]
    )


def _types(parsed: EntityMentions, entity: IntArray) -> tuple[tuple[str, ...], IntArray | None]:
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
    parsed: EntityMentions,
    parents: IntArray | None,
    empty: BoolArray | None,
    places: TokenLocations,
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


def _not_a_word(
    parsed: EntityMentions, field: str, mention: int, places: TokenLocations
) -> FormatError:
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
    parsed: EntityMentions, places: TokenLocations
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
