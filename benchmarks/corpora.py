"""Made-up corpora as files, CoNLL-2012 and CoNLL-U, generated once and kept."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.documents import Document, Mentions, document, vocabulary

if TYPE_CHECKING:
    from corefine.corpus.corpus import Corpus

#: Generated files stay here until the folder is deleted. The number changes with the generator.
CACHE = Path(__file__).resolve().parent.parent / ".bench" / "corpora-1"
DOCUMENTS_PER_FACTOR = 100

#: Formats that hold no text.
LABELS = ("labels", "parquet")

_TAGS = ("NN", "NNP", "VBD", "IN", "DT", "JJ", "PRP", "RB")


@dataclass(frozen=True, slots=True)
class Pair:
    """A key and a response on disk."""

    key: Path
    response: Path

    @property
    def size(self) -> int:
        """Bytes of both files."""
        return self.key.stat().st_size + self.response.stat().st_size


def conll(factor: int) -> Pair:
    """About 210,000 tokens, 29,000 mentions and 13 MB a side, times ``factor``."""
    return _cached(factor, "conll", _conll_lines)


def conllu(factor: int) -> Pair:
    """The same documents and mentions as CoNLL-U with CorefUD's Entity attribute."""
    return _cached(factor, "conllu", _conllu_lines)


@dataclass(frozen=True, slots=True)
class Formatted:
    """A corpus on disk in one of the formats: a file, or a folder of files."""

    path: Path

    @property
    def size(self) -> int:
        files = self.path.rglob("*") if self.path.is_dir() else [self.path]
        return sum(file.stat().st_size for file in files if file.is_file())


def formatted(name: str, factor: int) -> Formatted:
    """The key of :func:`conll` as corefine writes it in another format, as far as that holds it."""
    if name in ("conll", "conllu"):
        return Formatted((conll if name == "conll" else conllu)(factor).key)
    made = Formatted(CACHE / f"key-x{factor}.{name}")
    if not made.path.exists():
        from corefine.formats import read, write

        corpus = read(conll(factor).key)
        write(_as_labels(corpus) if name in LABELS else corpus, made.path, name, lossy=True)
    return made


def _as_labels(corpus: Corpus) -> Corpus:
    """The corpus without its text, a mention being called by its first and last token."""
    import corefine

    mentions = corpus.mentions
    assert corpus.entities.names is not None
    return corefine.Corpus.from_labels(
        np.array(corpus.entities.names.tolist())[mentions.entity],
        [f"{a}-{b}" for a, b in zip(mentions.start.tolist(), mentions.stop.tolist(), strict=True)],
        np.array(corpus.documents)[mentions.document],
    )


Lines = Callable[[Document], tuple[str, str]]


def _cached(factor: int, extension: str, lines: Lines) -> Pair:
    pair = Pair(*(CACHE / f"{side}-x{factor}.{extension}" for side in ("key", "response")))
    if pair.key.exists() and pair.response.exists():
        return pair
    CACHE.mkdir(parents=True, exist_ok=True)
    unfinished = [path.with_suffix(f".{os.getpid()}.part") for path in (pair.key, pair.response)]
    with (
        unfinished[0].open("w", encoding="utf-8", newline="\n") as key,
        unfinished[1].open("w", encoding="utf-8", newline="\n") as response,
    ):
        for number in range(factor * DOCUMENTS_PER_FACTOR):
            key_text, response_text = lines(document(number))
            key.write(key_text)
            response.write(response_text)
    unfinished[0].replace(pair.key)
    unfinished[1].replace(pair.response)
    return pair


def _name(number: int) -> str:
    words = [word for word in vocabulary()[100:400] if word.islower()]
    return f"{number:05d}_{words[number % len(words)]}_{words[-number * 7 % len(words)]}_made_up"


def _sentences(made: Document) -> Iterator[tuple[int, int]]:
    return pairwise([*made.sentences.tolist(), len(made.words)])


def brackets(
    mentions: Mentions, opening: Callable[[int, int, int], str], prefix: str = ""
) -> dict[int, list[str]]:
    """The openings and closings at each token, outer mentions opening first and closing last.

    ``prefix`` stands before the number of an entity where it closes.
    """
    cells: dict[int, list[str]] = {}
    still_open: list[tuple[int, int]] = []

    def close_those_that_end_before(token: float) -> None:
        while still_open and still_open[-1][0] < token:
            last, entity = still_open.pop()
            cells.setdefault(last, []).append(f"{prefix}{entity})")

    columns = (mentions.first.tolist(), mentions.last.tolist(), mentions.entity.tolist())
    for first, last, entity in sorted(zip(*columns, strict=True), key=lambda m: (m[0], -m[1])):
        close_those_that_end_before(first)
        cells.setdefault(first, []).append(opening(entity, first, last))
        if last > first:
            still_open.append((last, entity))
    close_those_that_end_before(math.inf)
    return cells


@cache
def _word_columns() -> list[str]:
    """Columns 4 to 11 of each word: word, tag, parse, lemma, frame, sense, speaker, name."""
    return [
        f"\t{word}\t{_TAGS[i % len(_TAGS)]}\t*\t{word.lower()}\t-\t-\t-\t*\t"
        for i, word in enumerate(vocabulary())
    ]


def _conll_lines(made: Document) -> tuple[str, str]:
    name = _name(made.number)
    columns = _word_columns()
    words = made.words.tolist()

    def opening(entity: int, first: int, last: int) -> str:
        return f"({entity})" if first == last else f"({entity}"

    def side(mentions: Mentions) -> str:
        cells = {token: "|".join(parts) for token, parts in brackets(mentions, opening).items()}
        lines = [f"#begin document ({name}); part 000\n"]
        for start, stop in _sentences(made):
            lines += [
                f"{name}\t0\t{token - start}{columns[words[token]]}{cells.get(token, '-')}\n"
                for token in range(start, stop)
            ]
            lines.append("\n")
        lines.append("#end document\n")
        return "".join(lines)

    return side(made.key), side(made.response)


def _conllu_lines(made: Document) -> tuple[str, str]:
    name = _name(made.number)
    forms = vocabulary()
    words = made.words.tolist()

    # The entity's number is its whole name: CorefUD's scorer cuts the name at the first hyphen.
    def opening(entity: int, first: int, last: int) -> str:
        return f"({entity}--1-)" if first == last else f"({entity}--1-"

    def side(mentions: Mentions) -> str:
        cells = {
            token: f"Entity={''.join(parts)}"
            for token, parts in brackets(mentions, opening).items()
        }
        lines = [f"# newdoc id = {name}\n# global.Entity = eid-etype-head-other\n"]
        for number, (start, stop) in enumerate(_sentences(made)):
            lines.append(f"# sent_id = {name}-{number}\n")
            lines += [
                f"{i}\t{forms[words[token]]}\t_\t_\t_\t_\t{i - 1}\t_\t_\t{cells.get(token, '_')}\n"
                for i, token in enumerate(range(start, stop), start=1)
            ]
            lines.append("\n")
        return "".join(lines)

    return side(made.key), side(made.response)
