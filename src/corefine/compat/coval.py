"""Stand-in for coval: ``python -m corefine.compat.coval KEY SYSTEM [OPTIONS]`` and its functions.

Options are words, as in coval: names of metrics (``mentions``, ``muc``, ``bcub``, ``ceafe``,
``lea``, ``all``), ``NP_only``, ``remove_nested``, ``remove_singletons`` and ``min_spans``.

>>> from corefine.compat.coval import b_cubed, evaluate_documents
>>> infos = {"d": ([["a", "b"], ["c"]], [["a", "b", "c"]], {}, {})}
>>> recall, precision, f1 = evaluate_documents(infos, b_cubed)
>>> recall, round(precision, 4)
(1.0, 0.5556)
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from corefine.compat import (
    SIDES,
    count_clusters,
    document_names,
    percentages,
    print_conll,
    ratios,
    run,
)
from corefine.corpus.document import Document
from corefine.errors import AlignmentError, Location, UsageError
from corefine.matching.minimum_spans import MinimumSpan, Node, minimum_span, tree_of
from corefine.scoring.scorers.coval import PROFILE
from corefine.scoring.scorers.lists import listed, order_of_mentions
from corefine.scoring.sides import read_side

mentions, muc, b_cubed, ceafe, lea = "mentions", "muc", "b3", "ceafe", "lea"
"""The metrics of coval, as arguments of :func:`evaluate_documents`."""
METRICS = {"mentions": mentions, "muc": muc, "bcub": b_cubed, "ceafe": ceafe, "lea": lea}

Clusters = list[list["Mention"]]
CorefInfo = tuple[Clusters, Clusters, dict["Mention", int], dict["Mention", int]]


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention: its document, sentence, and first and last word in the sentence.

    Mentions are equal if they have the same minimum span, or else the same words.
    """

    doc_name: str
    sent_num: int
    start: int = field(compare=False)
    end: int = field(compare=False)
    words: list[str] = field(compare=False)
    gold_parse: Node | None = field(default=None, compare=False)
    min_spans: MinimumSpan = frozenset()
    span: tuple[int, int] | None = None
    """First and last word; None if there is a minimum span."""

    def __str__(self) -> str:
        place = f"sentence number: {self.sent_num}, ({self.start}, {self.end})"
        tree = "" if self.gold_parse is None else _drawn(self.gold_parse)
        return f"DOC: {self.doc_name}, {place}{tree} {' '.join(self.words)}"

    def contains(self, other: Mention) -> bool:
        """True if the other mention is a different one within this."""
        return (
            self != other
            and self.sent_num == other.sent_num
            and self.start <= other.start
            and other.end <= self.end
        )


def _drawn(node: Node, level: int = 0) -> str:
    """A tree with one line per node, as coval prints it."""
    below = "".join(_drawn(child, level + 1) for child in node.children)
    return "\t" * level + f"{node.label}\n{below}"


def evaluate_documents(
    doc_coref_infos: Mapping[Any, Sequence[Any]], metric: str, beta: float = 1
) -> tuple[float, float, float]:
    """Recall, precision and F1 of all documents by one of the metrics of this module."""
    profile = replace(PROFILE, metrics=(metric,))
    counts = [
        count_clusters(key, response, profile)[metric]
        for key, response, *_ in doc_coref_infos.values()
    ]
    return ratios(*(sum(one[name] for one in counts) for name in SIDES), beta=beta)


def get_coref_infos(
    key_file: str,
    sys_file: str,
    NP_only: bool = False,
    remove_nested: bool = False,
    keep_singletons: bool = True,
    min_span: bool = False,
) -> dict[str, CorefInfo]:
    """Per document the clusters of both sides, and the cluster of each mention on the other side.

    Messages are printed as coval prints them.
    """
    key, response = _File(key_file, "key"), _File(sys_file, "response")
    if (NP_only or min_span) and not key.parsed:
        raise UsageError(
            "NP_only and min_spans need parse trees, which the key does not have",
            Location(key_file),
            "Give a key with parse trees in its sixth column, or leave out these options.",
        )
    singletons, nested, alone = [0, 0], [0, 0], [0, 0]
    infos: dict[str, CorefInfo] = {}
    for name in key.names:
        both = []
        for number, side in enumerate((key, response)):
            clusters = side.clusters(name)
            if not keep_singletons:
                several = [cluster for cluster in clusters if len(cluster) > 1]
                singletons[number] += len(clusters) - len(several)
                clusters = several
            if NP_only or min_span:
                clusters = [[key.with_tree(m, min_span) for m in cluster] for cluster in clusters]
            if NP_only:
                clusters = _without_verb_phrases(clusters)
            both.append(clusters)
        if remove_nested:
            for number, clusters in enumerate(both):
                removed, left = _remove_nested(clusters, keep_singletons)
                nested[number] += removed
                alone[number] += left
        ours, theirs = both
        infos[name] = ours, theirs, _assigned(ours, theirs), _assigned(theirs, ours)
    message = "Number of {} in the key annotation: {}; and system annotation: {}"
    if remove_nested:
        print(message.format("removed nested coreferring mentions", *nested))
        print(message.format("resulting singleton clusters", *alone))
    if not keep_singletons:
        print("{} and {} singletons".format(*singletons), end="")
        print(" are removed from the key and system files, respectively")
    return infos


