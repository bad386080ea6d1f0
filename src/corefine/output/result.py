"""Result: the base class of what analyses return, shown as a verdict, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from corefine.errors import MissingExtraError, UsageError, choose, missing_attribute
from corefine.output.grid import Grid

if TYPE_CHECKING:
    from corefine.output.charts import Figure

Tables = Mapping[str, Callable[..., Grid]]
"""Functions from a result to a table, by name."""
PLOT_FORMATS = ("svg", "pdf", "png", "all")
PLOT_STYLES = ("screen", "paper-serif", "paper-sans")


class Result:
    """The tables of an analysis by name, and all forms in which they are written.

    A subclass defines :meth:`table_functions` and, as needed, :attr:`verdict`,
    :attr:`default_tables` and :meth:`figures`.
    """

    default_rows: ClassVar[Mapping[str, int]] = {}
    """Rows of a table that are shown if no tables are named."""

    elsewhere: ClassVar[Mapping[str, str]] = {}
    """Names to use instead of common ones that the result does not have."""

    if not TYPE_CHECKING:  # so that type checkers find names that are missing

        def __getattr__(self, name):
            frames = dict.fromkeys(("to_frame", "to_df", "to_dataframe"), "to_pandas()")
            raise missing_attribute(self, name, {**frames, **self.elsewhere})

    def table_functions(self) -> Tables:
        """Functions that create the tables. Keyword-only parameters are options of a table."""
        raise NotImplementedError

    @property
    def verdict(self) -> str:
        """The answer in one or two sentences, shown before the default tables."""
        return ""

    @property
    def footer(self) -> str:
        """The signature, shown after the default tables unless they end with it."""
        return ""

    @property
    def warnings(self) -> Sequence[str]:
        """Warnings of the analysis."""
        return ()

    @property
    def table_names(self) -> tuple[str, ...]:
        """The names of all tables."""
        return tuple(self.table_functions())

    @property
    def default_tables(self) -> tuple[str, ...]:
        """The tables that are shown if none are named."""
        return self.table_names

    @property
    def csv_table(self) -> str:
        """The table that is written to CSV if none is named."""
        return self.table_names[0]

    def tables(
        self, *names: str, top: int | Mapping[str, int] | None = None, **options: Any
    ) -> list[Grid]:
        """Tables as data; the default ones if none are named.

        ``top`` limits the rows, of all tables or by name. Options are passed to the tables that
        have them; one that none of the tables has is an error.
        """
        functions = self.table_functions()
        check_tables(names, functions)
        unknown = options and options.keys() - self.table_options(*names)
        if unknown:
            tables = ", ".join(names or self.default_tables)
            raise UsageError(
                f"the option {min(unknown)!r} does not apply to: {tables}",
                remedy=f"Leave it out, or name another table: {', '.join(functions)}.",
                code="unknown-value",
            )
        grids = []
        for name in names or self.default_tables:
            function = functions[name]
            own = _options_of(function)
            known = {key: value for key, value in options.items() if key in own}
            most = top.get(name) if isinstance(top, Mapping) else top
            grids.append(function(self, **known).head(most))
        return grids

    def table_options(self, *names: str) -> set[str]:
        """Names of the options that at least one of the tables has, by default the default ones."""
        functions = self.table_functions()
        check_tables(names, functions)
        return set().union(*(_options_of(functions[name]) for name in names or self.default_tables))

    def summary(
        self, *extra: str, top: Mapping[str, int] | None = None, **options: Any
    ) -> list[Grid]:
        """The default tables with their first rows, without empty ones, and ``extra`` tables."""
        rows = {**self.default_rows, **(top or {})}
        grids = self.tables(*self.default_tables, *extra, top=rows, **options)
        return [grid for grid in grids if grid.rows]

    def figures(self) -> dict[str, Figure]:
        """Charts as data, by file name without suffix."""
        return {}

    def to_text(self, *tables: str, **options: Any) -> str:
        """Tables as aligned text; without names, what the command line prints."""
        if tables:
            return "\n\n".join(grid.to_text() for grid in self.tables(*tables, **options))
        grids = [grid.to_text() for grid in self.summary(**options)]
        blocks = "\n\n".join(filter(None, [self.verdict, *grids]))
        return "\n".join(filter(None, [blocks, self.footer]))

    def to_markdown(self, *tables: str, **options: Any) -> str:
        """Tables in Markdown; the best scores are bold and marks of significance raised."""
        return "\n\n".join(grid.to_markdown() for grid in self.tables(*tables, **options))

    def to_latex(self, *tables: str, **options: Any) -> str:
        """Booktabs tables; the best scores are bold and marks of significance raised."""
        return "\n\n".join(grid.to_latex() for grid in self.tables(*tables, **options))

    def to_csv(self, table: str = "", **options: Any) -> str:
        """One table at full precision, as text."""
        if table.endswith((".csv", ".tsv", ".gz")):
            raise UsageError(
                f"to_csv() returns text and takes the name of a table, not a file: {table!r}",
                remedy=f"Use Path({table!r}).write_text(result.to_csv()).",
            )
        return self.tables(table or self.csv_table, **options)[0].to_csv()

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values, as written to JSON."""
        names = self.default_tables
        return {name: grid.to_dict() for name, grid in zip(names, self.tables(), strict=True)}

    def to_json(self, *tables: str, **options: Any) -> str:
        """The whole result as JSON or, if tables are named, a list of them."""
        import json

        value: Any = (
            [grid.to_dict() for grid in self.tables(*tables, **options)]
            if tables
            else self.to_dict(**options)
        )
        return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)

    def to_pandas(self, table: str = "", **options: Any) -> Any:
        """One table as a pandas data frame, by default that of :meth:`to_csv`."""
        return self._frame("pandas", table, options)

    def to_polars(self, table: str = "", **options: Any) -> Any:
        """One table as a polars data frame, by default that of :meth:`to_csv`."""
        return self._frame("polars", table, options)

    def to_arrow(self, table: str = "", **options: Any) -> Any:
        """One table as a PyArrow table, by default that of :meth:`to_csv`."""
        return self._frame("pyarrow", table, options)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table of :meth:`to_arrow` for other libraries: ``polars.DataFrame(scores)``."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _frame(self, library: str, table: str, options: Mapping[str, Any]) -> Any:
        return frame_of(self.tables(table or self.csv_table, **options)[0], library)

    def plot(self, name: str = "") -> Figure:
        """A chart, by default the first of :meth:`figures`.

        Notebooks show it as SVG; ``.save("chart.svg")`` writes it as SVG or PNG.
        """
        figures = self.figures()
        if not figures:
            raise UsageError(
                f"{type(self).__name__} has no charts",
                remedy="Use the result of corefine.score, compare, explain or audit.",
            )
        return figures[choose("plot", name, tuple(figures)) if name else next(iter(figures))]

    def save_plots(
        self, folder: str | PathLike[str], format: str = "svg", style: str = "screen"
    ) -> list[Path]:
        """Write the charts to a folder, as ``svg``, ``pdf``, ``png`` or ``all``.

        ``style`` is ``screen``, or ``paper-serif`` or ``paper-sans`` for the column of a paper.
        The paths of the files are returned.
        """
        from corefine.output.saving import make_folder, write_atomically

        choose("plot format", format, PLOT_FORMATS)
        formats = PLOT_FORMATS[:-1] if format == "all" else (format,)
        # All drawings are made before the first file is written.
        content = {
            f"{name}.{one}": figure.rendered(one, style)
            for name, figure in self.figures().items()
            for one in formats
        }
        target = make_folder(folder)
        for name, data in content.items():
            write_atomically(target / name, data)
        return [target / name for name in content]

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from corefine.output.html import element, grid_block

        verdict = [str(element("p", self.verdict))] if self.verdict else []
        footer = [str(element("p", element("small", self.footer)))] if self.footer else []
        return "".join([*verdict, *(str(grid_block(grid)) for grid in self.summary()), *footer])


