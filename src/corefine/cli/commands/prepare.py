"""Commands about files: ``check``, ``convert`` and ``formats``."""

from __future__ import annotations

from typing import Any

import click

from corefine.auditing.checking import TABLES, Checks, check
from corefine.auditing.repairing import repair
from corefine.cli.help_pages import Command
from corefine.cli.options import (
    against_option,
    align_option,
    flag,
    format_option,
    option,
    refuse_unused,
)
from corefine.cli.outputs import OUTPUT
from corefine.cli.presentation import (
    Presentation,
    ProgressBar,
    output_options,
    show_records,
    tell,
    warn,
    wrapped,
)
from corefine.errors import UsageError
from corefine.formats import Format, all_formats, format_named, losses, read, write
from corefine.formats.writing import format_of_target


@click.command("check", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option()
@against_option
@align_option
@option(
    "--fix",
    type=OUTPUT,
    metavar="OUT",
    help="Repair one FILE where there is one reading, write it to OUT, and print a log.",
)
@flag("--in-place", "Repair FILEs in place, and print a log.")
@output_options(*TABLES, "repairs", default="summary")
def check_command(
    files: tuple[str, ...],
    align: str,
    in_place: bool,
    format: str | None = None,
    against: str | None = None,
    fix: str | None = None,
    **options: Any,
) -> int:
    """Validate FILEs, directories or glob patterns, and summarise their content.

    Problems go to standard error with file, line and remedy; the summary goes to standard output.
    The exit status is 2 if there are errors, and 0 if there are only warnings. With --against,
    the output of a language model is checked against its source text: how much of it was copied,
    where it was cut off, and which tags are malformed. --fix repairs unbalanced brackets that have
    one reading, duplicate mentions and reused entity ids; FILE itself is changed only with
    --in-place.

    \b
    corefine check response.conll
    corefine check corpus/*.conllu --tables problems -o problems.csv
    corefine check answers.jsonl --against key.conllu
    corefine check key.conll --fix repaired.conll
    """
    presentation = Presentation.from_options(options, (*TABLES, "repairs"))
    if fix is not None or in_place:
        if fix is not None and len(files) > 1:
            raise UsageError("--fix repairs one file", remedy="Use --in-place for several.")
        for file in files:
            repairs = repair(file, fix, format, in_place=in_place)
            warn(repairs.warnings)
            presentation.show(repairs)
        return 0
    refuse_unused(against is not None, None, align)
    source = None if against is None else read(against)
    results = Checks(
        result for path in files for result in check(path, format, against=source, align=align)
    )
    for result in results:
        for problem in result.problems:
            tell(f"corefine: error: {problem}", err=True)
        for warning in result.warnings:
            warn([warning if result.source in warning else f"{result.source}: {warning}"])
    if presentation.form == "json":
        presentation.write_json([result.to_dict() for result in results])
    else:
        presentation.show(results)
    return 2 if any(result.problems for result in results) else 0


@click.command("convert", cls=Command)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=OUTPUT)
@option("--from", "source_format", metavar="FORMAT", help="Format of IN.  [default: detected]")
@option("--to", "target_format", metavar="FORMAT", help="Format of OUT.  [default: its suffix's]")
@flag("--lossy", "Allow lossy conversion.")
@flag("--blind", "Write prompts for a language model: the text without tags.")
@flag("--mentions", "With --blind: tag gold mentions, without entity ids.")
@against_option
@align_option
def convert_command(
    source: str,
    target: str,
    align: str,
    lossy: bool,
    blind: bool,
    mentions: bool,
    source_format: str | None = None,
    target_format: str | None = None,
    against: str | None = None,
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


@click.command("formats", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@output_options()
def formats_command(names: tuple[str, ...], **options: Any) -> None:
    """List the supported formats, or describe NAMEs and the annotations that they represent.

    Formats are detected from the content; override this with --key-format and --response-format.
    A path may be a file, a directory, a quoted glob pattern such as 'gold/*.conll', a gzip file,
    or '-' for standard input. Key and response may have different formats: if they are tokenised
    differently, they are aligned by character.

    \b
    corefine formats
    corefine formats --output json
    """
    presentation = Presentation.from_options(options)
    formats = [format_named(name) for name in names] or list(all_formats())
    if not names and presentation.on_screen:
        listed = ", ".join(f.name + ("*" if _written(f) else "") for f in formats)
        click.echo(f"{len(formats)} formats are read; those with * are also written:\n")
        click.echo(wrapped(listed, "  "))
        click.echo("\n'corefine formats NAME' or '-o formats.csv' describes them")
        return
    records = [
        {
            "name": format.name,
            "title": format.title,
            "suffixes": " ".join(format.suffixes),
            "use": "read, written" if _written(format) else "read",
            "holds": ", ".join(_represented(format)),
        }
        for format in formats
    ]
    show_records(presentation, records, None)


def _written(format: Format) -> bool:
    return format.write is not None or format.write_files is not None


REPRESENTED = {
    "text": "text",
    "kinds": "mention kinds",
    "heads": "heads",
    "types": "entity types",
    "discontinuous": "discontinuous mentions",
    "zeros": "zeros",
    "minimum_spans": "minimum spans",
    "relations": "bridging",
    "annotations": "deixis",
    "topics": "topics",
}
"""Words for the capabilities of formats."""


def _represented(format: Format) -> list[str]:
    return [words for name, words in REPRESENTED.items() if getattr(format.capabilities, name)]
