"""Result: what an analysis gives, which shows itself as tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from corefine.errors import UsageError, choose
from corefine.output.grid import Grid
from corefine.output.paper import LAYOUTS, PaperTable

if TYPE_CHECKING:
    from corefine.output.charts import Figure

Tables = Mapping[str, Callable[..., Grid]]
"""By name, the function that makes a table of a result."""

DEFAULT_ROWS = 20
"""Rows of a table at a first look."""


class Result:
    """A result knows its tables by name; this writes them in every form.

    A subclass gives :meth:`table_functions` and, where it has charts, :meth:`figures`.
    """

    default_tables: ClassVar[tuple[str, ...]] = ()
    """The tables that are enough for a first look; the usual ones where it is empty."""

    def table_functions(self) -> Tables:
        """By name, what makes each table. Keyword-only parameters are the options of a table."""
        raise NotImplementedError

    @property
    def table_names(self) -> tuple[str, ...]:
        """The names of all tables."""
        return tuple(self.table_functions())

    @property
    def usual_tables(self) -> tuple[str, ...]:
        """The tables that are shown where none are named."""
        return self.table_names

    @property
    def csv_table(self) -> str:
        """The table that CSV holds where none is named."""
        return self.table_names[0]

    def tables(
        self, *names: str, top: int | Mapping[str, int] | None = None, **options: Any
    ) -> list[Grid]:
        """Tables as data, the usual ones where none are named.

        ``top`` is how many rows there are at most, for all tables or by name. An option goes to
        the tables that have it.
        """
        functions = self.table_functions()
        check_tables(names, functions)
        grids = []
        for name in names or self.usual_tables:
            function = functions[name]
            own = getattr(function, "__kwdefaults__", None) or {}
            known = {key: value for key, value in options.items() if key in own}
            most = top.get(name) if isinstance(top, Mapping) else top
            grids.append(function(self, **known).head(most))
        return grids

    def figures(self) -> dict[str, Figure]:
        """Charts as data, by the names of their files without an ending."""
        return {}

    def to_text(self, *tables: str, **options: Any) -> str:
        """Tables aligned with blanks; the usual ones where none are named."""
        return "\n\n".join(grid.to_text() for grid in self.tables(*tables, **options))

    def to_markdown(self, *tables: str, layout: str = "tables", **options: Any) -> str:
        """Tables in Markdown, the best scores bold and marks of significance raised.

        ``layout="paper"`` gives the one table of :meth:`paper_table` instead.
        """
        if choose("layout", layout, LAYOUTS) == "paper":
            return self.paper_table(**options).to_markdown()
        return "\n\n".join(grid.to_markdown() for grid in self.tables(*tables, **options))

    def to_latex(self, *tables: str, layout: str = "tables", **options: Any) -> str:
        """Booktabs tables, the best scores bold and marks of significance raised.

        ``layout="paper"`` gives the one table of :meth:`paper_table` instead.
        """
        if choose("layout", layout, LAYOUTS) == "paper":
            return self.paper_table(**options).to_latex()
        return "\n\n".join(grid.to_latex() for grid in self.tables(*tables, **options))

    def paper_table(self, **options: Any) -> PaperTable:
        """Systems by metrics as a paper prints them; only scores and comparisons have it."""
        raise UsageError(
            f"{type(self).__name__} has no paper layout",
            remedy="Use the result of corefine.score or corefine.compare.",
        )

    def to_csv(self, table: str = "", **options: Any) -> str:
        """One table at full precision."""
        return self.tables(table or self.csv_table, **options)[0].to_csv()

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values, in the form in which it is written as JSON."""
        names = self.usual_tables
        return {name: grid.to_dict() for name, grid in zip(names, self.tables(), strict=True)}

    def to_json(self, *tables: str, **options: Any) -> str:
        """The whole result as JSON or, where they are named, a list of its tables."""
        import json

        value: Any = (
            [grid.to_dict() for grid in self.tables(*tables, **options)]
            if tables
            else self.to_dict(**options)
        )
        return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)

    def to_pandas(self, table: str = "", **options: Any) -> Any:
        """One table as a pandas data frame, the one that CSV holds where none is named."""
        return self._frame("pandas", table, options)

    def to_polars(self, table: str = "", **options: Any) -> Any:
        """One table as a polars data frame, the one that CSV holds where none is named."""
        return self._frame("polars", table, options)

    def _frame(self, library: str, table: str, options: Mapping[str, Any]) -> Any:
        from corefine.output.frames import frame_of

        return frame_of(self.tables(table or self.csv_table, **options)[0], library)

    def plot(self, name: str = "") -> Figure:
        """A chart, the first of :meth:`figures` where none is named.

        A notebook shows it as SVG; ``.save("chart.svg")`` writes it as SVG or PNG.
        """
        figures = self.figures()
        if not figures:
            raise UsageError(
                f"{type(self).__name__} has no charts",
                remedy="Use the result of corefine.score, compare, explain or audit.",
            )
        return figures[choose("plot", name, tuple(figures)) if name else next(iter(figures))]

    def save_plots(self, folder: str | PathLike[str], format: str = "svg") -> list[Path]:
        """Write the charts to a folder, as ``svg``, ``png`` or ``both``, and give the files."""
        from corefine.output.plots import save_figures

        return save_figures(self.figures(), folder, format)

    def __repr__(self) -> str:
        return self.to_text(*self.default_tables, top=DEFAULT_ROWS)

    def _repr_html_(self) -> str:
        from corefine.output.html import grid_block

        grids = self.tables(*self.default_tables, top=DEFAULT_ROWS)
        return "".join(str(grid_block(grid)) for grid in grids)


def check_tables(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a table that there is not, with a list of those that there are."""
    for name in names:
        choose("table", name, tuple(known))
