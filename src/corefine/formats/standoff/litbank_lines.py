"""The lines of LitBank's TSV: mentions, and the entities that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import ByteArray, IntArray, numbered
from corefine.corpus.columns import Entities, Kind
from corefine.corpus.strings import Strings, numbered_bytes
from corefine.errors import FormatError
from corefine.formats.building.line_mentions import LineMentions
from corefine.formats.input.joined_lines import JoinedLines
from corefine.formats.standoff.litbank_writing import KINDS, UNKNOWN
from corefine.formats.text.numerals import whole_numbers
from corefine.formats.text.tab_cells import TabCells, equal_to

_SAMPLE = (
    "With tabs between, a line is: MENTION, id, sentence, token, sentence, token, words, type, "
    "kind; or: COREF, id, entity."
)
_WITHOUT_IDENTITY = (b"COP", b"APPOS")
_KIND_OF = {name: kind for kind, name in KINDS.items()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lines:
    """The lines of several files, by what they say."""

    cells: TabCells
    mention: IntArray
    """The lines of mentions."""
    coreference: IntArray
    """The lines of entities."""

    @classmethod
    def of(cls, lines: JoinedLines) -> Lines:
        cells = TabCells.of(lines)
        row = np.arange(len(lines.stops))
        first = cells.bounds(row, 0)
        mention = equal_to(lines.text, *first, b"MENTION")
        coreference = equal_to(lines.text, *first, b"COREF")
        known = mention | coreference
        for word in _WITHOUT_IDENTITY:
            known |= equal_to(lines.text, *first, word)
        found = cls(cells, np.flatnonzero(mention), np.flatnonzero(coreference))
        for line in np.flatnonzero(~known).tolist():
            if lines.text[lines.starts[line] : lines.stops[line]].tobytes().strip():
                found.refuse(line, "a line that is none of LitBank's")
        counts = cells.counts
        wrong = (mention & ((counts < 8) | (counts > 9))) | (coreference & (counts != 3))
        if wrong.any():
            line = int(np.argmax(wrong))
            found.refuse(line, f"a line of {counts[line]} cells")
        return found

    def refuse(self, line: int, what: str) -> NoReturn:
        lines = self.cells.lines
        shown = lines.shown(int(lines.starts[line]), int(lines.stops[line]))
        raise FormatError(f"{what}: {shown!r}", lines.where(line), _SAMPLE)

    @property
    def _text(self) -> ByteArray:
        return self.cells.lines.text

    def mentions(self) -> LineMentions:
        """The mentions with their places and words."""
        rows = self.mention
        counts = self.cells.counts[rows]
        # Some give the sentence once, for both ends.
        once = counts == 8
        columns = (2, 3, np.where(once, 2, 4), np.where(once, 4, 5))
        places = np.stack(
            [whole_numbers(self._text, *self.cells.bounds(rows, column)) for column in columns],
            axis=1,
        )
        if (places < 0).any():
            line = int(rows[np.argmax((places < 0).any(axis=1))])
            self.refuse(line, "sentences and tokens must be whole numbers")
        # Sentences are lines of the text, which count from 1.
        places[:, 0] += 1
        places[:, 2] += 1
        begins, ends = self.cells.bounds(rows, counts - 3)
        return LineMentions(
            self.cells.lines.file[rows],
            places,
            self._text,
            begins,
            ends,
            lambda mention: self.cells.lines.where(int(rows[mention])),
        )

    def types(self) -> tuple[tuple[str, ...], IntArray, NDArray[np.uint8]]:
        """The names of types, and type and kind of each mention."""
        rows = self.mention
        last = self.cells.counts[rows] - 1
        starts, stops = (
            np.concatenate(column)
            for column in zip(
                self.cells.bounds(rows, last - 1), self.cells.bounds(rows, last), strict=True
            )
        )
        first, codes = numbered_bytes(self._text, starts, stops - starts)
        words = Strings.cut(self._text, starts[first], stops[first]).tolist()
        pair_first, pair = numbered(codes[: len(rows)] * max(len(words), 1) + codes[len(rows) :])
        types: dict[str, int] = {}
        understood = []
        for mention in pair_first.tolist():
            one, other = words[codes[mention]], words[codes[mention + len(rows)]]
            name, kind = self._type_and_kind(one, other, int(rows[mention]))
            understood.append((types.setdefault(name, len(types)) if name else -1, kind))
        table = np.array(understood, np.int64).reshape(-1, 2)
        return tuple(types), table[pair, 0], table[pair, 1].astype(np.uint8)

    def _type_and_kind(self, one: str, other: str, line: int) -> tuple[str, Kind]:
        """Which of the last two cells is the type, and which the kind: the last, as a rule."""
        for type, kind in ((one, other), (other, one)):
            if kind in _KIND_OF:
                return "" if type == UNKNOWN else type, _KIND_OF[kind]
        if UNKNOWN in (one, other):
            type = one if other == UNKNOWN else other
            return "" if type == UNKNOWN else type, Kind.UNKNOWN
        self.refuse(line, f"neither {one!r} nor {other!r} is a kind ({', '.join(_KIND_OF)})")

    def entities(self, names: Sequence[str]) -> tuple[IntArray, IntArray, Entities]:
        """Mentions by their row, the entity of each, and the entities.

        A mention of two entities is there twice; one of none is an entity of its own.
        """
        file = self.cells.lines.file
        mention_ids, coreference_ids = self._ids()
        row_of = np.full(int(mention_ids.max(initial=-1)) + 1, -1)
        row_of[mention_ids[::-1]] = np.arange(len(mention_ids))[::-1]
        again = row_of[mention_ids] != np.arange(len(mention_ids))
        if again.any():
            self.refuse(int(self.mention[np.argmax(again)]), "a mention with the id of another")
        known = coreference_ids < len(row_of)
        if not known.all():
            line = int(self.coreference[np.argmin(known)])
            self.refuse(line, "an entity of a mention that there is not")
        row = row_of[coreference_ids]
        starts, stops = self.cells.bounds(self.coreference, 2)
        labels = numbered_bytes(self._text, starts, stops - starts)[1]
        label = labels * len(names) + file[self.coreference]
        alone = np.ones(len(self.mention), bool)
        alone[row] = False
        single = np.flatnonzero(alone)
        rows = np.concatenate([row, single])
        groups = np.concatenate([label, int(label.max(initial=0)) + 1 + np.arange(len(single))])
        order = np.argsort(rows, kind="stable")
        first, entity = numbered(groups[order])
        given = Strings.concatenate(
            [Strings.cut(self._text, starts, stops), self._names_of(single, names)]
        )
        document = file[self.mention[rows[order[first]]]]
        return rows[order], entity, Entities(document, given.take(order[first]))

    def _ids(self) -> tuple[IntArray, IntArray]:
        """Numbers for the ids of mentions, and for those that lines of entities name.

        Ids that are not a mention's have numbers behind all others.
        """
        rows = np.concatenate([self.mention, self.coreference])
        starts, stops = self.cells.bounds(rows, 1)
        codes = numbered_bytes(self._text, starts, stops - starts)[1]
        files = len(self.cells.lines.sources)
        codes = numbered(codes * files + self.cells.lines.file[rows])[1]
        return codes[: len(self.mention)], codes[len(self.mention) :]

    def _names_of(self, mentions: IntArray, names: Sequence[str]) -> Strings:
        """Names for entities that have none: document and id of their only mention."""
        ids = Strings.cut(self._text, *self.cells.bounds(self.mention[mentions], 1))
        documents = self.cells.lines.file[self.mention[mentions]].tolist()
        return Strings.from_list(
            f"{names[document]}:{id}" for document, id in zip(documents, ids, strict=True)
        )
