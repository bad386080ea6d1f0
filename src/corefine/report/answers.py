"""The first screen: the best system, sources of lost F1, documents to look at, and cautions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from corefine.comparing.comparison import Comparison, p_text
from corefine.comparing.power import NARROW, few_documents
from corefine.explaining.diagnosis import TYPES
from corefine.explaining.error_analysis import METRIC, resolution_lost
from corefine.metrics.registry import title_of
from corefine.output.html import Element, element
from corefine.output.plain_text import shortened
from corefine.report.analysis import Analysis
from corefine.report.charts import Estimate, estimates, matrix
from corefine.report.document_text import Texts
from corefine.report.page import Answer, by_metric, link, place, section, small_table
from corefine.report.sections import audit_panel
from corefine.scoring.sanity import CHECKS

SHOWN = 3
"""Types of errors, documents and entities that the first screen names."""
LONGEST = 40
"""Characters of the name of an entity or a document."""
THREATS = {one.code for one in CHECKS if not one.note} | {"missing-response"}
"""Codes of warnings that question the score; others are notes."""
SMALL = {"few-documents", "too-few-documents"}
"""Codes of warnings about the number of documents, shown in one line."""
Words = str | Element


def answers(
    analysis: Analysis, texts: Texts, shown: Sequence[int], warnings: Sequence[str] = ()
) -> list[Element]:
    """The four answers, by metric; links lead to documents that are shown.

    ``warnings`` are added to those of the analysis.
    """
    entities = _costly_entities(analysis, texts, set(shown))
    questions: list[Callable[[str], Answer]] = [
        lambda metric: _best(analysis, metric),
        lambda metric: _losses(analysis, metric),
        lambda metric: _first_looks(analysis, metric, set(shown), entities),
    ]
    cards = [
        by_metric({metric: ask(metric).to_html() for metric in analysis.metrics}, analysis.lead)
        for ask in questions
    ]
    return [*cards, element("div", _doubts(analysis, warnings).to_html())]


def _points(value: float) -> str:
    return f"{100 * value:.1f}".replace("-", "−")


def _best(analysis: Analysis, metric: str) -> Answer:
    names = analysis.ranking(metric)
    found = [analysis.ranked(name, metric) for name in names]
    of = f"{title_of(metric)} {'macro F1' if analysis.averages else 'F1'}"
    several = len(names) > 1
    chart = estimates(
        f"{of} of each system",
        [
            Estimate(link(name, section("errors", {"response": name} if several else {})),
                     f1, ends, analysis.names.index(name))
            for name, (f1, ends) in zip(names, found, strict=True)
        ],
        heads=("system", f"{of} [interval]"),
    )  # fmt: skip
    note = f"Bars: {100 * analysis.plan.confidence:g}% intervals over {analysis.unit}s."
    note = note if analysis.intervals else f"One {analysis.unit}: there are no intervals."
    if analysis.averages:
        note += " Macro: each data set counts the same."
    if not several:
        f1, ends = found[0]
        interval = "" if ends is None else f" [{_points(ends[0])}, {_points(ends[1])}]"
        answer = f"{names[0]}: {_points(f1)} {of}{interval}"
        return Answer("How good is the response?", answer, [chart], note=note)
    answer, sentences = _winner(analysis, metric, names)
    more: list[Words] = [link("All differences", section("compare"))]
    question = "Which system is best, and by how much?"
    return Answer(question, answer, [chart], sentences, note, more)


def _winner(analysis: Analysis, metric: str, names: Sequence[str]) -> tuple[str, list[Words]]:
    """The leading system in a few words, and what else there is to say."""
    compared, (first, second) = analysis.comparison, names[:2]
    if analysis.missing:
        gaps = [f"{name} has no response to {joined(sets, 'and')}"
                for name, sets in analysis.missing.items()]  # fmt: skip
        why = "Its missing mentions count as errors, so that systems cannot be ranked."
        return f"No ranking: {'; '.join(gaps)}", [why]
    if compared is None:
        gap = analysis.ranked(first, metric)[0] - analysis.ranked(second, metric)[0]
        if not gap:
            return f"{first} and {second} are equal", []
        return f"{first} is ahead: +{_points(gap)} {title_of(metric)}, not tested", []
    sentences: list[Words] = []
    opposed = [
        title_of(other)
        for other in analysis.metrics
        if compared.difference(first, second, other).difference < 0
    ]
    if opposed:
        prefer = "prefers" if len(opposed) == 1 else "prefer"
        sentences.append(f"{joined(opposed, 'and')} {prefer} {second}.")
    said = difference_text(compared, first, second, metric)
    if compared.difference(first, second, metric).significant:
        return f"{first} wins: {said}", sentences
    tied = [name for name in names[1:]
            if not compared.difference(first, name, metric).significant]  # fmt: skip
    ahead = f"{first} − {second}: {said}"
    return f"No clear winner: {joined([first, *tied], 'or')}", [ahead, *sentences]


def difference_text(compared: Comparison, first: str, second: str, metric: str) -> str:
    """A difference as "+5.3 CoNLL [3.8, 6.9], p = .004 (Holm)"."""
    found = compared.difference(first, second, metric)
    sign = "+" if found.difference >= 0 else ""
    said = f"{sign}{_points(found.difference)} {title_of(metric)}"
    if found.interval is not None:
        said += f" [{_points(found.interval.low)}, {_points(found.interval.high)}]"
    if found.adjusted_p is None:
        return f"{said}, not tested"
    many = compared.plan.corrected and compared.comparisons > 1
    correction = f" ({compared.plan.correction.title()})" if many else ""
    return f"{said}, {p_text(found.adjusted_p)}{correction}".replace("p = ", "p\u00a0=\u00a0")


def joined(words: Sequence[str], last: str) -> str:
    """Words as a list in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _losses(analysis: Analysis, metric: str) -> Answer:
    title, several = title_of(metric), len(analysis.names) > 1
    names = analysis.ranking(metric)
    explained = dict(zip(analysis.names, analysis.explanations, strict=True))
    gained = {
        type_: [explained[name].attribution.gains[metric][type_] for name in names]
        for type_ in TYPES
    }
    # Types that cost nobody anything are left out, unless nothing costs anything.
    types = [type_ for type_ in TYPES if any(gained[type_])] or list(TYPES)
    gains = list(zip(*(gained[type_] for type_ in types), strict=True))
    chosen = [{"response": name} if several else {} for name in names]
    whole = "micro F1, over all documents," if analysis.averages else "F1"
    chart = matrix(
        f"{title} F1 lost to each error type",
        names,
        list(map(str, types)),
        gains,
        unit="percent",
        first="system",
        limits=(0.0, max(0.01, *(abs(value) for row in gains for value in row))),
        links=[[section("errors", {**one, "type": type_}) for type_ in types] for one in chosen],
    )
    worst = sorted(zip(gains[0], map(str, types), strict=True), reverse=True)[:SHOWN]
    costs = ", ".join(
        f"{type_} {_points(gain)}".replace(" ", "\N{NO-BREAK SPACE}")
        for gain, type_ in worst
        if gain > 0
    )
    answer = f"Nothing: {names[0]} agrees with the key"
    if costs:
        answer = f"{names[0]}: {costs}" if several else costs.capitalize()
    note = (
        f"Points of {title} {whole} gained as error types are corrected one after another, from "
        "left to right: they add up to what is missing. Choose a number to list its errors."
    )
    more: list[Words] = [link("What errors have in common", "#breakdown")]
    return Answer("Where is F1 lost?", answer, [chart], note=note, more=more)


