r"""Effect sizes, statistical power, and warnings about what a comparison cannot show.

The spread between documents is estimated by the jackknife: leaving out document i changes a
difference δ to δ₍ᵢ₎, and

    standard error  SE = √( Σ_d (n_d−1)/n_d · Σ (δ₍ᵢ₎ − mean of data set d)² )
    effect size     δ / (SE·√D)

summed over data sets d, of which there is usually one. The effect size is a standardised paired
difference (Cohen's d_z): it does not grow with the corpus.

The power for a true difference Δ is that of the t-test, P(T > t_{1−α/2}) with T noncentral t with
ν degrees of freedom and the parameter Δ/SE. The randomization test has practically the same power
if there are enough documents: in simulations the mean of the stated power was within .05 of the
share of corpora in which the test found the difference from :data:`STATED` documents on; with
fewer, no power is stated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from corefine.comparing.plan import Plan
from corefine.comparing.randomization import assignments, smallest_p_value
from corefine.corpus.arrays import FloatArray, IntArray
from corefine.errors import Caution, code_of, reworded
from corefine.output.plain_text import counted
from corefine.scoring.resampling import F1, Panel
from corefine.scoring.sanity import by_importance
from corefine.scoring.scores import Scores

STATED = 20
"""Documents from which on power and detectable differences are stated."""
POWER = 0.8
"""Power at which the smallest detectable difference is stated."""
NARROW = 8
"""With fewer documents, in a corpus or in a data set, confidence intervals are too narrow."""
COVERAGE = {2: 0.50, 3: 0.76, 4: 0.86, 5: 0.91, 6: 0.92, 7: 0.92}
"""Share of simulated corpora whose 95% interval contained the true value, by documents."""
OF_PAIRS = ("blanc", "pairs.")
"""Beginnings of the names of metrics that count pairs of mentions."""
OF_PAIRS_NARROW = 60
"""With fewer documents, the intervals of metrics of pairs are too narrow."""
OF_PAIRS_COVERAGE = (0.86, 0.93)
"""Least and greatest coverage of their 95% intervals on 8 to 50 texts drawn from LitBank."""
BOOTSTRAP_ERRORS = {20: 0.11, 30: 0.11, 60: 0.07, 100: 0.06}
"""Type I error of the bootstrap test at α = .05 in simulated corpora, by documents."""


@dataclass(frozen=True, slots=True)
class Effects:
    """Effects with a row per pair and a column per metric; NaN without spread between documents."""

    difference: FloatArray
    standard_error: FloatArray
    effect_size: FloatArray
    freedom: FloatArray
    """Degrees of freedom of the standard error."""


def effects(panel: Panel, pairs: IntArray) -> Effects:
    """Differences of F1 with their jackknife standard errors and effect sizes.

    A difference of exactly zero without any spread (two equal systems) has the effect size 0.
    """
    documents = len(panel.documents)
    scores = panel.scores()[:, :, F1]
    difference = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    if documents < 2:
        missing = np.full(difference.shape, np.nan)
        return Effects(difference, missing, missing, missing)
    variance, squared = np.zeros(difference.shape), np.zeros(difference.shape)
    for deviation in panel.deviations():
        size = deviation.shape[-1]
        by_system = np.moveaxis(deviation[:, F1], 1, 0)
        left = by_system[pairs[:, 0]] - by_system[pairs[:, 1]]
        own = (size - 1) / size * np.square(left).sum(axis=2)
        variance += own
        squared += np.square(own) / max(size - 1, 1)
    error = np.sqrt(variance)
    spread = error * np.sqrt(documents)
    flat = spread <= 1e-12
    size = difference / np.where(flat, np.nan, spread)
    size[flat & (np.abs(difference) <= 1e-12)] = 0.0
    freedom = np.square(variance) / np.where(squared > 0, squared, np.nan)
    return Effects(difference, error, size, freedom)


def power_of_test(effect: FloatArray, freedom: FloatArray, alpha: float) -> FloatArray:
    """Power of the two-sided test at ``alpha`` for effects Δ/SE.

    >>> float(power_of_test(np.array(2.5), np.array(59.0), 0.05).round(3))
    0.691
    """
    from scipy.special import nctdtr, stdtrit

    power: FloatArray = 1 - nctdtr(freedom, effect, stdtrit(freedom, 1 - alpha / 2))
    return power


def detectable_effect(freedom: FloatArray, alpha: float) -> FloatArray:
    """Smallest true effect Δ/SE that is found with :data:`POWER`."""
    from scipy.special import nctdtrinc, stdtrit

    found: FloatArray = nctdtrinc(freedom, 1 - POWER, stdtrit(freedom, 1 - alpha / 2))
    return found


def differing_documents(panel: Panel, pairs: IntArray) -> IntArray:
    """Number of documents with different statistics, (pairs, metrics).

    Only these can be swapped to any effect. Those of an average are those of any of its parts.
    """
    counts = np.zeros((len(pairs), len(panel.metrics)), dtype=np.int64)
    for column, metric in enumerate(panel.metrics):
        statistics = panel.statistics[panel.rows(metric)]
        differs = (statistics[:, pairs[:, 0]] != statistics[:, pairs[:, 1]]).any(axis=0)
        counts[:, column] = differs.sum(axis=1)
    return counts


def smallest_p(documents: int, plan: Plan) -> tuple[float, float]:
    """Smallest possible p with this many documents, and with the trials of the plan."""
    drawn = 1 / (plan.trials + 1)
    if plan.test == "bootstrap":
        return 0.0, drawn
    if assignments(documents, plan.scheme) <= plan.trials:
        drawn = 0.0
    return smallest_p_value(documents, plan.scheme), drawn


def warnings_on_reach(
    documents: int, comparisons: int, plan: Plan, fewest_differing: int | None = None
) -> list[Caution]:
    """Warnings about obstacles to significance.

    The level is the largest p with which any difference can be significant: α/m under Bonferroni
    and Holm, who begin with the smallest p, and α under Benjamini–Hochberg, where the k-th
    smallest of m is judged at kα/m, so that all of them may be significant at α.
    ``fewest_differing`` is the smallest number of :func:`differing_documents` above 0.
    """
    comparisons, alpha = max(comparisons, 1), plan.alpha
    level = alpha / comparisons if plan.correction in ("bonferroni", "holm") else alpha
    above = f"above the level {level:.3g}"
    above += "" if level == alpha else f" (= {alpha:g}/{comparisons})"
    of_all, drawn = smallest_p(documents, plan)
    if of_all > level:
        text = (
            f"Too few documents: with {documents}, the smallest possible p is {of_all:.3g}, "
            f"{above}. No difference can be significant."
        )
        return [Caution(text, "too-few-documents", documents=documents)]
    found: list[Caution] = []
    if 2 * drawn > level:
        needed = 10 * (int(np.ceil(1 / level - 1e-9)) - 1)
        text = (
            f"Too few permutations: with {plan.trials}, the smallest possible p is {drawn:.3g}, "
            f"{above if drawn > level else 'just below the level'}. Use at least {needed}."
        )
        found.append(Caution(text, "too-few-permutations", needed=needed))
    together = int(np.ceil(max(of_all, drawn) * comparisons / alpha - 1e-9))
    if plan.correction == "bh" and together > 1:
        text = (
            f"The smallest possible p is {max(of_all, drawn):.3g}: of {comparisons} "
            f"comparisons, either none or at least {together} are significant."
        )
        found.append(Caution(text, "significant-together", together=together))
    paired = plan.test == "randomization" and plan.scheme == "paired"
    if fewest_differing is not None and paired and 0 < fewest_differing < documents:
        own = 2.0 ** (1 - fewest_differing)
        if own > level:
            text = (
                f"Two systems differ on only {fewest_differing} of {documents} documents: the "
                f"smallest possible p for this pair is {own:.3g}, {above}."
            )
            found.append(Caution(text, "few-differing-documents", documents=fewest_differing))
    return found


def warnings_of(
    scores: Mapping[str, Scores], panel: Panel, pairs: IntArray, plan: Plan, comparisons: int
) -> list[str]:
    """Warnings of scoring, each once, and the limits of the comparison."""
    found = distinct_warnings(scores)
    conventions = {one.signature.conventions: name for name, one in scores.items()}
    if len(conventions) > 1:
        listed = "; ".join([f"{name}: {text}" for text, name in conventions.items()])
        text = f"the systems were scored under different conventions: {listed}"
        found.append(Caution(text, "different-conventions"))
    documents = len(panel.documents)
    differing = differing_documents(panel, pairs)
    fewest = int(differing[differing > 0].min(initial=documents))
    found += warnings_on_reach(documents, comparisons, plan, fewest)
    idle = [name for name, one in zip(panel.names, panel.applicable, strict=True) if not one]
    if idle:
        found = [one for one in found if code_of(one) != "not-applicable"]
        text = f"Not applicable to this corpus, and not tested: {', '.join(idle)}."
        found.append(Caution(text, "not-applicable", metrics=idle))
    for one, other in pairs[(differing == 0).all(axis=1)].tolist():
        pair = panel.systems[one], panel.systems[other]
        text = f"{pair[0]} and {pair[1]} are identical on every document"
        found.append(Caution(text, "identical-systems", systems=pair))
    whole = min([one.key.documents for one in scores.values()])
    windows = [one.request.settings.window for one in scores.values()]
    if any(windows) and documents > whole:
        text = (
            f"{documents:,} windows of {counted(whole, 'document')} are resampled: windows of one "
            "document are alike, so confidence intervals are probably too narrow and p-values too "
            "small."
        )
        found.append(Caution(text, "resampled-windows", windows=documents, documents=whole))
    if plan.test == "bootstrap" and documents < max(BOOTSTRAP_ERRORS):
        size = max(size for size in BOOTSTRAP_ERRORS if size <= documents)
        text = (
            f"The bootstrap test finds too many differences: in simulations with {size} documents "
            f"its type I error at .05 was {BOOTSTRAP_ERRORS[size]:.2f}."
        )
        found.append(Caution(text, "liberal-test", documents=documents))
    if documents < 2:
        text = "With one document there are no confidence intervals and no variance between them."
        found.append(Caution(text, "one-document"))
    elif not panel.strata and documents < NARROW:
        found.append(few_documents(documents))
    of_pairs = [name for name in panel.names if name.startswith(OF_PAIRS)]
    if of_pairs and NARROW <= documents < OF_PAIRS_NARROW:
        low, high = (f"{100 * share:.0f}%" for share in OF_PAIRS_COVERAGE)
        text = (
            f"Confidence intervals of {', '.join(of_pairs)} are too narrow: a few long documents "
            f"have most of the pairs of mentions. On 8 to 50 texts drawn from LitBank, 95% "
            f"intervals contained the true value in {low} to {high} of samples."
        )
        found.append(Caution(text, "intervals-of-pairs", metrics=of_pairs))
    return found


def distinct_warnings(scores: Mapping[str, Scores]) -> list[str]:
    """Warnings of scoring, each with its systems unless it applies to all of them."""
    said: dict[str, list[str]] = {}
    for name, one in scores.items():
        for warning in dict.fromkeys(one.warnings):
            said.setdefault(warning, []).append(name)
    return by_importance(
        [
            warning
            if len(names) == len(scores)
            else reworded(warning, f"{', '.join(names)}: {warning}")
            for warning, names in said.items()
        ]
    )


def few_documents(documents: int, unit: str = "document") -> Caution:
    """Warning about fewer documents than :data:`NARROW`, with the measured coverage."""
    text = (
        f"Only {documents} {unit}s: confidence intervals are too narrow. In simulations, 95% "
        f"intervals contained the true value in {100 * COVERAGE[documents]:.0f}% of corpora of "
        "this size."
    )
    return Caution(text, "few-documents", documents=documents, coverage=COVERAGE[documents])
