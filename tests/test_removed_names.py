"""Nothing that users read names a command, option or package that is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from corefine.cli import cli, command_names

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = ("runs", "export", "migrate", "bundle", "view", "cite")
OPTIONS = (
    "--sensitivity", "--layout", "--engine", "--timeout", "--date", "--plot-style", "--ranks",
    "--lenient", "--literal", "--presets", "--per-type", "--export", "--pattern", "--details",
    "--official", "--order", "--title", "--scheme", "--from",
)  # fmt: skip
"""Options that no command has any more."""
NAMES = ("--as berkeley", "run registry", "tool=", "jinja2", "conda/meta.yaml", "pytest-benchmark")
PATTERN = re.compile(
    "|".join(
        [
            *(rf"(?<!\w)corefine {name}\b" for name in COMMANDS),
            *(rf"(?<![\w-]){option}(?![\w-])" for option in OPTIONS),
            *(rf"(?<!\w){re.escape(name)}" for name in NAMES),
        ]
    )
)
WRITTEN = (*(f"corefine {name}" for name in COMMANDS), *OPTIONS, *NAMES)
"""What a text contains that the pattern may find."""
ELSEWHERE = re.compile(r"uvx --from|COPY --from")
"""Options of other programs."""


def texts() -> Iterator[Path]:
    """What users read: pages, help and messages."""
    for name in ("README.md", "CONTRIBUTING.md", "action.yml", "Dockerfile", "pyproject.toml"):
        yield ROOT / name
    for folder, suffix in (("docs", "md"), ("docs", "py"), ("src", "py"), ("src", "mjs")):
        found = sorted((ROOT / folder).rglob(f"*.{suffix}"))
        yield from (path for path in found if path.name != "changelog.md")  # built with the site


def test_nothing_names_what_is_gone():
    found = []
    for path in texts():
        text = path.read_text("utf-8")
        if any(name in text for name in WRITTEN):
            found += [
                f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
                for number, line in enumerate(text.splitlines(), 1)
                if PATTERN.search(ELSEWHERE.sub("", line))
            ]
    assert found == []


def test_what_is_gone_is_gone():
    assert not set(COMMANDS) & set(command_names())
    context = click.Context(cli)
    flags = {
        flag
        for name in command_names()
        for param in (cli.get_command(context, name) or cli).params
        for flag in param.opts
    }
    assert not set(OPTIONS) & flags


@pytest.mark.parametrize("line", ["`corefine view runs`", "use --sensitivity.", "(tool='ua')"])
def test_a_removed_name_is_found(line):
    assert PATTERN.search(line)
