"""``corefine convert IN OUT``."""

from __future__ import annotations

from pathlib import PurePath

import click

from corefine.cli.output import warn
from corefine.cli.reading import read_one
from corefine.errors import UsageError, closest
from corefine.formats import all_formats, format_named, losses, write


@click.command("convert", short_help="Convert a corpus from one format to another.")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--from", "source_format", metavar="FORMAT", help="Format of IN, if not sniffed.")
@click.option("--to", "target_format", metavar="FORMAT", help="Format of OUT, if not its suffix's.")
@click.option("--lossy", is_flag=True, help="Agree to lose what the format cannot hold.")
def command(
    source: str, target: str, source_format: str | None, target_format: str | None, lossy: bool
) -> None:
    """Convert the corpus IN to the format of OUT, which may be '-' for standard output.

    What the target's format cannot hold (kinds, discontinuous mentions, bridging) is told before
    anything is written; --lossy agrees to lose it.
    """
    name = target_format or format_of_suffix(target)
    format = format_named(name)
    corpus = read_one(source, source_format, None)
    warn(corpus.warnings)
    lost = losses(corpus, format)
    if lost and lossy:
        warn([f"the format {name} cannot hold: {what}; it is lost" for what in lost])
    write(corpus, target, name, lossy=lossy)


def format_of_suffix(path: str) -> str:
    """The name of the format that a file's suffix tells."""
    name = PurePath(path).name.removesuffix(".gz")
    found = [
        format.name
        for format in all_formats()
        if any(name.endswith(suffix) for suffix in format.suffixes)
    ]
    if len(found) == 1:
        return found[0]
    known = [format.name for format in all_formats()]
    what = f"could be any of {', '.join(found)}" if found else "tells no format"
    raise UsageError(
        f"the name {path!r} {what}",
        remedy=f"Name the format with --to: {', '.join(known)}.{closest(name, known)}",
    )
