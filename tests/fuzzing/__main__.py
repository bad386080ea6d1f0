"""Run the fuzzer: ``python -m tests.fuzzing --inputs 300000 --seed 1``."""

from __future__ import annotations

import argparse
import sys
import warnings

from tests.fuzzing.damages import MODES, run
from tests.fuzzing.guided import run_guided
from tests.fuzzing.samples import FORMATS


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description="Try random inputs.")
    parser.add_argument("--mode", choices=list(MODES), default="damaged", help="kind of inputs")
    parser.add_argument("--inputs", type=int, default=10_000, help="number of inputs")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    parser.add_argument("--format", choices=sorted(FORMATS), help="only this format")
    parser.add_argument(
        "--minutes", type=float, help="damage files for so many minutes, guided by coverage"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.minutes is not None:
        report = run_guided(options.seed, options.minutes)
    else:
        chosen = (options.format, options.mode, options.start)
        report = run(options.inputs, options.seed, *chosen)
    print(report.summary())
    for failure in report.failures:
        print(failure, file=sys.stderr)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
