"""Random documents with parse trees: a key, and a response that differs from it."""

from __future__ import annotations

from random import Random

from corefine import Document, Mention

WORDS = (
    "Anna", "saw", "the", "old", "house", ",", "and", "then", "she", "sold", "it", "to", "2",
    "friends", "%", "of", "Rome",
)  # fmt: skip
TAGS = {",": ",", "and": "CC", "the": "DT", "to": "IN", "of": "IN", "2": "CD", "saw": "VBD"}
LABELS = ("NP", "NP", "NP", "VP", "PP", "S", "QP", "NX", "ADJP")


Span = tuple[int, int]


def random_pair(number: int, seed: int = 0) -> tuple[list[Document], list[Document]]:
    """Documents of a key and of a response; a few have no mentions on one side."""
    random = Random(seed)
    sides: tuple[list[Document], list[Document]] = [], []
    for count in range(number):
        words, starts, cells, spans = _text(random)
        layers = {"pos": [TAGS.get(word, "NN") for word in words], "parse": cells}
        key = {
            span: random.randrange(1 + len(spans) // 2) for span in spans if random.random() < 0.7
        }
        kept = {span for span in spans if random.random() < (0.85 if span in key else 0.15)}
        response = {
            span: key[span]
            if span in key and random.random() < 0.8
            else random.randrange(len(spans))
            for span in kept
        }
        for side, entities in zip(sides, (key, response), strict=True):
            mentions: list[Mention] = []
            for span, entity in sorted(
                entities.items(), key=lambda item: (item[0][0], -item[0][1])
            ):
                if not any(m.entity == entity and _cross(m.spans[0], span) for m in mentions):
                    mentions.append(Mention(entity, [span]))
            mentions = [] if random.random() < 0.03 else mentions
            side.append(Document(f"d/{count:03d}", words, mentions, starts, dict(layers)))
    return sides


def _cross(one: Span, other: Span) -> bool:
    """True if spans overlap and neither contains the other: brackets of one entity cannot."""
    first, second = sorted((one, other))
    return first[0] < second[0] < first[1] < second[1]


def _text(random: Random) -> tuple[list[str], list[int], list[str], list[Span]]:
    """Words, starts of sentences, cells of the parse trees, and spans of phrases and others."""
    words: list[str] = []
    starts: list[int] = []
    cells: list[str] = []
    spans: set[Span] = set()

    def grow(first: int, stop: int) -> None:
        """A phrase over these words, which may have phrases inside."""
        cells[first] = cells[first].replace("*", f"({random.choice(LABELS)}*")
        spans.add((first, stop))
        if stop - first > 1 and random.random() < 0.8:
            middle = random.randint(first + 1, stop - 1)
            grow(first, middle)
            if random.random() < 0.7:
                grow(middle, stop)
        cells[stop - 1] += ")"

    for _ in range(random.randint(1, 6)):
        start, length = len(words), random.randint(1, 12)
        starts.append(start)
        words += random.choices(WORDS, k=length)
        cells += ["*"] * length
        grow(start, start + length)
        cells[start] = f"(TOP{cells[start]}"
        cells[-1] += ")"
        for _ in range(2):
            first = random.randrange(start, len(words))
            spans.add((first, random.randint(first + 1, len(words))))
    return words, starts, cells, sorted(spans)
