"""Names of entities, as the source gives them or by their number in the document."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus


def entity_labels(corpus: Corpus, entities: Sequence[int] | IntArray | None = None) -> list[str]:
    """A name for each of these entities (or for all): its own, or its number in its document."""
    chosen = np.arange(len(corpus.entities)) if entities is None else np.asarray(entities, np.int64)
    if corpus.entities.names is not None:
        return corpus.entities.names.take(chosen).tolist()
    document = corpus.entities.document
    first = np.full(len(corpus.documents), len(document))
    np.minimum.at(first, document, np.arange(len(document)))
    return [str(number) for number in (chosen - first[document[chosen]] + 1).tolist()]
