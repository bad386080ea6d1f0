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

import re
import sys
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from corefine.compat import document_names, run
from corefine.corpus.corpus import Corpus
from corefine.errors import AlignmentError, Location, UsageError
from corefine.scoring.scorers.counters import count
from corefine.scoring.scorers.emulation import listed, order_of_mentions, read_as
from corefine.scoring.scorers.profiles import PROFILES
from corefine.scoring.sides import Side

PROFILE = PROFILES["coval"]
mentions, muc, b_cubed, ceafe, lea = "mentions", "muc", "b3", "ceafe", "lea"
"""The metrics of coval, as arguments of :func:`evaluate_documents`."""
METRICS = {"mentions": mentions, "muc": muc, "bcub": b_cubed, "ceafe": ceafe, "lea": lea}

Clusters = list[list["Mention"]]
CorefInfo = tuple[Clusters, Clusters, dict["Mention", int], dict["Mention", int]]
_BRACKETS = re.compile(r"\(([^()*|]*)|[*)]")


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention: its document, sentence, and first and last word in the sentence."""

    doc_name: str
    sent_num: int
    start: int
    end: int
    words: list[str] = field(compare=False)

    def __str__(self) -> str:
        place = f"sentence number: {self.sent_num}, ({self.start}, {self.end})"
        return f"DOC: {self.doc_name}, {place} {' '.join(self.words)}"

    def contains(self, other: Mention) -> bool:
        """True if the other mention is a different one within this."""
        return (
            self != other
            and self.sent_num == other.sent_num
            and self.start <= other.start
            and other.end <= self.end
        )


def evaluate_documents(
    doc_coref_infos: Mapping[Any, Sequence[Any]], metric: str, beta: float = 1
) -> tuple[float, float, float]:
    """Recall, precision and F1 of all documents by one of the metrics of this module."""
    profile = replace(PROFILE, metrics=(metric,))
    sums: dict[str, float] = defaultdict(float)
    for key, response, *_ in doc_coref_infos.values():
        numbers: dict[Hashable, int] = {}
        sides = [
            [[numbers.setdefault(one, len(numbers)) for one in cluster] for cluster in clusters]
            for clusters in (key, response)
        ]
        for name, value in count(sides[0], sides[1], profile, {})[metric].items():
            sums[name] += value
    recall, precision = (
        sums[f"{side}_part"] / sums[f"{side}_whole"] if sums[f"{side}_part"] else 0
        for side in ("recall", "precision")
    )
    weighted = beta * beta * precision + recall
    f1 = (1 + beta * beta) * precision * recall / weighted if weighted else 0
    return recall, precision, f1


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
    if min_span:
        raise UsageError(
            "minimum spans from parse trees are not supported", remedy="Leave out min_spans."
        )
    sides = [_File(path, what) for path, what in ((key_file, "key"), (sys_file, "response"))]
    removed: dict[str, list[int]] = {"mentions": [0, 0], "clusters": [0, 0], "singletons": [0, 0]}
    infos: dict[str, CorefInfo] = {}
    for name in sides[0].names:
        both = []
        for number, side in enumerate(sides):
            clusters = side.clusters(name)
            if not keep_singletons:
                several = [cluster for cluster in clusters if len(cluster) > 1]
                removed["singletons"][number] += len(clusters) - len(several)
                clusters = several
            if NP_only:
                clusters = sides[0].without_verb_phrases(name, clusters)
            both.append(clusters)
        if remove_nested:
            for number, clusters in enumerate(both):
                found, alone = _remove_nested(clusters, keep_singletons)
                removed["mentions"][number] += found
                removed["clusters"][number] += alone
        infos[name] = (*both, _assigned(*both), _assigned(*reversed(both)))  # type: ignore[assignment]
    if remove_nested:
        for what, counts in (
            ("removed nested coreferring mentions", removed["mentions"]),
            ("resulting singleton clusters", removed["clusters"]),
        ):
            print(
                f"Number of {what} in the key annotation: {counts[0]}; "
                f"and system annotation: {counts[1]}"
            )
    if not keep_singletons:
        ours, theirs = removed["singletons"]
        print(
            f"{ours} and {theirs} singletons are removed from the key and system files, "
            "respectively"
        )
    return infos


class _File:
    """The mentions of a CoNLL file, read as coval reads them."""

    def __init__(self, path: str, what: str) -> None:
        corpus = Side.of(path, what).read(None)
        # coval keeps the line break in the name.
        self.names = [f"{name}\n" for name in document_names(path, corpus)]
        self.path = path
        self._numbers = {name: number for number, name in enumerate(self.names)}
        self._corpus = read_as(corpus, PROFILE)
        rows = np.arange(len(self._corpus.mentions))
        order = order_of_mentions(self._corpus, rows, PROFILE)
        self._clusters = listed(self._corpus, rows, order, None, PROFILE)

    def clusters(self, name: str) -> Clusters:
        """The clusters of a document; warnings of coval about it are printed."""
        if name not in self._numbers:
            raise AlignmentError(
                f"the response has no document {name.strip()!r}",
                Location(self.path),
                "Add the document to the response; it may have no mentions.",
            )
        number = self._numbers[name]
        _warn(self._corpus, number)
        return [
            [self._mention(name, number, row) for row in cluster]
            for cluster in self._clusters[number]
        ]

    def _mention(self, name: str, document: int, row: int) -> Mention:
        tokens, mentions = self._corpus.tokens, self._corpus.mentions
        assert tokens is not None
        base = int(tokens.offsets[document])
        first, last = base + int(mentions.start[row]), base + int(mentions.stop[row]) - 1
        sentence, opening = tokens.sentence_of(np.array([first, base])).tolist()
        start = int(tokens.sentences[sentence])
        words = tokens.words[first : last + 1]
        return Mention(name, sentence - opening, first - start, last - start, list(words))

    def without_verb_phrases(self, name: str, clusters: Clusters) -> Clusters:
        """Clusters without mentions that are verb phrases, and without those this leaves alone."""
        tokens = self._corpus.tokens
        assert tokens is not None
        if "parse" not in tokens.layers:
            raise UsageError(
                "NP_only needs parse trees, which the key does not have",
                Location(self.path),
                "Leave out NP_only, or give a key with parse trees in its sixth column.",
            )
        base = int(tokens.offsets[self._numbers[name]])
        first = int(tokens.sentence_of(np.array([base]))[0])
        kept = []
        for cluster in clusters:
            nominal = []
            for mention in cluster:
                begin = int(tokens.sentences[first + mention.sent_num])
                place = slice(begin + mention.start, begin + mention.end + 1)
                if not _is_verb_phrase(tokens.layers["parse"][place], tokens.words[place]):
                    nominal.append(mention)
            if len(nominal) == len(cluster) or len(nominal) > 1:
                kept.append(nominal)
        return kept


def _warn(corpus: Corpus, document: int) -> None:
    """Print coval's warnings about tokens that are mentions of several entities."""
    rows = corpus.mentions
    alone = np.flatnonzero((rows.document == document) & (rows.stop - rows.start == 1))
    at: dict[int, list[int]] = defaultdict(list)
    for row in alone.tolist():
        assert corpus.entities.names is not None
        at[int(rows.start[row])].append(int(corpus.entities.names[int(rows.entity[row])]))
    for token in sorted(at):
        if len(at[token]) > 1:
            print(f"Warning: A single mention is assigned to more than one cluster: {at[token]}")


