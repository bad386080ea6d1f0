"""Composing a report: the corpora are read and analysed, the page is put together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from corefine.choices import closest
from corefine.comparing.comparison import Comparison
from corefine.comparing.plan import Plan
from corefine.comparing.systems import NARROW
from corefine.corpus import Corpus
from corefine.errors import UsageError
from corefine.kinds import KindSpec, plan_of
from corefine.metrics.registry import MetricSpec, resolve
from corefine.report.analysis import Progress, Study
from corefine.report.comparison import disagreements_grid, pairs_grid, summary_grid
from corefine.report.comparison_figures import (
    document_tau_figure,
    rank_figure,
    system_tau_figure,
)
from corefine.report.made import Report
from corefine.report.markup import Element, element
from corefine.report.page import Overview, Section, render
from corefine.report.payload import chunks
from corefine.report.pictures import breakdown_figures, overview_figures
from corefine.scoring import Side, as_corpus, settings_from

READING, ANALYSING = 0.2, 0.6
"""Shares of the work: reading the files, analysing them; the rest is writing the page."""


def compose(
    key: Side,
    responses: Sequence[Side],
    *,
    names: Sequence[str] | None,
    metrics: MetricSpec,
    kinds: KindSpec,
    documents: Sequence[str] | None,
    worst: int | None,
    title: str | None,
    plan: Plan,
    sections: Sequence[Section],
    progress: Progress,
    settings: Mapping[str, Any],
) -> Report:
    """Make a report; see :func:`corefine.report`."""
    if not responses:
        raise UsageError("there is no response to report on", remedy="Give at least one.")
    if documents is not None and worst is not None:
        raise UsageError("documents and worst cannot both choose the documents to show")
    if worst is not None and worst < 1:
        raise UsageError(f"{worst} documents cannot be shown", remedy="Ask for at least 1.")
    # What is wrong with the options is said before anything is read.
    settings_from(settings), resolve(metrics), plan_of(kinds)
    named = response_names(responses, names)
    progress("reading the key", 0.0)
    key_corpus = _read(key, "key")
    corpora = []
    for number, (name, response) in enumerate(zip(named, responses, strict=True), 1):
        progress(f"reading {name}", READING * number / (len(responses) + 1))
        corpora.append((name, _read(response, "response")))
    study = Study.of(
        key_corpus,
        corpora,
        metrics,
        kinds,
        settings,
        plan=plan,
        progress=_part(progress, READING, ANALYSING),
    )
    shown = _shown(study, documents, worst)
    writing = _part(progress, READING + ANALYSING, 1 - READING - ANALYSING)
    pieces = []
    for number, chunk in enumerate(chunks(study, shown)):
        writing("packing documents", number / (len(shown) + 2 * len(named) + 1))
        pieces.append(chunk)
    several = len(named) > 1
    own = [] if study.comparison is None else [comparison_section(study.comparison, study.lead)]
    breakdown = Section(
        "breakdown",
        "Breakdown",
        ["What the errors of each type cost, and what they have in common."],
        figures=[
            figure
            for analysis in study.analyses
            for figure in breakdown_figures(analysis, study.lead, named=several)
        ],
    )
    html = render(
        title or f"Coreference report: {', '.join(named)}",
        overview(study),
        named,
        [breakdown, *own, *sections],
        pieces,
        _shown_note(len(shown), len(study.key.documents)),
    )
    progress("done", 1.0)
    return Report(html, {analysis.name: analysis.scores for analysis in study.analyses})


def _part(progress: Progress, start: float, share: float) -> Callable[[str, float], None]:
    return lambda what, done: progress(what, start + share * done)


def _read(side: Side, what: str) -> Corpus:
    if isinstance(side, str | os.PathLike):
        from corefine.formats import read

        return read(side)
    return as_corpus(side, what)


def response_names(responses: Sequence[Side], names: Sequence[str] | None) -> list[str]:
    """A name for each response, no two the same: as given, or after its file."""
    if names is not None:
        if len(names) != len(responses):
            raise UsageError(f"there are {len(names)} names for {len(responses)} responses")
        given = [str(name) for name in names]
        repeated = [name for name in given if given.count(name) > 1]
        if repeated:
            raise UsageError(f"two responses are named {repeated[0]!r}")
        return given
    paths = [
        Path(os.fspath(side)) if isinstance(side, str | os.PathLike) else None for side in responses
    ]
    short = ["response" if path is None else _stem(path) for path in paths]
    # Files of the same name in several folders are told apart by the folder, else by a number.
    result: list[str] = []
    for path, name in zip(paths, short, strict=True):
        if path is not None and path.parent.name and short.count(name) > 1:
            name = f"{path.parent.name}/{name}"
        number, unique = 2, name
        while unique in result:
            number, unique = number + 1, f"{name} {number}"
        result.append(unique)
    return result


def _stem(path: Path) -> str:
    """The file's name without its ending, and without that of its compression."""
    name = path.stem if path.suffix in {".gz", ".bz2", ".xz", ".zst"} else path.name
    return Path(name).stem


