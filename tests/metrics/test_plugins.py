"""Metrics that other installed packages bring by entry points."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.building import toy_packages
from tests.building.toy_packages import run

PURITY = """
from dataclasses import dataclass

import numpy as np

from corefine.metrics import RatioMetric


@dataclass(frozen=True)
class Purity(RatioMetric):
    name = "NAME"
    title = "Purity"
    summary = "Mentions in the largest part of their entity."
    citation = "Zhao & Karypis 2001"

    def statistics(self, table):
        def largest(one):
            most = np.zeros(len(one.key), np.int64)
            np.maximum.at(most, one.cells.key, one.cells.count)
            return one.per_document(one.key.document, most)

        return {
            "precision_part": largest(table.swapped),
            "precision_whole": table.per_document(table.response.document, table.response.size),
            "recall_part": largest(table),
            "recall_whole": table.per_document(table.key.document, table.key.size),
        }
"""


def install(folder: Path, target: str, name: str = "purity", extra: str = "") -> None:
    """Install a toy package with one entry point of metrics into a folder."""
    code = PURITY.replace("NAME", name) + extra
    toy_packages.install(folder, "corefine.metrics", "purity", code, name, target)


REGISTERS = "\nfrom corefine.metrics import register\nregister(Purity)\n"


@pytest.mark.parametrize(
    ("target", "extra"), [("toy.purity:Purity", ""), ("toy.purity", REGISTERS)]
)
def test_a_package_brings_a_metric(tmp_path: Path, target: str, extra: str) -> None:
    install(tmp_path, target, extra=extra)
    script = """
import corefine
from corefine.metrics import registered
found = corefine.score([["a", "b", "c"], ["d"]], [["a", "b"], ["c", "d"]], "purity,muc")
assert found["purity"].recall == 3 / 4, found
assert found["purity"].precision == 3 / 4
assert str(found["purity"].signature).startswith("purity|match:exact")
assert "purity" in [metric.name for metric in registered()]
assert "purity" in corefine.score([["a", "b"]], [["a", "b"]], "all")
"""
    done = run(tmp_path, script)
    assert done.returncode == 0, done.stderr


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    install(tmp_path, "toy.purity:Purity", name="muc")
    done = run(tmp_path, "import corefine; corefine.score([['a']], [['a']], 'all')")
    assert done.returncode == 1
    assert "the metric name 'muc' is already used by corefine.metrics.muc.Muc" in done.stderr


def test_a_broken_package_costs_only_those_who_ask_for_it(tmp_path: Path) -> None:
    install(tmp_path, "toy.purity:Missing")
    assert run(tmp_path, "import corefine; corefine.score([['a']], [['a']])").returncode == 0
    done = run(tmp_path, "import corefine; corefine.score([['a']], [['a']], 'purity')")
    assert "Update that package, or uninstall it." in done.stderr
