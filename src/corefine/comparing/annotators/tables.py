"""Tables of the agreement between annotators."""

from __future__ import annotations

from corefine.comparing.annotators.agreement import Agreement
from corefine.comparing.annotators.contested import Contested, Mention
from corefine.output.grid import Column, Grid, LazyRows, Value
from corefine.output.plain_text import shortened
from corefine.output.result import Tables

LISTED = 6
"""Mentions in one cell, if they are limited."""
WIDEST = 40
"""Characters of a mention, if they are limited."""


def pairs_grid(agreement: Agreement) -> Grid:
    """One row per pair of annotators: F1 of each metric, and Krippendorff's α."""
    metrics = sorted(agreement.metrics, key=lambda name: name not in ("mentions", "conll"))
    rows: list[tuple[Value, ...]] = [
        (*pair, agreement.alpha_of(*pair), *(scores.by_name[metric].f1 for metric in metrics))
        for pair, scores in agreement.scores.items()
    ]
    columns = [Column("first"), Column("second"), Column("α", "decimal", "alpha")]
    columns += [Column(name, "percent", name, priority=n) for n, name in enumerate(metrics)]
    title = f"F1 between annotators, on {_counted(agreement)}"
    return Grid(tuple(columns), rows, title, (agreement.signature,))


def differences_grid(agreement: Agreement, *, listed: int | None = None) -> Grid:
    """One row per mention or link that not all annotators have; long mentions are shortened if
    the entities of a cell are limited."""
    words = {True: "yes", False: "no", None: ""}

    def text(mention: Mention | None) -> str:
        written = "" if mention is None else mention.text
        return written if listed is None else shortened(written, WIDEST)

    rows = LazyRows(
        agreement.disputes,
        lambda one: (
            one.document,
            one.kind,
            text(one.mention),
            text(one.antecedent),
            *(words[one.by[name]] for name in agreement.annotators),
            str(one.mention.id),
            "" if one.antecedent is None else str(one.antecedent.id),
        ),
    )
    columns = [Column("document", priority=3)]
    columns += [Column(name) for name in ("kind", "mention", "antecedent")]
    columns += [Column(name) for name in agreement.annotators]
    columns += [Column("position", priority=1), Column("antecedent position", priority=2)]
    return Grid(tuple(columns), rows, "Mentions and links on which annotators differ")


def _counted(agreement: Agreement) -> str:
    count = len(agreement.documents)
    return f"{count:,} document{'' if count == 1 else 's'}"


def metrics_grid(agreement: Agreement) -> Grid:
    """One row per metric: F1 of every two annotators, and their mean."""
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
    return Grid(
        tuple(columns),
        rows,
        f"F1 between {len(agreement.annotators)} annotators, on {_counted(agreement)}",
        (agreement.signature,),
    )


def alpha_grid(agreement: Agreement) -> Grid:
    """Krippendorff's α with the MASI distance, for both treatments of missing mentions."""
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
    """One row per number of annotators: mentions that so many have."""
    total = max(len(agreement.units.document), 1)
    rows = [(number, count, count / total) for number, count in enumerate(agreement.marked_by, 1)]
    columns = (Column("annotators", "integer"), Column("mentions", "integer"))
    title = "Mentions by number of annotators"
    return Grid((*columns, Column("share", "percent")), rows, title)


def entities_grid(agreement: Agreement, *, listed: int | None = None) -> Grid:
    """One row per contested group with the entities of each annotator, ``listed`` at most."""
    rows: list[tuple[Value, ...]] = [
        (
            one.document,
            one.kind,
            one.mentions,
            *(_entities(one, name, listed) for name in one.entities),
        )
        for one in agreement.contested
    ]
    columns = (Column("document"), Column("kind"), Column("mentions", "integer"))
    return Grid(
        (*columns, *map(Column, agreement.annotators)),
        rows,
        "Entities that annotators disagree on",
    )


def _entities(contested: Contested, annotator: str, listed: int | None) -> str:
    """The entities of one annotator in words, all or the first mentions."""
    written = []
    left = contested.mentions if listed is None else listed
    for entity in contested.entities[annotator]:
        if left <= 0:
            written.append("…")
            break
        words = [one.text if listed is None else shortened(one.text, WIDEST) for one in entity]
        more = [f"… {len(entity) - left} more"] if len(entity) > left else []
        written.append("[" + " | ".join([*words[:left], *more]) + "]")
        left -= len(entity)
    return " ".join(written)


TABLES: Tables = {
    "pairs": pairs_grid,
    "differences": differences_grid,
    "metrics": metrics_grid,
    "alpha": alpha_grid,
    "mentions": mentions_grid,
    "entities": entities_grid,
}
"""Functions from an agreement to a table, by name."""
