"""The command line of the benchmark: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import analyses, compare, files, formats, giant, labels, resolving, scale, tagged
from benchmarks.corpora import CACHE
from benchmarks.measuring import MeasurementError, Options
from benchmarks.results import Report
from docs.making.performance import publish


@dataclass(frozen=True, slots=True)
class Section:
    """A question that the benchmark answers."""

    summary: str
    run: Callable[[Options], Report]
    factors: tuple[int, ...] = (1, 10)
    """Default sizes of the corpus."""


SECTIONS = {
    "startup": Section("whole processes, compared with bare imports", files.startup),
    "classic": Section("two files, from the command line and from Python", files.scoring),
    "formats": Section("streaming speed of every format", formats.run),
    "giant": Section("one document with a million mentions", giant.run),
    "labels": Section("Parquet files of up to ten million labels", labels.run),
    "compare": Section("systems compared: 20,000 shuffles of 348 documents", compare.run),
    "analyses": Section("all metrics and the analyses", analyses.analyses_and_metrics),
    "suite": Section("27 data sets of the size of CorefUD's", analyses.suite_of_data_sets),
    "tagged": Section("a book copied by a language model, with tags", tagged.run),
    "scale": Section("files, training loops and workers that grow", scale.run, (1, 3, 10, 50)),
    "resolving": Section("features of pairs, and training the resolvers", resolving.run),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measures corefine, a floor and other scorers in CPU seconds.",
        epilog="Sections: "
        + "; ".join(f"{name} ({section.summary})" for name, section in SECTIONS.items())
        + ". The exit status is 1 if a criterion fails and 2 if a measurement does.",
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="default: all of them")
    parser.add_argument(
        "--factors",
        type=_whole_numbers,
        metavar="N,…",
        help="sizes of the corpus, as multiples of about 100 documents (default: 1,10; in the"
        " section scale 1,3,10,50)",
    )
    parser.add_argument(
        "--mentions",
        type=_whole_numbers,
        metavar="N,…",
        default=(100_000, 1_000_000),
        help="sizes of the giant document (default: 100000,1000000)",
    )
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="default: 5")
    parser.add_argument(
        "--json",
        type=Path,
        default=CACHE.parent / "results.json",
        metavar="FILE",
        help="file of the results (default: .bench/results.json)",
    )
    parser.add_argument(
        "--publish",
        action="store_true",
        help="put the results into the file that the documentation is generated from",
    )
    arguments = parser.parse_args()
    unknown = [name for name in arguments.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"no such section: {', '.join(unknown)} (there are {', '.join(SECTIONS)})")
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")

    reports: dict[str, Report] = {}
    for name in arguments.sections or SECTIONS:
        section = SECTIONS[name]
        options = Options(
            arguments.factors or section.factors,
            arguments.mentions,
            arguments.repeats,
        )
        try:
            reports[name] = section.run(options)
        except MeasurementError as problem:
            print(f"{name}: {problem}", file=sys.stderr)
            return 2
        print(f"== {name}: {section.summary}\n\n{reports[name]}\n", flush=True)
    criteria = [criterion for report in reports.values() for criterion in report.criteria]
    failed = [criterion for criterion in criteria if not criterion.holds]
    print(f"{len(criteria) - len(failed)} of {len(criteria)} criteria hold")
    results = _results(arguments.repeats, reports)
    _write_json(arguments.json, results)
    if arguments.publish:
        publish(results)
        print("published: run scripts/tables to update the documentation")
    return 1 if failed else 0


def _whole_numbers(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers such as 1,10")
    return tuple(map(int, parts))


def _results(repeats: int, reports: dict[str, Report]) -> dict[str, Any]:
    asked = ["git", "-C", str(CACHE.parents[1]), "log", "-1", "--format=%cI %h"]
    date, _, commit = subprocess.run(asked, capture_output=True, text=True).stdout.partition(" ")
    return {
        "commit": {"date": date, "name": commit.strip()},
        "machine": {
            "cores": os.cpu_count(),
            "memory GB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
            "numpy": np.__version__,
            "platform": platform.platform(),
            "python": platform.python_version(),
        },
        "repeats": repeats,
        "sections": {name: report.to_dict() for name, report in reports.items()},
    }


def _write_json(path: Path, results: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(results, ensure_ascii=False, indent=2) + "\n", "utf-8")
    unfinished.replace(path)


if __name__ == "__main__":
    sys.exit(main())
