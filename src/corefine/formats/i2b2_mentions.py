"""From the concepts of i2b2's files to mentions: which are in chains, and where in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corefine.columns import IntArray, Strings, numbered
from corefine.corpus import Corpus, Entities, Kind, Mentions
from corefine.errors import FormatError, Location
from corefine.formats.i2b2_lines import Concepts
from corefine.formats.i2b2_writing import PRONOUN, UNTYPED
from corefine.formats.token_lines import TokenLines


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
    document = rows.document
    first, entity = numbered(rows.group)
    types, type, kind = rows.types()
    given, attributes = None, {}
    if text is None:
        start = np.arange(len(document))
        stop = start + 1
        given = Strings.from_list(map("{}:{} {}:{}".format, *rows.places.T.tolist()))
        attributes["text"] = rows.texts()
    else:
        start, stop = _spans(rows, text, sources)
        warnings = [*warnings, *_differences(rows, text, start, stop, sources)]
        start, stop = start - text.offsets[document], stop - text.offsets[document]
    return Corpus(
        tuple(names),
        Entities(document[first]),
        Mentions(document, entity, start, stop, given, kind, None, type, attributes=attributes),
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

    @property
    def document(self) -> IntArray:
        return np.concatenate([self.chains.document, self.concepts.document])[self.row]

    @property
    def places(self) -> IntArray:
        return np.concatenate([self.chains.places, self.concepts.places])[self.row]

    @property
    def group(self) -> IntArray:
        """A number for the entity of each mention."""
        own = len(self.chains.type) + np.arange(len(self.concepts.places))
        return np.concatenate([self.chains.group, own])[self.row]

    def texts(self) -> Strings:
        """The words of mentions as the files have them."""
        sides = (self.chains, self.concepts)
        cut = [Strings.cut(side.lines.text, side.starts, side.stops) for side in sides]
        return Strings.concatenate(cut).take(self.row)

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


def _spans(rows: _Rows, text: TokenLines, sources: Sequence[str]) -> tuple[IntArray, IntArray]:
    """The first token of each mention, and the one behind its last."""
    places, document = rows.places, rows.document
    start = text.token(document, places[:, 0], places[:, 1])
    last = text.token(document, places[:, 2], places[:, 3])
    wrong = (start < 0) | (last < start)
    if wrong.any():
        mention = int(np.argmax(wrong))
        first_line, first, last_line, end = places[mention].tolist()
        raise FormatError(
            f"there is no mention at {first_line}:{first} {last_line}:{end} "
            f"in {sources[document[mention]]}",
            rows.where(mention),
            "Lines count from 1, tokens from 0; check that this is the text that was annotated.",
        )
    return start, last + 1


def _differences(
    rows: _Rows, text: TokenLines, start: IntArray, stop: IntArray, sources: Sequence[str]
) -> list[str]:
    """Warnings of mentions with other words than their text; an error if most of one are so."""
    count = len(rows.chains.places)
    found = []
    for side, mentions in ((rows.chains, rows.in_chain), (rows.concepts, ~rows.in_chain)):
        own = np.flatnonzero(mentions)
        row = rows.row[own] - (0 if side is rows.chains else count)
        differing = text.differing(
            side.lines.text, side.starts[row], side.stops[row], start[own], stop[own]
        )
        found.append(own[differing])
    differing = np.sort(np.concatenate(found))
    if not len(differing):
        return []
    document, texts = rows.document, rows.texts()
    totals = np.bincount(document, minlength=len(sources))
    words = text.tokens().words
    warnings = []
    for number, several in enumerate(np.bincount(document[differing]).tolist()):
        if not several:
            continue
        mention = int(differing[np.argmax(document[differing] == number)])
        read = " ".join(words[int(start[mention]) : int(stop[mention])])
        told = f"a mention reads {texts[mention][:60]!r}, where {sources[number]} has {read[:60]!r}"
        if 2 * several > totals[number]:
            raise FormatError(
                told, rows.where(mention), "Check that this is the text that was annotated."
            )
        more = f" (and {several - 1} more)" if several > 1 else ""
        warnings.append(f"{rows.where(mention)}: {told}{more}")
    return warnings
