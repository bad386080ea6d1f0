"""GAP's own files: the examples with their text and answers, and a system's answers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import FormatError, Location, UsageError

GENDERS = dict.fromkeys(("he", "him", "his"), "masculine") | dict.fromkeys(
    ("she", "her", "hers"), "feminine"
)
_COLUMNS = (
    "ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset",
    "B-coref",
)  # fmt: skip
_TRUTH = {"true": True, "false": False}
_LAYOUT = "GAP files have the columns ID, Text, Pronoun, Pronoun-offset, A, A-offset, A-coref, …"
_ANSWERS = (
    "Each line has three tab-separated fields: example id, and TRUE or FALSE for A and for B."
)

Answers = dict[str, tuple[bool, bool]]
"""By example, whether A and whether B is what the pronoun refers to."""


@dataclass(frozen=True, slots=True)
class Example:
    """A pronoun and two names in a text, as spans of characters, and which of them it refers to."""

    id: str
    text: str
    gender: str
    pronoun: tuple[int, int]
    names: tuple[tuple[int, int], tuple[int, int]]
    truth: tuple[bool, bool]


def read_examples(path: str | os.PathLike[str]) -> list[Example]:
    """The examples of one of GAP's files."""
    written = os.fspath(path)
    lines = _lines(written)
    header = lines[0][1].split("\t") if lines else []
    missing = [name for name in _COLUMNS if name not in header]
    if missing:
        raise FormatError(f"not a GAP file: no column {missing[0]}", Location(written, 1))
    place = {name: header.index(name) for name in _COLUMNS}
    examples: dict[str, Example] = {}
    for number, line in lines[1:]:
        where = Location(written, number)
        cells = line.split("\t")
        if len(cells) < len(header):
            raise FormatError(f"only {len(cells)} columns", where, _LAYOUT)
        example = _example({name: cells[at] for name, at in place.items()}, where)
        if example.id in examples:
            raise FormatError(f"example {example.id!r} occurs twice", where)
        examples[example.id] = example
    if not examples:
        raise FormatError("no examples", Location(written), _LAYOUT)
    return list(examples.values())


def _example(cells: dict[str, str], where: Location) -> Example:
    gender = GENDERS.get(cells["Pronoun"].strip().lower())
    if gender is None:
        raise FormatError(
            f"the gender of the pronoun {cells['Pronoun']!r} is unknown",
            where,
            f"Known: {', '.join(GENDERS)}",
        )
    spans = []
    for name in ("Pronoun", "A", "B"):
        text, offset = cells[name], cells[f"{name}-offset"].strip()
        start = int(offset) if offset.isdecimal() else -1
        if not text or start < 0 or cells["Text"][start : start + len(text)] != text:
            raise FormatError(
                f"the text does not contain {text!r} at character {offset}", where, _LAYOUT
            )
        spans.append((start, start + len(text)))
    truth = _truth(cells["A-coref"], where), _truth(cells["B-coref"], where)
    return Example(cells["ID"], cells["Text"], gender, spans[0], (spans[1], spans[2]), truth)


def _truth(cell: str, where: Location) -> bool:
    found = _TRUTH.get(cell.strip().lower())
    if found is None:
        raise FormatError(f"{cell!r} is neither TRUE nor FALSE", where, _ANSWERS)
    return found


def is_answers(path: str) -> bool:
    """Whether a file is one of answers: its first line has an id and two truth values."""
    try:
        with open(path, encoding="utf-8-sig") as stream:
            cells = stream.readline().rstrip("\r\n").split("\t")
    except (OSError, UnicodeDecodeError):
        return False
    return len(cells) == 3 and all(cell.strip().lower() in _TRUTH for cell in cells[1:])


def read_answers(path: str) -> Answers:
    """A system's answers in GAP's format: ID, A-coref, B-coref."""
    answers: Answers = {}
    for number, line in _lines(path):
        where = Location(path, number)
        cells = line.split("\t")
        if len(cells) != 3:
            raise FormatError(f"{len(cells)} columns instead of 3", where, _ANSWERS)
        if cells[0] in answers:
            raise FormatError(f"example {cells[0]!r} is answered twice", where, _ANSWERS)
        answers[cells[0]] = _truth(cells[1], where), _truth(cells[2], where)
    return answers


def _lines(path: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    try:
        # Not splitlines: a text may hold separators that are no newlines to GAP.
        content = Path(path).read_text("utf-8-sig").replace("\r\n", "\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UsageError(f"cannot read {path}: {reason}") from None
    return [(number, line) for number, line in enumerate(content, 1) if line.strip()]


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
