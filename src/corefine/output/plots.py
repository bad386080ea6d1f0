"""Figures as files: SVG for pages, PDF for papers, PNG for programs that show neither."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from corefine.errors import choose
from corefine.output.charts.figure import Figure
from corefine.output.result import PLOT_FORMATS
from corefine.output.saving import make_folder, write_atomically


def save_figures(
    figures: Mapping[str, Figure],
    folder: str | os.PathLike[str],
    format: str = "svg",
    style: str = "screen",
) -> list[Path]:
    """Write each figure to a file of its name, and give the files.

    ``format`` is ``svg``, ``pdf``, ``png`` or ``all``; ``style`` that of :meth:`Figure.to_svg`.
    All drawings are made before the first file is written. The folder is made if it is missing.
    """
    choose("plot format", format, PLOT_FORMATS)
    formats = PLOT_FORMATS[:-1] if format == "all" else (format,)
    content = {
        f"{name}.{one}": figure.rendered(one, style)
        for name, figure in figures.items()
        for one in formats
    }
    target = make_folder(folder)
    for name, data in content.items():
        write_atomically(target / name, data)
    return [target / name for name in content]
