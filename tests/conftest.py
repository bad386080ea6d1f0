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
BEFORE = pytest.StashKey[set[Path]]()

# A test with its own number of examples keeps it; one with hundreds is marked slow.
# The speed of drawing examples depends on the load of the machine. Every run tries the same
# examples, so that a test that fails fails everywhere; COREFINE_EXPLORE=1 draws new ones.
settings.register_profile(
    "corefine",
    deadline=None,
    max_examples=50,
    derandomize="COREFINE_EXPLORE" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("fast", settings.get_profile("corefine"), max_examples=10)


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples per property if slow tests are left out."""
    fast = "not slow" in config.getoption("markexpr")
    settings.load_profile("fast" if fast else "corefine")


def visible_files() -> set[Path]:
    """What is in the folder of the project, without caches and other hidden files."""
    return {path for path in ROOT.iterdir() if not path.name.startswith(".")}


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.stash[BEFORE] = visible_files()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if a test has written outside its own folder."""
    left = visible_files() - session.config.stash[BEFORE]  # type: ignore[index]
    if left:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\ntests wrote into {ROOT}: {', '.join(sorted(path.name for path in left))}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the replays of former defects, and run them first."""
    folder = Path(__file__).parent / "regressions"
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker(pytest.mark.regressions)
    items.sort(key=lambda item: item.get_closest_marker("regressions") is None)


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
    """The cases of these files, mentions being strings, numbers or spans.

    The files have the first and the last token of a span; the spans returned have exclusive ends.
    """
    cases = []
    for name in names:
        for case in json.loads((CASES / f"{name}.json").read_text("utf-8")):
            for side in ("key", "response"):
                case[side] = [
                    [
                        (mention[0], mention[1] + 1) if isinstance(mention, list) else mention
                        for mention in entity
                    ]
                    for entity in case[side]
                ]
            cases.append(case)
    return cases
