"""How long a report takes to open and to answer, in headless Chromium."""

from __future__ import annotations

import shutil
from pathlib import Path
from time import perf_counter
from typing import Any

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

EMPTY = "open an empty page"

#: What a reader does, and the condition that is true once the page has answered.
STEPS = {
    "show the text": (
        "document.querySelector(\"#sections a[href='#reading']\").click()",
        "document.querySelectorAll('#text .tag').length > 0",
    ),
    "next error": (
        "document.querySelector('#next-error').click()",
        "document.querySelector('#error-list .current') !== null",
    ),
    "next document": (
        "document.querySelector('#next-document').click()",
        "document.querySelector('#document').value === '1' && document.querySelector('#text .tag')",
    ),
    "table of entities": (
        "document.querySelector(\"#sections a[href='#entities']\").click()",
        "document.querySelector('#entities-table tbody tr') !== null",
    ),
    "sort it": (
        "document.querySelector('#entities-table thead button').click()",
        "document.querySelector('#entities-table th').ariaSort === 'ascending'",
    ),
    "table of errors": (
        "document.querySelector(\"#sections a[href='#errors']\").click()",
        "document.querySelector('#errors-table tbody tr') !== null",
    ),
}

# Acts, and waits frame by frame until the condition holds and has been painted.
ACT = """async () => {
  const begin = performance.now();
  %s;
  while (!(%s)) await new Promise(requestAnimationFrame);
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  return (performance.now() - begin) / 1000;
}"""


def browser_path() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


def browse(path: Path, repeats: int) -> dict[str, float] | None:
    """Seconds until the page is open and until each step is answered; None without a browser.

    They are the least of all runs, since whatever else the machine does only adds to them. An
    empty page is opened in the same way, to tell what of it is the browser's own.
    """
    chromium = browser_path()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if chromium is None:
        return None
    empty = path.with_name("empty.html")
    empty.write_text("<!doctype html><html data-started=yes><title>empty</title>", "utf-8")
    runs: list[dict[str, float]] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=list(FLAGS))
        for _ in range(repeats):
            page = browser.new_page()
            runs.append({EMPTY: _open(page, empty)})
            page.close()
            page = browser.new_page()
            runs[-1] |= _visit(page, path)
            page.close()
        browser.close()
    return {name: min(run[name] for run in runs) for name in runs[0]}


def _open(page: Any, path: Path) -> float:
    begin = perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-started]", state="attached")
    return perf_counter() - begin


def _visit(page: Any, path: Path) -> dict[str, float]:
    taken = {"open": _open(page, path)}
    for name, (action, condition) in STEPS.items():
        taken[name] = page.evaluate(ACT % (action, condition))
    return taken