def _options_of(function: Callable[..., Grid]) -> set[str]:
    """Names of the keyword-only parameters of a function that creates a table."""
    return set(getattr(function, "__kwdefaults__", None) or ())


def plain_values(item: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, with lists for tuples, in mappings too."""

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: plain(one) for name, one in value.items()}
        return list(value) if isinstance(value, tuple) else value

    return {one.name: plain(getattr(item, one.name)) for one in fields(item)}


def check_tables(names: Iterable[str], known: Collection[str]) -> None:
    """Raise an error that lists the known tables if one is unknown."""
    for name in names:
        if name not in known:
            choose("table", name, tuple(known))


def frame_of(grid: Grid, library: str) -> Any:
    """A table at full precision as a data frame of pandas, polars or PyArrow."""
    try:
        module = import_module(library)
    except ImportError:
        extra = "parquet" if library == "pyarrow" else library
        raise MissingExtraError(f"a {library} data frame", library, extra) from None
    table = grid.to_dict()
    columns = {name: [row[at] for row in table["rows"]] for at, name in enumerate(table["columns"])}
    # A column without any values is still numeric.
    numbers = [
        column.field
        for column in grid.columns
        if column.unit in ("percent", "difference", "decimal", "number", "p")
    ]
    if library == "pandas":
        missing = float("nan")
        for name in numbers:
            columns[name] = [missing if value is None else value for value in columns[name]]
        return module.DataFrame(columns)
    if library == "pyarrow":
        kinds = dict.fromkeys(numbers, module.float64())
        arrays = {name: module.array(values, kinds.get(name)) for name, values in columns.items()}
        return module.table(arrays)
    types = dict.fromkeys(numbers, module.Float64)
    return module.DataFrame(columns, schema_overrides=types, strict=False)
