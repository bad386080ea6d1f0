"""Error counts as the Berkeley Coreference Analyser defines them (Kummerfeld & Klein 2013).

It uses the parse trees and parts of speech of the key, and removes response singletons.

- *Span errors*: an unmatched response mention and an unmatched key mention that differ only by
  *the*, *'s* or single characters other than letters at their ends; then, those that are the only
  unmatched ones of their side with this head (Collins 1999). Their mentions count as found.
- A response entity is divided into its parts, the mentions of each key entity, and its extra
  mentions one by one; a key entity consists of its parts, the mentions of each response entity,
  and its missing mentions one by one. The part with the first mention of the entity that is not a
  pronoun (of the first mention, if all are pronouns) is its anchor and not an error. Other parts of
  a response entity are *conflated*, other parts of a key entity are *divided*.
- *Extra entity*: a response entity of which at most pronouns are in the key, with at least two
  extra mentions. *Missing entity*: a key entity of which at most pronouns are in the response, with
  at least two missing mentions. All other extra and missing mentions count one by one unless they
  are the anchor.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from corefine.corpus.document import Document
from corefine.errors import UsageError
from corefine.explaining.diagnosis import TYPES, ErrorType
from corefine.kinds.part_of_speech import LAYERS
from corefine.output.grid import Column, Grid
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.count import match
from corefine.scoring.sides import Side, SideLike

Span = tuple[int, int]
_PRONOUN_TAGS = {"PRP", "PRP$", "WP", "WP$", "WDT", "WRB", "DT"}
_PRONOUNS = """
all anybody anyone em 'em everybody everyone everything few he hers herself him himself his her how
i it its itself many me mine most my myself nobody none noone nothing one our ours ourselves several
she some somebody someone something that their theirs them themselves these they this those thyself
us we what whatever when where which who whoever whom whomever whose ya you your yours yourself
yourselves
"""
_NOUNS = "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"
_HEAD_RULES = {
    "ADJP": ("right", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": ("left", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": ("left", "CC RB IN"),
    "FRAG": ("left", ""),
    "LST": ("left", "LS :"),
    "NAC": ("right", _NOUNS),
    "NX": ("right", _NOUNS),
    "X": ("right", _NOUNS),
    "PP": ("left", "IN TO VBG VBN RP FW"),
    "PRT": ("left", "RP"),
    "QP": ("right", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": ("left", "VP NP ADVP ADJP PP"),
    "S": ("right", "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": ("right", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": ("right", "SQ S SINV SBARQ FRAG"),
    "SINV": ("right", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": ("right", "VBZ VBD VBP VB MD VP SQ"),
    "UCP": ("left", ""),
    "VP": ("right", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": ("right", "CC WRB JJ ADJP"),
    "WHADVP": ("left", "CC WRB"),
    "WHNP": ("right", "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": ("left", "IN TO FW"),
}
"""Side to start from, and labels in the order of preference (Collins 1999)."""
_NP_RULES = (
    ("right", "NN NNP NNPS NNS NX POS JJR"),
    ("left", "NP NML"),
    ("right", "$ ADJP PRN"),
    ("right", "CD"),
    ("right", "JJ JJS RB QP"),
)


@dataclass(frozen=True, repr=False)
class BerkeleyErrors(Result):
    """Errors per document and type, as the Berkeley analyser counts them."""

    documents: dict[str, dict[str, int]]
    warnings: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The number of errors of each type."""
        return {str(name): sum(one[name] for one in self.documents.values()) for name in TYPES}

    @property
    def verdict(self) -> str:
        total = sum(self.counts.values())
        return f"The Berkeley analyser counts {total:,} errors."

    def table_functions(self) -> Tables:
        return BERKELEY_TABLES

    @property
    def default_tables(self) -> tuple[str, ...]:
        return ("types",)

    def to_dict(self) -> dict[str, Any]:
        return {"types": self.counts, "documents": self.documents, "warnings": list(self.warnings)}


def _types_grid(errors: BerkeleyErrors) -> Grid:
    columns = (Column("error"), Column("errors", "integer"))
    return Grid(columns, list(errors.counts.items()))


def _documents_grid(errors: BerkeleyErrors) -> Grid:
    columns = (Column("document"), *(Column(name, "integer") for name in TYPES))
    return Grid(columns, [(name, *one.values()) for name, one in errors.documents.items()])


BERKELEY_TABLES: Tables = {"types": _types_grid, "documents": _documents_grid}


def berkeley_errors(
    key: SideLike,
    response: SideLike,
    *,
    key_format: str | None = None,
    response_format: str | None = None,
    progress: Progress = silent,
) -> BerkeleyErrors:
    """Count errors as the Berkeley Coreference Analyser does; the key needs parse trees."""
    ours = Side.of(key, "key", key_format).read(LAYERS, progress)
    theirs = Side.of(response, "response", response_format).read(frozenset(), progress)
    matched = match(ours, theirs)
    tokens = matched.key.tokens
    if tokens is None or not {"parse", "pos"} <= tokens.layers.keys():
        raise UsageError(
            "the Berkeley analyser needs parse trees and parts of speech in the key",
            remedy="Use a CoNLL file with these columns, or explain without --as berkeley.",
        )
    documents = {}
    for one, other in zip(matched.key, matched.response, strict=True):
        counts = _Analysis(one, other).counts()
        documents[one.name] = {str(type_): counts[type_] for type_ in TYPES}
    return BerkeleyErrors(documents, matched.warnings)


