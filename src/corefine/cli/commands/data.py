"""Commands about data: ``describe`` and ``suspects``."""

from __future__ import annotations

from typing import Any

import click

from corefine.auditing.describing import describe
from corefine.cli.help_pages import Command
from corefine.cli.options import (
    flag,
    format_option,
    key_and_responses,
    kinds_option,
    named_paths,
    number,
    option,
    serving_options,
    settings_options,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import Presentation, answer, computed, output_options, tell
from corefine.errors import UsageError
from corefine.explaining.suspects import SHOWN, TABLES, suspects
from corefine.formats import format_named, write
from corefine.formats.writing import format_of_target
from corefine.workbench import require_server


@click.command("describe", cls=Command)
@click.argument("corpora", nargs=-1, required=True, metavar="CORPUS [CORPUS]...")
@format_option()
@kinds_option()
@output_options("card", default="card")
def describe_command(corpora: tuple[str, ...], **options: Any) -> None:
    """Write a data card of CORPUS, or of several side by side.

    Size, entities, mention kinds and types, nesting, distances, lexical diversity, and difficulty:
    how far string match and equal heads get on gold mentions. --output markdown is for a README.

    \b
    corefine describe key.conllu
    corefine describe train.conllu test.conllu --output markdown -o card.md
    """
    answer(describe, *corpora, options=options, tables=("card",))


@click.command("suspects", cls=Command)
@key_and_responses
@settings_options()
@number("--top", f"Show the first N suspects.  [default: {SHOWN} in a table, else all]", least=0)
@option(
    "--export",
    type=OUTPUT,
    metavar="FILE",
    help="Write the key with the suspects corrected, as a pre-annotation to review.",
)
@option("--to", "target", metavar="FORMAT", help="Format of --export: brat, webanno, label-studio…")
@option(
    "--log",
    type=OUTPUT,
    metavar="FILE",
    help="Log of marks (JSON lines): they are shown, and suspects marked otherwise than 'key "
    "wrong' are left out of --export.",
)
@flag("--view", "Mark suspects in the browser, one by one; needs --log.")
@serving_options
@output_options(*TABLES, default="suspects")
def suspects_command(
    key: str,
    responses: tuple[str, ...],
    view: bool,
    port: int,
    no_browser: bool,
    top: int | None = None,
    export: str | None = None,
    target: str | None = None,
    log: str | None = None,
    **options: Any,
) -> None:
    """Find places where several systems agree with each other against KEY.

    Such places may be errors in KEY: missing mentions and entities, wrong spans, missing and wrong
    links. Those that many and good systems agree on come first, with the LEA points that the
    systems would gain on average if KEY were corrected there. --view serves a page on this machine
    on which each is marked: key wrong, systems wrong or debatable.

    \b
    corefine suspects key.conll a.conll b.conll c.conll
    corefine suspects key.conll a.conll b.conll -o suspects.csv
    corefine suspects key.conll a.conll b.conll --top 100 --export review --to brat
    corefine suspects key.conll a.conll b.conll --view --log marks.jsonl
    """
    if target is not None and export is None:
        raise UsageError("--to is the format of --export")
    if view and log is None:
        raise UsageError("--view needs a log for its marks", remedy="Add --log FILE.")
    if view:
        require_server()
    presentation = Presentation.from_options(options, TABLES)
    if export is not None:
        chosen = format_of_target(export) if target is None else format_named(target)
        chosen.require()
    result = computed(suspects, key, named_paths(responses), **options)
    if log is not None:
        from corefine.workbench.log import read_marks, with_marks

        if view:
            from corefine.workbench.marking import marking_server

            marking_server(result, log, port).run(browser=not no_browser, say=tell)
        result = with_marks(result, read_marks(log))
    presentation.show(result, top={} if top is None else {"suspects": top})
    if export is not None:
        write(result.corrected(top), export, chosen.name, lossy=True)
