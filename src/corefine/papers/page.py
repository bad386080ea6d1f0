"""Several reproductions on one page, as Markdown and as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from corefine.output.charts import STYLE
from corefine.output.html import grid_block
from corefine.output.markup import element
from corefine.papers.results import Reproduction
from corefine.papers.tables import papers_grid

TITLE = "Published and computed values"

_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "table{margin:1rem 0;font-size:.9rem}th,td{border-bottom:1px solid #8886}"
)


def to_markdown(papers: Sequence[Reproduction]) -> str:
    """All tables, with links to the files of the figures."""
    parts = [f"# {TITLE}", papers_grid(papers).to_markdown()]
    for paper in papers:
        parts += [f"## {paper.citation}", paper.to_markdown()]
        parts += [f"![{figure.title}]({name}.svg)" for name, figure in paper.figures().items()]
    return "\n\n".join(parts) + "\n"


def to_html(papers: Sequence[Reproduction]) -> str:
    """One page with all tables and figures, which needs nothing else."""
    body = [element("h1", TITLE), grid_block(papers_grid(papers))]
    for paper in papers:
        body.append(element("h2", paper.citation))
        body += [grid_block(grid) for grid in paper.tables()]
        body += [figure.to_html() for figure in paper.figures().values()]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        element("title", TITLE),
        f"<style>{STYLE}{_STYLE}</style>",
    )
    return (
        f'<!doctype html><html lang="en"><head>{"".join(map(str, head))}</head>'
        f"<body>{''.join(map(str, body))}</body></html>\n"
    )
