"""The command line of the benchmark: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpora import CACHE
from benchmarks.history import commit_now, draw
from benchmarks.measuring import MeasurementError
from benchmarks.published import publish
from benchmarks.results import Report
from benchmarks.sections import SECTIONS
from benchmarks.sections.options import Options


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measures corefine beside a floor and other scorers, in CPU seconds.",
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
        help="sizes of the giant document (default: 100000,1000000; in scale 10000000 as well)",
    )
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="default: 5")
    parser.add_argument(
        "--json",
        type=Path,
        default=CACHE.parent / "results.json",
        metavar="FILE",
        help="where the results are written as well (default: .bench/results.json)",
    )
    parser.add_argument(
        "--publish",
        action="store_true",
        help="put the results into the tables of the documentation",
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
            arguments.mentions or section.mentions,
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
    date, name = commit_now()
    results = _results(arguments.repeats, reports) | {"commit": {"date": date, "name": name}}
    history = arguments.json.parent / "history"
    _write_json(arguments.json, results)
    if name:
        _write_json(history / f"{name}-{'-'.join(reports)}.json", results)
        for measured in reports:
            for path in draw(history, measured):
                print(f"drawn over commits: {path}")
    if arguments.publish:
        for path in publish(results):
            print(f"published: {path}")
    return 1 if failed else 0


def _whole_numbers(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers such as 1,10")
    return tuple(map(int, parts))


def _results(repeats: int, reports: dict[str, Report]) -> dict[str, Any]:
    return {
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
