"""``corefine.report``: one HTML file in which a person sees what went wrong and what it costs.

``import corefine`` loads this module, so that nothing else is imported before it is needed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corefine.kinds.kind_plan import KindSpec
    from corefine.metrics.registry import MetricSpec
    from corefine.output.progress import Progress
    from corefine.report.analysis import Analysis
    from corefine.report.page import Part
    from corefine.scoring.request import PartOptions, Request
    from corefine.scoring.scores import Scores
    from corefine.scoring.sides import SideLike

FRAME_HEIGHT = 760
"""Pixels of a report shown in a notebook."""


@dataclass(frozen=True, slots=True)
class Report:
    """A finished report: it shows itself in a notebook, and :meth:`save` writes it to a file."""

    html: str
    scores: dict[str, Scores]
    """The scores of each response, by its name."""
    inputs: tuple[str, ...] = ()
    """The files that were read, which :meth:`save` never overwrites."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file; one that is there is replaced only by a whole new one."""
        from corefine.output.saving import write_page

        write_page(path, self.html, self.inputs)

    def __repr__(self) -> str:
        size = len(self.html.encode("utf-8")) / 1e6
        return f"<Report on {', '.join(self.scores)}: {size:.1f} MB of HTML>"

    def _repr_html_(self) -> str:
        from html import escape

        # A frame of its own keeps the notebook's style and scripts apart from the report's.
        return (
            f'<iframe title="corefine report" width="100%" height="{FRAME_HEIGHT}" '
            'style="border:0" sandbox="allow-scripts allow-modals allow-downloads" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )


def report(
    key: SideLike,
    *responses: SideLike,
    metrics: MetricSpec = "default",
    kinds: KindSpec = "auto",
    key_format: str | None = None,
    response_format: str | None = None,
    documents: Sequence[str] | None = None,
    worst: int | None = None,
    title: str | None = None,
    replicates: int = 10_000,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
    **settings: Unpack[PartOptions],
) -> Report:
    """Make an HTML report on one or more responses: scores, charts, entities, errors and text.

    Key and responses are given as in :func:`corefine.score`; several responses as separate
    arguments, in a list, or in a dict by name: a dict is responses, never documents. Responses
    without names are named after their files. ``metrics``, ``kinds``, ``by`` and the settings are
    those of :func:`corefine.score`. All documents are scored; ``documents`` selects those whose
    text is shown, ``worst`` the N lowest-scoring ones (by CoNLL F1, else the first metric, averaged
    over responses). Confidence intervals cover 1 − ``alpha`` and come from ``replicates`` bootstrap
    samples of documents.

    >>> made = report([["a", "b", "c"]], [["a", "b"], ["c"]], metrics="muc,lea")
    >>> made.scores["response"]["muc"].recall
    0.5
    >>> made.html.startswith("<!doctype html>")
    True
    """
    from corefine.comparing.plan import Plan
    from corefine.errors import UsageError
    from corefine.output.progress import silent
    from corefine.report.analysis import Analysis
    from corefine.scoring.score import require_tagged
    from corefine.scoring.sides import named_sides, path_of, read_side

    progress = progress or silent
    if not responses:
        raise UsageError("no response given", remedy="Give at least one.")
    # Report invalid options before reading any file.
    request = checked_request(metrics, kinds, documents, worst, dict(settings))
    plan = Plan(alpha=alpha, replicates=replicates, seed=seed)
    allow_empty = request.settings.allow_empty
    read = read_side(key, "key", key_format, None, progress, allow_empty=allow_empty)
    sides = named_sides(responses, alone=True)
    refuse_several_keys(request, len(sides))
    align = request.settings.align
    corpora = (
        (
            name,
            read_side(
                side, f"response {name!r}", response_format, None, progress,
                against=read, align=align, allow_empty=allow_empty,
            ),
        )
        for name, side in sides.items()
    )  # fmt: skip
    analysis = Analysis.of(read, corpora, request, plan=plan, progress=progress)
    require_tagged(
        align,
        [explanation.scores.copies for explanation in analysis.explanations],
    )
    return finished(
        analysis,
        documents=documents,
        worst=worst,
        title=title,
        inputs=tuple(filter(None, (path_of(one, "report") for one in (key, *sides.values())))),
        progress=progress,
    )


def checked_request(
    metrics: MetricSpec,
    kinds: KindSpec,
    documents: Sequence[str] | None,
    worst: int | None,
    settings: dict[str, Any],
) -> Request:
    """The request of a report, whose options are checked before anything is read."""
    from corefine.errors import UsageError
    from corefine.scoring.breakdowns import breakdowns_from
    from corefine.scoring.request import Request

    if documents is not None and worst is not None:
        raise UsageError("documents and worst cannot be combined")
    if worst is not None and worst < 1:
        raise UsageError(f"worst cannot be {worst}", remedy="Use at least 1.")
    asked = breakdowns_from(settings.get("by"))
    if settings.get("genres") is not None and all(one.name != "genre" for one in asked):
        settings = {**settings, "by": (*asked, "genre")}  # the page shows genres in any case
    request = Request.of(metrics, kinds=kinds, shows_kinds=True, **settings)
    if request.settings.window is not None:
        raise UsageError(
            "the report shows whole documents, without a window",
            remedy="Use corefine.score, compare, explain or audit with window=.",
        )
    return request


def refuse_several_keys(request: Request, responses: int) -> None:
    """Refuse settings under which the key differs from response to response."""
    from corefine.errors import UsageError

    twinless = request.settings.twinless
    if responses > 1 and twinless in ("drop", "add-to-key"):
        raise UsageError(
            f"with twinless={twinless} each response has a key of its own, and a report shows one",
            remedy="Report on one response at a time; corefine.compare takes several.",
            code="several-keys",
        )


def finished(
    analysis: Analysis,
    *,
    documents: Sequence[str] | None,
    worst: int | None,
    title: str | None,
    first: Sequence[Part] = (),
    warnings: Sequence[str] = (),
    said: Sequence[str] = (),
    inputs: tuple[str, ...] = (),
    progress: Progress,
) -> Report:
    """The report on an analysis, with the parts of ``first`` after its overview.

    ``warnings`` question the scores, ``said`` is written below them.
    """
    from corefine.metrics.registry import title_of
    from corefine.report import sections
    from corefine.report.answers import answers, notes
    from corefine.report.document_text import Texts
    from corefine.report.page import Page, Section
    from corefine.report.page_data import chunks

    names = list(analysis.names)
    shown = _shown(analysis, documents, worst)
    pieces = []
    texts = Texts.of(analysis.key, [one.matching.response for one in analysis.explanations])
    for number, chunk in enumerate(chunks(analysis, shown, texts), 1):
        progress("packing documents", number, len(shown) + 1)
        pieces.append(chunk)
    metrics = sorted(analysis.metrics, key=lambda metric: metric != analysis.lead)
    overview = [*sections.overview_parts(analysis, said, notes(analysis)), *first]
    views = [
        Section("overview", "Overview", overview),
        *([sections.compare_section(analysis)] if len(names) > 1 else []),
        sections.errors_section(analysis, shown),
        Section("documents", "Documents", [], "documents"),
        Section("reading", "Read", [], "reading"),
    ]
    scores = [explanation.scores for explanation in analysis.explanations]
    page = Page(
        title or f"Coreference report: {', '.join(names)}",
        sections.overview_lead(analysis),
        views,
        str(scores[0].signature),
        answers(analysis, texts, shown, warnings),
        {metric: title_of(metric) for metric in metrics},
        names,
        _shown_note(len(shown), len(analysis.key.documents)),
    )
    return Report(page.render(pieces), dict(zip(names, scores, strict=True)), inputs)


def _shown(analysis: Analysis, documents: Sequence[str] | None, worst: int | None) -> list[int]:
    """The numbers of the documents whose text is in the report."""
    import numpy as np

    from corefine.errors import UsageError, closest

    known = analysis.key.documents
    if documents is not None:
        # A list with commas, as the command line takes it; an id may itself have commas in it.
        documents = [
            name
            for text in documents
            for name in ([text] if text in known else map(str.strip, text.split(",")))
        ]
        for name in documents:
            if name not in known:
                raise UsageError(
                    f"there is no document {name!r} in the key",
                    remedy=f"It has {len(known):,}.{closest(name, known)}",
                )
        return [known.index(name) for name in dict.fromkeys(documents)]
    if worst is None:
        return list(range(len(known)))
    systems = range(len(analysis.names))
    f1 = np.mean([analysis.document_f1(system, analysis.lead) for system in systems], axis=0)
    return [int(document) for document in np.argsort(f1, kind="stable")[:worst]]


def _shown_note(shown: int, documents: int) -> str:
    if shown == documents:
        return ""
    return (
        f"Scores and charts cover all {documents:,} documents; entities, errors and text are "
        f"shown for {shown:,} of them."
    )
