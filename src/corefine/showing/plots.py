"""Figures as files: SVG for papers and pages, PNG for what cannot show SVG."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from corefine.errors import Location, UsageError, choose
from corefine.showing.charts import Figure
from corefine.showing.saving import write_bytes

PlotFormat = Literal["svg", "png", "both"]

PLOT_FORMATS: tuple[PlotFormat, ...] = get_args(PlotFormat)


def save_figures(
    figures: Mapping[str, Figure], folder: str | os.PathLike[str], format: PlotFormat = "svg"
) -> list[Path]:
    """Write each figure to a file of its name, and give the files.

    All drawings are made before the first file is written. The folder is made where it is missing.
    """
    choose("the format of plots", format, PLOT_FORMATS)
    content: dict[str, bytes] = {}
    for name, figure in figures.items():
        if format != "png":
            content[f"{name}.svg"] = figure.to_plain_svg().encode("utf-8")
        if format != "svg":
            content[f"{name}.png"] = figure.to_png()
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the folder cannot be made: {(error.strerror or str(error)).lower()}",
            Location(str(target)),
            "Choose another one.",
        ) from None
    paths = [target / name for name in content]
    for path, data in zip(paths, content.values(), strict=True):
        write_bytes(path, data)
    return paths