class _File:
    """The mentions of a CoNLL file, read as coval reads them."""

    def __init__(self, path: str, what: str) -> None:
        corpus = read_side(path, what, allow_empty=True)
        # coval keeps the line break in the name.
        self.names = [f"{name}\n" for name in document_names(path, corpus)]
        self.path = path
        self._documents = dict(zip(self.names, corpus, strict=True))
        assert corpus.tokens is not None
        self.parsed = {"parse", "pos"} <= corpus.tokens.layers.keys()
        rows, document = np.arange(len(corpus.mentions)), corpus.mentions.document
        number = rows - np.searchsorted(document, document)
        clusters = listed(corpus, number, order_of_mentions(corpus, rows, PROFILE))
        self._clusters = dict(zip(self.names, clusters, strict=True))
        """By document, the numbers of the mentions of each cluster."""

    def clusters(self, name: str) -> Clusters:
        """The clusters of a document; warnings of coval about it are printed."""
        if name not in self._documents:
            raise AlignmentError(
                f"the response has no document {name.strip()!r}",
                Location(self.path),
                "Add the document to the response; it may have no mentions.",
            )
        document = self._documents[name]
        _warn(document)
        mentions = [_mention(name, document, *mention.spans[0]) for mention in document.mentions]
        return [[mentions[number] for number in cluster] for cluster in self._clusters[name]]

    def with_tree(self, mention: Mention, min_span: bool) -> Mention:
        """The mention with its tree in this file, and with its minimum span if that is wanted."""
        document = self._documents[mention.doc_name]
        begin = document.starts[mention.sent_num]
        part = slice(begin + mention.start, begin + mention.end + 1)
        assert document.tokens is not None
        cells, tags = (document.layers[layer][part] for layer in ("parse", "pos"))
        tree = tree_of(cells, document.tokens[part], tags, mention.start)
        mention = replace(mention, gold_parse=tree)
        if not min_span or tree is None:
            return mention
        every = frozenset((word, place) for place, word in enumerate(mention.words))
        return replace(mention, min_spans=minimum_span(tree) or every, span=None)


def _mention(name: str, document: Document, start: int, stop: int) -> Mention:
    sentence = bisect_right(document.starts, start) - 1
    begin = document.starts[sentence]
    span = start - begin, stop - 1 - begin
    assert document.tokens is not None
    return Mention(name, sentence, *span, document.tokens[start:stop], span=span)


def _without_verb_phrases(clusters: Clusters) -> Clusters:
    """Clusters without mentions that are verb phrases, and without those this leaves alone."""
    kept = []
    for cluster in clusters:
        nominal = [
            mention
            for mention in cluster
            if mention.gold_parse is None or mention.gold_parse.label != "VP"
        ]
        if len(nominal) == len(cluster) or len(nominal) > 1:
            kept.append(nominal)
    return kept


def _warn(document: Document) -> None:
    """Print coval's warnings about tokens that are mentions of several entities."""
    at: dict[int, list[int]] = defaultdict(list)
    for mention in document.mentions:
        ((start, stop),) = mention.spans
        if stop == start + 1:
            at[start].append(int(mention.entity))
    for token in sorted(at):
        if len(at[token]) > 1:
            print(f"Warning: A single mention is assigned to more than one cluster: {at[token]}")


def _remove_nested(clusters: Clusters, keep_singletons: bool) -> tuple[int, int]:
    """Remove mentions nested in their own cluster; count them, and the clusters left with one.

    A cluster that would be left with one mention is kept as it is, or removed with singletons.
    """
    removed = alone = 0
    for cluster in [*clusters]:
        nested = []
        for one, other in combinations(cluster, 2):
            if other.contains(one):
                nested.append(one)
                print(one, other)
                print("=========================")
            elif one.contains(other):
                nested.append(other)
                print(other)
        removed += len(nested)
        if len(cluster) > 1 and len(cluster) - len(nested) == 1:
            alone += 1
            if not keep_singletons:
                clusters.remove(cluster)
        else:
            cluster[:] = [mention for mention in cluster if mention not in nested]
    return removed, alone


def _assigned(clusters: Clusters, others: Clusters) -> dict[Mention, int]:
    owners = {mention: number for number, cluster in enumerate(others) for mention in cluster}
    return {one: owners[one] for cluster in clusters for one in cluster if one in owners}


def evaluate(
    key_file: str,
    sys_file: str,
    metrics: Iterable[tuple[str, str]],
    NP_only: bool,
    remove_nested: bool,
    keep_singletons: bool,
    min_span: bool,
) -> None:
    """Print the scores of these metrics, and the CoNLL score if they include its three parts."""
    infos = get_coref_infos(key_file, sys_file, NP_only, remove_nested, keep_singletons, min_span)
    f1 = {}
    for name, metric in metrics:
        scores = evaluate_documents(infos, metric)
        f1[name] = scores[2]
        print(name.ljust(10), percentages(*scores))
    print_conll(f1)


def main() -> int:
    """The command ``python -m corefine.compat.coval``."""
    if len(sys.argv) < 3:
        print("usage: python -m corefine.compat.coval KEY SYSTEM [OPTIONS]", file=sys.stderr)
        return 2
    key, response, *options = sys.argv[1:]
    chosen = [pair for pair in METRICS.items() if pair[0] in options and "all" not in options]
    evaluate(
        key,
        response,
        chosen or METRICS.items(),
        NP_only="NP_only" in options,
        remove_nested="remove_nested" in options,
        keep_singletons="remove_singletons" not in options,
        min_span=bool({"min_span", "min_spans", "min"}.intersection(options)),
    )
    return 0


if __name__ == "__main__":
    sys.exit(run("coval", main))
