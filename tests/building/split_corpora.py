"""Corpora with split antecedents, made from lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from corefine.corpus.arrays import Strings
from corefine.corpus.columns import Entities, Relation
from corefine.corpus.corpus import Corpus

Mention = Any
Described = Sequence[Mapping[str, Any]]
"""Entities as the cases have them: ``mentions``, and ``split``, a mention of each antecedent."""


def split_corpus(documents: Mapping[str, Described]) -> Corpus:
    """The corpus of documents whose entities may have split antecedents."""
    corpus = Corpus.from_documents(
        {name: [entity["mentions"] for entity in found] for name, found in documents.items()}
    )
    names, relations = [], []
    for number, entities in enumerate(documents.values()):
        owner = {m: f"e{place}" for place, e in enumerate(entities) for m in e["mentions"]}
        for place, entity in enumerate(entities):
            names.append(f"e{place}")
            relations += [
                Relation("split", number, f"e{place}", owner[mention])
                for mention in entity["split"] or ()
            ]
    columns = Entities(corpus.entities.document, Strings.from_list(names))
    return replace(corpus, entities=columns, relations=tuple(relations))
