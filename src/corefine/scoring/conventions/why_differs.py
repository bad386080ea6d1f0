"""Why a scorer's number differs from corefine's: convention by convention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from corefine.corpus.corpus import Corpus
from corefine.scoring.conventions.imitation import overridden, score_as
from corefine.scoring.conventions.tools import COREFINE, Conventions, way_to
from corefine.scoring.scores import Score


@dataclass(frozen=True, slots=True)
class Difference:
    """One step from corefine's number to the tool's: what changes, and every metric after it."""

    convention: str
    scores: dict[str, Score]
    moved: dict[str, float]
    """By how much F1 moved with this step."""


def why_differs(
    key: Corpus,
    response: Corpus,
    tool: Conventions,
    metrics: str = "default",
    settings: Mapping[str, str] | None = None,
) -> list[Difference]:
    """The steps from corefine's scores, which the first has, to the tool's, which the last has.

    Conventions are changed one after another, in the order of ``tools``;
    what a step moves may depend on those before it. ``settings`` override some of the tool's, as in
    :func:`~corefine.scoring.conventions.imitation.score_as`.
    """
    tool, _ = overridden(tool, settings)
    others = {name: value for name, value in (settings or {}).items() if not hasattr(tool, name)}
    start = replace(COREFINE, metrics=tool.metrics, missing_documents=tool.missing_documents)
    before = score_as(key, response, start, metrics, others).by_name
    steps = [Difference("corefine", dict(before), dict.fromkeys(before, 0.0))]
    for words, conventions in way_to(tool):
        after = score_as(key, response, conventions, metrics, others).by_name
        moved = {name: after[name].f1 - before[name].f1 for name in after}
        steps.append(Difference(words, dict(after), moved))
        before = after
    return steps
