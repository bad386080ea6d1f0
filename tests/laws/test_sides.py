"""Swapping key and response swaps precision and recall of symmetric metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefine.metrics.registry import registered, resolve
from tests.building.commands import run
from tests.building.law_files import CHOSEN, each_form, put_contest

ASYMMETRIC = {"match=partial", "match=min", "twinless=add-to-key", "twinless=cai-strube"}
"""Settings that treat the key and the response differently, by definition."""
METRICS = [metric() for metric in registered()]
NAMES = ",".join(str(metric) for metric in METRICS if metric.layer == "identity")


@pytest.mark.parametrize("form", each_form("conllu"))
@pytest.mark.parametrize("settings", [name for name in CHOSEN if name not in ASYMMETRIC])
def test_swapped_sides(settings: str, form: str, tmp_path: Path) -> None:
    files = put_contest(form, tmp_path)
    setting = CHOSEN[settings]
    asked = (*setting, "--output", "json", *(("-m", NAMES) if "--layer" not in setting else ()))
    forth = run("score", files["key"], files["a"], *asked)
    back = run("score", files["a"], files["key"], *asked)
    assert back.status == forth.status
    if forth.status == 2:
        return
    for name, score in forth.json["scores"].items():
        (metric,) = resolve(name).values()
        other = back.json["scores"][name]
        if all(part.symmetric for part in metric.needs()):
            assert score["f1"] == pytest.approx(other["f1"], abs=1e-9), name
            if "precision" in score:
                assert score["precision"] == pytest.approx(other["recall"], abs=1e-9), name
                assert score["recall"] == pytest.approx(other["precision"], abs=1e-9), name
