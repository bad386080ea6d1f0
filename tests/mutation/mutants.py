"""Mutants: one operator, constant, condition or call of a module replaced by another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

PACKAGES = ("metrics", "scoring", "comparing", "explaining", "curating")
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}


@dataclass(frozen=True)
class Mutant:
    """A place of a file, and the text that replaces it."""

    path: str
    line: int
    column: int
    start: int
    stop: int
    """Characters of the file."""
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.old} → {self.new}"

    def apply(self, root: Path) -> None:
        """Write the mutant over its file below a folder."""
        file = root / self.path
        text = file.read_text("utf-8")
        assert text[self.start : self.stop] == self.old
        file.write_text(text[: self.start] + self.new + text[self.stop :], "utf-8")


def mutants(root: Path, package: str) -> list[Mutant]:
    """All mutants of a package."""
    folder = root / "src" / "corefine" / package
    return [one for file in sorted(folder.rglob("*.py")) for one in _of_file(root, file)]


def sample(root: Path, packages: tuple[str, ...], number: int, seed: int) -> list[Mutant]:
    """Random mutants, of each package as many as its share of all."""
    every = [one for package in packages for one in mutants(root, package)]
    return Random(seed).sample(every, min(number, len(every)))


def _of_file(root: Path, file: Path) -> Iterator[Mutant]:
    text = file.read_text("utf-8")
    lines = [0]
    for line in text.split("\n"):
        lines.append(lines[-1] + len(line) + 1)

    def place(line: int, column: int) -> int:
        row = text[lines[line - 1] : lines[line]]
        return lines[line - 1] + len(row.encode()[:column].decode())

    for node in _behaving(ast.parse(text)):
        for changed in _changed(node):
            assert isinstance(node, ast.expr)
            number, start = node.lineno, place(node.lineno, node.col_offset)
            stop = place(node.end_lineno or 0, node.end_col_offset or 0)
            new = f"({ast.unparse(changed)})"
            name, column = str(file.relative_to(root)), start - lines[number - 1] + 1
            yield Mutant(name, number, column, start, stop, text[start:stop], new)


def _behaving(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that decide what a program does: no annotations, errors, checks, imports."""
    if isinstance(node, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom | ast.JoinedStr):
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _behaving(child)


def _changed(node: ast.AST) -> Iterator[ast.expr]:
    """The replacements of an expression."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARISONS:
            other = _COMPARISONS[type(operator)]()
            yield ast.Compare(node.left, [other], node.comparators)
        case ast.BinOp() if type(node.op) in _OPERATORS and not _is_text(node):
            yield ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right)
        case ast.BoolOp():
            other_op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield ast.BoolOp(other_op, node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.IfExp():
            yield ast.IfExp(node.test, node.orelse, node.body)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in _FUNCTIONS and not node.keywords:
            yield ast.Call(ast.Name(_FUNCTIONS[name], ast.Load()), node.args, [])


def _is_text(node: ast.BinOp) -> bool:
    """True for operations on strings and types."""
    parts = (node.left, node.right)
    return any(
        isinstance(part, ast.JoinedStr)
        or (isinstance(part, ast.Constant) and isinstance(part.value, str | None))
        for part in parts
    )
