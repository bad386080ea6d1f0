"""Every sentence that a user can see, collected from the source, the pages and the help.

``python -m tests.building.sentences > sentences.txt`` writes them to one file, to be read through.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

import corefine
from corefine.cli import cli, command_names

SOURCE = Path(corefine.__file__).parent
_TITLES = {"Column", "Grid", "choose", "Figure"}
"""Calls whose strings are shown even if they are single words."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A template as it stands in the source: ``{}`` is what is put in."""

    path: str
    line: int
    call: str
    """The function that gets it, such as ``UsageError`` or ``click.option``."""
    text: str


def sentences() -> Iterator[Sentence]:
    """The templates of all modules, in the order of files and lines."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        found = _Collector(str(path.relative_to(SOURCE)))
        found.visit(tree)
        yield from found.sentences


_MARKUP = re.compile(
    r">([^<>{}%]*[a-z]{2}[^<>{}%]*)<|(?:aria-label|title|placeholder)=\"([^\"{]+)\""
)
_QUOTED = re.compile(r"[\"'`]([A-Za-z“][^\"'`\n]* [^\"'`\n]{3,})[\"'`]")


def page_texts() -> Iterator[Sentence]:
    """The texts of the templates and scripts of HTML pages."""
    for path in sorted((SOURCE / "report" / "page").rglob("*")):
        pattern = {".j2": _MARKUP, ".mjs": _QUOTED}.get(path.suffix)
        if pattern is None:
            continue
        text = path.read_text("utf-8")
        for found in pattern.finditer(text):
            words = next(filter(None, found.groups())).strip()
            if words:
                line = text.count("\n", 0, found.start()) + 1
                yield Sentence(str(path.relative_to(SOURCE)), line, "page", words)


def help_pages() -> Iterator[tuple[str, str]]:
    """The help page of every command."""
    root = click.Context(cli, info_name="corefine")
    yield "corefine", cli.get_help(root)
    for name in command_names():
        command = cli.get_command(root, name)
        assert command is not None
        context = click.Context(command, root, name)
        yield f"corefine {name}", command.get_help(context)
        if isinstance(command, click.Group):
            for inner, one in command.commands.items():
                yield f"corefine {name} {inner}", one.get_help(click.Context(one, context, inner))


class _Collector(ast.NodeVisitor):
    def __init__(self, path: str) -> None:
        self.path = path
        self.sentences: list[Sentence] = []
        self._calls = [""]
        self._plain = False

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring is no message
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.visit(node.func)
        self._calls.append(ast.unparse(node.func))
        for part in (*node.args, *(keyword.value for keyword in node.keywords)):
            self.visit(part)
        self._calls.pop()

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._add(node.lineno, node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        parts = [
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        ]
        self._add(node.lineno, "".join(parts))
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def _add(self, line: int, text: str) -> None:
        call = self._calls[-1]
        words = re.findall(r"[A-Za-z]{2,}", text.replace("{}", ""))
        shown = call.rpartition(".")[2] in _TITLES and bool(words)
        if shown or (len(words) > 1 and " " in text.strip()):
            self.sentences.append(Sentence(self.path, line, call, text))


if __name__ == "__main__":
    for sentence in (*sentences(), *page_texts()):
        sys.stdout.write(f"{sentence.path}:{sentence.line} {sentence.call}\n    {sentence.text}\n")
    for title, text in help_pages():
        sys.stdout.write(f"\n===== {title}\n{text}\n")
