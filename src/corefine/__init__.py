"""corefine: judge coreference resolution.

Score a response against a key, compare systems, explain errors, and see when not to trust a score.
"""

from __future__ import annotations

from corefine._version import __version__
from corefine.corpus import Corpus, Kind
from corefine.errors import CorefineError, CorefineWarning
from corefine.evaluator import Evaluator
from corefine.formats import read, write
from corefine.scores import Score, Scores, Signature
from corefine.scoring import score
from corefine.settings import Settings

__all__ = [
    "CorefineError",
    "CorefineWarning",
    "Corpus",
    "Evaluator",
    "Kind",
    "Score",
    "Scores",
    "Settings",
    "Signature",
    "__version__",
    "read",
    "score",
    "write",
]
