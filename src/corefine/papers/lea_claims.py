"""The claims of section 7 of Moosavi & Strube (2016), each with the numbers that decide it."""

from __future__ import annotations

from corefine.papers.results import Claim
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
            "only MUC and LEA give zero to a response without a right link",
            zero == {"muc", "lea"},
            _shown(three, "0", ALL),
        ),
        Claim(
            "7.1 (2)",
            "CEAFe drops when the share of right links rises from 0 to 20%",
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
    gaps = {m: _f1(four, "20", m) - _f1(five, "20", m) for m in ("b3", "lea", "blanc")}
    return [
        Claim(
            "7.2 (1)",
            "CEAFe is the same whatever the size of the entities resolved",
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
            "BLANC is very sensitive to the number of links",
            gaps["blanc"] > max(gaps["b3"], gaps["lea"]),
            "largest first less smallest first at 20%: "
            + ", ".join(f"{m} {100 * gap:.2f}" for m, gap in gaps.items()),
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
            "MUC sees only the number of splits",
            spread < SAME,
            f"in two {100 * _f1(six, in_two[0], 'muc'):.2f}, in three "
            f"{100 * _f1(six, in_three[0], 'muc'):.2f}",
        ),
        Claim(
            "7.3 (2)",
            "CEAFe does not tell 2-2 from 10-10, nor 9-9-2 from 9-5-6",
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
            "MUC and CEAFm tell the fewest outputs apart",
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
            "only LEA ranks 2-0 over 1-2 and 1-10",
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
                f"{metric} rewards mentions although no link is right",
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
