"""Writing brat's files: a text and its annotations for each document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.corpus import Corpus
from corefine.formats.building.written_text import lost_blanks, with_text
from corefine.formats.input.folders import file_names, lost_names

ANNOTATIONS, TEXT = ".ann", ".txt"
KINDS = {Kind.NAME: "PROP", Kind.NOMINAL: "NOM", Kind.PRONOUN: "PRON", Kind.ZERO: "ZERO"}
"""The words for kinds; LitBank itself has no zeros."""
UNTYPED = "Mention"

_NOT_IN_TYPES = re.compile(r"[\x00-\x20]+")
_LIKE_AN_ENTITY = re.compile(r"-([0-9]+)$")
_LIKE_A_KIND = re.compile(rf"(?:{'|'.join(KINDS.values())})(?:_.+)?")
_LINE_ENDS = re.compile(r"[\r\n\t]")


def losses(corpus: Corpus) -> list[str]:
    """What brat's files cannot say of this corpus, besides what no such files say."""
    lost = lost_names(corpus.documents)
    types = [name for name in corpus.types if _written_type(name) != name]
    if types:
        lost.append(f"entity types such as {types[0]!r}")
    return lost + lost_blanks(corpus)


def _written_type(name: str) -> str:
    """A type in one word, which is not taken for a kind or for the name of an entity."""
    written = _LIKE_AN_ENTITY.sub(r"_\1", _NOT_IN_TYPES.sub("_", name)) or UNTYPED
    taken = (written == UNTYPED and name) or _LIKE_A_KIND.fullmatch(written)
    return f"_{written}" if taken else written


def write_files(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """The files of all documents: ``x.txt`` and ``x.ann``."""
    corpus, _ = with_text(corpus, "brat")
    mentions = corpus.mentions
    bounds = np.searchsorted(mentions.document, np.arange(len(corpus) + 1)).tolist()
    labels = _labels(corpus)
    pieces = mentions.pieces
    split = frozenset(() if pieces is None else pieces.mention.tolist())
    starts, stops = mentions.start.tolist(), mentions.stop.tolist()
    entities = mentions.entity.tolist()
    for document, name in enumerate(file_names(corpus.documents)):
        text, begins, ends = _text(corpus, document)
        rows = range(bounds[document], bounds[document + 1])
        lines, last, number = [], dict[int, int](), 0
        for row in rows:
            parts = corpus.pieces_of(row) if row in split else [(starts[row], stops[row])]
            spans = [(begins[start], ends[stop - 1]) for start, stop in parts]
            spans = [span for span in spans if text[span[0] : span[1]].strip()]
            if not spans:
                continue
            number += 1
            places = ";".join(f"{begin} {end}" for begin, end in spans)
            words = " ".join(_LINE_ENDS.sub(" ", text[begin:end]) for begin, end in spans)
            lines.append(f"T{number}\t{labels[row]} {places}\t{words}\n")
            before = last.get(entities[row])
            last[entities[row]] = number
            if before is not None:
                lines.append(f"R{number}\tCoref Arg1:T{number} Arg2:T{before}\n")
        yield f"{name}{TEXT}", text.encode("utf-8", "surrogatepass")
        yield f"{name}{ANNOTATIONS}", "".join(lines).encode("utf-8", "surrogatepass")


def _labels(corpus: Corpus) -> list[str]:
    """The type of each mention as it is written: its kind, its type, or both."""
    mentions = corpus.mentions
    types = [*map(_written_type, corpus.types), ""]
    type = np.full(len(mentions), -1) if mentions.type is None else mentions.type
    kind = np.zeros(len(mentions), np.uint8) if mentions.kind is None else mentions.kind
    return [
        "_".join(filter(None, (KINDS.get(Kind(sort), ""), types[number]))) or UNTYPED
        for sort, number in zip(kind.tolist(), type.tolist(), strict=True)
    ]


def _text(corpus: Corpus, document: int) -> tuple[str, Sequence[int], Sequence[int]]:
    """The text of a document, and the characters at which its tokens begin and end.

    Where only the words are known, they stand with blanks between, and a sentence is a line.
    """
    tokens = corpus.tokens
    assert tokens is not None
    first, last = tokens.offsets[document : document + 2].tolist()
    if tokens.text is not None:
        part = slice(first, last)
        text = tokens.text.documents[document]
        return text, tokens.text.begins[part].tolist(), tokens.text.ends[part].tolist()
    words = tokens.words[first:last].tolist()
    inside = tokens.sentences[(tokens.sentences > first) & (tokens.sentences < last)]
    sentences = [0, *(inside - first).tolist(), last - first]
    text = "".join(" ".join(words[begin:end]) + "\n" for begin, end in pairwise(sentences))
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    ends = np.cumsum(lengths + 1) - 1
    return text if words else "", (ends - lengths).tolist(), ends.tolist()
