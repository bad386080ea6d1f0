"""Run the fuzzer: ``python -m tests.fuzzing --inputs 300000 --seed 1``."""

from __future__ import annotations

import argparse
import sys

from tests.fuzzing.damages import run
from tests.fuzzing.samples import FORMATS


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description="Read damaged files of the formats.")
    parser.add_argument("--inputs", type=int, default=10_000, help="how many damaged files")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--format", choices=sorted(FORMATS), help="only this format")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    options = parser.parse_args()
    report = run(options.inputs, options.seed, options.format, options.seconds)
    print(report.summary())
    for failure in report.failures:
        print(failure, file=sys.stderr)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
