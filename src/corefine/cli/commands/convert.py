"""``corefine convert IN OUT``."""

from __future__ import annotations

import click

from corefine.cli.grammar import against_option, align_option, refuse_unused
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import warn
from corefine.cli.progress import ProgressBar
from corefine.formats import format_named, losses, read, write
from corefine.formats.writing import format_of_target


@click.command("convert", short_help="Convert a corpus from one format to another.")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=OUTPUT)
@click.option("--from", "source_format", metavar="FORMAT", help="Format of IN, if not recognised.")
@click.option("--to", "target_format", metavar="FORMAT", help="Format of OUT, if not its suffix's.")
@click.option("--lossy", is_flag=True, help="Allow lossy conversion.")
@click.option(
    "--blind", is_flag=True, help="Write what a language model is asked: the text without tags."
)
@click.option(
    "--mentions", is_flag=True, help="With --blind: mark mentions, without their entities."
)
@against_option
@align_option
def command(
    source: str,
    target: str,
    source_format: str | None,
    target_format: str | None,
    lossy: bool,
    blind: bool,
    mentions: bool,
    against: str | None,
    align: str,
) -> None:
    """Convert the corpus IN to the format of OUT; either may be '-'.

    What the target format cannot hold (mention types, discontinuous mentions, bridging) is listed
    before anything is written; --lossy drops it.

    \b
    corefine convert key.conllu key.conll --lossy
    corefine convert key.conll - --to e2e
    corefine convert key.conllu prompts.jsonl --to markdown --blind
    corefine convert answers.jsonl response.conllu --against key.conllu
    """
    format = format_named(target_format) if target_format else format_of_target(target)
    with ProgressBar() as progress:
        beside = None if against is None else read(against, progress=progress)
        corpus = read(source, source_format, progress=progress, against=beside, align=align)
    refuse_unused(corpus.copies is not None, against, align)
    warn(corpus.warnings)
    lost = losses(corpus, format) if mentions or not blind else []
    if lost and lossy:
        warn(f"the format {format.name} cannot hold {what}: dropped" for what in lost)
    write(corpus, target, format.name, lossy=lossy, blind=blind, mentions=mentions)
