"""Figures as files: SVG for papers and pages, PNG for what cannot show SVG."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from corefine.errors import choose
from corefine.output.charts import Figure
from corefine.output.saving import make_folder, write_atomically

PLOT_FORMATS = ("svg", "png", "both")


def save_figures(
    figures: Mapping[str, Figure], folder: str | os.PathLike[str], format: str = "svg"
) -> list[Path]:
    """Write each figure to a file of its name, and give the files.

    All drawings are made before the first file is written. The folder is made where it is missing.
    """
    choose("plot format", format, PLOT_FORMATS)
    content: dict[str, str | bytes] = {}
    for name, figure in figures.items():
        if format != "png":
            content[f"{name}.svg"] = figure.to_svg()
        if format != "svg":
            content[f"{name}.png"] = figure.to_png()
    target = make_folder(folder)
    paths = [target / name for name in content]
    for path, data in zip(paths, content.values(), strict=True):
        write_atomically(path, data)
    return paths
