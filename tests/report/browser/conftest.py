"""A browser for the tests of the report: Debian's chromium, driven by playwright."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corefine.report.report import Report

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ROOT = Path(__file__).resolve().parents[3]


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


Open = Callable[..., Any]


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Open a report from disk; afterwards it has made one request and no complaint."""
    contexts: list[Any] = []
    pages: list[Opened] = []

    def open_report(report: Report | Path, link: str = "", **options: Any) -> Opened:
        if isinstance(report, Report):
            path = tmp_path / f"report{len(pages)}.html"
            report.save(path)
        else:
            path = report
        context = browser.new_context(
            viewport=options.pop("viewport", {"width": 1280, "height": 900}), **options
        )
        contexts.append(context)
        result = Opened(context.new_page())
        pages.append(result)
        result.page.goto(path.as_uri() + link)
        result.page.wait_for_selector("html[data-started]")
        return result

    yield open_report
    for result in pages:
        assert result.complaints == []
        assert len(set(result.requests)) == 1
        assert len([url for url in result.requests if not url.startswith("about:")]) >= 1
    for context in contexts:
        context.close()


@pytest.fixture
def open_report(opened: Callable[..., Opened]) -> Open:
    """Open a report from disk and give its page."""
    return lambda *arguments, **options: opened(*arguments, **options).page


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
def serious_violations(axe: str) -> Callable[[Any], list[str]]:
    """What axe-core finds on a page that is serious or critical."""

    def check(page: Any) -> list[str]:
        # The page's own policy lets no other script in: the debugger's evaluation is outside it.
        page.evaluate(axe + "; true")
        found = page.evaluate(
            "axe.run(document, {resultTypes: ['violations']})"
            ".then(result => JSON.stringify(result.violations))"
        )
        return [
            f"{violation['id']}: {[node['html'][:160] for node in violation['nodes'][:3]]}"
            for violation in json.loads(found)
            if violation["impact"] in {"serious", "critical"}
        ]

    return check
