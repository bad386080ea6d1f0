"""The claims of sections 3 to 5 of Holen (2013), decided by the numbers that she prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from corefine.explaining.pairing import competition_ranks
from corefine.papers.holen_readings import compared
from corefine.papers.printed import mean
from corefine.papers.results import Claim

METRICS = ("muc", "b3", "ceafe", "ceafm", "blanc")
Taus = Sequence[Sequence[float | None]]


def claims_of(facts: dict[str, Any], taus: Taus) -> list[Claim]:
    """Every claim, by section."""
    return [
        _definition(facts),
        *_agreement(taus),
        *_categories(facts),
        *_ranking(facts),
    ]


def _definition(facts: dict[str, Any]) -> Claim:
    told = compared(facts)
    counts = {
        reading: sum(one.follows == reading for one in told)
        for reading in ("document", "pair", "neither")
    }
    which = "; ".join(
        f"{reading}: {', '.join(' '.join(one.place) for one in told if one.follows == reading)}"
        for reading in counts
    )
    return Claim(
        "2.1",
        "all tables use one definition of MUC and BLANC of an entity",
        len(told) in counts.values(),
        f"of {len(told)} printed numbers on which document and pair differ "
        f"{counts['document']} follow the document, {counts['pair']} the pair",
        which,
    )


def _agreement(taus: Taus) -> list[Claim]:
    simple = [
        (metric, other, float(taus[row][column] or 0), float(taus[column][row] or 0))
        for row, metric in enumerate(METRICS)
        for column, other in enumerate(METRICS)
        if row < column
    ]
    lowest, highest = (pick(simple, key=lambda pair: pair[2]) for pick in (min, max))
    later_low = min(simple, key=lambda pair: pair[3])
    top = max(pair[3] for pair in simple)
    leading = {frozenset(pair[:2]) for pair in simple if pair[3] == top}
    tau = highest[2]
    return [
        Claim(
            "3",
            "in 2011 CEAFe and MUC agree least, CEAFm and B³ most",
            {*lowest[:2]} == {"ceafe", "muc"} and {*highest[:2]} == {"ceafm", "b3"},
            f"least {lowest[0]} and {lowest[1]} {lowest[2]}, most {highest[0]} and {highest[1]} "
            f"{highest[2]}",
        ),
        Claim(
            "3",
            "all pairs of metrics agree more in 2012 than in 2011",
            all(later > earlier for _, _, earlier, later in simple),
            ", ".join(f"{a} and {b} {x} to {y}" for a, b, x, y in simple),
        ),
        Claim(
            "3",
            "in 2012, too, CEAFm and B³ agree most, CEAFe and MUC least",
            {*later_low[:2]} == {"ceafe", "muc"} and frozenset({"ceafm", "b3"}) in leading,
            f"least {later_low[3]}, most {top}",
        ),
        Claim(
            "3",
            f"B³ and CEAFm agree on just above half of all cases ({tau})",
            (1 + tau) / 2 < 0.6,
            f"without ties, τ = {tau} means {100 * (1 + tau) / 2:.0f}% concordant pairs",
            "τ is the share of concordant pairs minus that of discordant pairs",
        ),
    ]


def _categories(facts: dict[str, Any]) -> list[Claim]:
    """Section 4.1: how the categories score."""
    f1: dict[str, list[float]] = {}
    for metric in METRICS:
        by: dict[str, list[float]] = {}
        for entity in facts.values():
            printed = entity["published"]
            if entity["response"]:
                by.setdefault(printed["table"], []).append(printed["scores"][metric][2])
        f1[metric] = [mean(*by["2a"]), mean(*by["2b"]), mean(*by["2a"], *by["2b"]), mean(*by["3"])]
    numbers = "; ".join(
        f"{metric}: 2a {a:.1f}, 2b {b:.1f}, 2 {whole:.1f}, 3 {three:.1f}"
        for metric, (a, b, whole, three) in f1.items()
    )
    return [
        Claim(
            "4.1.2",
            "category 2b scores lower than 2a under every metric",
            all(b < a for a, b, _, _ in f1.values()),
            numbers,
        ),
        Claim(
            "4.1.3",
            "category 3 scores lower than category 2 and higher than 2b under every metric",
            all(b < three < whole for _, b, whole, three in f1.values()),
            numbers,
        ),
    ]


def _ranking(facts: dict[str, Any]) -> list[Claim]:
    """Section 5: the ranks of Table 6, and the human's."""
    rank = {name: entity["published"]["rank"] for name, entity in facts.items()}
    last = [max(row[place] or 0 for row in rank.values()) for place in range(len(METRICS))]
    links, mentions = (METRICS.index("muc"), METRICS.index("blanc")), (1, 2, 3)
    human = np.array([row[-1] for row in rank.values()])
    ranked = competition_ranks(-human)
    skipped = sorted(set(ranked.tolist()) - set(human.tolist()))
    failed = ("WB0", "WB1")
    alike = ("MZ22", "NW5", *failed)
    tied = {name: rank[name][:-1] for name in alike}
    return [
        Claim(
            "5",
            "MUC, BLANC and the human rank WB0 and WB1 last; the other metrics do not",
            all(rank[name][place] == last[place] for name in failed for place in links)
            and all(rank[name][place] < last[place] for name in failed for place in mentions)
            and all(rank[name][-1] == human.max() for name in failed),
            f"WB0 {rank['WB0']}, last {[*last, int(human.max())]}",
        ),
        Claim(
            "5",
            "no metric distinguishes MZ22 and NW5 from WB0 and WB1; the human does",
            len({tuple(row) for row in tied.values()}) == 1
            and all(rank[name][-1] < rank[other][-1] for name in alike[:2] for other in failed),
            "; ".join(f"{name} {rank[name]}" for name in alike),
        ),
        Claim(
            "5",
            'human ranks follow the same rule as the metrics\' ranks ("1, 1, 3")',
            bool((ranked == human).all()),
            f"{int((ranked == human).sum())} of {len(human)} are; the others are "
            f"{int((human - ranked).max())} too high",
            f"{human.tolist().count(5)} entity has rank 5, and no one has rank {skipped[0]}"
            if skipped
            else "",
        ),
    ]
