"""The section ``scale`` of the benchmark measures what it says."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

from benchmarks.measuring import MeasurementError, run_together, workload_command
from benchmarks.scale_workloads import NOISE, leftover
from corefine.output.charts.curves import line_chart
from corefine.output.charts.frame import Series


def test_all_processes_of_a_command_are_measured_together():
    hold = "import time; block = b'x' * 40_000_000; time.sleep(0.4)"
    start = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    alone = run_together([sys.executable, "-c", hold])
    both = run_together([sys.executable, "-c", f"block = b'x' * 40_000_000; {start}", hold])
    assert alone.peak > 40e6
    assert both.peak > alone.peak + 30e6
    assert both.wall > 0.4
    with pytest.raises(MeasurementError, match="failed"):
        run_together([sys.executable, "-c", "raise SystemExit(3)"])


def test_a_workload_may_stand_in_another_module():
    assert workload_command("giant")[2:4] == ["benchmarks.workloads", "giant"]
    assert workload_command("scale_workloads.leftover")[2:4] == [
        "benchmarks.scale_workloads",
        "leftover",
    ]


@pytest.mark.parametrize("noise", NOISE)
def test_noise_changes_about_as_much_as_asked_for(noise):
    key = np.random.default_rng(1).integers(0, 500, 10_000)
    same = NOISE[noise](np.random.default_rng(2), key, 0.0)
    changed = NOISE[noise](np.random.default_rng(2), key, 0.4)
    assert (same == key).all()
    share = float(np.mean(changed != key))
    assert share == pytest.approx(0.2 if noise == "splits" else 0.4, abs=0.05)


def test_noise_leaves_something_to_solve_only_where_there_is_much():
    little = leftover(4000, "even", "shuffles", 0.05)
    much = leftover(4000, "even", "shuffles", 0.95)
    assert little["left"] == 0 < much["largest"] <= much["left"] < much["cells"]


def test_lines_on_logarithmic_axes_have_equal_steps_for_equal_factors():
    figure = line_chart(
        "growth", [10, 100, 1000], [Series("a", [1.0, 10.0, 100.0])], unit="number",
        place_title="n", logarithmic=True,
    )  # fmt: skip
    path = re.search(r'd="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"', figure.to_svg())
    assert path is not None
    x0, y0, x1, y1, x2, y2 = map(float, path.groups())
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)
    assert y0 - y1 == pytest.approx(y1 - y2, abs=0.2)
    assert y0 > y1