def _shown(study: Study, documents: Sequence[str] | None, worst: int | None) -> list[int]:
    """The numbers of the documents whose text is in the report."""
    known = study.key.documents
    if documents is not None:
        for name in documents:
            if name not in known:
                raise UsageError(
                    f"there is no document {name!r} in the key",
                    remedy=f"It has {len(known):,}.{closest(name, known)}",
                )
        return [known.index(name) for name in dict.fromkeys(documents)]
    if worst is None:
        return list(range(len(known)))
    systems = range(len(study.names))
    f1 = np.mean([study.document_f1(system, study.lead) for system in systems], axis=0)
    return [int(document) for document in np.argsort(f1, kind="stable")[:worst]]


def _shown_note(shown: int, documents: int) -> str:
    if shown == documents:
        return ""
    return (
        f"Scores and charts are of all {documents:,} documents; the entities, errors and text of "
        f"{shown:,} of them are in this report."
    )


def comparison_section(comparison: Comparison, lead: str) -> Section:
    """Which differences between the responses are more than chance."""
    disagreements = disagreements_grid(comparison)
    figures = [document_tau_figure(comparison)]
    if len(comparison.systems) > 2:
        figures += [system_tau_figure(comparison), rank_figure(comparison, lead)]
    return Section(
        "comparison",
        "Comparison",
        [
            f"Differences between responses on the same documents, by {comparison.plan.test}.",
            *comparison.warnings,
            *(() if disagreements.rows else disagreements.notes),
        ],
        [
            summary_grid(comparison),
            pairs_grid(comparison),
            *((disagreements,) if disagreements.rows else ()),
        ],
        figures,
    )


def overview(study: Study) -> Overview:
    """The first section: what was scored, the scores with their intervals, and the charts."""
    key, documents, units = study.key, len(study.key.documents), len(study.units)
    several = len(study.names) > 1
    what = f"{len(study.names)} responses" if several else f"The response {study.names[0]}"
    verb = "were" if several else "was"
    unit = study.unit
    notes = [f"With a single {unit} there are no intervals: {unit}s are resampled."]
    if units > 1:
        drawn = f"{study.plan.resamples:,} bootstrap samples of the {units:,} {unit}s"
        notes = [f"In brackets: {100 * study.plan.confidence:g}% intervals from {drawn}."]
    if 1 < units < NARROW:
        notes.append(f"With fewer than {NARROW} {unit}s the intervals are too narrow.")
    scores = study.analyses[0].scores
    return Overview(
        f"{what} {verb} scored against a key of {documents:,} "
        f"document{'' if documents == 1 else 's'} with {len(key.mentions):,} mentions in "
        f"{len(study.analyses[0].table.key):,} entities.",
        study.warnings(),
        score_table(study),
        notes,
        str(scores.signature),
        corpus_table(study),
        overview_figures(study),
    )


def score_table(study: Study) -> Element:
    """Metrics in rows; precision, recall and F1 with its interval for every response."""
    several = len(study.names) > 1
    top = [element("th", "metric", scope="col", rowspan=2 if several else None)]
    second: list[Element] = []
    for name in study.names:
        if several:
            top.append(
                element("th", name, scope="colgroup", colspan=3, class_="number", dir="auto")
            )
        second += [element("th", text, scope="col", class_="number") for text in ("P", "R", "F1")]
    head = [element("tr", top), element("tr", second)] if several else [element("tr", top, second)]
    body = []
    for metric in study.metrics:
        values = [analysis.scores[metric] for analysis in study.analyses]
        best = max(score.f1 for score in values)
        cells = [element("th", metric, scope="row")]
        for name, score in zip(study.names, values, strict=True):
            ends = study.intervals.get((name, metric))
            small = (
                []
                if ends is None
                else [element("small", f"[{_percent(ends[0])}, {_percent(ends[1])}]")]
            )
            cells += [
                element("td", _percent(score.precision), class_="number"),
                element("td", _percent(score.recall), class_="number"),
                element(
                    "td",
                    _percent(score.f1),
                    small,
                    class_="number best" if several and score.f1 == best else "number",
                ),
            ]
        body.append(element("tr", cells))
    return element("table", element("thead", head), element("tbody", body), class_="scores")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f}"


def corpus_table(study: Study) -> Element:
    """How much of everything there is on each side."""
    rows: list[tuple[str, list[str]]] = [("mentions", []), ("entities", []), ("singletons", [])]
    first = study.analyses[0].table
    for side in (first.key, *(analysis.table.response for analysis in study.analyses)):
        counts = (int(side.size.sum()), len(side), int(np.count_nonzero(side.size == 1)))
        for (_, cells), count in zip(rows, counts, strict=True):
            cells.append(f"{count:,}")
    rows.append(("mentions in common", ["", *(f"{a.matched.counts[2]:,}" for a in study.analyses)]))
    rows.append(("errors", ["", *(f"{len(a.errors):,}" for a in study.analyses)]))
    kept = [analysis.entities.information_kept for analysis in study.analyses]
    rows.append(("information kept", ["", *(_percent(share) for share in kept)]))
    head = [element("td", "")] + [
        element("th", name, scope="col", class_="number", dir="auto")
        for name in ("key", *study.names)
    ]
    body = [
        element(
            "tr",
            element("th", name, scope="row"),
            [element("td", cell, class_="number") for cell in cells],
        )
        for name, cells in rows
    ]
    return element("table", element("thead", element("tr", head)), element("tbody", body))