class _Analysis:
    """The errors of one document."""

    def __init__(self, key: Document, response: Document) -> None:
        self.words = key.tokens or []
        self.tags = key.layers["pos"]
        self.heads = _heads(key.layers["parse"], self.tags)
        self.key = _entities(key)
        self.response = [entity for entity in _entities(response) if len(entity) > 1]

    def counts(self) -> Counter[ErrorType]:
        """The number of errors of each type."""
        in_key = set().union(*self.key)
        pairs = self._span_errors(in_key, set().union(*self.response))
        response = [{pairs.get(span, span) for span in entity} for entity in self.response]
        counts = Counter({ErrorType.SPAN: len(pairs)})
        for wholes, others, part, alone, whole in (
            (response, self.key, ErrorType.MERGED, ErrorType.EXTRA_MENTION, ErrorType.EXTRA_ENTITY),
            (
                self.key,
                response,
                ErrorType.SPLIT,
                ErrorType.MISSING_MENTION,
                ErrorType.MISSING_ENTITY,
            ),
        ):
            owner = {span: number for number, entity in enumerate(others) for span in entity}
            for entity in wholes:
                parts: dict[int, set[Span]] = defaultdict(set)
                for span in entity:
                    parts[owner.get(span, -1)].add(span)
                unmatched = parts.pop(-1, set())
                found = entity - unmatched
                if len(unmatched) > 1 and all(map(self._is_pronoun, found)):
                    counts[whole] += 1
                    unmatched = set()
                anchor = self._anchor(entity)
                counts[alone] += len(unmatched - {anchor}) if len(entity) > 1 else 0
                counts[part] += sum(anchor not in one for one in parts.values())
        return counts

    def _anchor(self, entity: set[Span]) -> Span:
        """The first mention that is not a pronoun, else the first."""
        return min([span for span in entity if not self._is_pronoun(span)] or entity)

    def _is_pronoun(self, span: Span) -> bool:
        start, stop = span
        tag, word = self.tags[start], self.words[start].lower()
        return stop - start == 1 and (tag in _PRONOUN_TAGS or word in _PRONOUNS.split())

    def _span_errors(self, key: set[Span], response: set[Span]) -> dict[Span, Span]:
        """Response mentions and the key mentions whose spans they should have."""
        pairs: dict[Span, Span] = {}
        ours, theirs = sorted(key - response), sorted(response - key)
        for span in theirs:
            for other in ours:
                if other not in pairs.values() and self._trimmed(span) == self._trimmed(other):
                    pairs[span] = other
        by_head: dict[int, tuple[list[Span], list[Span]]] = defaultdict(lambda: ([], []))
        for side, spans in enumerate((ours, theirs)):
            for span in spans:
                if span not in pairs and span not in pairs.values():
                    by_head[self._head(span)][side].append(span)
        for mine, others in by_head.values():
            if len(mine) == len(others) == 1:
                pairs[others[0]] = mine[0]
        return pairs

    def _trimmed(self, span: Span) -> Span:
        """The span without determiners, possessive markers and punctuation at its ends."""
        start, stop = span
        while start < stop - 1 and (self.words[start] == "the" or self._is_sign(start)):
            start += 1
        while start < stop - 1 and (self.words[stop - 1] == "'s" or self._is_sign(stop - 1)):
            stop -= 1
        return start, stop

    def _is_sign(self, token: int) -> bool:
        word = self.words[token]
        return len(word) == 1 and not (word.isascii() and word.isalpha())

    def _head(self, span: Span) -> int:
        """The head of the constituent with this span, else the last word."""
        return self.heads.get(span, span[1] - 1)


def _entities(document: Document) -> list[set[Span]]:
    entities: dict[Any, set[Span]] = defaultdict(set)
    for mention in document.mentions:
        entities[mention.entity].add((mention.spans[0][0], mention.spans[-1][1]))
    return list(entities.values())


def _heads(cells: Sequence[str], tags: Sequence[str]) -> dict[Span, int]:
    """The head of the lowest constituent with each span."""
    heads: dict[Span, int] = {}
    opened: list[tuple[str, int, list[tuple[str, int]]]] = []
    for token, cell in enumerate(cells):
        before, _, after = cell.partition("*")
        opened += [(label.strip(), token, []) for label in before.split("(")[1:]]
        heads[token, token + 1] = token
        if opened:
            opened[-1][2].append((tags[token], token))
        for _ in range(min(after.count(")"), len(opened))):
            label, start, children = opened.pop()
            head = _head_of(label, children, tags)
            heads.setdefault((start, token + 1), head)
            if opened:
                opened[-1][2].append((label, head))
    return heads


def _head_of(label: str, children: Sequence[tuple[str, int]], tags: Sequence[str]) -> int:
    """The head of a constituent: that of one of its children."""

    def search(side: str, wanted: Iterable[str]) -> int | None:
        ordered = children if side == "left" else children[::-1]
        found = (head for name, head in ordered if name in wanted or tags[head] in wanted)
        return next(found, None)

    last = children[-1][1]
    if label in ("NP", "NML"):
        rules = [(side, wanted.split()) for side, wanted in _NP_RULES]
        side = "right"
        if tags[last] == "POS":
            return last
    else:
        side, wanted = _HEAD_RULES.get(label, ("right", ""))
        rules = [(side, [name]) for name in wanted.split()]
    for where, names in rules:
        head = search(where, names)
        if head is not None:
            return head
    return children[0][1] if side == "left" else last
