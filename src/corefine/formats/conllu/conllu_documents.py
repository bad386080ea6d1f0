"""Documents from the rows of CoNLL-U lines: names, sentences, mentions, entities, relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, offsets_of
from corefine.corpus.columns import Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError
from corefine.formats.building.dependencies import parent_tokens
from corefine.formats.conllu.conllu_cells import UNDERSCORE
from corefine.formats.conllu.conllu_comments import Mark
from corefine.formats.conllu.conllu_entities import Cells, parse
from corefine.formats.conllu.conllu_header import DEFAULT, Header, header_of
from corefine.formats.conllu.conllu_lines import Rows
from corefine.formats.conllu.conllu_mentions import mentions_of
from corefine.formats.conllu.conllu_parts import Places
from corefine.formats.input.lines import shown
from corefine.formats.input.sources import Source


def split_at_last_document(window: list[Rows]) -> tuple[list[Rows], list[Rows]]:
    """The rows before the last document of a window, if there are any, and its own rows."""
    for number in range(len(window) - 1, -1, -1):
        rows = window[number]
        if rows.marks:
            before, after = _split(rows, len(rows.marks) - 1)
            done = window[:number]
            if len(before.lines) or before.marks:
                done.append(before)
            return done, [after, *window[number + 1 :]]
    return [], window


def _split(rows: Rows, place: int) -> tuple[Rows, Rows]:
    """The rows before a mark, and those from it on."""
    token = rows.marks[place].token
    breaks = int(np.searchsorted(rows.breaks, token))
    cells = int(np.searchsorted(rows.marked, token))
    sentences = int(np.searchsorted(rows.sentence_tokens, token))
    byte = int(rows.lengths[:cells].sum())
    in_force = [header for header in rows.headers if header[0] <= token][-1:]
    before = Rows(
        rows.lines[:token],
        rows.words[:token],
        {name: column[:token] for name, column in rows.layers.items()},
        None if rows.empty is None else rows.empty[:token],
        None if rows.parents is None else rows.parents[:token],
        rows.breaks[:breaks],
        rows.marks[:place],
        [header for header in rows.headers if header[0] < token],
        rows.sentence_tokens[:sentences],
        rows.sentence_ids[:sentences],
        rows.marked[:cells],
        rows.text[:byte],
        rows.lengths[:cells],
        [relation for relation in rows.relations if relation[0] < token],
    )
    after = Rows(
        rows.lines[token:],
        rows.words[token:],
        {name: column[token:] for name, column in rows.layers.items()},
        None if rows.empty is None else rows.empty[token:],
        None if rows.parents is None else rows.parents[token:],
        rows.breaks[breaks:] - token,
        [replace(mark, token=mark.token - token) for mark in rows.marks[place:]],
        [
            *((0, header) for _, header in in_force),
            *((at - token, header) for at, header in rows.headers if at > token),
        ],
        rows.sentence_tokens[sentences:] - token,
        rows.sentence_ids[sentences:],
        rows.marked[cells:] - token,
        rows.text[byte:],
        rows.lengths[cells:],
        [
            (at - token, line, kind, value)
            for at, line, kind, value in rows.relations
            if at >= token
        ],
    )
    return before, after


def assemble(source: Source, window: Sequence[Rows], *, unnamed: int, several: bool) -> Corpus:
    """The corpus of all documents that these rows hold.

    ``unnamed`` documents without an id came before; ``several`` says that the file has more than
    these documents.
    """
    bases = offsets_of(np.array([len(rows.lines) for rows in window])).tolist()[:-1]
    lines = np.concatenate([rows.lines for rows in window])
    names, offsets = _documents(source, window, bases, lines, unnamed, several)
    empty = _joined_empty(window)
    sentences = _sentences(window, bases, offsets, len(lines))
    cells, headers, assumed = _cells(window, bases)
    places = Places(names, offsets, lines, source.name)
    parsed = parse(cells, headers, places)
    entities, mentions, types = mentions_of(
        parsed, _parents(window, sentences, empty), empty, places
    )
    warnings: tuple[str, ...] = ()
    if assumed is not None:
        where = source.where(int(lines[assumed]))
        warning = f"Entity without '# global.Entity = …' before it, taken to be {DEFAULT}"
        warnings = (f"{where}: {warning}",)
    return Corpus(
        documents=tuple(names),
        entities=entities,
        mentions=mentions,
        tokens=Tokens(
            Strings.concatenate([rows.words for rows in window]),
            offsets,
            sentences,
            _layers(window, bases, sentences),
            empty,
            lines,
        ),
        types=types,
        relations=tuple(_relations(source, window, bases, offsets)),
        sources=(source.name,) * len(names),
        format="conllu",
        warnings=warnings,
    )


def _documents(
    source: Source,
    window: Sequence[Rows],
    bases: Sequence[int],
    lines: IntArray,
    unnamed: int,
    several: bool,
) -> tuple[list[str], IntArray]:
    """Names of the documents, and where the tokens of each start (and the last one stops).

    Documents without an id are called by their number; the only one of a file by the file's name.
    """
    marks = [
        Mark(mark.token + base, mark.line, mark.name)
        for rows, base in zip(window, bases, strict=True)
        for mark in rows.marks
    ]
    if not marks:
        return [source.stem], np.array([0, len(lines)])
    if marks[0].token:
        raise FormatError(
            "a token outside of any document",
            source.where(int(lines[0])),
            "Put '# newdoc id = name' before it.",
        )
    names = []
    for mark in marks:
        if mark.name is None:
            unnamed += 1
        alone = len(marks) == 1 and not several
        names.append(mark.name or (source.stem if alone else str(unnamed)))
    return names, np.array([*(mark.token for mark in marks), len(lines)])


def _sentences(
    window: Sequence[Rows], bases: Sequence[int], offsets: IntArray, count: int
) -> IntArray:
    opens = np.zeros(count + 1, bool)
    opens[0] = True
    opens[offsets] = True
    for rows, base in zip(window, bases, strict=True):
        opens[rows.breaks + base] = True
    return np.flatnonzero(opens[:-1])


def _joined_empty(window: Sequence[Rows]) -> BoolArray | None:
    if all(rows.empty is None for rows in window):
        return None
    return np.concatenate(
        [np.zeros(len(rows.lines), bool) if rows.empty is None else rows.empty for rows in window]
    )


def _layers(
    window: Sequence[Rows], bases: Sequence[int], sentences: IntArray
) -> dict[str, Strings]:
    """The layers of all rows that say something; ``sent_id`` stands at a sentence's first token."""
    present = dict.fromkeys(name for rows in window for name in rows.layers)

    def column(rows: Rows, name: str) -> Strings:
        if name in rows.layers:
            return rows.layers[name]
        # A block in which a column says nothing does not bring it.
        count = len(rows.lines)
        return Strings(np.full(count, UNDERSCORE, np.uint8), np.arange(count + 1))

    joined = {
        name: Strings.concatenate([column(rows, name) for rows in window]) for name in present
    }
    layers = {name: values for name, values in joined.items() if not _says_nothing(values)}
    ids = _sentence_ids(window, bases, sentences)
    return layers if ids is None else layers | {"sent_id": ids}


