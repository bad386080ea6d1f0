"""spaCy: entities in ``Doc.spans``, and a scorer for the configuration of a pipeline.

Entities are groups of spans whose keys begin with a prefix, one group per entity, such as
``coref_clusters_1``. The scorer is registered as ``corefine.coref_scorer.v1``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
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
    return Corpus.from_documents(
        _document(doc, number, prefix) for number, doc in enumerate(docs, 1)
    )


def _document(doc: Doc, number: int, prefix: str) -> Document:
    starts = [token.i for token in doc if token.i == 0 or token.is_sent_start]
    document = Document(str(doc.user_data.get(DOCUMENT_ID, number)), _words(doc), starts=starts)
    for layer, annotation, attribute in (("pos", "TAG", "tag_"), ("upos", "POS", "pos_")):
        if doc.has_annotation(annotation):
            document.layers[layer] = [getattr(token, attribute) for token in doc]
    parsed = doc.has_annotation("DEP")
    document.mentions = [
        Mention(key, [(span.start, span.end)], head=span.root.i if parsed else None)
        for key, group in _groups(doc, prefix)
        for span in group
    ]
    return document


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


def _words(doc: Doc) -> list[str]:
    return [token.text for token in doc]


def _by_characters(documents: Sequence[Doc], prefix: str) -> Corpus:
    entities = [
        [[(span.start_char, span.end_char) for span in group] for _, group in _groups(doc, prefix)]
        for doc in documents
    ]
    return Corpus.from_lists(range(len(documents)), entities)
