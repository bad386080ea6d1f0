"""The first screen: which system is best, where F1 is lost, what to look at, what to distrust."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.comparing.systems import NARROW
from corefine.explaining.diagnosis import TYPES
from corefine.explaining.worth import METRIC, resolution_lost
from corefine.metrics.registry import parse
from corefine.report.document_text import Texts
from corefine.report.links import Link, Sentence, place, section
from corefine.report.study import Study
from corefine.showing.plain_text import shortened

SHOWN = 3
"""Types of errors, documents and entities that the first screen names."""
LONGEST = 40
"""Characters of an entity's name."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, its answer in a few words, sentences, rows of a small table, and a note."""

    question: str
    answer: str
    sentences: Sequence[Sentence] = ()
    rows: Sequence[Sequence[Sentence]] = ()
    titles: Sequence[str] = ()
    """The titles of the table's columns."""
    note: str = ""


def answers(
    study: Study, texts: Texts, shown: Sequence[int], warnings: Sequence[str] = ()
) -> list[Answer]:
    """The four answers, for the whole study; links lead to documents that are shown.

    ``warnings`` are said beside those of the study.
    """
    best = best_system(study)
    return [
        _best(study, best),
        _losses(study, best),
        _first_looks(study, best, texts, set(shown)),
        _doubts(study, best, warnings),
    ]


def best_system(study: Study) -> int:
    """The number of the response with the highest F1 of the leading metric."""
    return study.order[0]


def title_of(metric: str) -> str:
    """A metric as papers write it."""
    return parse(metric).title


def headline_metrics(study: Study) -> list[str]:
    """The leading metric, and LEA beside it where it was asked for."""
    return list(dict.fromkeys([study.lead, *(["lea"] if "lea" in study.metrics else [])]))


def _points(value: float) -> str:
    return f"{100 * value:.1f}"


def _best(study: Study, best: int) -> Answer:
    names, metrics = study.names, headline_metrics(study)
    order = study.order
    titles = ["system", *(f"{title_of(metric)} F1" for metric in metrics)]
    rows: list[Sequence[Sentence]] = []
    for system in order:
        cells: list[Sentence] = [(names[system],)]
        for metric in metrics:
            ends = study.intervals.get((names[system], metric))
            interval = "" if ends is None else f" [{_points(ends[0])}, {_points(ends[1])}]"
            cells.append((f"{_points(study.explanations[system].scores[metric].f1)}{interval}",))
        rows.append(cells)
    confidence = f"{100 * study.plan.confidence:g}% intervals over {study.unit}s in brackets."
    note = confidence if study.intervals else f"One {study.unit}: there are no intervals."
    if len(names) == 1:
        f1 = study.explanations[0].scores[study.lead].f1
        answer = f"{names[0]}: {_points(f1)} {title_of(study.lead)} F1"
        return Answer("How good is the response?", answer, (), rows, titles, note)
    first, second = order[:2]
    gap = (
        study.explanations[first].scores[study.lead].f1
        - study.explanations[second].scores[study.lead].f1
    )
    compared = study.comparison
    if compared is None:
        points = f"{100 * gap:.2f} {title_of(study.lead)} points"
        sentences: list[Sentence] = [(f"{names[first]} leads {names[second]} by {points}.",)]
        answer = f"{names[first]}" if gap > 0 else f"{names[first]} and {names[second]} are equal"
    else:
        sentences = [(compared.verdict_by(metric),) for metric in metrics]
        found = compared.difference(names[first], names[second], study.lead)
        if found.significant:
            answer = f"{names[first]}, by {_points(gap)} {title_of(study.lead)} points"
        else:
            tied = _tied(study, first, order)
            answer = f"No clear winner: {_joined([names[one] for one in tied])}"
        sentences.append((Link("All differences", section("comparison")),))
    return Answer("Which system is best, and by how much?", answer, sentences, rows, titles, note)


def _tied(study: Study, first: int, order: Sequence[int]) -> list[int]:
    """The best system and those that it does not differ from significantly."""
    compared, names = study.comparison, study.names
    assert compared is not None
    return [first] + [
        other
        for other in order
        if other != first
        and not compared.difference(names[first], names[other], study.lead).significant
    ]


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _losses(study: Study, best: int) -> Answer:
    lead, title = study.lead, title_of(study.lead)
    rows: list[Sequence[Sentence]] = []
    told: list[tuple[str, float]] = []
    for system, (name, one) in enumerate(zip(study.names, study.explanations, strict=True)):
        gains = {str(type_): one.attribution.gain_in_sequence(type_, lead) for type_ in TYPES}
        worst = sorted(gains, key=lambda type_: -gains[type_])[:SHOWN]
        worst = [type_ for type_ in worst if gains[type_] > 0]
        if system == best:
            told = [(type_, gains[type_]) for type_ in worst]
        missing = one.attribution.final[lead].f1 - one.attribution.base[lead].f1
        chosen = {"response": name} if len(study.names) > 1 else {}
        cells: list[Sentence] = []
        for type_ in worst:
            address = section("errors", {**chosen, "type": type_})
            cells.append((Link(f"{type_} {_points(gains[type_])}", address),))
        cells += [("",)] * (SHOWN - len(cells))
        rows.append([(name,), (_points(missing),), *cells])
    answer = f"Nothing: {study.names[best]} agrees with the key"
    if told:
        costs = " · ".join(f"{type_} {_points(gain)}" for type_, gain in told)
        answer = costs if len(study.names) == 1 else f"{study.names[best]}: {costs}"
    note = (
        f"Points of {title} F1 gained as error types are corrected one after another: they add up."
    )
    titles = ("system", "points missing", "most", "second", "third")
    more: Sentence = (Link("All types, and what they have in common", section("breakdown")),)
    return Answer("Where is the F1 lost?", answer, [more], rows, titles, note)


