"""How cost grows: with files, with mentions, with noise, with documents, workers and shuffles."""

from __future__ import annotations

import sys
from itertools import pairwise, product
from math import log

from benchmarks.corpora import CACHE, conll
from benchmarks.measuring import MeasurementError, run_together, workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table
from benchmarks.sections.options import Options
from corefine.output.charts.curves import line_chart
from corefine.output.charts.frame import Series
from corefine.output.plots import save_figures

FILE_MEMORY = 600e6
SPEED_UP = 1.7
#: The size from which on a second process pays.
PAYS_FROM = 3
#: For five times as many documents.
FILE_GROWTH = 5.5
GIANT_MEMORY = 6e9
#: For ten times as many mentions.
GIANT_GROWTH = 13
E2E_SHARE = 1 / 8
NOISE = ("moves", "splits", "merges", "shuffles")
AMOUNTS = (0.05, 0.1, 0.2, 0.4, 0.8)
NOISY_MENTIONS = 100_000
TRIALS = (1_000, 10_000, 100_000)
WORKERS = (1, 2, 4)
FIGURES = CACHE.parent / "figures"
MODULE = "scale_workloads"
MOST_RUNS = 3


def run(options: Options) -> Report:
    parts = [_files(options), _mentions(options), _noise(), _training(options), _trials(options)]
    return Report.joined([*parts, _workers(options)])


def _files(options: Options) -> Report:
    rows: list[list[Cell]] = []
    cpu: dict[int, float] = {}
    criteria = []
    for factor in sorted(options.factors):
        pair = conll(factor)
        command = [sys.executable, "-m", "corefine", "score", str(pair.key), str(pair.response)]
        commands = [[*command, "--memory", "512M", "--jobs", jobs] for jobs in ("1", "2")]
        peaks = [run_together(one).peak for one in commands]
        # They take turns, and the least of each is taken: a machine may slow down for a while.
        runs = [
            [run_together(one, watched=False) for one in commands]
            for _ in range(min(options.repeats, MOST_RUNS))
        ]
        one, two = (min(column, key=lambda run: run.wall) for column in zip(*runs, strict=True))
        cpu[factor] = one.cpu
        rows.append(
            [
                f"×{factor}",
                Bytes(pair.size),
                one.cpu,
                one.wall,
                Bytes(peaks[0]),
                two.wall,
                Bytes(peaks[1]),
                one.wall / two.wall,
            ]
        )
        largest = factor == max(options.factors)
        if largest:
            criteria.append(
                Criterion(f"×{factor}: peak memory", max(peaks) / 1e6, FILE_MEMORY / 1e6, " MB")
            )
        if largest or factor >= PAYS_FROM:
            criteria.append(
                Criterion(
                    f"×{factor}: wall time of two processes, as share of that of one",
                    two.wall / one.wall,
                    1 / SPEED_UP if largest else 1,
                )
            )
    criteria += [
        Criterion(
            f"×{large}: CPU, as multiple of that of ×{small}",
            cpu[large] / cpu[small],
            FILE_GROWTH ** (log(large / small) / log(5)),
        )
        for small, large in pairwise(sorted(cpu))
        if small >= 10
    ]
    table = Table(
        "corefine score --memory 512M, the whole process and those that it starts",
        ["size", "both files", "CPU s", "wall s", "peak", "--jobs 2: wall s", "its peak", "faster"],
        rows,
    )
    return Report([table], criteria)


