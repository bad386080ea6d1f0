"""Stand-in for the reference scorer, ``scorer.pl`` 8.01: the command ``corefine-scorer``.

Arguments and output lines are those of the Perl script, so that programs that parse its output
need no change. Differences: the version line has the path of this file; documents are in the order
of the key, while those of the Perl script come in the random order of a hash; a file that cannot be
read correctly is an error with file and line, and exit status 2.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from corefine.compat import SIDES, document_names, ratios, run
from corefine.errors import Location, UsageError
from corefine.matching.documents import pair_documents
from corefine.matching.places import Places, identify
from corefine.scoring.scorers.counters import Entities, MetricSums, count
from corefine.scoring.scorers.lists import listed, order_of_mentions
from corefine.scoring.scorers.perl import MAX_DUPLICATES, PROFILE, without_repeated
from corefine.scoring.sides import read_side

METRICS = {"muc": "muc", "bcub": "b3", "ceafm": "ceafm", "ceafe": "ceafe", "blanc": "blanc"}
LINKS = (
    ("coreferent_common", "coreferent_key", "coreferent_common", "coreferent_response"),
    ("separate_common", "separate_key", "separate_common", "separate_response"),
)
RULE = "-" * 74
USAGE = """
use: corefine-scorer <metric> <keys_file> <response_file> [name]

  metric: muc, bcub, ceafm, ceafe, blanc or all
  name: a document, or "none" for the totals alone; by default, all documents are shown
