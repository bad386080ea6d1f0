"""Toy packages that bring a metric or a format by an entry point, installed into a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def install(folder: Path, group: str, module: str, code: str, name: str, target: str) -> None:
    """Install a package with one module and one entry point, which leads to the target."""
    (folder / "toy").mkdir(parents=True)
    (folder / "toy" / "__init__.py").write_text("")
    (folder / "toy" / f"{module}.py").write_text(code)
    kind = group.rpartition(".")[2]
    metadata = folder / f"toy_{kind}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: toy-{kind}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{name} = {target}\n")


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """A new interpreter in which the toy package is installed."""
    paths = [str(folder), *sys.path]
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )
