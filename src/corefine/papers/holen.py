"""Holen 2013: how little metrics agree (Table 1), entities one by one (Tables 2 to 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any

import numpy as np

from corefine.comparing.tau import tau_matrix
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.explaining.entities import Entity, EntityTable, entities
from corefine.explaining.pairing import competition_ranks
from corefine.papers.holen_claims import claims_of
from corefine.papers.holen_readings import readings
from corefine.papers.lea_tables import TABLE_5
from corefine.papers.printed import derive, mean
from corefine.papers.results import (
    Cell,
    Claim,
    Exhibit,
    Matrix,
    Reproduction,
    load,
    percent,
)

METRICS = ("muc", "b3", "ceafe", "ceafm", "blanc")
TABLES = {"2a": "Table 2", "2b": "Table 3", "3": "Table 4", "4": "Table 5"}
EXHIBITS = (
    Exhibit("Table 1", "Kendall's τ between metrics"),
    Exhibit("section 3", "What she says of Table 1"),
    Exhibit("section 4", "Size of the sample"),
    Exhibit("section 4.1.1", "Scores and share of perfect entities"),
    Exhibit("Table 2", "Category 2a: partial entities"),
    Exhibit("section 4.1.2", "Average F of three entities"),
    Exhibit("Table 3", "Category 2b: partial mentions"),
    Exhibit("Table 4", "Category 3: merged entities"),
    Exhibit("Table 5", "Category 4: unsuccessful"),
    Exhibit("section 4.1.4", "F of WB0 and WB1, average F of MZ33"),
    Exhibit("section 5", "Ranks of WB0 and WB1"),
    Exhibit("Table 6", "Ranks by metric and by a human"),
)
#: Her Table 1: Kendall's τ, CoNLL 2011 in the upper right corner, CoNLL 2012 in the lower left.
TAU_NAMES = ("muc", "b3", "ceafe", "ceafm", "blanc", "conll")
TAU = (
    (None, 0.46, 0.22, 0.47, 0.35, 0.63),
    (0.59, None, 0.47, 0.56, 0.42, 0.61),
    (0.46, 0.59, None, 0.51, 0.26, 0.38),
    (0.57, 0.70, 0.62, None, 0.46, 0.60),
    (0.57, 0.70, 0.57, 0.68, None, 0.35),
    (0.59, 0.73, 0.59, 0.70, 0.70, None),
)
SIMPLE = 5
"""The first of these names are metrics; the last is the average of three of them."""
NO_DATA = "the scores of 2011 are not in any of the papers"
JUDGED = "a human's judgement of the information that is kept"


def reproduce() -> Reproduction:
    """Her tables of entities, her ranks and categories, and how far metrics agree."""
    facts = load("holen")
    table = entities(*document(facts), lenient=True)
    cells = [*_taus(), *_text(facts, table), *_scores(facts, table), *_ranks(facts)]
    return Reproduction(
        "holen",
        "Holen 2013, Critical reflections on evaluation practices in coreference resolution, NAACL",
        EXHIBITS,
        tuple(cells),
        (*claims_of(facts, TAU), *_categories(facts, table)),
        notes=(
            "New Zealand of entity NW2 is one mention that the page's layout split.",
            "90.90, three times in Table 2, is cut from 90.909; all other numbers are rounded.",
        ),
        matrices=(_human(facts),),
    )


def document(facts: dict[str, Any]) -> tuple[Corpus, Corpus]:
    """Her 21 entities and the responses to them as one text, a partial mention inside its whole."""
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
    return _corpus(text, key, places), _corpus(text, response, places)


def _corpus(text: list[str], chains: list[list[str]], places: dict[str, tuple[int, int]]) -> Corpus:
    spans = np.array([places[mention] for chain in chains for mention in chain], np.int64)
    owner = np.repeat(np.arange(len(chains)), [len(chain) for chain in chains])
    zero = np.zeros(len(owner), np.int64)
    return Corpus(
        ("holen",),
        Entities(np.zeros(len(chains), np.int64)),
        Mentions(zero, owner, spans[:, 0], spans[:, 1]),
        Tokens(Strings.from_list(text), np.array([0, len(text)]), np.array([0])),
    )


def _scores(facts: dict[str, Any], table: EntityTable) -> list[Cell]:
    cells = []
    explained = readings(facts)
    for (name, entity), ours in zip(facts.items(), table, strict=True):
        if entity["published"]["table"] == "1" or not entity["response"]:
            continue  # not in her tables of scores
        for metric in METRICS:
            score = ours.scores[metric]
            values = (score.precision, score.recall, score.f1)
            for part, printed, value in zip(
                "PRF", entity["published"]["scores"][metric], values, strict=True
            ):
                cell = Cell(
                    TABLES[entity["published"]["table"]],
                    name,
                    f"{metric} {part}",
                    printed,
                    percent(value),
                    decimals=2,
                    # 90.90 is cut from 90.909, where all others are rounded.
                    cuts=printed == 90.9,
                    explanation=explained.get((name, metric, part)),
                )
                cells.append(cell)
    return cells


def _ranks(facts: dict[str, Any]) -> list[Cell]:
    """Her Table 6 from her own F: rank by each metric, "1, 1, 3"; the human's column as it is."""
    cells = []
    for place, metric in enumerate(METRICS):
        ranked = {
            name: entity["published"]
            for name, entity in facts.items()
            if entity["published"]["rank"][place] is not None
        }
        f1 = np.array([printed["scores"][metric][2] for printed in ranked.values()])
        for (name, printed), rank in zip(
            ranked.items(), competition_ranks(f1).tolist(), strict=True
        ):
            printed_rank = printed["rank"][place]
            cells.append(Cell("Table 6", name, metric, printed_rank, rank, 0, source="derived"))
    cells += [
        Cell(
            "Table 6", name, "human", entity["published"]["rank"][-1], None, 0,
            source="not derivable", reason=JUDGED,
        )
        for name, entity in facts.items()
    ]  # fmt: skip
    return cells


