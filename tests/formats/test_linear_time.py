"""All regular expressions over the content of files take linear time."""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import re
import signal
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from types import FrameType

import pytest

import corefine.formats

SIZE = 10_000
"""Number of characters; a quadratic expression needs many seconds for them."""
PIECES = [
    " ", "\t", "\n", "\r\n", "a", "1", "(", ")", "|", "[", "]", "<", ">", "&", "#", "-", "_", '"',
    "\\", "{", "}", "=", ":", ",", "a ", " a", "a=", "<m", "](#", "|[e1", "# ", "<!--", "```\n",
]  # fmt: skip
AROUND = [
    ("", ""), ("a", "b"), ("# newdoc id = a", "b"), ("#begin document a", "b"), ("<m ", ""),
    ("<entity id=", "b"), ("[", "b"), ("(", "b"), ('{"a": "', ""), ("&", "b"), ("```\n", "b"),
    ("#", "\0"), ("version", "\n"), ("1\t", "b"), ("Entity=", "b"),
]  # fmt: skip


def patterns() -> Iterator[tuple[str, str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Module, method and expression of each use of a regular expression in formats."""
    for found in pkgutil.walk_packages(corefine.formats.__path__, "corefine.formats."):
        module = importlib.import_module(found.name)
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            owner, method = node.func.value, node.func.attr
            if isinstance(owner, ast.Name):
                pattern = getattr(module, owner.id, None)
                if owner.id == "re" and node.args and isinstance(node.args[0], ast.Constant):
                    pattern = re.compile(node.args[0].value) if method != "compile" else None
                if isinstance(pattern, re.Pattern):
                    yield found.name, method, pattern
    from corefine.formats.tagged.dialects import DIALECTS

    for dialect in DIALECTS.values():
        if not dialect.crosses:  # its words are searched from their beginnings alone
            yield dialect.name, "finditer", dialect.pattern
        yield dialect.name, "findall", dialect.hint


def tried(pattern: str | bytes) -> Iterable[tuple[str, tuple[str, str]]]:
    """Repeated pieces and what surrounds them: all if asked to explore, else one for each piece."""
    if os.environ.get("COREFINE_EXPLORE"):
        return product(PIECES, AROUND)
    random = Random(str(pattern))
    return [(piece, random.choice(AROUND)) for piece in PIECES]


def too_slow(signal: int, frame: FrameType | None) -> None:
    raise TimeoutError


@pytest.mark.slow
def test_expressions_take_linear_time() -> None:
    used = {(name, method, pattern) for name, method, pattern in patterns()}
    assert len(used) > 40
    before = signal.signal(signal.SIGPROF, too_slow)
    slow: set[tuple[str, str, str]] = set()
    try:
        for name, method, pattern in used:
            search = pattern.match if method in ("match", "fullmatch") else pattern.search
            if method == "fullmatch":
                search = pattern.fullmatch
            for piece, (start, stop) in tried(pattern.pattern):
                text = start + piece * (SIZE // len(piece)) + stop
                signal.setitimer(signal.ITIMER_PROF, 3)
                try:
                    search(text if isinstance(pattern.pattern, str) else text.encode())
                except TimeoutError:
                    slow.add((name, method, f"{pattern.pattern!r} on {start!r}, {piece!r}"))
                    break
                finally:
                    signal.setitimer(signal.ITIMER_PROF, 0)
    finally:
        signal.signal(signal.SIGPROF, before)
    assert slow == set()
