"""Papers: one module a paper, with its data typed in as facts and everything else computed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from corefine.errors import choose
from corefine.papers.results import Cell, Claim, Reproduction

PAPERS = {
    "chen-ng": "corefine.papers.chen_ng",
    "holen": "corefine.papers.holen",
    "moosavi-strube": "corefine.papers.moosavi_strube",
    "kaczmarek-marcinczuk": "corefine.papers.kaczmarek",
    "mcores": "corefine.papers.mcores",
}
"""The papers by name, and the modules that hold them."""

__all__ = ["PAPERS", "Cell", "Claim", "Reproduction", "reproduce"]


def reproduce(paper: str) -> Reproduction:
    """Compute all that a paper prints."""
    module = import_module(PAPERS[choose("the paper", paper, tuple(PAPERS))])
    run: Callable[[], Reproduction] = module.reproduce
    return run()
