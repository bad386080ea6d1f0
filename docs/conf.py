"""How Sphinx builds the documentation: scripts/docs. No page loads anything from a network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "making"))

import corefine  # noqa: E402

project = "corefine"
author = "the corefine developers"
project_copyright = author
version = release = corefine.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "accessible_pages",
    "mathml",
    "metric_pages",
    "reference_pages",
]
exclude_patterns = ["examples", "images", "making"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
# Prompts and output are shown as typed; only what follows a prompt is copied.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": False}

html_theme = "furo"
html_title = f"corefine {release}"
html_static_path: list[str] = []
html_logo = "images/logo.svg"
html_favicon = "images/logo.svg"
html_baseurl = ""
html_copy_source = False
html_search_scorer = str(HERE / "making" / "search_order.js")
html_show_sphinx = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_theme_options = {
    "navigation_with_keys": True,
    "source_repository": "https://github.com/corefine/corefine/",
    "source_branch": "main",
    "source_directory": "docs/",
}
smartquotes_action = "qe"  # an option keeps its two dashes
suppress_warnings = ["myst.xref_missing"]


def _as_plain_text(app: Any, context: Any, lines: list[str]) -> None:
    """Help texts are no markup: a * in a pattern of files stands for itself."""
    examples = [line.removeprefix("| ") for line in lines if line.startswith("| corefine ")]
    lines[:] = [line.replace("*", r"\*") for line in lines if not line.startswith("| corefine ")]
    if examples:
        lines += ["", ".. code-block:: console", "", *(f"   $ {line}" for line in examples), ""]


def setup(app: Any) -> None:
    """Called by Sphinx."""
    for part in ("description", "options", "arguments"):
        app.connect(f"sphinx-click-process-{part}", _as_plain_text)
