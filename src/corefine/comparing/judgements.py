r"""Human judgements and metrics: ranks, Kendall's τ-b, and agreement among judges.

Judges rank or score *items*: entities, documents or systems (Holen 2013, sections 5 and 7). For
every metric and judge,

- the items are ranked as in her Table 6: equal values share a rank, and the next one is skipped;
- τ-b is computed over the items that the judge judged and for which the metric is defined;
- its interval comes from a bootstrap over items: with w_i the number of times that item i is drawn,

      τ_b = Σ w_i w_j s_ij t_ij / √(Σ w_i w_j s²_ij · Σ w_i w_j t²_ij),

  where s_ij and t_ij are the signs of the differences of items i and j in the two columns. The
  levels of the percentiles are widened for few items as in :mod:`corefine.scoring.resampling`.

The *mean of the judges* is the mean of their competition ranks, over items that all of them judged.
Agreement among judges is Krippendorff's α with the ordinal distance

    δ²(c, k) = (n_c/2 + Σ_{c<g<k} n_g + n_k/2)²,   n_g = number of judgements with value g.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from corefine.comparing.ranking import ranked, tau_matrix
from corefine.corpus.arrays import FloatArray
from corefine.errors import FormatError, Location, UsageError
from corefine.output.grid import Column, Grid, Marked, Value
from corefine.output.result import Result, Tables
from corefine.scoring.resampling import TIE_DECIMALS, drawn_counts, expanded_levels, quantiles

MEAN = "mean of judges"
FEWEST = 5
"""With fewer items, there is no interval."""
LEVELS = {"entity": ("document", "entity"), "document": ("document",), "system": ("system",)}
"""Columns that name what is judged, by level."""
JudgementsLike = str | os.PathLike[str] | Sequence[Mapping[str, Any]]
"""A CSV file, or its rows."""


@dataclass(frozen=True, slots=True)
class Items:
    """The items that can be judged: numbers by the cells that name an item."""

    level: str
    """``entity``, ``document`` or ``system``."""
    numbers: Mapping[Any, Sequence[int]]
    """Several numbers if the cells are ambiguous."""
    known: str
    """The source of the items: the key, or compare."""
    remedy: str

    def number(self, item: tuple[str, ...], place: Location | None) -> int:
        """The number of the item that a row names."""
        found = self.numbers.get(item, ())
        if not found:
            named = " ".join(filter(None, item))
            raise FormatError(f"{self.known} has no {named!r}", place, self.remedy)
        if len(found) > 1:
            text = f"{item[-1]!r} is the first mention of {len(found)} entities of {self.known}"
            raise FormatError(text, place, "Give the document and the id of the entity.")
        return found[0]


def judged_columns(
    source: JudgementsLike, items: Items, count: int
) -> tuple[dict[str, FloatArray], bool]:
    """Values of the items by judge, and True if they are ranks.

    More is better, so that ranks are negative; NaN is no judgement.

    >>> rows = [{"system": "a", "judge": "x", "rank": 1}, {"system": "b", "rank": 2}]
    >>> systems = Items("system", {("a",): [0], ("b",): [1]}, "compare", "")
    >>> columns, ranks = judged_columns(rows, systems, 2)
    >>> {judge: column.tolist() for judge, column in columns.items()}
    {'x': [-1.0, nan], 'judge': [nan, -2.0]}
    """
    rows, names = _rows(source), LEVELS[items.level]
    file = Location(os.fspath(source)) if isinstance(source, str | os.PathLike) else None
    head = set(rows[0][1]) if rows else set()
    given = [name for name in ("rank", "score") if name in head]
    if names[-1] not in head or len(given) != 1:
        raise FormatError(
            f"judgements per {items.level} need the columns {names[-1]} and either rank or score",
            file,
            f"Columns: {', '.join(names)}, judge, rank or score, comment.",
        )
    ranks = given[0] == "rank"
    columns: dict[str, FloatArray] = {}
    for place, row in rows:
        cells = {name: "" if cell is None else str(cell).strip() for name, cell in row.items()}
        text, judge = cells.get(given[0]), cells.get("judge") or "judge"
        if text:  # a sheet may not be filled in to the end
            value = _number(text, given[0], place)
            item = tuple(cells.get(name, "") for name in names)
            number = items.number(item, place)
            column = columns.setdefault(judge, np.full(count, np.nan))
            if not np.isnan(column[number]):
                raise FormatError(f"{judge} judged {' '.join(item)} twice", place)
            column[number] = -value if ranks else value
    if not columns:
        raise FormatError("no judgement is filled in", file)
    return columns, ranks


def _rows(source: JudgementsLike) -> list[tuple[Location | None, Mapping[str, Any]]]:
    """Rows with their places in the file; rows given in Python have none."""
    if not isinstance(source, str | os.PathLike):
        return [(None, row) for row in source]
    lines = csv_lines(source)
    names = [name.strip() for _, head in lines[:1] for name in head]
    return [(place, dict(zip(names, cells, strict=True))) for place, cells in lines[1:]]


def csv_lines(path: str | os.PathLike[str]) -> list[tuple[Location, list[str]]]:
    """The lines of a CSV file that are not blank, each with as many cells as the first."""
    file = os.fspath(path)
    try:
        with open(path, encoding="utf-8-sig", newline="") as source:
            reader = csv.reader(source, strict=True)
            lines = [
                (Location(file, reader.line_num), cells)
                for cells in reader
                if any(map(str.strip, cells))
            ]
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", Location(file)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"not a CSV file in UTF-8: {error}", Location(file)) from None
    for place, cells in lines:
        if len(cells) != len(lines[0][1]):
            raise FormatError(
                f"{len(cells)} cells instead of {len(lines[0][1])}",
                place,
                "Give each line as many cells as the first.",
            )
    return lines


def _number(text: str, column: str, place: Location | None) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value) or (column == "rank" and value <= 0):
        raise FormatError(
            f"the {column} {text!r} is not a number" + (" above 0" if column == "rank" else ""),
            place,
        )
    return value


@dataclass(frozen=True, slots=True)
class Tau:
    """Kendall's τ-b of a metric with a judge, or the difference of the τ-b of two metrics."""

    metric: str
    judge: str
    tau: float | None
    low: float | None
    high: float | None
    items: int
    """Items that were judged and for which the metric is defined."""
    opposing: str | None = None
    """The second metric of a difference."""


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Result):
    """Agreement of metrics with human judges, as returned by ``correlation(judgements)``.

    Tables: ``ranks`` (Holen's Table 6), ``tau``, ``tau-differences`` and ``judges``.
    """

    unit: str
    """The unit of judgement: ``entity``, ``document`` or ``system``."""
    items: tuple[str, ...]
    values: Mapping[str, FloatArray]
    """Value of each judged item by metric; NaN where the metric is undefined."""
    judges: Mapping[str, FloatArray]
    """Judgement of each item by judge, more is better; NaN without one."""
    given_ranks: bool = False
    """True if the judges gave ranks, which are shown as given."""
    replicates: int = 2000
    seed: int = 0
    confidence: float = 0.95

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        values: Mapping[str, FloatArray],
        judgements: JudgementsLike,
        items: Items,
        **options: Any,
    ) -> Correlation:
        """Correlate metrics with judgements, over the judged ones of all items."""
        columns, ranks = judged_columns(judgements, items, len(names))
        kept = np.flatnonzero(~np.isnan(list(columns.values())).all(axis=0))
        if len(kept) < 2:
            raise UsageError(
                f"only {len(kept)} {items.level} is judged",
                remedy="A correlation needs two or more.",
            )
        return cls(
            items.level,
            tuple(names[number] for number in kept.tolist()),
            {name: np.round(value[kept], TIE_DECIMALS) for name, value in values.items()},
            {judge: column[kept] for judge, column in columns.items()},
            ranks,
            **options,
        )

    @cached_property
    def sides(self) -> dict[str, FloatArray]:
        """The judges, and the mean of their ranks if there are several."""
        if len(self.judges) == 1:
            return dict(self.judges)
        columns = np.array(list(self.judges.values()))
        common = ~np.isnan(columns).any(axis=0)
        mean = np.full(len(self.items), np.nan)
        shared = [ranked(column[common]) for column in columns]
        mean[common] = -np.mean(shared, axis=0).round(TIE_DECIMALS)
        return {**self.judges, MEAN: mean}

    @property
    def reference(self) -> str:
        """The only judge, or the mean of all judges."""
        return list(self.sides)[-1]

    @cached_property
    def taus(self) -> tuple[Tau, ...]:
        """τ-b of every metric with every judge and their mean."""
        return tuple(self._tau((metric,), judge) for metric in self.values for judge in self.sides)

    @cached_property
    def differences(self) -> tuple[Tau, ...]:
        """Difference of the τ-b of every two metrics with the reference."""
        return tuple(self._tau(pair, self.reference) for pair in combinations(self.values, 2))

    def tau(self, metric: str, judge: str | None = None) -> Tau:
        """τ-b of a metric with a judge, by default the reference."""
        judge = self.reference if judge is None else judge
        for found in self.taus:
            if (found.metric, found.judge) == (metric, judge):
                return found
        raise UsageError(f"no τ of {metric!r} and {judge!r} was computed")

    def _tau(self, metrics: tuple[str, ...], judge: str) -> Tau:
        columns = np.array([*(self.values[name] for name in metrics), self.sides[judge]])
        known = columns[:, ~np.isnan(columns).any(axis=0)]
        items = known.shape[1]
        second = metrics[1] if len(metrics) > 1 else None
        if items < 2:
            return Tau(metrics[0], judge, None, None, None, items, second)
        signs = np.sign(known[:, :, np.newaxis] - known[:, np.newaxis, :])
        whole = _contrast(_weighted_taus(signs, np.ones((1, items))))[0]
        if np.isnan(whole) or items < FEWEST:
            known_tau = None if np.isnan(whole) else float(whole)
            return Tau(metrics[0], judge, known_tau, None, None, items, second)
        drawn = np.concatenate(
            [
                _contrast(_weighted_taus(signs, counts))
                for counts in drawn_counts(items, self.replicates, 500, self.seed)
            ]
        )
        drawn = np.sort(drawn[~np.isnan(drawn)])[np.newaxis]
        levels = expanded_levels(self.confidence, np.array([[1.0]]), np.array([items]))
        limit = float(len(metrics))
        low, high = np.clip(quantiles(drawn, levels), -limit, limit)[0].tolist()
        return Tau(metrics[0], judge, float(whole), low, high, items, second)

    @cached_property
    def alpha(self) -> float | None:
        """Krippendorff's α of the judges, ordinal; None with one judge or without variation."""
        return ordinal_alpha(np.array(list(self.judges.values())).T)

    @property
    def verdict(self) -> str:
        """The metrics that agree best and least with the judges, and the judges' agreement."""
        known = [one for one in self.taus if one.judge == self.reference and one.tau is not None]
        if not known:
            return f"No τ is defined on {len(self.items)} judged items."
        known.sort(key=lambda one: -(one.tau or 0.0))
        who = "the mean of the judges" if len(self.judges) > 1 else self.reference
        text = f"{_signed(known[0])} agrees best with {who}"
        if len(known) > 1:
            text += f", {_signed(known[-1])} least"
        text += f", over {len(self.items)} judged {_plural(self.unit)}."
        if self.alpha is not None:
            text += f" Agreement of {len(self.judges)} judges: α {self.alpha:.2f}."
        return text

    def table_functions(self) -> Tables:
        """Functions that create the tables."""
        return {
            "ranks": ranks_grid,
            "tau": taus_grid,
            "tau-differences": differences_grid,
            **({"judges": judges_grid} if len(self.judges) > 1 else {}),
        }

    @property
    def default_tables(self) -> tuple[str, ...]:
        """All but the differences, which are many."""
        return tuple(name for name in self.table_names if name != "tau-differences")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "judged": self.unit,
            "verdict": self.verdict,
            "alpha": self.alpha,
            **{name: self.tables(name)[0].to_dict()["rows"] for name in self.table_names},
        }


