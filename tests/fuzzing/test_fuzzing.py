"""The short lane of the fuzzer; ``scripts/fuzz`` runs it for as long as is wanted."""

from __future__ import annotations

import pytest

pytest.importorskip("resource", reason="limits are told only where there are signals")

from tests.fuzzing.damages import run


def test_damaged_files_are_read_rightly_or_refused() -> None:
    report = run(700, seed=0)
    assert report.failures == []
    assert report.compared
