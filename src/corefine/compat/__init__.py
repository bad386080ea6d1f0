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
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, CorefineWarning, FormatError, Location
from corefine.scoring.scorers.counters import MetricSums, count
from corefine.scoring.scorers.profile import ScorerProfile

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
    key: Iterable[Iterable[Hashable]],
    response: Iterable[Iterable[Hashable]],
    profile: ScorerProfile,
) -> dict[str, MetricSums]:
    """The statistics of a document by metric; clusters are lists of any hashable mentions."""
    numbers: dict[Hashable, int] = {}
    ours, theirs = (
        [[numbers.setdefault(mention, len(numbers)) for mention in cluster] for cluster in side]
        for side in (key, response)
    )
    return count(ours, theirs, profile, {})
