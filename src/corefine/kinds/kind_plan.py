"""Sources of mention kinds, used one after another, the best one first.

A source gives the kind of each mention or leaves it unknown; the next source is used for mentions
that are still unknown. The signature of a score names the sources that gave any kinds.

In a comparison, a mention has the kind of its twin in the key. A response often comes without parts
of speech, though it is the same text: each document borrows the columns of the other side.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, Strings
from corefine.corpus.columns import Kind, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.expression import Expression, expression_at
from corefine.corpus.selection import keep_mentions
from corefine.corpus.words import words_by_document
from corefine.errors import UsageError
from corefine.kinds.guess import kinds_by_guess
from corefine.kinds.part_of_speech import (
    LAYERS,
    documents_with_columns,
    has_columns,
    kinds_by_columns,
)
from corefine.kinds.side_file import KNOWN, SideFile, kind_of, read_side_file
from corefine.matching.matching import Matching
from corefine.matching.places import common_places, tokens_placed

KindWord = str | int | Kind | None
KindRule = Callable[[Expression], KindWord]
KindMap = Mapping[Any, Any]
"""From mentions to kinds, or from documents to such mappings."""
KindSpec = str | os.PathLike[str] | KindMap | KindRule
"""Values of ``kinds``: ``auto``, ``format``, ``pos``, ``guess``, ``none``, a file of kinds,
several of these separated by commas, a mapping or a function."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The kinds that a source gives to the mentions of a corpus."""

    kind: NDArray[np.uint8]
    types: list[str | None] | None = None
    warnings: tuple[str, ...] = ()


LookUp = Callable[[Any, Corpus, Tokens | None, BoolArray], Found]
"""A function from the user's argument, a corpus, its text with all columns and the mentions
without a kind so far to the kinds of mentions."""


@dataclass(frozen=True, slots=True)
class KindSource:
    """One source of kinds."""

    name: str
    look_up: LookUp = field(repr=False)
    layers: frozenset[str] = frozenset()
    """The token layers that it needs."""
    given: Any = field(default=None, repr=False)
    """The file, mapping or function of the user."""


def zero_mentions(corpus: Corpus) -> BoolArray:
    """True for zeros: mentions of empty nodes only, or marked as zeros by the format."""
    nothing = np.ones(len(corpus.mentions), bool)
    found: BoolArray = _from_format(None, corpus, corpus.tokens, nothing).kind == Kind.ZERO
    return found


def _from_format(given: None, corpus: Corpus, tokens: Tokens | None, unknown: BoolArray) -> Found:
    """The kinds that the corpus has; a mention of empty nodes is a zero."""
    mentions, own = corpus.mentions, corpus.tokens
    kind = np.zeros(len(mentions), np.uint8) if mentions.kind is None else mentions.kind.copy()
    if own is not None and own.empty is not None:
        first = own.offsets[mentions.document] + mentions.start
        filled = np.concatenate([[0], np.cumsum(~own.empty)])
        words = filled[first + mentions.stop - mentions.start] - filled[first]
        kind[(kind == Kind.UNKNOWN) & (words == 0)] = Kind.ZERO
    return Found(kind)


def _from_columns(given: None, corpus: Corpus, tokens: Tokens | None, unknown: BoolArray) -> Found:
    """Kinds by parts of speech, parse and named entities, if there are any."""
    if tokens is None or not corpus.has_places or not has_columns(tokens):
        return Found(np.zeros(len(corpus.mentions), np.uint8))
    return Found(kinds_by_columns(corpus, tokens))


def _from_words(given: None, corpus: Corpus, tokens: Tokens | None, unknown: BoolArray) -> Found:
    """Kinds guessed by lists of words and capital letters."""
    kind, warnings = kinds_by_guess(corpus, unknown)
    return Found(kind, None, warnings)


def _from_file(file: SideFile, corpus: Corpus, tokens: Tokens | None, unknown: BoolArray) -> Found:
    kind, types = file.look_up(corpus)
    warnings: tuple[str, ...] = ()
    if len(kind) and file.places.keys().isdisjoint(corpus.documents):
        other = next(iter(file.places), "")
        message = f"{file.path} has mention kinds for other documents ({other!r}), not for"
        warnings = (f"{message} {corpus.documents[0]!r}",)
    return Found(kind, types if any(types) else None, warnings)


