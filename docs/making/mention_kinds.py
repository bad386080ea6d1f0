"""Tables of docs/mention-kinds.md: how often guesses are right, and what wrong types do."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import md5
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

import corefine
from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.kinds.guess import kinds_by_guess
from corefine.kinds.kind_plan import kinds_of
from corefine.kinds.part_of_speech import LAYERS, kinds_by_columns
from corefine.scoring.sides import read_side
from docs.making import MakeTable, markdown

CORPORA = {
    "craft": "CRAFT",
    "gum": "GUM",
    "ontogum": "OntoGUM",
    "litbank": "LitBank",
    "openboek-nl": "OpenBoek",
}
KINDS = (Kind.NAME, Kind.NOMINAL, Kind.PRONOUN)
METRICS = ("parent", "lmuc", "lb3", "lceafm", "lceafe")
SHARES = (0.01, 0.03, 0.05, 0.1)
SEEDS = range(5)


def confusions(data: Path) -> str:
    """By corpus and annotated type: what the mentions of the key are guessed to be."""
    rows: list[list[object]] = []
    for name, title in CORPORA.items():
        corpus = corefine.read(data / name / "key.conll", layers=["pos"])
        annotated, guessed = (
            _column(kinds_of(corpus, kinds)) for kinds in (types_of(data / name), "guess")
        )
        for kind in KINDS:
            these = guessed[annotated == kind]
            counts = [f"{(these == one).sum():,}" for one in (*KINDS, Kind.UNKNOWN)]
            rows.append([title, kind.name.lower(), *counts, f"{100 * (these == kind).mean():.2f}"])
        right = (annotated == guessed)[annotated > 0]
        rows.append([title, f"all {len(right):,}", "", "", "", "", f"{100 * right.mean():.2f}"])
    columns = ["", "annotated", *(f"as {kind.name.lower()}" for kind in KINDS), "no type"]
    return markdown([*columns, "right"], rows, left=2)


def genres(data: Path) -> str:
    """Accuracy by genre on the texts of GUM's repository, developed on or held back.

    The kinds are derived from the gold part of speech of the head. The Reddit texts, whose words
    are withheld, are left out.
    """
    counts: dict[str, Any] = {}
    for path in sorted((data / "gum-repository" / "dep").glob("*.conllu")):
        collection, genre = path.stem.split("_")[:2]
        if genre == "reddit":
            continue
        corpus = read_side(str(path), "key", layers=LAYERS)
        assert corpus.tokens is not None
        gold = kinds_by_columns(corpus, corpus.tokens)
        guessed, _ = kinds_by_guess(corpus, np.ones(len(corpus.mentions), bool))
        number = 1 if is_held_back(path.stem) else 0
        table = counts.setdefault(f"{collection} {genre}", np.zeros((2, 2), int))
        table[number] += [np.count_nonzero((gold == guessed) & (gold > 0)), np.count_nonzero(gold)]
    for collection in ("GENTLE", "GUM"):
        every = [table for name, table in counts.items() if name.startswith(collection)]
        counts[f"{collection}, all"] = sum(every)
    rows = [
        [name, *(cell for right, total in table.tolist() for cell in _share(right, total))]
        for name, table in sorted(counts.items())
    ]
    columns = ["genre", "developed on", "right", "held back", "right"]
    return markdown(columns, rows)


def _share(right: int, total: int) -> tuple[str, str]:
    return (f"{total:,}", f"{100 * right / total:.1f}") if total else ("", "")


def is_held_back(name: str) -> bool:
    """True for GENTLE and for half of GUM's texts, by a hash of the name."""
    return name.startswith("GENTLE") or int(md5(name.encode()).hexdigest(), 16) % 2 == 1


def effects(data: Path) -> str:
    """F1 with annotated types, and by how much guessed ones move it."""
    rows: list[list[object]] = []
    for name, title in CORPORA.items():
        for response in _responses(data / name):
            told, guessed = (
                corefine.score(data / name / "key.conll", response, ",".join(METRICS), kinds=kinds)
                for kinds in (f"{types_of(data / name)},auto", "guess")
            )
            moves = [f"{100 * (guessed[one].f1 - told[one].f1):+.2f}" for one in METRICS]
            parent = f"{100 * told['parent'].f1:.2f}"
            rows.append([title, f"`{response.stem}`", parent, *moves])
    columns = ["", "response", "PARENT", "moves", "LMUC", "LB³", "LCEAFm", "LCEAFe"]
    return markdown(columns, rows, left=2)


def types_of(folder: Path) -> str:
    """The annotated kinds of a corpus, otherwise those by parts of speech."""
    file = folder / "types.tsv"
    return str(file) if file.exists() else "auto"


def _responses(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.glob("*.conll")) if path.stem != "key")


def noise(data: Path) -> str:
    """By how much F1 moves on average where a share of the types is changed at random."""
    folder = data / "gum"
    key, response = (corefine.read(folder / f"{name}.conll") for name in ("key", "xrenner-xgb"))
    told = corefine.score(key, response, ",".join(METRICS), kinds=f"{folder / 'types.tsv'},auto")
    typed = [kinds_of(side, f"{folder / 'types.tsv'},auto") for side in (key, response)]
    rows = []
    for share in SHARES:
        moves: dict[str, list[float]] = {one: [] for one in METRICS}
        for seed in SEEDS:
            kinds = _changed(typed, share, seed)
            scores = corefine.score(key, response, ",".join(METRICS), kinds=kinds)
            for one in METRICS:
                moves[one].append(100 * (scores[one].f1 - told[one].f1))
        rows.append([f"{share:.0%}", *(f"{fmean(moves[one]):+.2f}" for one in METRICS)])
    return markdown(["types changed", "PARENT", "LMUC", "LB³", "LCEAFm", "LCEAFe"], rows)


def _changed(sides: list[Corpus], share: float, seed: int) -> dict[str, dict[Any, Kind]]:
    """The types of both sides by document and mention, some of them changed to another."""
    draw = np.random.default_rng(seed)
    table: dict[str, dict[Any, Kind]] = {}
    for side in sides:
        for row, kind in enumerate(_column(side).tolist()):
            document = side.documents[side.mentions.document[row]]
            known = table.setdefault(document, {})
            if side.mention_id(row) in known:
                continue
            others = [one for one in KINDS if one != kind]
            wrong = kind > 0 and draw.random() < share
            known[side.mention_id(row)] = others[draw.integers(2)] if wrong else Kind(kind)
    return table


def _column(corpus: Corpus) -> Any:
    assert corpus.mentions.kind is not None
    return corpus.mentions.kind


TABLES: dict[str, MakeTable] = {
    "guess-genres": genres,
    "type-confusions": confusions,
    "type-effects": effects,
    "type-noise": noise,
}
