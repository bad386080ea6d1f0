"""A small text of our own with a key and two responses, one careful and one eager."""

from __future__ import annotations

from importlib.resources import files


def sample_path(name: str) -> str:
    """The path of a bundled sample: ``key``, ``careful`` or ``eager``."""
    return str(files(__name__) / f"{name}.conll")
