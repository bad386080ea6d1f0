"""Kinds from the columns of a file: parts of speech, the parse, named entities.

The head word decides: a proper noun, or a word in a named entity, makes a name; a pronoun, or a
determiner that stands alone, a pronoun; an empty node a zero; a verb nothing that a kind is known
of; any other word a nominal. Head words come from the parse or from the order of parts of speech.

The tags of Universal Dependencies, Penn (English, Chinese, Arabic), STTS (German), CGN and Alpino
(Dutch), NKJP (Polish), EAGLES (Spanish, Catalan) and Prague (Czech) are known.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.columns import Kind, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import Spans


class Tag(IntEnum):
    """The function of a word in a mention."""

    UNKNOWN = 0
    NOUN = 1
    PROPER = 2
    PRONOUN = 3
    DETERMINER = 4
    """Includes possessives; a pronoun if it is the only word."""
    NUMERAL = 5
    VERB = 6
    PREPOSITION = 7
    CONJUNCTION = 8
    RELATIVE = 9
    """A pronoun that opens a clause."""
    COMMA = 10
    """A mark that ends the part with the head."""
    PUNCTUATION = 11
    """A mark that may be a comma or not, depending on the word."""
    POSSESSIVE = 12
    """The mark of a genitive."""
    OTHER = 13


@cache
def _tagsets() -> tuple[dict[str, Tag], list[tuple[re.Pattern[str], Tag]]]:
    """Whole tags and patterns of ``data/tags.toml``."""
    import tomllib

    data = tomllib.loads(files("corefine.kinds").joinpath("data/tags.toml").read_text("utf-8"))
    tags = {tag: Tag[name.upper()] for name, line in data["tags"].items() for tag in line.split()}
    patterns = [
        (re.compile(pattern), Tag[name.upper()])
        for tagset in data["patterns"].values()
        for pattern, name in tagset
    ]
    return tags, patterns


@lru_cache(maxsize=4096)
def tag_class(tag: str) -> Tag:
    """The class of a tag, given as written in a file."""
    tags, patterns = _tagsets()
    if tag in tags:
        return tags[tag]
    return next((found for pattern, found in patterns if pattern.fullmatch(tag)), Tag.UNKNOWN)


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
_BLANK = frozenset({"", "-", "_", "*"})
_BRACKET = re.compile(r"\(([^(*=|)-]*)|\)")
_NOUN_PHRASES = frozenset(("NP", "NPB", "NX", "SN", "sn", "np", "GN", "WHNP"))
_NEVER = np.iinfo(np.int64).max


def has_columns(tokens: Tokens | None) -> bool:
    """True if tokens have a column that determines kinds and is not blank."""
    return tokens is not None and bool(documents_with_columns(tokens).any())


def documents_with_columns(tokens: Tokens) -> BoolArray:
    """Mark the documents that have one of the columns; see :func:`has_columns`."""
    found = np.zeros(len(tokens.offsets) - 1, bool)
    for name in ("upos", "pos", "ner"):
        if name in tokens.layers:
            filled = tokens.layers[name].looked_up(lambda cell: cell not in _BLANK, bool)
            found |= np.diff(np.append(0, np.cumsum(filled))[tokens.offsets]) > 0
    return found


def kinds_by_columns(corpus: Corpus, tokens: Tokens) -> NDArray[np.uint8]:
    """The kind of each mention by the columns of ``tokens``, or unknown."""
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
    """True if the last opened bracket of the sentence begins a name and is still open."""
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


def head_tokens(corpus: Corpus, tokens: Tokens, spans: Spans, tags: NDArray[np.uint8]) -> IntArray:
    """The head of each mention as a token of the corpus; ``tags`` are the :class:`Tag` of tokens.

    It is the head that the format gives; else the last noun of the noun phrase that opens the
    mention in the parse; else the last noun before a modifier: before a preposition, a comma, a
    conjunction, a relative pronoun or a verb that follows a noun. Where there is no noun it is the
    last pronoun, numeral or word. "You 're gon na pay it", a pronoun before a verb, is a clause and
    headed by the verb.
    """
    mentions = corpus.mentions
    head = spans.tokens[spans.offsets[:-1]]
    several = np.flatnonzero(spans.lengths > 1)
    if len(several):
        part = spans.take(several)
        head[several] = _by_order(part, tags[part.tokens], _phrase_limits(tokens, part, tags))
    if mentions.head is not None:
        given = tokens.offsets[mentions.document] + mentions.head
        head = np.where(mentions.head >= 0, given, head)
    return head


def _phrase_limits(tokens: Tokens, spans: Spans, tags: NDArray[np.uint8]) -> IntArray | None:
    """The end of the innermost noun phrase that opens each mention and is contained in it, or -1.

    None without a column of phrases.
    """
    phrases = noun_phrases(tokens)
    if phrases is None:
        return None
    first, after = phrases
    # In "John 's wife" the inner phrase "John 's" does not contain the head.
    wanted = tags[after - 1] != Tag.POSSESSIVE
    first, after = first[wanted], after[wanted]
    start, last = spans.tokens[spans.offsets[:-1]], spans.tokens[spans.offsets[1:] - 1]
    if not len(first):
        return np.full(len(start), -1)
    place = np.minimum(np.searchsorted(first, start), len(first) - 1)
    fits = (first[place] == start) & (after[place] <= last + 1)
    return np.where(fits, after[place], -1)


def _by_order(spans: Spans, tags: NDArray[np.uint8], phrase_stop: IntArray | None) -> IntArray:
    """The heads of mentions of several words; ``tags`` has the tags of these words."""
    lengths = spans.lengths
    starts = spans.offsets[:-1]
    place = np.arange(len(tags)) - np.repeat(starts, lengths)

    def first_of(wanted: BoolArray) -> IntArray:
        """The first place in each mention where something holds."""
        return np.minimum.reduceat(np.where(wanted, place, _NEVER), starts)

    def last_of(wanted: BoolArray) -> IntArray:
        """The last place in each mention where something holds, or -1."""
        return np.maximum.reduceat(np.where(wanted, place, -1), starts)

    noun = _any_of(tags, Tag.NOUN, Tag.PROPER)
    numeral = tags == Tag.NUMERAL
    pronoun = tags == Tag.PRONOUN
    strong = np.repeat(first_of(noun | numeral), lengths)
    weak = np.repeat(first_of(noun | numeral | pronoun), lengths)
    modifies = _any_of(tags, Tag.PREPOSITION, Tag.CONJUNCTION, Tag.RELATIVE, Tag.COMMA)
    # "His growing family": a verb ends the part with the head only after a noun.
    ends = (modifies & (place > weak)) | ((tags == Tag.VERB) & (place > strong))
    limit = first_of(ends)
    if phrase_stop is not None:
        known = phrase_stop >= 0
        inside = np.where(known, phrase_stop - spans.tokens[starts], _NEVER)
        limit = np.where(known, inside, limit)
    # "Some of the money" is headed by its first word.
    partitive = (tags[starts] == Tag.DETERMINER) & (tags[starts + 1] == Tag.PREPOSITION)
    limit = np.where(partitive, 1, limit)
    within = place < np.repeat(limit, lengths)
    head = last_of(within)
    for wanted in (numeral, pronoun, noun):
        found = last_of(wanted & within)
        head = np.where(found >= 0, found, head)
    second, third = starts + 1, starts + np.minimum(2, lengths - 1)
    after_adverb = (tags[second] == Tag.OTHER) & (tags[third] == Tag.VERB)
    clause = (tags[starts] == Tag.PRONOUN) & ((tags[second] == Tag.VERB) | after_adverb)
    verb = np.where(after_adverb, third, second)
    chosen: IntArray = np.where(clause, verb, starts + np.maximum(head, 0))
    return spans.tokens[chosen]


def _any_of(tags: NDArray[np.uint8], *wanted: Tag) -> BoolArray:
    table = np.zeros(len(Tag), bool)
    table[list(wanted)] = True
    return table[tags]


def noun_phrases(tokens: Tokens) -> tuple[IntArray, IntArray] | None:
    """First token and token after the last of all noun phrases; inner ones before outer ones.

    None if there is no column of brackets. Sentences with unbalanced brackets have no phrases.
    """
    cells = tokens.layers["parse"].tolist() if "parse" in tokens.layers else []
    if not any("(" in cell or ")" in cell for cell in cells):
        return None
    phrases: list[tuple[int, int]] = []
    for start, stop in pairwise([*tokens.sentences.tolist(), len(tokens)]):
        phrases += _phrases_of_sentence(cells, start, stop)
    first, after = np.array(sorted(phrases), np.int64).reshape(-1, 2).T
    return first, after


def _phrases_of_sentence(cells: list[str], start: int, stop: int) -> list[tuple[int, int]]:
    opened: list[tuple[str, int]] = []
    phrases = []
    for token in range(start, stop):
        for bracket in _BRACKET.finditer(cells[token]):
            if bracket.group() != ")":
                opened.append((bracket.group(1), token))
                continue
            if not opened:
                return []
            label, first = opened.pop()
            if label in _NOUN_PHRASES:
                phrases.append((first, token + 1))
    return [] if opened else phrases
