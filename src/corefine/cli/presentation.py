"""Presentation of results: tables and JSON to a terminal or file, warnings to standard error.

Without ``--tables`` a command prints the result's verdict and its default tables. In a terminal,
tables are fitted to its width and coloured; files and pipes get all columns and no colours.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Self

import click

from corefine.cli.options import SUFFIXES, one_from_standard_input
from corefine.cli.runtime import complain
from corefine.errors import NOTES, UsageError, code_of, escaped, printable, shown
from corefine.output.grid import Column, Grid
from corefine.output.plain_text import styled, wrapped_note
from corefine.output.result import PLOT_FORMATS, PLOT_STYLES, Result, check_tables

LINE = 100
"""The longest line of prose."""
PATIENCE = 1.0
"""Seconds before a progress bar appears: short work should not flicker."""

CLEARED_LINE = "\r\033[K\033[?25h"
"""Clears the line of a progress bar, and shows the cursor again."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """The output format, the file, and the tables that were asked for."""

    form: str = "table"
    place: str = "-"
    tables: tuple[str, ...] = ()
    everything: bool = False
    """All tables were asked for."""
    plots: str | None = None
    """The folder of charts, with their format and style."""
    plot_format: str = PLOT_FORMATS[0]
    plot_style: str = PLOT_STYLES[0]

    @classmethod
    def from_options(
        cls,
        options: dict[str, Any],
        known: Iterable[str] = (),
        missing: Mapping[str, str] | None = None,
    ) -> Presentation:
        """Take ``--output``, ``-o`` and ``--tables`` from options, and check them.

        ``missing`` are known tables that are not available, with what they need.
        """
        missing = missing or {}
        place = options.pop("out", "-")
        form = options.pop("output", None) or ("table" if place == "-" else _form_of(place))
        names = [name.strip() for name in options.pop("tables", "").split(",") if name.strip()]
        known = tuple(known)
        everything = names == ["all"]
        if everything:
            names = [name for name in known if name not in (*missing, "paper")]
        check_tables(names, known)
        for name in names:
            if name in missing:
                raise UsageError(f"the table {name} needs {missing[name]}")
        if form == "csv" and len(names) > 1:
            raise UsageError(
                "CSV can hold only one table", remedy=f"Choose one, such as --tables {names[0]}."
            )
        charts = {name: options.pop(name) for name in PLOT_OPTIONS if name in options}
        if charts.get("plot_format") in PLOT_STYLES:
            charts |= {"plot_format": "pdf", "plot_style": charts["plot_format"]}
        if "plots" in charts:
            _check_plots(charts["plots"], charts["plot_format"])
        return cls(form, place, tuple(names), everything, **charts)

    @property
    def in_terminal(self) -> bool:
        """True if tables are printed to a terminal."""
        return self.on_screen and sys.stdout.isatty()

    @property
    def on_screen(self) -> bool:
        """True if tables are printed for people, to a terminal or a pipe."""
        return self.form == "table" and self.place == "-"

    def show(self, result: Result, *extra: str, **options: Any) -> None:
        """Write the tables that were named, or the verdict, the default and the ``extra`` tables.

        Options are passed to the tables and to the JSON form that have them.
        """
        names = self.tables
        if self.everything:
            names = tuple(name for name in names if name in result.table_names)
        if self.form == "csv" and not names:
            names = extra[:1] or (result.csv_table,)
        shown = names or (*result.default_tables, *extra)
        known = result.table_options(*shown) | {"top"}
        if self.form == "json" and not names:
            from inspect import signature

            known = set(signature(result.to_dict).parameters)
        options = {name: value for name, value in options.items() if name in known}
        if self.form == "json":
            self.write(result.to_json(*names, **options))
        elif names:
            self.show_grids(result.tables(*names, **options))
        elif self.form == "table":
            self.show_grids(result.summary(*extra, **options), result.verdict, result.footer)
        else:
            grids = result.tables(*shown, **options)
            self.show_grids([grid for grid in grids if grid.rows])
        self.write_plots(result)  # after the tables, which are kept if a chart cannot be written

    def write_plots(self, result: Result) -> None:
        """Write the charts of a result, if a folder was named."""
        if self.plots is not None:
            result.save_plots(self.plots, self.plot_format, self.plot_style)

    def show_grids(self, grids: Sequence[Grid], heading: str = "", footer: str = "") -> None:
        """Write tables between a heading and a footer."""
        if self.form == "json":
            self.write_json([grid.to_dict() for grid in grids])
            return
        width = shutil.get_terminal_size().columns
        color = self.in_terminal and has_color()
        if self.in_terminal:
            blocks = [grid.to_text(width, color=color) for grid in grids]
        else:
            writer = {"table": "to_text", "markdown": "to_markdown", "latex": "to_latex"}
            blocks = [getattr(grid, writer.get(self.form, "to_csv"))() for grid in grids]
        if heading:
            heading = "\n".join(map(escaped, heading.split("\n")))
            blocks.insert(0, wrapped(heading) if self.in_terminal else heading)
        text = "\n\n".join(blocks)
        if footer:
            lines = wrapped_note(footer, width) if self.in_terminal else [footer]
            text = "\n".join([text, *(styled(line, "dim") if color else line for line in lines)])
        if text:
            self.write(text)

    def write_json(self, value: Any) -> None:
        """Write plain values as JSON."""
        import json

        self.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))

    def write(self, text: str) -> None:
        """Write text to standard output, or atomically to the file."""
        if self.place == "-":
            click.echo(_escaped_json(text) if self.form == "json" else text, color=has_color())
            return
        from corefine.output.saving import write_atomically

        write_atomically(self.place, text + "\n")


PLOT_OPTIONS = ("plots", "plot_format")


def _check_plots(folder: str, plot_format: str) -> None:
    """Report before the work begins that charts cannot be written."""
    from corefine.output.saving import make_folder

    if os.path.exists(folder):
        make_folder(folder)  # refuses a file
    if plot_format != "svg":
        from corefine.output.charts.figure import require_typst

        require_typst(plot_format)


def answer(
    function: Callable[..., Any],
    *sides: Any,
    options: dict[str, Any],
    tables: Iterable[str] = (),
    missing: Mapping[str, str] | None = None,
    **shown: Any,
) -> Any:
    """Call a function with the options of a command, and show its warnings and its result.

    The options of the output are checked first; ``shown`` is passed to the tables.
    """
    presentation = Presentation.from_options(options, tables, missing)
    result = computed(function, *sides, **options)
    presentation.show(result, **shown)
    return result


def computed(function: Callable[..., Any], *sides: Any, **options: Any) -> Any:
    """The result of a function, computed with a progress bar, after its warnings."""
    one_from_standard_input(sides)
    with ProgressBar() as progress:
        result = function(*sides, progress=progress, **options)
    warn(shown(result.warnings))
    return result


def show_records(
    presentation: Presentation, records: list[dict[str, str]], listed: Grid | None
) -> None:
    """Show a list on a screen, or each record in paragraphs; elsewhere all fields as a table."""
    if presentation.form == "json":
        presentation.write_json(records)
    elif not presentation.on_screen:
        rows = [tuple(record.values()) for record in records]
        presentation.show_grids([Grid(tuple(map(Column, records[0])), rows)])
    elif listed is not None:
        presentation.show_grids([listed])
    else:
        for record in records:
            name, *fields = record.items()
            click.echo(click.style(name[1], bold=True))
            for field, text in fields:
                click.echo(wrapped(text, " " * 12, first=f"  {field:<9} "))
            click.echo()


def has_color() -> bool:
    """True if standard output is a terminal that shows colours and the user does not object."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def _escaped_json(text: str) -> str:
    """JSON with escapes for terminal control characters and what standard output cannot encode."""
    import json

    text = re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return "".join(one if one.isascii() else json.dumps(one)[1:-1] for one in text)
    return text


