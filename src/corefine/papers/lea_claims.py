"""The claims of section 7 of Moosavi & Strube (2016), each with the numbers that decide it."""

from __future__ import annotations

from itertools import pairwise

from corefine.papers.lea_tables import RANKS, SYSTEMS, TABLE_4, TABLE_5
from corefine.papers.results import Claim
from corefine.scoring.score import score
from corefine.scoring.scores import Scores

Figures = dict[str, dict[str, Scores]]
OTHERS = ("muc", "b3", "ceafm", "ceafe", "lea")
ALL = (*OTHERS, "blanc")
SAME = 1e-9


def claims_of(figures: Figures) -> list[Claim]:
    """Every claim, by section."""
    return [
        *_correct_links(figures),
        *_correct_entities(figures),
        *_splits(figures["fig6"]),
        *_extra_mentions(figures["fig7"]),
        *_identification(figures["fig8"]),
    ]


def system_claims() -> list[Claim]:
    """Section 6 on Tables 4 and 5, from the numbers printed there."""
    lea = dict(zip(SYSTEMS, zip(TABLE_5["lea"], RANKS["lea"], strict=True), strict=True))
    ordered = sorted(lea.values(), reverse=True)
    behind = [one for one, other in pairwise(ordered) if one[1] > other[1]]
    shared = max(one[0] - other[0] for one in ordered for other in ordered if one[1] == other[1])
    apart = min(one[0] - other[0] for one, other in pairwise(ordered) if one[1] < other[1])
    ranks = {metric: dict(zip(SYSTEMS, RANKS[metric], strict=True)) for metric in RANKS}
    moved = {system: ranks["conll"][system] - ranks["lea"][system] for system in SYSTEMS}
    most = max(moved, key=lambda system: abs(moved[system]))
    best, second = TABLE_4["martschat"], TABLE_4["peng"]
    gap = {name: abs(best[name] - second[name]) for name in ("conll", "lea.F", "ceafe.F")}
    return [
        Claim(
            "6",
            "Martschat and Peng tie on the CoNLL average; Martschat is better on LEA and CEAFe",
            gap["conll"] < 0.05
            and best["lea.F"] > second["lea.F"]
            and best["ceafe.F"] > second["ceafe.F"],
            ", ".join(f"{name} {best[name]} and {second[name]}" for name in gap),
        ),
        Claim(
            "6",
            "Peng's recall and precision are similar under CEAFe; precision is higher under LEA",
            abs(second["ceafe.P"] - second["ceafe.R"]) < 1 < second["lea.P"] - second["lea.R"],
            f"ceafe {second['ceafe.R']} and {second['ceafe.P']}, lea {second['lea.R']} and "
            f"{second['lea.P']}",
        ),
        Claim(
            "6",
            "no system has a better LEA rank than one with a higher LEA score",
            not behind,
            f"systems that share a rank are up to {shared:.2f} apart, neighbours that do not "
            f"{apart:.2f} and more",
        ),
        Claim(
            "6",
            "the rank of xu differs most between LEA and the average",
            most == "xu",
            ", ".join(f"{system} {move:+d}" for system, move in moved.items() if move),
        ),
    ]


#: Figure 1: the entities of the sample text, the most prominent one first.
SAMPLE = [
    ["the American administration", "it1", "it2", "it3", "they1", "they2", "them1", "their"],
    ["this man", "His1", "his2", "his3"],
    ["executed", "execution"],
    ["survival1", "survival2"],
    ["the sectarians", "them2"],
]


def example_claims(outputs: dict[str, Scores]) -> list[Claim]:
    """Sections 3.3 and 4 on the sample text: cr1 and cr2, and what each metric misses."""
    first, second = outputs["cr1"], outputs["cr2"]
    prefer = [metric for metric in ALL if second[metric].f1 > first[metric].f1]
    largest, smallest = (
        score(SAMPLE, [one for one in SAMPLE if one is not missed], list(ALL))
        for missed in (SAMPLE[0], SAMPLE[3])
    )
    missed = {metric: (largest[metric].f1, smallest[metric].f1) for metric in ("ceafe", "lea")}
    numbers = "; ".join(
        f"{metric}: {100 * large:.2f} without the largest, {100 * small:.2f} without (4)"
        for metric, (large, small) in missed.items()
    )
    # The formula of section 4 sums over all response entities that share a link with the key's.
    key, repeated = {"a", "b"}, [{"a", "b"}, {"a", "b"}]
    recall = sum(len(key & one) * (len(key & one) - 1) for one in repeated) / 2
    return [
        Claim(
            "3.3",
            "only CEAF prefers cr2 to cr1",
            set(prefer) == {"ceafm", "ceafe"},
            "; ".join(
                f"{metric} {100 * first[metric].f1:.2f} and {100 * second[metric].f1:.2f}"
                for metric in ALL
            ),
        ),
        Claim(
            "3.3",
            "CEAFe gives the same score without entity (1) as without entity (4); LEA does not",
            abs(missed["ceafe"][0] - missed["ceafe"][1]) < SAME
            and missed["lea"][0] < missed["lea"][1],
            numbers,
        ),
        Claim(
            "4",
            "duplicate mentions in different response entities are unproblematic for LEA",
            recall <= 1,
            f"key {{a, b}}, response {{a, b}} twice: by the formula R is {recall:.0f}",
            "every duplicate is counted; corefine removes duplicates before scoring",
        ),
    ]