def _from_mapping(
    kinds: KindMap, corpus: Corpus, tokens: Tokens | None, unknown: BoolArray
) -> Found:
    """Kinds by a mapping from mentions to kinds, or from documents to such mappings."""
    tables = [_table_of(kinds, name) for name in corpus.documents]
    kind = np.zeros(len(corpus.mentions), np.uint8)
    for index, document in enumerate(corpus.mentions.document.tolist()):
        mention = corpus.mention_id(index)
        if mention in tables[document]:
            kind[index] = _checked(tables[document][mention], mention)
    return Found(kind)


def _table_of(kinds: KindMap, document: str) -> Mapping[Any, Any]:
    """The kinds of the mentions of a document, given alone or by document."""
    by_document = any(isinstance(value, Mapping) for value in kinds.values())
    table: Any = kinds.get(document, {}) if by_document else kinds
    if not isinstance(table, Mapping):
        raise UsageError(
            f"the mention kinds of document {document!r} are not a dict: {table!r}",
            remedy="Give a dict from mentions to kinds, or from document ids to such dicts.",
        )
    return table


def _from_rule(rule: KindRule, corpus: Corpus, tokens: Tokens | None, unknown: BoolArray) -> Found:
    expressions = (expression_at(corpus, index) for index in range(len(corpus.mentions)))
    return Found(np.array([_checked(rule(one), one.id) for one in expressions], np.uint8))


def _rule_name(rule: KindRule) -> str:
    """The function's own name if that finds it in its module; otherwise no two share a name."""
    name: str = getattr(rule, "__qualname__", type(rule).__qualname__)
    module = sys.modules.get(getattr(rule, "__module__", ""))
    if getattr(module, name, None) is not rule:
        return f"{name.rpartition('.')[2]}-{id(rule):x}"
    return name if module is None or module.__name__ == "__main__" else f"{module.__name__}.{name}"


def _checked(word: object, mention: Hashable) -> Kind:
    try:
        return kind_of(word)
    except ValueError as error:
        raise UsageError(f"mention kind of {mention!r}: {error}", remedy=KNOWN) from None


FORMAT = KindSource("format", _from_format)
COLUMNS = KindSource("pos", _from_columns, LAYERS)
NAMED: dict[str, tuple[KindSource, ...]] = {
    "auto": (FORMAT, COLUMNS),
    "format": (FORMAT,),
    "pos": (COLUMNS,),
    "guess": (KindSource("guess", _from_words),),
    "none": (),
}


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

    @property
    def is_built_in(self) -> bool:
        """True without a file, mapping or function of the user, which may refuse a mention."""
        return all(source.name in NAMED for source in self.sources)

    def entries(self, document: str) -> list[str]:
        """Everything that files and mappings of the user say about a document, in any order."""
        found = []
        for source in self.sources:
            if isinstance(source.given, SideFile):
                found += list(map(repr, source.given.places.get(document, {}).items()))
            elif isinstance(source.given, Mapping):
                table = _table_of(source.given, document)
                found += [f"{mention!r} {kind}" for mention, kind in table.items()]
        return found

    def in_order(self, names: Collection[str]) -> tuple[str, ...]:
        """Sort the names of sources by their order in the plan."""
        return tuple(source.name for source in self.sources if source.name in names)

    def apply(self, corpus: Corpus, tokens: Tokens | None) -> tuple[Corpus, list[str], list[str]]:
        """The corpus with kinds, the names of the sources that gave any, and warnings.

        ``tokens`` are the tokens of the corpus or others of the same text with more columns.
        """
        kind = np.zeros(len(corpus.mentions), np.uint8)
        used: list[str] = []
        warnings: list[str] = []
        for source in self.sources:
            unknown = kind == Kind.UNKNOWN
            if not unknown.any():
                break
            found = source.look_up(source.given, corpus, tokens, unknown)
            warnings += found.warnings
            if found.kind[unknown].any():
                used.append(source.name)
                kind[unknown] = found.kind[unknown]
            if found.types is not None:
                corpus = _with_types(corpus, found.types)
        return replace(corpus, mentions=replace(corpus.mentions, kind=kind)), used, warnings


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
        return KindPlan((KindSource("given", _from_mapping, given=spec),), "given")
    if callable(spec):
        name = _rule_name(spec)
        return KindPlan((KindSource(name, _from_rule, given=spec),), name)
    if not isinstance(spec, str | os.PathLike):
        raise UsageError(
            f"kinds cannot be {spec!r}",
            remedy="Give auto, format, pos, guess, none, a file, a dict or a function.",
        )
    written = os.fspath(spec)
    parts = [written] if os.path.exists(written) else written.split(",")
    sources: list[KindSource] = []
    for part in map(str.strip, parts):
        if part in NAMED:
            sources += NAMED[part]
        else:
            file = read_side_file(part)
            sources.append(KindSource(file.path, _from_file, given=file))
    return KindPlan(tuple(sources), written)


