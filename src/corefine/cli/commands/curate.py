"""Commands for those who annotate: ``describe``, ``suspects`` and ``adjudicate``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    RARELY_NEEDED,
    choice,
    flag,
    form_option,
    format_option,
    key_and_responses,
    kinds_option,
    named_paths,
    number,
    option,
    output_options,
    refuse,
    refuse_others,
    settings_options,
    tables_option,
)
from corefine.cli.presentation import Presentation, answer, computed, tell
from corefine.cli.runtime import OUTPUT
from corefine.corpus.corpus import Corpus
from corefine.curating.adjudication import TABLES as ADJUDICATED
from corefine.curating.adjudication import Adjudication, adjudicate
from corefine.curating.describing import TABLES as CARD
from corefine.curating.describing import describe
from corefine.curating.desk import RULES
from corefine.curating.log import merge_logs
from corefine.curating.suspects import SHOWN, TABLES, SuspectReview, suspects
from corefine.errors import UsageError
from corefine.formats import format_named, write
from corefine.formats.writing import format_of_target


@click.command("describe", cls=Command)
@click.argument("corpora", nargs=-1, required=True, metavar="CORPUS [CORPUS]...")
@format_option()
@kinds_option()
@output_options(*CARD, default="card")
def describe_command(corpora: tuple[str, ...], **options: Any) -> None:
    """Write a data card of CORPUS, or of several side by side.

    Size, entities, mention kinds and types, nesting, distances, lexical diversity, and difficulty:
    how far string match and equal heads get on gold mentions. --output markdown is for a README.
    --tables chains has the sizes of entities by semantic type, --tables links the links by kind.

    \b
    corefine describe key.conllu
    corefine describe key.conllu --tables chains,links
    corefine describe train.conllu test.conllu --output markdown -o card.md
    """
    answer(describe, *corpora, options=options, tables=tuple(CARD))


@click.command("suspects", cls=Command)
@key_and_responses
@settings_options(*RARELY_NEEDED, "twinless", "scope", "window", "missing_documents", "allow_empty")
@number("--top", f"Show the first N suspects.  [default: {SHOWN} in a table, else all]", least=0)
@option(
    "--save",
    type=OUTPUT,
    metavar="FILE",
    help="Write the key with the suspects corrected, as a pre-annotation to review.",
)
@option("--to", "target", metavar="FORMAT", help="Format of --save: brat, webanno, label-studio…")
@flag("--view", "Judge the suspects in the browser; --save then writes the curated key.")
@option("--log", type=OUTPUT, metavar="FILE", help="Log of the judgements of --view (JSON lines).")
@output_options(*TABLES, default="suspects")
def suspects_command(
    key: str,
    responses: tuple[str, ...],
    view: bool,
    top: int | None = None,
    log: str | None = None,
    save: str | None = None,
    target: str | None = None,
    **options: Any,
) -> None:
    """Find places where several systems agree with each other against KEY.

    Such places may be errors in KEY: missing mentions and entities, wrong spans, missing and wrong
    links. Those that many and good systems agree on come first, with the LEA points that the
    systems would gain on average if KEY were corrected there.

    \b
    corefine suspects key.conll a.conll b.conll c.conll
    corefine suspects key.conll a.conll b.conll -o suspects.csv
    corefine suspects key.conll a.conll b.conll --top 100 --save review --to brat
    corefine suspects key.conll a.conll b.conll --view --log marks.jsonl --save new.conll
    """
    if view and log is None:
        raise UsageError("--view needs a log for its judgements", remedy="Add --log FILE.")
    if view:
        refuse("does not apply with --view", "top", "out", "output", "tables")
    if log is not None and not view:
        raise UsageError("--log is the log of --view", remedy="Add --view.")
    if target is not None and save is None:
        raise UsageError("--to is the format of --save")
    presentation = Presentation.from_options(options, TABLES)
    writer = None if save is None else writer_of(save, target, lossy=True)
    result = computed(suspects, key, named_paths(responses), **options)
    if view and log is not None:
        review = SuspectReview(result)
        judge_in_browser(review, log, writer)
        tell(review.verdict)
        return
    presentation.show(result, top={} if top is None else {"suspects": top})
    if writer is not None:
        writer(result.corrected(top))


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
@form_option
@tables_option(ADJUDICATED, "annotators, questions")
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
        refuse("does not apply with --merge", "output", "tables")
        refuse_others("does not apply with --merge", "merge", "log")
        if "log" not in given:
            raise UsageError("--merge needs a file for the joined log", remedy="Add --log FILE.")
        count = merge_logs(annotations, given["log"])
        tell(f"{count:,} entries of {len(annotations)} logs written to {given['log']}")
        return
    presentation = Presentation.from_options(given, ADJUDICATED)
    paths = named_paths(annotations, "annotation")
    if target is None:
        refuse("does not apply without -o", "target_format", "lossy")
    writer = None if target is None else writer_of(target, target_format, lossy=lossy)
    if view:
        refuse("does not apply with --view", "rule")
        if "log" not in given:
            raise UsageError("--view needs a log for its decisions", remedy="Add --log FILE.")
        log = given.pop("log")
        adjudication = computed(adjudicate, paths, **{**given, "rule": None})
        judge_in_browser(adjudication, log, writer)
    else:
        adjudication = computed(adjudicate, paths, **given)
        if writer is not None:
            writer(adjudication.gold)
    if target != "-":
        presentation.show(adjudication)


Writer = Callable[[Corpus], None]


def writer_of(target: str, format: str | None, *, lossy: bool) -> Writer:
    """Return a function that writes a corpus; an impossible format is refused before the work."""
    chosen = format_named(format) if format else format_of_target(target)
    chosen.require()
    return lambda corpus: write(corpus, target, chosen.name, lossy=lossy)


def judge_in_browser(adjudication: Adjudication, log: str, writer: Writer | None) -> None:
    """Ask the questions in the browser until the server is stopped, and write the gold."""
    from corefine.curating.server import Server

    def write_gold(adjudication: Adjudication) -> None:
        if writer is not None:
            writer(adjudication.gold)

    with adjudication.logging(log):
        Server(adjudication, None if writer is None else write_gold).run(say=tell)
    write_gold(adjudication)