def _costly_entities(
    analysis: Analysis, texts: Texts, shown: set[int]
) -> list[tuple[str, list[Words | list[Words]]]]:
    """The key entities that cost the best response most: their names, and a row of each."""
    key, explanation = analysis.key, analysis.explanations[0]
    response = analysis.names[0] if len(analysis.names) > 1 else ""
    lost = resolution_lost(explanation.table)
    source = explanation.table.key.source
    costly = np.flatnonzero((lost > 0) & (source >= 0))
    documents = _alphabetical(key.documents)[key.entities.document[source[costly]]]
    found = []
    for number in costly[np.lexsort((documents, -lost[costly]))][:SHOWN].tolist():
        entity = int(source[number])
        document = int(key.entities.document[entity])
        words = f"“{shortened(key.text_of(int(analysis.naming[entity])), LONGEST)}”"
        seen: Words = words
        if document in shown:
            label = str(texts.document(document).key.place(entity) + 1)
            seen = link(words, place(key.documents[document], label, response))
        where = element("small", f" in {key.documents[document] or '(unnamed)'}")
        size = f"{int(explanation.table.key.size[number]):,}"
        row: list[Words | list[Words]] = [[seen, where], size, f"{100 * float(lost[number]):.2f}"]
        found.append((words, row))
    return found


def _alphabetical(documents: Sequence[str]) -> np.ndarray:
    """Ranks of the documents' names: ties must not depend on the order of the file."""
    return np.unique(documents, return_inverse=True)[1]


