"""Report: a finished report, to be saved or shown."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape

from corefine.scoring.scores import Scores
from corefine.showing.saving import write_text

FRAME_HEIGHT = 760
"""Pixels of a report shown in a notebook."""


@dataclass(frozen=True, slots=True)
class Report:
    """A finished report: it shows itself in a notebook, and :meth:`save` writes it to a file."""

    html: str
    scores: dict[str, Scores]
    """The scores of each response, by its name."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file; one that is there is replaced only by a whole new one."""
        write_text(path, self.html)

    def __repr__(self) -> str:
        size = len(self.html.encode("utf-8")) / 1e6
        return f"<Report on {', '.join(self.scores)}: {size:.1f} MB of HTML>"

    def _repr_html_(self) -> str:
        # A frame of its own keeps the notebook's style and scripts apart from the report's.
        return (
            f'<iframe title="corefine report" width="100%" height="{FRAME_HEIGHT}" '
            'style="border:0" sandbox="allow-scripts allow-modals" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )
