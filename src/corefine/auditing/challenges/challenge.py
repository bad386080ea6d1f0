"""``corefine.challenge``: a response to a challenge set, by the name of the set."""

from __future__ import annotations

from typing import Any

from corefine.auditing.challenges.gap import GapResult, judge_gap
from corefine.auditing.challenges.winobias import WinoBiasResult, judge_winobias
from corefine.comparing.plan import Plan
from corefine.errors import choose
from corefine.showing.progress import Progress, silent

CHALLENGES = {"gap": judge_gap, "winobias": judge_winobias}
"""What judges a response to each set."""


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
    """Judge a response to a challenge set.

    ``gap`` (Webster et al. 2018): the key is GAP's own TSV, the response its file of answers, a
    dict of them by example (``{"validation-1": (True, False)}``), or what a resolver made of the
    texts, in any format, as documents named by the examples' ids.
    ``match`` says which mentions are the name: ``exact``, or ``nested`` (inside it, or around it).

    ``winobias`` (Zhao et al. 2018): key and response are sides as in :func:`corefine.score`, whose
    document ids or file names tell type 1 from type 2 and pro- from anti-stereotypical; ``metrics``
    and the settings are those of scoring.

    Intervals have the confidence 1 − ``alpha`` and come from so many bootstrap ``replicates`` over
    examples; the test of the bias makes ``trials`` shuffles.
    """
    choose("a challenge", name, tuple(CHALLENGES))
    plan = Plan(trials=trials, replicates=replicates, alpha=alpha, seed=seed)
    judge: Any = CHALLENGES[name]
    result: GapResult | WinoBiasResult = judge(key, response, plan, progress=progress, **options)
    return result
