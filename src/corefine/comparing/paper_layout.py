"""A comparison as the table of a paper, with marks of significance and what they mean."""

from __future__ import annotations

from corefine.comparing.comparison import Comparison
from corefine.output.grid import Grid
from corefine.scoring.paper_layout import conll_text, documents_text, paper_grid, paper_metrics

CORRECTIONS = {
    "holm": "Holm correction",
    "bonferroni": "Bonferroni correction",
    "bh": "Benjamini-Hochberg correction",
}
SIGNIFICANT = "*"


def comparison_paper(comparison: Comparison) -> Grid:
    """One row a system: P, R and F₁ by metric, the significance of differences in F₁ marked."""
    first = next(iter(comparison.scores.values()))
    metrics = paper_metrics(first.metrics.values())
    rows = {
        system: [
            (comparison.standing(system, metric).score, _mark(comparison, system, metric))
            for metric in metrics
        ]
        for system in comparison.systems
    }
    count = len(comparison.documents)
    caption = (
        f"Precision (P), recall (R) and F₁ (%) of {len(comparison.systems)} systems on "
        f"{documents_text(count)}; best in bold.{conll_text(metrics)} "
        f"{_meaning(comparison)} ({_test(comparison)}). "
        f"{comparison.verdict}"
    )
    return paper_grid(list(metrics.values()), rows, caption, comparison.signature)


def _mark(comparison: Comparison, system: str, metric: str) -> str:
    baseline = comparison.plan.baseline
    others = comparison.systems if baseline is None else (baseline,)
    if baseline is not None or len(others) == 2:
        for other in others:
            if other != system:
                found = comparison.difference(system, other, metric)
                better = baseline is not None or found.difference > 0
                return SIGNIFICANT if found.significant and better else ""
        return ""
    return comparison.standing(system, metric).letters or ""


def _meaning(comparison: Comparison) -> str:
    plan = comparison.plan
    if plan.baseline is not None:
        return f"{SIGNIFICANT} differs significantly from {plan.baseline}"
    if len(comparison.systems) == 2:
        return f"{SIGNIFICANT} significantly better than the other system"
    return "Systems that share a letter do not differ significantly"


def _test(comparison: Comparison) -> str:
    plan = comparison.plan
    if plan.test == "bootstrap":
        test = f"paired bootstrap, {plan.trials:,} samples"
    elif comparison.exact:
        test = f"exact {plan.scheme} randomization"
    else:
        test = f"approximate {plan.scheme} randomization, {comparison.shuffles:,} permutations"
    correction = CORRECTIONS.get(plan.correction)
    corrected = "no correction for multiple comparisons"
    if correction is not None:
        corrected = f"{correction} over {len(comparison.differences):,} comparisons"
    return f"{test}, {corrected}, α = {plan.alpha:g}"
