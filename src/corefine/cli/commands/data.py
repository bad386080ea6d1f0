"""Commands about data: ``describe`` and ``suspects``."""

from __future__ import annotations

from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    RARELY_NEEDED,
    flag,
    format_option,
    key_and_responses,
    kinds_option,
    named_paths,
    number,
    option,
    refuse_options,
    settings_options,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import Presentation, answer, computed, output_options, tell
from corefine.curating.describing import TABLES as CARD
from corefine.curating.describing import describe
from corefine.curating.suspects import SHOWN, TABLES, suspects
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
        refuse_options("with --view", "top", "out", "output", "tables")
    if log is not None and not view:
        raise UsageError("--log is the log of --view", remedy="Add --view.")
    if target is not None and save is None:
        raise UsageError("--to is the format of --save")
    presentation = Presentation.from_options(options, TABLES)
    if save is not None:
        chosen = format_of_target(save) if target is None else format_named(target)
        chosen.require()
    result = computed(suspects, key, named_paths(responses), **options)
    if view and log is not None:
        from corefine.curating.adjudication import Adjudication
        from corefine.curating.server import Server
        from corefine.curating.suspect_review import SuspectReview

        review = SuspectReview(result)

        def write_key(review: Adjudication) -> None:
            if save is not None:
                write(review.gold, save, chosen.name, lossy=True)

        with review.logging(log):
            Server(review, None if save is None else write_key).run(say=tell)
        write_key(review)
        tell(review.verdict)
        return
    presentation.show(result, top={} if top is None else {"suspects": top})
    if save is not None:
        write(result.corrected(top), save, chosen.name, lossy=True)
