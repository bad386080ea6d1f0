"""Moosavi & Strube 2016: figures, counts derived from Tables 1 and 4, and a generated corpus.

The tables are about outputs of systems on a licensed corpus. Scores and counts that the paper
prints determine others: MUC's recall times the links of the key is the number of right links, and
divided by precision the number of links of the response; CEAFe does the same for entities. So the
rows of Table 1 determine how many links and entities were added.

The changes of Table 1 are also made to a generated response (:func:`generated`), and their effects
compared with the printed ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from corefine.comparing.ranking import tau_matrix
from corefine.explaining.audit import Audit, audit
from corefine.explaining.papers.evaluation import (
    Paper,
    PrintedTable,
    Range,
    derive,
    load,
    mean,
    ranks,
)
from corefine.explaining.papers.results import Direction, Matrix, Plot, Reason, Reproduction
from corefine.scoring.score import score
from corefine.scoring.scores import Score, Scores

METRICS = ("muc", "b3", "ceafm", "ceafe", "blanc", "lea")
FIGURES = {
    "fig2": ("Figure 2: correct links only", "links resolved (%)", True),
    "fig3": ("Figure 3: correct links among wrong links", "links resolved (%)", True),
    "fig4": ("Figure 4: entities resolved, largest first", "entities resolved (%)", True),
    "fig5": ("Figure 5: entities resolved, smallest first", "entities resolved (%)", True),
    "fig6": ("Figure 6: one entity split", "sizes of the parts", False),
    "fig7": ("Figure 7: extra mentions", "mentions added – size of the entity", False),
    "fig8": ("Figure 8: mentions without correct links", "mentions found (%)", True),
}
"""Title, axis, and True for line charts."""
SECTIONS, MENTIONS, ENTITIES = 348, 19_764, 4_532
"""Counts of the CoNLL-2012 test set (section 2)."""
LINKS = MENTIONS - ENTITIES
ADDED = {"less_precise_a": 1_350, "less_precise_b": 283}
"""Entities that were added to the response (section 2)."""
ROWS = {
    "more_precise": "more precise",
    "less_precise_a": "less precise (a)",
    "less_precise_b": "less precise (b)",
}
CHANGES = {
    "more_precise": "remove-wrong-mentions",
    "less_precise_a": "add-wrong-pairs",
    "less_precise_b": "add-missing-mentions",
    "sys-sing": "response-as-singletons",
    "sys-1ent": "response-in-one-entity",
}
"""Rows of Tables 1 and 4, and the change of an audit that each corresponds to."""
DOCUMENTS = 60
"""Size of the generated corpus."""
#: Figure 1: the entities of the sample text, the most prominent one first.
SAMPLE = [
    ["the American administration", "it1", "it2", "it3", "they1", "they2", "them1", "their"],
    ["this man", "His1", "his2", "his3"],
    ["executed", "execution"],
    ["survival1", "survival2"],
    ["the sectarians", "them2"],
]


def reproduce() -> Reproduction:
    """Tables 1, 3, 4 and 5, Figures 2 to 8, and the claims on them."""
    facts = load("moosavi_strube")
    paper = Paper("moosavi-strube")
    table_5 = paper.tables["TABLE_5"]
    key = figure_key(facts["figure_key"])
    figures = {
        name: {
            point: score(key, response, list(METRICS))
            for point, response in figure_responses(facts, name).items()
        }
        for name in FIGURES
    }
    rows = _generated_rows()
    directions = _directions(paper.tables["TABLE_1"], rows)

    def detected(figure: str) -> list[float]:
        """F1 of mention detection at each point of a figure."""
        responses = figure_responses(facts, figure).values()
        return [score(key, response, "mentions")["mentions"].f1 for response in responses]

    def mentions_found() -> dict[str, float]:
        """Share of the mentions in the responses of Figure 8, by label."""
        return {
            point: sum(map(len, response)) / sum(map(len, key))
            for point, response in figure_responses(facts, "fig8").items()
        }

    names = {
        "facts": facts,
        "figures": figures,
        "key": key,
        "mentions": [mention for entity in key for mention in entity],
        "detected": detected,
        "mentions_found": mentions_found,
        "outputs": {
            name: score(facts["table3"]["key"], facts["table3"][name]["response"], list(METRICS))
            for name in ("cr1", "cr2")
        },
        "example": score(facts["section5"]["key"], facts["section5"]["response"], "lea")["lea"],
        "listed": _listed,
        "slip": lambda metric: _slip(metric, table_5, paper.tables["RANKS"]),
        "generated": rows,
        "ways": {(one.row, *one.column.split()): one for one in directions},
        "moves": _moves,
        "ROWS": ROWS,
        "ADDED": ADDED,
        "SECTIONS": SECTIONS,
        "SAMPLE": SAMPLE,
        **counts(paper.tables),
    }
    taus = tau_matrix(np.array([list(row.values()) for row in table_5.values()])).tolist()
    title = f"Kendall's τ between metrics over the {len(table_5)} systems of Table 5"
    return paper.evaluate(
        names,
        plots=tuple(_plot(name, points) for name, points in figures.items()),
        matrices=(Matrix("table-5-tau", title, tuple(next(iter(table_5.values()))), taus),),
        directions=tuple(directions),
    )


def figure_key(sizes: list[int]) -> list[list[str]]:
    """Entities of these sizes; ``e3.1`` is the second mention of the fourth entity."""
    return [[f"e{entity}.{number}" for number in range(size)] for entity, size in enumerate(sizes)]


def figure_responses(facts: dict[str, Any], figure: str) -> dict[str, list[list[str]]]:
    """The responses at the points of a figure."""
    prefix = f"{figure}_"
    return {
        name.removeprefix(prefix).removeprefix("dec").removeprefix("inc"): [
            chain.split() for chain in chains
        ]
        for name, chains in facts.items()
        if name.startswith(prefix)
    }


def _listed(scores: Scores, metrics: tuple[str, ...]) -> str:
    return ", ".join(f"{metric} {100 * scores[metric].f1:.2f}" for metric in metrics)


def _plot(figure: str, points: dict[str, Scores]) -> Plot:
    title, axis, lines = FIGURES[figure]
    curves = {metric: [scores[metric].f1 for scores in points.values()] for metric in METRICS}
    return Plot(figure.replace("fig", "figure-"), title, axis, tuple(points), curves, lines)


def _slip(metric: str, table: PrintedTable, printed: PrintedTable) -> Reason | None:
    """One digit of one score that would make all printed ranks right, if there is one."""
    wanted = [row[metric] for row in printed.values()]
    scores = {system: row[metric] for system, row in table.items()}
    if ranks([*scores.values()]) == wanted:
        return None
    for system, score_of_system in scores.items():
        text = f"{score_of_system:.2f}"
        for place, digit in ((p, d) for p in range(len(text)) for d in "0123456789"):
            if text[place] in (".", digit):
                continue
            other = f"{text[:place]}{digit}{text[place + 1 :]}"
            if ranks([*(scores | {system: float(other)}).values()]) != wanted:
                continue
            average = mean(*(table[system][one] for one in ("muc", "b3", "ceafe")))
            return Reason(
                f"all {len(wanted)} printed ranks are right if the {metric} of {system} is {other},"
                f" one digit from {text}; its average of {average:.2f} is that with {text}",
                True,
            )
    return None


def counts(tables: Mapping[str, PrintedTable]) -> dict[str, Any]:
    """Numbers of links, entities and sections that follow from printed scores."""
    table_1, table_4 = tables["TABLE_1"], tables["TABLE_4"]
    base = table_1["base"]

    def links_added(row: str) -> Range:
        """Links that a row of Table 1 has in addition to the base, by MUC."""
        return derive(
            lambda recall, before, after: recall * LINKS * (1 / after - 1 / before),
            *(base["muc.R"], base["muc.P"], table_1[row]["muc.P"]),
        )

    def entities_added(row: str) -> Range:
        """Entities that a row of Table 1 has in addition to the base, by CEAFe."""
        after = table_1[row]
        return derive(
            lambda after_r, after_p, r, p: ENTITIES * (after_r / after_p - r / p),
            *(after["ceafe.R"], after["ceafe.P"], base["ceafe.R"], base["ceafe.P"]),
        )

    def precision_with_links(added: int) -> Range:
        """MUC's precision after so many wrong links are added to the base."""

        def rule(precision: float, recall: float) -> float:
            right = recall / 100 * LINKS
            return 100 * right / (100 * right / precision + added)

        return derive(rule, base["muc.P"], base["muc.R"])

    def precision_with_entities(recall: float, added: int) -> Range:
        """CEAFe's precision after so many entities are added and its recall is ``recall``."""

        def rule(p: float, r: float, after: float) -> float:
            return after * ENTITIES / (r * ENTITIES / p + added)

        return derive(rule, base["ceafe.P"], base["ceafe.R"], recall)

    def one_entity(sections: int) -> float:
        """MUC's precision of one entity per section."""
        return 100 * LINKS / (MENTIONS - sections)

    def response_entities(recall: float, precision: float) -> float:
        """Number of entities of a response by CEAFe."""
        return ENTITIES * recall / precision

    one, alone = table_4["sys-1ent"], table_4["sys-sing"]
    by_ceafe = derive(response_entities, one["ceafe.R"], one["ceafe.P"])
    links = derive(lambda recall, p: recall * LINKS / p, one["muc.R"], one["muc.P"])
    return {
        "links_added": links_added,
        "entities_added": entities_added,
        "precision_with_links": precision_with_links,
        "precision_with_entities": precision_with_entities,
        "one_entity": one_entity,
        # Sections with mentions: by MUC's precision of 78.44 in section 3.1, and by CEAFe.
        "sections": derive(lambda precision: MENTIONS - 100 * LINKS / precision, 78.44),
        "possible_sections": [n for n in range(SECTIONS) if f"{one_entity(n):.2f}" == "78.44"],
        "sections_by_ceafe": by_ceafe,
        # Mentions of the boundary systems: singletons by CEAFe, one entity per section by MUC.
        "singletons": derive(response_entities, alone["ceafe.R"], alone["ceafe.P"]),
        "joined": Range(
            links.value + by_ceafe.value, links.low + by_ceafe.low, links.high + by_ceafe.high
        ),
    }


Clusters = dict[str, list[list[str]]]
"""Entities by document."""


def generated(documents: int = DOCUMENTS, seed: int = 0) -> tuple[Clusters, Clusters]:
    """A key with entities of many sizes, and a response with missing, wrong and extra mentions."""
    chance = np.random.default_rng(seed)
    key: Clusters = {}
    response: Clusters = {}
    for document in range(documents):
        sizes = 2 + np.minimum(chance.geometric(0.35, 14) - 1, 12)
        entities = [
            [f"{entity}.{number}" for number in range(size)]
            for entity, size in enumerate(sizes.tolist())
        ]
        found: dict[int, list[str]] = {}
        for number, entity in enumerate(entities):
            for mention in entity:
                draw = chance.random()
                if draw < 0.2:
                    continue  # missed
                target = number if draw < 0.85 else int(chance.integers(len(entities)))
                found.setdefault(target, []).append(mention)
        for invented in range(int(chance.integers(6))):
            found.setdefault(int(chance.integers(len(entities))), []).append(f"x{invented}")
        key[f"d{document}"] = entities
        response[f"d{document}"] = [chain for chain in found.values() if len(chain) > 1]
    return key, response


@cache
def changed() -> Audit:
    """An audit of the generated response, which makes the changes of Table 1."""
    return audit(*generated(), metrics=["muc", "b3", "ceafe", "blanc", "lea", "conll"])


