"""The first screen: the best system, sources of lost F1, documents to look at, and cautions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from corefine.comparing.comparison import Comparison
from corefine.comparing.systems import NARROW, few_documents
from corefine.explaining.diagnosis import TYPES
from corefine.explaining.impact import METRIC, resolution_lost
from corefine.metrics.registry import title_of
from corefine.output.plain_text import shortened
from corefine.report.analysis import Analysis
from corefine.report.document_text import Texts
from corefine.report.links import Aside, Link, Sentence, Strong, place, section

SHOWN = 3
"""Types of errors, documents and entities that the first screen names."""
LONGEST = 40
"""Characters of an entity's name."""


_QUANTITIES = {"precision": "precision", "recall": "recall", "f1": "F1"}


@dataclass(frozen=True, slots=True)
class SmallTable:
    """A table of few rows: titles, rows, and which columns are numbers."""

    titles: Sequence[str]
    rows: Sequence[Sequence[Sentence]]
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, its answer in a few words, and the details."""

    question: str
    answer: str
    sentences: Sequence[Sentence] = ()
    tables: Sequence[SmallTable] = ()
    note: str = ""
    more: Sentence = ()
    """Links to where the whole of it stands."""
    cautious: bool = False
    """The sentences are reasons for care."""


def answers(
    analysis: Analysis, texts: Texts, shown: Sequence[int], warnings: Sequence[str] = ()
) -> list[Answer]:
    """The four answers, for the whole analysis; links lead to documents that are shown.

    ``warnings`` are added to those of the analysis.
    """
    best = best_system(analysis)
    return [
        _best(analysis),
        _losses(analysis, best),
        _first_looks(analysis, best, texts, set(shown)),
        _doubts(analysis, best, warnings),
    ]


def best_system(analysis: Analysis) -> int:
    """The number of the response with the highest F1 of the leading metric."""
    return analysis.order[0]


def headline_metrics(analysis: Analysis) -> list[str]:
    """The leading metric, and LEA if it was requested."""
    return list(dict.fromkeys([analysis.lead, *(["lea"] if "lea" in analysis.metrics else [])]))


def _points(value: float) -> str:
    return f"{100 * value:.1f}"


def _best(analysis: Analysis) -> Answer:
    names, metrics = analysis.names, headline_metrics(analysis)
    of = "macro F1" if analysis.averages else "F1"
    titles = ["system", *(f"{title_of(metric)} {of}" for metric in metrics)]
    rows: list[Sequence[Sentence]] = []
    for system in analysis.order:
        cells: list[Sentence] = [(names[system],)]
        for metric in metrics:
            f1, ends = analysis.ranked(system, metric)
            interval = "" if ends is None else f" [{_points(ends[0])}, {_points(ends[1])}]"
            cells.append((_points(f1), Aside(interval)) if interval else (_points(f1),))
        rows.append(cells)
    table = SmallTable(titles, rows, frozenset(range(1, len(titles))))
    note = f"In brackets: {100 * analysis.plan.confidence:g}% intervals over {analysis.unit}s."
    note = note if analysis.intervals else f"One {analysis.unit}: there are no intervals."
    if analysis.averages:
        note += " Macro: each data set counts the same."
    if len(names) == 1:
        said = [f"{cell[0]} {title}" for title, cell in zip(titles[1:], rows[0][1:], strict=True)]
        answer = f"{names[0]}: {' and '.join(said)}"
        return Answer("How good is the response?", answer, (), [table], note)
    answer, sentences = _ahead(analysis, metrics)
    compared = analysis.comparison
    more: Sentence = () if compared is None else (Link("All differences", section("comparison")),)
    question = "Which system is best, and by how much?"
    return Answer(question, answer, sentences, [table], note, more)


def _ahead(analysis: Analysis, metrics: Sequence[str]) -> tuple[str, list[Sentence]]:
    """The leading system in a few words, and the differences in sentences."""
    names, order, lead = analysis.names, analysis.order, analysis.lead
    first, second = order[:2]
    gaps = {
        metric: analysis.ranked(first, metric)[0] - analysis.ranked(second, metric)[0]
        for metric in metrics
    }
    compared = analysis.comparison
    if compared is None:
        points = f"{100 * gaps[lead]:.2f} {title_of(lead)} points"
        equal = gaps[lead] <= 0
        answer = names[first] if not equal else f"{names[first]} and {names[second]} are equal"
        return answer, [(f"{names[first]} leads {names[second]} by {points}.",)]
    sentences: list[Sentence] = [(compared.verdict_by(metric),) for metric in metrics]
    if not compared.difference(names[first], names[second], lead).significant:
        tied = [names[one] for one in _tied(compared, analysis, first)]
        return f"No clear winner: {_joined(tied, 'or')}", sentences
    said = [f"{_points(gap)} {title_of(metric)}" for metric, gap in gaps.items() if gap > 0]
    return f"{names[first]}, by {_joined(said, 'and')} points", sentences


def _tied(compared: Comparison, analysis: Analysis, first: int) -> list[int]:
    """The best system and those that it does not differ from significantly."""
    best, names = analysis.names[first], analysis.names
    return [
        one
        for one in analysis.order
        if one == first or not compared.difference(best, names[one], analysis.lead).significant
    ]


def _joined(words: Sequence[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _losses(analysis: Analysis, best: int) -> Answer:
    lead, title, several = analysis.lead, title_of(analysis.lead), len(analysis.names) > 1
    gains = [
        {str(type_): one.attribution.gain_in_sequence(type_, lead) for type_ in TYPES}
        for one in analysis.explanations
    ]
    worst = [
        [type_ for type_ in sorted(own, key=lambda type_: -own[type_])[:SHOWN] if own[type_] > 0]
        for own in gains
    ]
    # The worst types of the best system, then those of the others: a column each.
    types = list(dict.fromkeys(type_ for system in analysis.order for type_ in worst[system]))
    rows: list[Sequence[Sentence]] = []
    for system in analysis.order:
        name, one = analysis.names[system], analysis.explanations[system]
        missing = one.attribution.final[lead].f1 - one.attribution.base[lead].f1
        chosen = {"response": name} if several else {}
        cells: list[Sentence] = [(name,), (_points(missing),)]
        for type_ in types:
            words = _points(gains[system][type_])
            link = Link(words, section("errors", {**chosen, "type": type_}))
            cells.append((Strong(link) if type_ in worst[system] else link,))
        rows.append(cells)
    answer = f"Nothing: {analysis.names[best]} agrees with the key"
    if worst[best]:
        costs = ", ".join(
            f"{type_} {_points(gains[best][type_])}".replace(" ", "\N{NO-BREAK SPACE}")
            for type_ in worst[best]
        )
        answer = f"{analysis.names[best]}: {costs}" if several else costs.capitalize()
    titles = ("system", "all errors", *types)
    whole = " over all documents" if analysis.averages else ""
    note = (
        f"Points of {title} F1{whole} gained as error types are corrected one after another: they "
        "add up to what is missing."
    )
    if len(types) > SHOWN:
        note += f" Bold: the {SHOWN} worst of each system."
    more: Sentence = (Link("All types, and what they have in common", section("breakdown")),)
    table = SmallTable(titles, rows, frozenset(range(1, len(titles))))
    return Answer("Where is F1 lost?", answer, (), [table], note, more)


def _first_looks(analysis: Analysis, best: int, texts: Texts, shown: set[int]) -> Answer:
    lead, name, key = analysis.lead, analysis.names[best], analysis.key
    several = len(analysis.names) > 1
    response = name if several else ""
    f1 = np.mean([analysis.document_f1(one, lead) for one in range(len(analysis.names))], axis=0)
    worst = np.argsort(f1, kind="stable")[:SHOWN].tolist()
    tables, named = [], []
    if worst:
        rows: list[Sequence[Sentence]] = []
        for document in worst:
            words = key.documents[document] or "(unnamed)"
            link = Link(words, place(key.documents[document], "", response))
            rows.append([(link if document in shown else words,), (_points(float(f1[document])),)])
        of = "mean F1" if several else "F1"
        tables.append(SmallTable(("worst documents", of), rows, frozenset({1})))
        named.append(f"document {key.documents[worst[0]] or '(unnamed)'}")
    explanation = analysis.explanations[best]
    lost = resolution_lost(explanation.table)
    naming, source = analysis.naming, explanation.table.key.source
    ordered = np.argsort(-lost, kind="stable")
    entities = ordered[(lost[ordered] > 0) & (source[ordered] >= 0)][:SHOWN].tolist()
    if entities:
        rows = []
        for number in entities:
            entity = int(source[number])
            document = int(key.entities.document[entity])
            words = f"“{shortened(key.text_of(int(naming[entity])), LONGEST)}”"
            seen: str | Link = words
            if document in shown:
                label = str(texts.document(document).key.place(entity) + 1)
                seen = Link(words, place(key.documents[document], label, response))
            where = Aside(f" in {key.documents[document] or '(unnamed)'}")
            size = f"{int(explanation.table.key.size[number]):,}"
            rows.append([(seen, where), (size,), (f"{100 * float(lost[number]):.2f}",)])
        titles = ("most costly entities", "mentions", "cost")
        tables.append(SmallTable(titles, rows, frozenset({1, 2})))
        words = shortened(key.text_of(int(naming[source[entities[0]]])), LONGEST)
        named.append(f"entity “{words}”")
    answer = ", and ".join(named) or "nothing: there are no documents"
    chosen = {"response": name} if several else {}
    more: Sentence = (
        Link("All documents", section("documents", {"up": f"F1, {name}" if several else "F1"})),
        " · ",
        Link("all entities", section("entities", chosen)),
        " · ",
        Link("all errors, the worst first", section("errors", chosen)),
    )
    note = f"{title_of(lead)} F1, the mean of all systems." if several else f"{title_of(lead)} F1."
    note += f" Cost: points of {METRIC} recall that {name} loses by the entity." if entities else ""
    question = "What should I look at first?"
    return Answer(question, answer[:1].upper() + answer[1:], (), tables, note, more)


def _doubts(analysis: Analysis, best: int, more: Sequence[str]) -> Answer:
    sentences: list[Sentence] = []
    units, unit = len(analysis.units), analysis.unit
    compared = analysis.comparison
    own = analysis.warnings() if compared is None else compared.warnings
    warnings = list(dict.fromkeys([*more, *own]))
    if units == 1:
        sentences.append((f"Only one {unit}: no intervals, and no test.",))
    elif units < NARROW:
        sentences.append((few_documents(units, unit),))
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
        sentences.append((Link(words, section("comparison")),))
    sentences += _audited(analysis, best)
    sentences += [(warning,) for warning in warnings]
    said = "No reason to distrust these numbers"
    answer = Answer("What should I distrust?", said, note=_making(analysis))
    if not sentences:
        return answer
    said = f"{len(sentences)} reason{'s' if len(sentences) > 1 else ''} for care"
    return replace(answer, answer=said, sentences=sentences, cautious=True)


def _making(analysis: Analysis) -> str:
    """Settings, intervals and tests of the scores, for readers who have to judge them."""
    settings = analysis.explanations[0].scores.signature.settings
    said = f"Settings: {', '.join(f'{name} {value}' for name, value in settings.items())}."
    if analysis.intervals:
        said += (
            f" Intervals: {analysis.plan.resamples:,} bootstrap samples of the {analysis.unit}s."
        )
    if analysis.comparison is not None:
        said += (
            f" Tests: {analysis.plan.test}, p corrected after {analysis.plan.correction.title()}."
        )
    return said


def _titles(metrics: Iterable[str]) -> str:
    return _joined(list(dict.fromkeys(map(title_of, metrics))), "and")


def _audited(analysis: Analysis, best: int) -> list[Sentence]:
    """Metrics that an audit of the best response found at fault."""
    if not analysis.audits:
        return []
    audit = analysis.audits[best]
    faulty = list(dict.fromkeys(one.metric for one in audit.violations))
    if not faulty:
        return []
    sound = [metric for metric in audit.scores.by_name if metric not in faulty]
    moves = "moves" if len(faulty) == 1 else "move"
    words = (
        f"Audit: {_titles(faulty)} {moves} the wrong way when known errors are added to "
        f"{analysis.names[best]} or removed from it"
    )
    words += f"; {_titles(sound)} {'does' if len(sound) == 1 else 'do'} not." if sound else "."
    moved = [one for one in audit.violations if one.expectation.relation != "is below 100"]
    most = max(moved, key=lambda one: abs(one.change), default=None)
    largest = ""
    if most is not None:
        change = f"{100 * most.change:+.1f}".replace("-", "\N{MINUS SIGN}")
        quantity = _QUANTITIES[most.expectation.quantity]
        largest = f" Largest: {most.trial.title}, {most.title} {quantity} {change} points."
    return [(Link(words, section("audit")), Aside(largest))]
