"""Writing SemEval-2010 task 1: seventeen columns, cut by tabs, the last one with brackets.

ID TOKEN LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD DEPREL PDEPREL NE PNE PRED PPRED COREF; what
the corpus does not know, and all that is predicted, is ``_``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from corefine.corpus import Corpus, Kind
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
from corefine.formats.semeval_columns import PREDICTED, heads_in, zeros_in
from corefine.rearranging import keep_mentions


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
    if corpus.tokens is None:
        raise UsageError(
            "a corpus without text cannot be written as SemEval-2010",
            None,
            "Choose a format that names mentions.",
        )
    corpus = drop_empty_nodes(corpus)
    corpus = keep_mentions(corpus, nested(corpus))
    tokens = corpus.tokens
    assert tokens is not None
    cells = bracket_cells(corpus)
    words = word_cells(tokens)
    layers = [layer_cells(tokens, name, "_") for name in PREDICTED]
    opens_sentence = np.zeros(len(tokens) + 1, bool)
    opens_sentence[tokens.sentences] = True
    starts_sentence = opens_sentence.tolist()
    offsets = tokens.offsets.tolist()
    for document, name in enumerate(corpus.documents):
        first, last = offsets[document], offsets[document + 1]
        lines = [f"#begin document {_mark(name)}"]
        number = 0
        for token in range(first, last):
            if starts_sentence[token] and token > first:
                lines.append("")
                number = 0
            number += 1
            known = "\t_\t".join([layer[token] for layer in layers])
            lines.append(f"{number}\t{words[token]}\t{known}\t_\t_\t_\t{cells.get(token, '_')}")
        lines += [""] if first < last else []
        lines += [f"#end document {_mark(name)}", ""]
        yield "\n".join(lines).encode("utf-8", "surrogatepass")


def _mark(name: str) -> str:
    """What follows ``#begin document``."""
    return CONTROL.sub(" ", name)
