"""Commands about files: ``check``, ``convert`` and ``formats``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from corefine.cli.help_pages import Command
from corefine.cli.options import (
    FORMS,
    Choice,
    against_option,
    align_option,
    choice,
    flag,
    form_option,
    format_option,
    option,
    output_options,
    refuse,
    refuse_unused,
)
from corefine.cli.presentation import Presentation, ProgressBar, show_records, tell, warn, wrapped
from corefine.cli.runtime import OUTPUT, complain
from corefine.curating.checking import SCOPES, TABLES, Checks, Finding, check
from corefine.curating.repairing import Repairs, repair
from corefine.errors import CorefineError, Location, UsageError, escaped
from corefine.formats import Format, all_formats, capabilities_of, format_named, read, write
from corefine.formats.io.sources import find_sources
from corefine.formats.writing import format_of_target, read_to_convert, write_converted

PROMPTS = ("text", "mentions")
"""Content of the prompts of ``--blind``."""


@click.command("check", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option()
@flag("--fix", "Repair FILEs in place where there is one reading; with -o OUT, write one there.")
@flag("--diff", "Show what --fix would change, and change nothing.")
@option(
    "--select",
    metavar="RULES",
    help="Rules to apply: codes or beginnings of codes with commas, default, all.  "
    "[default: default, which leaves out guesses]",
)
@option("--ignore", metavar="RULES", help="Rules to leave out.")
@choice(
    "--scope",
    SCOPES,
    "Documents in which an entity id stands for one entity; corpus allows ids to cross documents.  "
    "[default: document for CorefUD's ids, else not checked]",
)
@against_option
@align_option
@output_options(*TABLES, default="codes,summary", forms=(*FORMS, "github", "sarif"))
def check_command(
    files: tuple[str, ...],
    align: str,
    fix: bool,
    diff: bool,
    format: str | None = None,
    against: str | None = None,
    **options: Any,
) -> int:
    """Check FILEs, directories or glob patterns against rules for coreference annotation.

    Every problem is a line with file, line, code and message. The exit status is 0 if there are no
    errors, 1 if there are, and 2 if a file cannot be read at all. --fix repairs problems that have
    one reading by edits of the text: nothing else in the file changes. Rules are also selected in
    pyproject.toml ([tool.corefine.check]: select, ignore, scope), and ignored by a comment in the
    file (# corefine.ignore = CU210). With --against, the output of a language model is checked
    against its source text: how much of it was copied, where it was cut off, which tags are
    malformed.

    \b
    corefine check corpus/*.conllu
    corefine check response.conll --select default,CU5 --output sarif -o findings.sarif
    corefine check key.conllu --diff
    corefine check key.conll --fix -o repaired.conll
    corefine check answers.jsonl --against key.conllu
    """
    rules = rules_of({name: options.pop(name, None) for name in ("select", "ignore", "scope")})
    if fix or diff:
        refuse_unused(False, against, align)
        target = None if diff else options.pop("out", None)
        refuse("does not apply with --fix and --diff", "tables")
        presentation = Presentation.from_options(options)
        if presentation.form not in ("table", "json"):
            raise UsageError("repairs are shown as text or JSON", remedy="Use --output json.")
        return _repair(files, format, target, diff, rules, presentation)
    presentation = Presentation.from_options(options, TABLES)
    refuse_unused(against is not None, None, align)
    source = None if against is None else read(against)
    results = Checks()
    status = 0
    for path in files:
        try:
            results += check(path, format, against=source, align=align, **rules)
        except UsageError:
            raise
        except CorefineError as error:
            complain(f"corefine: error: {error}")
            status = 2
    if not results:
        return status
    if presentation.form == "json":
        presentation.write_json([result.to_dict() for result in results])
    elif presentation.form == "sarif":
        presentation.write_json(results.to_sarif())
    elif presentation.form == "github":
        presentation.write(results.to_github())
    else:
        if not presentation.tables and presentation.form == "table":
            _list(results.findings, presentation)
        presentation.show(results)
    return max(status, results.status)


def _list(findings: Iterable[Finding], presentation: Presentation) -> None:
    """Write a line per finding, to standard error if the tables go to a file."""
    for finding in findings:
        tell(str(finding), err=not presentation.on_screen)


def _repair(
    files: Sequence[str],
    format: str | None,
    target: str | None,
    diff: bool,
    rules: Mapping[str, str | None],
    presentation: Presentation,
) -> int:
    """Repair each file, and say what was changed and what is left."""
    sources = [source for path in files for source in find_sources(path)]
    if target is not None and len(sources) > 1:
        raise UsageError("-o is for one file", remedy="Leave it out to repair files in place.")
    done: list[Repairs] = []
    status = 0
    for source in sources:
        try:
            in_place = target is None and not diff
            found = repair(source.name, target, format, in_place=in_place, **rules)
        except CorefineError as error:
            complain(f"corefine: error: {error}")
            status = 2
            continue
        done.append(found)
        changed = diff and found.before != found.after
        status = max(status, int(changed), Checks([found.checked]).status)
        if presentation.form == "table":
            for line in filter(None, found.diff().split("\n")):
                click.echo("\t".join(map(escaped, line.split("\t"))))
            for finding in found.log:
                tell(f"{finding} ({'can be ' if diff else ''}repaired)")
            _list(found.checked.findings, presentation)
            tell(found.verdict.replace(" repaired", " can be repaired") if diff else found.verdict)
    if presentation.form == "json":
        presentation.write_json([found.to_dict() for found in done])
    return status


def rules_of(given: Mapping[str, str | None]) -> dict[str, str | None]:
    """Merge options over ``[tool.corefine.check]`` of the nearest pyproject.toml."""
    file = next((p for f in _folders() if (p := f / "pyproject.toml").is_file()), None)
    found: Any = {}
    if file is not None:
        try:
            found = tomllib.loads(file.read_text("utf-8")).get("tool", {})
            found = found.get("corefine", {}).get("check", {})
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError) as error:
            raise UsageError(f"cannot be read: {error}", Location(str(file))) from None
        if not isinstance(found, dict) or not found.keys() <= given.keys():
            names = ", ".join(given)
            raise UsageError(f"[tool.corefine.check] has {names} only", Location(str(file)))
    configured = {n: ",".join(v) if isinstance(v, list) else v for n, v in found.items()}
    return {name: value or configured.get(name) for name, value in given.items()}


def _folders() -> Iterator[Path]:
    here = Path.cwd()
    yield from (here, *here.parents)


@click.command("convert", cls=Command)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=OUTPUT)
@option("--format", "source_format", metavar="FORMAT", help="Format of IN.  [default: detected]")
@option("--to", "target_format", metavar="FORMAT", help="Format of OUT.  [default: its suffix's]")
@flag("--lossy", "Allow lossy conversion.")
@click.option(
    "--blind",
    type=Choice(PROMPTS),
    is_flag=False,
    flag_value=PROMPTS[0],
    help="Write prompts for a language model: the text without tags (text, the default), or with "
    "gold mentions tagged, without entity ids (mentions).",
)
@against_option
@align_option
def convert_command(
    source: str,
    target: str,
    align: str,
    lossy: bool,
    blind: str | None = None,
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
        corpus, contents = read_to_convert(
            source, source_format, progress=progress, against=beside, align=align
        )
    refuse_unused(corpus.copies is not None, against, align)
    warn(corpus.warnings)
    if blind is not None:
        write(
            corpus,
            target,
            format.name,
            lossy=lossy,
            blind=True,
            mentions=blind == "mentions",
        )
    else:
        warn(write_converted(corpus, target, format, lossy=lossy, contents=contents))


@click.command("formats", cls=Command)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@form_option
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
        click.echo("\n'corefine formats NAME' or '--output csv' describes them")
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
    return format.write is not None


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
    return [words for name, words in REPRESENTED.items() if name in capabilities_of(format)]
