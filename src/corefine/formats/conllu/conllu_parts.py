"""Parts of discontinuous mentions, ``e1[1/2]`` and ``e1[2/2]``, put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corefine.corpus.arrays import IntArray
from corefine.errors import FormatError, Location
from corefine.formats.input.lines import shown


@dataclass(frozen=True, slots=True)
class Places:
    """Where tokens are: the documents and lines that errors name."""

    documents: Sequence[str]
    offsets: IntArray
    lines: IntArray
    source: str

    def where(self, token: int) -> Location:
        return Location(self.source, int(self.lines[token]))


@dataclass(slots=True)
class _Unfinished:
    row: int
    token: int
    reached: int


class PartJoiner:
    """Puts the parts of discontinuous mentions together, given in the order in which they open.

    Part k of n continues a mention of the same entity that has k - 1 of n parts; of several the one
    whose last part opened last, as brackets close.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._waiting: dict[tuple[tuple[int, str], int, int], list[_Unfinished]] = {}

    def add(
        self, row: int, entity: tuple[int, str], number: int, total: int, start: int, stop: int
    ) -> int:
        """The row of the first part of the mention that this part, a span of tokens, belongs to.

        An entity is the number of its document and its name.
        """
        if not 1 <= number <= total:
            raise self._error(entity, f"part {number} of {total} of a mention", start)
        if number == 1:
            mention = _Unfinished(row, start, stop)
        else:
            waiting = self._waiting.get((entity, total, number - 1))
            if not waiting:
                what = f"part {number} of {total} of a mention without its part {number - 1}"
                raise self._error(entity, what, start)
            mention = waiting.pop()
            if mention.reached > start:
                what = f"part {number} of {total} of a mention that overlaps with another part"
                raise self._error(entity, what, start)
            mention.reached = stop
        if number < total:
            self._waiting.setdefault((entity, total, number), []).append(mention)
        return mention.row

    def check_complete(self) -> None:
        """Refuse mentions whose last part never came."""
        left = [
            (mention.token, entity, number, total)
            for (entity, total, number), waiting in self._waiting.items()
            for mention in waiting
        ]
        if left:
            token, entity, number, total = min(left)
            what = f"a mention of {total} parts of which part {number + 1} never comes"
            raise self._error(entity, what, token)

    def _error(self, entity: tuple[int, str], what: str, token: int) -> FormatError:
        document, name = entity
        return FormatError(
            f"entity {shown(name)!r} of document {self._places.documents[document]!r} has {what}",
            self._places.where(token),
            "The parts of a discontinuous mention are written e1[1/2], e1[2/2].",
        )
