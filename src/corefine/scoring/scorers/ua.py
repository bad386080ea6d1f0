"""The Universal Anaphora scorer (Yu et al. 2022; Paun et al. 2023).

- Zeros are matched by position, words are not compared, and split antecedents count.
- A mention that an entity repeats is one; a mention of several entities counts for each, and is
  found in the last. Without split antecedents, a repeated mention counts as often as it is given.
- An empty half of BLANC counts if either side has links of it.
- Documents with split antecedents are counted as corefine does. LEA and BLANC of these differ from
  the scorer's, whose links of a set depend on its place in a list.
- A bridging anaphor with several antecedents has the last one. Discourse deixis keeps singletons
  and counts split antecedents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.errors import Caution
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.blanc import Blanc
from corefine.metrics.registry import parse
from corefine.scoring.count import count_metric, tabulate
from corefine.scoring.request import Request
from corefine.scoring.scorers.profile import ScorerProfile

PROFILE = ScorerProfile(
    "ua",
    ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "conll"),
    Settings(zeros="linear", words="ignore", split_antecedents="score"),
    layers=("bridging", "nonreferring"),
    duplicates="set",
    blanc="either",
)


def split_documents(key: Corpus, response: Corpus) -> list[int]:
    """The documents with split antecedents on either side."""
    return sorted(
        {
            relation.document
            for corpus in (key, response)
            for relation in corpus.relations
            if relation.kind == "split"
        }
    )


def split_cautions(
    key: Corpus, response: Corpus, profile: ScorerProfile, metrics: Mapping[str, Metric]
) -> list[Caution]:
    """Warn about metrics that are not the scorer's own with split antecedents."""
    names = [name for name, one in metrics.items() if one.name in ("lea", "blanc")]
    documents = split_documents(key, response)
    if profile.settings.split_antecedents == "ignore" or not names or not documents:
        return []
    text = (
        f"{' and '.join(names)} with split antecedents ({len(documents):,} documents) follow "
        f"corefine's definition and may differ from {profile.name}'s numbers"
    )
    return [Caution(text, "split-antecedents")]


def count_split_antecedents(
    key: Corpus, response: Corpus, profile: ScorerProfile, counted: dict[str, Statistics]
) -> None:
    """Take corefine's own statistics for documents with split antecedents."""
    only = profile.settings.split_antecedents == "only"
    concerned = split_documents(key, response)
    rows = np.arange(len(key.documents)) if only else np.array(concerned, np.int64)
    if not len(rows):
        return
    metrics = {name: parse(name) for name in counted}
    if profile.blanc == "either" and "blanc" in metrics:
        metrics["blanc"] = Blanc("corefud")
    table = tabulate(key, response, Request(metrics, profile.settings))
    for name, metric in metrics.items():
        for statistic, values in count_metric(metric, table, profile.settings).items():
            counted[name][statistic][rows] = values[rows]


def with_last_antecedents(corpus: Corpus) -> Corpus:
    bridges = [one for one in corpus.relations if one.kind == "bridge" and one.anaphor]
    last = {(one.document, one.anaphor): one for one in bridges}
    dropped = {id(one) for one in bridges if last[one.document, one.anaphor] is not one}
    kept = tuple(one for one in corpus.relations if id(one) not in dropped)
    return replace(corpus, relations=kept)
