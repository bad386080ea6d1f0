"""Scoring bundles for Codabench.

A bundle is a zip file that an organiser uploads: the description of the competition, the key as
reference data, and a scoring program that calls corefine. The program needs a container image
with corefine, such as one built from the project's Dockerfile.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterable
from datetime import date
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from corefine.errors import UsageError
from corefine.formats import read
from corefine.output.saving import write_atomically
from corefine.scoring.request import Request

PROGRAM = '''\
"""Score a submission with corefine, and write scores.json for the leaderboard."""

import json
import sys
from pathlib import Path

import corefine

source, output = map(Path, sys.argv[1:3])
config = json.loads((Path(__file__).parent / "config.json").read_text(encoding="utf-8"))
files = [path for path in sorted((source / "res").rglob("*"))
         if path.is_file() and not path.name.startswith((".", "metadata"))]
if len(files) != 1:
    sys.exit(f"A submission must contain one file; this one contains {len(files)}.")
try:
    scores = corefine.score(
        source / "ref" / config["key"], files[0], config["metrics"], **config["settings"]
    )
except corefine.CorefineError as error:
    sys.exit(f"corefine: error: {error}")
results = {name: 100 * scores[name].f1 for name in config["metrics"]}
(output / "scores.json").write_text(json.dumps(results), encoding="utf-8")
print(scores)
'''
LOGO = (
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAABlBMVEUfb7IAAAD7/m8MAAAAD0lEQVR42mNgGAWj"
    "gHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC"
)
"""A plain square as PNG, which Codabench requires; organisers replace it."""
METADATA = "command: python3 score.py /app/input/ /app/output/\n"


def write_bundle(
    key: str | PathLike[str],
    path: str | PathLike[str],
    metrics: str = "conll,lea",
    *,
    title: str = "Coreference resolution",
    image: str = "corefine:latest",
    start: date | None = None,
    **settings: Any,
) -> None:
    """Write a Codabench competition that scores submissions against ``key``.

    The first metric ranks the leaderboard. ``settings`` are those of :func:`corefine.score`;
    ``image`` is the container image that the scoring program runs in.
    """
    request = Request.of(metrics, **settings)
    if not Path(key).is_file():
        raise UsageError(f"{fspath(key)} is not a file", remedy="Give one file with all documents.")
    documents = len(read(key).documents)  # refuses what is not a corpus
    name = Path(key).name
    config = {"key": name, "metrics": list(request.metrics), "settings": settings}
    pages = {
        "overview.md": f"# {title}\n\nResolve coreference in {documents:,} documents.\n",
        "evaluation.md": "# Evaluation\n\nSubmit a zip file with one file of responses, in any "
        f"format that corefine reads. Metrics: {', '.join(request.metrics)}.\n",
        "terms.md": "# Terms\n\nAdd the terms of your task here.\n",
    }
    files: dict[str, bytes] = {
        "competition.yaml": _competition(title, image, start or date.today(), request.metrics),
        "logo.png": base64.b64decode(LOGO),
        **{file: text.encode() for file, text in pages.items()},
        f"reference_data/{name}": Path(key).read_bytes(),
        "scoring_program/score.py": PROGRAM.encode(),
        "scoring_program/metadata.yaml": METADATA.encode(),
        "scoring_program/config.json": json.dumps(config, indent=2).encode(),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bundle:
        for file, content in files.items():
            bundle.writestr(file, content)
    write_atomically(path, buffer.getvalue(), [key])


def _competition(title: str, image: str, start: date, metrics: Iterable[str]) -> bytes:
    """The description of the competition; JSON is YAML too, so no YAML library is needed."""
    content = {
        "version": 2,
        "title": title,
        "description": f"{title}, scored with corefine.",
        "image": "logo.png",
        "docker_image": image,
        "terms": "terms.md",
        "pages": [
            {"title": "Overview", "file": "overview.md"},
            {"title": "Evaluation", "file": "evaluation.md"},
        ],
        "tasks": [
            {
                "index": 0,
                "name": title,
                "description": title,
                "reference_data": "reference_data",
                "scoring_program": "scoring_program",
            }
        ],
        "phases": [
            {"index": 0, "name": "Evaluation", "start": start.isoformat(), "tasks": [0]},
        ],
        "leaderboards": [
            {
                "index": 0,
                "title": "Results",
                "key": "results",
                "columns": [
                    {"index": index, "title": f"{name} F1", "key": name, "sorting": "desc"}
                    for index, name in enumerate(metrics)
                ],
            }
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False).encode()