def _generated_rows() -> dict[str, dict[str, float]]:
    """The rows of Table 1 and the boundary systems of Table 4 on the generated corpus."""
    changes = {result.trial.name: result.scores for result in changed().trials}
    rows = {"base": dict(changed().scores.items())}
    rows |= {row: changes[name] for row, name in CHANGES.items()}
    return {row: _numbers(scores) for row, scores in rows.items()}


def _numbers(scores: dict[str, Score]) -> dict[str, float]:
    numbers = {"conll": 100 * scores["conll"].f1}
    for metric in ("muc", "b3", "ceafe", "blanc", "lea"):
        found = scores[metric]
        numbers[f"{metric}.R"] = 100 * (found.recall or 0.0)
        numbers[f"{metric}.P"] = 100 * (found.precision or 0.0)
        numbers[f"{metric}.F"] = 100 * found.f1
    return numbers


def _directions(table: PrintedTable, rows: PrintedTable) -> list[Direction]:
    """Effect of the changes of Table 1, as printed and on the generated corpus."""
    return [
        Direction(
            "Table 1",
            title,
            column.replace(".", " "),
            (table["base"][column], number),
            (rows["base"][column], rows[row][column]),
        )
        for row, title in ROWS.items()
        for column, number in table[row].items()
    ]


def _moves(ways: dict[str, Direction]) -> str:
    return "; ".join(
        f"{name} {one.published[0]:.2f} to {one.published[1]:.2f} (generated corpus "
        f"{one.stand_in[0]:.2f} to {one.stand_in[1]:.2f})"
        for name, one in ways.items()
    )
