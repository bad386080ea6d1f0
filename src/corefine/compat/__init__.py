"""Replacements for other scorers: their commands and classes, with their output.

Each module replaces one scorer by one changed line. The numbers are those of its scorer profile
(``--as`` on the command line), and an existing pipeline prints what it printed before.

========================================  ======================================================
module                                    stands in for
========================================  ======================================================
:mod:`corefine.compat.perl`               ``scorer.pl`` 8.01, as the command ``corefine-scorer``
:mod:`corefine.compat.coval`              coval: ``python -m corefine.compat.coval``, functions
:mod:`corefine.compat.corefud`            corefud-scorer: ``python -m corefine.compat.corefud``
:mod:`corefine.compat.e2e`                evaluators of e2e-coref, longdoc, fastcoref, Maverick
:mod:`corefine.compat.allennlp`           ``ConllCorefScores`` of AllenNLP
:mod:`corefine.compat.hf`                 the metric ``coval`` of Hugging Face evaluate
========================================  ======================================================
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, CorefineWarning, FormatError, Location
from corefine.scoring.scorers.counters import MetricSums, count
from corefine.scoring.scorers.profile import ScorerProfile

SIDES = ("recall_part", "recall_whole", "precision_part", "precision_whole")
"""The statistics of the ratios of every metric but BLANC."""
Clusters = Iterable[Iterable[Hashable]]
_BEGIN = re.compile(rb"^#\s*begin document (.*?)\r?$", re.MULTILINE)


def run(program: str, main: Callable[[], int]) -> int:
    """Run the main function of a stand-in; an error is printed on one line, with exit status 2."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorefineWarning)
        try:
            status = main()
            sys.stdout.flush()
            return status
        except CorefineError as error:
            print(f"{program}: error: {error}", file=sys.stderr)
            return 2
        except BrokenPipeError:
            # The reader of the output has closed it, as `head` does.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0


def document_names(path: str, corpus: Corpus) -> list[str]:
    """The names of the documents of a CoNLL file as they are written there."""
    names = [name.decode() for name in _BEGIN.findall(Path(path).read_bytes())]
    if len(names) != len(corpus.documents):
        raise FormatError(
            "documents do not begin with lines '#begin document NAME'",
            Location(path),
            "Convert the file: corefine convert FILE new.conll",
        )
    return names


def count_clusters(
    key: Clusters, response: Clusters, profile: ScorerProfile
) -> dict[str, MetricSums]:
    """The statistics of a document by metric; clusters are lists of any hashable mentions."""
    numbers: dict[Hashable, int] = {}
    ours, theirs = (
        [[numbers.setdefault(mention, len(numbers)) for mention in cluster] for cluster in side]
        for side in (key, response)
    )
    return count(ours, theirs, profile, {})


def ratios(
    recall_part: float,
    recall_whole: float,
    precision_part: float,
    precision_whole: float,
    *,
    beta: float = 1,
) -> tuple[float, float, float]:
    """Recall, precision and F of sums; 0 for a ratio without a numerator."""
    recall = recall_part / recall_whole if recall_part else 0.0
    precision = precision_part / precision_whole if precision_part else 0.0
    weighted = beta * beta * precision + recall
    f = (1 + beta * beta) * precision * recall / weighted if weighted else 0.0
    return recall, precision, f


def percentages(recall: float, precision: float, f1: float) -> str:
    """Recall, precision and F1 with two decimals, as coval and corefud-scorer print them."""
    return f"Recall: {100 * recall:.2f}  Precision: {100 * precision:.2f}  F1: {100 * f1:.2f}"


def print_conll(f1: Mapping[str, float]) -> None:
    """Print the CoNLL score if F1 of its three parts is given."""
    parts = [value for name, value in f1.items() if name in ("muc", "bcub", "ceafe")]
    if len(parts) == 3:
        print(f"CoNLL score: {sum(parts) / 3 * 100:.2f}")
