"""The claims of Kaczmarek & Marcińczuk (2015), each with the numbers that decide it."""

from __future__ import annotations

from typing import Any

import numpy as np

from corefine.papers.kaczmarek_tables import TABLE_2, TABLE_3
from corefine.papers.printed import f_measure
from corefine.papers.results import Claim
from corefine.scoring.score import score
from corefine.scoring.scores import Score

SIZES = (1, 2, 5, 20)
"""Pronouns of Romeo and of Juliet."""


AWARE = ("lmuc", "lb3", "lceafe", "lceafm")


def claims_of(facts: dict[str, Any], scores: dict[str, Score]) -> list[Claim]:
    """Every claim; ``scores`` are those of the case study by metric."""
    return [
        *_special_cases(facts),
        *_one_cluster(facts),
        *_romeo_and_juliet(facts),
        *_study_claims(facts["2015_table1"]["published"], scores),
        *_tool_claims(),
    ]


def _parent(facts: dict[str, Any], name: str) -> Score:
    case = facts[name]
    return score(case["key"], case["response"], "parent", kinds=case["kinds"])["parent"]


def _special_cases(facts: dict[str, Any]) -> list[Claim]:
    perfect = _parent(facts, "sec45_perfect")
    found = {name: _parent(facts, f"sec45_{name}") for name in _CASES}
    chains, referring, invented = 3, 6, 2
    checks = {
        "missing_def_def": (perfect.precision, perfect.recall),
        "missing_ref": (1, 1 - 1 / referring),
        "wrong_def_def": (6 / 9, 1),
        "wrong_ref": (5 / 6, 5 / 6),
        "one_cluster": (1 / chains, 1),
        "one_cluster_invented_referring": (referring / ((referring + invented) * chains), 1),
        "all_singletons": (0, 0),
    }
    claims = []
    for name, (precision, recall) in checks.items():
        value = np.array([found[name].precision, found[name].recall], float)
        holds = bool((np.abs(value - [precision, recall]) < 1e-9).all())
        numbers = f"P {value[0]:.3f}, R {value[1]:.3f}"
        claims.append(Claim("section 4.5", _CASES[name], holds, numbers))
    return claims


_CASES = {
    "missing_def_def": "a missing link between names costs nothing",
    "missing_ref": "a missing link between a pronoun and its name lowers recall by one unit",
    "wrong_def_def": "a wrong link between names lowers precision according to the entities joined",
    "wrong_ref": "a wrong link between a pronoun and a name lowers both",
    "one_cluster": "one cluster of all gold mentions has recall 1 and precision 1/|key|",
    "one_cluster_invented_referring": "with spurious mentions I, its precision is "
    "|R| / ((|R| + |I|) · |key|)",
    "all_singletons": "all singletons have precision and recall 0",
}


def _one_cluster(facts: dict[str, Any]) -> list[Claim]:
    """What section 4.5 leaves out: chains without a name, and invented names."""
    case = facts["gold_chain_without_defining"]
    joined = [[mention for chain in case["key"] for mention in chain]]
    found = score(case["key"], joined, "parent(gold=all)", kinds=case["kinds"])
    value = found["parent(gold=all)"].precision or 0.0
    named = sum(any(case["kinds"][one] == "name" for one in chain) for chain in case["key"])
    expected = 1 / len(case["key"])
    invented = _parent(facts, "sec45_one_cluster_invented_defining").precision or 0.0
    chains, referring, names = 3, 6, 2
    printed = referring / ((referring + names) * chains)
    counted = referring / (referring * (chains + names))
    return [
        Claim(
            "section 4.5",
            "one cluster has precision 1/|key| even if a key entity has no name",
            abs(value - expected) < 1e-9,
            f"{len(case['key'])} entities, {named} with a name: P {value:.3f}, 1/|key| is "
            f"{expected:.3f}",
            "only entities with a name can be referred to",
        ),
        Claim(
            "section 4.5",
            "with spurious mentions I, precision is |R| / ((|R| + |I|) · |key|) also for names",
            abs(invented - printed) < 1e-9,
            f"P {invented:.3f}, by the formula {printed:.3f}",
            f"a spurious name adds an entity: |R| / (|R| · (|key| + |I|)) is {counted:.3f}",
        ),
    ]