def _is_verb_phrase(cells: Iterable[str], words: Iterable[str]) -> bool:
    """True if the part of a parse tree over these words has one root, which is a VP.

    As in coval, a word before the first bracket is the root, unless it has no letter or digit.
    """
    stack: list[str] = []
    roots: list[str] = []
    waiting: list[str] = []
    for cell, word in zip(cells, words, strict=True):
        for bracket in _BRACKETS.finditer(cell):
            if bracket[0] == "*":
                waiting.append(word)
            elif bracket[0] == ")":
                if waiting and not stack:
                    stack.append("")
                waiting = []
                if stack:
                    label = stack.pop()
                    if not stack:
                        roots.append(label)
            else:
                if not stack and any(one.isalpha() or one.isdigit() for one in waiting):
                    stack.append("")
                waiting = []
                stack.append("".join(c for c in bracket[1] if c.isalpha()))
    if waiting and not stack:
        stack.append("")
    roots += stack[:1]
    return roots == ["VP"]


def _remove_nested(clusters: Clusters, keep_singletons: bool) -> tuple[int, int]:
    """Remove mentions within others of their cluster, and count them and clusters left alone.

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
    """Print the scores of these metrics, and the CoNLL score if its three parts are among them."""
    infos = get_coref_infos(key_file, sys_file, NP_only, remove_nested, keep_singletons, min_span)
    parts = []
    for name, metric in metrics:
        recall, precision, f1 = evaluate_documents(infos, metric)
        if name in ("muc", "bcub", "ceafe"):
            parts.append(f1)
        print(
            name.ljust(10),
            f"Recall: {recall * 100:.2f}",
            f" Precision: {precision * 100:.2f}",
            f" F1: {f1 * 100:.2f}",
        )
    if len(parts) == 3:
        print(f"CoNLL score: {sum(parts) / 3 * 100:.2f}")


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
