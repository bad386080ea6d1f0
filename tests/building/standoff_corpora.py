"""Corpora, damages and comparisons for the formats that keep a document in several files."""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Entities, Kind, Mentions, Pieces, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.errors import CorefineError
from corefine.formats import read, write

Files = Mapping[str, bytes]

WORDS = st.one_of(
    st.sampled_from(["Anna", "she", "of", "the", ".", '"', "||", 'c="', "1:0", "&", "<b>", "T1"]),
    st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp", "Cf"]),
        min_size=1,
        max_size=6,
    ),
)
NAMES = st.one_of(
    st.sampled_from(
        ["x", "bc/cctv/00", "x; part 7", "a.txt", "50%", "%41", ".hidden", "語 語", ""]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)


@dataclass(frozen=True)
class Shape:
    """What the corpora of a strategy have."""

    kinds: tuple[Kind, ...] = ()
    types: tuple[str, ...] = ()
    discontinuous: bool = False
    heads: bool = False
    repeats: bool = True
    across_sentences: bool = True


@st.composite
def corpora(draw: st.DrawFn, shape: Shape) -> Corpus:
    """Corpora of up to three documents."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    words: list[str] = []
    lengths: list[int] = []
    tokens: list[int] = []
    rows: list[tuple[int, int, list[tuple[int, int]], int, int, int]] = []
    for document in range(len(names)):
        sentences = draw(st.lists(st.lists(WORDS, min_size=1, max_size=5), max_size=4))
        size = sum(map(len, sentences))
        words += [word for sentence in sentences for word in sentence]
        lengths += map(len, sentences)
        tokens.append(size)
        if size:
            rows += [
                (document, *row)
                for row in draw(_mentions(shape, [len(sentence) for sentence in sentences]))
            ]
    return _assembled(names, words, lengths, tokens, rows, shape)


@st.composite
def _mentions(
    draw: st.DrawFn, shape: Shape, sentences: Sequence[int]
) -> list[tuple[int, list[tuple[int, int]], int, int, int]]:
    """Mentions of a document: entity, parts, kind, type, head."""
    size = sum(sentences)
    bounds = [0, *np.cumsum(sentences).tolist()]
    found = []
    seen: set[tuple[tuple[int, int], ...]] = set()
    for _ in range(draw(st.integers(0, 8))):
        first, last = sorted((draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))))
        if not shape.across_sentences:
            last = min(last, next(bound for bound in bounds if bound > first) - 1)
        parts = [(first, last + 1)]
        if shape.discontinuous and last - first >= 2 and draw(st.booleans()):
            gap = draw(st.integers(first + 1, last - 1))
            parts = [(first, gap), (gap + 1, last + 1)]
        if tuple(parts) in seen and not shape.repeats:
            continue
        seen.add(tuple(parts))
        covered = [token for start, stop in parts for token in range(start, stop)]
        found.append(
            (
                draw(st.integers(0, 4)),
                parts,
                int(draw(st.sampled_from([Kind.UNKNOWN, *shape.kinds]))),
                draw(st.integers(-1, len(shape.types) - 1)),
                draw(st.sampled_from([-1, *covered])) if shape.heads else -1,
            )
        )
    return found


def _assembled(
    names: Sequence[str],
    words: Sequence[str],
    lengths: Sequence[int],
    tokens: Sequence[int],
    rows: Sequence[tuple[int, int, list[tuple[int, int]], int, int, int]],
    shape: Shape,
) -> Corpus:
    labels = [(document, entity) for document, entity, *_ in rows]
    entities = list(dict.fromkeys(labels))
    split = [
        (mention, *part) for mention, row in enumerate(rows) if len(row[2]) > 1 for part in row[2]
    ]
    pieces = np.array(split, np.int64).reshape(-1, 3).T
    return Corpus(
        tuple(names),
        Entities(np.array([document for document, _ in entities], np.int64)),
        Mentions(
            np.array([row[0] for row in rows], np.int64),
            np.array([entities.index(label) for label in labels], np.int64),
            np.array([row[2][0][0] for row in rows], np.int64),
            np.array([row[2][-1][1] for row in rows], np.int64),
            None,
            np.array([row[3] for row in rows], np.uint8) if shape.kinds else None,
            np.array([row[5] for row in rows], np.int64) if shape.heads else None,
            np.array([row[4] for row in rows], np.int64) if shape.types else None,
            Pieces(*pieces) if split else None,
        ),
        Tokens(
            Strings.from_list(words),
            offsets_of(np.array(tokens, np.int64)),
            offsets_of(np.array(lengths, np.int64))[:-1],
        ),
        shape.types,
    )


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


@st.composite
def damaged(draw: st.DrawFn, files: Files) -> dict[str, bytes]:
    """The files with some bytes put in, taken out or copied, or one of them missing."""
    result = dict(files)
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(sorted(result)))
        data = result[name]
        place = draw(st.integers(0, len(data)))
        removed = draw(st.sampled_from([0, 0, 1, 2, 7]))
        inserted = draw(st.sampled_from([*SIGNS, data[place : place + 40]]))
        result[name] = data[:place] + inserted + data[place + removed :]
    if len(result) > 1 and draw(st.integers(0, 9)) == 0:
        del result[draw(st.sampled_from(sorted(result)))]
    return result


def read_or_refuse(files: Files, format: str) -> Corpus | None:
    """What a reader makes of files: a corpus that holds together, or None if it refuses them.

    Anything but a CorefineError with a place is a failure of the test.
    """
    try:
        corpus = read_files(files, format)
    except CorefineError as error:
        refused = error
    else:
        check_sound(corpus)
        return corpus
    assert refused.where is not None, str(refused)
    assert len(str(refused)) < 1000
    return None


def check_sound(corpus: Corpus) -> None:
    """Assert that the columns of a corpus fit together."""
    mentions = corpus.mentions
    assert (np.diff(mentions.document) >= 0).all()
    assert ((mentions.entity >= 0) & (mentions.entity < len(corpus.entities))).all()
    assert (corpus.entities.document[mentions.entity] == mentions.document).all()
    assert len(np.unique(mentions.entity)) == len(corpus.entities)
    assert (mentions.stop > mentions.start).all()
    if corpus.tokens is not None:
        size = np.diff(corpus.tokens.offsets)[mentions.document]
        assert ((mentions.start >= 0) & (mentions.stop <= size)).all()
        assert corpus.tokens.offsets[-1] == len(corpus.tokens.words)
        if mentions.head is not None:
            known = mentions.head >= 0
            assert (mentions.head[known] >= mentions.start[known]).all()
            assert (mentions.head[known] < mentions.stop[known]).all()
    if mentions.type is not None:
        assert ((mentions.type >= -1) & (mentions.type < len(corpus.types))).all()
    for name in corpus.documents:
        assert isinstance(name, str)


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
