"""Small corpora for the tests of the report, some of them hostile."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Entities, Mentions, Pieces, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings

Span = tuple[int, int] | tuple[tuple[int, int], ...]
"""First and last word, or several of these for a discontinuous mention."""
Document = tuple[str, Sequence[str], Sequence[Sequence[Span]]]
"""Id, sentences (words with blanks between them), entities."""


def corpus_of(*documents: Document, names: Sequence[str] | None = None) -> Corpus:
    """A corpus with text; ``names`` are those of all entities."""
    words: list[str] = []
    lengths, sentences = [], []
    document: list[int] = []
    entity: list[int] = []
    start: list[int] = []
    stop: list[int] = []
    entity_document: list[int] = []
    pieces: list[tuple[int, int, int]] = []
    for number, (_, text, entities) in enumerate(documents):
        first = len(words)
        for sentence in text:
            sentences.append(len(words))
            words.extend(sentence.split(" "))
        lengths.append(len(words) - first)
        for spans in entities:
            for span in spans:
                parts: list[Any] = [span] if isinstance(span[0], int) else list(span)
                if len(parts) > 1:
                    pieces += [(len(start), low, high + 1) for low, high in parts]
                document.append(number)
                entity.append(len(entity_document))
                start.append(parts[0][0])
                stop.append(parts[-1][1] + 1)
            entity_document.append(number)
    columns = np.array(pieces, np.int64).reshape(-1, 3)
    return Corpus(
        tuple(name for name, _, _ in documents),
        Entities(
            np.array(entity_document, np.int64),
            None if names is None else Strings.from_list(names),
        ),
        Mentions(
            np.array(document, np.int64),
            np.array(entity, np.int64),
            np.array(start, np.int64),
            np.array(stop, np.int64),
            pieces=Pieces(columns[:, 0], columns[:, 1], columns[:, 2]) if pieces else None,
        ),
        Tokens(
            Strings.from_list(words),
            offsets_of(np.array(lengths, np.int64)),
            np.array(sentences, np.int64),
        ),
    )


HARBOUR = ("Ada met the harbour master .", "She gave him the old key .", "He lost it .")
#           0   1   2   3       4      5    6   7    8   9   10  11  12   13 14   15 16
MILL = ("The mill and its wheel stood still .", "It had stopped .")
#        0   1    2   3   4     5     6     7    8  9   10      11


def harbour_key() -> Corpus:
    """Two documents; nested mentions in the second."""
    return corpus_of(
        ("harbour", HARBOUR, [[(0, 0), (6, 6)], [(2, 4), (8, 8), (13, 13)], [(9, 11), (15, 15)]]),
        ("mill", MILL, [[(0, 1), (3, 3), (8, 8)], [(3, 4)]]),
    )


def harbour_wrong() -> Corpus:
    """One error of most types in the first document, one merged entity in the second."""
    return corpus_of(
        # "him" is missing, "lost" is extra, "the old key" is short, "He" is put with "Ada".
        (
            "harbour",
            HARBOUR,
            [[(0, 0), (6, 6), (13, 13)], [(2, 4)], [(10, 11), (15, 15), (14, 14)]],
        ),
        ("mill", MILL, [[(0, 1), (3, 3), (8, 8), (3, 4)]]),
    )


def harbour_split() -> Corpus:
    """The harbour master in two pieces; the mill as in the key."""
    return corpus_of(
        ("harbour", HARBOUR, [[(0, 0), (6, 6)], [(2, 4), (8, 8)], [(13, 13)], [(9, 11), (15, 15)]]),
        ("mill", MILL, [[(0, 1), (3, 3), (8, 8)], [(3, 4)]]),
    )


HOSTILE_WORDS = (
    "<script>window.pwned=1</script>",
    "<img/src=x/onerror=window.pwned=1>",
    "</script><script>window.pwned=1</script>",
    "{{7*7}}{%raw%}",
    "\"';--",
    "&lt;b&gt;",
    "javascript:window.pwned=1",
    "\u202eevil\u202c",
    "a\x00b\x1b[31m",
    "-->",
)
HOSTILE_NAME = "\"><img src=x onerror=window.pwned=1>/../%2e#'\\"


def hostile_corpus(*, response: bool = False) -> Corpus:
    """Markup in words, ids of documents and names of entities."""
    last = len(HOSTILE_WORDS) - 1
    every = [(number, number) for number in range(last + 1)]
    chains = [every[:5], every[5:]] if response else [every[:4], every[4:]]
    return corpus_of(
        (HOSTILE_NAME, [" ".join(HOSTILE_WORDS)], chains),
        ("</title><script>window.pwned=1</script>", ["x <b>y</b> z"], [[(0, 0), (1, 1)]]),
        names=[HOSTILE_NAME, "<script>window.pwned=1</script>", "__proto__"],
    )


THREE = ("close", "far", "wild")
"""Three responses, each worse than the one before."""
PEOPLE = ("Ada", "Byron", "Clara", "Denis")


def three_responses() -> dict[str, Corpus]:
    """A key and three responses: stories of four people."""
    wrong = {"key": 0.0, "close": 0.1, "far": 0.4, "wild": 0.8}
    return {name: corpus_of(*stories(7, share)) for name, share in wrong.items()}


def stories(seed: int, wrong: float) -> list[Document]:
    """Six stories, in which a share of the mentions stands in a wrong entity."""
    chance = Random(seed)
    documents: list[Document] = []
    for number in range(6):
        story = Random(number)
        length = 24 if number % 2 else 80
        words = [story.choice((*PEOPLE, "she", "he", "the poet")) for _ in range(length)]
        sentences = [" ".join(words[at : at + 8]) for at in range(0, length, 8)]
        flat = " ".join(sentences).split(" ")
        chains: list[list[Any]] = [[] for _ in PEOPLE]
        for at, word in enumerate(flat):
            owner = PEOPLE.index(word) if word in PEOPLE else at % 4
            if word == "the":
                continue
            if chance.random() < wrong:
                owner = chance.randrange(5)
            if owner < 4:
                chains[owner].append((at - 1, at) if word == "poet" else (at, at))
        genre = "news" if number < 3 else "talk"
        documents.append((f"{genre}_{number}", sentences, [chain for chain in chains if chain]))
    return documents