def _human(facts: dict[str, Any]) -> Matrix:
    """How far her metrics and the human rank the entities alike; she prints the ranks alone."""
    printed = [entity["published"] for entity in facts.values()]
    columns = [[one["scores"][metric][2] for one in printed] for metric in METRICS]
    columns.append([-one["rank"][-1] for one in printed])
    values = tau_matrix(np.array(columns).T)
    title = "Kendall's τ between the rankings of Table 6 (21 entities)"
    rows = tuple(tuple(row) for row in values.tolist())
    return Matrix("table-6-tau", title, (*METRICS, "human"), rows)


def _taus() -> list[Cell]:
    """Her τ, and beside those of 2012 the τ on the scores that LEA's Table 5 prints."""
    matrix = tau_matrix(np.array([TABLE_5[name] for name in TAU_NAMES]).T)
    pairs = list(permutations(range(len(TAU)), 2))
    later = [(row, column) for row, column in pairs if row > column]
    why = _other_scores([(TAU[place[0]][place[1]], float(matrix[place])) for place in later])
    return [
        Cell(
            "Table 1",
            f"{TAU_NAMES[row]}, {2012 if row > column else 2011}",
            TAU_NAMES[column],
            float(TAU[row][column] or 0),
            None,
            2,
            source="not derivable",
            reason=why if row > column else NO_DATA,
            stand_in=float(matrix[row, column]) if row > column else None,
        )
        for row, column in pairs
    ]


def _other_scores(pairs: list[tuple[float | None, float]]) -> str:
    """That she had other scores than LEA's Table 5 shows in the τ that so many systems can have."""
    systems = len(TABLE_5["muc"])
    of = systems * (systems - 1) // 2
    possible = {round((of - 2 * apart) / of, 2) for apart in range(of + 1)}
    strange = sum(printed not in possible for printed, _ in pairs)
    gaps = [ours - (printed or 0) for printed, ours in pairs]
    return (
        f"her scores are not those of LEA's Table 5: {strange} of {len(pairs)} are no τ of its "
        f"{systems} systems, which none of the metrics ties, and there τ is {min(gaps):.2f} to "
        f"{max(gaps):.2f} higher"
    )


