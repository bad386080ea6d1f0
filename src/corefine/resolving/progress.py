"""How a long task tells that it goes on."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and how much there is."""
