"""``corefine adjudicate``, with a page served on this machine."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    choice,
    flag,
    format_option,
    named_paths,
    option,
    refuse_options,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import FORMS, Presentation, computed, tell
from corefine.curating.adjudication import RULES, Adjudication, adjudicate, merge_logs
from corefine.errors import UsageError
from corefine.formats import format_named, write
from corefine.formats.writing import format_of_target

ADJUDICATE_TABLES = ("annotators", "questions", "profiles", "comments")
OF_DECISIONS = ("format", "rule", "words", "output", "tables")
"""Options of everything but joining logs."""


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
@flag("--merge", "Join logs of different documents: give the logs, and --log for the new one.")
@choice("--output", FORMS, "Output format of the tables.", default="table")
@option(
    "--tables",
    metavar="NAMES",
    help=f"Tables to show, of {', '.join(ADJUDICATE_TABLES)}.  [default: the first two]",
)
def adjudicate_command(
    annotations: tuple[str, ...],
    lossy: bool,
    view: bool,
    merge: bool,
    target: str | None = None,
    target_format: str | None = None,
    **given: Any,
) -> None:
    """Build one gold annotation from two or more annotations of the same text.

    What all annotators agree on is taken; --rule decides on the rest. The default, majority, takes
    mentions and links that more than half of the annotators have (with two annotators: both); links
    are closed under transitivity. --view asks in the browser instead, one question after another,
    and writes the gold when the server is stopped. --log records every decision; what it has is
    kept the next time. --merge joins logs of curators who worked on different documents.

    \b
    corefine adjudicate anna.conllu ben.conllu eva.conllu -o gold.conllu
    corefine adjudicate anna.conll ben.conll --view --log decisions.jsonl -o gold.conll
    corefine adjudicate --merge mary.jsonl tom.jsonl --log decisions.jsonl
    """
    if merge:
        refuse_options("with --merge", *OF_DECISIONS, "lossy", "view", "target", "target_format")
        if "log" not in given:
            raise UsageError("--merge needs a file for the joined log", remedy="Add --log FILE.")
        count = merge_logs(annotations, given["log"])
        tell(f"{count:,} entries of {len(annotations)} logs written to {given['log']}")
        return
    presentation = Presentation.from_options(given, ADJUDICATE_TABLES)
    paths = named_paths(annotations, "annotation")
    if len(paths) < 2:
        raise UsageError("adjudication needs at least two annotations")
    if target is None:
        refuse_options("without -o", "target_format", "lossy")
    else:  # before the work, not after it
        known = format_named(target_format) if target_format else format_of_target(target)
        known.require()

    def write_gold(adjudication: Adjudication) -> None:
        if target is not None:
            write(adjudication.gold, target, target_format, lossy=lossy)

    if view:
        refuse_options("with --view", "rule")
        if "log" not in given:
            raise UsageError("--view needs a log for its decisions", remedy="Add --log FILE.")
        from corefine.curating.server import Server

        log = given.pop("log")
        adjudication = computed(adjudicate, paths, **{**given, "rule": None})
        with adjudication.logging(log):
            writer = None if target is None else write_gold
            Server(adjudication, writer).run(say=tell)
    else:
        adjudication = computed(adjudicate, paths, **given)
    write_gold(adjudication)
    if target != "-":
        presentation.show(adjudication)
