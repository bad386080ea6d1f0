"""Scale: files, training loops and workers that grow."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tarfile
from itertools import pairwise
from math import log
from pathlib import Path
from time import perf_counter
from typing import Any, cast

from benchmarks.corpora import CACHE, conll
from benchmarks.documents import NOVELS, document
from benchmarks.files import scorch_scores
from benchmarks.measuring import MeasurementError, Options, cpu_medians, run_together, workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table

#: The release whose metrics module is e2e-coref's CorefEvaluator.
FASTCOREF = "fastcoref==2.1.6"
FILE_MEMORY = 600e6
SPEED_UP = 1.7
#: The size from which on a second process pays.
PAYS_FROM = 3
#: For five times as many documents.
FILE_GROWTH = 5.5
E2E_SHARE = 1 / 8
WORKERS = (1, 2, 4)
MOST_RUNS = 3


def run(options: Options) -> Report:
    return Report.joined([_files(options), _training(options), _workers(options)])


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


def _training(options: Options) -> Report:
    measured = workload("scale.training_loop", documents=100, repeats=options.repeats)[1]
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


def _workers(options: Options) -> Report:
    pair = conll(max(factor for factor in options.factors if factor <= 10))
    paths = {"key": str(pair.key), "response": str(pair.response)}
    walls: dict[int, float] = {}
    try:
        for workers in (0, *WORKERS):
            found = workload("scale.dask_workers", **paths, workers=workers, shards=16)[1]
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


def _e2e_evaluator() -> Any:
    """CorefEvaluator: the one module is taken out of its package, which is never installed."""
    folder = CACHE.parent / "fastcoref"
    module = folder / "metrics.py"
    if not module.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--no-binary",
                "fastcoref",
                "--dest",
                str(folder),
                FASTCOREF,
            ],
            check=True,
            stdout=sys.stderr,
        )
        with tarfile.open(next(folder.glob("fastcoref-*.tar.gz"))) as archive:
            name = next(n for n in archive.getnames() if n.endswith("utilities/metrics.py"))
            content = archive.extractfile(name)
            assert content is not None
            module.write_bytes(content.read())
    spec = importlib.util.spec_from_file_location("e2e_metrics", module)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded.CorefEvaluator


def training_loop(documents: int, repeats: int) -> dict[str, float]:
    """Documents of about 300 mentions through Evaluator with all metrics, and through others."""
    import corefine

    made = [document(number, NOVELS) for number in range(documents)]
    plain = [(d.key.entities(), d.response.entities()) for d in made]
    tuples = [tuple([tuple(e) for e in side] for side in pair) for pair in plain]
    places = [tuple({m: e for e in side for m in e} for side in pair) for pair in tuples]
    sets = [([set(e) for e in key], [set(e) for e in response]) for key, response in plain]
    other = _e2e_evaluator()

    def through_evaluator() -> None:
        judge = corefine.Evaluator(metrics="all")
        for key, response in plain:
            judge.update(key, response)
        judge.compute()

    def through_e2e() -> None:
        judge = other()
        for (key, response), (of_key, of_response) in zip(tuples, places, strict=True):
            judge.update(response, key, of_response, of_key)
        judge.get_prf()

    return cpu_medians(
        repeats,
        corefine=through_evaluator,
        e2e=through_e2e,
        scorch=lambda: scorch_scores(sets),
    ) | {"mentions": sum(len(d.key) for d in made) / documents}


def dask_workers(key: str, response: str, workers: int, shards: int) -> dict[str, float]:
    """A cluster on this machine; the time without its start. Without workers, the local engine."""
    import corefine

    if workers == 0:
        begin = perf_counter()
        corefine.score(key, response)
        return {"wall": perf_counter() - begin}
    from distributed import Client, LocalCluster

    sides = [_shards(Path(path), shards) for path in (key, response)]
    start_cluster, connect = cast(Any, LocalCluster), cast(Any, Client)
    with (
        start_cluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        connect(cluster) as client,
    ):
        begin = perf_counter()
        corefine.score(*sides, engine=client)
        return {"wall": perf_counter() - begin}


def _shards(path: Path, count: int) -> str:
    """A CoNLL file cut into so many with whole documents, and the pattern that names them."""
    folder = path.with_name(f"{path.stem}-in-{count}")
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.part")
        unfinished.mkdir(exist_ok=True)
        mark = b"#begin document"
        parts = [mark + part for part in path.read_bytes().split(mark)[1:]]
        for number in range(count):
            (unfinished / f"{number:04d}.conll").write_bytes(b"".join(parts[number::count]))
        unfinished.rename(folder)
    return str(folder / "*.conll")
