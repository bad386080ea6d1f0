"""spaCy: entities in ``Doc.spans``, and a scorer for the configuration of a pipeline.

Entities are groups of spans whose keys begin with a prefix, one group per entity, such as
``coref_clusters_1``. The scorer is registered as ``corefine.coref_scorer.v1``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from corefine.corpus.arrays import Strings, offsets_of
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.errors import MissingExtraError
from corefine.metrics.registry import resolve
from corefine.scoring.score import score

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.training import Example

DOCUMENT_ID = "doc_id"
"""The entry of ``Doc.user_data`` that names a document."""


def corpus_from_docs(docs: Iterable[Doc], prefix: str = "coref_clusters") -> Corpus:
    """The corpus of spaCy's documents.

    An entity is a group of ``Doc.spans`` whose key starts with ``prefix`` and ``_``; groups are
    sorted by key. A document is named by ``doc.user_data["doc_id"]`` or else numbered from 1. Tags,
    parts of speech and the roots of spans (as heads) are included if the pipeline has set them.
    """
    documents = list(docs)
    groups = [_groups(doc, prefix) for doc in documents]
    owner = np.repeat(np.arange(len(documents)), [len(entities) for entities in groups])
    spans = [group for entities in groups for _, group in entities]
    entity = np.repeat(np.arange(len(spans)), [len(group) for group in spans])
    mentions = list(chain.from_iterable(spans))
    start = np.array([span.start for span in mentions], np.int64)
    stop = np.array([span.end for span in mentions], np.int64)
    names = tuple(
        str(doc.user_data.get(DOCUMENT_ID, place)) for place, doc in enumerate(documents, 1)
    )
    return Corpus(
        names,
        Entities(owner, Strings.from_list(key for entities in groups for key, _ in entities)),
        Mentions(owner[entity], entity, start, stop, head=_heads(documents, mentions)),
        _tokens(documents),
    )


def make_coref_scorer(
    prefix: str = "coref_clusters", metrics: str = "default"
) -> Callable[..., dict[str, float]]:
    """A scorer for spaCy: ``corefine.coref_scorer.v1`` in the registry ``scorers``.

    It gives ``coref_f1``, the CoNLL F1 whatever the metrics, and of every metric
    ``coref_<metric>_p``, ``_r`` and ``_f``. Where the tokens of prediction and reference differ,
    mentions are compared by their characters.
    """
    asked = {str(metric): metric for metric in resolve(metrics).values()}

    def coref_scorer(examples: Iterable[Example], **_: Any) -> dict[str, float]:
        pairs = [(example.reference, example.predicted) for example in examples]
        same = all(_words(one) == _words(other) for one, other in pairs)
        corpus_of = corpus_from_docs if same else _by_characters
        # A prediction has its own user data: documents are paired by their place.
        names = tuple(map(str, range(1, len(pairs) + 1)))
        key, response = (
            replace(corpus_of([pair[side] for pair in pairs], prefix), documents=names)
            for side in (0, 1)
        )
        found = score(key, response, metrics=["conll", *asked.values()])
        results = {"coref_f1": found["conll"].f1}
        for metric in asked:
            for name, value in found[metric].to_dict().items():
                results[f"coref_{metric}_{name[0]}"] = value
        return results

    return coref_scorer


def register_scorer() -> None:
    """Tell spaCy of the scorer; an installed corefine has done so by its entry point."""
    try:
        from spacy.util import registry
    except ImportError:
        raise MissingExtraError("scoring in spaCy's pipelines", "spacy", "spacy") from None
    registry.scorers("corefine.coref_scorer.v1", func=make_coref_scorer)


def _groups(doc: Doc, prefix: str) -> list[tuple[str, list[Any]]]:
    keys = sorted(key for key in doc.spans if key.startswith(f"{prefix}_") and len(doc.spans[key]))
    return [(key, list(doc.spans[key])) for key in keys]


def _tokens(documents: Sequence[Doc]) -> Tokens:
    offsets = offsets_of(np.array([len(doc) for doc in documents], np.int64))
    starts = [
        base + np.array([token.i == 0 or bool(token.is_sent_start) for token in doc]).nonzero()[0]
        for doc, base in zip(documents, offsets.tolist(), strict=False)
    ]
    layers = {}
    for layer, annotation, attribute in (("pos", "TAG", "tag_"), ("upos", "POS", "pos_")):
        if documents and all(doc.has_annotation(annotation) for doc in documents):
            layers[layer] = Strings.from_list(
                getattr(token, attribute) for doc in documents for token in doc
            )
    return Tokens(
        Strings.from_list(token.text for doc in documents for token in doc),
        offsets,
        np.concatenate([*starts, np.zeros(0, np.int64)]).astype(np.int64),
        layers,
    )


def _heads(documents: Sequence[Doc], mentions: Sequence[Any]) -> Any:
    if not documents or not all(doc.has_annotation("DEP") for doc in documents):
        return None
    return np.array([span.root.i for span in mentions], np.int64)


def _words(doc: Doc) -> list[str]:
    return [token.text for token in doc]


def _by_characters(documents: Sequence[Doc], prefix: str) -> Corpus:
    entities = [
        [[(span.start_char, span.end_char) for span in group] for _, group in _groups(doc, prefix)]
        for doc in documents
    ]
    return Corpus.from_lists(range(len(documents)), entities)
