"""Kinds from the columns of a file: parts of speech, the parse, named entities.

The head word decides: a proper noun, or a word in a named entity, makes a name; a pronoun, or a
determiner that stands alone, a pronoun; an empty node a zero; a verb nothing that a kind is known
of; any other word a nominal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray
from corefine.corpus.columns import Kind, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.corpus.words import Spans
from corefine.kinds.heads import head_tokens
from corefine.kinds.named_entities import in_named_entity
from corefine.kinds.tags import Tag, tag_class

LAYERS = frozenset({"pos", "upos", "parse", "ner"})
"""The token layers that this looks at."""

_KIND_OF_HEAD = np.full(len(Tag), Kind.NOMINAL, np.uint8)
_KIND_OF_HEAD[[Tag.PRONOUN, Tag.RELATIVE]] = Kind.PRONOUN
_KIND_OF_HEAD[Tag.PROPER] = Kind.NAME
_KIND_OF_HEAD[[Tag.UNKNOWN, Tag.VERB]] = Kind.UNKNOWN
_ENDS = {
    ",",
    ";",
    ":",
    "(",
    "[",
    "--",
    "–",
    "—",
    "-LRB-",
    "-LSB-",
    "\u3001",
    "\uff0c",
    "\uff1b",
    "\uff1a",
}
"""Marks behind which the head of a mention is not looked for."""


def has_columns(tokens: Tokens | None) -> bool:
    """Whether tokens have a column that tells kinds and says something in it."""
    if tokens is None:
        return False
    return any(_telling(column).any() for column in _told_by(tokens))


def documents_with_columns(tokens: Tokens) -> BoolArray:
    """For which documents :func:`has_columns` would hold by itself."""
    found = np.zeros(len(tokens.offsets) - 1, bool)
    for column in _told_by(tokens):
        telling = np.flatnonzero(_telling(column))
        found |= np.diff(np.searchsorted(telling, tokens.offsets)) > 0
    return found


def kinds_by_columns(corpus: Corpus, tokens: Tokens) -> NDArray[np.uint8]:
    """The kind of each mention by the columns of these tokens; unknown where they do not tell."""
    mentions = corpus.mentions
    if not len(mentions):
        return np.zeros(0, np.uint8)
    spans = Spans.of(corpus, tokens)
    tags = token_tags(tokens, spans)
    heads = head_tokens(corpus, tokens, spans, tags)
    tag = tags[heads]
    kind = _KIND_OF_HEAD[tag]
    single = spans.lengths == 1
    follower = tags[np.minimum(heads + 1, len(tags) - 1)]
    stands_alone = single | (follower == Tag.RELATIVE)
    kind[(tag == Tag.DETERMINER) & stands_alone] = Kind.PRONOUN
    kind[(tag == Tag.PUNCTUATION) | (tag == Tag.COMMA)] = Kind.UNKNOWN
    named = in_named_entity(tokens)
    if named is not None:
        kind[named[heads] & (kind != Kind.PRONOUN)] = Kind.NAME
    if tokens.empty is not None:
        kind[tokens.empty[heads]] = Kind.ZERO
    return kind


def token_tags(tokens: Tokens, spans: Spans) -> NDArray[np.uint8]:
    """The class of every token that a mention covers (others are unknown)."""
    tags = np.zeros(len(tokens), np.uint8)
    covered = np.zeros(len(tokens), bool)
    covered[spans.tokens] = True
    rows = np.flatnonzero(covered)
    for name in ("pos", "upos"):
        column = tokens.layers.get(name)
        if column is not None:
            found = _classes(column.take(rows))
            tags[rows] = np.where(found == Tag.UNKNOWN, tags[rows], found)
    marks = rows[tags[rows] == Tag.PUNCTUATION]
    if len(marks):
        words = tokens.words.take(marks).tolist()
        tags[marks[[word in _ENDS for word in words]]] = Tag.COMMA
    return tags


def _classes(column: Strings) -> NDArray[np.uint8]:
    """The class of each tag; a tag that occurs a thousand times is looked at once."""
    if not len(column):
        return np.zeros(0, np.uint8)
    codes = column.codes()
    values, first = np.unique(codes, return_index=True)
    classes = np.zeros(int(values.max()) + 1, np.uint8)
    classes[values] = [tag_class(tag) for tag in column.take(first).tolist()]
    return classes[codes]


def _told_by(tokens: Tokens) -> list[Strings]:
    """The columns that tell kinds by themselves."""
    columns = (tokens.layers.get(name) for name in ("upos", "pos", "ner"))
    return [column for column in columns if column is not None]


def _telling(column: Strings) -> BoolArray:
    """Which cells hold more than a placeholder."""
    lengths = column.lengths
    telling = lengths > 1
    single = np.flatnonzero(lengths == 1)
    signs = column.data[column.offsets[:-1][single]]
    telling[single] = np.isin(signs, np.frombuffer(b"-_*", np.uint8), invert=True)
    return telling
