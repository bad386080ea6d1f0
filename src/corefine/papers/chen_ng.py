"""Chen & Ng 2013: Table 1, Figure 3 with its six curves, and the claims of sections 4.1 to 4.3."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from corefine.papers.chen_ng_claims import aware, claims_of
from corefine.papers.results import (
    Cell,
    Curve,
    Exhibit,
    Explanation,
    Plot,
    Reproduction,
    load,
    percent,
)
from corefine.scoring.score import score
from corefine.scoring.scores import Scores

RESPONSES = ("a", "b", "c", "d", "e")
AGNOSTIC = ("muc", "b3", "ceafm", "ceafe")
WEIGHTS = ("W1", "W2", "W3", "W4", "W5")
EXHIBITS = (
    Exhibit("Figure 1", "The paragraph with its mentions", "a text"),
    Exhibit("Figure 2", "Key and system chains", "a drawing: the key and the five responses"),
    Exhibit("section 4.1", "Mentions of the paragraph"),
    Exhibit("section 4.2", "B³ of (e) less B³ of (a)"),
    Exhibit("Figure 3", "F under five weight vectors", "drawn without numbers"),
    Exhibit("Table 1", "The metrics under W4 and the agnostic ones"),
)


def reproduce() -> Reproduction:
    """Table 1 in all its cells, Figure 3, and how the weights move the aware metrics."""
    facts = load("chen_ng")
    scores = {name: _score(facts, name) for name in RESPONSES}
    return Reproduction(
        "chen-ng",
        "Chen & Ng 2013, Linguistically aware coreference evaluation metrics, IJCNLP",
        EXHIBITS,
        (*_text(facts, scores), *_table1(facts, scores)),
        tuple(claims_of(scores)),
        tuple(_plots(scores)),
    )


def _score(facts: dict[str, Any], name: str) -> Scores:
    """A response by every metric: the agnostic ones and the aware ones under each weight vector."""
    weighted = [aware(metric, weights) for metric in AGNOSTIC for weights in WEIGHTS]
    return score(
        facts["key"], facts[name]["response"], [*AGNOSTIC, *weighted], kinds=facts["kinds"]
    )


def _table1(facts: dict[str, Any], scores: dict[str, Scores]) -> list[Cell]:
    return [
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


def _text(facts: dict[str, Any], scores: dict[str, Scores]) -> list[Cell]:
    """ "19 mentions" (there are 20), and "0.7% more points to response (e) than response (a)"."""
    mentions = sum(map(len, facts["key"]))
    printed, share = 19, facts["a"]["published"]["ceafm"][0]
    # CEAFm counts mentions: its precision in Table 1 has to be a part of their number.
    possible = [part for part in range(printed + 1) if abs(100 * part / printed - share) <= 0.05]
    found = Fraction(round(share * mentions / 100), mentions)
    explanation = Explanation(
        f"Figure 1 marks {mentions} (a to {'abcdefghijklmnopqrstuvwxyz'[mentions - 1]}); CEAFm of "
        f"response (a), {share}%, is {found.numerator * mentions // found.denominator} of "
        f"{mentions} mentions, and no number of {printed}",
        not possible,
    )
    gap = percent(scores["e"]["b3"].f1 - scores["a"]["b3"].f1)
    return [
        Cell("section 4.1", "paragraph", "mentions", printed, mentions, 0, explanation=explanation),
        Cell("section 4.2", "(e) less (a)", "b3 F", 0.7, gap),
    ]


def _plots(scores: dict[str, Scores]) -> list[Plot]:
    """Four graphs, one a metric, each with five weight vectors and the agnostic metric."""
    plots = []
    for metric in AGNOSTIC:
        names = {weights: aware(metric, weights) for weights in WEIGHTS} | {metric: metric}
        curves = [
            Curve(label, tuple(scores[response][name].f1 for response in RESPONSES))
            for label, name in names.items()
        ]
        points = tuple(f"response ({name})" for name in RESPONSES)
        title = f"Figure 3: F of l{metric} under five weight vectors, and of {metric}"
        plots.append(Plot(f"figure-3-l{metric}", title, "response", points, tuple(curves), False))
    return plots
