"""Names of entities, as the source gives them or by their number in the document."""

from __future__ import annotations

import numpy as np

from corefine.corpus import Corpus


def entity_labels(corpus: Corpus) -> list[str]:
    """A name for each entity of a corpus: its own, or its number in its document."""
    if corpus.entities.names is not None:
        return corpus.entities.names.tolist()
    document = corpus.entities.document
    first = np.full(len(corpus.documents), len(document))
    np.minimum.at(first, document, np.arange(len(document)))
    return [str(number) for number in (np.arange(len(document)) - first[document] + 1).tolist()]