def wrapped(text: str, indent: str = "", *, first: str | None = None) -> str:
    """The text broken between words to fit the terminal; long words stay whole.

    ``indent`` precedes every line but the first, if ``first`` is given.
    """
    wrapper = textwrap.TextWrapper(
        min(shutil.get_terminal_size().columns, LINE),
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(map(wrapper.fill, text.splitlines()))


def _form_of(place: str) -> str:
    suffix = PurePath(place).suffix
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    raise UsageError(
        f"unknown output format of the name {place!r}",
        remedy=f"Use one of the suffixes {', '.join(SUFFIXES)}, or give --output.",
    )


def warn(warnings: Iterable[str]) -> None:
    """Write warnings to standard error, one per line or, in a terminal, wrapped between words."""
    for warning in warnings:
        level = "note" if code_of(warning) in NOTES else "warning"
        text = f"corefine: {level}: {printable(warning)}"
        in_terminal = sys.stderr is not None and sys.stderr.isatty()
        complain(wrapped(text, "  ", first="") if in_terminal else text)


def tell(text: str, *, err: bool = False) -> None:
    """Write a line, with escapes for terminal control characters."""
    if err:
        complain(escaped(text))
    else:
        click.echo(escaped(text))


class ProgressBar:
    """A bar on standard error, if that is a terminal, once a task has taken a second.

    It is called with the task, the amount done and the total amount, 0 where that is unknown. It
    disappears when the task ends.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._task = ""
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._clear()

    def _clear(self) -> None:
        if self._bar is not None:
            click.echo(CLEARED_LINE, file=sys.stderr, nl=False)

    def __call__(self, task: str, done: int, total: int) -> None:
        if self._bar is None:
            watched = sys.stderr is not None and sys.stderr.isatty()
            if not watched or time.monotonic() - self._started < PATIENCE:
                return
        if task != self._task:
            self._clear()
            steps: Any = range(total) if total else map(int, ())  # of unknown length
            self._bar = click.progressbar(steps, label=printable(task), file=sys.stderr)
            self._task = task
        self._bar.update(done - self._bar.pos)
