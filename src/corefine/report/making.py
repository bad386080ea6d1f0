"""``corefine.report``: one HTML file in which a person sees what went wrong and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corefine.kinds import KindSpec
    from corefine.metrics.registry import MetricSpec
    from corefine.report.made import Report
    from corefine.report.page import Section
    from corefine.scoring.score import Side


def report(
    key: Side,
    *responses: Side,
    names: Sequence[str] | None = None,
    metrics: MetricSpec = "default",
    kinds: KindSpec = "auto",
    documents: Sequence[str] | None = None,
    worst: int | None = None,
    title: str | None = None,
    replicates: int = 10_000,
    confidence: float = 0.95,
    sections: Sequence[Section] = (),
    progress: Callable[[str, float], None] | None = None,
    **settings: Any,
) -> Report:
    """A report on one or more responses to a key: scores, charts, entities, errors and the text.

    Key and responses are paths, corpora or lists of entities, as for :func:`corefine.score`;
    ``metrics``, ``kinds`` and the settings are the same as there. ``names`` are those of the
    responses; without them they are named after their files. All documents are scored;
    ``documents`` names those whose text is in the report, and ``worst`` takes so many with the
    lowest F1 instead (of the CoNLL average if it is among the metrics, otherwise of the first,
    averaged over the responses). Intervals of this ``confidence`` are made from so many bootstrap
    ``replicates`` over documents. ``sections`` are added to the page. ``progress`` is called with
    what is being done and the share of the work that is done.

    >>> made = report([["a", "b", "c"]], [["a", "b"], ["c"]], metrics="muc,lea")
    >>> made.scores["response"]["muc"].recall
    0.5
    >>> made.html.startswith("<!doctype html>")
    True
    """
    from corefine.comparing.plan import Plan
    from corefine.report.composing import compose

    return compose(
        key,
        responses,
        names=names,
        metrics=metrics,
        kinds=kinds,
        documents=documents,
        worst=worst,
        title=title,
        plan=Plan(alpha=1 - confidence, replicates=replicates),
        sections=sections,
        progress=progress or (lambda what, share: None),
        settings=settings,
    )
