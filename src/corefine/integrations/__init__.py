"""Integrations: other packages' data as corpora, and scores where those packages look for them.

Each module needs its package only when it is used; it is an extra of the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corefine.scoring.scores import Scores


def flat_scores(scores: Scores) -> dict[str, float]:
    """Scores as training tools log them: ``<metric>_precision``, ``_recall`` and ``_f1``.

    An average has F1 alone.

    >>> from corefine.scoring.score import score
    >>> flat_scores(score([["a", "b"]], [["a", "b"]], metrics="muc"))
    {'muc_precision': 1.0, 'muc_recall': 1.0, 'muc_f1': 1.0}
    """
    return {
        f"{metric}_{name}": value
        for metric, score in scores.by_name.items()
        for name, value in score.to_dict().items()
    }
