"""i2b2/VA 2011: chains of clinical concepts, given by line and token of a text beside them.

The smallest valid document is three files. ``docs/x.txt``, lines of tokens with blanks between::

    Mr. Ito has a cough .
    He takes syrup for it .

``concepts/x.txt.con``, all mentions with their semantic types::

    c="mr. ito" 1:0 1:1||t="person"
    c="a cough" 1:3 1:4||t="problem"
    c="he" 2:0 2:0||t="person"
    c="syrup" 2:2 2:2||t="treatment"
    c="it" 2:4 2:4||t="pronoun"

``chains/x.txt.chains``, one entity a line; concepts in no chain are singletons::

    c="mr. ito" 1:0 1:1||c="he" 2:0 2:0||t="coref person"
    c="a cough" 1:3 1:4||c="it" 2:4 2:4||t="coref problem"

Lines count from 1 and tokens from 0, ends included. Only the chains are needed: without concepts
there are no singletons, and without the text mentions are known by their places, ``1:0 1:1``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, numbered
from corefine.corpus.columns import Entities, Kind, Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.strings import Strings, numbered_bytes
from corefine.errors import FormatError, Location
from corefine.formats.building.line_mentions import LineMentions
from corefine.formats.input.folders import all_or_none, companion, document_name, nothing, stem
from corefine.formats.input.joined_lines import JoinedLines, batches
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.standoff.i2b2_writing import (
    CHAINS,
    CONCEPTS,
    PRONOUN,
    UNTYPED,
    losses,
    write_files,
)
from corefine.formats.text.numerals import whole_numbers
from corefine.formats.text.token_lines import TokenLines

_BLANK, _QUOTE, _COLON, _BAR, _NEWLINE = b' ":|\n'
_CONCEPT, _TYPE = (np.uint64(int.from_bytes(mark, "little")) for mark in (b'c="', b't="'))
_THREE = np.uint64(0xFFFFFF)
_LINE = re.compile(rb'(?:\xef\xbb\xbf)?\s*c="[^\n]*?" [0-9]+:[0-9]+ [0-9]+:[0-9]+\|\|[ct]="')
_INSIDE = re.compile(rb'" ?[0-9]+:[0-9]+ [0-9]+:[0-9]+(?:\|\||[ct]=")|\|[ct]="')
_NO_CONCEPTS = "chains without concepts (.con): singletons are unknown"
_NO_CHAINS = "concepts (.con) without chains: each is treated as a singleton"
_SAMPLES = {
    False: ("concept", 'c="text" 1:0 1:2||t="problem"'),
    True: ("chain", 'c="text" 1:0 1:2||c="text" 3:0 3:0||t="coref problem"'),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Concepts:
    """The concepts of several files, one after another."""

    lines: JoinedLines
    starts: IntArray
    stops: IntArray
    """Where the words of each concept lie in the text."""
    places: IntArray
    """Rows of first line and token, last line and token."""
    line: IntArray
    """The line of each concept."""
    group: IntArray
    """The number of this line among those that are not blank."""
    type: IntArray
    """The type of each line that is not blank, as an index of ``types``."""
    types: list[str]

    @property
    def document(self) -> IntArray:
        """The file of each concept."""
        return self.lines.file[self.line]

    def where(self, concept: int) -> Location:
        return self.lines.where(int(self.line[concept]))


def read_concepts(sources: Sequence[Source], *, chained: bool) -> Concepts:
    """The concepts of files: chains of them, or one in each line."""
    lines = JoinedLines.of(sources).stripped()
    text, eights = lines.text, lines.eights
    is_sign = (text == _BLANK) | (text == _COLON) | (text == _BAR) | (text == _NEWLINE)
    signs = np.flatnonzero(is_sign)
    sign = text[signs]
    ends = _ends(lines, signs, sign)
    starts, stops = np.zeros(len(ends), np.int64), signs[ends]
    last = sign[ends] == _NEWLINE
    starts[1:] = stops[:-1] + np.where(last[:-1], 1, 2)
    line = np.cumsum(last) - last
    if (starts == stops).any():
        filled = stops > starts
        starts, stops, last, line, ends = (
            column[filled] for column in (starts, stops, last, line, ends)
        )
    mark = eights[starts] & _THREE
    wrong = mark != np.where(last, _TYPE, _CONCEPT)
    wrong |= last & ((text[stops - 1] != _QUOTE) | (stops - starts < 4))
    # A line needs a concept before its type, and one of concepts has no other.
    before = np.append(True, last[:-1])[: len(last)]
    wrong |= ~last & ~before if not chained else False
    wrong |= last & before
    concepts = np.flatnonzero(~last)
    places, words = _places(text, signs, sign, starts[concepts], ends[concepts])
    wrong[concepts] |= (places < 0).any(axis=1)
    wrong[concepts] |= _swallows(text, starts[concepts] + 3, words)
    if wrong.any():
        raise _malformed(lines, int(line[np.argmax(wrong)]), chained)
    types = np.flatnonzero(last)
    begins, lengths = starts[types] + 3, stops[types] - starts[types] - 4
    first, codes = numbered_bytes(text, begins, lengths)
    names = Strings.cut(text, begins[first], begins[first] + lengths[first]).tolist()
    group = np.cumsum(last)[concepts]
    return Concepts(lines, starts[concepts] + 3, words, places, line[concepts], group, codes, names)


def _ends(lines: JoinedLines, signs: IntArray, sign: ByteArray) -> IntArray:
    """Which signs end a part of a line: newlines, and the first of two bars between parts.

    A text may hold bars as well, but not behind a digit and before what opens a part.
    """
    rows = np.flatnonzero(sign == _BAR)
    bars = signs[rows]
    is_end = (lines.text[bars - 1] - 48 < 10) & (lines.text[bars + 1] == _BAR)
    rows, bars = rows[is_end], bars[is_end]
    mark = lines.eights[np.minimum(bars + 2, len(lines.text))] & _THREE
    ends = sign == _NEWLINE
    ends[rows[(mark == _CONCEPT) | (mark == _TYPE)]] = True
    return np.flatnonzero(ends)


def _places(
    text: ByteArray, signs: IntArray, sign: ByteArray, starts: IntArray, ends: IntArray
) -> tuple[IntArray, IntArray]:
    """The numbers at the end of concepts, -1 where there are none, and where the words end."""
    # A blank and a colon, twice, are the last signs before the end.
    four = [np.maximum(ends - back, 0) for back in (4, 3, 2, 1)]
    bounds = [*(signs[row] for row in four), signs[ends]]
    sound = bounds[0] > starts + 3
    for row, expected in zip(four, (_BLANK, _COLON, _BLANK, _COLON), strict=True):
        sound &= sign[row] == expected
    sound &= text[bounds[0] - 1] == _QUOTE
    begins = np.concatenate([np.where(sound, place + 1, 0) for place in bounds[:-1]])
    stops = np.concatenate([np.where(sound, place, 0) for place in bounds[1:]])
    return whole_numbers(text, begins, stops).reshape(4, -1).T, bounds[0] - 1


def _swallows(text: ByteArray, starts: IntArray, stops: IntArray) -> BoolArray:
    """Which words hold the end of a concept, or the beginning of another: a part was damaged.

    Taken for words, the concept before the damage would be lost, and the link to it.
    """
    quotes = np.flatnonzero(text == _QUOTE)
    found = np.searchsorted(quotes, stops) > np.searchsorted(quotes, starts)
    for concept in np.flatnonzero(found).tolist():
        words = text[starts[concept] : stops[concept]].tobytes()
        found[concept] = _INSIDE.search(words) is not None
    return found


def _malformed(lines: JoinedLines, line: int, chained: bool) -> FormatError:
    what, sample = _SAMPLES[chained]
    shown = lines.shown(int(lines.starts[line]), int(lines.stops[line]))
    return FormatError(
        f"malformed {what} {shown!r}", lines.where(line), f"A line is written: {sample}"
    )


def corpus_of(
    names: Sequence[str],
    sources: Sequence[str],
    chains: Concepts,
    concepts: Concepts,
    text: TokenLines | None,
    warnings: Sequence[str],
) -> Corpus:
    """The corpus of documents of which each has a file of chains and one of concepts."""
    rows = _Rows.of(chains, concepts)
    found = rows.found()
    first, entity = numbered(rows.group)
    types, type, kind = rows.types()
    # Without a text the places are names; with it they are found there.
    mentions = Mentions(found.document, entity, entity, entity, None, kind, None, type)
    if text is None:
        mentions = found.named(mentions)
    else:
        start, stop, differences = found.find(text, sources)
        mentions = replace(mentions, start=start, stop=stop)
        warnings = [*warnings, *differences]
    return Corpus(
        tuple(names),
        Entities(found.document[first]),
        mentions,
        None if text is None else text.tokens(),
        types,
        sources=tuple(sources),
        format="i2b2",
        warnings=tuple(dict.fromkeys(warnings)),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Rows:
    """Mentions, document by document: those of chains, then the concepts that are in none."""

    chains: Concepts
    concepts: Concepts
    row: IntArray
    """The row of each mention: first come those of the chains, then those of the concepts."""
    concept: IntArray
    """Its row among the concepts, -1 if it has none there."""

    @classmethod
    def of(cls, chains: Concepts, concepts: Concepts) -> _Rows:
        documents = np.concatenate([chains.document, concepts.document])
        places = np.concatenate([chains.places, concepts.places])
        codes = _codes(documents, places, len(chains.lines.sources))
        count = len(chains.places)
        chained, listed = codes[:count], codes[count:]
        concept = np.full(int(codes.max(initial=-1)) + 1, -1)
        concept[listed[::-1]] = np.arange(len(listed))[::-1]
        alone = np.zeros(len(concept), bool)
        alone[listed] = True
        alone[chained] = False
        # Of concepts that are listed twice the first is meant.
        single = np.flatnonzero(alone[listed] & (concept[listed] == np.arange(len(listed))))
        row = np.concatenate([np.arange(count), count + single])
        row = row[np.argsort(documents[row], kind="stable")]
        return cls(chains, concepts, row, concept[codes[row]])

    @property
    def in_chain(self) -> NDArray[np.bool_]:
        return self.row < len(self.chains.places)

    def found(self) -> LineMentions:
        """The mentions with their places and words."""
        chains, concepts = self.chains, self.concepts
        behind = len(chains.lines.text)
        return LineMentions(
            np.concatenate([chains.document, concepts.document])[self.row],
            np.concatenate([chains.places, concepts.places])[self.row],
            np.concatenate([chains.lines.text, concepts.lines.text]),
            np.concatenate([chains.starts, concepts.starts + behind])[self.row],
            np.concatenate([chains.stops, concepts.stops + behind])[self.row],
            self.where,
        )

    @property
    def group(self) -> IntArray:
        """A number for the entity of each mention."""
        own = len(self.chains.type) + np.arange(len(self.concepts.places))
        return np.concatenate([self.chains.group, own])[self.row]

    def where(self, mention: int) -> Location:
        """The file and line that a mention stands in."""
        row = int(self.row[mention])
        count = len(self.chains.places)
        return self.chains.where(row) if row < count else self.concepts.where(row - count)

    def types(self) -> tuple[tuple[str, ...], IntArray, NDArray[np.uint8] | None]:
        """The names of types, the type of each mention, and its kind where any is known.

        A concept tells its own type. A mention that is a pronoun, or not among the concepts, has
        the type of its chain.
        """
        of_chains = [name.removeprefix("coref ") for name in self.chains.types]
        names = dict.fromkeys([*of_chains, *self.concepts.types])
        known = [name for name in names if name not in ("", PRONOUN, UNTYPED)]
        number = {name: place for place, name in enumerate(known)}

        def numbers(names: Sequence[str], rows: IntArray) -> IntArray:
            # The last one is for what has no row.
            return np.array([number.get(name, -1) for name in (*names, "")])[rows]

        # Concepts have a line each, so that the type of a line is that of its concept.
        own = np.append(self.concepts.type, -1)[self.concept]
        pronoun = np.array([name == PRONOUN for name in (*self.concepts.types, "")])[own]
        line = np.where(self.in_chain, np.append(self.chains.group, -1)[self._chained()], -1)
        chain = numbers(of_chains, np.append(self.chains.type, -1)[line])
        by_chain = self.in_chain & (pronoun | (self.concept < 0))
        kind = np.where(pronoun, Kind.PRONOUN, Kind.UNKNOWN).astype(np.uint8)
        return (
            tuple(known),
            np.where(by_chain, chain, numbers(self.concepts.types, own)),
            kind if pronoun.any() else None,
        )

    def _chained(self) -> IntArray:
        """The row of each mention among those of the chains, -1 if it is in none."""
        return np.where(self.in_chain, self.row, -1)


def _codes(document: IntArray, places: IntArray, documents: int) -> IntArray:
    """A number for each place of a document, the same for the same."""
    # Lines and tokens have at most nine digits, so that a pair of them fits a number.
    first = numbered((places[:, 0] << 30) + places[:, 1])[1]
    last = numbered((places[:, 2] << 30) + places[:, 3])[1]
    pair = first * (int(last.max(initial=0)) + 1) + last
    return numbered(pair * documents + document)[1]


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The one document of a file of chains, with the concepts and the text beside it."""
    return read_many([source], layers)


