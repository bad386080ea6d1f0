"""Run the tests against random mutants: ``scripts/mutants --number 60 --seed 1``.

A mutant is tried with the fast tests of its package and the laws that reach its line, the most
specific ones first, until one of them fails, and with all of them if none does: lines that run
on import, in a cache or in another process are not known to be reached. What is known is kept in
a folder: the lines that each test reaches, and the fate of each mutant, which is not tried again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import count
from pathlib import Path

from coverage import CoverageData

from tests.mutation.mutants import PACKAGES, Mutant, sample

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "tests", "docs", "benchmarks", "pyproject.toml", "README.md", "CHANGELOG.md",
          "CONTRIBUTING.md", "scripts")  # fmt: skip
PATIENCE = 900
"""Seconds after which a run counts as one that does not end."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=60, help="number of mutants")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--packages", default=",".join(PACKAGES), help="comma-separated list")
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    parser.add_argument(
        "--keep", type=Path, default=ROOT / ".mutants", help="folder of what is known"
    )
    options = parser.parse_args()
    chosen = sample(ROOT, tuple(options.packages.split(",")), options.number, options.seed)
    if options.list:
        print(*chosen, sep="\n")
        return 0
    options.keep.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        fates = Runs(Path(folder), options.keep).all(chosen)
    counts = Counter(fates.values())
    noticed = len(fates) - counts["survived"]
    print(f"{noticed} of {len(fates)} mutants were noticed ({100 * noticed / len(fates):.0f}%).")
    print(*(one for one, fate in fates.items() if fate == "survived"), sep="\n")
    return 0


class Runs:
    """A copy of the project in which one mutant after another is tried."""

    def __init__(self, folder: Path, known: Path) -> None:
        self.folder, self.known = folder, known
        self.reached: dict[str, dict[str, dict[int, list[str]]]] = {}
        """Tests by package, file and line."""
        self.times = count(1)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, folder / name)

    def all(self, mutants: list[Mutant]) -> dict[str, str]:
        """The fate of each mutant: ``noticed``, ``survived``, or ``endless``."""
        results = self.known / "results.jsonl"
        lines = results.read_text("utf-8").splitlines() if results.exists() else []
        fates = {one["mutant"]: one["fate"] for one in map(json.loads, lines)}
        for number, mutant in enumerate(mutants, 1):
            name = str(mutant)
            if name in fates:
                continue
            fates[name] = self.fate(mutant)
            print(f"{number}/{len(mutants)} {fates[name]}: {name}", file=sys.stderr, flush=True)
            with results.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"mutant": name, "fate": fates[name]}) + "\n")
        return {str(one): fates[str(one)] for one in mutants}

    def fate(self, mutant: Mutant) -> str:
        package = Path(mutant.path).parts[2]
        if package not in self.reached:
            self.reached[package] = self.lines_reached(package)
        tests = self.reached[package].get(mutant.path, {}).get(mutant.line, [])
        mutant.apply(self.folder)
        changed = self.folder / mutant.path
        try:
            self.set_time(changed)
            noticed = self.some_fails(tests) or self.some_fails([f"tests/{package}", "tests/laws"])
        except subprocess.TimeoutExpired:
            return "endless"
        finally:
            shutil.copyfile(ROOT / mutant.path, changed)
            self.set_time(changed)
        return "noticed" if noticed else "survived"

    def some_fails(self, tests: list[str]) -> bool:
        """Run tests until one fails."""
        (self.folder / "tests.txt").write_text("\n".join(tests), "utf-8")
        return bool(tests) and self.pytest("-x", "-p", "no:cov", "@tests.txt", timeout=PATIENCE) > 0

    def set_time(self, file: Path) -> None:
        """Give a file a time of its own, so that it is compiled again."""
        os.utime(file, times=(next(self.times),) * 2)

    def lines_reached(self, package: str) -> dict[str, dict[int, list[str]]]:
        """The tests that reach each line of a package, by file; the most specific ones first."""
        reached: dict[str, dict[int, list[str]]] = {}
        size: Counter[str] = Counter()
        for name in (package, "laws"):
            data = self.known / f"{name}.coverage"
            if not data.exists():
                asked = ("--cov=corefine", "--cov-context=test", "--cov-report=", f"tests/{name}")
                assert self.pytest(*asked) == 0, f"tests/{name} fails without a mutant"
                shutil.move(self.folder / ".coverage", data)
            read = CoverageData(str(data))
            read.read()
            for file in read.measured_files():
                tests = reached.setdefault("src" + file.rpartition("/src")[2], {})
                for line, contexts in read.contexts_by_lineno(file).items():
                    found = {context.rpartition("|")[0] for context in contexts} - {""}
                    tests.setdefault(line, []).extend(found)
                    size.update(found)
        for tests in reached.values():
            for names in tests.values():
                names.sort(key=lambda test: (test.startswith("tests/laws"), size[test], test))
        (self.folder / "tests.txt").write_text("\n".join(size), "utf-8")
        assert self.pytest("--collect-only", "@tests.txt") == 0, "pytest cannot find the tests"
        return reached

    def pytest(self, *arguments: str, timeout: float | None = None) -> int:
        """The exit status of fast tests."""
        command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", "--tb=no"]
        done = subprocess.run(
            [*command, "-p", "no:cacheprovider", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder / "src")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=timeout,
        )
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
