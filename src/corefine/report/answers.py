"""The first screen: the best system, sources of lost F1, documents to look at, and cautions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from corefine.comparing.systems import NARROW, few_documents
from corefine.explaining.diagnosis import TYPES
from corefine.explaining.error_analysis import METRIC, resolution_lost
from corefine.explaining.figures import error_profile
from corefine.metrics.registry import title_of
from corefine.output.charts import Figure, Series, dot_chart, fitted_limits
from corefine.output.markup import Element, element
from corefine.output.plain_text import shortened
from corefine.report.analysis import Analysis
from corefine.report.document_text import Texts
from corefine.report.page import Answer, ByMetric, link, place, section, small_table

SHOWN = 3
"""Types of errors, documents and entities that the first screen names."""
LONGEST = 40
"""Characters of an entity's name."""
WIDTH = 620
"""Width of the charts, which stand side by side."""


def answers(
    analysis: Analysis, texts: Texts, shown: Sequence[int], warnings: Sequence[str] = ()
) -> list[Answer]:
    """The four answers, for the whole analysis; links lead to documents that are shown.

    ``warnings`` are added to those of the analysis.
    """
    return [
        _best(analysis),
        _losses(analysis),
        _first_looks(analysis, texts, set(shown)),
        _doubts(analysis, warnings),
    ]


def _points(value: float) -> str:
    return f"{100 * value:.1f}"


def _best(analysis: Analysis) -> Answer:
    names, lead = analysis.names, analysis.lead
    figures = {metric: _intervals(analysis, metric) for metric in analysis.metrics}
    strip = ByMetric(figures, lead, heading="")
    note = f"Bars: {100 * analysis.plan.confidence:g}% intervals over {analysis.unit}s."
    note = note if analysis.intervals else f"One {analysis.unit}: there are no intervals."
    if analysis.averages:
        note += " Macro: each data set counts the same."
    headline = list(dict.fromkeys([lead, *(["lea"] if "lea" in analysis.metrics else [])]))
    if len(names) == 1:
        of = "macro F1" if analysis.averages else "F1"
        said = [f"{_points(analysis.ranked(0, metric)[0])} {title_of(metric)} {of}"
                for metric in headline]  # fmt: skip
        answer = f"{names[0]}: {' and '.join(said)}"
        return Answer("How good is the response?", answer, [strip], note=note)
    answer, sentences = _ahead(analysis, headline)
    more = [] if analysis.comparison is None else [link("All differences", section("comparison"))]
    question = "Which system is best, and by how much?"
    return Answer(question, answer, [strip], sentences, note, more)


def _intervals(analysis: Analysis, metric: str) -> Figure:
    """F1 of the systems with intervals, the best first."""
    found = {name: analysis.ranked(at, metric) for at, name in enumerate(analysis.names)}
    names = sorted(found, key=lambda name: -found[name][0])
    of = f"{title_of(metric)} {'macro F1' if analysis.averages else 'F1'}"
    series = Series.of(of, [found[name][0] for name in names], [found[name][1] for name in names])
    chosen: list[dict[str, str]] = [{"response": name} if len(names) > 1 else {} for name in names]
    return dot_chart(
        f"{of} of each system",
        names,
        [series],
        limits=fitted_limits(series.all_values()),
        value_title=of,
        first="system",
        description="F1 with its confidence interval. The names lead to the errors.",
        width=WIDTH,
        links=[section("errors", one) for one in chosen],
    )


