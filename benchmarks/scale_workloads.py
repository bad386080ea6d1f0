"""The work of the section ``scale``, each function in a process of its own.

python -m benchmarks.scale_workloads NAME ARGUMENTS
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.corpora import CACHE
from benchmarks.documents import NOVELS, document
from benchmarks.measuring import cpu_medians
from benchmarks.workloads import _scorch_scores, compared_scores

Ints = NDArray[np.int64]

#: The release whose metrics module is e2e-coref's CorefEvaluator.
FASTCOREF = "fastcoref==2.1.6"


def _moves(rng: Generator, key: Ints, amount: float) -> Ints:
    """Mentions go to any entity."""
    wrong = np.flatnonzero(rng.random(len(key)) < amount)
    response = key.copy()
    response[wrong] = rng.integers(0, int(key.max()) + 1, len(wrong))
    return response


def _splits(rng: Generator, key: Ints, amount: float) -> Ints:
    """Entities lose half of their mentions to new ones."""
    entities = int(key.max()) + 1
    torn = (rng.random(entities) < amount)[key] & (rng.random(len(key)) < 0.5)
    return key + entities * torn


def _merges(rng: Generator, key: Ints, amount: float) -> Ints:
    """Entities join others."""
    target = np.arange(int(key.max()) + 1)
    joined = np.flatnonzero(rng.random(len(target)) < amount)
    target[joined] = rng.integers(0, len(target), len(joined))
    return target[key]


def _shuffles(rng: Generator, key: Ints, amount: float) -> Ints:
    """Mentions change places among each other, so that entities keep their sizes."""
    wrong = np.flatnonzero(rng.random(len(key)) < amount)
    response = key.copy()
    response[wrong] = key[rng.permutation(wrong)]
    return response


NOISE: dict[str, Callable[[Generator, Ints, float], Ints]] = {
    "moves": _moves,
    "splits": _splits,
    "merges": _merges,
    "shuffles": _shuffles,
}


def leftover(mentions: int, sizes: str, noise: str, amount: float) -> dict[str, float]:
    """How many cells CEAFe's reduction leaves to a solver, and the largest component of them.

    Entities are of Zipf-like sizes (``zipf``), or all of about 20 mentions (``even``).
    """
    from corefine import Corpus
    from corefine.matching.alignment import connected_cells, reduce
    from corefine.metrics.table import MentionTable
    from corefine.scoring.count import match

    rng = np.random.default_rng([20_120_801, mentions])
    if sizes == "zipf":
        weights = np.cumsum(1 / np.arange(1, mentions // 4 + 1))
        key = np.searchsorted(weights, rng.random(mentions) * weights[-1])
    else:
        key = rng.integers(0, mentions // 20, mentions)
    response = NOISE[noise](rng, key, amount)
    table = MentionTable.of(match(Corpus.from_labels(key), Corpus.from_labels(response)))
    cells = table.cells
    summed = table.key.size[cells.key] + table.response.size[cells.response]
    columns = cells.response + len(table.key)
    count = len(table.key) + len(table.response)
    left = reduce(cells.key, columns, 2 * cells.count / summed, count).cells
    largest = max(map(len, connected_cells(cells.key[left], columns[left])), default=0)
    return {"cells": len(cells), "left": int(left.size), "largest": largest}


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
        scorch=lambda: _scorch_scores(sets),
    ) | {"mentions": sum(len(d.key) for d in made) / documents}


def shuffles(documents: int, trials: list[int], repeats: int) -> dict[str, float]:
    """The randomization test of two systems by all metrics, with more and more trials."""
    from corefine.comparing.randomization import randomization_test
    from corefine.scoring.resampling.panel import Panel

    panel = Panel.of(compared_scores(2, documents))
    tasks: dict[str, Any] = {
        str(count): lambda count=count: randomization_test(panel, trials=count) for count in trials
    }
    return cpu_medians(repeats, **tasks)


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


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](**json.loads(sys.argv[2]))))
