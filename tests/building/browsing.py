"""A browser for tests of pages: Debian's chromium, driven by playwright, and axe-core."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, started once; where there is none the tests are skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("there is no chromium; scripts/test installs it where it can")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield chromium
        chromium.close()


class Opened:
    """A page with all that it asked for, said, and did wrong."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.set_default_timeout(300_000)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", self._refuse)
        page.on("console", self._listen)

    def _refuse(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _listen(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"console: {message.text}")


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, which judges accessibility."""
    path = Path(
        os.environ.get("COREFINE_AXE")
        or ROOT / ".browser" / "node_modules" / "axe-core" / "axe.min.js"
    )
    if not path.is_file():
        pytest.skip("there is no axe-core; scripts/test installs it where there is npm")
    return path.read_text("utf-8")


@pytest.fixture
def serious_violations(axe: str) -> Callable[..., list[str]]:
    """What axe-core finds on a page, or below an element of it, that is serious or critical."""

    def check(page: Any, selector: str = "html") -> list[str]:
        # The page's own policy lets no other script in: the debugger's evaluation is outside it.
        if page.evaluate("typeof axe") == "undefined":
            page.evaluate(axe + "; true")
        found = page.evaluate(
            "selector => axe.run(selector, {resultTypes: ['violations'], preload: false})"
            ".then(result => JSON.stringify(result.violations))",
            selector,
        )
        return [
            f"{violation['id']}: {[node['html'][:160] for node in violation['nodes'][:3]]}"
            for violation in json.loads(found)
            if violation["impact"] in {"serious", "critical"}
        ]

    return check
