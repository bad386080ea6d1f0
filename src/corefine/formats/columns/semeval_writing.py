"""Writing SemEval-2010 task 1: seventeen columns, cut by tabs, the last one with brackets.

ID TOKEN LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL NE PNE PRED PPRED COREF; what
the corpus does not know, and all that is predicted, is ``_``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from corefine.corpus.columns import Kind
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
from corefine.formats.columns.semeval_columns import PREDICTED, heads_in, zeros_in


def losses(corpus: Corpus) -> list[str]:
    """What a SemEval file cannot say of this corpus; heads and zeros it says by its tokens."""
    if corpus.tokens is None:
        return []
    lost = []
    renamed = [name for name in corpus.documents if canonical_name(_mark(name)) != name]
    if renamed:
        lost.append(counted(renamed, "document name"))
    head, kind = corpus.mentions.head, corpus.mentions.kind
    if head is not None:
        found = heads_in(corpus)
        wrong = np.count_nonzero((head >= 0) & (head != (-1 if found is None else found)))
        if wrong:
            lost.append(f"heads that the column HEAD does not give ({wrong})")
    if kind is not None:
        zeros = zeros_in(corpus)
        wrong = np.count_nonzero((kind != Kind.UNKNOWN) & (kind != (0 if zeros is None else zeros)))
        if wrong:
            lost.append(f"kinds of mentions ({wrong})")
    return lost + bracket_losses(corpus)


def write(corpus: Corpus) -> Iterator[bytes]:
    """The documents of a corpus, each as one piece of the file."""
    corpus, tokens = in_brackets(corpus, "SemEval-2010")
    cells = bracket_cells(corpus)
    words = word_cells(tokens)
    layers = [layer_cells(tokens, name, "_") for name in PREDICTED]
    for name, places in zip(corpus.documents, places_in_sentences(tokens), strict=True):
        lines = [f"#begin document {_mark(name)}"]
        for token, number in places:
            if number == 0 and len(lines) > 1:
                lines.append("")
            known = "\t_\t".join([layer[token] for layer in layers])
            lines.append(f"{number + 1}\t{words[token]}\t{known}\t_\t_\t_\t{cells.get(token, '_')}")
        lines += [""] if len(lines) > 1 else []
        lines += [f"#end document {_mark(name)}", ""]
        yield "\n".join(lines).encode("utf-8", "surrogatepass")


def _mark(name: str) -> str:
    """What follows ``#begin document``."""
    return CONTROL.sub(" ", name)
