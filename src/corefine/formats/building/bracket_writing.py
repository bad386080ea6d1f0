"""Writing files whose last column has brackets: their cells, and what these cannot hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, ranges
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.corpus.strings import Strings
from corefine.formats.building.empty_nodes import drop_empty_nodes
from corefine.formats.building.written_text import with_text
from corefine.formats.text.nesting import crossing

CONTROL = re.compile(r"[\x00-\x1f]")
_NOT_IN_ID = re.compile(r"[\x00-\x20()|]")


def bracket_losses(corpus: Corpus, read_back: Callable[[str], str]) -> list[str]:
    """What words and brackets cannot say of this corpus.

    ``read_back`` gives the name that a document has when it was written and read.
    """
    tokens = corpus.tokens
    if tokens is None:
        return []
    lost = []
    renamed = [name for name in corpus.documents if read_back(name) != name]
    if renamed:
        lost.append(counted(renamed, "document name"))
    spaced = _spaced(tokens.words)
    if len(spaced):
        lost.append(counted(tokens.words.take(spaced), "word", " with white space"))
    unwritten = np.count_nonzero(~nested(drop_empty_nodes(corpus)))
    if unwritten:
        lost.append(f"crossing mentions of the same entity ({unwritten})")
    return lost


def in_brackets(corpus: Corpus, format: str) -> tuple[Corpus, Tokens]:
    """What brackets behind the words of a corpus can say of it, and these words."""
    corpus, tokens = with_text(corpus, format)
    return keep_mentions(corpus, nested(corpus)), tokens


def document_lines(
    tokens: Tokens, document: int, begin: str, row: Callable[[int, int], str], end: str
) -> bytes:
    """A document as a piece of a file: an empty line ends each of its sentences.

    ``row`` is the line of a token, given its number in the corpus and in its sentence.
    """
    first, stop = tokens.offsets[document : document + 2].tolist()
    low, high = np.searchsorted(tokens.sentences, [first, stop])
    starts = [first, *tokens.sentences[low:high].tolist(), stop]
    lines = [begin]
    for start, behind in pairwise(starts):
        if behind > start:
            lines += [row(token, token - start) for token in range(start, behind)]
            lines.append("")
    return "\n".join([*lines, end, ""]).encode("utf-8", "surrogatepass")


def counted(found: Sequence[str], noun: str, which: str = "") -> str:
    """How many there are, and the first of them."""
    return f"{len(found)} {noun}{'' if len(found) == 1 else 's'}{which} such as {found[0]!r}"


def word_cells(tokens: Tokens) -> list[str]:
    """Words as the content of cells."""
    words = tokens.words.tolist()
    for token in _spaced(tokens.words).tolist():
        words[token] = as_cell(words[token])
    return words


def _spaced(words: Strings) -> IntArray:
    """Words with control characters inside, or with blanks at an end."""
    firsts, stops = words.offsets[:-1], words.offsets[1:]
    held = np.flatnonzero(stops > firsts)
    blank = words.data == 32
    wrong = blank[firsts[held]] | blank[stops[held] - 1]
    control = np.flatnonzero(words.data < 32)
    inside = np.searchsorted(words.offsets, control, side="right") - 1
    return np.union1d(held[wrong], inside[(inside >= 0) & (inside < len(words))])


def as_cell(text: str) -> str:
    """A text as the content of one cell."""
    return CONTROL.sub(" ", text).strip(" ")


def layer_cells(tokens: Tokens, name: str, missing: str) -> Sequence[str]:
    column = tokens.layers.get(name)
    if column is None:
        return [missing] * len(tokens)
    return [as_cell(value) or missing for value in column]


def bracket_cells(corpus: Corpus) -> dict[int, str]:
    """The coreference cells that hold something, by token of the corpus."""
    ids, _ = entity_ids(corpus, _NOT_IN_ID)
    entity, opens, closes, token = _brackets(corpus)
    cells: dict[int, list[str]] = {}
    for place, owner, opening, closing in zip(
        token.tolist(), entity.tolist(), opens.tolist(), closes.tolist(), strict=True
    ):
        bracket = f"{'(' if opening else ''}{ids[owner]}{')' if closing else ''}"
        cells.setdefault(place, []).append(bracket)
    return {place: "|".join(brackets) for place, brackets in cells.items()}


def entity_ids(
    corpus: Corpus, forbidden: re.Pattern[str], prefix: str = ""
) -> tuple[list[str], list[str]]:
    """An id for each entity, its name or (where one is no id) a number; and what gets lost."""
    document, names = corpus.entities.document, corpus.entities.names
    lost: list[str] = []
    if names is not None:
        ids = names.tolist()
        wrong = [name for name in ids if not name or forbidden.search(name)]
        if not wrong and len(set(zip(document.tolist(), ids, strict=True))) == len(ids):
            return ids, []
        unlike = "entity ids, since some are not unique"
        lost = [counted(wrong, "name", " of entities") if wrong else unlike]
    order = np.argsort(document, kind="stable")
    counts = np.bincount(document, minlength=1)
    numbers = np.empty(len(document), np.int64)
    numbers[order] = ranges(np.ones(len(counts), np.int64), counts)
    return [f"{prefix}{number}" for number in numbers.tolist()], lost


def _brackets(corpus: Corpus) -> tuple[IntArray, BoolArray, BoolArray, IntArray]:
    """All brackets in the order of the file: entity, opens, closes, token.

    In a cell, mentions open with the longest first, then come those of one word, then those that
    close, the latest opened first. A bracket that closes comes before all of these where its entity
    opens another mention in the same cell: else it would close that one.
    """
    mentions, tokens = corpus.mentions, corpus.tokens
    assert tokens is not None
    base = tokens.offsets[mentions.document]
    start, stop = mentions.start + base, mentions.stop + base - 1
    single = np.flatnonzero(start == stop)
    longer = np.flatnonzero(start < stop)
    mention = np.concatenate([longer, single, longer])
    kind = np.repeat([1, 2, 3], [len(longer), len(single), len(longer)])
    token = np.concatenate([start[longer], start[single], stop[longer]])
    place = token * max(len(corpus.entities), 1) + mentions.entity[mention]
    kind[(kind == 3) & np.isin(place, place[kind == 1])] = 0
    # Longest first among those that open; the reverse of the order of opening where they close.
    closing = (kind == 0) | (kind == 3)
    by_length = np.where(closing, -start[mention], -stop[mention])
    tie = np.where(closing, -mention, mention)
    order = np.lexsort((tie, np.where(closing, stop[mention], 0), by_length, kind, token))
    kind, mention = kind[order], mention[order]
    opens, closes = (kind == 1) | (kind == 2), kind != 1
    return mentions.entity[mention], opens, closes, token[order]


def nested(corpus: Corpus) -> BoolArray:
    """Which mentions can be written, since they do not cross another one of their entity."""
    mentions = corpus.mentions
    return ~crossing(mentions.entity, mentions.start, mentions.stop - 1)
