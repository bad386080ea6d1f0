"""Shared by all tests: real corpora, cases of the papers, hypothesis profiles."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Playwright runs once per process, so all tests of pages share one browser.
from tests.building.browsing import axe, browser, serious_violations  # noqa: F401
from tests.building.serving import tab  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("COREFINE_DATA", ROOT.parent / "shared" / "data"))
CASES = Path(__file__).parent / "fixtures" / "cases"

# A test with its own number of examples keeps it; one with hundreds is marked slow.
# The speed of drawing examples depends on the load of the machine.
settings.register_profile(
    "corefine", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fast", settings.get_profile("corefine"), max_examples=10)


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples per property if slow tests are left out."""
    fast = "not slow" in config.getoption("markexpr")
    settings.load_profile("fast" if fast else "corefine")


class RealCorpora:
    """The folder of real corpora: ``data / "gum"`` skips the test without this corpus."""

    def __truediv__(self, name: str) -> Path:
        if not (DATA / name).exists():
            pytest.skip(f"there is no {name} among the real corpora at {DATA}; set COREFINE_DATA")
        return DATA / name

    def files(self, pattern: str) -> list[Path]:
        """The files of all corpora that match a pattern; without any, the test is skipped."""
        found = sorted(DATA.glob(pattern))
        if not found:
            pytest.skip(f"there is no {pattern} at {DATA}; set COREFINE_DATA")
        return found


@pytest.fixture(scope="session")
def data() -> RealCorpora:
    return RealCorpora()


def load_cases(*names: str) -> list[dict[str, Any]]:
    """The cases of these files, mentions being strings, numbers or pairs."""
    cases = []
    for name in names:
        for case in json.loads((CASES / f"{name}.json").read_text("utf-8")):
            for side in ("key", "response"):
                case[side] = [
                    [tuple(mention) if isinstance(mention, list) else mention for mention in entity]
                    for entity in case[side]
                ]
            cases.append(case)
    return cases
