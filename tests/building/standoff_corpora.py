"""Corpora, damages and comparisons for the formats that keep a document in several files."""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.formats import read, write

Files = Mapping[str, bytes]


def content(corpus: Corpus) -> object:
    """Everything that files must keep: texts by document, entities by their mentions."""
    tokens, mentions = corpus.tokens, corpus.mentions
    assert tokens is not None
    unknown = [0] * len(mentions)
    kind = unknown if mentions.kind is None else mentions.kind.tolist()
    absent = [-1] * len(mentions)
    head = absent if mentions.head is None else mentions.head.tolist()
    type = absent if mentions.type is None else mentions.type.tolist()
    chains: dict[int, Counter[object]] = {}
    for index, entity in enumerate(mentions.entity.tolist()):
        label = None if type[index] < 0 else corpus.types[type[index]]
        expression = (tuple(corpus.pieces_of(index)), kind[index], label, head[index])
        chains.setdefault(entity, Counter())[expression] += 1
    by_document: dict[str, object] = {}
    opens = np.zeros(len(tokens) + 1, bool)
    opens[tokens.sentences] = True
    for number, name in enumerate(corpus.documents):
        first, last = tokens.offsets[number : number + 2].tolist()
        entities = Counter(
            frozenset(chains[entity].items())
            for entity in np.flatnonzero(corpus.entities.document == number).tolist()
            if entity in chains
        )
        by_document[name] = (
            list(tokens.words[first:last]),
            np.flatnonzero(opens[first:last]).tolist(),
            entities,
        )
    return by_document


def again(corpus: Corpus, format: str) -> Corpus:
    """The corpus written to a folder and read from it."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "out")
        write(corpus, target, format, lossy=True)
        return read(target, format)


def put(files: Files, folder: Path) -> Path:
    """The folder with these files."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def read_files(files: Files, format: str | None = None) -> Corpus:
    with tempfile.TemporaryDirectory() as folder:
        return read(put(files, Path(folder)), format)


SIGNS = [b"", b"\n", b"\t", b" ", b'"', b":", b"|", b"||", b"<", b">", b"&", b";", b"*", b"T", b"R",
         b"\r", b"\r\n", b"\xff", b"\xc3", b"\x00", b"-", b"0", b"1", b"99999", b"\xef\xbb\xbf",
         b"\n\n", b"c=", b"</", b"]]>", "é".encode()]  # fmt: skip


def sample_files(docstring: str, names: Sequence[str]) -> dict[str, bytes]:
    """The sample files of a module's docstring: its indented blocks, under these names."""
    blocks = re.findall(r"::\n\n((?:    .*\n|\n)+)", docstring)
    assert len(blocks) == len(names)
    files = {}
    for name, block in zip(names, blocks, strict=True):
        lines = [line[4:] for line in block.rstrip("\n").split("\n")]
        files[name] = ("\n".join(lines) + "\n").encode()
    return files


def shuffled_lines(data: bytes, seed: int) -> bytes:
    lines = data.splitlines(keepends=True)
    random.Random(seed).shuffle(lines)
    return b"".join(lines)
