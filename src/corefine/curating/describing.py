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
from corefine.scoring.sides import SideLike, path_of, read_side

Card = dict[str, Any]
"""Measures by name: counts, shares from 0 to 1, means, and counts by label."""
SHARES = ("singletons", "nested mentions", "discontinuous mentions", "same sentence")
"""Measures that are shares of mentions, entities or links."""
DIFFICULTY = ("string match", "same head")
"""Measures that are CoNLL F1 of a baseline."""
LABELS = 5
"""The number of kinds and types that are shown."""


@dataclass(frozen=True, repr=False)
class Description(Result):
    """Data cards of corpora by name; returned by :func:`describe`."""

    cards: dict[str, Card]
    warnings: tuple[str, ...] = ()

    def table_functions(self) -> Tables:
        return TABLES

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


def chains_grid(description: Description) -> Grid:
    """Smallest, largest and mean number of mentions of an entity of two or more, by type."""
    columns = (
        *(Column("corpus"), Column("type"), Column("entities", "integer")),
        *(Column("min", "integer"), Column("max", "integer"), Column("mean", "number")),
    )
    rows: list[tuple[Value, ...]] = [
        (name, label, *sizes.values())
        for name, card in description.cards.items()
        for label, sizes in card["chains"].items()
    ]
    return Grid(columns, rows, "Mentions per entity of two or more mentions")


def links_grid(description: Description) -> Grid:
    """Links by mention kind: one for each mention of an entity but the first."""
    columns = (Column("corpus"), Column("kind"), Column("links", "integer"))
    rows: list[tuple[Value, ...]] = [
        (name, label, number)
        for name, card in description.cards.items()
        for label, number in (("all", sum(card["links"].values())), *card["links"].items())
    ]
    return Grid(columns, rows, "Links by kind of the later mention")


TABLES: Tables = {"card": card_grid, "chains": chains_grid, "links": links_grid}


def _measures(card: Card) -> dict[str, str]:
    """The measures as people read them; counts by label become a measure per label."""
    shown: dict[str, str] = {}
    for name, value in card.items():
        if name in TABLES:
            continue
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
    first to the last mention. *Lexical diversity* is the number of distinct words per 1,000 tokens
    of the whole corpus. *String match* and *same head* are the CoNLL F1 of gold mentions linked by
    equal words and by equal heads, if all mentions have heads: what no understanding is needed for.
    The tables *chains* and *links* have the sizes of entities by semantic type, and the mentions
    with an antecedent by kind.

    >>> card = describe([["Anna", "she"], ["Rome"]]).cards["corpus"]
    >>> card["mentions"], card["entities"], card["singletons"]
    (3, 2, 0.5)
    """
    if not corpora:
        raise UsageError("at least one corpus is needed")
    cards: dict[str, Card] = {}
    warnings: list[str] = []
    for given in corpora:
        path = path_of(given, "corpus")
        corpus = read_side(given, "corpus", format, LAYERS, progress, allow_empty=True)
        corpus, _, _ = plan_of(kinds).apply(corpus, corpus.tokens)
        name = "corpus" if path is None else Path(path).name
        if name in cards:
            name = path or f"corpus {len(cards) + 1}"
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
        "sentences": sum(len(document.starts) for document in documents) or None,
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
            "lexical diversity": _diversity(documents),
        }
    if kinds.keys() - {Kind.UNKNOWN.name.lower()}:
        card["mention kinds"] = dict(kinds.most_common())
    if types:
        card["semantic types"] = dict(types.most_common())
    card["chains"] = _chains(entities)
    later = (one.kind.name.lower() for entity in entities for one in _in_order(entity)[1:])
    card["links"] = dict(sorted(Counter(later).items(), key=lambda item: (-item[1], item[0])))
    if any(_words(document, one) for document in documents for one in document.mentions):
        card["string match"] = _baseline(corpus, _words)
        if corpus.tokens is not None and all(one.head is not None for one in mentions):
            card["same head"] = _baseline(corpus, _head)
    return {name: value for name, value in card.items() if value is not None}


def _chains(entities: Iterable[list[Mention]]) -> dict[str, dict[str, float]]:
    """Sizes of entities of two or more mentions, of all and by the type of most mentions.

    Of equally frequent types the first in the alphabet is the entity's.
    """
    sizes: dict[str, list[int]] = {"all": []}
    for entity in entities:
        if len(entity) > 1:
            sizes["all"].append(len(entity))
            types = Counter(one.type for one in entity if one.type is not None)
            if types:
                label = min(types, key=lambda name: (-types[name], name))
                sizes.setdefault(label, []).append(len(entity))
    return {
        label: {"entities": len(of), "min": min(of), "max": max(of), "mean": fmean(of)}
        for label, of in sorted(sizes.items(), key=lambda item: (-len(item[1]), item[0]))
        if of
    }


def _in_order(entity: list[Mention]) -> list[Mention]:
    """Sort mentions by text: a longer mention precedes a shorter one with the same beginning."""
    return sorted(
        entity, key=lambda one: (_start(one), [(a, -b) for a, b in one.spans], one.kind.name)
    )


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
        if not document.starts:
            continue
        for entity in document.entities.values():
            places = sorted(bisect(document.starts, _start(one)) for one in entity)
            found += [a == b for a, b in pairwise(places)]
    return found


def _diversity(documents: Iterable[Document]) -> float | None:
    """Distinct words, ignoring case, per thousand tokens of the corpus."""
    words = [word.casefold() for document in documents for word in document.tokens or ()]
    return 1000 * len(set(words)) / len(words) if words else None


def _words(document: Document, mention: Mention) -> str:
    if document.tokens is None:
        return " ".join(words_of_name(mention.name))
    return document.words_of(mention)


def _head(document: Document, mention: Mention) -> str:
    assert mention.head is not None
    return (document.tokens or [])[mention.head]


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
