"""A healthy pair of key and response, and the accidents that happen to such pairs.

Spans have exclusive ends. Texts are generated: sentences of 8 to 20 words, mentions of 1 to 4
words, of which some repeat a name. The response misses, adds and moves mentions as systems do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import corefine
from corefine import Document, Mention

Span = tuple[int, int]
Clusters = list[list[Span]]
NAMES = ("Anna", "Ben", "the old house", "Rome", "she", "he", "it", "her dog", "the letter")
FILLERS = ("saw", "went", "to", "and", "quietly", "again", "of", "under", "then", ",")


@dataclass(frozen=True)
class Text:
    """A document with the entities of one side."""

    name: str
    sentences: list[list[str]]
    clusters: Clusters

    @property
    def words(self) -> list[str]:
        return [word for sentence in self.sentences for word in sentence]

    @property
    def starts(self) -> list[int]:
        """First word of each sentence."""
        return [sum(map(len, self.sentences[:row])) for row in range(len(self.sentences))]

    def moved(self, move: Callable[[Span], Span | None]) -> Text:
        """The text with every span changed, or removed."""
        spans = [[move(span) for span in cluster] for cluster in self.clusters]
        kept = [[span for span in cluster if span is not None] for cluster in spans]
        return replace(self, clusters=[cluster for cluster in kept if cluster])


def text(name: str, seed: int, sentences: int = 24) -> Text:
    """A document of the key, about a quarter of whose entities are singletons."""
    draw = random.Random(seed)
    written: list[list[str]] = []
    spans: list[Span] = []
    place = 0
    for _ in range(sentences):
        words: list[str] = []
        while len(words) < draw.randint(8, 20):
            if draw.random() < 0.4:
                mention = draw.choice(NAMES).split()
                if draw.random() < 0.3:
                    mention = [*mention, f"number{draw.randint(1, 99)}"]
                spans.append((place + len(words), place + len(words) + len(mention)))
                words += mention
            words += draw.sample(FILLERS, draw.randint(1, 3))
        written.append([*words, "."])
        place += len(words) + 1
    clusters: Clusters = []
    for span in spans:
        if not clusters or draw.random() < 0.3:
            clusters.append([span])
        else:
            draw.choice(clusters).append(span)
    return Text(name, written, clusters)


def answered(key: Text, seed: int) -> Text:
    """The response of a system: a tenth missed, a tenth spurious, a tenth in another entity."""
    draw = random.Random(seed + 1000)
    clusters: Clusters = [[] for _ in range(len(key.clusters))]
    for number, cluster in enumerate(key.clusters):
        for span in cluster:
            if draw.random() > 0.1:
                other = draw.randrange(len(clusters)) if draw.random() < 0.1 else number
                clusters[other].append(span)
    taken = {span for cluster in clusters for span in cluster}
    for _ in range(len(taken) // 10):
        start = draw.randrange(len(key.words) - 2)
        span = (start, start + draw.randint(1, 2))
        if span not in taken:
            taken.add(span)
            draw.choice(clusters).append(span)
    return replace(key, clusters=[sorted(cluster) for cluster in clusters if cluster])


@dataclass(frozen=True)
class Pair:
    """Key and response, and the ways to hand them over."""

    key: list[Text]
    response: list[Text]

    @classmethod
    def healthy(cls, seed: int = 0, documents: int = 6) -> Pair:
        key = [text(f"d{number}", 10 * seed + number) for number in range(documents)]
        return cls(key, [answered(one, 10 * seed + row) for row, one in enumerate(key)])

    def responses(self, change: Callable[[Text], Text]) -> Pair:
        return replace(self, response=[change(one) for one in self.response])

    def keys(self, change: Callable[[Text], Text]) -> Pair:
        return replace(self, key=[change(one) for one in self.key])

    # --- ways to score ----------------------------------------------------------------------------

    def lists(self, **options: Any) -> corefine.Scores:
        return corefine.score(documents(self.key), documents(self.response), **options)

    def evaluator(self, **options: Any) -> corefine.Scores:
        found = corefine.Evaluator(**options)
        for ours, theirs in zip(self.key, self.response, strict=True):
            found.update(ours.clusters, theirs.clusters)
        return found.compute()

    def records(self, **options: Any) -> corefine.Scores:
        return corefine.score(list(map(e2e, self.key)), list(map(e2e, self.response)), **options)

    def maverick(self, **options: Any) -> corefine.Scores:
        sides = (list(map(maverick, side)) for side in (self.key, self.response))
        return corefine.score(*sides, **options)

    def conll(self, folder: Path, key: str = "key", response: str = "xrenner") -> list[str]:
        """Paths of both sides as CoNLL files."""
        return [
            written(folder / f"{name}.conll", side)
            for name, side in ((key, self.key), (response, self.response))
        ]

    def jsonlines(self, folder: Path) -> list[str]:
        """Paths of both sides as e2e JSON lines."""
        return [
            written(folder / f"{name}.jsonl", side, "e2e")
            for name, side in (("key", self.key), ("xrenner", self.response))
        ]


def documents(side: Iterable[Text]) -> dict[str, Clusters]:
    return {one.name: one.clusters for one in side}


def inclusive(one: Text) -> list[list[list[int]]]:
    return [[[start, end - 1] for start, end in cluster] for cluster in one.clusters]


def e2e(one: Text) -> dict[str, Any]:
    return {"doc_key": one.name, "sentences": one.sentences, "clusters": inclusive(one)}


def maverick(one: Text) -> dict[str, Any]:
    return {"doc_key": one.name, "tokens": one.words, "clusters_token_offsets": inclusive(one)}


def written(path: Path, side: Iterable[Text], format: str = "conll") -> str:
    """Write one side to a file; its path."""
    documents = [
        Document(
            one.name,
            one.words,
            [Mention(n, [span]) for n, cluster in enumerate(one.clusters) for span in cluster],
            one.starts,
        )
        for one in side
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    corefine.write(corefine.Corpus.from_documents(documents), path, format)
    return str(path)


# --- changes of one side --------------------------------------------------------------------------


def without_singletons(one: Text) -> Text:
    return replace(one, clusters=[cluster for cluster in one.clusters if len(cluster) > 1])


def shifted(start: int, end: int) -> Callable[[Text], Text]:
    return lambda one: one.moved(lambda span: (span[0] + start, span[1] + end))


def in_text(one: Text) -> Text:
    """Without spans outside of the text, which readers refuse."""
    return one.moved(lambda span: span if 0 <= span[0] < span[1] <= len(one.words) else None)


def from_sentence(one: Text) -> Text:
    def move(span: Span) -> Span:
        first = max(start for start in one.starts if start <= span[0])
        return span[0] - first, span[1] - first

    return one.moved(move)


def in_characters(one: Text) -> Text:
    begins = [0]
    for word in one.words:
        begins.append(begins[-1] + len(word) + 1)
    return one.moved(lambda span: (begins[span[0]], begins[span[1]] - 1))


def in_subwords(one: Text) -> Text:
    """Words of more than four letters are cut in pieces of four."""
    begins = [0]
    for word in one.words:
        begins.append(begins[-1] + -(-len(word) // 4))
    return one.moved(lambda span: (begins[span[0]], begins[span[1]]))


def with_separators(one: Text) -> Text:
    """Counted with a special token after every sentence."""
    return one.moved(
        lambda span: tuple(
            place + sum(start <= span[0] for start in one.starts) - 1 for place in span
        )  # type: ignore[return-value]
    )


def without_punctuation(one: Text) -> Text:
    begins = [0]
    for word in one.words:
        begins.append(begins[-1] + word.isalnum())
    return one.moved(lambda span: (begins[span[0]], begins[span[1]]))


def from_file_start(side: list[Text]) -> list[Text]:
    moved, before = [], 0
    for one in side:
        moved.append(shifted(before, before)(one))
        before += len(one.words)
    return moved


def unlinked(one: Text) -> Text:
    return replace(one, clusters=[[span] for cluster in one.clusters for span in cluster])


def merged(one: Text) -> Text:
    return replace(one, clusters=[[span for cluster in one.clusters for span in cluster]])


def weak(one: Text) -> Text:
    """Without most mentions, as a system that finds few."""
    return one.moved(lambda span: span if hash(span) % 4 == 0 else None)


def cut(one: Text) -> Text:
    """Without mentions in the second half."""
    return one.moved(lambda span: span if span[1] < 0.45 * len(one.words) else None)


def strings(one: Text, once: bool = False, backwards: bool = False) -> dict[str, Any]:
    """The record of a language model that quotes mentions."""
    clusters, seen = [], set()
    for cluster in one.clusters:
        quoted = []
        for start, end in sorted(cluster, reverse=backwards):
            string = " ".join(one.words[start:end])
            if not once or string not in seen:
                quoted.append(string)
            seen.add(string)
        if quoted:
            clusters.append(quoted)
    return {"doc_key": one.name, "clusters": clusters}
