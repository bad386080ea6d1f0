"""Formulas as MathML, which browsers show by themselves: no script and no network is needed."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def _rendered(formula: str, *, block: bool) -> str:
    r"""MathML; bars around a set are a pair, as \lvert and \rvert are."""
    paired = re.sub(r"\|([^|]+)\|", r"\\lvert \1 \\rvert ", formula)
    shown = str(tex2mathml(paired, as_block=block))
    shown = shown.replace('<mo class="mathopen">|', '<mo form="prefix" stretchy="false">|')
    return shown.replace("<mo>|", '<mo form="postfix" stretchy="false">|')


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(_rendered(node.astext(), block=False))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(
        f'<div class="math" style="overflow-x: auto" tabindex="0">'
        f"{_rendered(node.astext(), block=True)}</div>"
    )
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
