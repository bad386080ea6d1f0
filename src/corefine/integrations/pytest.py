"""The gate as a pytest fixture: a test fails if a response scores below its baseline.

pytest finds the fixture by its entry point if corefine is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from corefine.comparing.gate import Gate


@pytest.fixture
def corefine_gate() -> Callable[..., Gate]:
    """Call it as :func:`corefine.gate`: it gives the gate that passed, or fails the test."""

    def check(*arguments: Any, **options: Any) -> Gate:
        from corefine.comparing.gate import gate
        from corefine.errors import CorefineError

        __tracebackhide__ = True
        try:
            result = gate(*arguments, **options)
        except CorefineError as error:
            # The message is for the reader; the traceback is not.
            raise error.with_traceback(None) from None
        if result.failed:
            details = result.to_text("verdict", "documents", top={"documents": 10})
            pytest.fail(f"{result.verdict}\n\n{details}", pytrace=False)
        return result

    return check
