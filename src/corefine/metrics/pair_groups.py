"""Pairs of mentions divided into groups: by their kinds, by the words that they share.

The pairs of a document are never listed. A group of pairs is counted in every set of mentions that
matters (the entities of each side, the cells, the documents), and what the two sides keep apart
follows from these numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement

import numpy as np

from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.columns import Kind
from corefine.corpus.words import Wording, wording_of
from corefine.errors import UsageError
from corefine.metrics.base import Statistics
from corefine.metrics.blanc import pairs
from corefine.metrics.shared_words import overlapping_pairs
from corefine.metrics.table import Table

Groups = dict[str, FloatArray]
"""For each group of pairs, their number by document."""
Counter = Callable[[IntArray, "list[BoolArray]"], list[Groups]]
"""Counts pairs within sets of mentions: a number for each row (-1: none), and which rows take part,
several times over."""


def divided_links(table: Table, count: Counter) -> dict[str, Statistics]:
    """The counts of :func:`~corefine.metrics.blanc.link_counts` for each group of pairs."""
    key, response = table.key_entity, table.response_entity
    in_key, in_response = key >= 0, response >= 0
    both = in_key & in_response
    cell = np.where(both, key * len(table.response) + response, -1)
    (common,) = count(cell, [both])
    of_key, shared_key = count(key, [in_key, both])
    of_response, shared_response = count(response, [in_response, both])
    all_key, all_response, all_shared = count(table.document, [in_key, in_response, both])
    return {
        group: {
            "coreferent_common": common[group],
            "coreferent_key": of_key[group],
            "coreferent_response": of_response[group],
            "separate_common": all_shared[group]
            - shared_key[group]
            - shared_response[group]
            + common[group],
            "separate_key": all_key[group] - of_key[group],
            "separate_response": all_response[group] - of_response[group],
        }
        for group in common
    }


def links_by_kind(table: Table) -> dict[str, Statistics]:
    """Links by the kinds of their two mentions, such as ``name-pronoun``."""
    kinds = table.kinds.astype(np.int64)

    def count(sets: IntArray, parts: list[BoolArray]) -> list[Groups]:
        return [_by_kinds(table, sets[part], kinds[part], table.document[part]) for part in parts]

    return divided_links(table, count)


def _by_kinds(table: Table, sets: IntArray, kinds: IntArray, document: IntArray) -> Groups:
    numbers, first, number = np.unique(sets, return_index=True, return_inverse=True)
    counts = np.bincount(number * len(Kind) + kinds, minlength=len(numbers) * len(Kind))
    counts = counts.reshape(-1, len(Kind)).astype(np.float64)
    owner = document[first]
    groups = {}
    for one, other in combinations_with_replacement(sorted(Kind, key=lambda k: (k == 0, k)), 2):
        inside = counts[:, one]
        number_of_pairs = pairs(inside) if one == other else inside * counts[:, other]
        name = f"{one.name.lower()}-{other.name.lower()}"
        groups[name] = table.per_document(owner, number_of_pairs)
    return groups


def links_by_overlap(table: Table) -> dict[str, Statistics]:
    """Links by the words that their two mentions share: ``exact`` (the same set of words),
    ``partial`` (at least one) or ``none``.

    Words are compared as they are written.
    """
    wording = _row_wording(table)

    def count(sets: IntArray, parts: list[BoolArray]) -> list[Groups]:
        return overlapping_pairs(table, wording, sets, parts)

    return divided_links(table, count)


def _row_wording(table: Table) -> Wording:
    """The words of each row: the key's, the response's for what only it has."""
    if table.matched is None:
        raise ValueError("this table does not know the mentions that it was made from")
    key, response = wording_of(table.matched.key), wording_of(table.matched.response)
    if len(table.document) and not len(key.words) and not len(response.words):
        raise UsageError(
            "pairs cannot be divided by the words that they share: the mentions have none",
            remedy="Score a text, or give mentions as strings of words.",
        )
    rows = len(table.matched.key.mentions)
    return Wording.concatenate(
        [
            key.take(table.matched.key_mention[:rows]),
            response.take(table.matched.response_mention[rows:]),
        ]
    )
