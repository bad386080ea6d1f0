"""Papers: recomputed tables, figures and claims.

A paper is a data file in ``data`` that :mod:`corefine.explaining.papers.evaluation` evaluates, and
a module for what only this paper needs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module

from corefine.errors import CorefineWarning, choose
from corefine.explaining.papers.evaluation import Paper
from corefine.explaining.papers.results import Cell, Claim, Reproduction

PAPERS = {
    "chen-ng": "corefine.explaining.papers.chen_ng",
    "holen": "corefine.explaining.papers.holen",
    "moosavi-strube": "corefine.explaining.papers.moosavi_strube",
    "kaczmarek-marcinczuk": "corefine.explaining.papers.kaczmarek_marcinczuk",
    "mcores": None,
}
"""The papers by name, and their modules."""

__all__ = ["PAPERS", "Cell", "Claim", "Reproduction", "reproduce"]


def reproduce(paper: str) -> Reproduction:
    """Compute the tables, figures and claims of a paper."""
    module = PAPERS[choose("the paper", paper, tuple(PAPERS))]
    with warnings.catch_warnings():
        # The papers' examples are odd on purpose: some responses have no correct mention.
        warnings.simplefilter("ignore", CorefineWarning)
        if module is None:
            return Paper(paper).evaluate()
        run: Callable[[], Reproduction] = import_module(module).reproduce
        return run()
