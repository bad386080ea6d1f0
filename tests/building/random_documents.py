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


def random_pair(number: int, seed: int = 0) -> tuple[list[Document], list[Document]]:
    """Documents of a key and of a response; a few have no mentions on one side."""
    random = Random(seed)
    sides: tuple[list[Document], list[Document]] = [], []
    for count in range(number):
        words, starts, cells, spans = _text(random)
        layers = {"pos": [TAGS.get(word, "NN") for word in words], "parse": cells}
        entities = _entities(random, spans)
        changed = _changed(random, entities, spans)
        for side, found in zip(sides, (entities, changed), strict=True):
            mentions = [
                Mention(entity, [span])
                for entity, members in enumerate(found)
                for place, span in enumerate(members)
                if not any(_cross(span, other) for other in members[:place])
            ]
            mentions.sort(key=lambda mention: (mention.spans[0][0], -mention.spans[0][1]))
            name = f"d/{count:03d}"
            side.append(Document(name, words, mentions, starts, dict(layers)))
    return sides


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """True if spans overlap and neither contains the other: brackets of one entity cannot."""
    first, second = sorted((one, other))
    return first[0] < second[0] < first[1] < second[1]


def _text(random: Random) -> tuple[list[str], list[int], list[str], list[tuple[int, int]]]:
    """Words, starts of sentences, cells of the parse trees, and spans of their phrases."""
    words: list[str] = []
    starts: list[int] = []
    spans: list[tuple[int, int]] = []
    cells: list[str] = []
    for _ in range(random.randint(1, 6)):
        length = random.randint(1, 12)
        start = len(words)
        starts.append(start)
        words += random.choices(WORDS, k=length)
        before, after = [""] * length, [""] * length
        _grow(random, 0, length, before, after, spans, start)
        tree = zip(before, after, strict=True)
        row = [f"{opened}*{closed}" for opened, closed in tree]
        row[0], row[-1] = f"(TOP{row[0]}", f"{row[-1]})"
        cells += row
        for _ in range(2):
            first = random.randrange(length)
            spans.append((start + first, start + random.randint(first + 1, length)))
    return words, starts, cells, spans


def _grow(
    random: Random,
    first: int,
    stop: int,
    before: list[str],
    after: list[str],
    spans: list[tuple[int, int]],
    base: int,
) -> None:
    """A phrase over these words of a sentence, divided at random."""
    before[first] += f"({random.choice(LABELS)}"
    spans.append((base + first, base + stop))
    while stop - first > 1 and random.random() < 0.8:
        middle = random.randint(first + 1, stop)
        if random.random() < 0.7 and middle - first < stop - first:
            _grow(random, first, middle, before, after, spans, base)
        first = middle
        if first >= stop:
            break
    after[min(stop, len(after)) - 1] += ")"


def _entities(random: Random, spans: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Distinct spans divided into entities."""
    chosen = sorted({span for span in spans if random.random() < 0.7})
    random.shuffle(chosen)
    entities: list[list[tuple[int, int]]] = []
    while chosen:
        size = min(len(chosen), random.choice((1, 1, 2, 2, 3, 5)))
        entities.append([chosen.pop() for _ in range(size)])
    return [] if random.random() < 0.03 else entities


def _changed(
    random: Random, entities: list[list[tuple[int, int]]], spans: list[tuple[int, int]]
) -> list[list[tuple[int, int]]]:
    """The entities with mentions moved, removed and added; none twice."""
    groups: dict[int, list[tuple[int, int]]] = {}
    taken = set()
    for number, entity in enumerate(entities):
        for span in entity:
            if random.random() < 0.85:
                other = number if random.random() < 0.8 else random.randrange(len(entities) + 2)
                groups.setdefault(other, []).append(span)
                taken.add(span)
    for span in set(spans) - taken:
        if random.random() < 0.15:
            groups.setdefault(random.randrange(len(entities) + 2), []).append(span)
    return [] if random.random() < 0.03 else list(groups.values())
