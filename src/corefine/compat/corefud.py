"""Stand-in for corefud-scorer: ``python -m corefine.compat.corefud KEY SYSTEM [OPTIONS]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from corefine.compat import percentages, print_conll, run
from corefine.scoring.score import score

METRICS = ("muc", "bcub", "ceafe", "ceafm", "blanc", "lea", "mor", "zero")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command ``python -m corefine.compat.corefud``."""
    given = _parser().parse_args(arguments)
    metrics = METRICS if "all" in given.metrics else tuple(given.metrics)
    match: Any = "exact" if given.exact_match else given.match
    singletons = ", singletons" if given.keep_singletons else ""
    shown = "partial-corefud" if match == "partial" else match
    scores = score(
        given.key_file,
        given.sys_file,
        [_name(metric) for metric in metrics],
        key_format="conllu",
        response_format="conllu",
        scorer="corefud",
        match=match,
        singletons="keep" if given.keep_singletons else "drop",
        zeros=given.zero_match_method,
        allow_empty=True,
    )
    print(
        f"The scorer is evaluating coreferential mentions{singletons}, zeros (using "
        f"{given.zero_match_method} match method) using {shown} match evaluation setting.\n"
        f"The following metrics will be evaluated: {', '.join(metrics)}\n"
    )
    for metric in metrics:
        found = scores[_name(metric)]
        print(metric)
        print(percentages(found.recall or 0, found.precision or 0, found.f1))
    print_conll({metric: scores[_name(metric)].f1 for metric in metrics})
    return 0


def _name(metric: str) -> str:
    return "b3" if metric == "bcub" else metric


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="corefud-scorer", description="Score documents in the CorefUD format."
    )
    parser.add_argument("key_file", help="path to the key")
    parser.add_argument("sys_file", help="path to the response")
    parser.add_argument(
        "-m", "--metrics", choices=["all", *METRICS], nargs="*", default=["all"], help="metrics"
    )
    parser.add_argument("-s", "--keep-singletons", action="store_true", help="score singletons too")
    parser.add_argument(
        "-a", "--match", choices=["exact", "partial", "head"], default="head",
        help="matching of mentions",
    )  # fmt: skip
    parser.add_argument(
        "-x", "--exact-match", action="store_true", help="the same as --match exact"
    )
    parser.add_argument(
        "-z", "--zero-match-method", choices=["linear", "dependent"], default="dependent",
        help="matching of zeros, by position or by dependencies",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(run("corefud-scorer", main))
