"""Help pages: a description, examples, and the options in groups.

A command's docstring ends in its examples, after ``\\b`` on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

import click

from corefine.cli.samples import sample_sides
from corefine.errors import CorefineError
from corefine.matching.settings import CHOICES

OPTION_GROUPS: dict[str, tuple[str, ...]] = {
    "Input": (
        "key_format", "response_format", "format", "source_format", "against", "align", "kinds",
        "markables", "sample", "suite", "official",
    ),
    "Resolver": (
        "presets", "folds", "pairs", "features", "classifier", "clustering", "threshold",
        "within_types", "per_type",
    ),
    "Matching": ("preset", "match", "window", *(name for name in CHOICES if name != "layer")),
    "Metrics": (
        "metrics", "metric", "layer", "by", "genres", "intervals", "scorer", "why_differs",
        "lenient", "literal", "order",
    ),
    "Statistics": (
        "test", "trials", "correction", "alpha", "baseline", "scheme", "replicates", "confidence",
        "sensitivity", "max_drop", "require_mentions", "seed",
    ),
    "Output": (
        "output", "out", "tables", "layout", "per_document", "sort", "top", "ranks", "entities",
        "examples", "worst", "documents", "title", "plots", "plot_format", "save", "name",
        "date", "image", "summary", "junit", "responses", "target_format", "target", "lossy",
        "blind", "mentions", "write",
    ),
    "Performance": ("jobs", "memory", "engine", "scheduler", "timeout", "resume"),
}  # fmt: skip
"""The groups of options in the order of the help, and the parameters in each."""

OTHERS = "Other"
"""The group of ``--help``, and of options that no group names."""

_GROUP_OF = {name: group for group, names in OPTION_GROUPS.items() for name in names}
_RANGE = re.compile(r"  \[x[<>]=?\S+\]|  \[\S+<=?x<=?\S+\]|; (?:x[<>]|\S+<=?x<)[^\]]*(?=\])")
_EXAMPLES = re.compile(r"^\s*\x08\n", re.MULTILINE)


class Command(click.Command):
    """A command whose help shows examples, and options in groups."""

    def __init__(self, *arguments: Any, groups: Mapping[str, str] | None = None, **more: Any):
        super().__init__(*arguments, **more)
        self.groups = {**_GROUP_OF, **(groups or {})}
        """The group of each parameter; a command may put one of its own elsewhere."""

    @property
    def examples(self) -> list[str]:
        """The example calls of the help page."""
        return _parts(self.help)[1]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return self._parsed(ctx, args)
        except click.UsageError as error:
            if not error.message.startswith("Got unexpected extra argument"):
                raise
            hint = "Quote patterns such as 'responses/*.conll': each is one argument."
            raise click.UsageError(f"{error.message}. {hint}", ctx) from None

    def _parsed(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--sample" not in args or all(param.name != "sample" for param in self.params):
            return super().parse_args(ctx, args)
        names = [str(one.name) for one in self.params if isinstance(one, click.Argument)]
        sides = sample_sides(names)
        rest = super().parse_args(ctx, [*sides, *(word for word in args if word != "--sample")])
        values = [ctx.params[name] for name in names]
        if len(sides) < sum(len(one) if isinstance(one, tuple) else 1 for one in values):
            raise click.UsageError("--sample takes no files", ctx)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error advises the options that this command has."""
        try:
            return super().invoke(ctx)
        except CorefineError as error:
            from corefine.formats.registry import SIDE_FORMATS  # not needed for help pages

            flags = {flag for param in self.params for flag in param.opts}
            own = ", ".join(flag for flag in ("--format", "--from") if flag in flags)
            if own and error.remedy is not None:
                error.remedy = error.remedy.replace(SIDE_FORMATS, own)
            raise

    def group_of(self, name: str | None) -> str:
        """The group in which the help shows an option."""
        return self.groups.get(name or "", OTHERS)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_help_text(self.help, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                flags, text = record
                rows = records.setdefault(self.group_of(param.name), [])
                rows.append((flags.replace(" RANGE", ""), _RANGE.sub("", text)))
        for group in (*OPTION_GROUPS, OTHERS):
            if group in records:
                with formatter.section(group):
                    formatter.write_dl(records[group])


class CommandGroup(click.Group):
    """A command of several commands, with examples in its help."""

    command_class = Command

    @property
    def examples(self) -> list[str]:
        """The example calls of the help page."""
        return _parts(self.help)[1]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_help_text(self.help, formatter)


def _parts(text: str | None) -> tuple[str, list[str]]:
    """The description and the examples of a docstring."""
    description, *examples = _EXAMPLES.split(cleandoc(text or ""), maxsplit=1)
    lines = "".join(examples).splitlines()
    return description.rstrip(), [line.strip() for line in lines if line.strip()]


def _write_help_text(text: str | None, formatter: click.HelpFormatter) -> None:
    description, examples = _parts(text)
    if description:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(description)
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
