"""Data cards: the size, annotation and difficulty of one corpus, or of two side by side."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from typing import Any

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.corpus.words import words_of_name
from corefine.errors import UsageError
from corefine.kinds.kind_plan import KindSpec, plan_of
from corefine.kinds.part_of_speech import LAYERS
from corefine.output.grid import Column, Grid, Value
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.score import score
from corefine.scoring.sides import Side, SideLike

Card = dict[str, Any]
"""Measures by name: counts, shares from 0 to 1, means, and counts by label."""
SHARES = ("singletons", "nested mentions", "discontinuous mentions", "same sentence")
"""Measures that are shares of mentions, entities or links."""
DIFFICULTY = ("string match", "same head")
"""Measures that are CoNLL F1 of a baseline."""
LABELS = 5
"""The number of kinds and types that are shown."""
WINDOW = 1000
"""Tokens per sample of the lexical diversity."""


@dataclass(frozen=True, repr=False)
class Description(Result):
    """Data cards of corpora by name; returned by :func:`describe`."""

    cards: dict[str, Card]
    warnings: tuple[str, ...] = ()

    def table_functions(self) -> Tables:
        return {"card": card_grid}

    def to_dict(self) -> dict[str, Any]:
        return {"corpora": self.cards, "warnings": list(self.warnings)}


def card_grid(description: Description) -> Grid:
    """One row per measure, and per frequent kind and type; one column per corpus."""
    cards = [_measures(card) for card in description.cards.values()]
    names = dict.fromkeys(name for card in cards for name in card)
    rows: list[tuple[Value, ...]] = [
        (name, *(card.get(name, "") for card in cards)) for name in names
    ]
    columns = (Column("measure"), *(Column(name) for name in description.cards))
    return Grid(columns, rows)


def _measures(card: Card) -> dict[str, str]:
    """The measures as people read them; counts by label become a measure per label."""
    shown: dict[str, str] = {}
    for name, value in card.items():
        if isinstance(value, dict):
            total = sum(value.values())
            shown |= {
                f"{name}: {label}": f"{100 * count / total:.1f}%"
                for label, count in list(value.items())[:LABELS]
            }
        elif name in SHARES:
            shown[name] = f"{100 * value:.1f}%"
        elif name in DIFFICULTY:
            shown[name] = f"{100 * value:.2f}"
        else:
            shown[name] = f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
    return shown


def describe(
    *corpora: SideLike,
    format: str | None = None,
    kinds: KindSpec = "auto",
    progress: Progress = silent,
) -> Description:
    """Describe one corpus, or several side by side, by size, annotation and difficulty.

    *Distance* is the number of tokens to the previous mention of the entity, *spread* that from the
    first to the last mention. *Lexical diversity* is the mean number of distinct words per 1,000
    tokens. *String match* and *same head* are the CoNLL F1 of gold mentions linked by equal words
    and by equal heads (the last word, if no head is annotated): what no understanding is needed
    for.

    >>> card = describe([["Anna", "she"], ["Rome"]]).cards["corpus"]
    >>> card["mentions"], card["entities"], card["singletons"]
    (3, 2, 0.5)
    """
    if not corpora:
        raise UsageError("at least one corpus is needed")
    cards: dict[str, Card] = {}
    warnings: list[str] = []
    for given in corpora:
        side = Side.of(given, "corpus", format)
        corpus = side.read(LAYERS, progress, allow_empty=True)
        corpus, _, _ = plan_of(kinds).apply(corpus, corpus.tokens)
        name = "corpus" if side.path is None else Path(side.path).name
        if name in cards:
            name = side.path or f"corpus {len(cards) + 1}"
        cards[name] = card_of(corpus)
        warnings += corpus.warnings
    return Description(cards, tuple(warnings))


def card_of(corpus: Corpus) -> Card:
    """The measures of a corpus; those that it does not allow are left out."""
    documents = list(corpus)
    mentions = [mention for document in documents for mention in document.mentions]
    entities = [entity for document in documents for entity in document.entities.values()]
    sizes = [len(entity) for entity in entities]
    chains = [sorted(map(_start, entity)) for entity in entities if len(entity) > 1]
    kinds = Counter(mention.kind.name.lower() for mention in mentions)
    types = Counter(mention.type for mention in mentions if mention.type is not None)
    card: Card = {
        "documents": len(documents),
        "tokens": None if corpus.tokens is None else len(corpus.tokens),
        "sentences": sum(len(document.sentences) for document in documents) or None,
        "mentions": len(mentions),
        "entities": len(entities),
        "singletons": sizes.count(1) / len(sizes) if sizes else None,
        "mentions per entity": _mean(sizes),
        "mentions per non-singleton": _mean(size for size in sizes if size > 1),
        "largest entity": max(sizes, default=None),
    }
    if corpus.tokens is not None and corpus.has_places and mentions:
        card |= {
            "tokens per mention": _mean(map(_length, mentions)),
            "nested mentions": _nested(documents) / len(mentions),
            "discontinuous mentions": sum(len(m.spans) > 1 for m in mentions) / len(mentions),
            "spread (median)": _median(chain[-1] - chain[0] for chain in chains),
            "distance (median)": _median(b - a for chain in chains for a, b in pairwise(chain)),
            "same sentence": _mean(_in_one_sentence(documents)),
            "lexical diversity": _mean(_diversity(documents)),
        }
    if kinds.keys() - {Kind.UNKNOWN.name.lower()}:
        card["mention kinds"] = dict(kinds.most_common())
    if types:
        card["semantic types"] = dict(types.most_common())
    if any(_words(document, one) for document in documents for one in document.mentions):
        card["string match"] = _baseline(corpus, _words)
        if corpus.tokens is not None and corpus.has_places:
            card["same head"] = _baseline(corpus, _head)
    return {name: value for name, value in card.items() if value is not None}


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return fmean(listed) if listed else None


def _median(values: Iterable[float]) -> float | None:
    listed = list(values)
    return float(median(listed)) if listed else None


def _start(mention: Mention) -> int:
    return mention.spans[0][0] if mention.spans else 0


def _length(mention: Mention) -> int:
    return sum(stop - start for start, stop in mention.spans)


def _nested(documents: Iterable[Document]) -> int:
    """The number of mentions inside another one."""
    nested = 0
    for document in documents:
        reach = -1
        spans = {(one.spans[0][0], one.spans[-1][1]) for one in document.mentions}
        for _, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
            nested += stop <= reach
            reach = max(reach, stop)
    return nested


def _in_one_sentence(documents: Iterable[Document]) -> list[bool]:
    """For every mention but the first of an entity, True if the previous one is in its sentence."""
    found = []
    for document in documents:
        if not document.sentences:
            continue
        for entity in document.entities.values():
            places = sorted(bisect(document.sentences, _start(one)) for one in entity)
            found += [a == b for a, b in pairwise(places)]
    return found


def _diversity(documents: Iterable[Document]) -> list[int]:
    """Distinct words in every thousand tokens."""
    words = [word.casefold() for document in documents for word in document.tokens or ()]
    starts = range(0, len(words) - WINDOW + 1, WINDOW)
    return [len(set(words[start : start + WINDOW])) for start in starts]


def _words(document: Document, mention: Mention) -> str:
    if document.tokens is None:
        return " ".join(words_of_name(mention.name))
    return document.words(mention)


def _head(document: Document, mention: Mention) -> str:
    head = mention.spans[-1][1] - 1 if mention.head is None else mention.head
    return (document.tokens or [])[head]


def _baseline(corpus: Corpus, label: Callable[[Document, Mention], str]) -> float:
    """CoNLL F1 of gold mentions that are linked if their labels are equal, ignoring case."""
    documents = []
    for document in corpus:
        document.mentions = [
            Mention(label(document, one).casefold() or "-", one.spans, name=one.name)
            for one in document.mentions
        ]
        document.relations, document.annotations = [], {}
        documents.append(document)
    return score(corpus, Corpus.from_documents(documents), "conll")["conll"].f1
