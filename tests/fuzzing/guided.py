"""Fuzzing that is guided by coverage: inputs that reach new lines of the readers are damaged again.

Inputs that reached new lines are kept in ``seeds.jsonl``, one record per input, so that the next
run begins where the last one ended.
"""

from __future__ import annotations

import base64
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import corefine.formats
from tests.fuzzing.damages import Input, Report, damaged, limited, try_input
from tests.fuzzing.samples import FORMATS, RICH, sample

SEEDS = Path(__file__).with_name("seeds.jsonl")
LARGEST_SEED = 2000
"""Bytes of an input that is kept."""
READERS = str(Path(corefine.formats.__file__).parent)


class Lines:
    """The lines of the readers that were reached, by ``sys.monitoring`` where there is one."""

    def __init__(self) -> None:
        self.reached: set[tuple[str, int]] = set()

    def new(self, work: Callable[[], object]) -> int:
        """Do some work; the number of lines that were never reached before."""
        before = len(self.reached)
        if sys.version_info >= (3, 12):
            self._monitored(work)
        else:
            self._traced(work)
        return len(self.reached) - before

    def _traced(self, work: Callable[[], object]) -> None:
        def in_function(frame: FrameType, event: str, _: Any) -> Any:
            if event == "line":
                self.reached.add((frame.f_code.co_filename, frame.f_lineno))
            return in_function

        def anywhere(frame: FrameType, event: str, _: Any) -> Any:
            return in_function if frame.f_code.co_filename.startswith(READERS) else None

        before = sys.gettrace()
        sys.settrace(anywhere)
        try:
            work()
        finally:
            sys.settrace(before)

    if sys.version_info >= (3, 12):

        def _monitored(self, work: Callable[[], object]) -> None:
            tool, monitoring = sys.monitoring.COVERAGE_ID, sys.monitoring

            def reach(code: CodeType, line: int) -> Any:
                if code.co_filename.startswith(READERS):
                    self.reached.add((code.co_filename, line))
                return monitoring.DISABLE

            monitoring.use_tool_id(tool, "fuzz")
            monitoring.register_callback(tool, monitoring.events.LINE, reach)
            monitoring.set_events(tool, monitoring.events.LINE)
            try:
                work()
            finally:
                monitoring.set_events(tool, 0)
                monitoring.free_tool_id(tool)


def read_seeds(path: Path = SEEDS) -> list[Input]:
    """The inputs that former runs kept."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines]
    return [
        Input(one["format"], one["file"], base64.b64decode(one["data"]))
        for one in found
        if one["format"] in FORMATS and one["file"] in sample(one["format"])
    ]


def run_guided(
    seed: int, minutes: float | None = None, inputs: int | None = None, kept: Path | None = SEEDS
) -> Report:
    """Damage inputs for some minutes or a number of inputs; those that reach new lines are kept."""
    report, lines = Report(seed), Lines()
    pool: dict[str, list[Input]] = defaultdict(list)
    rng = random.Random(seed)
    end = None if minutes is None else time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory() as folder, limited():

        def attempt(one: Input, label: str) -> int:
            check = report.following % 50 == 0
            work = partial(try_input, one, Path(folder), label, report, check=check)
            return lines.new(lambda: report.attempt(work, label))

        seeds = [] if kept is None else read_seeds(kept)
        for one in (*_samples(), *seeds):
            attempt(one, f"seed of {one.format}")
            pool[one.format].append(one)
        formats, fresh = sorted(pool), []
        while (end is None or time.monotonic() < end) and (
            inputs is None or report.following < inputs
        ):
            format = formats[report.following % len(formats)]
            parent = rng.choice(pool[format])
            child = Input(format, parent.file, damaged(parent.data, rng))
            label = f"guided {format}, seed {seed}: {child.data[:LARGEST_SEED]!r}"
            if attempt(child, label) and len(child.data) <= LARGEST_SEED:
                pool[format].append(child)
                fresh.append(child)
            report.following += 1
    if kept is not None:
        records = [
            json.dumps({**asdict(one), "data": base64.b64encode(one.data).decode("ascii")})
            for one in (*seeds, *fresh)
        ]
        kept.write_text("\n".join(records) + "\n", "utf-8")
    report.lines = len(lines.reached)
    return report


def _samples() -> list[Input]:
    found = [Input(name, file, data) for name in FORMATS for file, data in sample(name).items()]
    rich = [Input(name, next(iter(sample(name))), text.encode()) for name, text in RICH.items()]
    return found + rich