def _first_looks(study: Study, best: int, texts: Texts, shown: set[int]) -> Answer:
    lead, name = study.lead, study.names[best]
    several = len(study.names) > 1
    f1 = np.mean([study.document_f1(one, lead) for one in range(len(study.names))], axis=0)
    key = study.key
    worst = np.argsort(f1, kind="stable")[:SHOWN].tolist()
    response = name if several else ""
    rows: list[Sequence[Sentence]] = []
    of = f"mean {title_of(lead)}" if several else title_of(lead)
    listed: list[str | Link] = []
    for document in worst:
        words = key.documents[document] or "(unnamed)"
        listed.append(
            Link(words, place(key.documents[document], "", response))
            if document in shown
            else words
        )
        listed.append(f" {_points(float(f1[document]))}" + (" · " if document != worst[-1] else ""))
    if worst:
        rows.append([("documents",), tuple(listed), (f"lowest {of} F1",)])
    explanation = study.explanations[best]
    lost = resolution_lost(explanation.table)
    naming, source = study.naming, explanation.table.key.source
    ordered = np.argsort(-lost, kind="stable")
    entities = ordered[(lost[ordered] > 0) & (source[ordered] >= 0)][:SHOWN].tolist()
    for number in entities:
        entity = int(source[number])
        document = int(key.entities.document[entity])
        words = shortened(key.text_of(int(naming[entity])), LONGEST)
        seen: str | Link = f"“{words}”"
        if document in shown:
            label = str(texts.document(document).key.place(entity) + 1)
            seen = Link(f"“{words}”", place(key.documents[document], label, response))
        size = int(explanation.table.key.size[number])
        cost = f"{100 * float(lost[number]):.2f} points of {METRIC} recall"
        where = f" in {key.documents[document] or '(unnamed)'}"
        rows.append([("entity",), (seen, where), (f"{size:,} mentions; costs {cost}",)])
    answer = "Nothing: there are no documents"
    if worst:
        answer = f"Document {key.documents[worst[0]] or '(unnamed)'}"
    if entities:
        words = shortened(key.text_of(int(naming[source[entities[0]]])), LONGEST)
        answer += f", and the entity “{words}”"
    chosen = {"response": name} if several else {}
    more: Sentence = (
        Link("All documents", section("documents")),
        " · ",
        Link("all entities", section("entities", chosen)),
        " · ",
        Link("all errors, the worst first", section("errors", chosen)),
    )
    note = f"Entities as {name} has them." if several and entities else ""
    titles = ("", "where", "why")
    return Answer("What to look at first?", answer, [more], rows, titles, note)


def _doubts(study: Study, best: int, more: Sequence[str]) -> Answer:
    sentences: list[Sentence] = []
    units, unit = len(study.units), study.unit
    compared = study.comparison
    own = study.warnings() if compared is None else compared.warnings
    warnings = list(dict.fromkeys([*more, *own]))
    if units == 1:
        sentences.append((f"Only one {unit}: no intervals, and no test.",))
    elif units < NARROW:
        sentences.append((f"Only {units} {unit}s: the intervals are too narrow.",))
        warnings = [one for one in warnings if not one.startswith("Few documents")]
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
    sentences += _audited(study, best)
    sentences += [(warning,) for warning in warnings]
    answer = (
        "Nothing speaks against these numbers"
        if not sentences
        else f"{len(sentences)} reason{'s' if len(sentences) > 1 else ''} for care"
    )
    return Answer("What to distrust?", answer, sentences)


def _titles(metrics: Iterable[str]) -> str:
    listed = list(dict.fromkeys(title_of(metric) for metric in metrics))
    return ", ".join(listed)


def _audited(study: Study, best: int) -> list[Sentence]:
    """Metrics that an audit of the best response found at fault."""
    if not study.audits:
        return []
    audit = study.audits[best]
    found = Counter(one.title for one in audit.violations)
    if not found:
        return []
    faulty = ", ".join(name for name, _ in found.most_common())
    words = f"The audit found {faulty} moving the wrong way on changes whose worth is known."
    return [(Link(words, section("audit")),)]