def _f1(points: dict[str, Scores], point: str, metric: str) -> float:
    return points[point][metric].f1


def _shown(points: dict[str, Scores], point: str, metrics: tuple[str, ...]) -> str:
    return ", ".join(f"{metric} {100 * _f1(points, point, metric):.2f}" for metric in metrics)


def _correct_links(figures: Figures) -> list[Claim]:
    two, three = figures["fig2"], figures["fig3"]
    zero = {metric for metric in ALL if _f1(three, "0", metric) < SAME}
    below = [
        point
        for point in two
        if not _f1(two, point, "blanc") <= min(_f1(two, point, m) for m in ("b3", "lea")) + SAME
    ]
    best = {point: max(_f1(three, point, m) for m in OTHERS) for point in three}
    relative = all(_f1(three, point, "blanc") >= 1.2 * best[point] for point in three)
    points = [point for point in three if _f1(three, point, "blanc") < best[point] + 0.2]
    return [
        Claim(
            "7.1 (1)",
            "only MUC and LEA are zero for a response without correct links",
            zero == {"muc", "lea"},
            _shown(three, "0", ALL),
        ),
        Claim(
            "7.1 (2)",
            "CEAFe drops when the share of correct links rises from 0 to 20%",
            _f1(three, "20", "ceafe") < _f1(three, "0", "ceafe"),
            f"{100 * _f1(three, '0', 'ceafe'):.2f} to {100 * _f1(three, '20', 'ceafe'):.2f}",
        ),
        Claim(
            "7.1 (3)",
            "in Figure 2 BLANC is at most B³ and LEA",
            not below,
            "; ".join(f"{p}%: {_shown(two, p, ('blanc', 'b3', 'lea'))}" for p in two),
            f"it fails at {', '.join(below)}%" if below else "",
        ),
        Claim(
            "7.1 (3)",
            "in Figure 3 BLANC is at least 20% higher than the others (relatively)",
            relative,
            "; ".join(
                f"{p}%: blanc {100 * _f1(three, p, 'blanc'):.2f}, best other {100 * best[p]:.2f}"
                for p in three
            ),
        ),
        Claim(
            "7.1 (3)",
            "in Figure 3 BLANC is at least 20 points higher than the others",
            not points,
            "; ".join(f"{p}%: {100 * (_f1(three, p, 'blanc') - best[p]):+.2f}" for p in three),
            f"it fails at {', '.join(points)}%" if points else "",
        ),
    ]


def _correct_entities(figures: Figures) -> list[Claim]:
    four, five = figures["fig4"], figures["fig5"]
    same = all(abs(_f1(four, p, "ceafe") - _f1(five, p, "ceafe")) < SAME for p in four)
    alike = all(
        abs(_f1(figure, p, "b3") - _f1(figure, p, other)) < SAME
        for figure in (four, five)
        for p in figure
        for other in ("ceafm", "lea")
    )
    gaps = {m: _f1(four, "20", m) - _f1(five, "20", m) for m in ALL}
    more = [m for m in OTHERS if gaps[m] >= gaps["blanc"]]
    return [
        Claim(
            "7.2 (1)",
            "CEAFe does not depend on the size of the resolved entities",
            same,
            "; ".join(f"{p}%: {100 * _f1(four, p, 'ceafe'):.2f}" for p in four),
        ),
        Claim(
            "7.2 (2)",
            "B³, CEAFm and LEA have the same F1",
            alike,
            "; ".join(f"{p}%: {100 * _f1(four, p, 'lea'):.2f}" for p in four),
        ),
        Claim(
            "7.2 (3)",
            "BLANC is very sensitive to the number of links (more than half of the metrics)",
            len(more) < len(ALL) / 2,
            "largest first minus smallest first at 20%: "
            + ", ".join(f"{m} {100 * gap:.2f}" for m, gap in gaps.items())
            + (f"; {' and '.join(more)} still more" if more else ""),
        ),
    ]


