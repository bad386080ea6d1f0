"""The colours and fonts of all charts, and the style sheets made with them.

Drawings name classes; a page resolves them for light and dark screens, a file is either. The style
of a file is plain enough for programs that know little of CSS: one class a rule, no variables.
"""

from __future__ import annotations

from importlib.resources import files
from string import Template

COLOURS = {
    "ink": ("#1f2328", "#e6e9ee"),
    "faint": ("#59626d", "#a7b0bb"),
    "rule": ("#dfe3e8", "#363c45"),
    "paper": ("#ffffff", "#171a1f"),
    "c0": ("#0067a5", "#5aa9e6"),
    "c1": ("#c2571a", "#f0904d"),
    "c2": ("#00806a", "#35c3a3"),
    "c3": ("#a6397e", "#e283bd"),
    "c4": ("#8a6d00", "#d6b232"),
    "c5": ("#3a48a8", "#93a0f2"),
    "c6": ("#b3261e", "#f2837b"),
    "c7": ("#54606b", "#b4bdc7"),
    "cool": ("#0b5394", "#6fb4ee"),
    "warm": ("#a3420f", "#f0a06a"),
    "contrast": ("#ffffff", "#10151b"),
}
"""By name, the colour on a light screen and that on a dark one."""

FONTS = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", '
    '"DejaVu Sans", Arial, sans-serif'
)

_TEMPLATE = Template((files("corefine.output.charts") / "charts.css").read_text("utf-8"))

STYLE = _TEMPLATE.substitute(
    {name: f"light-dark({light}, {dark})" for name, (light, dark) in COLOURS.items()}, fonts=FONTS
)
"""The style of charts in a page, which holds it once."""

FILE_STYLES = tuple(
    _TEMPLATE.substitute({name: both[dark] for name, both in COLOURS.items()}, fonts=FONTS)
    for dark in (False, True)
)
"""The style of a chart in a file of its own, light and dark."""
