"""Chen & Ng 2013: scores of the five responses under every weight vector, and Figure 3."""

from __future__ import annotations

from corefine.explaining.papers.evaluation import Paper, load
from corefine.explaining.papers.results import Plot, Reproduction
from corefine.scoring.score import score

RESPONSES = ("a", "b", "c", "d", "e")
METRICS = ("muc", "b3", "ceafm", "ceafe")
WEIGHTS = ("W1", "W2", "W3", "W4", "W5")


def reproduce() -> Reproduction:
    """Table 1, Figure 3, and the effect of the weights on the aware metrics."""
    facts = load("chen_ng")
    asked = [*METRICS, *(aware(metric, weights) for metric in METRICS for weights in WEIGHTS)]
    scores = {
        name: score(facts["key"], facts[name]["response"], asked, kinds=facts["kinds"])
        for name in RESPONSES
    }

    def f1(response: str, metric: str, weights: str = "") -> float:
        """F of a metric or, under weights, of its aware counterpart."""
        return scores[response][aware(metric, weights) if weights else metric].f1

    def gap(metric: str, weights: str = "", worse: str = "a", better: str = "e") -> float:
        return f1(better, metric, weights) - f1(worse, metric, weights)

    def listed(responses: str, metric: str, *weights: str) -> str:
        """F of some responses, under each of the weights."""
        return "; ".join(
            f"{f'l{metric} {one}' if one else metric}: "
            + ", ".join(f"{100 * f1(response, metric, one):.1f}" for response in responses)
            for one in weights
        )

    def part_of(response: str, metric: str, part: str) -> float | None:
        found = scores[response][metric]
        return {"P": found.precision, "R": found.recall, "F": found.f1}[part]

    # Section 1: R1 resolves one of two pronouns, R2 links the pronouns to each other.
    key = [["Hillary Clinton", "she1", "she2"]]
    kinds = {"Hillary Clinton": "name", "she1": "pronoun", "she2": "pronoun"}
    both = [*METRICS, *(aware(metric, "W4") for metric in METRICS)]
    names = {
        "facts": facts,
        "f1": f1,
        "gap": gap,
        "listed": listed,
        "part_of": part_of,
        "first": score(key, [["Hillary Clinton", "she1"]], both, kinds=kinds),
        "second": score(key, [["she1", "she2"]], both, kinds=kinds),
    }
    plots = []
    for metric in METRICS:
        curves = {weights: [f1(one, metric, weights) for one in RESPONSES] for weights in WEIGHTS}
        curves[metric] = [f1(one, metric) for one in RESPONSES]
        title = f"Figure 3: F of l{metric} under five weight vectors, and of {metric}"
        points = tuple(f"response ({name})" for name in RESPONSES)
        plots.append(Plot(f"figure-3-l{metric}", title, "response", points, curves, lines=False))
    return Paper("chen-ng").evaluate(names, plots=tuple(plots))


def aware(metric: str, weights: str) -> str:
    """The name of the aware counterpart of a metric; W4 is the default."""
    return f"l{metric}" if weights == "W4" else f"l{metric}(weights={weights})"
