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


@pytest.mark.parametrize(
    ("target", "name"), [("toy.purity:Purity", "muc"), ("toy.purity:Missing", "purity")]
)
def test_a_broken_package_is_named_in_a_warning(tmp_path: Path, target: str, name: str) -> None:
    install(tmp_path, target, name=name)
    done = run(
        tmp_path, "import corefine; print(corefine.score([['a']], [['a']], 'all')['muc'].f1)"
    )
    assert done.returncode == 0
    assert "the package toy-metrics" in done.stderr
    assert run(tmp_path, "import corefine; corefine.score([['a']], [['a']])").stderr == ""
