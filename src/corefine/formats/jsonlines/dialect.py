"""What a dialect of JSON lines is: which keys its records have, and how they count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from corefine.formats.jsonlines.json_records import Record

SENTENCES, TEXT = "sentences", "text"
"""The keys of lists of lists of words, and of running text (or a list of its words)."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the lines of a tool look like. Of several keys the first that a line has counts."""

    name: str
    clusters: tuple[str, ...]
    words: tuple[str, ...]
    inclusive: bool = False
    """Whether the second number of a mention is its last word, and not the one behind it."""
    in_sentences: bool = False
    """Whether a mention is its sentence, and two places in that."""
    names: tuple[str, ...] = ("doc_key",)
    named: bool = True
    """Whether all lines must have a name."""
    part: str = ""
    """The key of the number of a part of the document."""
    subtoken_maps: tuple[str, ...] = ()
    """Keys of the word of each piece; a line that has one holds pieces under ``sentences``."""
    given_words: str = ""
    """The key of the words themselves beside such pieces."""
    sentence_map: str = ""
    """The key of the sentence of each word, or piece."""
    layers: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """The columns beside the words: their keys, and how deep the lists under these are."""
    dependency_heads: str = ""
    """The key of the head of each word, counted from 0 in the document, null for a root."""
    heads: str = ""
    """The key of the heads of mentions: rows of head, start and stop."""
    strings: tuple[str, ...] = ()
    """Keys under which a line may repeat the mentions as strings."""
    nulls: bool = False
    """Whether a mention may be null: the tool found no place for it. Such are left out."""
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Keys of clusters that another format reads, and that format."""
    unsaid: bytes = b" "
    """Signs that strings of mentions and words may have or not have."""
    zeros: str = ""
    """How a word begins that is an empty node."""
    plain: Callable[[Record, int, str], list[Record]] | None = None
    """What turns a record (its number, the stem of its file) into records of plain lists, where a
    tool nests objects, or holds several documents in one."""
    entity_names: str = ""
    kinds: str = ""
    types: str = ""
    empty: str = ""
    """Keys of such plain records: the name of each cluster; kind and type of each mention; whether
    each word is an empty node."""

    def convention(self, unit: str) -> str:
        """What the numbers of a mention mean, in a sentence for messages."""
        if self.in_sentences and self.inclusive:
            return "Mentions are [sentence, first, last] in tokens from 0, end inclusive."
        if self.in_sentences:
            return (
                "Mentions are [sentence, first, end] in tokens from 0, end exclusive; if your "
                "ends are inclusive, convert the file first."
            )
        if self.inclusive:
            return f"Mentions are [first, last] in {unit} from 0, end inclusive."
        return f"Mentions are [first, end] in {unit} from 0, end exclusive."
