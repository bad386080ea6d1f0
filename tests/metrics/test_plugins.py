"""Metrics that other installed packages bring by entry points."""

from __future__ import annotations

import pytest

from tests.building import toy_packages
from tests.building.toy_packages import run

PURITY = """
from dataclasses import dataclass

import numpy as np

from corefine.metrics import Contributions, RatioMetric


@dataclass(frozen=True)
class Purity(RatioMetric):
    name = "NAME"
    title = "Purity"
    summary = "Mentions in the largest part of their entity."
    citation = "Zhao & Karypis 2001"

    def contributions(self, table):
        def largest(entity, entities):
            best = np.full(entities, -1)
            for cell in np.argsort(table.cells.count, kind="stable"):
                best[entity[cell]] = cell
            return np.where(np.isin(np.arange(len(entity)), best), table.cells.count, 0)

        key, response, cells = table.key, table.response, table.cells
        return Contributions(
            largest(cells.response, len(response)), largest(cells.key, len(key)),
            response.size, key.size,
        )
"""


REGISTERS = "\nfrom corefine.metrics import register\nregister(Purity)\n"
SCORES = """
import corefine
from corefine.metrics import registered
found = corefine.score([["a", "b", "c"], ["d"]], [["a", "b"], ["c", "d"]], "purity,muc")
assert tuple(found["purity"])[:2] == (3 / 4, 3 / 4), found
assert str(found["purity"].signature).startswith("purity|match:exact")
assert "purity" in [metric.name for metric in registered()]
assert "purity" in corefine.score([["a", "b"]], [["a", "b"]], "all")
"""


@pytest.mark.parametrize(
    ("name", "target", "extra"),
    [
        ("purity", "toy.purity:Purity", ""),
        pytest.param("purity", "toy.purity", REGISTERS, marks=pytest.mark.slow),
        pytest.param("muc", "toy.purity:Purity", "", marks=pytest.mark.slow),
        pytest.param("purity", "toy.purity:Missing", "", marks=pytest.mark.slow),
    ],
    ids=["class", "module", "taken name", "missing name"],
)
def test_metrics_of_other_packages(tmp_path, name, target, extra):
    """They are scored; a broken package is named in a warning where all metrics are asked for."""
    code = PURITY.replace("NAME", name) + extra
    toy_packages.install(tmp_path, "corefine.metrics", "purity", code, name, target)
    if name == "purity" and "Missing" not in target:
        done = run(tmp_path, SCORES)
        assert done.returncode == 0, done.stderr
        return
    done = run(tmp_path, "import corefine; corefine.score([['a']], [['a']], 'all')")
    assert done.returncode == 0
    assert "toy-metrics" in done.stderr
    scored = run(tmp_path, "import corefine; corefine.score([['a', 'b']], [['a', 'b']])")
    assert scored.stderr == ""
