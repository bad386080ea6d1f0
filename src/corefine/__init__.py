"""corefine: evaluation of coreference resolution.

Score responses against a key, compare systems, explain errors, and check which metrics to trust.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from corefine._version import __version__ as __version__

# Not when it is first used: `report` is also a package, which would then take its place.
from corefine.report.report import report as report

if TYPE_CHECKING:
    from corefine.comparing.comparison import Comparison as Comparison
    from corefine.comparing.gate import Gate as Gate
    from corefine.comparing.gate import gate as gate
    from corefine.comparing.suites import SuiteComparison as SuiteComparison
    from corefine.comparing.suites import SuiteScores as SuiteScores
    from corefine.comparing.suites import compare_suite as compare_suite
    from corefine.comparing.suites import score_suite as score_suite
    from corefine.comparing.systems import compare as compare
    from corefine.corpus.columns import Kind as Kind
    from corefine.corpus.columns import Relation as Relation
    from corefine.corpus.corpus import Corpus as Corpus
    from corefine.corpus.document import Document as Document
    from corefine.corpus.document import Mention as Mention
    from corefine.curating.adjudication import Adjudication as Adjudication
    from corefine.curating.adjudication import adjudicate as adjudicate
    from corefine.curating.agreement import Agreement as Agreement
    from corefine.curating.agreement import agree as agree
    from corefine.curating.checking import check as check
    from corefine.curating.describing import describe as describe
    from corefine.curating.repairing import repair as repair
    from corefine.curating.suspects import suspects as suspects
    from corefine.errors import CorefineError as CorefineError
    from corefine.errors import CorefineWarning as CorefineWarning
    from corefine.explaining.audit import Audit as Audit
    from corefine.explaining.audit import audit as audit
    from corefine.explaining.challenges import challenge as challenge
    from corefine.explaining.entities import entities as entities
    from corefine.explaining.explanation import explain as explain
    from corefine.formats import convert as convert
    from corefine.formats import read as read
    from corefine.formats import write as write
    from corefine.formats.sample import sample as sample
    from corefine.formats.tagged.tagged import read_tagged as read_tagged
    from corefine.matching.settings import Settings as Settings
    from corefine.metrics.registry import cite as cite
    from corefine.metrics.table import Table as Table
    from corefine.report.leaderboard import Leaderboard as Leaderboard
    from corefine.report.leaderboard import leaderboard as leaderboard
    from corefine.report.suite import report_suite as report_suite
    from corefine.scoring.count import Counts as Counts
    from corefine.scoring.count import count as count
    from corefine.scoring.evaluator import Evaluator as Evaluator
    from corefine.scoring.records import score_table as score_table
    from corefine.scoring.request import Request as Request
    from corefine.scoring.score import score as score
    from corefine.scoring.scorers.why_differs import why_differs as why_differs
    from corefine.scoring.scores import Score as Score
    from corefine.scoring.scores import Scores as Scores
    from corefine.scoring.scores import Signature as Signature
    from corefine.scoring.stored import load_scores as load_scores

_MODULES = {
    "Adjudication": "corefine.curating.adjudication",
    "Agreement": "corefine.curating.agreement",
    "Audit": "corefine.explaining.audit",
    "Comparison": "corefine.comparing.comparison",
    "CorefineError": "corefine.errors",
    "CorefineWarning": "corefine.errors",
    "Corpus": "corefine.corpus.corpus",
    "Counts": "corefine.scoring.count",
    "Document": "corefine.corpus.document",
    "Evaluator": "corefine.scoring.evaluator",
    "Gate": "corefine.comparing.gate",
    "Kind": "corefine.corpus.columns",
    "Leaderboard": "corefine.report.leaderboard",
    "Mention": "corefine.corpus.document",
    "Relation": "corefine.corpus.columns",
    "Request": "corefine.scoring.request",
    "Score": "corefine.scoring.scores",
    "Scores": "corefine.scoring.scores",
    "Settings": "corefine.matching.settings",
    "Signature": "corefine.scoring.scores",
    "Table": "corefine.metrics.table",
    "SuiteComparison": "corefine.comparing.suites",
    "SuiteScores": "corefine.comparing.suites",
    "adjudicate": "corefine.curating.adjudication",
    "agree": "corefine.curating.agreement",
    "audit": "corefine.explaining.audit",
    "challenge": "corefine.explaining.challenges",
    "check": "corefine.curating.checking",
    "cite": "corefine.metrics.registry",
    "compare": "corefine.comparing.systems",
    "compare_suite": "corefine.comparing.suites",
    "convert": "corefine.formats",
    "count": "corefine.scoring.count",
    "describe": "corefine.curating.describing",
    "entities": "corefine.explaining.entities",
    "explain": "corefine.explaining.explanation",
    "gate": "corefine.comparing.gate",
    "leaderboard": "corefine.report.leaderboard",
    "load_scores": "corefine.scoring.stored",
    "read": "corefine.formats",
    "read_tagged": "corefine.formats.tagged.tagged",
    "repair": "corefine.curating.repairing",
    "report": "corefine.report.report",
    "report_suite": "corefine.report.suite",
    "sample": "corefine.formats.sample",
    "score": "corefine.scoring.score",
    "score_suite": "corefine.comparing.suites",
    "score_table": "corefine.scoring.records",
    "suspects": "corefine.curating.suspects",
    "why_differs": "corefine.scoring.scorers.why_differs",
    "write": "corefine.formats",
}
"""Module of each public name. It is imported when the name is first used, so that
`import corefine` costs next to nothing and a command loads only what it needs."""

__all__ = sorted(["__version__", *_MODULES])
"""The public names. Type checkers find them in the imports above, hence `as`."""


_ELSEWHERE = {
    **dict.fromkeys(("evaluate", "compute"), "corefine.score(key, response)"),
    **dict.fromkeys(("Scorer", "Metric"), "corefine.Evaluator(metrics)"),
    **dict.fromkeys(("load", "load_corpus", "read_conll", "open"), "corefine.read(path)"),
    **dict.fromkeys(("Cluster", "Entity", "Chain"), "document.entities, lists of corefine.Mention"),
    **dict.fromkeys(("Span", "Token"), "corefine.Mention, whose spans are (start, end)"),
    **dict.fromkeys(("list_metrics", "available_metrics"), "corefine.metrics.registered()"),
    **dict.fromkeys(("list_formats", "formats_list"), "corefine.formats.all_formats()"),
    **dict.fromkeys(("errors_of", "analyse", "analyze"), "corefine.explain(key, response)"),
    **dict.fromkeys(("significance", "significance_test", "bootstrap"), "corefine.compare"),
    **dict.fromkeys(
        ("muc", "b3", "b_cubed", "bcubed", "ceaf", "ceafe", "ceafm", "blanc", "lea", "conll", "f1"),
        "corefine.score(key, response, metrics)",
    ),
    "demo": "corefine.sample()",
}
"""Advice for names that other packages use."""


def _other(name: str) -> str:
    """A hint on a public name that was meant."""
    if name.startswith("_"):
        return ""
    if name in _ELSEWHERE:
        return f" Use {_ELSEWHERE[name]}."
    from corefine.errors import closest

    return closest(name, __all__)


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{_other(name)}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
