"""Fingerprints of keys: equal for the same documents, mentions and entities in any order or format.

Codes of mentions and entities are 64-bit hashes that add up, so that fingerprints of parts can be
added. Annotation that numbers depend on (heads, minimum spans, dependencies of zeros, relations,
other layers) is added to the code if, and only if, it is used.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import IntArray, Strings, ranges
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.matching.matching import Fingerprint

Codes = NDArray[np.uint64]
_ODD = tuple(np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F))
_MIX = tuple(np.uint64(number) for number in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_BLOCK = 1 << 15
_SHORT = 64
"""Bytes of strings that are added position by position."""


def fingerprint_of(
    corpus: Corpus, joined: Corpus | None = None, codes: Codes | None = None
) -> Fingerprint:
    """The fingerprint of a corpus as it is given.

    ``joined`` is the corpus with entities across documents, if the scope of entities is wider;
    ``codes`` are those of its mentions, if they are known.

    >>> print(fingerprint_of(Corpus.from_entities([["a", "b"], ["c"]])))
    1d.3m.b393a2
    """
    owner = corpus if joined is None else joined
    codes = mention_codes(corpus) if codes is None else codes
    sums = entity_sums(codes, owner.mentions.entity, len(owner.entities.document))
    return Fingerprint(len(corpus.documents), len(codes), total(_mixed(sums[sums != 0])))


def fingerprint_of_sizes(documents: Sequence[str], owner: IntArray, size: IntArray) -> Fingerprint:
    """The fingerprint of a key that is known by the sizes of its entities only."""
    written = [documents[number] for number in owner.tolist()]
    return Fingerprint(len(documents), int(size.sum()), labels_code(strings_code(written), size))


def entity_sums(codes: Codes, entity: IntArray, entities: int) -> Codes:
    """The sum of the mention codes of each entity; sums of parts of an entity can be added."""
    sums = np.zeros(entities, np.uint64)
    np.add.at(sums, entity, _mixed(codes))
    return sums


def total(codes: Codes) -> int:
    """The sum of codes, modulo 2⁶⁴."""
    return int(codes.sum(dtype=np.uint64))


def annotation_code(corpus: Corpus, used: Collection[str]) -> int:
    """A code of annotation other than spans and entities that numbers depend on.

    ``used`` names it: ``head``, ``minimum``, ``parse``, ``zeros`` (their enhanced dependencies),
    ``sentences`` (of empty nodes),
    relations (``bridge``, ``split``), layers (``deixis``, ``nonreferring``) and attributes of
    mentions.
    """
    mentions, code = corpus.mentions, 0
    zeros = _zeros(corpus) if "zeros" in used else None
    relations = [relation for relation in corpus.relations if relation.kind in used]
    codes = mention_codes(corpus)
    if "head" in used and mentions.head is not None:
        known = mentions.head >= 0
        code += labels_code(codes[known], mentions.head[known])
    if "minimum" in used and mentions.minimum is not None:
        known = mentions.minimum[0] >= 0
        code += labels_code(codes[known], _span_codes(*mentions.minimum)[known])
    if "parse" in used and corpus.tokens is not None and "parse" in corpus.tokens.layers:
        tokens = corpus.tokens
        position = np.arange(len(tokens)) - tokens.offsets[tokens.document_of_token]
        places = _span_codes(position, position) + _document_codes(corpus)[tokens.document_of_token]
        code += total(_mixed(places + _mixed(_string_codes(tokens.layers["parse"]))))
    for name in sorted(set(mentions.attributes).intersection(used)):
        code += labels_code(codes, strings_code(mentions.attributes[name].tolist()))
    if zeros is not None:
        code += labels_code(codes[zeros[0]], zeros[1])
    if "sentences" in used and corpus.tokens is not None:
        code += _empty_nodes_code(corpus, corpus.tokens)
    if relations:
        sums = entity_sums(codes, mentions.entity, len(corpus.entities)).tolist()
        names = () if corpus.entities.names is None else corpus.entities.names
        documents = corpus.entities.document.tolist()
        by_name = dict(zip(zip(documents, names, strict=False), sums, strict=False))
        written = [
            repr((
                relation.kind,
                corpus.documents[relation.document] if corpus.named else "",
                by_name.get((relation.document, relation.source)),
                by_name.get((relation.document, relation.target)),
                relation.anaphor,
                relation.antecedent,
            ))
            for relation in relations
        ]  # fmt: skip
        code += total(_mixed(_string_codes(Strings.from_list(written))))
    for name in corpus.annotations:
        if name in used:
            layer = corpus.annotation(name)
            code += fingerprint_of(layer).code
            code += annotation_code(layer, {*used, "split"})
    return code % (1 << 64)


def _zeros(corpus: Corpus) -> tuple[IntArray, Codes] | None:
    """The zeros of a corpus, and codes of the enhanced dependencies by which they are matched."""
    mentions, tokens = corpus.mentions, corpus.tokens
    if tokens is None or tokens.empty is None or "deps" not in tokens.layers:
        return None
    head = mentions.start if mentions.head is None else mentions.head
    head = tokens.offsets[mentions.document] + np.where(head < 0, mentions.start, head)
    zeros = np.flatnonzero(tokens.empty[head])
    return zeros, _string_codes(tokens.layers["deps"].take(head[zeros]))


def _empty_nodes_code(corpus: Corpus, tokens: Tokens) -> int:
    """A code of the sentences of empty nodes, within which zeros are matched."""
    if tokens.empty is None:
        return 0
    nodes = np.flatnonzero(tokens.empty)
    document = tokens.document_of_token[nodes]
    first = tokens.offsets[document]
    codes = _span_codes(nodes - first, nodes - first) + _document_codes(corpus)[document]
    return labels_code(codes, tokens.sentence_of(nodes) - tokens.sentence_of(first))


def labels_code(codes: Codes, labels: NDArray[Any]) -> int:
    """A code of labels of mentions, such as their kinds."""
    return total(_mixed(codes + _mixed(labels.astype(np.uint64))))


def strings_code(strings: Sequence[str]) -> Codes:
    """A code per string."""
    return _string_codes(Strings.from_list(strings))


def mention_codes(corpus: Corpus) -> Codes:
    """A code per mention, equal for the same span of the same document in any corpus."""
    documents = _document_codes(corpus)
    codes = _place_codes(corpus) if corpus.mentions.names is None else _name_codes(corpus)
    if len(documents):
        codes += documents[corpus.mentions.document]
    return codes


def _document_codes(corpus: Corpus) -> Codes:
    """A code per document, made from its id if it has one."""
    names = corpus.documents if corpus.named else ("",) * len(corpus.documents)
    return _mixed(_string_codes(Strings.from_list(names)))


def _place_codes(corpus: Corpus) -> Codes:
    mentions = corpus.mentions
    codes = _span_codes(mentions.start, mentions.stop - 1)
    if mentions.pieces is not None:
        pieces = mentions.pieces
        codes[pieces.mention] = 0
        np.add.at(codes, pieces.mention, _mixed(_span_codes(pieces.start, pieces.stop - 1)))
    return codes


def _span_codes(first: NDArray[np.int64], last: NDArray[np.int64]) -> Codes:
    codes = first.astype(np.uint64)
    codes *= _ODD[0]
    codes += last.astype(np.uint64) * _ODD[1]
    return codes


def _name_codes(corpus: Corpus) -> Codes:
    """Codes of mentions without a position; a pair of numbers is a span, as ``mention_id`` is."""
    names = corpus.mentions.names
    if isinstance(names, Strings):
        return _string_codes(names)
    from corefine.corpus.words import named_spans

    spans = named_spans(names)
    if spans is not None:
        return _span_codes(spans[:, 0], spans[:, 1])
    if isinstance(names, np.ndarray) and names.dtype.kind == "i" and names.min(initial=0) >= 0:
        return _number_codes(names)
    listed = names.tolist() if isinstance(names, np.ndarray) else list(names or ())
    return _string_codes(Strings.from_list(map(_written, listed)))


def _written(name: Hashable) -> str:
    """The name of a mention as a string; the order of a set differs between processes."""
    if isinstance(name, frozenset):
        return repr(sorted(map(repr, name)))
    return name if isinstance(name, str) else repr(name)


def _string_codes(strings: Strings) -> Codes:
    """Codes of strings: the sum of the codes of their bytes and positions.

    Blocks of strings fit into the cache.
    """
    count = len(strings.offsets) - 1
    if count <= _BLOCK:
        return _block_codes(strings)
    blocks = [_block_codes(strings[first : first + _BLOCK]) for first in range(0, count, _BLOCK)]
    return np.concatenate(blocks)


def _block_codes(strings: Strings) -> Codes:
    """The bytes at one position of all strings are added at once; long strings end one by one."""
    lengths, data, starts = np.diff(strings.offsets), strings.data, strings.offsets[:-1]
    codes = np.full(len(lengths), _ODD[0])
    width = int(lengths.max(initial=0))
    for place in range(min(width, _SHORT)):
        rows = slice(None) if (longer := lengths > place).all() else np.flatnonzero(longer)
        codes[rows] += _byte_codes(place).take(data.take(starts[rows] + place))
    if width > _SHORT:
        rows = np.flatnonzero(lengths > _SHORT)
        rest = lengths[rows] - _SHORT
        places = ranges(np.full(len(rows), _SHORT), rest).astype(np.uint64)
        added = _mixed(data[ranges(starts[rows] + _SHORT, rest)] * _ODD[1] + places * _ODD[0])
        np.add.at(codes, np.repeat(rows, rest), added)
    return codes


def _number_codes(numbers: NDArray[Any]) -> Codes:
    """The codes of the digits of numbers, as of strings."""
    powers = 10 ** np.arange(19)
    length = np.searchsorted(powers[1:], numbers, side="right") + 1
    codes = np.full(len(numbers), _ODD[0])
    for place in range(int(length.max(initial=0))):
        rows = np.flatnonzero(length > place)
        digits = numbers[rows] // powers[length[rows] - 1 - place] % 10
        codes[rows] += _byte_codes(place)[digits + ord("0")]
    return codes


@cache
def _byte_codes(place: int) -> Codes:
    """The codes of all bytes at a position."""
    places = np.full(256, place, np.uint64)
    return _mixed(np.arange(256, dtype=np.uint64) * _ODD[1] + places * _ODD[0])


def _mixed(codes: Codes) -> Codes:
    """Codes in which every bit depends on all bits of the given ones (finaliser of SplitMix64)."""
    codes = codes ^ (codes >> np.uint64(30))
    codes *= _MIX[0]
    codes ^= codes >> np.uint64(27)
    codes *= _MIX[1]
    codes ^= codes >> np.uint64(31)
    return codes
