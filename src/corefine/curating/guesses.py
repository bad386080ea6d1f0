"""Likely annotation errors: rules that are applied only if they are selected.

They look at what a reader makes of a file, so that they hold for every format.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention
from corefine.curating.annotated import Fault
from corefine.formats.io.heads import parent_tokens
from corefine.formats.io.lines import shown

FUNCTION_WORDS = frozenset(("ADP", "CCONJ", "SCONJ", "DET", "IN", "CC", "DT", "TO", "PRP$"))
"""Parts of speech, of UD or of the Penn Treebank, with which no mention ends."""
DETERMINERS = frozenset(("DET", "DT", "PDT"))
LONG = 3
"""Words of a string that is rarely the same for two entities."""

Guesser = Callable[[Sequence[Document]], Iterator[Fault]]


def fault(document: Document, mention: Mention, message: str) -> Fault:
    """A fault at a mention, whose words replace ``{}`` in the message."""
    line = mention.where.line if mention.where is not None else None
    if line is None and document.lines and mention.spans:
        line = document.lines[mention.spans[0][0]]
    return Fault(line or 0, message.replace("{}", repr(shown(document.words_of(mention))), 1))


def _placed(documents: Iterable[Document]) -> Iterator[tuple[Document, Mention, int, int]]:
    """Mentions of texts, with their first token and that after their last."""
    for document in documents:
        for mention in document.mentions if document.tokens is not None else ():
            if mention.spans:
                yield document, mention, mention.spans[0][0], mention.spans[-1][1]


def _tag(document: Document, token: int) -> str:
    """The part of speech of a token; empty if unknown."""
    layer = document.layers.get("upos") or document.layers.get("pos")
    return layer[token] if layer else ""


def _is_punctuation(document: Document, token: int) -> bool:
    words = document.tokens or []
    return all(unicodedata.category(letter).startswith("P") for letter in words[token])


def _entities(documents: Iterable[Document]) -> Iterator[tuple[Document, list[Mention]]]:
    for document in documents:
        yield from ((document, mentions) for mentions in document.entities.values())


def _outer_punctuation(documents: Sequence[Document]) -> Iterator[Fault]:
    for document, mention, start, stop in _placed(documents):
        ends = [_is_punctuation(document, token) for token in (start, stop - 1)]
        if stop - start > 1 and ends[0] != ends[1]:
            side = "begins" if ends[0] else "ends"
            yield fault(document, mention, f"the mention {{}} {side} with punctuation")


def _function_word(documents: Sequence[Document]) -> Iterator[Fault]:
    for document, mention, start, stop in _placed(documents):
        if stop - start > 1 and _tag(document, stop - 1) in FUNCTION_WORDS:
            yield fault(document, mention, "the mention {} ends with a function word")


def _determiner_apart(documents: Sequence[Document]) -> Iterator[Fault]:
    spans = {(id(d), start, stop) for d, _, start, stop in _placed(documents)}
    for document, mention, start, stop in _placed(documents):
        inner = (id(document), start + 1, stop)
        if inner in spans and _tag(document, start) in DETERMINERS:
            yield fault(document, mention, "the mention {} and the same without its determiner")


def _single_pronoun(documents: Sequence[Document]) -> Iterator[Fault]:
    for document, (first, *others) in _entities(documents):
        if not others and first.kind == Kind.PRONOUN:
            yield fault(document, first, "the pronoun {} is the only mention of its entity")


def _mixed(feature: str, documents: Sequence[Document]) -> Iterator[Fault]:
    """Pronouns of an entity whose heads have different values of a feature."""
    for document, mentions in _entities(documents):
        feats = document.layers.get("feats")
        first = ""
        for mention in mentions if feats else ():
            if feats is None or mention.kind != Kind.PRONOUN or mention.head is None:
                continue
            given = dict(pair.partition("=")[::2] for pair in feats[mention.head].split("|"))
            value = given.get(feature, "")
            if value and given.get("Person", "3") == "3":
                first = first or value
                if value != first:
                    what = f"{{}} has {feature}={value}, an earlier pronoun of its entity {first}"
                    yield fault(document, mention, what)


def _singletons(documents: Sequence[Document]) -> Iterator[Fault]:
    for document, (first, *others) in _entities(documents):
        if not others:
            yield fault(document, first, "{} is the only mention of its entity")


def _inside_itself(documents: Sequence[Document]) -> Iterator[Fault]:
    for document, mentions in _entities(documents):
        placed = [one for one in mentions if one.spans]
        reach = -1
        for one in sorted(placed, key=lambda one: (one.spans[0][0], -one.spans[-1][1])):
            if one.spans[-1][1] <= reach:
                yield fault(document, one, "the mention {} is inside another one of its entity")
            reach = max(reach, one.spans[-1][1])


def _same_string(documents: Sequence[Document]) -> Iterator[Fault]:
    seen: dict[tuple[int, str], Mention] = {}
    for document, mention, start, stop in _placed(documents):
        if stop - start >= LONG:
            first = seen.setdefault((id(document), document.words_of(mention).casefold()), mention)
            if first.entity != mention.entity:
                names = f"{shown(str(mention.entity))!r}, elsewhere in {shown(str(first.entity))!r}"
                yield fault(document, mention, f"{{}} is in entity {names}")


def _apposition(documents: Sequence[Document]) -> Iterator[Fault]:
    for document in documents:
        relations = document.layers.get("deprel")
        if not relations:
            continue
        parents = _parents(document)
        entities: dict[int, set[str | int]] = defaultdict(set)
        for mention in document.mentions:
            if mention.head is not None:
                entities[mention.head].add(mention.entity)
        for mention in document.mentions:
            if mention.head is not None and relations[mention.head] == "appos":
                others = entities[parents[mention.head]]
                if others and mention.entity not in others:
                    yield fault(document, mention, "the apposition {} is in an entity of its own")


def _parents(document: Document) -> list[int]:
    """The token of the head of each token; -1 if it has none."""
    numbers = [int(n) if n.isdecimal() and len(n) < 9 else -1 for n in document.layers["head"]]
    empty = np.zeros(len(numbers), bool)
    empty[document.empty_nodes] = True
    sentences = np.array(document.starts or [0])
    found: list[int] = parent_tokens(np.array(numbers), sentences, empty).tolist()
    return found


def _unrelated_names(documents: Sequence[Document]) -> Iterator[Fault]:
    found: list[tuple[Document, dict[str, Mention]]] = []
    for document, mentions in _entities(documents):
        names = {document.words_of(m).casefold(): m for m in mentions if m.kind == Kind.NAME}
        found.append((document, names))
    alone = Counter(name for _, names in found for name in names)
    together = Counter(pair for _, names in found for pair in combinations(sorted(names), 2))
    for document, names in found:
        for one, other in combinations(sorted(names), 2):
            apart = not set(one.split()) & set(other.split())
            if apart and together[one, other] == 1 and min(alone[one], alone[other]) > 2:
                what = f"{{}} and {shown(other)!r} are names of one entity only here"
                yield fault(document, names[one], what)


GUESSERS: dict[str, Guesser] = {
    "CU501": _outer_punctuation,
    "CU502": _function_word,
    "CU503": _determiner_apart,
    "CU504": _single_pronoun,
    "CU505": partial(_mixed, "Gender"),
    "CU506": partial(_mixed, "Number"),
    "CU507": _singletons,
    "CU508": _inside_itself,
    "CU601": _same_string,
    "CU602": _apposition,
    "CU603": _unrelated_names,
}
"""Functions that find what breaks a rule in the documents of a file."""
