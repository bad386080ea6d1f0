"""Writing CoNLL-2012: twelve columns, cut by tabs, the last one with brackets.

``document part number word pos parse lemma - - speaker ner coreference``; a column that the corpus
does not know is ``-``, or ``*`` for parse and named entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from corefine.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats.bracket_writing import (
    CONTROL,
    bracket_cells,
    bracket_losses,
    counted,
    layer_cells,
    nested,
    word_cells,
)
from corefine.formats.conll_columns import canonical_name
from corefine.formats.empty_nodes import drop_empty_nodes
from corefine.rearranging import keep_mentions

_PART = re.compile(r"(.*); part ([1-9][0-9]{0,17})", re.DOTALL)


def losses(corpus: Corpus) -> list[str]:
    """What a CoNLL file cannot say of this corpus, besides what no CoNLL file says."""
    tokens = corpus.tokens
    if tokens is None:
        return []
    lost = []
    renamed = [name for name in corpus.documents if canonical_name(_mark(name)) != name]
    if renamed:
        lost.append(counted(renamed, "document name"))
    return lost + bracket_losses(corpus)


def write(corpus: Corpus) -> Iterator[bytes]:
    """The documents of a corpus, each as one piece of the file."""
    if corpus.tokens is None:
        raise UsageError(
            "a corpus without text cannot be written as CoNLL",
            None,
            "Choose a format that names mentions.",
        )
    corpus = drop_empty_nodes(corpus)
    corpus = keep_mentions(corpus, nested(corpus))
    assert corpus.tokens is not None
    tokens = corpus.tokens
    cells = bracket_cells(corpus)
    words = word_cells(tokens)
    pos, lemma, speaker = (layer_cells(tokens, name, "-") for name in ("pos", "lemma", "speaker"))
    parse, ner = (layer_cells(tokens, name, "*") for name in ("parse", "ner"))
    opens_sentence = np.zeros(len(tokens) + 1, bool)
    opens_sentence[tokens.sentences] = True
    starts_sentence = opens_sentence.tolist()
    offsets = tokens.offsets.tolist()
    for document, name in enumerate(corpus.documents):
        first, last = offsets[document], offsets[document + 1]
        plain, part = name_and_part(name)
        label = re.sub(r"[\s\x00-\x1f]", "_", plain) or "-"
        lines = [f"#begin document {_mark(name)}"]
        number = 0
        for token in range(first, last):
            if starts_sentence[token] and token > first:
                lines.append("")
                number = 0
            lines.append(
                f"{label}\t{part}\t{number}\t{words[token]}\t{pos[token]}\t{parse[token]}\t"
                f"{lemma[token]}\t-\t-\t{speaker[token]}\t{ner[token]}\t{cells.get(token, '-')}"
            )
            number += 1
        lines += ["", "#end document", ""] if first < last else ["#end document", ""]
        yield "\n".join(lines).encode("utf-8", "surrogatepass")


def name_and_part(name: str) -> tuple[str, int]:
    found = _PART.fullmatch(name)
    return (found.group(1), int(found.group(2))) if found else (name, 0)


def _mark(name: str) -> str:
    """What follows ``#begin document``; read back it is the name, if that can be."""
    plain, part = name_and_part(name)
    return f"({CONTROL.sub(' ', plain)}); part {part:03d}"