def _first_looks(
    analysis: Analysis,
    metric: str,
    shown: set[int],
    entities: Sequence[tuple[str, list[Words | list[Words]]]],
) -> Answer:
    key, several = analysis.key, len(analysis.names) > 1
    name, title = analysis.names[0], title_of(metric)
    response = name if several else ""
    f1 = np.mean([analysis.document_f1(one, metric) for one in range(len(analysis.names))], axis=0)
    worst = np.lexsort((_alphabetical(key.documents), f1))[:SHOWN].tolist()
    tables, named = [], []
    if worst:
        rows: list[list[Words]] = []
        for document in worst:
            words = key.documents[document] or "(unnamed)"
            address = place(key.documents[document], "", response)
            of_document = _points(float(f1[document]))
            rows.append([link(words, address) if document in shown else words, of_document])
        tables.append(small_table(("worst documents", "mean F1" if several else "F1"), rows))
        named.append(f"document {shortened(key.documents[worst[0]], LONGEST) or '(unnamed)'}")
    if entities:
        named.append(f"entity {entities[0][0]}")
        heads = ("most costly entities", "mentions", "cost")
        tables.append(small_table(heads, [row for _, row in entities]))
    answer = ", and ".join(named) or "nothing: there are no documents"
    chosen = {"response": name} if several else {}
    more: list[Words] = [
        link("All documents", section("documents")),
        " · ",
        link("all entities", section("entities", chosen)),
        " · ",
        link("all errors, the worst first", section("errors", chosen)),
    ]
    note = f"{title} F1, the mean of all systems." if several else f"{title} F1."
    if entities:
        note += f" Cost: points of {METRIC} recall that {name} loses by the entity, for any metric."
    question = "What should I look at first?"
    return Answer(question, answer[:1].upper() + answer[1:], tables, note=note, more=more)


def _doubts(analysis: Analysis, more: Sequence[str]) -> Answer:
    """Threats to the score with a line for each cause, and the audit."""
    units, unit = len(analysis.units), analysis.unit
    sentences: list[Words] = []
    if units == 1:
        sentences.append(f"Only one {unit}: no intervals, and no test.")
    elif units < NARROW:
        sentences.append(few_documents(units, unit))
    own = analysis.warnings(lambda code: code in THREATS)
    few = analysis.warnings(lambda code: code == "too-few-documents")
    if few and units > 1:  # both are about the number of documents
        sentences = [f"{sentences[0]} {few[0]}"] if sentences else [*few]
    sentences += dict.fromkeys([*more, *own, *_audited(analysis)])
    answer = "No reason to distrust these numbers"
    if sentences:
        answer = f"{len(sentences)} reason{'s' if len(sentences) > 1 else ''} for care"
    panel = [] if analysis.audit is None else [audit_panel(analysis.audit, analysis.names[0])]
    return Answer(
        "What should I distrust?", answer, panel, sentences, _making(analysis), (), bool(sentences)
    )


def notes(analysis: Analysis) -> list[str]:
    """Warnings that do not question the score."""
    return analysis.warnings(lambda code: code not in THREATS and code not in SMALL)


def _making(analysis: Analysis) -> str:
    """Settings, intervals and tests of the scores, for readers who have to judge them."""
    settings = analysis.explanations[0].scores.signature.settings
    said = f"Settings: {', '.join(f'{name} {value}' for name, value in settings.items())}."
    plan = analysis.plan
    if analysis.intervals:
        said += f" Intervals: {plan.resamples:,} bootstrap samples of the {analysis.unit}s."
    if analysis.comparison is not None:
        said += f" Tests: {plan.test}, p corrected after {plan.correction.title()}."
    return said


def _titles(metrics: Iterable[str]) -> str:
    return joined(list(dict.fromkeys(map(title_of, metrics))), "and")


def _audited(analysis: Analysis) -> list[str]:
    """Metrics that an audit of the best response found at fault."""
    audit = analysis.audit
    if audit is None or not audit.violations:
        return []
    faulty = [one.metric for one in audit.violations]
    sound = [metric for metric in audit.scores.by_name if metric not in faulty]
    moves = "moves" if len(set(faulty)) == 1 else "move"
    words = (
        f"Audit: {_titles(faulty)} {moves} the wrong way when known errors are added to "
        f"{analysis.names[0]} or removed from it"
    )
    does = "does" if len(sound) == 1 else "do"
    return [f"{words}; {_titles(sound)} {does} not." if sound else f"{words}."]
