"""Calls of other scorers in a code base, and the lines that replace them. Nothing is changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corefine.errors import UsageError

SUFFIXES = (".py", ".sh", ".bash", ".ipynb", ".toml", ".cfg", ".yml", ".yaml", ".jsonnet", ".mk")
NAMES = ("Makefile", "Dockerfile")
LARGEST = 2_000_000
"""Bytes of a file that is searched."""
LONGEST = 1_000
"""Characters of a line that is searched; images in notebooks are longer."""

_QUOTED = r"(\\?[\"'])"
RULES: tuple[tuple[str, str, str], ...] = (
    (
        "scorer.pl",
        rf"(?:{_QUOTED}perl\1,\s*)?{_QUOTED}[^\"'\s]*scorer\.pl\2",
        r"\2corefine-scorer\2",
    ),
    ("scorer.pl", r"(?:\bperl\s+)?[^\s\"'=(]*\bscorer\.pl\b", "corefine-scorer"),
    (
        "coval",
        r"from\s+[\w.]*\bcoval\.(?:conll\.reader|eval\.evaluator)\s+import\b",
        "from corefine.compat.coval import",
    ),
    (
        "coval",
        r"from\s+[\w.]*\bcoval\.(?:conll\s+import\s+(reader)|eval\s+import\s+(evaluator))\b",
        r"from corefine.compat import coval as \1\2",
    ),
    ("coval", r"[^\s\"'=(]*\bcoval/scorer\.py\b", "-m corefine.compat.coval"),
    ("corefud-scorer", r"[^\s\"'=(]*\bcorefud-scorer\.py\b", "-m corefine.compat.corefud"),
    (
        "CorefEvaluator",
        r"from\s+(?!corefine\b)[\w.]+\s+import\s+CorefEvaluator\b",
        "from corefine.compat.e2e import CorefEvaluator",
    ),
    (
        "CorefEvaluator",
        r"^(\s*)(.*?)\b(?!e2e\b)\w+\.CorefEvaluator\(",
        r"\1from corefine.compat.e2e import CorefEvaluator\n\1\2CorefEvaluator(",
    ),
    (
        "ConllCorefScores",
        r"from\s+allennlp[\w.]*\s+import\s+ConllCorefScores\b",
        "from corefine.compat.allennlp import ConllCorefScores",
    ),
    (
        "evaluate",
        rf"^(\s*)(.*?)\b(?!hf\.)(?:\w+\.)?(?<!hf\.)load(?:_metric)?\({_QUOTED}coval\3",
        r"\1from corefine.compat import hf\n\1\2hf.load(\3coval\3",
    ),
)
"""Scorer, pattern of a call, and its replacement; the first rule that fits a line applies."""
_NAMED = re.compile("scorer|coval|Coref")
_RULES = [(scorer, re.compile(pattern), new) for scorer, pattern, new in RULES]


@dataclass(frozen=True, slots=True)
class Call:
    """A line that calls another scorer, and the line or lines that replace it."""

    path: Path
    line: int
    scorer: str
    text: str
    replacement: str

    def __str__(self) -> str:
        new = "\n".join(f"  + {line}" for line in self.replacement.split("\n"))
        return f"{self.path}:{self.line}: {self.scorer}\n  - {self.text}\n{new}"


def find_calls(path: str | os.PathLike[str]) -> Iterator[Call]:
    """The calls of other scorers in a file, or in all files of a folder.

    Copies of coval are not searched: with their callers changed, they are not needed any more.
    """
    top = Path(path)
    if not top.exists():
        raise UsageError(f"{path} does not exist", remedy="Give a folder or a file.")
    for file in [top] if top.is_file() else _files(top):
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for number, line in enumerate(lines, 1):
            if len(line) > LONGEST or not _NAMED.search(line):
                continue
            for scorer, pattern, new in _RULES:
                if pattern.search(line) and not line.lstrip().startswith(("#", "//")):
                    yield Call(file, number, scorer, line, pattern.sub(new, line))
                    break


def _files(top: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith((".", "__"))
            and not Path(folder, name, "coval", "eval", "evaluator.py").exists()
            and not Path(folder, name, "eval", "evaluator.py").exists()
        )
        for name in sorted(names):
            file = Path(folder, name)
            if (name.endswith(SUFFIXES) or name in NAMES) and file.stat().st_size <= LARGEST:
                yield file
