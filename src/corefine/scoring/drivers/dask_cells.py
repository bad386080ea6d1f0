"""Cross-document scoring on Dask: joins and counts on data frames, down to the table's cells.

Mentions never come to the client: the two sides are joined by document and mention, counted by
pairs of entities on the workers, and only the cells and the sizes of entities are gathered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corefine.errors import MissingExtraError, UsageError
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.table import Cells, Side, Table
from corefine.scoring.drivers.shards import Shard
from corefine.scoring.scores import Scores
from corefine.scoring.statistics import CorpusStatistics

ROWS = 1 << 40
"""More than any shard has rows: its number times this and a row's own is the row's number."""


def score_across_documents(
    key: list[Shard],
    response: list[Shard],
    metrics: dict[str, Metric],
    settings: Settings,
    client: Any,
) -> Scores:
    """Scores over entities that are shared by all documents (``--scope corpus``)."""
    _refuse(metrics, settings)
    try:
        import dask.dataframe as frames
    except ImportError:
        raise MissingExtraError("scoring across documents", "dask", "dask") from None
    framed: Any = frames.from_map
    ours = framed(_labels, list(enumerate(key)), meta=_meta())
    theirs = framed(_labels, list(enumerate(response)), meta=_meta())
    if settings.singletons == "drop":
        ours, theirs = _without_singletons(ours), _without_singletons(theirs)
    joined = ours.merge(theirs, on=["document", "mention"], suffixes=("_key", "_response"))
    cells = joined.groupby(["entity_key", "entity_response"]).size()
    sizes = [side.groupby("entity").agg({"row": ["count", "min"]}) for side in (ours, theirs)]
    found, our_sizes, their_sizes = client.compute([cells, *sizes], sync=True)
    table = _table(found, our_sizes, their_sizes)
    asked = {name: metric for name, metric in metrics.items() if not metric.properties.needs_scope}
    return Scores(asked, CorpusStatistics.of(table, asked.values()), settings)


def _refuse(metrics: dict[str, Metric], settings: Settings) -> None:
    if settings.scope != "corpus" or settings.match != "exact":
        raise UsageError(
            "the engine dask scores across documents only with --scope corpus and --match exact",
            remedy="Use the local engine for other settings.",
        )
    kinds = [name for name, metric in metrics.items() if metric.properties.needs_kinds]
    if kinds:
        raise UsageError(
            f"{', '.join(kinds)} needs kinds of mentions, which cells of entities do not hold",
            remedy="Use the local engine for these metrics.",
        )


def _meta() -> Any:
    import pandas

    return pandas.DataFrame(
        {
            "document": pandas.Series(dtype="str"),
            "mention": pandas.Series(dtype="str"),
            "entity": pandas.Series(dtype="str"),
            "row": pandas.Series(dtype="int64"),
        }
    )


def _labels(numbered: tuple[int, Shard]) -> Any:
    """A shard as a frame of labels, a mention given twice in its first entity."""
    import pandas

    number, shard = numbered
    corpus = shard.read(frozenset())
    names = corpus.entities.names
    if names is None:
        raise UsageError("entities without ids cannot be joined across documents")
    documents = np.array(corpus.documents, object)
    frame = pandas.DataFrame(
        {
            "document": documents[corpus.mentions.document],
            "mention": [str(corpus.mention_id(row)) for row in range(len(corpus.mentions))],
            "entity": np.array(names.tolist(), object)[corpus.mentions.entity],
            "row": number * ROWS + np.arange(len(corpus.mentions)),
        }
    ).astype({"document": "str", "mention": "str", "entity": "str"})
    return frame.drop_duplicates(["document", "mention"])


def _without_singletons(side: Any) -> Any:
    sizes = side.groupby("entity").size().rename("size").reset_index()
    several = sizes[sizes["size"] > 1][["entity"]]
    return side.merge(several, on="entity", how="inner")


def _table(cells: Any, key: Any, response: Any) -> Table:
    """The table from gathered cells, entities in the order of their first mention."""
    sides, places = [], []
    for sizes in (key, response):
        ordered = sizes.sort_values(("row", "min"))
        count = ordered[("row", "count")].to_numpy(np.int64)
        sides.append(Side(np.zeros(len(count), np.int64), count, np.full(len(count), -1)))
        places.append({name: place for place, name in enumerate(ordered.index)})
    rows = np.array([places[0][name] for name, _ in cells.index], np.int64)
    columns = np.array([places[1][name] for _, name in cells.index], np.int64)
    order = np.lexsort((columns, rows))
    counts = cells.to_numpy(np.int64)[order]
    gathered = Cells(rows[order], columns[order], counts, np.zeros(len(order), np.int64))
    return Table.from_cells(("",), sides[0], sides[1], gathered)
