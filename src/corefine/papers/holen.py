"""Holen 2013: how little metrics agree (Table 1), entities one by one (Tables 2 to 6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from corefine.comparing.tau import tau_matrix
from corefine.corpus.columns import Entities, Mentions, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.strings import Strings
from corefine.explaining.entities import EntityTable, entities
from corefine.explaining.pairing import competition_ranks
from corefine.papers.moosavi_strube import TABLE_5
from corefine.papers.results import Cell, Claim, Reproduction, load, percent

METRICS = ("muc", "b3", "ceafe", "ceafm", "blanc")
TABLES = {"2a": "Table 2", "2b": "Table 3", "3": "Table 4", "4": "Table 5"}
NO_DEFINITION = {
    ("BN1", "muc"): "as printed it is the score of seven of eight mentions; five are in her table",
    ("BN1", "blanc"): "her response entity has ten links, all right: P is 100, R 10/28",
    ("BN2", "muc"): "one of two mentions is right, so there is no right link: P is 0",
    ("MZ40", "blanc"): "one of the key's six links is found: R is 1/6",
}
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
OLDER = "she had the scores of an older scorer; on those of LEA's Table 5 the metrics agree more"
NO_DATA = "the scores of 2011 are in none of the papers"


def reproduce() -> Reproduction:
    """Her tables of entities, her ranks and categories, and how far metrics agree."""
    facts = load("holen")
    table = entities(*document(facts), lenient=True)
    cells = [*_scores(facts, table), *_ranks(facts), *_taus()]
    return Reproduction(
        "holen",
        "Holen 2013, Critical reflections on evaluation practices in coreference resolution, NAACL",
        tuple(cells),
        tuple(_categories(facts, table)),
        notes=("New Zealand of entity NW2 is one mention that the page's layout split.",),
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
                    # 90.9 is printed with one decimal, all others with two.
                    decimals=1 if printed == 90.9 else 2,
                    why=NO_DEFINITION.get((name, metric), ""),
                )
                cells.append(cell)
    return cells


def _ranks(facts: dict[str, Any]) -> list[Cell]:
    """Her Table 6 from her own F: rank by each metric, "1, 1, 3"."""
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
            cells.append(Cell("Table 6", name, metric, printed["rank"][place], rank, decimals=0))
    return cells


def _taus() -> list[Cell]:
    """Agreement of metrics, on the scores that LEA's Table 5 prints for the systems of 2012."""
    matrix = tau_matrix(np.array([TABLE_5[name] for name in TAU_NAMES]).T)
    cells = []
    for row, printed_row in enumerate(TAU):
        for column, printed in enumerate(printed_row):
            if printed is None:
                continue
            later = row > column
            cells.append(
                Cell(
                    f"Table 1, {2012 if later else 2011}",
                    TAU_NAMES[row],
                    TAU_NAMES[column],
                    printed,
                    float(matrix[row, column]) if later else None,
                    decimals=2,
                    why=OLDER if later else NO_DATA,
                )
            )
    return cells


def _categories(facts: dict[str, Any], lenient: EntityTable) -> list[Claim]:
    strict = entities(*document(facts))
    claims = []
    for (name, entity), ours, kindly in zip(facts.items(), strict, lenient, strict=True):
        printed = entity["published"]["table"]
        holds = ours.category == printed
        claims.append(
            Claim(
                "section 4.1",
                f"{name} is of category {printed}",
                holds,
                f"by her formulas {ours.category}, leniently {kindly.category}",
                "" if holds else "its mentions only overlap: by her formula it failed",
            )
        )
    return claims