def _ahead(analysis: Analysis, metrics: Sequence[str]) -> tuple[str, list[str | Element]]:
    """The leading system in a few words, and the differences in sentences."""
    names, lead, compared = analysis.names, analysis.lead, analysis.comparison
    if analysis.missing:
        gaps = [f"{name} has no response to {_joined(sets, 'and')}"
                for name, sets in analysis.missing.items()]  # fmt: skip
        why = "Its missing mentions count as errors, so that systems cannot be ranked."
        return f"No ranking: {'; '.join(gaps)}", [why]
    gap = {
        metric: analysis.ranked(0, metric)[0] - analysis.ranked(1, metric)[0] for metric in metrics
    }
    if compared is None:
        points = f"{100 * gap[lead]:.2f} {title_of(lead)} points"
        answer = names[0] if gap[lead] > 0 else f"{names[0]} and {names[1]} are equal"
        return answer, [f"{names[0]} leads {names[1]} by {points}."]
    verdicts = [compared.verdict_by(metric) for metric in metrics]
    sentences: list[str | Element] = [text.replace("p = ", "p\u00a0=\u00a0") for text in verdicts]
    if not compared.difference(names[0], names[1], lead).significant:
        tied = [name for name in names[1:]
                if not compared.difference(names[0], name, lead).significant]  # fmt: skip
        return f"No clear winner: {_joined([names[0], *tied], 'or')}", sentences
    macro = "macro " if analysis.averages else ""
    said = [f"{_points(gap[metric])} {macro}{title_of(metric)}"
            for metric in metrics if gap[metric] > 0]  # fmt: skip
    return f"{names[0]}, by {_joined(said, 'and')} points", sentences


