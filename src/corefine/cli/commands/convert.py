"""``corefine convert IN OUT``."""

from __future__ import annotations

import click

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
def command(
    source: str, target: str, source_format: str | None, target_format: str | None, lossy: bool
) -> None:
    """Convert the corpus IN to the format of OUT; either may be '-'.

    What the target format cannot hold (mention types, discontinuous mentions, bridging) is listed
    before anything is written; --lossy drops it.

    \b
    corefine convert key.conllu key.conll --lossy
    corefine convert key.conll - --to e2e
    """
    format = format_named(target_format) if target_format else format_of_target(target)
    with ProgressBar() as progress:
        corpus = read(source, source_format, progress=progress)
    warn(corpus.warnings)
    lost = losses(corpus, format)
    if lost and lossy:
        warn(f"the format {format.name} cannot hold {what}: dropped" for what in lost)
    write(corpus, target, format.name, lossy=lossy)
