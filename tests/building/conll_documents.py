"""Random CoNLL documents: words, parts of speech on some, entities with ids shared across them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

WORDS = [
    ("Anna", "NNP"),
    ("house", "NN"),
    ("she", "PRP"),
    ("House", "NN"),
    ("dom", "NN"),
    ("Dom", "NN"),
    ("jest", "VBZ"),
    ("się", "PRP"),
    ("the", "DT"),
    ("which", "WDT"),
    ("Warsaw", "NNP"),
]


def document(name: str, seed: int, length: int = 30) -> str:
    """A document whose words depend on its name, and whose mentions depend on the seed."""
    chance = np.random.default_rng(seed)
    rows = []
    tagged = chance.random() < 0.5  # kinds come from the side that has tags, document by document
    for number in range(length):
        cell = f"({chance.integers(6)})" if chance.random() < 0.4 else "-"
        word, tag = WORDS[(number * int(name[1:]) + number) % len(WORDS)]
        rows.append(f"{name} 0 {number} {word} {tag if tagged else '-'} * - - - - * {cell}")
        if chance.random() < 0.1:
            rows.append("")
    return "\n".join([f"#begin document ({name}); part 000", *rows, "", "#end document", ""])


def documents(names: list[str], seed: int) -> str:
    """Several documents, one after another."""
    return "".join(document(name, seed + int(name[1:])) for name in names)


def write(path: Path, names: list[str], seed: int, before: str = "") -> str:
    """A file of documents."""
    path.write_text(before + documents(names, seed), "utf-8")
    return str(path)


def write_shards(folder: Path, names: list[str], seed: int, parts: int) -> str:
    """Documents cut into several files; a pattern that finds them."""
    folder.mkdir()
    for number, part in enumerate(np.array_split(np.array(names), parts)):
        write(folder / f"shard-{number:02}.conll", part.tolist(), seed)
    return str(folder / "*.conll")
