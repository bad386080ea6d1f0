"""Help pages: a description, examples, and the options in groups.

A command's docstring ends in its examples, after ``\\b`` on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

import click

from corefine.cli.runtime import guarded
from corefine.matching.settings import CHOICES

OPTION_GROUPS: dict[str, tuple[str, ...]] = {
    "Input": (
        "key_format", "response_format", "format", "source_format", "against", "align", "unfound",
        "kinds", "rule", "markables", "sample", "table", "link_threshold", "suite", "allow_empty",
        "official",
    ),
    "Resolver": (
        "folds", "pairs", "features", "classifier", "clustering", "threshold",
        "within_types",
    ),
    "Matching": ("preset", "match", "window", *(name for name in CHOICES if name != "layer")),
    "Metrics": (
        "metrics", "layer", "by", "genres", "intervals", "scorer", "why_differs",
    ),
    "Statistics": (
        "test", "trials", "correction", "alpha", "baseline", "replicates", "confidence",
        "max_drop", "require_mentions", "seed",
    ),
    "Output": (),
    "Performance": ("jobs", "memory", "scheduler"),
}  # fmt: skip
"""Groups of options in the order of the help, with their parameters; others are of the output."""

RARE = frozenset(
    {
        "zeros", "duplicates", "words", "scope", "split_antecedents", "layer", "align", "unfound",
        "genres", "missing_documents", "twinless", "window", "scheduler", "jobs", "memory",
        "correction", "test", "plot_format", "key_format", "response_format",
        "within_types", "overlap", "information", "level", "category_2b", "printed", "table",
        "link_threshold",
    }
)  # fmt: skip
"""Options that only ``corefine help COMMAND --all`` shows."""

ADVICE = {
    **{f"--{form}": f"Write '--output {form}'." for form in ("json", "csv", "markdown", "latex")},
    **dict.fromkeys(
        ("--format", "-f"),
        "Write '--output FORM' for the output, '--key-format FORMAT' or '--response-format FORMAT' "
        "for a file.",
    ),
    **dict.fromkeys(
        ("--gold", "--key", "--reference", "--pred", "--predicted", "--response", "--hypothesis"),
        "The key is the first argument: corefine COMMAND KEY RESPONSE.",
    ),
    **{f"--{rule}": f"Write '--match {rule}'." for rule in ("exact", "head", "partial", "min")},
    **dict.fromkeys(
        ("--no-singletons", "--remove-singletons", "--drop-singletons"),
        "Write '--singletons drop'.",
    ),
    "--keep-singletons": "Singletons are kept, unless '--singletons drop' is given.",
    **dict.fromkeys(("--ci", "--confidence"), "Write '--intervals', or use 'corefine compare'."),
}
"""Advice on options of other tools."""
PERL = ("all", "none", "muc", "bcub", "ceafm", "ceafe", "blanc")
"""Metrics, which are the first argument of the Perl scorer."""

OTHERS = "Other"
"""The group of ``--help``."""

_GROUP_OF = {name: group for group, names in OPTION_GROUPS.items() for name in names}
_RANGE = re.compile(r"  \[x[<>]=?\S+\]|  \[\S+<=?x<=?\S+\]|; (?:x[<>]|\S+<=?x<)[^\]]*(?=\])")
_EXAMPLES = re.compile(r"^\s*\x08\n", re.MULTILINE)


class WithExamples(click.Command):
    """A command whose help shows the examples of its docstring."""

    @property
    def examples(self) -> list[str]:
        """The example calls of the help page."""
        return self._parts[1]

    @property
    def _parts(self) -> tuple[str, list[str]]:
        """Description and examples."""
        description, *examples = _EXAMPLES.split(cleandoc(self.help or ""), maxsplit=1)
        lines = "".join(examples).splitlines()
        return description.rstrip(), [line.strip() for line in lines if line.strip()]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        description, examples = self._parts
        if description:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(description)
        if examples:
            with formatter.section("Examples"):
                for example in examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


class Command(WithExamples):
    """A command whose help shows options in groups."""

    def __init__(self, *arguments: Any, groups: Mapping[str, str] | None = None, **more: Any):
        super().__init__(*arguments, **more)
        self.groups = {**_GROUP_OF, **(groups or {})}
        """The group of each parameter."""
        self.shows_all = False
        """Show rarely used options in the help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        sampled = "--sample" in args and any(param.name == "sample" for param in self.params)
        names = [str(one.name) for one in self.params if isinstance(one, click.Argument)]
        sides = []
        if sampled:
            from corefine.formats.sample import sample_sides  # formats import NumPy

            sides = sample_sides(names)
        try:
            rest = super().parse_args(ctx, [*sides, *args])
        except click.NoSuchOption as error:
            if error.option_name not in ADVICE:
                raise
            text = f"No such option '{error.option_name}'. {ADVICE[error.option_name]}"
            raise click.UsageError(text, ctx) from None
        except click.UsageError as error:
            if not error.message.startswith("Got unexpected extra argument"):
                raise
            hint = "Quote patterns such as 'responses/*.conll': each is one argument."
            if args[0] in PERL and self.name == "score":
                hint = f"Write 'corefine score KEY RESPONSE --metrics {args[0]}'."
            elif "-m" in args or "--metrics" in args:
                hint = "Separate metrics with commas: --metrics muc,b3."
            elif self.name == "score":
                hint = "Use 'corefine compare KEY RESPONSE RESPONSE...' for several responses."
            elif "response" in names:
                hint = f"'{self.name}' takes one response: run it once for each."
            raise click.UsageError(f"{error.message}. {hint}", ctx) from None
        given = [ctx.params[name] for name in names]
        if sampled and len(sides) < sum(len(o) if isinstance(o, tuple) else 1 for o in given):
            raise click.UsageError("--sample takes no files", ctx)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command with the options that are given; its outputs must not be inputs."""
        ctx.params = {name: value for name, value in ctx.params.items() if value is not None}
        with guarded(ctx):
            return super().invoke(ctx)

    def group_of(self, name: str | None) -> str:
        """The group of an option in the help."""
        return OTHERS if name == "help" else self.groups.get(name or "", "Output")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records: dict[str, list[tuple[str, str]]] = {}
        rare = False
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if param.name in RARE and not self.shows_all:
                rare = rare or record is not None
                continue
            if record is not None and isinstance(param, click.Option):
                flags, text = record
                rows = records.setdefault(self.group_of(param.name), [])
                rows.append((flags.replace(" RANGE", ""), _RANGE.sub("", text)))
        for group in (*OPTION_GROUPS, OTHERS):
            if group in records:
                with formatter.section(group):
                    formatter.write_dl(records[group])
        if rare:
            path = ctx.command_path.removeprefix("corefine ")
            formatter.write_paragraph()
            formatter.write_text(f"All options: corefine help {path} --all")


class CommandGroup(WithExamples, click.Group):
    """A command of several commands."""

    command_class = Command
