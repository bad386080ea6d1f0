"""Chen & Ng 2013: Table 1, and Figure 3's five weight vectors."""

from __future__ import annotations

from corefine.papers.results import Cell, Claim, Curve, Plot, Reproduction, load, percent
from corefine.scoring.score import score
from corefine.scoring.scores import Scores

RESPONSES = ("a", "b", "c", "d", "e")
AGNOSTIC = ("muc", "b3", "ceafm", "ceafe")
WEIGHTS = ("W1", "W2", "W3", "W4", "W5")


def reproduce() -> Reproduction:
    """Table 1 in all its cells, and how the weights move the aware metrics."""
    facts = load("chen_ng")
    scores = {name: _score(facts, name) for name in RESPONSES}
    cells = [
        Cell("Table 1", f"response ({name})", f"{metric} {part}", printed, percent(value))
        for name in RESPONSES
        for metric, triple in facts[name]["published"].items()
        for part, printed, value in zip(
            "PRF",
            triple,
            (scores[name][metric].precision, scores[name][metric].recall, scores[name][metric].f1),
            strict=True,
        )
    ]
    return Reproduction(
        "chen-ng",
        "Chen & Ng 2013, Linguistically aware coreference evaluation metrics, IJCNLP",
        tuple(cells),
        tuple(_claims(scores)),
        tuple(_plots(facts)),
        ("The paper speaks of 19 mentions; its table needs 20.",),
    )


def _score(facts: dict[str, object], name: str, weights: str = "W4") -> Scores:
    aware = [f"l{metric}(weights={weights})" for metric in AGNOSTIC]
    response = facts[name]["response"]  # type: ignore[index]
    return score(facts["key"], response, [*AGNOSTIC, *aware], kinds=facts["kinds"])  # type: ignore[arg-type]


def _claims(scores: dict[str, Scores]) -> list[Claim]:
    """What the paper reads off Table 1: the agnostic metrics cannot tell (b), (c) and (d) apart."""
    claims = []
    for metric in AGNOSTIC:
        plain = [scores[name][metric].f1 for name in "bcd"]
        aware = [scores[name][f"l{metric}"].f1 for name in "bcd"]
        claims.append(
            Claim(
                "section 4",
                f"{metric} gives (b), (c) and (d) the same F; l{metric} ranks (d), (c), (b)",
                max(plain) - min(plain) < 1e-9 and aware[0] < aware[1] < aware[2],
                f"{metric}: {_listed(plain)}; l{metric}: {_listed(aware)}",
            )
        )
    return claims


def _plots(facts: dict[str, object]) -> list[Plot]:
    plots = []
    for metric in AGNOSTIC:
        curves = [
            Curve(
                weights,
                tuple(
                    _score(facts, name, weights)[f"l{metric}(weights={weights})"].f1
                    for name in RESPONSES
                ),
            )
            for weights in WEIGHTS
        ]
        points = tuple(f"({name})" for name in RESPONSES)
        title = f"Figure 3: F of l{metric} under five weight vectors"
        plots.append(Plot(f"figure-3-l{metric}", title, "response", points, tuple(curves), False))
    return plots


def _listed(values: list[float]) -> str:
    return ", ".join(f"{100 * value:.1f}" for value in values)
