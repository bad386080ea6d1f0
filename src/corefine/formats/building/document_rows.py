"""Documents that a reader finds one by one, word by word, as a corpus."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from corefine.corpus.columns import Entities, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.formats.building.mention_rows import MentionRows
from corefine.formats.input.sources import Source


@dataclass(slots=True)
class DocumentRows:
    """Documents in their order: words are added to the last one, and mentions of its words."""

    names: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    empty: list[bool] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    """The first word of each sentence, over all documents."""
    first: list[int] = field(default_factory=list)
    """The first word of each document."""
    layers: dict[str, list[str]] = field(default_factory=dict)
    mentions: MentionRows = field(default_factory=MentionRows)
    warnings: list[str] = field(default_factory=list)
    _sentence: Hashable = None

    def begin(self, name: str, source: str) -> None:
        """A further document."""
        self.names.append(name)
        self.sources.append(source)
        self.first.append(len(self.words))
        self._sentence = None

    @property
    def size(self) -> int:
        """How many words the last document has so far."""
        return len(self.words) - self.first[-1]

    @property
    def document(self) -> int:
        """The number of the last document."""
        return len(self.names) - 1

    def add(self, word: str, sentence: Hashable, line: int, *, empty: bool = False) -> int:
        """A further word of the last document; a sentence begins where its name changes."""
        if len(self.words) == self.first[-1] or sentence != self._sentence:
            self.sentences.append(len(self.words))
            self._sentence = sentence
        self.words.append(word)
        self.lines.append(line)
        self.empty.append(empty)
        return self.size - 1

    def corpus(
        self, format: str, *, kinds: bool = False, named: bool = True, text: bool = True
    ) -> Corpus:
        """The corpus of all documents; entities have the names under which they were added."""
        entities = self.mentions.entities
        names = Strings.from_list(str(name) for _, name in entities)
        columns = {name: column for name, column in self.layers.items() if any(column)}
        empty = np.array(self.empty, bool)
        return Corpus(
            tuple(self.names),
            Entities(self.mentions.all_entities().document, names),
            self.mentions.mentions(kinds=kinds),
            Tokens(
                Strings.from_list(self.words),
                np.array([*self.first, len(self.words)], np.int64),
                np.array(self.sentences, np.int64),
                {name: Strings.from_list(column) for name, column in columns.items()},
                empty if empty.any() else None,
                np.array(self.lines, np.int64),
            )
            if text
            else None,
            tuple(self.mentions.types),
            sources=tuple(self.sources),
            format=format,
            warnings=tuple(self.warnings),
            named=named,
        )


def runs(tokens: Sequence[int]) -> list[tuple[int, int]]:
    """Numbers as runs of neighbours: the first of each, and the one behind its last.

    >>> runs([3, 1, 2, 7])
    [(1, 4), (7, 8)]
    """
    found: list[tuple[int, int]] = []
    for token in sorted(set(tokens)):
        if found and found[-1][1] == token:
            found[-1] = (found[-1][0], token + 1)
        else:
            found.append((token, token + 1))
    return found


def documents_of(
    sources: Sequence[Source],
    layers: frozenset[str] | None,
    *,
    format: str,
    add: Callable[[Source, DocumentRows], None],
) -> Corpus:
    """The documents of files, each added by a function of its format; it has no layers."""
    rows = DocumentRows()
    for source in sources:
        add(source, rows)
    return rows.corpus(format)
