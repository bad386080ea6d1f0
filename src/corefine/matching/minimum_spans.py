"""Minimum spans of mentions from parse trees: MINA (Moosavi et al. 2019).

The minimum span is made of the words that are nearest to the root of the mention's tree: a search
by levels, through noun phrases (or verb phrases, if the mention is one), up to the first level with
a word that is no determiner, preposition, conjunction or punctuation. In coordinations each phrase
has such words. Mentions of key and response match if their minimum spans in the trees of the key
are the same.

As in the authors' program, words between two brackets of the parse column are one leaf, and a
mention that is no constituent has the tree of its parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.matching.places import Places

MinimumSpan = frozenset[tuple[str, int]]
"""Leaves, each with its words and the number of the token at which it was complete."""
_NOMINAL = ("NP", "NM", "QP", "NX")
_SKIPPED_TAGS = ("CC", "DT", "IN")


@dataclass(slots=True)
class Node:
    """A constituent with its children, or a leaf with its words."""

    label: str
    index: int
    tags: Sequence[str] | None = None
    """The part-of-speech tags of a leaf."""
    children: list[Node] = field(default_factory=list)

    @property
    def counts(self) -> bool:
        """True if it is a leaf with a content word."""
        if self.tags is None:
            return False
        return any(
            (word == "%" or any(sign.isalpha() or sign.isdigit() for sign in word))
            and word not in ("-LRB-", "-RRB-")
            and tag not in _SKIPPED_TAGS
            for word, tag in zip(self.label.split(), self.tags, strict=False)
        )


def tree_of(
    cells: Sequence[str], words: Sequence[str], tags: Sequence[str], first: int = 0
) -> Node | None:
    """The tree of a mention, from its cells in the parse column; None without any brackets.

    Tokens are numbered from ``first``.
    """
    opened: list[Node] = []
    roots: list[Node] = []
    label: str | None = None
    leaf: list[int] = []

    def attach(node: Node) -> None:
        if opened:
            opened[-1].children.append(node)

    def open_node(index: int) -> None:
        nonlocal label
        if label is not None:
            node = Node(label, index)
            attach(node)
            opened.append(node)
        label = None

    def close_leaf(index: int) -> None:
        node = Node(" ".join(words[at] for at in leaf), index, [tags[at] for at in leaf])
        attach(node)
        if not opened:
            opened.append(node)
        leaf.clear()

    for number, cell in enumerate(cells):
        index = first + number
        for sign in cell:
            if sign == "(":
                open_node(index)
                if any(words[at].isalpha() or words[at].isdigit() for at in leaf):
                    close_leaf(index)
                leaf.clear()
                label = ""
            elif sign == "*":
                leaf.append(number)
                open_node(index)
            elif sign == ")":
                if leaf:
                    close_leaf(index)
                if opened:
                    closed = opened.pop()
                    roots += [] if opened else [closed]
                label = None
            elif sign.isalpha() and label is not None:
                label += sign
    if leaf:
        close_leaf(first + len(cells) - 1)
    roots += opened[:1]
    if len(roots) > 1:
        return Node("NP", first, children=roots)
    return roots[0] if roots else None


def minimum_span(root: Node | None) -> MinimumSpan:
    """The minimum span of a mention with this tree; empty if no word counts."""
    if root is None:
        return frozenset()
    if root.counts:
        return _leaves([root])
    nearest = [node for node in root.children if node.counts]
    if nearest:
        return _leaves(nearest)
    accepted = _accepted(root)
    phrases = [node for node in root.children if node.children and node.label[:2] in accepted]
    if not phrases:
        return _nearest_leaves(root, None)
    return frozenset().union(*(_nearest_leaves(phrase, accepted) for phrase in phrases))


def _leaves(nodes: Sequence[Node]) -> MinimumSpan:
    return frozenset((node.label, node.index) for node in nodes)


def _accepted(root: Node) -> tuple[str, ...]:
    """The labels of phrases in which words are searched."""
    labels = [root.label[:2]]
    if labels[0] not in ("VP", "NP", "NM"):
        labels = [node.label[:2] for node in root.children]
    return ("VP",) if "VP" in labels and not {"NP", "NM"} & {*labels} else _NOMINAL


def _nearest_leaves(root: Node, accepted: tuple[str, ...] | None) -> MinimumSpan:
    """The content words on the first level below a phrase that has any.

    Without ``accepted`` labels, the first noun or verb phrase determines the labels.
    """
    level = [root]
    while level:
        below: list[Node] = []
        for node in level:
            if accepted is None and node.label[:2] in ("NP", "NM", "VP"):
                accepted = ("VP",) if node.label[:2] == "VP" else _NOMINAL
            inside = accepted is not None and node.label[:2] in accepted
            if node.tags is None and (inside or accepted is None or node is root):
                below += [child for child in node.children if child.tags is None or inside]
        found = [node for node in level if node.counts]
        if found:
            return _leaves(found)
        level = below
    return frozenset()


def match_minimum_spans(
    key: Places, response: Places, keys: IntArray, responses: IntArray
) -> tuple[IntArray, IntArray]:
    """Pair mentions, by index, with the same minimum span, in text order."""
    if not len(keys) or not len(responses):
        return keys[:0], responses[:0]
    spans = minimum_spans(key.corpus, key.corpus, keys)
    others = minimum_spans(key.corpus, response.corpus, responses)
    free = defaultdict(list)
    for mention in sorted(others, key=lambda one: (response.first[one], response.last[one])):
        free[response.unit[mention], others[mention]].append(mention)
    pairs = []
    for mention in sorted(spans, key=lambda one: (key.first[one], key.last[one])):
        candidates = free[key.unit[mention], spans[mention]]
        if candidates:
            pairs.append((mention, candidates.pop(0)))
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def parsed_documents(key: Corpus) -> BoolArray:
    """Documents with parse trees and without annotated minimum spans, which are preferred."""
    tokens, minimum = key.tokens, key.mentions.minimum
    parsed = np.zeros(len(key.documents), bool)
    if tokens is None or "parse" not in tokens.layers:
        return parsed
    cells = tokens.layers["parse"]
    brackets = cells.offsets[0] + np.flatnonzero(
        cells.data[cells.offsets[0] : cells.offsets[-1]] == ord("(")
    )
    rows = np.searchsorted(cells.offsets, brackets, side="right") - 1
    parsed[tokens.document_of_token[rows]] = True
    if minimum is not None:
        parsed[key.mentions.document[minimum[0] >= 0]] = False
    return parsed


def minimum_spans(key: Corpus, corpus: Corpus, mentions: IntArray) -> dict[int, MinimumSpan]:
    """The minimum spans of mentions of either side in the trees of the key, if they have any."""
    tokens = key.tokens
    assert tokens is not None
    words, cells = tokens.words.tolist(), tokens.layers["parse"].tolist()
    tags = tokens.layers["pos"].tolist() if "pos" in tokens.layers else [""] * len(words)
    found = {}
    for mention in mentions.tolist():
        base = int(tokens.offsets[corpus.mentions.document[mention]])
        first = base + int(corpus.mentions.start[mention])
        part = slice(first, base + int(corpus.mentions.stop[mention]))
        span = minimum_span(tree_of(cells[part], words[part], tags[part], first))
        if span:
            found[mention] = span
    return found
