"""Marks that screen readers and keyboards need and that the theme leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

MENDED = {
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    # What can be scrolled sideways must be reached by the keyboard.
    '<div class="highlight"><pre>': '<div class="highlight"><pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    '<div id="search-results"></div>': '<h1>Search</h1>\n<div id="search-results"></div>',
    # The corner of a table is no heading.
    '<th class="head"><p></p></th>': '<td class="head"></td>',
}


def _mend(app: Any, failure: Exception | None) -> None:
    if failure is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for old, new in MENDED.items():
            text = text.replace(old, new)
        page.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", _mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
