"""Reads every file of a folder of public repositories, and compares published scores.

``python -m benchmarks.public_files FOLDER`` takes a folder with a clone per corpus, such as
LitBank, GUM, ParCorFull or GerDraCor; archives in them must be unpacked. It prints a table with a
row per repository, then the reasons of refusals. Files that cannot be coreference by their suffix
are skipped, and so are those that belong to another file, such as the text of brat annotations.
Files of unknown formats are counted apart: most are configurations, parses or word lists. A refusal
should be a defect of the file, and its message should say which.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import corefine
from corefine import CorefineError
from corefine.formats import Source, all_formats
from corefine.formats.registry import recognise

OTHERS = (".json", ".jsonl", ".xml", ".xmi", ".mmax")
"""Suffixes of files that may be coreference, besides those of the formats."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A file's format and mentions, or the reason why it was refused."""

    path: Path
    format: str = ""
    """Empty if the format is unknown."""
    mentions: int = 0
    refusal: str = ""


def candidates(repository: Path) -> Iterator[Path]:
    """Files that may be coreference and are read by themselves, in order."""
    formats = all_formats()
    suffixes = {*OTHERS, *(suffix for format in formats for suffix in format.suffixes)}
    companions = {suffix for format in formats for suffix in format.companions}
    for path in sorted(repository.rglob("*")):
        name = path.name.removesuffix(".gz")
        usual = max((len(one) for one in suffixes if name.endswith(one)), default=0)
        other = max((len(one) for one in companions if name.endswith(one)), default=0)
        if usual > other and ".git" not in path.parts and path.is_file():
            yield path


def outcome(path: Path) -> Outcome:
    """Read a file by its detected format."""
    source = Source(str(path), path)
    format = ""
    try:
        found = recognise(source)
        source.close()
        # Text tagged by a language model is not read by itself.
        format = found.name if found is not None and found.read_against is None else ""
        corpus = corefine.read(path, format or None)
    except CorefineError as error:
        reason = str(error).removeprefix(str(path)).lstrip(":")
        return Outcome(path, format, refusal=reason)
    return Outcome(path, corpus.format or "", len(corpus.mentions))


# --- published scores -----------------------------------------------------------------------------

NAMES = {"bcub": "b3"}
"""Names of metrics in published tables that differ from ours."""


@dataclass(frozen=True, slots=True)
class Published:
    """Published scores of a response: (metric, precision, recall or f1) to the printed number."""

    key: Path
    response: Path
    numbers: dict[tuple[str, str], str]
    scale: float = 100
    """The largest score: 1 for fractions, 100 for percentages."""
    singletons: Literal["keep", "drop"] = "keep"


def table_of(text: str, parts: Iterable[str]) -> dict[tuple[str, str], str]:
    """The numbers of a printed table: lines of a metric and its numbers, in the order of parts."""
    numbers = {}
    parts = list(parts)
    for line in text.splitlines():
        name, values = line.split()[:1], re.findall(r"(?<![\w.])[0-9]+\.[0-9]+", line)
        metric = NAMES.get(*name, *name).lower() if name else ""
        if metric == "conll" and values:
            numbers[metric, "f1"] = values[0]
        elif len(values) == len(parts):
            numbers |= {(metric, part): value for part, value in zip(parts, values, strict=True)}
    return numbers


def beyond_corpus_tailored(repository: Path) -> Iterator[Published]:
    """Bugert et al. 2021: a table beside each pair of files."""
    for table in sorted(repository.rglob("eval_*_doc.txt")):
        numbers = table_of(table.read_text(), ("f1", "precision", "recall"))
        yield Published(table.with_name("gold.conll"), table.with_name("system.conll"), numbers, 1)
    for table in sorted(repository.rglob("scores.txt")):
        corpus = table.parent.name.partition("_")[0]
        name = "CD_test_event_mention_based"
        yield Published(
            table.parent.parent / f"{corpus}_{name}.key_conll",
            table.with_name(f"{name}.response_conll"),
            table_of(table.read_text(), ("recall", "precision", "f1")),
        )


