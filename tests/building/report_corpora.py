"""Small corpora for the tests of the report, some of them hostile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from typing import Any

from corefine.corpus.corpus import Corpus
from tests.building.text_corpora import document_of

Span = tuple[int, int] | tuple[tuple[int, int], ...]
"""First and last word, or several of these for a discontinuous mention."""
DocumentText = tuple[str, Sequence[str], Sequence[Sequence[Span]]]
"""Id, sentences (words with blanks between them), entities."""


def corpus_of(*documents: DocumentText, names: Sequence[str] | None = None) -> Corpus:
    """A corpus with text; ``names`` are those of all entities."""
    labels: Iterator[str | int] = count() if names is None else iter(names)
    return Corpus.from_documents(
        document_of(name, [sentence.split(" ") for sentence in text], entities, labels, {})
        for name, text, entities in documents
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


def stories(seed: int, wrong: float) -> list[DocumentText]:
    """Six stories, in which a share of the mentions stands in a wrong entity."""
    chance = Random(seed)
    documents: list[DocumentText] = []
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