def _splits(six: dict[str, Scores]) -> list[Claim]:
    in_two = [p for p in six if p.count("-") == 1]
    in_three = [p for p in six if p.count("-") == 2]
    spread = max(
        max(_f1(six, p, "muc") for p in group) - min(_f1(six, p, "muc") for p in group)
        for group in (in_two, in_three)
    )
    blind = [("2-2", "10-10"), ("9-9-2", "9-5-6")]
    orders = {
        "b3": ("18-2", "5-3-2", "16-4"),
        "blanc": ("5-3-2", "18-2", "16-4"),
        "ceafe": ("18-2", "16-4", "5-3-2"),
        "lea": ("18-2", "16-4", "5-3-2"),
    }
    claims = [
        Claim(
            "7.3 (1)",
            "MUC depends only on the number of splits",
            spread < SAME,
            f"in two {100 * _f1(six, in_two[0], 'muc'):.2f}, in three "
            f"{100 * _f1(six, in_three[0], 'muc'):.2f}",
        ),
        Claim(
            "7.3 (2)",
            "CEAFe does not distinguish 2-2 from 10-10, nor 9-9-2 from 9-5-6",
            all(abs(_f1(six, a, "ceafe") - _f1(six, b, "ceafe")) < SAME for a, b in blind),
            ", ".join(f"{p} {100 * _f1(six, p, 'ceafe'):.2f}" for pair in blind for p in pair),
        ),
    ]
    for metric, order in orders.items():
        values = [_f1(six, point, metric) for point in order]
        claims.append(
            Claim(
                "7.3 (3)",
                f"{metric} ranks {' > '.join(order)}",
                values[0] > values[1] > values[2],
                ", ".join(f"{p} {100 * v:.2f}" for p, v in zip(order, values, strict=True)),
            )
        )
    return claims


#: The outputs that section 7.4 speaks of; others of the test data go beyond the figure.
SHOWN = ("1-2", "1-5", "1-10", "2-0", "2-2", "2-5", "2-10", "3-0", "3-2", "3-4", "3-10")


def _extra_mentions(seven: dict[str, Scores]) -> list[Claim]:
    points = {p: seven[p] for p in SHOWN if p in seven}
    distinct = {m: len({round(_f1(points, p, m), 9) for p in points}) for m in ALL}
    least = sorted(distinct.values())[1]
    worst = {
        m: _f1(points, "3-10", m) <= min(_f1(points, p, m) for p in points) + SAME for m in ALL
    }
    lowest = min(_f1(points, p, "ceafe") for p in points)
    prefer = [
        m
        for m in ALL
        if _f1(points, "2-0", m) > max(_f1(points, p, m) for p in ("1-2", "1-10")) + SAME
    ]
    return [
        Claim(
            "7.4 (1)",
            "MUC and CEAFm distinguish the fewest outputs",
            all(distinct[m] <= least for m in ("muc", "ceafm")),
            ", ".join(f"{m} {n} values" for m, n in distinct.items()),
        ),
        Claim(
            "7.4 (2)",
            "all but CEAFe rank 3-10 last",
            all(worst[m] for m in ALL if m != "ceafe") and not worst["ceafe"],
            _shown(points, "3-10", ALL),
        ),
        Claim(
            "7.4 (3)",
            "CEAFe ranks 2-0 and 3-0 last",
            all(abs(_f1(points, p, "ceafe") - lowest) < SAME for p in ("2-0", "3-0")),
            ", ".join(f"{p} {100 * _f1(points, p, 'ceafe'):.2f}" for p in points),
        ),
        Claim(
            "7.4 (4)",
            "only LEA ranks 2-0 above 1-2 and 1-10",
            prefer == ["lea"],
            "; ".join(f"{p}: {_shown(points, p, ('lea', 'b3'))}" for p in ("2-0", "1-2", "1-10")),
        ),
    ]


def _identification(eight: dict[str, Scores]) -> list[Claim]:
    claims = []
    for metric in ("b3", "ceafm", "ceafe", "blanc"):
        zero = [point for point in eight if _f1(eight, point, metric) < SAME]
        claims.append(
            Claim(
                "7.5",
                f"{metric} rewards mentions although no link is correct",
                not zero,
                ", ".join(f"{p}%: {100 * _f1(eight, p, metric):.2f}" for p in eight),
                f"it is zero at {', '.join(zero)}%" if zero else "",
            )
        )
    claims.append(
        Claim(
            "7.5",
            "MUC and LEA stay at zero",
            all(_f1(eight, p, m) < SAME for p in eight for m in ("muc", "lea")),
            "0 throughout",
        )
    )
    return claims
