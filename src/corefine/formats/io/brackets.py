"""Coreference brackets in cells: ``(12``, ``12)``, ``(12)``, ``(3|(12)|7)``.

The cells of a whole file are read at once. They are joined in one array of bytes, each followed by
a bar. An id is a run of bytes other than ``( ) |``; it opens a mention after ``(`` and closes one
before ``)``. Bars between ids may be missing: ``(1)(2`` is two ids.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from corefine.corpus.arrays import BoolArray, ByteArray, IntArray, Strings, numbered
from corefine.corpus.columns import Entities, Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from corefine.errors import MOST_PROBLEMS, FormatError, Location, with_others
from corefine.formats.io.lines import shown
from corefine.formats.io.sources import Source

OPEN, CLOSE, BAR = b"()|"
PLACEHOLDERS = ("-", "_", "*")
"""Values of a cell that has no brackets."""
NOT_IN_ID = re.compile(r"[\x00-\x20()|]")
"""Characters that an id in brackets cannot have."""
_CELL = re.compile(r"\|*(?:(?:\([^()|\x00-\x20]++\)?|[^()|\x00-\x20]++\))\|*)+")
_IDS = re.compile(r"\|*(?:\(?[^()|\x00-\x20]++\)?\|*)+")
NAME_BYTES = np.ones(256, bool)
"""Bytes that an id may have."""
NAME_BYTES[[OPEN, CLOSE, BAR]] = False


def is_coreference_cell(cell: str) -> bool:
    """True if a cell is a placeholder or a list of brackets."""
    return cell in PLACEHOLDERS or _CELL.fullmatch(cell) is not None


# --- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Places:
    """Documents and lines of tokens; tokens are counted over all documents."""

    source: Source
    documents: Sequence[str]
    offsets: IntArray
    lines: IntArray

    def document(self, token: IntArray) -> IntArray:
        return np.searchsorted(self.offsets, token, side="right") - 1

    def where(self, token: int) -> Location:
        return self.source.where(int(self.lines[token]))


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells with brackets, each followed by a bar, and their tokens."""

    texts: Strings
    token: IntArray

    @classmethod
    def cut(cls, block: ByteArray, starts: IntArray, stops: IntArray, token: IntArray) -> Self:
        """Cells of a block, in which a byte follows every cell."""
        texts = Strings.cut(block, starts, stops + 1)
        texts.data[texts.offsets[1:] - 1] = BAR
        return cls(texts, token)

    def content(self, cell: int) -> str:
        """The text of a cell without its bar."""
        return str(self.texts[cell]).removesuffix("|")


@dataclass(frozen=True, slots=True)
class Brackets:
    """Ids in the order of the file; each may open a mention, close one, do both or neither."""

    names: Sequence[str]
    """The distinct ids."""
    code: IntArray
    """Index of each id among the names."""
    token: IntArray
    opens: BoolArray
    closes: BoolArray

    @classmethod
    def find(cls, cells: Cells) -> tuple[Self, list[int]]:
        """Ids in cells, and the indices of malformed cells."""
        text, offsets = cells.texts.block, cells.texts.offsets
        edges = np.flatnonzero(np.diff(NAME_BYTES[text], prepend=False))
        start, stop = edges[0::2], edges[1::2]
        # The byte before an id at the beginning of the text is the last bar of all.
        opens, closes = text[start - 1] == OPEN, text[stop] == CLOSE
        token = np.repeat(cells.token, np.diff(offsets))[start]
        sound = (
            np.count_nonzero(opens) == np.count_nonzero(text == OPEN)
            and np.count_nonzero(closes) == np.count_nonzero(text == CLOSE)
            and int(text.min(initial=BAR)) > 32
            and np.count_nonzero(np.diff(token, prepend=-1)) == len(cells.token)
        )
        listed = () if sound else range(len(cells.token))
        malformed = [cell for cell in listed if not _IDS.fullmatch(cells.content(cell))]
        names, code = Strings.cut(text, start, stop).distinct()
        return cls(names, code, token, opens, closes), malformed

    def take(self, rows: IntArray) -> Brackets:
        return Brackets(
            self.names, self.code[rows], self.token[rows], self.opens[rows], self.closes[rows]
        )

    def pairs(self, places: Places, opening: str = "({}") -> tuple[IntArray, IntArray]:
        """Indices of the brackets that open and close each mention, in the order of the openings.

        Of an entity of a document, the mention opened last is closed first. ``opening`` is the form
        of a bracket that opens, for messages.
        """
        group = places.document(self.token) * len(self.names) + self.code
        loose = np.flatnonzero(self.opens != self.closes)
        loose = loose[np.argsort(group[loose], kind="stable")]
        group, opens = group[loose], self.opens[loose]
        level = np.cumsum(np.where(opens, 1, -1))
        if (level < 0).any() or level[np.diff(group, append=-1) != 0].any():
            raise with_others(self._unbalanced(loose, group, places, opening))
        # At each depth of an entity, brackets open and close in turn.
        order = loose[np.lexsort((level + ~opens, group))]
        partner = np.arange(len(self.token))
        partner[order[0::2]] = order[1::2]
        first = np.flatnonzero(self.opens)
        return first, partner[first]

    def _unbalanced(
        self, loose: IntArray, group: IntArray, places: Places, opening: str
    ) -> list[FormatError]:
        """Errors for brackets without a partner."""
        unpaired: list[int] = []
        still_open: dict[int, list[int]] = {}
        for row, entity in zip(loose.tolist(), group.tolist(), strict=True):
            stack = still_open.setdefault(entity, [])
            if self.opens[row]:
                stack.append(row)
            elif stack:
                stack.pop()
            else:
                unpaired.append(row)
        unpaired += [row for stack in still_open.values() for row in stack]
        problems = []
        for row in sorted(unpaired)[:MOST_PROBLEMS]:
            name, token = shown(self.names[self.code[row]]), int(self.token[row])
            document = shown(places.documents[int(places.document(np.array(token)))])
            what, missing, form = (
                ("opened", "closed", "{})") if self.opens[row] else ("closed", "opened", opening)
            )
            problems.append(
                FormatError(
                    f"a mention of entity {name!r} is {what} here but never {missing} in document "
                    f"{document!r}",
                    places.where(token),
                    f"Add the missing bracket {form.format(name)}, or remove this one.",
                )
            )
        return problems

    def mentions(self, places: Places, opening: str = "({}") -> tuple[Entities, Mentions]:
        """Entities and mentions, in the order of the brackets that open."""
        first, last = self.pairs(places, opening)
        document = places.document(self.token[first])
        rows, entity = numbered(document * len(self.names) + self.code[first])
        names = Strings.from_list(self.names).take(self.code[first[rows]])
        base = places.offsets[document]
        start, stop = self.token[first] - base, self.token[last] + 1 - base
        return Entities(document[rows], names), Mentions(document, entity, start, stop)


