"""Run the tests against random mutants: ``scripts/mutants --number 60 --seed 1``."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.mutation.mutants import PACKAGES, Mutant, sample

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "tests", "docs", "benchmarks", "examples", "pyproject.toml", "README.md",
          "CHANGELOG.md", "CONTRIBUTING.md", "scripts")  # fmt: skip
PATIENCE = 20
"""Times the duration without a mutant after which a run counts as one that does not end."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=60, help="number of mutants")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--packages", default=",".join(PACKAGES), help="comma-separated list")
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    parser.add_argument("-o", "--out", type=Path, help="file for a line of JSON per mutant")
    options = parser.parse_args()
    chosen = sample(ROOT, tuple(options.packages.split(",")), options.number, options.seed)
    if options.list:
        print(*chosen, sep="\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        results = Runs(Path(folder), options.out).all(chosen)
    survivors = [one for one, fate in results.items() if fate == "survived"]
    counts = Counter(results.values())
    killed = len(results) - counts["survived"]
    print(f"{killed} of {len(results)} mutants were noticed ({100 * killed / len(results):.0f}%).")
    print(*survivors, sep="\n")
    return 0


class Runs:
    """A copy of the project in which one mutant after another is tried."""

    def __init__(self, folder: Path, out: Path | None) -> None:
        self.folder, self.out = folder, out
        self.usual: dict[str, float] = {}
        """Seconds that the tests of a package take without a mutant."""
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, folder / name)

    def all(self, mutants: list[Mutant]) -> dict[Mutant, str]:
        results = {}
        for number, mutant in enumerate(mutants, 1):
            results[mutant] = fate = self.fate(mutant)
            print(f"{number}/{len(mutants)} {fate}: {mutant}", file=sys.stderr, flush=True)
            if self.out is not None:
                with self.out.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps({"mutant": str(mutant), "fate": fate}) + "\n")
        return results

    def fate(self, mutant: Mutant) -> str:
        """``noticed``, ``survived``, or ``endless`` for a mutant that hangs."""
        package = Path(mutant.path).parts[2]
        for tests in (f"tests/{package}", "tests/laws"):
            if tests not in self.usual:
                started = time.monotonic()
                status = self.passes(tests, None)
                assert status == 0, f"{tests} fails without a mutant"
                self.usual[tests] = time.monotonic() - started
            mutant.apply(self.folder)
            try:
                status = self.passes(tests, PATIENCE * self.usual[tests])
            except subprocess.TimeoutExpired:
                return "endless"
            finally:
                shutil.copy(ROOT / mutant.path, self.folder / mutant.path)
            if status != 0:
                return "noticed"
        return "survived"

    def passes(self, tests: str, timeout: float | None) -> int:
        """The exit status of the fast tests in a folder."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", tests]
        done = subprocess.run(
            [*command, "-p", "no:cacheprovider", "--tb=no", "-p", "no:xdist"],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder / "src"),
                 "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=timeout,
        )  # fmt: skip
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
