"""Challenge sets: GAP and WinoBias, with gender bias."""

from __future__ import annotations

from typing import Any

from corefine.comparing.plan import Plan
from corefine.errors import choose
from corefine.explaining.challenges.gap import GapResult, judge_gap
from corefine.explaining.challenges.winobias import WinoBiasResult, judge_winobias
from corefine.output.progress import Progress, silent

CHALLENGES = {"gap": judge_gap, "winobias": judge_winobias}
"""Functions that score a response to each challenge set."""


def challenge(
    name: str,
    key: Any,
    response: Any,
    *,
    trials: int = 20_000,
    replicates: int = 10_000,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress = silent,
    **options: Any,
) -> GapResult | WinoBiasResult:
    """Score a response on a challenge set and measure its gender bias.

    ``gap`` (Webster et al. 2018): the key is GAP's TSV file; the response is a file of answers, or
    a resolver's output in any format with the example ids as document ids.

    ``winobias`` (Zhao et al. 2018): key and response are given as in :func:`corefine.score`;
    document ids or file names give the type (1 or 2) and the condition (pro- or
    anti-stereotypical). ``metrics`` and the settings are those of :func:`corefine.score`.

    Confidence intervals cover 1 − ``alpha`` and come from ``replicates`` bootstrap samples of
    examples; the test of the bias uses ``trials`` permutations.

    >>> key = {"type1_pro_0": [[1, 2]], "type1_anti_0": [[1, 2]]}
    >>> result = challenge("winobias", key, key, trials=9, replicates=9)
    """
    choose("a challenge", name, tuple(CHALLENGES))
    plan = Plan(trials=trials, replicates=replicates, alpha=alpha, seed=seed)
    judge: Any = CHALLENGES[name]
    result: GapResult | WinoBiasResult = judge(key, response, plan, progress=progress, **options)
    return result
