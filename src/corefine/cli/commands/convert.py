"""``corefine convert IN OUT``."""

from __future__ import annotations

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import against_option, align_option, refuse_unused
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import warn
from corefine.cli.progress import ProgressBar
from corefine.formats import format_named, losses, read, write
from corefine.formats.writing import format_of_target


@click.command("convert", cls=Command)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=OUTPUT)
@click.option(
    "--from", "source_format", metavar="FORMAT", help="Format of IN.  [default: detected]"
)
@click.option(
    "--to", "target_format", metavar="FORMAT", help="Format of OUT.  [default: from its suffix]"
)
@click.option("--lossy", is_flag=True, help="Allow lossy conversion.")
@click.option(
    "--blind", is_flag=True, help="Write prompts for a language model: the text without tags."
)
@click.option(
    "--mentions", is_flag=True, help="With --blind: tag gold mentions, without entity ids."
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

    Annotations that the target format cannot represent (mention kinds, discontinuous mentions,
    bridging) are an error, and nothing is written; --lossy drops them.

    \b
    corefine convert key.conllu key.conll --lossy
    corefine convert key.conll - --to e2e
    corefine convert key.conllu prompts.jsonl --to markdown --blind
    corefine convert answers.jsonl response.conllu --against key.conllu
    """
    format = format_named(target_format) if target_format else format_of_target(target)
    format.require()
    with ProgressBar() as progress:
        beside = None if against is None else read(against, progress=progress)
        corpus = read(source, source_format, progress=progress, against=beside, align=align)
    refuse_unused(corpus.copies is not None, against, align)
    warn(corpus.warnings)
    if lossy and not blind:
        lost = losses(corpus, format)
        warn(f"the format {format.name} cannot represent {what}: dropped" for what in lost)
    write(corpus, target, format.name, lossy=lossy, blind=blind, mentions=mentions)
