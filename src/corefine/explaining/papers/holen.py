"""Holen 2013: entities one by one, and the two readings of her definitions of MUC and BLANC.

Her section 2.1 defines MUC's partition p(K) and BLANC's links by the response, not by one response
entity. An entity whose mentions are also in the response to another one then scores differently.
Her tables almost always follow the pair of entities; :func:`compared` finds the numbers that follow
the document.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from corefine.comparing.judgements import Correlation, Items
from corefine.comparing.ranking import tau_matrix
from corefine.corpus.corpus import Corpus
from corefine.explaining.entities import EntityTable, entities
from corefine.explaining.papers.evaluation import Paper, Range, derive, f_measure, load, mean
from corefine.explaining.papers.results import Matrix, Reason, Reproduction
from corefine.scoring.score import score

METRICS = ("muc", "b3", "ceafe", "ceafm", "blanc")
LINKS = {"muc": "muc", "blanc": "pairs.coreferent"}
"""The metrics of links, on which the readings differ; she uses the coreferent half of BLANC."""
Facts = dict[str, Any]
PrintedAt = tuple[str, str, str]
"""An entity, a metric, and P, R or F."""


def reproduce() -> Reproduction:
    """Her tables of entities, ranks and categories, and the agreement between metrics."""
    facts = load("holen")
    paper = Paper("holen")
    strict, lenient = (entities(*document(facts), lenient=one) for one in (False, True))
    table = dict(zip(facts, lenient, strict=True))
    differing = compared(facts)

    def parts(name: str) -> dict[str, float]:
        return {
            f"{metric} {part}": 100 * (value or 0.0)
            for metric in METRICS
            for part, value in zip(
                "PRF",
                (
                    table[name].scores[metric].precision,
                    table[name].scores[metric].recall,
                    table[name].scores[metric].f1,
                ),
                strict=True,
            )
        }

    computed = {name: parts(name) for name in facts}

    def scores_of(category: str) -> dict[str, dict[str, float]]:
        """The printed scores of the entities of a category that have a response."""
        return {
            name: {
                f"{metric} {part}": number
                for metric in METRICS
                for part, number in zip("PRF", entity["published"]["scores"][metric], strict=True)
            }
            for name, entity in facts.items()
            if entity["published"]["table"] == category and entity["response"]
        }

    def average(name: str) -> Range:
        scores = facts[name]["published"]["scores"]
        return derive(mean, *(scores[metric][2] for metric in METRICS))

    def common(columns: dict[str, dict[str, float]], metrics: list[str], names: list[str]) -> float:
        """The number that all these metrics give to all these entities."""
        (found,) = {float(columns[metric][name]) for metric in metrics for name in names}
        return found

    perfect = [
        min(value for column, value in computed[name].items() if column[-1] in "PR") / 100
        for name in facts
        if table[name].category == "1"
    ]
    names = {
        "average": average,
        "categories": {
            name: (one.category, other.category)
            for name, one, other in zip(facts, strict, lenient, strict=True)
        },
        "common": common,
        "computed": lambda row, column: computed[row][column],
        "differing": differing,
        "explained": explanations(facts, differing),
        "facts": facts,
        "scores_of": scores_of,
        "smallest_perfect": min(perfect),
        **_taus(paper.tables["TAU"]),
    }
    return paper.evaluate(names, matrices=(_human(facts, lenient),))


def document(facts: Facts) -> tuple[Corpus, Corpus]:
    """Her 21 entities and the responses as one text; partial mentions are inside whole ones."""
    places: dict[str, tuple[int, int]] = {}
    text: list[str] = []

    def put(mention: str, wholes: list[str]) -> tuple[int, int]:
        words = mention.partition("#")[0].split()
        for start, stop in (places[whole] for whole in wholes):
            for first in range(start, stop + 1 - len(words)):
                span = (first, first + len(words))
                if text[first : span[1]] == words and span not in places.values():
                    return span
        text.extend(words)
        return len(text) - len(words), len(text)

    for entity in facts.values():
        for mention in entity["key"]:
            places[mention] = put(mention, [])
    for entity in facts.values():
        for mention in (mention for chain in entity["response"] for mention in chain):
            if mention not in places:
                places[mention] = put(mention, entity["key"])
    key = [entity["key"] for entity in facts.values()]
    response = [chain for entity in facts.values() for chain in entity["response"]]
    spans = ([[places[mention] for mention in chain] for chain in side] for side in (key, response))
    first, second = (Corpus.from_spans(text, side, "holen") for side in spans)
    return first, second


@dataclass(frozen=True, slots=True)
class Readings:
    """A printed number on which the two readings differ."""

    place: PrintedAt
    printed: float
    pair: float
    document: float

    @property
    def follows(self) -> str:
        """The reading that gives the printed number."""
        if abs(self.printed - self.document) <= 0.005 + 1e-9:
            return "document"
        return "pair" if abs(self.printed - self.pair) <= 0.005 + 1e-9 else "neither"


def compared(facts: Facts) -> list[Readings]:
    """All printed numbers of MUC and BLANC on which the two readings differ."""
    keys = [entity["key"] for entity in facts.values()]
    responses = [chain for entity in facts.values() for chain in entity["response"]]
    found = []
    for name, entity in facts.items():
        if not entity["response"]:
            continue
        (response,) = entity["response"]
        for metric, asked in LINKS.items():
            alone = score([entity["key"]], [response], asked)[asked]
            # Recall of the entity by the whole response, precision of its response by the key.
            recall = score([entity["key"]], responses, asked)[asked].recall or 0.0
            precision = score(keys, [response], asked)[asked].precision or 0.0
            pair = (alone.precision or 0.0, alone.recall or 0.0, alone.f1)
            whole = (precision, recall, f_measure(precision, recall))
            printed = entity["published"]["scores"][metric]
            for part, number, one, other in zip("PRF", printed, pair, whole, strict=True):
                if abs(one - other) > 1e-9:
                    found.append(Readings((name, metric, part), number, 100 * one, 100 * other))
    return found


def explanations(facts: Facts, differing: list[Readings]) -> dict[PrintedAt, Reason]:
    """The reading that gives each number that the pairs do not give."""
    elsewhere = dict.fromkeys(" ".join(one.place[:2]) for one in differing if one.follows == "pair")
    explained = {
        one.place: Reason(
            f"over the document, as her section 2.1 defines it, {one.document:.2f}; she took the "
            f"pair for {', '.join(elsewhere)}",
            True,
            one.document,
        )
        for one in differing
        if one.follows == "document"
    }
    for name in {one.place[0] for one in differing if one.follows == "neither"}:
        explained = _mixed(facts, name) | explained
    return explained


def _mixed(facts: Facts, name: str) -> dict[PrintedAt, Reason]:
    """BLANC with right links of the document and wrong or missing ones of the pair."""
    entity = facts[name]
    (own,) = entity["response"]
    others = {
        other: chain
        for other, one in facts.items()
        if other != name
        for chain in one["response"]
        if len(set(chain) & set(entity["key"])) > 1
    }
    key = _links(entity["key"])
    within = key & _links(own)
    anywhere = within.union(*(key & _links(chain) for chain in others.values()))
    foreign = sum(len(_links(chain)) for chain in others.values())
    precision, recall, f1 = (number / 100 for number in entity["published"]["scores"]["blanc"])
    listed = ", ".join(others)
    wrong = len(_links(own) - key) + foreign
    missing = len(key - anywhere)
    candidates = {
        "P": (
            len(anywhere) / (len(anywhere) + wrong),
            precision,
            (
                f"{len(anywhere)} right links over the document against {wrong} wrong ones, all "
                f"{foreign} of the response to {listed}, {len(anywhere - within)} of which are "
                f"right and count twice: {len(anywhere)}/{len(anywhere) + wrong}"
            ),
        ),
        "R": (
            len(within) / (len(within) + missing),
            recall,
            (
                f"{len(within)} right in its pair, {missing} missing over the document (the "
                f"response to {listed} has the rest): {len(within)}/{len(within) + missing}"
            ),
        ),
        "F": (f_measure(precision, recall), f1, "the F of the P and R that are printed"),
    }
    return {
        (name, "blanc", part): Reason(text, abs(value - printed) <= 0.00005 + 1e-9, 100 * value)
        for part, (value, printed, text) in candidates.items()
    }


def _links(mentions: list[str]) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in combinations(mentions, 2)}


def _human(facts: Facts, table: EntityTable) -> Matrix:
    """Agreement of the metrics and the human on the ranking of her entities.

    Beside her metrics stand LEA and the measures of information, which she does not print.
    """
    printed = [entity["published"] for entity in facts.values()]
    values = {metric: np.array([one["scores"][metric][2] for one in printed]) for metric in METRICS}
    values["lea"] = table.scores["lea"][2]
    values["information"] = np.array([entity.information_kept or 0.0 for entity in table])
    values["information F1"] = table.information_f1
    names = list(facts)
    ranks = [
        {"entity": name, "judge": "human", "rank": one["rank"][-1]}
        for name, one in zip(names, printed, strict=True)
    ]
    numbers = {("", name): [number] for number, name in enumerate(names)}
    judged = Correlation.of(names, values, ranks, Items("entity", numbers, "the key", ""))
    taus = tau_matrix(np.array([*judged.values.values(), *judged.judges.values()]).T)
    taus[-1, :-1] = taus[:-1, -1] = [judged.tau(metric).tau for metric in values]
    title = "Kendall's τ between the rankings of Table 6 (21 entities)"
    return Matrix("table-6-tau", title, (*values, "human"), taus.tolist())


def _taus(printed: dict[str, dict[str, float]]) -> dict[str, Any]:
    """τ on the scores in Table 5 of Moosavi & Strube, next to her τ of 2012."""
    scores = Paper("moosavi-strube").tables["TABLE_5"]
    names = list(printed)
    matrix = tau_matrix(np.array([[row[name] for name in names] for row in scores.values()]))

    def year(row: str, column: str) -> int:
        return 2012 if names.index(row) > names.index(column) else 2011

    def other(row: str, column: str) -> float:
        return float(matrix[names.index(row), names.index(column)])

    def other_scores() -> str:
        """Evidence that her τ do not come from Table 5: its systems cannot have these values."""
        count = len(scores) * (len(scores) - 1) // 2
        possible = {round((count - 2 * apart) / count, 2) for apart in range(count + 1)}
        later = [(a, b) for a in names for b in names if a != b and year(a, b) == 2012]
        impossible = sum(printed[a][b] not in possible for a, b in later)
        gaps = [other(a, b) - printed[a][b] for a, b in later]
        return (
            f"her scores are not those of LEA's Table 5: {impossible} of {len(later)} are no τ of "
            f"its {len(scores)} systems, which none of the metrics ties, and there τ is "
            f"{min(gaps):.2f} to {max(gaps):.2f} higher"
        )

    return {"year": year, "tau_of_table_5": other, "other_scores": other_scores}
