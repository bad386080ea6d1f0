"""Scores as one flat dictionary of numbers, the form in which training tools log them."""

from __future__ import annotations

from corefine.scoring.scores import Scores


def flat_scores(scores: Scores) -> dict[str, float]:
    """``<metric>_precision``, ``<metric>_recall`` and ``<metric>_f1``; an average has F1 alone.

    >>> from corefine.scoring.score import score
    >>> flat_scores(score([["a", "b"]], [["a", "b"]], metrics="muc"))
    {'muc_precision': 1.0, 'muc_recall': 1.0, 'muc_f1': 1.0}
    """
    return {
        f"{metric}_{name}": value
        for metric, score in scores.by_name.items()
        for name, value in score.to_dict().items()
    }
