"""Two readings of Holen's (2013) scores of one entity: its pair alone, or the whole document.

Her section 2.1 defines MUC's partition p(K) and BLANC's links by the response, not by one response
entity. An entity whose mentions stand in the response to another one then scores differently. Her
tables follow the pair almost everywhere; this module finds where they follow the document.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from corefine.papers.printed import f_measure
from corefine.papers.results import Explanation
from corefine.scoring.score import score

Place = tuple[str, str, str]
"""An entity, a metric, and P, R or F."""
METRICS = {"muc": "muc", "blanc": "pairs.coreferent"}
"""The two metrics that differ; of BLANC she takes the coreferent half."""


@dataclass(frozen=True, slots=True)
class Readings:
    """One printed number that the two readings tell apart."""

    place: Place
    printed: float
    pair: float
    document: float

    @property
    def follows(self) -> str:
        """The reading that gives the printed number."""
        if abs(self.printed - self.document) <= 0.005 + 1e-9:
            return "document"
        return "pair" if abs(self.printed - self.pair) <= 0.005 + 1e-9 else "neither"


def compared(facts: dict[str, Any]) -> list[Readings]:
    """All printed numbers of MUC and BLANC on which the two readings differ."""
    keys = [entity["key"] for entity in facts.values()]
    responses = [chain for entity in facts.values() for chain in entity["response"]]
    found = []
    for name, entity in facts.items():
        if not entity["response"]:
            continue
        (response,) = entity["response"]
        for metric, asked in METRICS.items():
            alone = score([entity["key"]], [response], asked)[asked]
            # The recall of one entity by the whole response, the precision of one by the whole key.
            recall = score([entity["key"]], responses, asked)[asked].recall or 0.0
            precision = score(keys, [response], asked)[asked].precision or 0.0
            pair = (alone.precision or 0.0, alone.recall or 0.0, alone.f1)
            whole = (precision, recall, f_measure(precision, recall))
            printed = entity["published"]["scores"][metric]
            for part, number, one, other in zip("PRF", printed, pair, whole, strict=True):
                if abs(one - other) > 1e-9:
                    place = (name, metric, part)
                    found.append(Readings(place, number, 100 * one, 100 * other))
    return found


def readings(facts: dict[str, Any]) -> dict[Place, Explanation]:
    """For each number that her pairs do not give, the reading that gives it, computed."""
    told = compared(facts)
    elsewhere = dict.fromkeys(" ".join(one.place[:2]) for one in told if one.follows == "pair")
    explained = {
        one.place: Explanation(
            f"over the document, as her section 2.1 defines it, {one.document:.2f}; she took the "
            f"pair for {', '.join(elsewhere)}",
            True,
            one.document,
        )
        for one in told
        if one.follows == "document"
    }
    neither = {one.place[0] for one in told if one.follows == "neither" and one.place[1] == "blanc"}
    for name in sorted(neither):
        explained |= {
            place: one for place, one in _mixed(facts, name).items() if place not in explained
        }
    return explained


def _mixed(facts: dict[str, Any], name: str) -> dict[Place, Explanation]:
    """BLANC with right links counted in one place and wrong or missing ones in another."""
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
        (name, "blanc", part): Explanation(
            text, abs(value - printed) <= 0.00005 + 1e-9, 100 * value
        )
        for part, (value, printed, text) in candidates.items()
    }


def _links(mentions: list[str]) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in combinations(mentions, 2)}