def with_kinds(
    matching: Matching, plan: KindPlan, *, own: bool = False
) -> tuple[Matching, tuple[str, ...], tuple[str, ...]]:
    """Both sides with kinds, the sources of these, and warnings.

    Shared mentions of the response have the key's kinds, or with ``own`` those of its own file.

    The two sides have the same text, so the columns of one side also apply to the mentions of the
    other in documents for which its own file lacks them. Only sources in the plan are used.
    """
    key, response = matching.key, matching.response
    key_tokens, response_tokens = key.tokens, response.tokens
    if key_tokens is not None and response_tokens is not None:
        key_tokens, response_tokens = share_columns(key_tokens, response_tokens)
    key, used, warnings = plan.apply(key, key_tokens)
    response, more, others = _with_kinds_of_twins(matching, key, plan, response_tokens, own)
    sources = plan.in_order({*used, *more})
    warnings = list(dict.fromkeys([*warnings, *others]))
    return replace(matching, key=key, response=response), sources, tuple(warnings)


def _with_kinds_of_twins(
    matching: Matching, key: Corpus, plan: KindPlan, tokens: Tokens | None, own: bool
) -> tuple[Corpus, list[str], list[str]]:
    """The response with the key's kinds, and kinds of its own for what only it has."""
    response, ours, theirs = matching.response, matching.key_mention, matching.response_mention
    kind = np.zeros(len(response.mentions), np.uint8)
    both = (ours >= 0) & (theirs >= 0)
    assert key.mentions.kind is not None
    kind[theirs[both]] = key.mentions.kind[ours[both]]
    alone = np.zeros(len(kind), bool)
    alone[theirs[(theirs >= 0) & ((ours < 0) | own)]] = True
    types, names = response.mentions.type, response.types
    used: list[str] = []
    warnings: list[str] = []
    if alone.any():
        part, used, warnings = plan.apply(keep_mentions(response, alone), tokens)
        assert part.mentions.kind is not None
        kind[alone] = part.mentions.kind
        if part.mentions.type is not None:
            types = np.full(len(kind), -1) if types is None else types.copy()
            types[alone] = part.mentions.type
            names = part.types
    mentions = replace(response.mentions, kind=kind, type=types)
    return replace(response, types=names, mentions=mentions), used, warnings


def share_columns(key: Tokens, response: Tokens) -> tuple[Tokens, Tokens]:
    """The tokens of both sides, each with the other's columns in documents where it has none.

    A document borrows if both sides have as many words of it; empty nodes may differ.
    """
    ours, theirs = documents_with_columns(key), documents_with_columns(response)
    differing = (ours != theirs) & (words_by_document(key) == words_by_document(response))
    if not differing.any():
        return key, response
    places = common_places(key, response)
    return (
        _borrowed(key, response, differing & theirs, *places),
        _borrowed(response, key, differing & ours, *places[::-1]),
    )


def _borrowed(
    own: Tokens, other: Tokens, documents: BoolArray, place: IntArray, other_place: IntArray
) -> Tokens:
    """Tokens with the other's columns and sentences in these documents, token by place."""
    if not documents.any():
        return own
    lends = np.repeat(documents, np.diff(other.offsets))
    rows = np.repeat(documents, np.diff(own.offsets))
    found = tokens_placed(other_place, place)
    # Own cells come first, then those of the other side, then one blank cell.
    chosen = np.where(found >= 0, len(own) + found, len(own) + len(other))
    chosen = np.where(rows, chosen, np.arange(len(own)))
    layers = {
        name: Strings.concatenate(
            [
                own.layers.get(name, Strings.blank(len(own))),
                other.layers.get(name, Strings.blank(len(other))),
                Strings.blank(1),
            ]
        ).take(chosen)
        for name in LAYERS & {*own.layers, *other.layers}
    }
    opens = np.zeros(len(own) + 1, bool)
    opens[own.sentences] = ~rows[own.sentences]
    opens[own.offsets[:-1][documents]] = True
    opens[np.searchsorted(place, other_place[other.sentences[lends[other.sentences]]])] = True
    return replace(
        own, layers={**own.layers, **layers}, sentences=np.flatnonzero(opens[: len(own)])
    )