def _says_nothing(column: Strings) -> bool:
    return int(column.lengths.max(initial=0)) <= 1 and bool((column.data == UNDERSCORE).all())


def _sentence_ids(
    window: Sequence[Rows], bases: Sequence[int], sentences: IntArray
) -> Strings | None:
    """The id of each sentence at its first token; of several the last one counts."""
    tokens = np.concatenate(
        [rows.sentence_tokens + base for rows, base in zip(window, bases, strict=True)]
    )
    ids = Strings.concatenate([rows.sentence_ids for rows in window])
    last = np.append(tokens[1:] != tokens[:-1], True)[: len(tokens)]
    rows = np.flatnonzero(last & np.isin(tokens, sentences, assume_unique=False))
    if not len(rows):
        return None
    if len(rows) < len(ids):
        tokens, ids = tokens[rows], ids.take(rows)
    lengths = np.zeros(sum(len(rows.lines) for rows in window), np.int64)
    lengths[tokens] = ids.lengths
    return Strings(ids.data, offsets_of(lengths))


def _cells(window: Sequence[Rows], bases: Sequence[int]) -> tuple[Cells, list[Header], int | None]:
    """All cells with brackets, the distinct headers, and the first token that had none."""
    numbers: dict[Header, int] = {}
    of_cell: list[IntArray] = []
    assumed: int | None = None
    default = header_of(DEFAULT)
    for rows, base in zip(window, bases, strict=True):
        headers = rows.headers
        if not headers or headers[0][0] > 0:
            if assumed is None and len(rows.marked):
                unheaded = not headers or rows.marked[0] < headers[0][0]
                assumed = int(rows.marked[0]) + base if unheaded else None
            headers = [(0, default), *headers]
        codes = np.array([numbers.setdefault(header, len(numbers)) for _, header in headers])
        begins = np.array([token for token, _ in headers])
        of_cell.append(codes[np.searchsorted(begins, rows.marked, side="right") - 1])
    return (
        Cells(
            np.concatenate([rows.text for rows in window]),
            np.concatenate([rows.lengths for rows in window]),
            np.concatenate([rows.marked + base for rows, base in zip(window, bases, strict=True)]),
            np.concatenate(of_cell),
        ),
        list(numbers),
        assumed,
    )


def _parents(
    window: Sequence[Rows], sentences: IntArray, empty: BoolArray | None
) -> IntArray | None:
    """The parent of each token in its dependency tree, where any header does not give heads."""
    if all(rows.parents is None for rows in window):
        return None
    numbers = np.concatenate(
        [np.full(len(rows.lines), -1) if rows.parents is None else rows.parents for rows in window]
    )
    return parent_tokens(numbers, sentences, empty)


def _relations(
    source: Source,
    window: Sequence[Rows],
    bases: Sequence[int],
    offsets: IntArray,
) -> Iterator[Relation]:
    """``Bridge=e1<e2:part`` and ``SplitAnte=e1<e3,e2<e3``: e2 bridges to e1, e3 is e1 and e2."""
    for rows, base in zip(window, bases, strict=True):
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
                        "Write target<source: Bridge=e1<e2:part or SplitAnte=e1<e3,e2<e3",
                    )
                yield Relation(kind, document, origin, target, label)
