"""Kinds from the columns of a file: parts of speech, the parse, named entities.

The head word decides: a proper noun, or a word in a named entity, makes a name; a pronoun, or a
determiner that stands alone, a pronoun; an empty node a zero; a verb nothing that a kind is known
of; any other word a nominal.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.corpus.words import Spans
from corefine.kinds.head_words import head_tokens
from corefine.kinds.tags import Tag, tag_class

LAYERS = frozenset({"pos", "upos", "parse", "ner"})
"""The token layers that this looks at."""

_KIND_OF_HEAD = np.full(len(Tag), Kind.NOMINAL, np.uint8)
_KIND_OF_HEAD[[Tag.PRONOUN, Tag.RELATIVE]] = Kind.PRONOUN
_KIND_OF_HEAD[Tag.PROPER] = Kind.NAME
_KIND_OF_HEAD[[Tag.UNKNOWN, Tag.VERB]] = Kind.UNKNOWN
_ENDS = {*",;:([–—\u3001\uff0c\uff1b\uff1a", "--", "-LRB-", "-LSB-"}
"""Marks that end the search for the head of a mention."""
_NUMBERS = re.compile(
    "CARDINAL|DATE|DURATION|MONEY|NUMBER|ORDINAL|PERCENT|QUANTITY|SET|TIME", re.IGNORECASE
)
"""Labels of expressions that are no names."""
_PREFIXED = re.compile(r"[BIESUL]-(.+)")


def has_columns(tokens: Tokens | None) -> bool:
    """True if tokens have a column that determines kinds and is not blank."""
    return tokens is not None and bool(documents_with_columns(tokens).any())


def documents_with_columns(tokens: Tokens) -> BoolArray:
    """True for each document that has such a column; see :func:`has_columns`."""
    cells = np.diff(tokens.offsets)
    found = np.zeros(len(cells), bool)
    for name in ("upos", "pos", "ner"):
        column = tokens.layers.get(name)
        if column is None or found.all():
            continue
        # If there are more bytes than cells, a cell is longer than a placeholder.
        found |= np.diff(column.offsets[tokens.offsets]) > cells
        if not found.all():
            telling = np.flatnonzero(_telling(column))
            found |= np.diff(np.searchsorted(telling, tokens.offsets)) > 0
    return found


def kinds_by_columns(corpus: Corpus, tokens: Tokens) -> NDArray[np.uint8]:
    """The kind of each mention by the columns of these tokens, or unknown."""
    mentions = corpus.mentions
    if not len(mentions):
        return np.zeros(0, np.uint8)
    spans = Spans.of(corpus, tokens)
    tags = token_tags(tokens, spans)
    heads = head_tokens(corpus, tokens, spans, tags)
    tag = tags[heads]
    kind = _KIND_OF_HEAD[tag]
    single = spans.lengths == 1
    # The word after the head; the last word of a document has none.
    last = tokens.offsets[mentions.document + 1] - 1
    follower = tags[np.minimum(heads + 1, last)]
    stands_alone = single | (follower == Tag.RELATIVE)
    kind[(tag == Tag.DETERMINER) & stands_alone] = Kind.PRONOUN
    kind[(tag == Tag.PUNCTUATION) | (tag == Tag.COMMA)] = Kind.UNKNOWN
    named = _in_named_entity(tokens)
    if named is not None:
        kind[named[heads] & (kind != Kind.PRONOUN)] = Kind.NAME
    if tokens.empty is not None:
        kind[tokens.empty[heads]] = Kind.ZERO
    # Kinds are unknown in a document without columns, even if other documents have some.
    kind[~documents_with_columns(tokens)[mentions.document]] = Kind.UNKNOWN
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
            found = column.take(rows).looked_up(tag_class, np.uint8)
            tags[rows] = np.where(found == Tag.UNKNOWN, tags[rows], found)
    marks = rows[tags[rows] == Tag.PUNCTUATION]
    if len(marks):
        tags[marks[tokens.words.take(marks).looked_up(_ENDS.__contains__, bool)]] = Tag.COMMA
    return tags


def _telling(column: Strings) -> BoolArray:
    """True for each cell with more than a placeholder."""
    lengths = column.lengths
    telling = lengths > 1
    single = np.flatnonzero(lengths == 1)
    signs = column.data[column.offsets[:-1][single]]
    telling[single] = np.isin(signs, np.frombuffer(b"-_*", np.uint8), invert=True)
    return telling


def _in_named_entity(tokens: Tokens) -> BoolArray | None:
    """True for each token in a named entity that is a name, not a number or date."""
    column = tokens.layers.get("ner")
    if column is None:
        return None
    opens, closes, name = column.looked_up(_judge, np.int64).reshape(-1, 3).T
    inside: BoolArray = name > 0
    if opens.any():
        inside |= _between_brackets(opens, closes, inside, tokens.sentences)
    return inside


def _between_brackets(
    opens: IntArray, closes: IntArray, name: BoolArray, sentences: IntArray
) -> BoolArray:
    """True if the last opened bracket of the sentence is that of a name and still open."""
    before = np.cumsum(opens - closes) - (opens - closes)
    places = np.arange(len(opens))
    base = before[sentences][np.searchsorted(sentences, places, side="right") - 1]
    last = np.maximum.accumulate(np.where(opens > 0, places, 0))
    still_open: BoolArray = before - base > 0
    return still_open & name[last]


def _judge(cell: str) -> tuple[int, int, bool]:
    """Brackets opened, brackets closed, and whether the cell says that it is in a name."""
    if not cell.strip("*-_)") or cell == "O":
        return 0, cell.count(")"), False
    prefixed = _PREFIXED.fullmatch(cell)
    label = prefixed.group(1) if prefixed else cell.strip("()*")
    return cell.count("("), cell.count(")"), _NUMBERS.fullmatch(label) is None
