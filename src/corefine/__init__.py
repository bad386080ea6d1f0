"""corefine: judge coreference resolution.

Score a response against a key, compare systems, explain errors, and see when not to trust a score.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from corefine._version import __version__

# Not when it is first used: `report` is also the name of a room, which would then take its place.
from corefine.report.making import report

if TYPE_CHECKING:
    from corefine.auditing import Audit, audit
    from corefine.comparing.annotators import Agreement, agree
    from corefine.comparing.comparison import Comparison
    from corefine.comparing.systems import compare
    from corefine.corpus import Corpus, Kind
    from corefine.errors import CorefineError, CorefineWarning
    from corefine.evaluator import Evaluator
    from corefine.explaining import entities, explain
    from corefine.formats import read, write
    from corefine.scores import Score, Scores, Signature
    from corefine.scoring import score
    from corefine.settings import Settings

_ROOMS = {
    "Agreement": "corefine.comparing.annotators",
    "Audit": "corefine.auditing",
    "Comparison": "corefine.comparing.comparison",
    "CorefineError": "corefine.errors",
    "CorefineWarning": "corefine.errors",
    "Corpus": "corefine.corpus",
    "Evaluator": "corefine.evaluator",
    "Kind": "corefine.corpus",
    "Score": "corefine.scores",
    "Scores": "corefine.scores",
    "Settings": "corefine.settings",
    "Signature": "corefine.scores",
    "agree": "corefine.comparing.annotators",
    "audit": "corefine.auditing",
    "compare": "corefine.comparing.systems",
    "entities": "corefine.explaining",
    "explain": "corefine.explaining",
    "read": "corefine.formats",
    "report": "corefine.report.making",
    "score": "corefine.scoring",
    "write": "corefine.formats",
}
"""Where each public name lives. A name's room is opened when the name is first used, so that
`import corefine` costs next to nothing and a command loads only what it needs."""

__all__ = [
    "Agreement",
    "Audit",
    "Comparison",
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
    "agree",
    "audit",
    "compare",
    "entities",
    "explain",
    "read",
    "report",
    "score",
    "write",
]


def __getattr__(name: str) -> Any:
    room = _ROOMS.get(name)
    if room is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(room), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
