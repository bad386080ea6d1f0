"""Signatures: all that a number depends on, so that two numbers compare if theirs are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from corefine._version import __version__
from corefine.corpus.arrays import ranges
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.corpus.words import named_spans

Codes = NDArray[np.uint64]
_ODD = tuple(np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F))
_MIX = tuple(np.uint64(number) for number in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@dataclass(frozen=True, slots=True)
class Signature:
    """What a number depends on: the metric, the settings, the key, the version.

    >>> print(Signature("lea", {"match": "exact"}, "1d.3m.0a1b2c", "1.0"))
    lea|match:exact|average:micro|key:1d.3m.0a1b2c|corefine:1.0
    """

    metric: str | None = None
    """The metric's canonical name; None for what several metrics have in common."""
    settings: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    version: str = __version__
    preset: str = ""
    """The preset that the settings come from; numbers compare without it."""
    average: str = "micro"
    """Over documents, over data sets: ``macro(27)``, or over ``topics``."""
    copied: str = ""
    """How many of the key's words a language model copied; numbers compare without it."""

    def __str__(self) -> str:
        named = [] if self.metric is None else [self.metric]
        copied = [f"copied:{self.copied}"] if self.copied else []
        return "|".join([*named, *self._from_preset, *self._parts(copied)])

    @property
    def _from_preset(self) -> list[str]:
        return [f"preset:{self.preset}"] if self.preset else []

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def conventions(self) -> str:
        """The signature without the metric, the name of the preset and what was copied."""
        return "|".join(self._parts([]))

    def _parts(self, copied: list[str]) -> list[str]:
        settings = [f"{name}:{value}" for name, value in self.settings.items()]
        key = [f"key:{self.key}"] if self.key else []
        average, version = f"average:{self.average}", f"corefine:{self.version}"
        return [*settings, *copied, average, *key, version]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Which key it was: documents, mentions, and a hash of document ids, spans and entities.

    It depends neither on the format of the file nor on the order of documents, entities and
    mentions nor on the names of entities, and fingerprints of parts add up.

    >>> print(Fingerprint.of(Corpus.from_entities([["a", "b"], ["c"]])))
    1d.3m.b393a2
    """

    documents: int = 0
    mentions: int = 0
    code: int = 0

    @classmethod
    def of(cls, corpus: Corpus) -> Fingerprint:
        """The fingerprint of a corpus as it is given, before anything is dropped."""
        return cls.of_entities(len(corpus.documents), len(corpus.mentions), entity_codes(corpus))

    @classmethod
    def of_entities(cls, documents: int, mentions: int, sums: Codes) -> Fingerprint:
        """The fingerprint from the sums of the mentions' codes of each entity."""
        return cls(documents, mentions, int(_mixed(sums[sums != 0]).sum(dtype=np.uint64)))

    def __add__(self, other: Fingerprint) -> Fingerprint:
        return Fingerprint(
            self.documents + other.documents,
            self.mentions + other.mentions,
            (self.code + other.code) % (1 << 64),
        )

    def __str__(self) -> str:
        return f"{self.documents}d.{self.mentions}m.{self.code >> 40:06x}"


def entity_codes(corpus: Corpus) -> Codes:
    """For each entity the sum of its mentions' codes, which parts of an entity add up to."""
    sums = np.zeros(len(corpus.entities), np.uint64)
    np.add.at(sums, corpus.mentions.entity, _mixed(mention_codes(corpus)))
    return sums


def mention_codes(corpus: Corpus) -> Codes:
    """A number for each mention, the same for the same document and span in every corpus."""
    names = corpus.documents if corpus.named else ("",) * len(corpus)
    documents = _mixed(_string_codes(Strings.from_list(names)))
    codes = _place_codes(corpus) if corpus.mentions.names is None else _name_codes(corpus)
    if len(documents):
        codes += documents[corpus.mentions.document]
    return codes


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
    """Codes of mentions without a place; a pair of numbers is a span, as in ``mention_id``."""
    names = corpus.mentions.names
    if isinstance(names, Strings):
        return _string_codes(names)
    spans = named_spans(names)
    if spans is not None:
        return _span_codes(spans[:, 0], spans[:, 1])
    listed = names.tolist() if isinstance(names, np.ndarray) else list(names or ())
    return _string_codes(
        Strings.from_list(name if isinstance(name, str) else repr(name) for name in listed)
    )


def _string_codes(strings: Strings) -> Codes:
    """Codes of strings: their bytes as a polynomial, all columns at once."""
    lengths = strings.lengths
    rows = np.repeat(np.arange(len(strings)), lengths)
    place = ranges(np.zeros(len(strings), np.int64), lengths).astype(np.uint64)
    data = strings.data[strings.offsets[0] : strings.offsets[-1]].astype(np.uint64)
    codes = np.full(len(strings), _ODD[0])
    np.add.at(codes, rows, _mixed(data * _ODD[1] + place * _ODD[0]))
    return codes


def _mixed(codes: Codes) -> Codes:
    """Codes whose every bit depends on all bits of the old ones (the finaliser of SplitMix64)."""
    codes = codes ^ (codes >> np.uint64(30))
    codes *= _MIX[0]
    codes ^= codes >> np.uint64(27)
    codes *= _MIX[1]
    codes ^= codes >> np.uint64(31)
    return codes
