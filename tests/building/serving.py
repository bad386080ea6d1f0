"""Local servers of the workbench, each in a process of its own, and browser tabs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.building.browsing import Opened


class Serving:
    """A command that serves until it is stopped."""

    def __init__(self, *arguments: str) -> None:
        self.call = [sys.executable, "-m", "corefine", *arguments]
        self.start()

    def start(self) -> None:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "BROWSER": "true"}
        self.process = subprocess.Popen(
            self.call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+/", line)
        assert found, line + self.process.stdout.read()
        self.address = found[0]

    def stop(self, sign: signal.Signals = signal.SIGINT) -> int:
        """Stop the process; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(sign)
            self.process.communicate(timeout=300)
        return self.process.returncode


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[[str], Opened]]:
    """Open an address in a tab of its own."""
    contexts = []

    def open_tab(address: str) -> Opened:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        contexts.append(context)
        result = Opened(context.new_page())
        result.page.goto(address)
        result.page.wait_for_selector("html[data-started]")
        return result

    yield open_tab
    for context in contexts:
        context.close()
