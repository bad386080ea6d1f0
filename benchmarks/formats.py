"""Formats: streaming speed of every format, in megabytes per CPU second."""

from __future__ import annotations

import sys

from benchmarks import corpora
from benchmarks.measuring import Options, cpu_medians, run_repeatedly, workload
from benchmarks.results import Bytes, Cell, Criterion, Report, Table

#: Megabytes for each second of CPU that every reader must reach, and that the plainest must.
SLOWEST, SLOWEST_OF_PLAIN = 30, 100
PLAIN = ("conll", "labels")
#: CPU of the same documents as CoNLL-U, and of a megabyte of any text, as multiples of CoNLL's.
CONLLU_LIMIT, MEGABYTE_LIMIT = 1.2, 3
BESIDE_CONLL = ("e2e", "brat", "litbank")
#: The size that the limits speak of.
JUDGED = 10


def run(options: Options) -> Report:
    return Report.joined(_at(factor, options.repeats) for factor in options.factors)


def _at(factor: int, repeats: int) -> Report:
    rows: list[list[Cell]] = []
    criteria = []
    cpu: dict[str, float] = {}
    speeds: dict[str, float] = {}
    for name in workload("formats.written_formats")[1]:
        made = corpora.formatted(name, factor)
        # Packed data counts by its size as text.
        size = corpora.formatted("labels", factor).size if name == "parquet" else made.size
        process, measured = workload(
            "formats.stream_format", path=str(made.path), format=name, repeats=repeats
        )
        cpu[name] = measured["corefine"]
        speed = speeds[name] = size / 1e6 / cpu[name]
        rows.append(
            [
                name,
                Bytes(size),
                measured["corefine"],
                speed,
                Bytes(process.peak),
                measured["runs"],
            ]
        )
        if factor == JUDGED:
            limit = SLOWEST_OF_PLAIN if name in PLAIN else SLOWEST
            criteria.append(
                Criterion(
                    f"×{factor}: {name}, CPU for a megabyte", 1000 / speed, 1000 / limit, " ms"
                )
            )
    if factor == JUDGED:
        claim = f"×{factor}: the same documents as CoNLL-U, CPU as multiple of CoNLL's"
        criteria.append(Criterion(claim, cpu["conllu"] / cpu["conll"], CONLLU_LIMIT))
        claim = f"×{factor}: corefine score of the same documents as CoNLL-U, likewise"
        criteria.append(Criterion(claim, _scored_as_conllu(factor, repeats), CONLLU_LIMIT))
        criteria += [
            Criterion(
                f"×{factor}: a megabyte of {name}, CPU as multiple of CoNLL's",
                speeds["conll"] / speeds[name],
                MEGABYTE_LIMIT,
            )
            for name in speeds
            if name in BESIDE_CONLL
        ]
    table = Table(
        f"The same {factor * corpora.DOCUMENTS_PER_FACTOR:,} documents in every format, streamed"
        " with all their layers (Parquet counts as CSV)",
        ["format", "size", "CPU s", "MB / CPU s", "peak", "runs"],
        rows,
    )
    return Report([table], criteria)


def _scored_as_conllu(factor: int, repeats: int) -> float:
    """CPU of scoring CoNLL-U files, as a multiple of scoring CoNLL files."""
    conll, conllu = (
        run_repeatedly(
            [sys.executable, "-m", "corefine", "score", pair.key, pair.response], repeats
        ).cpu
        for pair in (corpora.conll(factor), corpora.conllu(factor))
    )
    return conllu / conll


def written_formats() -> list[str]:
    """The names of the formats that corefine reads and writes."""
    from corefine.formats import all_formats

    return [format.name for format in all_formats() if format.write]


def stream_format(path: str, format: str, repeats: int) -> dict[str, float]:
    """A file or folder from its bytes to a corpus."""
    from corefine.formats import read

    return cpu_medians(repeats, corefine=lambda: read(path, format))