def human_tables(judged: Correlation) -> Tables:
    """The tables of a correlation for a result that holds one, named ``human-…``."""
    return {
        f"human-{name}": lambda _, table=table: table(judged)
        for name, table in judged.table_functions().items()
    }


def _signed(one: Tau) -> str:
    return f"{one.metric} (τ {one.tau:.2f})".replace("-", "−")


def _plural(unit: str) -> str:
    return "entities" if unit == "entity" else f"{unit}s"


def _weighted_taus(signs: FloatArray, weights: FloatArray) -> FloatArray:
    """τ-b of each column but the last with the last, (columns − 1, n), for n rows of weights."""

    def total(matrix: FloatArray) -> FloatArray:
        sums: FloatArray = ((weights @ matrix) * weights).sum(axis=1)
        return sums

    last = total(np.square(signs[-1]))
    found = []
    for one in signs[:-1]:
        size = total(np.square(one)) * last
        part = total(one * signs[-1])
        found.append(np.where(size > 0, part / np.sqrt(np.where(size > 0, size, 1.0)), np.nan))
    return np.array(found)


def _contrast(taus: FloatArray) -> FloatArray:
    """τ of one metric, or the difference of the τ of two."""
    contrast: FloatArray = taus[0] if len(taus) == 1 else taus[0] - taus[1]
    return contrast


