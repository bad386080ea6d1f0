"""Reads every file of a folder of public repositories, and reports those that are refused.

``python -m benchmarks.public_files FOLDER`` takes a folder with a clone per corpus, such as
LitBank, GUM, ParCorFull or GerDraCor. Files that cannot be coreference by their suffix are skipped,
and so are those that belong to another file, such as the text of brat annotations. Each refusal
should be a defect of the file, and its message should say which.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import corefine
from corefine import CorefineError
from corefine.formats import all_formats

OTHERS = (".json", ".jsonl", ".xml", ".xmi", ".mmax")
"""Suffixes of files that may be coreference, besides those of the formats."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: its format and mentions, or the reason why it was refused."""

    path: Path
    format: str = ""
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
    try:
        corpus = corefine.read(path)
    except CorefineError as error:
        return Outcome(path, refusal=str(error).removeprefix(str(path)).lstrip(":"))
    return Outcome(path, corpus.format or "", len(corpus.mentions))


def report(folder: Path, shown: int) -> Iterator[str]:
    """Lines of a report: counts per repository and format, then the first refusals of each kind."""
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        outcomes = [outcome(path) for path in candidates(repository)]
        refused = [one for one in outcomes if one.refusal]
        yield f"{repository.name}: {len(outcomes) - len(refused):,} read, {len(refused):,} refused"
        for format, count in Counter(one.format for one in outcomes if one.format).most_common():
            of_format = [one for one in outcomes if one.format == format]
            silent = sum(not one.mentions for one in of_format)
            yield f"  {format}: {count:,} files, {silent:,} of them without mentions"
        kinds: dict[str, list[Outcome]] = {}
        for one in refused:
            kinds.setdefault(one.refusal.lstrip("0123456789: ")[:30], []).append(one)
        for found in sorted(kinds.values(), key=len, reverse=True)[:shown]:
            yield f"  {len(found):,} x {found[0].path.relative_to(folder)}: {found[0].refusal}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with a clone per corpus")
    parser.add_argument("--shown", type=int, default=10, help="kinds of refusals per repository")
    options = parser.parse_args()
    for line in report(options.folder, options.shown):
        print(line, flush=True)


if __name__ == "__main__":
    main()
