"""Sources of mention kinds, used one after another, the best one first.

A source gives the kind of each mention or leaves it unknown; the next source is used for mentions
that are still unknown. The signature of a score names the sources that gave any kinds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.columns import Kind, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.expression import Expression, expression_at
from corefine.errors import UsageError
from corefine.kinds.guess import kinds_by_guess
from corefine.kinds.part_of_speech import LAYERS, has_columns, kinds_by_columns
from corefine.kinds.side_file import KNOWN, SideFile, kind_of, read_side_file

KindWord = str | int | Kind | None
KindRule = Callable[[Expression], KindWord]
KindMap = Mapping[Any, Any]
"""From mentions to kinds, or from documents to such mappings."""
KindSpec = str | os.PathLike[str] | KindMap | KindRule
"""Values of ``kinds``: ``auto``, ``format``, ``pos``, ``guess``, ``none``, a file of kinds,
several of these separated by commas, a mapping or a function."""

WORDS = ("auto", "format", "pos", "guess", "none")


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The kinds that a source gives to the mentions of a corpus."""

    kind: NDArray[np.uint8]
    types: list[str | None] | None = None
    warnings: tuple[str, ...] = ()


class KindSource:
    """One source of kinds, applicable to any mention by default."""

    name: str
    layers: frozenset[str] = frozenset()
    """The token layers that it needs."""

    def can_tell(self, corpus: Corpus, tokens: Tokens | None) -> bool:
        """True if the corpus has the data that this source needs."""
        return True

    def look_up(self, corpus: Corpus, tokens: Tokens | None) -> Found:
        """The kinds of all mentions; ``tokens`` are the text with its available columns."""
        raise NotImplementedError


@dataclass(frozen=True)
class FromFormat(KindSource):
    """The kinds that the corpus has; a mention of empty nodes is a zero."""

    name = "format"

    def can_tell(self, corpus: Corpus, tokens: Tokens | None) -> bool:
        own = corpus.tokens
        return corpus.mentions.kind is not None or (own is not None and own.empty is not None)

    def look_up(self, corpus: Corpus, tokens: Tokens | None) -> Found:
        mentions = corpus.mentions
        kind = np.zeros(len(mentions), np.uint8) if mentions.kind is None else mentions.kind.copy()
        own = corpus.tokens
        if own is not None and own.empty is not None and own.empty.any():
            first = own.offsets[mentions.document] + mentions.start
            filled = np.concatenate([[0], np.cumsum(~own.empty)])
            words = filled[first + mentions.stop - mentions.start] - filled[first]
            kind[(kind == Kind.UNKNOWN) & (words == 0)] = Kind.ZERO
        return Found(kind)


@dataclass(frozen=True)
class FromColumns(KindSource):
    """Parts of speech, parse and named entities."""

    name = "pos"
    layers = LAYERS

    def can_tell(self, corpus: Corpus, tokens: Tokens | None) -> bool:
        return corpus.has_places and has_columns(tokens)

    def look_up(self, corpus: Corpus, tokens: Tokens | None) -> Found:
        assert tokens is not None
        return Found(kinds_by_columns(corpus, tokens))


@dataclass(frozen=True)
class FromWords(KindSource):
    """The guess by lists of words and capital letters."""

    name = "guess"

    def look_up(self, corpus: Corpus, tokens: Tokens | None) -> Found:
        kind, warnings = kinds_by_guess(corpus)
        return Found(kind, None, warnings)


@dataclass(frozen=True)
class FromFile(KindSource):
    """A file of kinds."""

    file: SideFile

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.file.path

    def look_up(self, corpus: Corpus, tokens: Tokens | None) -> Found:
        kind, types = self.file.look_up(corpus)
        warnings: tuple[str, ...] = ()
        if len(kind) and self.file.places.keys().isdisjoint(corpus.documents):
            first = next(iter(self.file.places), "nothing")
            told = f"{self.name} has mention kinds for other documents ({first!r})"
            warnings = (f"{told}, not for {corpus.documents[0]!r}",)
        return Found(kind, types if any(types) else None, warnings)


@dataclass(frozen=True)
class FromMapping(KindSource):
    """A mapping from mentions to kinds, or from documents to such mappings."""

    kinds: KindMap = field(repr=False)
    name = "given"

    def look_up(self, corpus: Corpus, tokens: Tokens | None) -> Found:
        kind = np.zeros(len(corpus.mentions), np.uint8)
        tables = [self._of_document(name) for name in corpus.documents]
        for index, document in enumerate(corpus.mentions.document.tolist()):
            mention = corpus.mention_id(index)
            if mention in tables[document]:
                kind[index] = _checked(tables[document][mention], mention)
        return Found(kind)

    def _of_document(self, name: str) -> Mapping[Any, Any]:
        if any(isinstance(value, Mapping) for value in self.kinds.values()):
            table: Any = self.kinds.get(name, {})
            if not isinstance(table, Mapping):
                raise UsageError(
                    f"the mention kinds of document {name!r} are not a dict: {table!r}",
                    remedy="Give a dict from mentions to types, or from document ids to such "
                    "dicts.",
                )
            return table
        return self.kinds


