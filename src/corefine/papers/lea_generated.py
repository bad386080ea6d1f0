"""A stand-in for the corpus of Moosavi & Strube (2016): generated, and changed as theirs was.

The rows of their Tables 1 and 4 need a system's output on a licensed corpus. Here the same changes
are made to a made-up response; what they do to each metric is set beside what is printed.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from corefine.auditing.audit import Audit, audit
from corefine.papers.lea_tables import TABLE_1
from corefine.papers.results import Claim, Direction
from corefine.scoring.scores import Score

DOCUMENTS = 60
METRICS = ("muc", "b3", "ceafe", "blanc", "lea")
TRIALS = {
    "more_precise": "remove-wrong-mentions",
    "less_precise_a": "add-wrong-pairs",
    "less_precise_b": "add-missing-mentions",
}
"""The rows of Table 1 and the change of an audit that each is; b as it was scored."""
ROWS = {
    "more_precise": "more precise",
    "less_precise_a": "less precise (a)",
    "less_precise_b": "less precise (b)",
}
BOUNDARIES = {"sys-sing": "response-as-singletons", "sys-1ent": "response-in-one-entity"}


def generated(
    documents: int = DOCUMENTS, seed: int = 0
) -> tuple[dict[str, list[list[str]]], dict[str, list[list[str]]]]:
    """A key of documents with entities of many sizes, and a response that misses and mixes some."""
    chance = np.random.default_rng(seed)
    key: dict[str, list[list[str]]] = {}
    response: dict[str, list[list[str]]] = {}
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
                host = number if draw < 0.85 else int(chance.integers(len(entities)))
                found.setdefault(host, []).append(mention)
        for invented in range(int(chance.integers(6))):
            found.setdefault(int(chance.integers(len(entities))), []).append(f"x{invented}")
        key[f"d{document}"] = entities
        response[f"d{document}"] = [chain for chain in found.values() if len(chain) > 1]
    return key, response


@cache
def changed() -> Audit:
    """The generated response, and what an audit makes of it."""
    return audit(*generated(), metrics=[*METRICS, "conll"])


def stand_in() -> dict[str, dict[str, float]]:
    """The rows of Table 1 on the generated corpus."""
    rows = {"base": dict(changed().scores.items())}
    rows |= {row: _scores_of(trial) for row, trial in TRIALS.items()}
    return {row: _numbers(scores) for row, scores in rows.items()}


def boundaries() -> dict[str, dict[str, float]]:
    """The boundary systems of Table 4 on the generated corpus."""
    return {row: _numbers(_scores_of(name)) for row, name in BOUNDARIES.items()}


def _scores_of(trial: str) -> dict[str, Score]:
    (found,) = (result for result in changed().trials if result.trial.name == trial)
    return found.scores


def _numbers(scores: dict[str, Score]) -> dict[str, float]:
    numbers = {"conll": 100 * scores["conll"].f1}
    for metric in METRICS:
        score = scores[metric]
        assert score.precision is not None
        assert score.recall is not None
        numbers[f"{metric}.R"] = 100 * score.recall
        numbers[f"{metric}.P"] = 100 * score.precision
        numbers[f"{metric}.F"] = 100 * score.f1
    return numbers


def directions() -> list[Direction]:
    """How the changes of Table 1 move each of its numbers, as printed and on this corpus."""
    ours = stand_in()
    return [
        Direction(
            "Table 1",
            ROWS[row],
            column.replace(".", " "),
            (TABLE_1["base"][column], number),
            (ours["base"][column], ours[row][column]),
        )
        for row in ROWS
        for column, number in TABLE_1[row].items()
    ]


def mention_effect() -> list[Claim]:
    """Section 2 by the numbers of Table 1, and what section 4 says of LEA on this corpus."""
    ways = {(one.row, *one.column.split()): one for one in directions()}
    others = ("b3", "ceafe", "blanc")
    claims = []
    for name in ROWS.values():
        moved = {metric: ways[name, metric, "R"] for metric in ("muc", *others)}
        claims.append(
            Claim(
                "2",
                f"{name}: recall changes for all metrics but MUC",
                moved["muc"].published_way == "stays"
                and all(moved[metric].published_way != "stays" for metric in others),
                _moves(moved),
            )
        )
    fallen = {f"ceafe {part}": ways["more precise", "ceafe", part] for part in "RP"}
    blanc = {f"blanc {part}": ways["more precise", "blanc", part] for part in "RF"}
    claims += [
        Claim(
            "2",
            "more precise: recall and precision of CEAFe fall",
            all(one.published_way == "falls" for one in fallen.values()),
            _moves(fallen),
        ),
        Claim(
            "2",
            "more precise: BLANC's recall falls, and its F1",
            all(one.published_way == "falls" for one in blanc.values()),
            _moves(blanc),
        ),
    ]
    risen = {
        f"{row}, {metric}": ways[row, metric, "F"]
        for row in ("less precise (a)", "less precise (b)")
        for metric in others
    }
    not_risen = [name for name, one in risen.items() if one.published_way != "rises"]
    claims.append(
        Claim(
            "2",
            "less precise: F1 of B³, CEAF and BLANC is above the base",
            not not_risen,
            _moves(risen),
            f"not for {' and '.join(not_risen)}" if not_risen else "",
        )
    )
    ours = stand_in()
    for row, name in ROWS.items():
        before, after = ours["base"]["lea.R"], ours[row]["lea.R"]
        claims.append(
            Claim(
                "4",
                f"{name}: the mention identification effect does not move LEA's recall",
                abs(after - before) < 1e-9,
                f"generated corpus: R {before:.2f} to {after:.2f}",
            )
        )
    return claims


def _moves(ways: dict[str, Direction]) -> str:
    return "; ".join(
        f"{name} {one.published[0]:.2f} to {one.published[1]:.2f} (generated corpus "
        f"{one.stand_in[0]:.2f} to {one.stand_in[1]:.2f})"
        for name, one in ways.items()
    )
