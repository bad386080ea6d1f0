"""Tagged text: a book copied with errors by a language model is aligned with its source."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.documents import Shape, document, vocabulary
from benchmarks.measuring import Options, cpu_medians, workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table

if TYPE_CHECKING:
    from corefine import Corpus

#: Words of the texts: a long chapter, and a book.
SIZES = (15_000, 150_000)
DIALECTS = ("markdown", "crac-text")
#: CPU seconds and bytes for the book, and how much more it may cost than the chapter.
SECONDS, MEMORY, GROWTH = 3, 1e9, 12


def run(options: Options) -> Report:
    rows: list[list[Cell]] = []
    criteria = []
    for dialect in DIALECTS:
        costs = []
        for words in SIZES:
            arguments = {"words": words, "dialect": dialect}
            name = "tagged.align"
            _, measured = workload(name, **arguments, repeats=options.repeats)
            peak = workload(f"{name}_once", **arguments)[0].peak
            costs.append(measured["corefine"])
            rows.append(
                [
                    dialect,
                    measured["words"],
                    measured["mentions"],
                    100 * measured["coverage"],
                    measured["lost"],
                    measured["corefine"],
                    Bytes(peak),
                ]
            )
        size = SIZES[-1]
        criteria += [
            Criterion(f"{dialect}: {size:,} words aligned, CPU", costs[-1], SECONDS, " s"),
            Criterion(f"{dialect}: {size:,} words aligned, peak", peak / 1e9, MEMORY / 1e9, " GB"),
            Criterion(f"{dialect}: growth with ten times the words", costs[-1] / costs[0], GROWTH),
        ]
    table = Table(
        "Text tagged by a language model, 5% of its words changed, dropped or made up",
        ["dialect", "words", "mentions", "copied %", "lost", "CPU s", "peak"],
        rows,
    )
    return Report([table], criteria)


#: The share of words that a model changes, drops, repeats or makes up.
DAMAGE = 0.05
_LETTERS = re.compile(r"\[*([^\W\d_]+)")


def align(words: int, dialect: str, repeats: int) -> dict[str, float]:
    """Read the answer of a model that copied a book with damage, and align it with the book."""
    import corefine

    key = book(words)
    source, answer = _words(key), flawed(key, dialect)
    figures = cpu_medians(repeats, corefine=lambda: corefine.read_tagged(answer, source, dialect))
    read = corefine.read_tagged(answer, source, dialect)
    assert read.copies is not None
    total = read.copies.total
    return figures | {
        "words": len(source),
        "answer": len(answer.split()),
        "mentions": len(key.mentions),
        "coverage": total.coverage,
        "lost": total.lost,
    }


def align_once(words: int, dialect: str) -> None:
    """The same once, for the peak of memory."""
    import corefine

    key = book(words)
    corefine.read_tagged(flawed(key, dialect), _words(key), dialect)


def book(words: int) -> Corpus:
    """A book of so many words."""
    import corefine

    made = document(0, Shape(2 * words, words // 4, max(4, words // 100), 0.3))
    assert len(made.words) >= words
    known = vocabulary()
    text = [known[word] for word in made.words[:words].tolist()]
    sentences = [*made.sentences[made.sentences < words].tolist(), words]
    clusters = [[span for span in entity if span[1] < words] for entity in made.key.entities()]
    record = {
        "doc_key": "book",
        "sentences": [text[a:b] for a, b in pairwise(sentences)],
        "clusters": [entity for entity in clusters if entity],
    }
    from corefine.scoring.sides import read_side

    found: corefine.Corpus = read_side(record, "key", layers=frozenset())
    return found


def flawed(key: Corpus, dialect: str) -> str:
    """The book with its mentions tagged, as a model writes it that errs at so many words."""
    from corefine.formats.registry import format_named

    write = format_named(dialect).write
    assert write is not None
    gold = b"".join(write(key)).decode()
    pieces = (gold if dialect == "crac-text" else json.loads(gold)["output"]).split(" ")
    rng = np.random.default_rng(7)
    chance = rng.random(len(pieces))
    known = vocabulary()
    strange = rng.integers(0, len(known), len(pieces)).tolist()
    answer = []
    for piece, draw, other in zip(pieces, chance.tolist(), strange, strict=True):
        found = _LETTERS.match(piece)
        if draw > DAMAGE or found is None:
            answer.append(piece)
        elif draw > DAMAGE / 2:
            answer.append(piece.replace(found[1], known[other], 1))
        elif draw > DAMAGE / 4:
            answer += [piece, known[other]]
        elif found[1] != piece:
            answer.append(piece)  # the tags of a word that is dropped would be lost with it
    return " ".join(answer)


def _words(key: Corpus) -> list[str]:
    assert key.tokens is not None
    return key.tokens.words.tolist()
