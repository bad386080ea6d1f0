"""The sections of the benchmark. A new one is a module here with ``run``, and a row below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.results import Report
from benchmarks.sections import (
    analyses,
    classic,
    compare,
    evaluator,
    formats,
    giant,
    layers,
    linguistic,
    report,
    resolving,
    scale,
    startup,
    suite,
    tagged,
)
from benchmarks.sections.options import Options


@dataclass(frozen=True, slots=True)
class Section:
    summary: str
    run: Callable[[Options], Report]
    factors: tuple[int, ...] = (1, 10)
    """The sizes of the corpus that are measured unless others are asked for."""
    mentions: tuple[int, ...] = (100_000, 1_000_000)
    """Likewise those of the giant document."""


SECTIONS: Mapping[str, Section] = {
    "startup": Section("what a command costs before it begins", startup.run),
    "classic": Section("two files, from the command line and from Python", classic.run),
    "evaluator": Section("348 documents in memory, one after another", evaluator.run),
    "compare": Section("systems compared: 20,000 shuffles of 348 documents", compare.run),
    "formats": Section("how fast every format streams", formats.run),
    "giant": Section("one document of a million mentions", giant.run),
    "linguistic": Section("metrics that see kinds, beside the classic ones", linguistic.run),
    "layers": Section("classic metrics where a corpus has no other layers", layers.run),
    "analyses": Section("all metrics and the analyses, beside one scoring", analyses.run),
    "suite": Section("27 data sets of the size of CorefUD's", suite.run),
    "tagged": Section("a book that a language model wrote again, with tags", tagged.run),
    "scale": Section(
        "files, mentions, noise, training loops and workers that grow",
        scale.run,
        factors=(1, 3, 10, 50),
        mentions=(100_000, 1_000_000, 10_000_000),
    ),
    "resolving": Section("features of pairs, and training the resolvers", resolving.run),
    "report": Section("the HTML report of 100 documents, in a browser", report.run),
}