def _joined(words: Sequence[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _losses(analysis: Analysis) -> Answer:
    lead, title, several = analysis.lead, title_of(analysis.lead), len(analysis.names) > 1
    types = list(map(str, TYPES))
    gains = [
        [one.attribution.gain_in_sequence(type_, lead) for type_ in TYPES]
        for one in analysis.explanations
    ]

    def address(name: str, type_: str) -> str:
        return section("errors", {**({"response": name} if several else {}), "type": type_})

    whole = "micro F1, over all documents," if analysis.averages else "F1"
    figure = error_profile(
        dict(zip(analysis.names, analysis.explanations, strict=True)),
        width=WIDTH,
        links=[
            [address(name, type_) if gain else None for type_, gain in zip(types, own, strict=True)]
            for name, own in zip(analysis.names, gains, strict=True)
        ],
    )
    worst = sorted(zip(gains[0], types, strict=True), reverse=True)[:SHOWN]
    costs = ", ".join(
        f"{type_} {_points(gain)}".replace(" ", "\N{NO-BREAK SPACE}")
        for gain, type_ in worst
        if gain > 0
    )
    answer = f"Nothing: {analysis.names[0]} agrees with the key"
    if costs:
        answer = f"{analysis.names[0]}: {costs}" if several else costs.capitalize()
    note = (
        f"Points of {title} {whole} gained as error types are corrected one after another: they "
        "add up to what is missing. Choose a number to list its errors."
    )
    more = [link("What errors have in common", section("breakdown"))]
    chart = figure.to_html(heading="")
    return Answer("Where is F1 lost?", answer, [chart], note=note, more=more)


def _first_looks(analysis: Analysis, texts: Texts, shown: set[int]) -> Answer:
    lead, name, key = analysis.lead, analysis.names[0], analysis.key
    several = len(analysis.names) > 1
    response = name if several else ""
    f1 = np.mean([analysis.document_f1(one, lead) for one in range(len(analysis.names))], axis=0)
    # Ties are in the order of names, so that the order of the file does not matter.
    alphabetical = np.unique(key.documents, return_inverse=True)[1]
    worst = np.lexsort((alphabetical, f1))[:SHOWN].tolist()
    tables, named = [], []
    if worst:
        rows: list[list[str | Element | list[str | Element]]] = []
        for document in worst:
            words = key.documents[document] or "(unnamed)"
            address = place(key.documents[document], "", response)
            of_document = _points(float(f1[document]))
            rows.append([link(words, address) if document in shown else words, of_document])
        tables.append(small_table(("worst documents", "mean F1" if several else "F1"), rows))
        named.append(f"document {key.documents[worst[0]] or '(unnamed)'}")
    explanation = analysis.explanations[0]
    lost = resolution_lost(explanation.table)
    source = explanation.table.key.source
    costly = np.flatnonzero((lost > 0) & (source >= 0))
    documents = alphabetical[key.entities.document[source[costly]]]
    entities = costly[np.lexsort((documents, -lost[costly]))][:SHOWN].tolist()
    if entities:
        rows = []
        for number in entities:
            entity = int(source[number])
            document = int(key.entities.document[entity])
            words = f"“{shortened(key.text_of(int(analysis.naming[entity])), LONGEST)}”"
            seen: str | Element = words
            if document in shown:
                label = str(texts.document(document).key.place(entity) + 1)
                seen = link(words, place(key.documents[document], label, response))
            if not rows:
                named.append(f"entity {words}")
            where = element("small", f" in {key.documents[document] or '(unnamed)'}")
            size = f"{int(explanation.table.key.size[number]):,}"
            rows.append([[seen, where], size, f"{100 * float(lost[number]):.2f}"])
        tables.append(small_table(("most costly entities", "mentions", "cost"), rows))
    answer = ", and ".join(named) or "nothing: there are no documents"
    chosen = {"response": name} if several else {}
    more: list[str | Element] = [
        link("All documents", section("documents")),
        " · ",
        link("all entities", section("entities", chosen)),
        " · ",
        link("all errors, the worst first", section("errors", chosen)),
    ]
    note = f"{title_of(lead)} F1, the mean of all systems." if several else f"{title_of(lead)} F1."
    note += f" Cost: points of {METRIC} recall that {name} loses by the entity." if entities else ""
    question = "What should I look at first?"
    return Answer(question, answer[:1].upper() + answer[1:], tables, note=note, more=more)


def _doubts(analysis: Analysis, more: Sequence[str]) -> Answer:
    sentences: list[str | Element] = []
    units, unit, compared = len(analysis.units), analysis.unit, analysis.comparison
    own = analysis.warnings() if compared is None else compared.warnings
    warnings = list(dict.fromkeys([*more, *own]))
    if units == 1:
        sentences.append(f"Only one {unit}: no intervals, and no test.")
    elif units < NARROW:
        sentences.append(few_documents(units, unit))
        warnings = [one for one in warnings if not one.startswith(few_documents(units))]
    if compared is not None and compared.disagreements:
        found = Counter((one.better, one.worse) for one in compared.disagreements)
        (better, worse), _ = found.most_common(1)[0]
        sides = [
            one for one in compared.disagreements if (one.better, one.worse) == (better, worse)
        ]
        prefer = _titles(one.metric for one in sides)
        against = _titles(one.opposing for one in sides)
        words = f"Metrics disagree: {prefer} prefer {better}, {against} prefer {worse}."
        sentences.append(link(words, section("comparison")))
    sentences += [*_audited(analysis), *warnings]
    answer = Answer("What should I distrust?", "No reason to distrust these numbers")
    answer = replace(answer, note=_making(analysis))
    if not sentences:
        return answer
    said = f"{len(sentences)} reason{'s' if len(sentences) > 1 else ''} for care"
    return replace(answer, answer=said, sentences=sentences, cautious=True)


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
    return _joined(list(dict.fromkeys(map(title_of, metrics))), "and")


def _audited(analysis: Analysis) -> list[Element]:
    """Metrics that an audit of the best response found at fault."""
    faulty = [one.metric for audit in analysis.audits[:1] for one in audit.violations]
    if not faulty:
        return []
    sound = [metric for metric in analysis.audits[0].scores.by_name if metric not in faulty]
    moves = "moves" if len(set(faulty)) == 1 else "move"
    words = (
        f"Audit: {_titles(faulty)} {moves} the wrong way when known errors are added to "
        f"{analysis.names[0]} or removed from it"
    )
    words += f"; {_titles(sound)} {'does' if len(sound) == 1 else 'do'} not." if sound else "."
    return [link(words, section("audit"))]
