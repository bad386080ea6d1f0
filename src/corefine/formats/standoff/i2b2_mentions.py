"""From the concepts of i2b2's files to mentions: which are in chains, and where in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray, numbered
from corefine.corpus.columns import Entities, Kind, Mentions
from corefine.corpus.corpus import Corpus
from corefine.errors import Location
from corefine.formats.building.line_mentions import LineMentions
from corefine.formats.standoff.i2b2_lines import Concepts
from corefine.formats.standoff.i2b2_writing import PRONOUN, UNTYPED
from corefine.formats.text.token_lines import TokenLines


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
