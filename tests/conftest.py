"""What all tests share: the real corpora, where they are, and the cases of the papers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("COREFINE_DATA", ROOT.parent / "shared" / "data"))
CASES = Path(__file__).parent / "fixtures" / "cases"

settings.register_profile("corefine", deadline=None, max_examples=100)
settings.load_profile("corefine")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora; tests that need it are skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"there are no real corpora at {DATA}; set COREFINE_DATA")
    return DATA


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