@dataclass(frozen=True)
class FromRule(KindSource):
    """A function from an expression to its kind."""

    rule: KindRule
    name: str = field(init=False)
    """The function's own name if that finds it in its module; otherwise no two share a name."""

    def __post_init__(self) -> None:
        name = getattr(self.rule, "__qualname__", type(self.rule).__qualname__)
        module = sys.modules.get(getattr(self.rule, "__module__", ""))
        if getattr(module, name, None) is not self.rule:
            name = f"{name.rpartition('.')[2]}-{id(self.rule):x}"
        elif module is not None and module.__name__ != "__main__":
            name = f"{module.__name__}.{name}"
        object.__setattr__(self, "name", name)

    def look_up(self, corpus: Corpus, tokens: Tokens | None) -> Found:
        kinds = []
        for index in range(len(corpus.mentions)):
            expression = expression_at(corpus, index)
            kinds.append(_checked(self.rule(expression), expression.id))
        return Found(np.array(kinds, np.uint8))


def _checked(word: object, mention: Hashable) -> Kind:
    try:
        return kind_of(word)
    except ValueError as error:
        raise UsageError(f"mention kind of {mention!r}: {error}", remedy=KNOWN) from None


@dataclass(frozen=True)
class KindPlan:
    """The sources of kinds to ask, in order."""

    sources: tuple[KindSource, ...]
    asked: str
    """The plan as the user wrote it."""

    @property
    def layers(self) -> frozenset[str]:
        """The token layers that a file must be read with."""
        return frozenset().union(*(source.layers for source in self.sources))

    def in_order(self, names: Collection[str]) -> tuple[str, ...]:
        """Those of the sources that have these names, in their order."""
        return tuple(source.name for source in self.sources if source.name in names)

    @property
    def told_by_words(self) -> bool:
        """True without a file, mapping or function of the user, which may refuse a mention."""
        return all(source.name in WORDS for source in self.sources)

    def can_tell(self, corpus: Corpus, tokens: Tokens | None) -> bool:
        """True if the corpus has the data that any of the sources needs."""
        return any(source.can_tell(corpus, tokens) for source in self.sources)

    def apply(self, corpus: Corpus, tokens: Tokens | None) -> tuple[Corpus, list[str], list[str]]:
        """The corpus with kinds, the names of the sources that gave any, and warnings.

        ``tokens`` are the tokens of the corpus or others of the same text with more columns.
        """
        kind = np.zeros(len(corpus.mentions), np.uint8)
        told: list[str] = []
        warnings: list[str] = []
        for source in self.sources:
            if not source.can_tell(corpus, tokens):
                continue
            unknown = kind == Kind.UNKNOWN
            if not unknown.any():
                break
            found = source.look_up(corpus, tokens)
            warnings += found.warnings
            if found.kind[unknown].any():
                told.append(source.name)
                kind[unknown] = found.kind[unknown]
            if found.types is not None:
                corpus = _with_types(corpus, found.types)
        return replace(corpus, mentions=replace(corpus.mentions, kind=kind)), told, warnings


def _with_types(corpus: Corpus, types: list[str | None]) -> Corpus:
    """The corpus with semantic types where it had none."""
    names = tuple(dict.fromkeys([*corpus.types, *(name for name in types if name)]))
    number = {name: index for index, name in enumerate(names)}
    given = np.array([-1 if name is None else number[name] for name in types], np.int64)
    own = corpus.mentions.type
    column = given if own is None else np.where(own >= 0, own, given)
    return replace(corpus, types=names, mentions=replace(corpus.mentions, type=column))


def kinds_of(corpus: Corpus, kinds: KindSpec | KindPlan = "auto") -> Corpus:
    """The corpus with the kinds of its mentions."""
    return plan_of(kinds).apply(corpus, corpus.tokens)[0]


def plan_of(spec: KindSpec | KindPlan) -> KindPlan:
    """The plan for a specification; files of kinds are read."""
    if isinstance(spec, KindPlan):
        return spec
    if isinstance(spec, Mapping):
        return KindPlan((FromMapping(spec),), "given")
    if callable(spec):
        rule = FromRule(spec)
        return KindPlan((rule,), rule.name)
    if not isinstance(spec, str | os.PathLike):
        raise UsageError(
            f"kinds cannot be {spec!r}",
            remedy="Give auto, format, pos, guess, none, a file, a dict or a function.",
        )
    written = os.fspath(spec)
    parts = [written] if os.path.exists(written) else written.split(",")
    sources: list[KindSource] = []
    for part in map(str.strip, parts):
        sources.extend(_source_named(part))
    return KindPlan(tuple(sources), written)


def _source_named(word: str) -> tuple[KindSource, ...]:
    known: dict[str, tuple[KindSource, ...]] = {
        "auto": (FromFormat(), FromColumns()),
        "format": (FromFormat(),),
        "pos": (FromColumns(),),
        "guess": (FromWords(),),
        "none": (),
    }
    return known[word] if word in known else (FromFile(read_side_file(word)),)
