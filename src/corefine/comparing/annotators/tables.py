"""The agreement of annotators as tables."""

from __future__ import annotations

from corefine.comparing.annotators.agreement import Agreement
from corefine.comparing.annotators.contested import Contested
from corefine.output.grid import Column, Grid, Value
from corefine.output.plain_text import shortened
from corefine.output.result import Tables

LISTED = 6
"""Mentions that are named in one cell."""
WIDEST = 40
"""Characters of a mention."""


def metrics_grid(agreement: Agreement) -> Grid:
    """One row a metric: F1 of every two annotators, and their mean."""
    pairs = list(agreement.scores)
    rows: list[tuple[Value, ...]] = [
        (
            metric,
            *(agreement.scores[pair].by_name[metric].f1 for pair in pairs),
            *((agreement.mean(metric),) if len(pairs) > 1 else ()),
        )
        for metric in agreement.metrics
    ]
    columns = [Column("metric")]
    columns += [Column(f"{one} – {other}", "percent", f"{one}:{other}") for one, other in pairs]
    if len(pairs) > 1:
        columns.append(Column("mean", "percent"))
    documents = f"{len(agreement.documents):,} document"
    documents += "" if len(agreement.documents) == 1 else "s"
    return Grid(
        tuple(columns),
        rows,
        f"F1 between {len(agreement.annotators)} annotators, on {documents}",
        (agreement.signature,),
    )


def alpha_grid(agreement: Agreement) -> Grid:
    """Krippendorff's α with MASI's distance, in its two readings."""
    lacking = {"excluded": agreement.linking, "as singletons": agreement.linking_or_not}
    return Grid.of(
        list(lacking.items()),
        {
            Column("mentions that an annotator lacks", name="lacking"): lambda one: one[0],
            Column("α", "decimal", "alpha"): lambda one: one[1].alpha,
            Column("α within documents", "decimal", "alpha_within_documents"): lambda one: (
                one[1].within_documents
            ),
            Column("observed", "decimal"): lambda one: one[1].observed,
            Column("expected", "decimal"): lambda one: one[1].expected,
            Column("within", "decimal", "expected_within"): lambda one: one[1].expected_within,
            Column("mentions", "integer"): lambda one: one[1].units,
        },
        "Krippendorff's α over entities (MASI distance)",
    )


def mentions_grid(agreement: Agreement) -> Grid:
    """How many mentions so many annotators have."""
    total = max(len(agreement.units.document), 1)
    rows = [(number, count, count / total) for number, count in enumerate(agreement.marked_by, 1)]
    columns = (Column("annotators", "integer"), Column("mentions", "integer"))
    title = "Mentions by number of annotators"
    return Grid((*columns, Column("share", "percent")), rows, title)


def entities_grid(agreement: Agreement) -> Grid:
    """One row a contested group: what each annotator made of it."""
    rows: list[tuple[Value, ...]] = [
        (one.document, one.kind, one.mentions, *(_entities(one, name) for name in one.entities))
        for one in agreement.contested
    ]
    columns = (Column("document"), Column("kind"), Column("mentions", "integer"))
    return Grid(
        (*columns, *map(Column, agreement.annotators)),
        rows,
        "Entities that annotators disagree on",
    )


def _entities(contested: Contested, annotator: str) -> str:
    """The entities of one annotator in words, in so far as there is room."""
    left = LISTED
    written = []
    for entity in contested.entities[annotator]:
        if left <= 0:
            written.append("…")
            break
        words = [shortened(mention.text, WIDEST) for mention in entity[:left]]
        more = [f"… {len(entity) - left} more"] if len(entity) > left else []
        written.append("[" + " | ".join([*words, *more]) + "]")
        left -= len(entity)
    return " ".join(written)


TABLES: Tables = {
    "metrics": metrics_grid,
    "alpha": alpha_grid,
    "mentions": mentions_grid,
    "entities": entities_grid,
}
"""The tables by name."""
