"""Writing CoNLL-2012: twelve columns, cut by tabs, the last one with brackets.

``document part number word pos parse lemma - - speaker ner coreference``; a column that the corpus
does not know is ``-``, or ``*`` for parse and named entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corefine.corpus.corpus import Corpus
from corefine.formats.building.bracket_writing import (
    CONTROL,
    bracket_cells,
    bracket_losses,
    counted,
    in_brackets,
    layer_cells,
    places_in_sentences,
    word_cells,
)
from corefine.formats.columns.conll_columns import canonical_name

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
    corpus, tokens = in_brackets(corpus, "CoNLL")
    cells = bracket_cells(corpus)
    words = word_cells(tokens)
    pos, lemma, speaker = (layer_cells(tokens, name, "-") for name in ("pos", "lemma", "speaker"))
    parse, ner = (layer_cells(tokens, name, "*") for name in ("parse", "ner"))
    for name, places in zip(corpus.documents, places_in_sentences(tokens), strict=True):
        plain, part = name_and_part(name)
        label = re.sub(r"[\s\x00-\x1f]", "_", plain) or "-"
        lines = [f"#begin document {_mark(name)}"]
        for token, number in places:
            if number == 0 and len(lines) > 1:
                lines.append("")
            lines.append(
                f"{label}\t{part}\t{number}\t{words[token]}\t{pos[token]}\t{parse[token]}\t"
                f"{lemma[token]}\t-\t-\t{speaker[token]}\t{ner[token]}\t{cells.get(token, '-')}"
            )
        lines += ["", "#end document", ""] if len(lines) > 1 else ["#end document", ""]
        yield "\n".join(lines).encode("utf-8", "surrogatepass")


def name_and_part(name: str) -> tuple[str, int]:
    found = _PART.fullmatch(name)
    return (found.group(1), int(found.group(2))) if found else (name, 0)


def _mark(name: str) -> str:
    """What follows ``#begin document``; read back it is the name, if that can be."""
    plain, part = name_and_part(name)
    return f"({CONTROL.sub(' ', plain)}); part {part:03d}"