"""


def main() -> int:
    """The command ``corefine-scorer``."""
    return run("corefine-scorer", lambda: score(sys.argv[1:]))


def score(arguments: list[str]) -> int:
    """Print what the Perl script prints for these arguments; the result is the exit status."""
    print(f"version: 8.01 {Path(__file__).resolve()}")
    if len(arguments) < 3:
        print(USAGE)
        return 0
    metric, key, response = arguments[:3]
    if metric != "all" and metric.lower() not in METRICS:
        print("Invalid metric")
        return 0
    documents = _read(key, response)
    name = arguments[3] if len(arguments) > 3 else None
    if name not in (None, "none"):
        documents = [document for document in documents if document.name == name]
        if not documents:
            raise UsageError(f"the key has no document {name!r}", Location(key))
    repeated = 0  # never reset, so that "all" rejects after fewer repetitions
    for each in METRICS if metric == "all" else [metric.lower()]:
        if metric == "all":
            print(f"\nMETRIC {each}:")
        for document in documents:
            if name != "none":
                print(*document.heading(each, alone=name is not None), sep="\n")
            for line in document.repeated_mentions():
                print(line)
                repeated += line.startswith("Repeated mention in the response")
                if repeated > MAX_DUPLICATES:
                    print(
                        "Found too many repeated mentions (> 10) in the response, so refusing to "
                        "score. Please fix the output.",
                        file=sys.stderr,
                    )
                    return 1
            if name != "none":
                print(*document.results(each), sep="\n")
        print(*_totals(each, documents), sep="\n")
    return 0


class _Document:
    """The entities of a document on both sides, as the script reads them."""

    def __init__(
        self, name: str, found: bool, key: Entities, response: Entities, spans: dict[int, str]
    ) -> None:
        self.name, self.found = name, found
        self.key, self.response, self.spans = key, response, spans
        self.key_mentions = Counter(mention for entity in key for mention in entity)
        kept, self._repeated = without_repeated(response, self.key_mentions)
        self.response_mentions = {mention for entity in kept for mention in entity}
        self.common = len(self.response_mentions & self.key_mentions.keys())
        self.counts: dict[str, MetricSums] = count(key, kept, PROFILE, {})

    def heading(self, metric: str, *, alone: bool) -> Iterator[str]:
        """The entities of both sides, and the name of the document."""
        if alone:
            yield f"{self.name}:"
        for name, entities in (
            (self.name, self.key),
            (self.name if self.found else "", self.response),
        ):
            yield f"====> {name}:"
            yield f"File {name}:"
            for number, entity in enumerate(entities):
                spans = "".join(f" ({self.spans[mention]})" for mention in entity)
                yield f"Entity {number}:{spans}"
        if not alone:
            yield ":" if metric == "blanc" else f"{self.name}:"

    def repeated_mentions(self) -> Iterator[str]:
        """Lines about mentions that a side repeats, with the numbers the script gives them."""
        numbers: dict[int, int] = {}
        for number, mention in enumerate(m for entity in self.key for m in entity):
            if mention in numbers:
                span = self.spans[mention].replace(",", ", ")
                yield f"Repeated mention in the key: {span} {numbers[mention]}{number}"
            numbers[mention] = number
        for mention in self._repeated:
            span, number = self.spans[mention].replace(",", ", "), numbers[mention]
            yield f"Repeated mention in the response: {span} {number}{number}"

    def results(self, metric: str) -> Iterator[str]:
        """The counts of mentions and, except for BLANC, the scores of the document."""
        ours, theirs = len(self.key_mentions), len(self.response_mentions)
        repeated = self.key_mentions.total() - ours
        yield f"Total key mentions: {ours}"
        yield f"Total response mentions: {theirs}"
        yield f"Strictly correct identified mentions: {self.common}"
        yield "Partially correct identified mentions: 0"
        yield f"No identified: {ours - self.common}"
        yield f"Invented: {theirs - self.common + repeated}"
        if metric != "blanc":
            counts = self.counts[METRICS[metric]]
            yield _percentages(*(counts[name] for name in SIDES))


def _read(key_path: str, response_path: str) -> list[_Document]:
    """The documents of the key, with the entities of both sides in the order of the script."""
    key, response = (
        read_side(path, what, layers=frozenset(), allow_empty=True)
        for path, what in ((key_path, "key"), (response_path, "response"))
    )
    key_names = document_names(key_path, key)
    response_names = set(document_names(response_path, response))
    pair = pair_documents(key, response, PROFILE.settings)
    corpora = pair.key, pair.response
    codes = identify(*Places.of(*corpora))
    lists, spans = [], {}
    for corpus, code in zip(corpora, codes, strict=True):
        mentions = corpus.mentions
        for number, start, stop in zip(
            code.tolist(), mentions.start.tolist(), mentions.stop.tolist(), strict=True
        ):
            spans[number] = f"{start},{stop - 1}"
        order = order_of_mentions(corpus, code, PROFILE)
        lists.append(listed(corpus, code, order))
    return [
        _Document(name, name in response_names, ours, theirs, spans)
        for name, ours, theirs in zip(key_names, *lists, strict=True)
    ]


def _totals(metric: str, documents: list[_Document]) -> Iterator[str]:
    """The sums over all documents."""
    common = sum(document.common for document in documents)
    ours = sum(len(document.key_mentions) for document in documents)
    theirs = sum(len(document.response_mentions) for document in documents)
    yield "\n====== TOTALS ======="
    yield f"Identification of Mentions: {_percentages(common, ours, common, theirs)}"
    counts = [document.counts[METRICS[metric]] for document in documents]
    if metric != "blanc":
        yield f"Coreference: {_percentages(*(sum(c[name] for c in counts) for name in SIDES))}"
        return
    coreferent, separate = ([sum(c[name] for c in counts) for name in links] for links in LINKS)
    yield "\nCoreference:"
    yield f"Coreference links: {_percentages(*coreferent)}"
    yield f"Non-coreference links: {_percentages(*separate)}"
    # A class of links that the key does not have is left out of the average.
    halves = [ratios(*links) for links in (coreferent, separate) if links[1]]
    averages = [sum(values) / len(halves) for values in zip(*halves, strict=True)]
    recall, precision, f1 = averages or (0, 0, 0)
    yield f"BLANC: {_percentages(recall, 1, precision, 1, f1)}"


def _percentages(
    recall_part: float,
    recall_whole: float,
    precision_part: float,
    precision_whole: float,
    f1: float | None = None,
) -> str:
    """Recall, precision and F1 with percentages truncated to two decimals, and a rule."""
    recall, precision, computed = ratios(recall_part, recall_whole, precision_part, precision_whole)
    shown = [
        f"{int(value * 10000) / 100:.15g}%"
        for value in (recall, precision, computed if f1 is None else f1)
    ]
    return (
        f"Recall: ({recall_part:.15g} / {recall_whole:.15g}) {shown[0]}"
        f"\tPrecision: ({precision_part:.15g} / {precision_whole:.15g}) {shown[1]}"
        f"\tF1: {shown[2]}\n{RULE}"
    )


if __name__ == "__main__":
    sys.exit(main())
