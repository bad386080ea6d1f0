"""MCORES (Bodnari et al. 2012), appendices: the average, pairs, the significance test."""

from __future__ import annotations

from corefine.comparing.randomization import number_of_deals
from corefine.papers.results import Claim, Reproduction
from corefine.scoring.score import score

COMPARISONS = 111
"""Comparisons over which the appendix corrects: .05 / 111 is its α of .00045."""
TRIALS = 3000
ALPHA = 0.05


def reproduce() -> Reproduction:
    """What the appendices define, checked: they print no data from which tables could be made."""
    return Reproduction(
        "mcores",
        "Bodnari, Szolovits & Uzuner 2012, MCORES, JAMIA 19(5), appendices",
        claims=(_average(), _pairs(), _smallest_p(), _swaps()),
        notes=("The clinical records behind its tables cannot be passed on.",),
    )


KEY = [["the left lung mass", "the mass", "it"], ["a CT scan", "CT scan"], ["aspirin"]]
RESPONSE = [["the left lung mass", "the mass"], ["a CT scan", "CT scan", "it"], ["aspirin"]]


def _average() -> Claim:
    scores = score(KEY, RESPONSE, "muc,b3,ceafe,blanc,mcores")
    parts = [scores[name].f1 for name in ("muc", "b3", "ceafe", "blanc")]
    return Claim(
        "appendix III",
        "the overall score is the mean F of MUC, B³, CEAF and BLANC",
        abs(scores["mcores"].f1 - sum(parts) / 4) < 1e-12,
        f"{scores['mcores'].f1:.4f} from {', '.join(f'{part:.4f}' for part in parts)}",
    )


def _pairs() -> Claim:
    scores = score(KEY, RESPONSE, "pairs,blanc")
    joined, apart = scores["pairs.coreferent"].f1, scores["pairs.non_coreferent"].f1
    return Claim(
        "appendix II",
        "pair classification by class gives the two halves of BLANC",
        abs((joined + apart) / 2 - scores["blanc"].f1) < 1e-12,
        f"coreferent {joined:.4f}, non-coreferent {apart:.4f}, BLANC {scores['blanc'].f1:.4f}",
    )


def _smallest_p() -> Claim:
    corrected, smallest = ALPHA / COMPARISONS, 1 / (TRIALS + 1)
    second = 2 / (TRIALS + 1)
    return Claim(
        "appendix IV",
        f"with {TRIALS:,} shuffles and the corrected α only Nt = 0 can be significant",
        smallest <= corrected < second,
        f"α {corrected:.5f}, smallest p {smallest:.5f}, next {second:.5f}",
    )


def _swaps() -> Claim:
    documents = 6
    paired = number_of_deals(documents, "paired")
    pooled = number_of_deals(documents, "pooled")
    return Claim(
        "appendix IV",
        "drawing from the pooled entries is another test than swapping by document",
        paired != pooled,
        f"{documents} documents: {paired} swaps, {pooled} draws",
    )