# --- writing --------------------------------------------------------------------------------------


def crossing(spans: Sequence[tuple[Hashable, int, int]]) -> set[int]:
    """Numbers of spans to leave out so that no two of a group cross.

    Spans are given as group, first and last token. Brackets of a group look alike, so the one
    opened last is taken to be closed first. Spans cross if one starts inside the other and ends
    after it; to start where the other ends is no crossing.

    >>> crossing([(1, 0, 2), (1, 1, 3), (1, 2, 3)])
    {1}
    """
    out: set[int] = set()
    still_open: dict[Hashable, list[int]] = {}
    for number in sorted(range(len(spans)), key=lambda one: (spans[one][1], -spans[one][2])):
        group, first, last = spans[number]
        lasts = still_open.setdefault(group, [])
        while lasts and lasts[-1] <= first:
            lasts.pop()
        if lasts and lasts[-1] < last:
            out.add(number)
        else:
            lasts.append(last)
    return out


def entity_labels(
    corpus: Corpus, forbidden: re.Pattern[str], prefix: str = ""
) -> Callable[[Document], dict[str | int, str]]:
    """Function from a document to the labels of its entities.

    Labels are names or, if any name of the corpus has a forbidden character, numbers.
    """
    names = corpus.entities.names
    named = names is not None and not any(
        not name or forbidden.search(name) for name in names.tolist()
    )

    def labels(document: Document) -> dict[str | int, str]:
        return {
            entity: str(entity) if named else f"{prefix}{number}"
            for number, entity in enumerate(document.entities, start=1)
        }

    return labels


def bracket_cells(document: Document, labels: dict[str | int, str], placeholder: str) -> list[str]:
    """The coreference cell of each token; mentions that cross others of their entity are left out.

    In a cell, mentions open with the longest first, then come those of one word, then those that
    close, the latest opened first. A bracket that closes comes before all of these if its entity
    opens another mention in the same cell: else it would close that one.
    """
    spans = [(m.entity, m.spans[0][0], m.spans[-1][1] - 1) for m in document.mentions]
    out = crossing(spans)
    kept = [span for number, span in enumerate(spans) if number not in out]
    opening = {(first, entity) for entity, first, last in kept if first < last}
    brackets: dict[int, list[tuple[int, int, int, str]]] = defaultdict(list)
    for number, (entity, first, last) in enumerate(kept):
        label = labels[entity]
        if first == last:
            brackets[first].append((2, 0, number, f"({label})"))
            continue
        brackets[first].append((1, -last, number, f"({label}"))
        order = 0 if (last, entity) in opening else 3
        brackets[last].append((order, -first, -number, f"{label})"))
    cells = [placeholder] * len(document.tokens or ())
    for token, found in brackets.items():
        cells[token] = "|".join(bracket[3] for bracket in sorted(found))
    return cells
