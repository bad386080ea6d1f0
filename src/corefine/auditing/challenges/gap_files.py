"""GAP's own files: the examples with their text and answers, and a system's answers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import CorefineError, FormatError, Location
from corefine.formats.input.sources import Source
from corefine.formats.tables import gap
from corefine.formats.tables.gap import Example

GENDERS = dict.fromkeys(("he", "him", "his"), "masculine") | dict.fromkeys(
    ("she", "her", "hers"), "feminine"
)
_TRUTH = {"true": True, "false": False}
_ANSWERS = (
    "Each line has three tab-separated fields: example id, and TRUE or FALSE for A and for B."
)

_PENN = {
    "-LRB-": ("(",), "-RRB-": (")",), "-LSB-": ("[",), "-RSB-": ("]",), "-LCB-": ("{",),
    "-RCB-": ("}",), "``": ('"', "“", "„", "«", "''"), "''": ('"', "”", "“", "»", "``"),
    "`": ("'", "‘"), "'": ("’", "‘", "`"), "--": ("—", "–"), "...": ("…",),
}  # fmt: skip
LARGEST = 1 << 30
"""Bytes above which a file is not one of GAP's."""

Answers = dict[str, tuple[bool, bool]]
"""By example, whether A and whether B is what the pronoun refers to."""


def read_examples(path: str | os.PathLike[str]) -> list[Example]:
    """The examples of one of GAP's files."""
    written = os.fspath(path)
    found: dict[str, Example] = {}
    for example in gap.examples(Source(written, Path(written))):
        if example.id in found:
            raise FormatError(f"example {example.id!r} occurs twice", example.where)
        gender_of(example)
        found[example.id] = example
    return list(found.values())


def gender_of(example: Example) -> str:
    """The gender of the pronoun."""
    pronoun = example.text[slice(*example.pronoun)]
    gender = GENDERS.get(pronoun.strip().lower())
    if gender is None:
        raise FormatError(
            f"the gender of the pronoun {pronoun!r} is unknown",
            example.where,
            f"Known: {', '.join(GENDERS)}",
        )
    return gender


def _truth(cell: str, where: Location) -> bool:
    found = _TRUTH.get(cell.strip().lower())
    if found is None:
        raise FormatError(f"{cell!r} is neither TRUE nor FALSE", where, _ANSWERS)
    return found


def is_answers(source: Source, examples: Iterable[str]) -> bool:
    """Whether a source has answers and not documents: its first line is one, or would be.

    It has an id and two truth values, a header that says so, or three fields of which the first is
    the id of an example, so that whatever is wrong with it is told of that line.
    """
    try:
        start = source.head().decode("utf-8", "ignore").removeprefix("\ufeff").lstrip("\r\n")
    except CorefineError:
        return False  # whoever reads it says what is wrong
    line = start.partition("\n")[0].rstrip("\r")
    cells = line.split("\t")
    if len(cells) == 3 and all(cell.strip().lower() in _TRUTH for cell in cells[1:]):
        return True
    fields = [field.strip() for field in re.split(r"[\t,; ]", line)]
    return _is_header(cells) or (len(fields) <= 3 and fields[0] in set(examples))


def _is_header(cells: list[str]) -> bool:
    return tuple(cell.strip().lower() for cell in cells) == ("id", "a-coref", "b-coref")


def read_answers(source: Source) -> Answers:
    """A system's answers in GAP's format: ID, A-coref, B-coref; a header is passed over."""
    answers: Answers = {}
    for number, line in _lines(source):
        where = source.where(number)
        cells = line.split("\t")
        if len(cells) != 3:
            raise FormatError(f"{len(cells)} columns instead of 3", where, _ANSWERS)
        if not answers and _is_header(cells):
            continue
        name = cells[0].strip()
        if name in answers:
            raise FormatError(f"example {name!r} is answered twice", where, _ANSWERS)
        answers[name] = _truth(cells[1], where), _truth(cells[2], where)
    if not answers:
        raise FormatError("no answers", source.where(), _ANSWERS)
    return answers


def _lines(source: Source) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    try:
        content = source.read_all(LARGEST, "Give one split of GAP.").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("invalid UTF-8", source.where(), "Convert the file to UTF-8.") from None
    # Not splitlines: a text may hold separators that are no newlines to GAP.
    lines = content.replace("\r\n", "\n").split("\n")
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def with_words_of(examples: list[Example], response: Corpus) -> Corpus:
    """The response with the examples' characters where the Penn Treebank writes others.

    Tokenisers write ``-LRB-`` for a bracket and two accents for a quotation mark. A token that the
    text does not have, and that stands for what it has there, becomes that.
    """
    tokens = response.tokens
    assert tokens is not None
    words = tokens.words.tolist()
    if not any(_escapes(word) for word in set(words)):
        return response
    texts = {example.id: "".join(example.text.split()) for example in examples}
    changed = list(words)
    for number, name in enumerate(response.documents):
        at, text = 0, texts.get(name, "")
        for token in range(*tokens.offsets[number : number + 2].tolist()):
            word = "".join(words[token].split())
            written = (word, *_escapes(word))
            found = next((one for one in written if text.startswith(one, at)), None)
            if found is None:
                break  # another text, which is refused when it is aligned
            if found != word:
                changed[token] = found
            at += len(found)
    return replace(response, tokens=replace(tokens, words=Strings.from_list(changed)))


def _escapes(word: str) -> tuple[str, ...]:
    """What a token of the Penn Treebank may stand for in a text."""
    return _PENN.get(word) or ((word.replace("\\/", "/"),) if "\\/" in word else ())


def corpus_of(examples: list[Example], source: str) -> Corpus:
    """The examples as documents whose mentions are the pronoun and the two names, in this order.

    Tokens end at white space and wherever one of these mentions begins or ends, so that each is a
    run of tokens; a resolver's own tokens are aligned with them by characters.
    """
    words: list[str] = []
    counts, rows = [], []
    for number, example in enumerate(examples):
        spans = (example.pronoun, *example.names)
        cuts = {0, len(example.text), *(end for span in spans for end in span)}
        cuts |= {at for at, char in enumerate(example.text) if char.isspace()}
        cuts |= {at + 1 for at, char in enumerate(example.text) if char.isspace()}
        bounds = sorted(cuts)
        tokens = [
            (first, last)
            for first, last in pairwise(bounds)
            if not example.text[first:last].isspace()
        ]
        words += [example.text[first:last] for first, last in tokens]
        counts.append(len(tokens))
        for start, stop in spans:
            inside = [at for at, (first, _) in enumerate(tokens) if start <= first < stop]
            rows.append((number, inside[0], inside[-1] + 1))
    document, start, stop = np.array(rows, np.int64).T
    offsets = offsets_of(np.array(counts, np.int64))
    return Corpus(
        tuple(example.id for example in examples),
        Entities(document),
        Mentions(document, np.arange(len(rows)), start, stop),
        Tokens(Strings.from_list(words), offsets, offsets[:-1]),
        sources=(source,) * len(examples),
        format="gap",
    )
