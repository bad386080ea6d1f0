"""Table 1 of Moosavi & Strube (2016) on a generated corpus: the mention identification effect.

The paper's own row needs a system's output on a licensed corpus. Here the same changes are made to
a made-up response, and what the paper says of them is checked.
"""

from __future__ import annotations

import numpy as np

from corefine.auditing.audit import audit
from corefine.papers.results import Claim
from corefine.scoring.scores import Score

DOCUMENTS = 60
TRIALS = {
    "more-precise": ("more precise", -1),
    "less-precise-a": ("less precise (a)", 1),
    "less-precise-b": ("less precise (b)", 1),
}


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


def mention_effect() -> list[Claim]:
    """What each change does to recall, by metric."""
    result = audit(*generated(), metrics="muc,b3,ceafm,ceafe,blanc,lea", singletons="drop")
    base = result.scores
    claims = []
    for trial in result.trials:
        if trial.trial.name not in TRIALS:
            continue
        name, direction = TRIALS[trial.trial.name]
        after = trial.scores
        claims += [_stays(name, metric, base[metric], after[metric]) for metric in ("muc", "lea")]
        claims += [
            _moves(name, metric, base[metric], after[metric], direction)
            for metric in ("b3", "blanc")
        ]
    return claims


def _stays(change: str, metric: str, before: Score, after: Score) -> Claim:
    old, new = _recalls(before, after)
    text = f"{change}: the recall of {metric} stays (generated corpus)"
    return Claim("Table 1", text, abs(new - old) < 1e-9, f"{100 * old:.2f} to {100 * new:.2f}")


def _moves(change: str, metric: str, before: Score, after: Score, direction: int) -> Claim:
    old, new = _recalls(before, after)
    verb = "rises" if direction > 0 else "falls"
    text = f"{change}: the recall of {metric} {verb} (generated corpus)"
    return Claim(
        "Table 1", text, (new - old) * direction > 0, f"{100 * old:.2f} to {100 * new:.2f}"
    )


def _recalls(before: Score, after: Score) -> tuple[float, float]:
    assert before.recall is not None
    assert after.recall is not None
    return before.recall, after.recall