def _mentions(options: Options) -> Report:
    sizes = sorted({10_000, *options.mentions})
    measured, peaks = {}, {}
    for size in sizes:
        repeats = options.repeats if size <= 1_000_000 else 1
        measured[size] = workload("giant", mentions=size, noise="uniform", repeats=repeats)[1]
        peaks[size] = workload("giant_once", mentions=size, noise="uniform")[0].peak
    names = [name for name in measured[sizes[0]] if name.startswith("metric ")]
    lines = {"all metrics": "all", "np.unique": "unique"} | {n.partition(" ")[2]: n for n in names}
    rows: list[list[Cell]] = [
        [what, *(measured[size][name] for size in sizes)] for what, name in lines.items()
    ]
    rows.append(["peak", *(Bytes(peaks[size]) for size in sizes)])
    figure = line_chart(
        "CPU seconds by the number of mentions in one document",
        sizes,
        [
            Series(what, [measured[size][name] for size in sizes])
            for what, name in lines.items()
            if what in ("all metrics", "np.unique", "muc", "b3", "ceafm", "ceafe", "blanc", "lea")
        ],
        unit="number",
        place_unit="integer",
        place_title="mentions",
        value_title="CPU seconds",
        logarithmic=True,
    )
    saved = save_figures({"mentions": figure}, FIGURES)
    criteria = [
        Criterion(
            f"{large:,} mentions, all metrics: CPU, as multiple of that of {small:,}",
            (measured[large]["corpus"] + measured[large]["all"])
            / (measured[small]["corpus"] + measured[small]["all"]),
            GIANT_GROWTH ** (log(large / small) / log(10)),
        )
        for small, large in pairwise(sizes)
        if small >= 100_000
    ]
    criteria.append(
        Criterion(
            f"{sizes[-1]:,} mentions, all metrics: peak memory",
            peaks[sizes[-1]] / 1e6,
            GIANT_MEMORY / 1e6,
            " MB",
        )
    )
    table = Table(
        "One document, CPU s by the number of mentions",
        ["metric", *(f"{size:,}" for size in sizes)],
        rows,
    )
    return Report([table], criteria, [f"drawn in {path.name}" for path in saved])


def _noise() -> Report:
    rows: list[list[Cell]] = []
    for sizes, noise in product(("zipf", "even"), NOISE):
        row: list[Cell] = [f"{noise}, {sizes} sizes"]
        for amount in AMOUNTS:
            arguments = {"mentions": NOISY_MENTIONS, "noise": noise, "sizes": sizes}
            found = workload(f"{MODULE}.leftover", **arguments, amount=amount)[1]
            share = 100 * found["left"] / found["cells"]
            row.append(f"{share:.1f} % ({int(found['largest']):,})")
        rows.append(row)
    table = Table(
        f"What CEAFe's reduction leaves of the cells of {NOISY_MENTIONS:,} mentions, by the share "
        "that is wrong (cells of the largest component)",
        ["noise", *(f"{amount:.0%}" for amount in AMOUNTS)],
        rows,
    )
    return Report([table], [])


def _training(options: Options) -> Report:
    measured = workload(f"{MODULE}.training_loop", documents=100, repeats=options.repeats)[1]
    own = measured["corefine"]
    rows: list[list[Cell]] = [
        [name, 10 * measured[task], measured[task] / own]
        for name, task in (
            ("Evaluator, all metrics", "corefine"),
            ("e2e-coref's CorefEvaluator, three metrics", "e2e"),
            ("scorch, five metrics", "scorch"),
        )
    ]
    table = Table(
        f"100 documents of {measured['mentions']:.0f} mentions, one after another",
        ["what", "CPU ms a document", "/ Evaluator"],
        rows,
    )
    share = own / measured["e2e"]
    claim = "Evaluator with all metrics, as share of CorefEvaluator with three"
    return Report([table], [Criterion(claim, share, E2E_SHARE)])


def _trials(options: Options) -> Report:
    measured = workload(
        f"{MODULE}.shuffles", documents=348, trials=TRIALS, repeats=options.repeats
    )[1]
    rows: list[list[Cell]] = [[f"{count:,}", measured[str(count)]] for count in TRIALS]
    title = "Randomization test of two systems by all metrics, 348 documents"
    return Report([Table(title, ["shuffles", "CPU s"], rows)], [])


def _workers(options: Options) -> Report:
    pair = conll(max(factor for factor in options.factors if factor <= 10))
    paths = {"key": str(pair.key), "response": str(pair.response)}
    walls: dict[int, float] = {}
    try:
        for workers in (0, *WORKERS):
            found = workload(f"{MODULE}.dask_workers", **paths, workers=workers, shards=16)[1]
            walls[workers] = found["wall"]
    except MeasurementError as problem:
        if "No module named" not in str(problem):
            raise
        return Report([], [], ["Dask is not installed, and was not measured"])
    rows: list[list[Cell]] = [
        ["local, one process" if n == 0 else f"Dask, {n} workers", wall, walls[0] / wall]
        for n, wall in walls.items()
    ]
    title = f"Dask on this machine, {Bytes(pair.size)} in 16 shards a side; its start left out"
    return Report([Table(title, ["engine", "wall s", "faster than local"], rows)], [])
