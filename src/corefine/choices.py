"""Checking a word against the few that are allowed, with an error that helps."""

from __future__ import annotations

from collections.abc import Iterable

from corefine.errors import UsageError


def closest(word: str, allowed: Iterable[str]) -> str:
    """A hint such as " Did you mean 'lea'?", or nothing where no allowed word is near."""
    from difflib import get_close_matches  # costs more to import than most runs have errors

    near = get_close_matches(word.lower(), list(allowed), n=1, cutoff=0.6)
    return f" Did you mean {near[0]!r}?" if near else ""


def choose(what: str, word: object, allowed: tuple[str, ...]) -> str:
    """The word itself if it is one of the allowed ones, otherwise an error that lists them."""
    if isinstance(word, str) and word in allowed:
        return word
    raise UsageError(
        f"{what} cannot be {word!r}",
        remedy=f"Use one of: {', '.join(allowed)}.{closest(str(word), allowed)}",
    )
