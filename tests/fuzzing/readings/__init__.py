"""Plain readings of formats, made of the standard library alone, to hold the fast ones against.

A reading gives for each document its entities, each as the sorted places of its mentions. It raises
``UnclearError`` on a file that holds more than it knows, and ``RefusedError`` or any common error
on one that should not have been read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from corefine.corpus.corpus import Corpus
from tests.building import conll_reference, conllu_reference
from tests.fuzzing.readings.columns import conll, conll_ud, conllu, semeval, universal_anaphora
from tests.fuzzing.readings.plain import Files, UnclearError, of_characters, of_tokens
from tests.fuzzing.readings.records import (
    by_tokens,
    cas_json,
    coref_data,
    corenlp,
    fastcoref,
    label_studio,
    xcore,
)
from tests.fuzzing.readings.standoff import booknlp, brat, ccl, ecb, gap, i2b2, litbank
from tests.fuzzing.readings.tables import labels, of_rows, parquet
from tests.fuzzing.readings.tagged import TAGS, tagged

__all__ = ["READINGS", "Reading", "UnclearError"]


@dataclass(frozen=True)
class Reading:
    """How the corpus of a format is compared with a plain reading of its files."""

    of_corpus: Callable[[Corpus], object]
    of_files: Callable[[Files], object]


READINGS: dict[str, Reading] = {
    "conll": Reading(conll_reference.as_plain, conll),
    "conllu": Reading(conllu_reference.as_plain, conllu),
    "conll-ud": Reading(of_tokens, conll_ud),
    "semeval": Reading(of_tokens, semeval),
    "ua": Reading(of_tokens, universal_anaphora),
    "e2e": Reading(of_tokens, by_tokens(["clusters"], ["doc_key"])),
    "e2e-predicted": Reading(of_tokens, by_tokens(["predicted_clusters"], ["doc_key"])),
    "maverick": Reading(of_tokens, by_tokens(["clusters_token_offsets"], ["doc_key"])),
    "allennlp": Reading(of_tokens, by_tokens(["clusters"], ["doc_key"])),
    "clusters": Reading(of_tokens, by_tokens(["clusters"], ["doc_key"])),
    "clusters-exclusive": Reading(of_tokens, by_tokens(["clusters"], ["doc_key"], behind=1)),
    "crac-json": Reading(of_tokens, by_tokens(["clusters_token_offsets"], ["doc_id"])),
    "wl-coref": Reading(of_tokens, by_tokens(["span_clusters"], ["document_id"], behind=1)),
    "preco": Reading(
        of_tokens, by_tokens(["mention_clusters"], ["id"], behind=1, in_sentences=True)
    ),
    "fastcoref": Reading(of_characters, fastcoref),
    "coref-data": Reading(of_tokens, coref_data),
    "corenlp": Reading(of_tokens, corenlp),
    "xcore": Reading(of_tokens, xcore),
    "label-studio": Reading(of_characters, label_studio),
    "cas-json": Reading(of_tokens, cas_json),
    "ecb": Reading(of_tokens, ecb),
    "gap": Reading(of_characters, gap),
    "labels": Reading(of_rows, labels),
    "parquet": Reading(of_rows, parquet),
    "brat": Reading(of_characters, brat),
    "i2b2": Reading(of_tokens, i2b2),
    "litbank": Reading(of_tokens, litbank),
    "ccl": Reading(of_tokens, ccl),
    "booknlp": Reading(of_tokens, booknlp),
    **{dialect: Reading(of_tokens, tagged(dialect)) for dialect in TAGS},
}
"""Formats without one are watched for errors, time and memory alone."""
