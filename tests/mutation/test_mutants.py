"""The mutants are programs that differ from the source in one place."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.mutation.mutants import mutants, sample

SOURCE = '''"""Doc 1 + 1."""


def f(x: int = 1 + 1) -> bool:
    if x < 3 and not x:
        raise ValueError(f"{x + 1}")
    zip([x], strict=True)
    return min(x, 2) == 2
'''


def test_every_mutant_is_another_program(tmp_path: Path) -> None:
    file = tmp_path / "src" / "corefine" / "metrics" / "f.py"
    file.parent.mkdir(parents=True)
    file.write_text(SOURCE)
    found = mutants(tmp_path, "metrics")
    assert {(one.old, one.new) for one in found} >= {
        ("1 + 1", "(1 - 1)"), ("x < 3", "(x <= 3)"), ("not x", "(x)"), ("3", "(4)"),
        ("x < 3 and not x", "(x < 3 or not x)"), ("min(x, 2)", "(max(x, 2))"),
    }  # fmt: skip
    for one in found:
        assert one.line not in (6, 7)
        one.apply(tmp_path)
        assert ast.dump(ast.parse(file.read_text())) != ast.dump(ast.parse(SOURCE))
        file.write_text(SOURCE)


def test_the_same_seed_gives_the_same_mutants() -> None:
    root = Path(__file__).resolve().parents[2]
    chosen = sample(root, ("kinds",), 30, 7)
    assert chosen == sample(root, ("kinds",), 30, 7)
    assert len(set(map(str, chosen))) == 30
