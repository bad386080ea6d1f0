"""``corefine view``: the report, served and kept up to date while responses change.

A folder of runs has a key, named ``key.*`` or ``gold.*``, and a response per file. Files are looked
at every second; a response that cannot be read, such as one that is being written, keeps its last
readable version and is named with its error.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, UsageError
from corefine.explaining import explain
from corefine.explaining.explanation import Explanation
from corefine.explaining.outcomes import NONE, RIGHT, Outcomes
from corefine.formats import read
from corefine.output.saving import write_folder
from corefine.report.page import place
from corefine.report.report import report
from corefine.workbench.server import Server, html, page

SECONDS = 1.0
"""Time between two looks at the files."""
MOST_RUNS = 30
"""Responses of a folder that are shown: the newest."""
KEY_NAMES = ("key", "gold")
Stamp = tuple[int, int]
"""Modification time and size of a file."""


@dataclass
class Run:
    """A response: its last readable version, and the error of a later one."""

    stamp: Stamp
    corpus: Corpus | None = None
    explanation: Explanation | None = None
    problem: str = ""


@dataclass
class LiveReport:
    """A key, responses that may change, and the report on their present state."""

    key: Path
    responses: Mapping[str, Path] | None = None
    """Responses by name; None if they are the other files of a folder."""
    folder: Path | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    html: str = ""
    note: str = ""
    runs: dict[str, Run] = field(default_factory=dict)
    _key_stamp: Stamp | None = None
    _key: Corpus | None = None

    @classmethod
    def of_folder(cls, folder: Path, **settings: Any) -> LiveReport:
        """The runs of a folder, which must contain a key."""
        keys = [path for path in _files(folder) if path.name.partition(".")[0] in KEY_NAMES]
        if len(keys) != 1:
            raise UsageError(
                f"{folder} has {len(keys) or 'no'} files named key.* or gold.*",
                remedy="Name the key key.conll (or another suffix), or give KEY RESPONSE….",
            )
        return cls(keys[0], folder=folder, settings=settings)

    def paths(self) -> dict[str, Path]:
        """The responses that there are now, by name."""
        if self.folder is None:
            return dict(self.responses or {})
        files = [path for path in _files(self.folder) if path != self.key]
        files.sort(key=lambda path: -_stamp(path)[0])
        self.note = ""
        if len(files) > MOST_RUNS:
            self.note = f"the newest {MOST_RUNS} of {len(files):,} files are shown"
        return {path.name: path for path in sorted(files[:MOST_RUNS])}

    def refresh(self) -> bool:
        """Read what changed and make the report again; True if something changed."""
        paths = self.paths()
        changed = self._read_key()
        if self._key is None:
            return False
        for name in set(self.runs) - set(paths):
            del self.runs[name]
            changed = True
        for name, path in paths.items():
            run = self.runs.get(name)
            if changed or run is None or run.stamp != _stamp(path):
                self.runs[name] = self._read_run(path, run)
                changed = True
        if changed:
            self._make_report()
            self.version += 1
        return changed

    def _read_key(self) -> bool:
        stamp = _stamp(self.key)
        if stamp == self._key_stamp:
            return False
        try:
            self._key = read(self.key)
        except CorefineError as error:
            if self._key is None:
                raise
            self.note = str(error)
        self._key_stamp = stamp
        return True

    def _read_run(self, path: Path, before: Run | None) -> Run:
        run = Run(_stamp(path))
        assert self._key is not None
        try:
            run.corpus = read(path)
            run.explanation = explain(self._key, run.corpus, **self.settings)
        except CorefineError as error:
            run.problem = str(error)
            run.corpus = before.corpus if before else None
            run.explanation = before.explanation if before else None
        return run

    def _make_report(self) -> None:
        readable = {name: run.corpus for name, run in self.runs.items() if run.explanation}
        self.html = ""
        if readable:
            names = list(readable)
            self.html = report(
                self._key, *readable.values(), names=names, replicates=1_000, **self.settings
            ).html

    def state(self) -> dict[str, Any]:
        """The runs with their scores and problems, as plain values."""
        return {
            "version": self.version,
            "key": self.key.name,
            "note": self.note,
            "runs": [
                {"name": name, "problem": run.problem, "scores": _scores(run.explanation)}
                for name, run in self.runs.items()
            ],
        }

    def compare(self, first: str, second: str) -> dict[str, Any]:
        """Mentions and links of the key that one run gets right and the other gets wrong."""
        explanations = [self.runs[name].explanation for name in (first, second)]
        one, other = explanations
        if one is None or other is None:
            return {"fixed": [], "introduced": []}
        result: dict[str, list[dict[str, str]]] = {"fixed": [], "introduced": []}
        table = one.diagnosis.table
        mentions = table.matched.key_mention[table.key_entity >= 0]
        corpus = table.matched.key
        ours, theirs = Outcomes.of(one.diagnosis), Outcomes.of(other.diagnosis)
        for level in ("mentions", "links"):
            before, after = ours.codes[level], theirs.codes[level]
            asked = before != NONE
            for name, rows in (
                ("fixed", asked & (before != RIGHT) & (after == RIGHT)),
                ("introduced", asked & (before == RIGHT) & (after != RIGHT)),
            ):
                for mention in mentions[np.flatnonzero(rows)].tolist():
                    document = corpus.documents[int(corpus.mentions.document[mention])]
                    result[name].append(
                        {
                            "level": level.removesuffix("s"),
                            "document": document,
                            "words": corpus.text_of(mention),
                            "link": place(document, "", second, first),
                        }
                    )
        return result

    def export(self, folder: Path) -> None:
        """Write the page and the report as a static site to a new or empty folder."""
        names = [name for name, run in self.runs.items() if run.explanation]
        comparisons = {
            f"{first}\n{second}": self.compare(first, second)
            for first in names
            for second in names
            if first != second
        }
        data = {"state": self.state(), "comparisons": comparisons}
        files = {
            "index.html": page("live", f"Runs against {self.key.name}", data),
            "report.html": self.html,
        }
        write_folder(folder, ((name, text.encode("utf-8")) for name, text in files.items()))


def _files(folder: Path) -> Iterator[Path]:
    """Visible files of a folder; links that lead out of it are left out."""
    inside = folder.resolve()
    for path in sorted(folder.iterdir()):
        visible = not path.name.startswith(".") and path.is_file()
        if visible and inside in path.resolve().parents:
            yield path


def _stamp(path: Path) -> Stamp:
    """Modification time and size of a file; zeros if it is gone."""
    with suppress(OSError):
        status = path.stat()
        return status.st_mtime_ns, status.st_size
    return 0, 0


def _scores(explanation: Explanation | None) -> dict[str, float]:
    if explanation is None:
        return {}
    return {name: score.f1 for name, score in explanation.scores.by_name.items()}


class LiveDesk:
    """Routes of the page, its report and its events."""

    def __init__(self, live: LiveReport) -> None:
        self.live = live
        self.lock = asyncio.Lock()

    def routes(self) -> list[Route]:
        return [
            Route("/", self.show),
            Route("/report", self.report),
            Route("/state", self.state),
            Route("/compare", self.compare),
            Route("/events", self.events),
        ]

    @asynccontextmanager
    async def watching(self, app: Any) -> AsyncIterator[None]:
        """Look at the files as long as the server runs."""
        task = asyncio.create_task(self._watch())
        yield
        task.cancel()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(SECONDS)
            async with self.lock:
                try:
                    await asyncio.to_thread(self.live.refresh)
                except (CorefineError, OSError) as error:
                    self.live.note = str(error)

    async def show(self, request: Request) -> Response:
        return html(page("live", f"Runs against {self.live.key.name}"))

    async def report(self, request: Request) -> Response:
        return html(self.live.html or "<!doctype html><title>No report</title>No response yet.")

    async def state(self, request: Request) -> Response:
        return JSONResponse(self.live.state())

    async def compare(self, request: Request) -> Response:
        names = [request.query_params.get(name, "") for name in ("first", "second")]
        if any(name not in self.live.runs for name in names):
            return JSONResponse({"error": "unknown run"}, 404)
        async with self.lock:
            return JSONResponse(await asyncio.to_thread(self.live.compare, *names))

    async def events(self, request: Request) -> Response:
        """A server-sent event for every new version."""

        async def stream() -> AsyncIterator[str]:
            seen = -1
            while not await request.is_disconnected():
                if self.live.version != seen:
                    seen = self.live.version
                    yield f"data: {json.dumps(seen)}\n\n"
                else:
                    yield ": waiting\n\n"
                await asyncio.sleep(SECONDS)

        return StreamingResponse(stream(), media_type="text/event-stream")


def live_report(places: Mapping[str, str], key: str | None, **settings: Any) -> LiveReport:
    """A live report on a folder, or on a key and responses by name."""
    if key is not None:
        paths = {name: Path(path) for name, path in places.items()}
        live = LiveReport(Path(key), responses=paths, settings=settings)
    else:
        (folder,) = places.values()
        if not os.path.isdir(folder):
            raise UsageError(f"{folder} is not a folder", remedy="Give FOLDER or KEY RESPONSE….")
        live = LiveReport.of_folder(Path(folder), **settings)
    for path in (live.key, *(live.responses or {}).values()):
        if not path.is_file():
            raise UsageError(f"there is no file {path}")
    live.refresh()
    return live


def live_server(live: LiveReport, port: int = 0) -> Server:
    """A server for a live report."""
    desk = LiveDesk(live)
    return Server(desk.routes(), port, lifespan=desk.watching)
