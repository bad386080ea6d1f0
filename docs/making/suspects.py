"""Tables of docs/data.md: how many planted errors of a key ``corefine suspects`` finds."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from random import Random
from statistics import fmean
from typing import NamedTuple

import corefine
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, Span
from corefine.curating.suspects import Suspect
from docs.making import MakeTable, markdown

SEEDS = range(1, 11)
PLANTED = 200
TYPES = ("missing mention", "span", "missing link", "wrong link")
"""Types of planted errors, the same number of each."""
NOISE = (0.15, 0.3, 0.45)
"""Shares of wrong mentions of the systems with random errors."""
SYSTEMS: dict[tuple[str, str], tuple[str, ...]] = {
    ("gum", "xrenner (two versions), arkref"): ("xrenner-xgb", "xrenner-rules", "arkref-goldsem"),
    ("ontogum", "xrenner, arkref"): ("xrenner-rules", "arkref-goldsem"),
    ("litbank", "string match, noisy head match"): ("OURS-stringmatch", "OURS-headmatch-noisy"),
    ("gum", "key with random errors"): (),
    ("litbank", "key with random errors"): (),
}
"""Files of the systems, by corpus and description; made from the key if there are none."""
TITLES = {"gum": "GUM", "ontogum": "OntoGUM", "litbank": "LitBank"}
Spans = tuple[Span, ...]


class Planted(NamedTuple):
    """An error of a key, and the mentions that it concerns: of one entity, or of two."""

    type: str
    document: str
    concerned: list[set[Spans]]


class Run(NamedTuple):
    """The planted errors, what each suspect names of them (None for none), and LEA F1."""

    errors: list[Planted]
    named: list[int | None]
    f1: tuple[float, ...]

    def precision(self, first: int) -> float:
        """The share of the first suspects that name a planted error."""
        return sum(one is not None for one in self.named[:first]) / first

    def found(self, first: int | None = None) -> Counter[str]:
        """The errors that the first suspects name, by type."""
        return Counter(self.errors[one].type for one in {*self.named[:first]} if one is not None)


def plant(key: Corpus, count: int, random: Random) -> tuple[Corpus, list[Planted]]:
    """Return the key with errors of four types, and the errors."""
    documents, errors = list(key), list[Planted]()
    touched: set[tuple[str, object]] = set()
    while len(errors) < count:
        type_ = TYPES[len(errors) % len(TYPES)]
        document = random.choice(documents)
        entities = [
            mentions
            for entity, mentions in document.entities.items()
            if (document.name, entity) not in touched
            and len(mentions) > {"span": 1, "wrong link": 1, "missing mention": 2}.get(type_, 3)
        ]
        if len(entities) < (2 if type_ == "wrong link" else 1):
            continue
        one, other = random.sample(entities, 2) if len(entities) > 1 else (entities[0], [])
        mention = random.choice(one)
        used = [mention.entity]
        concerned = [{tuple(mention.spans)}]
        if type_ == "missing mention":
            document.mentions.remove(mention)
        elif type_ == "span":
            if not _cut(document, mention, random):
                continue
        else:
            new: str | int = one[0].entity
            if type_ == "missing link":
                one, other, new = one[::2], one[1::2], f"planted {len(errors)}"
            used += [other[0].entity, new]
            concerned = [{tuple(each.spans) for each in part} for part in (one, other)]
            for each in other:
                each.entity = new
        touched |= {(document.name, entity) for entity in used}
        errors.append(Planted(type_, document.name, concerned))
    return Corpus.from_documents(documents), errors


def _cut(document: Document, mention: Mention, random: Random) -> bool:
    """Cut a word off a mention, unless that is another one."""
    start, stop = mention.spans[0]
    cut = [random.choice([(start, stop - 1), (start + 1, stop)])]
    if stop - start < 2 or any(known.spans == cut for known in document.mentions):
        return False
    mention.spans, mention.head = cut, None
    return True


def names(suspect: Suspect, error: Planted) -> bool:
    """Return True if a suspect names a planted error."""
    type_, document, concerned = error
    if suspect.document != document:
        return False
    if type_ in ("missing mention", "span"):
        return suspect.type in ("missing mention", "span") and set(suspect.mentions) == concerned[0]
    if suspect.type != type_:
        return False
    if type_ == "missing link":
        first, second = suspect.entities
        return any(first in one and second in other for one, other in (concerned, concerned[::-1]))
    mentions = set(suspect.mentions)
    return any(
        2 * len(mentions & one) > len(one) and not mentions & other
        for one, other in (concerned, concerned[::-1])
    )


def noisy(key: Corpus, rate: float, random: Random) -> Corpus:
    """Return the key with random errors in a share of its mentions, as a system."""
    documents = list(key)
    for document in documents:
        entities = list(document.entities)
        for number, mention in enumerate(list(document.mentions)):
            drawn = random.random() / rate
            if drawn < 0.35:
                document.mentions.remove(mention)
            elif drawn < 0.5:
                _cut(document, mention, random)
            elif drawn < 0.75:
                mention.entity = random.choice(entities)
            elif drawn < 1:
                mention.entity = f"alone {number}"
    return Corpus.from_documents(documents)


def run(key: Corpus, systems: dict[str, Corpus], seed: int) -> Run:
    """Plant errors with a seed, and find suspects."""
    wrong, errors = plant(key, PLANTED, Random(seed))
    result = corefine.suspects(wrong, systems)
    named = [
        next((number for number, error in enumerate(errors) if names(suspect, error)), None)
        for suspect in result
    ]
    return Run(errors, named, tuple(result.f1.values()))


@lru_cache(maxsize=16)
def runs(data: Path, corpus: str, systems: str) -> list[Run]:
    """Plant errors with each seed."""
    key = corefine.read(data / corpus / "key.conll")
    files = SYSTEMS[corpus, systems]
    read = {one: corefine.read(data / corpus / f"{one}.conll") for one in files}
    return [
        run(key, read or {str(r): noisy(key, r, Random(f"{r} {seed}")) for r in NOISE}, seed)
        for seed in SEEDS
    ]


def precision_row(data: Path, corpus: str, systems: str) -> list[object]:
    """Precision of the first suspects, and recall, of systems on a corpus."""
    found = runs(data, corpus, systems)
    columns = zip(*(one.f1 for one in found), strict=True)
    f1 = ", ".join(f"{100 * fmean(values):.0f}" for values in columns)
    first = [one.precision(20) for one in found]
    row = [TITLES[corpus], f"{systems} ({f1})", f"{min(first):.2f} – {max(first):.2f}"]
    row += [f"{fmean(one.precision(count) for one in found):.2f}" for count in (20, 50, 100)]
    recall = fmean(sum(one.found(500).values()) / PLANTED for one in found)
    return [*row, f"{recall:.2f}"]


def recall_row(data: Path, corpus: str, systems: str) -> list[object]:
    """Shares of planted errors of each type that any suspect names."""
    found = sum((one.found() for one in runs(data, corpus, systems)), Counter[str]())
    planted = len(SEEDS) * PLANTED / len(TYPES)
    return [TITLES[corpus], systems, *(f"{found[type_] / planted:.2f}" for type_ in TYPES)]


def precision(data: Path) -> str:
    """By corpus and systems: precision of the first suspects, and recall."""
    columns = ["key", "systems (LEA F1)", "first 20, by seed", "first 20", "first 50", "first 100"]
    rows = [precision_row(data, *one) for one in SYSTEMS]
    return markdown([*columns, "recall in the first 500"], rows, left=2)


def recall(data: Path) -> str:
    """By corpus and systems: the share of planted errors that any suspect names, by type."""
    return markdown(["key", "systems", *TYPES], [recall_row(data, *one) for one in SYSTEMS], left=2)


TABLES: dict[str, MakeTable] = {"suspects-precision": precision, "suspects-recall": recall}
