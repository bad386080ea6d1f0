"""Composing a report: the corpora are read and analysed, the page is put together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from corefine.comparing.plan import Plan
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError, closest
from corefine.kinds import KindSpec, plan_of
from corefine.metrics.registry import MetricSpec, resolve
from corefine.report.analysis import Progress, Study
from corefine.report.made import Report
from corefine.report.page import Section, render
from corefine.report.payload import chunks
from corefine.report.sections import overview, own_sections
from corefine.scoring.score import Side, as_corpus, settings_from

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
    html = render(
        title or f"Coreference report: {', '.join(named)}",
        overview(study),
        named,
        [*own_sections(study), *sections],
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