def _romeo_and_juliet(facts: dict[str, Any]) -> list[Claim]:
    claims = []
    for size in SIZES[1:]:
        scores = []
        for swapped in ("names", "pronouns"):
            case = facts[f"romeo_juliet_{swapped}_n{size}"]
            scores.append(
                score(case["key"], case["response"], "muc,b3,ceafe,parent", kinds=case["kinds"])
            )
        names, pronouns = scores
        alike = all(abs(names[m].f1 - pronouns[m].f1) < 1e-9 for m in ("muc", "b3", "ceafe"))
        claims.append(
            Claim(
                "section 1",
                "MUC, B³ and CEAFe do not distinguish swapped names from one swapped pronoun of "
                f"{size}; PARENT does",
                alike and names["parent"].f1 < pronouns["parent"].f1,
                f"MUC {names['muc'].f1:.3f} and {pronouns['muc'].f1:.3f}; "
                f"PARENT {names['parent'].f1:.3f} and {pronouns['parent'].f1:.3f}",
            )
        )
    return claims


def _study_claims(printed: dict[str, float], scores: dict[str, Score]) -> list[Claim]:
    """Section 4.7 on the case study, by what is printed and by what is computed."""
    blind = ("muc", "b3", "ceafe", "ceafm", "blanc")
    computed = {metric: scores[metric] for metric in AWARE}
    lower = [metric for metric in AWARE if not 30 <= printed[metric] <= 70]
    return [
        Claim(
            "4.7",
            "the cluster-based metrics score the response above 70%",
            all(scores[metric].f1 > 0.7 for metric in blind),
            ", ".join(f"{metric} {100 * scores[metric].f1:.1f}" for metric in blind),
        ),
        Claim(
            "4.7",
            "the linguistically aware metrics score it between 30% and 70%",
            not lower and all(0.3 <= found.f1 <= 0.7 for found in computed.values()),
            ", ".join(
                f"{metric} {printed[metric]} printed, {100 * found.f1:.1f} computed"
                for metric, found in computed.items()
            ),
        ),
        Claim(
            "4.7",
            "PARENT gives it the lowest score of all metrics",
            all(
                scores["parent"].f1 < found.f1 for name, found in scores.items() if name != "parent"
            ),
            f"parent {100 * scores['parent'].f1:.1f}",
        ),
    ]


def _tool_claims() -> list[Claim]:
    """Sections 5.3, 5.5 and 5.6 on Tables 2 and 3."""
    lower = {
        mentions: (TABLE_2[f"{mentions}.parent"]["F"], TABLE_2[f"{mentions}.blanc"]["F"])
        for mentions in ("goldnz", "nonzero", "goldall", "all")
    }
    points, shares = {}, {}
    for gold, found in (("goldnz", "nonzero"), ("goldall", "all")):
        for metric in ("blanc", "parent"):
            before, after = (TABLE_2[f"{one}.{metric}"]["P"] for one in (gold, found))
            points[found, metric] = before - after
            shares[found, metric] = 1 - after / before
    times = {
        found: (
            points[found, "parent"] / points[found, "blanc"],
            shares[found, "parent"] / shares[found, "blanc"],
        )
        for found in ("nonzero", "all")
    }
    numbers = "; ".join(
        f"{found}: {by_points:.1f} times in points, {by_share:.1f} times as a share"
        for found, (by_points, by_share) in times.items()
    )
    few = [found for found, (by_points, _) in times.items() if by_points < 3]
    blanc = [
        (row, printed["F"], f_measure(printed["P"], printed["R"]))
        for row, printed in TABLE_2.items()
        if row.endswith("blanc")
    ]
    best = {
        mentions: max(
            (row for row in TABLE_3 if row.endswith(f".{mentions}")),
            key=lambda row: TABLE_3[row]["F"],
        )
        for mentions in ("nonzero", "all")
    }
    return [
        Claim(
            "5.5",
            "PARENT is much lower than BLANC in every configuration",
            all(parent < blanc / 2 for parent, blanc in lower.values()),
            "; ".join(f"{name}: {parent} and {blanc}" for name, (parent, blanc) in lower.items()),
        ),
        Claim(
            "5.3",
            "with detected mentions PARENT loses several times more precision than BLANC (share)",
            all(by_share >= 3 for _, by_share in times.values()),
            numbers,
        ),
        Claim(
            "5.3",
            "with detected mentions PARENT loses several times more precision than BLANC (points)",
            not few,
            numbers,
            f"less than three times for {' and '.join(few)}" if few else "",
        ),
        Claim(
            "5.6",
            "IKAR is best under PARENT, with and without zeros",
            all(row.startswith("ikar") for row in best.values()),
            "; ".join(f"{row} {TABLE_3[row]['F']}" for row in TABLE_3),
        ),
        Claim(
            "Table 2",
            "BLANC's F, a mean of two F, is at most the F of its P and R",
            all(printed <= bound + 0.005 for _, printed, bound in blanc),
            "; ".join(f"{row}: {printed} and {bound:.2f}" for row, printed, bound in blanc),
        ),
    ]