def ordinal_alpha(values: FloatArray) -> float | None:
    """Krippendorff's α with the ordinal distance, of values (units, judges) with NaN for missing.

    >>> round(ordinal_alpha(np.array([[1, 1], [2, 2], [3, 3], [3, 4]])), 3)
    0.91
    """
    units = [row[~np.isnan(row)] for row in values]
    units = [row for row in units if len(row) > 1]
    if not units:
        return None
    kinds, codes = np.unique(np.concatenate(units), return_inverse=True)
    coincidences = np.zeros((len(kinds), len(kinds)))
    begin = 0
    for row in units:
        own = np.bincount(codes[begin : begin + len(row)], minlength=len(kinds)).astype(float)
        begin += len(row)
        coincidences += (np.outer(own, own) - np.diag(own)) / (len(row) - 1)
    number = coincidences.sum(axis=1)
    middle = np.cumsum(number) - number / 2
    distance = np.square(middle[:, np.newaxis] - middle)
    expected = float((np.outer(number, number) * distance).sum())
    if not expected:
        return None
    observed = float((coincidences * distance).sum())
    return 1 - (float(number.sum()) - 1) * observed / expected


def ranks_grid(result: Correlation) -> Grid:
    """One row per item: its rank under each metric and judge; the lowest ranks are marked."""
    ranks = {name: ranked(column) for name, column in {**result.values, **result.sides}.items()}
    if result.given_ranks:
        ranks |= {name: -column for name, column in result.judges.items()}

    def cells(column: FloatArray) -> list[Marked]:
        lowest = np.nanmax(column)
        return [
            Marked(None, "–") if np.isnan(rank) else Marked(rank, best=rank == lowest)
            for rank in column.tolist()
        ]

    rows = list(zip(result.items, *map(cells, ranks.values()), strict=True))
    heads = (Column(name, "integer", name.replace(" ", "_")) for name in ranks)
    notes = ("1 is best; equal values share a rank; bold: the lowest rank; –: undefined",)
    return Grid((Column(result.unit), *heads), rows, "Ranks by metrics and judges", notes)