def hypercoref(repository: Path) -> Iterator[Published]:
    """Bugert & Gurevych 2021: two tables of all experiments."""
    parts = {"F1": "f1", "P": "precision", "R": "recall"}
    for table in sorted(repository.rglob("*_all_scores_unaggregated.csv")):
        system = table.name.removesuffix("_all_scores_unaggregated.csv")
        measures, kinds, _, *rows = csv.reader(table.open(encoding="utf-8", newline=""))
        for scenario, experiment, dev, test, topics, seed, *values in rows:
            cells = zip(measures[6:], kinds[6:], values, strict=True)
            numbers = {(NAMES.get(name, name), parts[kind]): value for name, kind, value in cells}
            # The mean of F1 is a percentage, all others are fractions.
            numbers["conll", "f1"] = str(float(numbers["conll", "f1"]) / 100)
            folder = table.parents[1] / "conll" / system / scenario / experiment
            runs = f"events*/{dev}_on_{test}/{topics}/{seed}/*.conll"
            runs = runs if any(folder.glob(runs)) else f"events*/{test}/{topics}/{seed}/*.conll"
            keys = (table.parents[1] / "conll" / "key" / test).glob("*.conll")
            for key in keys:
                for response in folder.glob(runs):
                    yield Published(key, response, numbers, 1)


def dutchcoref(repository: Path) -> Iterator[Published]:
    """Four tables in a README, each below the command that printed it."""
    readme = repository / "data" / "manualeval" / "README.md"
    _, *sections = readme.read_text(encoding="utf-8").split("scorer.py ")
    for section in sections:
        command, _, table = section.partition("\n")
        key, response, *options = command.split()
        numbers = table_of(table, ("recall", "precision", "f1"))
        paths = readme.with_name(key), readme.with_name(response)
        dropped = "remove_singletons" in options
        yield Published(*paths, numbers, singletons="drop" if dropped else "keep")


PUBLISHED: dict[str, Callable[[Path], Iterator[Published]]] = {
    "cdcr-beyond-corpus-tailored": beyond_corpus_tailored,
    "emnlp2021-hypercoref-cdcr": hypercoref,
    "dutchcoref": dutchcoref,
}


def differences(published: Published) -> list[str]:
    """Descriptions of numbers that differ from ours at the printed precision."""
    metrics = list(dict.fromkeys(metric for metric, _ in published.numbers))
    place = published.response
    try:
        scores = corefine.score(
            published.key, place, metrics, singletons=published.singletons, allow_empty=True
        )
    except CorefineError as error:
        return [f"{place}: {error}" for _ in published.numbers]
    found = []
    for (metric, part), printed in published.numbers.items():
        ours = getattr(scores[metric], part) * published.scale
        digits = min(len(printed.partition(".")[2]), 9)
        if abs(ours - float(printed)) > 0.5 * 10**-digits + 1e-9:
            found.append(f"{place}: {metric} {part} {printed} published, {ours:.{digits}f} here")
    return found


# --- report ---------------------------------------------------------------------------------------


def report(folder: Path, shown: int) -> Iterator[str]:
    """A table with a row per repository, and the first refusals of each kind."""
    details = []
    yield "| repository | read | refused | other files | published numbers | that differ |"
    yield "|---|---:|---:|---:|---:|---:|"
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        outcomes = [outcome(path) for path in candidates(repository)]
        refused = [one for one in outcomes if one.refusal and one.format]
        other = [one for one in outcomes if one.refusal and not one.format]
        published = PUBLISHED.get(repository.name)
        pairs = [] if published is None else list(published(repository))
        numbers = sum(len(pair.numbers) for pair in pairs)
        differing = [text for pair in pairs for text in differences(pair)]
        yield (
            f"| {repository.name} | {len(outcomes) - len(refused) - len(other):,} "
            f"| {len(refused):,} | {len(other):,} | {numbers:,} | {len(differing):,} |"
        )
        details.append(f"{repository.name}:")
        for format, count in Counter(one.format for one in outcomes if not one.refusal).items():
            of_format = [one for one in outcomes if one.format == format and not one.refusal]
            silent = sum(not one.mentions for one in of_format)
            details.append(f"  {format}: {count:,} files, {silent:,} of them without mentions")
        kinds: dict[str, list[Outcome]] = {}
        for one in (*refused, *other):
            kinds.setdefault(one.refusal.lstrip("0123456789: ")[:40], []).append(one)
        for found in sorted(kinds.values(), key=len, reverse=True)[:shown]:
            first = found[0]
            details.append(f"  {len(found):,} x {first.path.relative_to(folder)}: {first.refusal}")
        details += [f"  {text}" for text in differing[:shown]]
    yield ""
    yield from details


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with a clone per corpus")
    parser.add_argument("--shown", type=int, default=10, help="kinds of refusals per repository")
    options = parser.parse_args()
    for line in report(options.folder, options.shown):
        print(line, flush=True)


if __name__ == "__main__":
    main()