def read_many(sources: Sequence[Source], layers: frozenset[str] | None) -> Corpus:
    """The documents of files of chains, with the concepts and the texts beside them."""
    return concatenate([_read_batch(batch) for batch in batches(sources)])


def _read_batch(sources: Sequence[Source]) -> Corpus:
    chains, concepts, texts, warnings = [], [], [], []
    for source in sources:
        name = stem(source, CHAINS, CONCEPTS)
        text = name if name.endswith(".txt") else name + ".txt"
        texts.append(companion(source, (text,), ("docs", "doc", "txt", "text")))
        if stem(source).endswith(CONCEPTS):
            chains.append(nothing(source))
            concepts.append(source)
            warnings.append(_NO_CHAINS)
            continue
        names = (name + CONCEPTS, name.removesuffix(".txt") + CONCEPTS)
        beside = companion(source, names, ("concepts", "concept", "con"))
        chains.append(source)
        concepts.append(beside or nothing(source))
        if beside is None:
            warnings.append(_NO_CONCEPTS)
    known = all_or_none(sources, texts, "the text")
    return corpus_of(
        [document_name(source, CHAINS, CONCEPTS, ".txt") for source in sources],
        [source.name for source in known or sources],
        read_concepts(chains, chained=True),
        read_concepts(concepts, chained=False),
        None if known is None else TokenLines.of(known),
        warnings,
    )


def sniff(head: bytes, name: str) -> float:
    """Sure where the first line is a chain or a concept."""
    return 0.9 if _LINE.match(head) else 0.0


I2B2 = register(
    Format(
        name="i2b2",
        title="i2b2/VA 2011: concepts and chains",
        suffixes=(CHAINS,),
        sniff=sniff,
        read_columns=read,
        read_many=read_many,
        capabilities=Capabilities(entity_names=False, kinds=True, types=True),
        write_files=write_files,
        losses=losses,
        companions=(CONCEPTS, ".txt", ".pairs"),
        empty_files=True,
        documentation="docs/formats/i2b2.md",
    )
)