def _text(facts: dict[str, Any], table: EntityTable) -> list[Cell]:
    """The numbers of her sections 3 to 5."""
    year = {
        2011: [TAU[row][column] or 0 for row in range(SIMPLE) for column in range(row + 1, SIMPLE)],
        2012: [TAU[row][column] or 0 for row in range(SIMPLE) for column in range(row)],
    }
    at = {name: number for number, name in enumerate(TAU_NAMES)}
    said = (
        ("2011, lowest", 0.22, min(year[2011])),
        ("2011, MUC and BLANC", 0.35, TAU[at["muc"]][at["blanc"]]),
        ("2011, highest", 0.56, max(year[2011])),
        ("2012, lowest", 0.46, min(year[2012])),
        ("2012, highest", 0.70, max(year[2012])),
        ("2012, BLANC and CEAFe", 0.57, TAU[at["blanc"]][at["ceafe"]]),
    )
    cells = [
        Cell("section 3", name, "τ", printed, value, 2, source="derived")
        for name, printed, value in said
    ]
    perfect = [entity for entity in facts.values() if entity["published"]["table"] == "1"]
    hidden = [name for name, entity in facts.items() if entity["key"][0] == f"{name}.0"]
    shown = sum(len(entity["key"]) for name, entity in facts.items() if name not in hidden)
    unseen = f"the mentions of {len(hidden)} entities are not printed; the others have {shown}"
    whole = [part for part in range(65) if round(100 * part / 64) == 14]
    assert len(whole) == 1
    cells += [
        Cell("section 4", "sample", "entities", 21, len(facts), 0, source="derived"),
        Cell("section 4", "sample", "mentions", 64, None, 0, source="not derivable", reason=unseen),
        Cell(
            "section 4.1.1", "perfect", "entities (%)", 19, 100 * len(perfect) / len(facts), 0,
            source="derived",
        ),
        Cell(
            "section 4.1.1", "perfect", "mentions (%)", 14, None, 0, source="not derivable",
            reason=f"{unseen}; of whole numbers only {whole[0]} of 64 is 14%",
        ),
    ]  # fmt: skip
    cells += _boundaries(facts, table)
    averages = {"NW1": 56.67, "BC45": 88.32, "BN1": 75.68, "MZ33": 67.56}
    for name, printed in averages.items():
        scores = facts[name]["published"]["scores"]
        found = derive(mean, *(scores[metric][2] for metric in METRICS), decimals=2)
        where = "section 4.1.4" if name == "MZ33" else "section 4.1.2"
        cells.append(
            Cell(
                where, name, "average F", printed, found.value, 2, source="derived",
                slack=found.slack,
            )
        )  # fmt: skip
    return cells


def _boundaries(facts: dict[str, Any], table: EntityTable) -> list[Cell]:
    """What she says of perfect entities, and of WB0 and WB1 by the two sorts of metrics."""
    failed = ("WB0", "WB1")
    by_links, by_mentions = ("muc", "blanc"), ("b3", "ceafe", "ceafm")
    f1 = {
        metric: [entity["published"]["scores"][metric][2] for entity in facts.values()]
        for metric in METRICS
    }
    rank = {metric: competition_ranks(np.array(column)) for metric, column in f1.items()}
    rows = [number for number, name in enumerate(facts) if name in failed]

    def common(columns: Mapping[str, Any], metrics: Iterable[str]) -> float:
        """The one number that these metrics give both entities."""
        (found,) = {float(columns[metric][row]) for metric in metrics for row in rows}
        return found

    perfect = min(_smallest(ours) for ours in table if ours.category == "1")
    last = max(int(rank[metric].max()) for metric in by_mentions)
    said = (
        ("section 4.1.1", "perfect", "P and R", 100, 100 * perfect, 0),
        ("section 4.1.4", "WB0, WB1", "F by links", 0, common(f1, by_links), 2),
        ("section 4.1.4", "WB0, WB1", "F by mentions", 50, common(f1, by_mentions), 2),
        ("section 5", "WB0, WB1", "rank by links", 13, common(rank, by_links), 0),
        ("section 5", "WB0, WB1", "rank by mentions", 13, common(rank, by_mentions), 0),
        ("section 5", "last", "rank by mentions", 19, last, 0),
    )
    return [
        Cell(where, row, column, printed, value, decimals, source="derived")
        for where, row, column, printed, value, decimals in said
    ]


def _smallest(entity: Entity) -> float:
    """The smallest of an entity's precisions and recalls by her metrics."""
    scores = (entity.scores[metric] for metric in METRICS)
    return min(part or 0.0 for score in scores for part in (score.precision, score.recall))


def _categories(facts: dict[str, Any], lenient: EntityTable) -> list[Claim]:
    strict = entities(*document(facts))
    claims = []
    for (name, entity), ours, kindly in zip(facts.items(), strict, lenient, strict=True):
        printed = entity["published"]["table"]
        holds = ours.category == printed
        correct = len({*entity["key"]} & {m for chain in entity["response"] for m in chain})
        claims.append(
            Claim(
                "section 4.1",
                f"{name} is of category {printed}",
                holds,
                f"by her formulas {ours.category}, leniently {kindly.category}",
                "" if holds else f"{correct} of its mentions are right; formula 2b asks for one",
            )
        )
    return claims
