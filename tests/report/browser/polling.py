"""Waiting for a page from outside: its policy allows no evaluation of strings inside it."""

from __future__ import annotations

import time
from typing import Any

PATIENCE = 300.0
"""Seconds; a page needs less than one if the machine is not busy."""


def until(page: Any, expression: str) -> None:
    """Wait until an expression of the page is true."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"this never came true: {expression}"
        page.wait_for_timeout(20)
