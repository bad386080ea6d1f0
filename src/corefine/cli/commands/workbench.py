"""``corefine view`` and ``adjudicate``: pages served on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    choice,
    flag,
    format_option,
    named_paths,
    option,
    scoring_options,
    serving_options,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import FORMS, Presentation, computed, tell
from corefine.errors import UsageError
from corefine.formats import format_named, write
from corefine.workbench import require_server
from corefine.workbench.adjudication import RULES, Adjudication, adjudicate

TABLES = ("annotators", "contested")


@click.command("adjudicate", cls=Command)
@click.argument("annotations", nargs=-1, metavar="[NAME=]A [NAME=]B...")
@format_option()
@choice(
    "--rule",
    tuple(RULES),
    "Mentions and links to take where annotators differ: those of more than half of the "
    "annotators, of any, of all, or of the first.",
    default="majority",
)
@choice(
    "--words",
    ("check", "align"),
    "Require the same tokens, or move mentions to the words of the first annotation where texts "
    "differ by a few words.",
    default="check",
)
@option(
    "--log",
    type=OUTPUT,
    metavar="FILE",
    help="Log of decisions (JSON lines). Decisions that it already has are kept; new ones are "
    "appended.",
)
@option("-o", "--out", "target", type=OUTPUT, metavar="FILE", help="Write the gold to FILE.")
@option("--to", "target_format", metavar="FORMAT", help="Format of the gold.  [default: by suffix]")
@flag("--lossy", "Allow a format that loses annotations.")
@flag("--view", "Decide in the browser instead of by a rule.")
@serving_options
@choice("--output", FORMS, "Output format of the tables.", default="table")
@option(
    "--tables", metavar="NAMES", help=f"Tables to show, of {', '.join(TABLES)}.  [default: all]"
)
def adjudicate_command(
    annotations: tuple[str, ...],
    lossy: bool,
    view: bool,
    port: int,
    no_browser: bool,
    target: str | None = None,
    target_format: str | None = None,
    **given: Any,
) -> None:
    """Build one gold annotation from two or more annotations of the same text.

    Entities on which all annotators agree are taken; --rule decides on the others. The default,
    majority, takes mentions and links that more than half of the annotators have; the result is
    closed under transitivity. --log records every decision, and decisions that were edited there
    are used the next time. --view shows contested entities in the browser, one after another, and
    writes the gold when the server is stopped.

    \b
    corefine adjudicate anna.conllu ben.conllu eva.conllu -o gold.conllu
    corefine adjudicate anna.conll ben.conll --rule union --log decisions.jsonl -o gold.conll
    corefine adjudicate anna.conll ben.conll --view --log decisions.jsonl -o gold.conll
    """
    presentation = Presentation.from_options(given, TABLES)
    paths = named_paths(annotations, "annotation")
    if len(paths) < 2:
        raise UsageError("adjudication needs at least two annotations")
    if target_format is not None:
        format_named(target_format).require()
    if view:
        if "log" not in given:
            raise UsageError("--view needs a log for its decisions", remedy="Add --log FILE.")
        given["rule"] = None
        require_server()
    adjudication = computed(adjudicate, paths, **given)

    def write_gold(adjudication: Adjudication) -> None:
        if target is not None:
            write(adjudication.gold, target, target_format, lossy=lossy)

    if view:
        from corefine.workbench.adjudication_page import adjudication_server

        writer = None if target is None else write_gold
        server = adjudication_server(adjudication, given["log"], writer, port)
        server.run(browser=not no_browser, say=tell)
    write_gold(adjudication)
    if target != "-":
        presentation.show(adjudication)


@click.command("view", cls=Command)
@click.argument("sides", nargs=-1, required=True, metavar="FOLDER | KEY [NAME=]RESPONSE...")
@scoring_options("default")
@option(
    "--export", type=OUTPUT, metavar="DIR", help="Write the pages to a new folder; do not serve."
)
@serving_options
def view_command(
    sides: tuple[str, ...],
    port: int,
    no_browser: bool,
    export: str | None = None,
    **settings: Any,
) -> None:
    """Serve the report on this machine, and keep it up to date while responses change.

    FOLDER has a key, named key.* or gold.*, and a response per file; new and changed files appear
    on the page. Two runs can be compared: which errors are fixed, and which are new. The server
    answers only on 127.0.0.1 and under a random address.

    \b
    corefine view runs
    corefine view key.conll first.conll second.conll
    corefine view runs --export site
    """
    require_server()
    from corefine.workbench.live import live_report, live_server

    if len(sides) == 1:
        live = live_report({"folder": sides[0]}, None, **settings)
    else:
        live = live_report(named_paths(sides[1:]), sides[0], **settings)
    if export is not None:
        live.export(Path(export))
    else:
        live_server(live, port).run(browser=not no_browser, say=tell)