def taus_grid(result: Correlation) -> Grid:
    """One row per metric and judge: τ-b with its interval."""
    columns = {Column("judge"): "judge", Column("τ", "decimal", "tau"): "tau"}
    return _interval_grid(result, result.taus, columns, "Kendall's τ-b of metrics with judges")


def differences_grid(result: Correlation) -> Grid:
    """One row per pair of metrics: the difference of their τ-b with the reference."""
    columns = {
        Column("minus", name="opposing"): "opposing",
        Column("difference of τ", "decimal", "difference"): "tau",
    }
    title = f"Differences of τ-b with {result.reference}"
    return _interval_grid(result, result.differences, columns, title)


def _interval_grid(
    result: Correlation, found: Sequence[Tau], columns: Mapping[Column, str], title: str
) -> Grid:
    units = _plural(result.unit)
    note = (
        f"low, high: {100 * result.confidence:g}% interval, from {result.replicates:,} bootstrap "
        f"samples of {units}; none for fewer than {FEWEST}"
    )
    return Grid.of(
        found,
        {
            Column("metric"): "metric",
            **columns,
            Column("low", "decimal"): "low",
            Column("high", "decimal"): "high",
            Column(units, "integer"): "items",
        },
        title,
        (note,),
    )


def judges_grid(result: Correlation) -> Grid:
    """One row per pair of judges: τ-b between them; and α of all."""
    columns = result.judges
    rows: list[tuple[Value, ...]] = []
    for one, other in combinations(columns, 2):
        both = np.array([columns[one], columns[other]]).T
        both = both[~np.isnan(both).any(axis=1)]
        tau = float(tau_matrix(both)[0, 1]) if len(both) > 1 else None
        rows.append((one, other, tau, ordinal_alpha(both), len(both)))
    rows.append(("all", "", None, result.alpha, len(result.items)))
    heads = (
        Column("judge"),
        Column("and"),
        Column("τ", "decimal", "tau"),
        Column("α", "decimal", "alpha"),
        Column(_plural(result.unit), "integer"),
    )
    return Grid(heads, rows, "Agreement among judges (Krippendorff's α, ordinal)")
