"""Mentions that files give by line and token of a text that stands in another file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import ByteArray, IntArray
from corefine.corpus.columns import Mentions
from corefine.corpus.strings import Strings
from corefine.errors import FormatError, Location
from corefine.formats.building.quoted_words import shown, told
from corefine.formats.text.token_lines import TokenLines


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LineMentions:
    """Mentions with their places, and with their words as the files repeat them."""

    document: IntArray
    places: IntArray
    """Rows of first line and token, last line and token; lines from 1, tokens from 0."""
    block: ByteArray
    begins: IntArray
    ends: IntArray
    """Where in the block the words of each mention lie."""
    where: Callable[[int], Location]
    """The line that a mention stands in."""

    def named(self, mentions: Mentions) -> Mentions:
        """These mentions with their places as names: there is no text."""
        start = np.arange(len(self.document))
        return Mentions(
            self.document,
            mentions.entity,
            start,
            start + 1,
            Strings.from_list(map("{}:{} {}:{}".format, *self.places.T.tolist())),
            mentions.kind,
            type=mentions.type,
            attributes={"text": Strings.cut(self.block, self.begins, self.ends)},
        )

    def find(
        self, text: TokenLines, sources: Sequence[str]
    ) -> tuple[IntArray, IntArray, list[str]]:
        """Start and stop in the text, and warnings of words that differ from it."""
        start = text.token(self.document, self.places[:, 0], self.places[:, 1])
        last = text.token(self.document, self.places[:, 2], self.places[:, 3])
        wrong = (start < 0) | (last < start)
        if wrong.any():
            mention = int(np.argmax(wrong))
            raise FormatError(
                f"there is no mention {self._shown(mention)} in {self._text(mention, sources)}",
                self.where(mention),
                "Lines and tokens must refer to the text; check that it is the right one.",
            )
        stop = last + 1
        warnings = self._differences(text, start, stop, sources)
        before = text.offsets[self.document]
        return start - before, stop - before, warnings

    def _words(self, mention: int) -> str:
        return self.block[self.begins[mention] : self.ends[mention]].tobytes().decode("utf-8")

    def _shown(self, mention: int) -> str:
        line, token, last_line, last = self.places[mention].tolist()
        words = shown(self._words(mention))
        return f"{words} from line {line}, token {token} to line {last_line}, token {last}"

    def _text(self, mention: int, sources: Sequence[str]) -> str:
        return sources[int(self.document[mention])]

    def _differences(
        self, text: TokenLines, start: IntArray, stop: IntArray, sources: Sequence[str]
    ) -> list[str]:
        """Warnings of other words than the text's; an error where most of a document's are."""

        def tell(mention: int) -> str:
            own = shown(text.words(int(start[mention]), int(stop[mention])))
            words = shown(self._words(mention))
            return f"a mention reads {words}, but {self._text(mention, sources)} has {own}"

        differing = text.differing(self.block, self.begins, self.ends, start, stop)
        return told(differing, self.document, tell, self.where)
