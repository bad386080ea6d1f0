"""What all tests share: the real corpora, where they are, and the cases of the papers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Playwright runs once in a process, so all tests of pages share one browser.
from tests.building.browsing import axe, browser, serious_violations  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("COREFINE_DATA", ROOT.parent / "shared" / "data"))
CASES = Path(__file__).parent / "fixtures" / "cases"

FAST_EXAMPLES = 10
"""Examples of each property where slow tests are left out."""

settings.register_profile("corefine", deadline=None, max_examples=100)
settings.register_profile("fast", deadline=None, max_examples=FAST_EXAMPLES)


def is_fast(config: pytest.Config) -> bool:
    """Whether slow tests are left out: then properties are tried on fewer examples, too."""
    return "not slow" in config.getoption("markexpr")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("fast" if is_fast(config) else "corefine")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the fast lane, lower the number of examples where a test asks for more."""
    if not is_fast(config):
        return
    name = "_hypothesis_internal_use_settings"
    for item in items:
        test = getattr(item, "obj", None)
        test = getattr(test, "__func__", test)
        own = getattr(test, name, None)
        if own is not None and own.max_examples > FAST_EXAMPLES:
            setattr(test, name, settings(own, max_examples=FAST_EXAMPLES))


class RealCorpora:
    """The folder of real corpora: ``data / "gum"`` skips the test where there is no such corpus."""

    def __truediv__(self, name: str) -> Path:
        if not (DATA / name).exists():
            pytest.skip(f"there is no {name} among the real corpora at {DATA}; set COREFINE_DATA")
        return DATA / name

    def files(self, pattern: str) -> list[Path]:
        """The files of all corpora of a pattern; the test is skipped where there are none."""
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
