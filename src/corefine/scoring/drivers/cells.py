"""Cross-document scoring in shards: workers count cells, the client adds them up by entity.

Mentions never come to the client, only the cells of the table and the sizes of entities, by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.matching.scope import group_documents
from corefine.metrics.base import count_cells
from corefine.metrics.blanc import link_counts
from corefine.metrics.table import Cells, EntityColumns, Table
from corefine.scoring.count import tabulate
from corefine.scoring.counts import Counts, Tally
from corefine.scoring.drivers.shards import ShardPair
from corefine.scoring.request import Request
from corefine.scoring.signature import Codes, Fingerprint, entity_codes
from corefine.scoring.statistics import CorpusStatistics

EntityName = tuple[str, str]
"""The group of documents that an entity belongs to, and its id there."""


@dataclass(frozen=True, slots=True, eq=False)
class ShardEntities:
    """The entities of one side of a shard: names that hold beyond it, and numbers of mentions."""

    names: list[EntityName]
    size: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ShardCells:
    """What a worker finds in one shard."""

    groups: tuple[str, ...]
    key: ShardEntities
    response: ShardEntities
    cells: tuple[IntArray, IntArray, IntArray]
    """Entity of the key, entity of the response, shared mentions."""
    within: list[tuple[str, float, float, float]]
    """By document: its group, and the links within it that both sides, response and key have."""
    code_names: list[EntityName]
    codes: Codes
    """The entities of the key as it is given, and the sums of their mentions' codes."""
    tally: Tally
    documents: int
    mentions: int
    warnings: tuple[str, ...]


def refuse_unsupported(request: Request) -> None:
    """Refuse what cells of entities cannot tell."""
    settings = request.settings
    if request.by:
        refused = f"scores by {', '.join(map(str, request.by))}"
    elif settings.twinless not in ("none", "drop"):
        refused = f"--twinless {settings.twinless}"
    elif settings.singletons == "drop" and settings.match != "exact":
        refused = f"--singletons drop with --match {settings.match}"
    else:
        refused = ", ".join(name for name, one in request.needed.items() if one.needs_mentions)
    if refused:
        raise UsageError(
            f"the dask engine cannot compute {refused} across documents, because workers count "
            "entities, not mentions",
            remedy="Use --engine local.",
        )


def count_shard(pair: ShardPair, request: Request) -> ShardCells:
    """Match the documents of one shard, and count the cells of their entities."""
    key, response = pair.read(frozenset())
    scope = request.settings.scope
    tabulation = tabulate(
        key,
        response,
        request.with_settings(scope="document", missing_documents="count", singletons="keep"),
    )
    table, matched = tabulation.table, tabulation.matched
    if request.settings.singletons == "drop" and _has_zeros(matched.key):
        raise UsageError(
            "the dask engine cannot drop singletons across documents that have zeros",
            remedy="Use --engine local.",
        )
    grouping = group_documents(matched.key, scope)
    assert grouping is not None
    groups = [grouping.names[number] for number in grouping.of_document.tolist()]
    counted = link_counts(table)
    links = (counted[f"coreferent_{side}"].tolist() for side in ("common", "response", "key"))
    return ShardCells(
        grouping.names,
        _entities(matched.key, table.key, groups),
        _entities(matched.response, table.response, groups),
        (table.cells.key, table.cells.response, table.cells.count),
        list(zip(groups, *links, strict=True)),
        _names(key, np.arange(len(key.entities)), groups),
        entity_codes(key),
        tabulation.tally,
        len(key.documents),
        len(key.mentions),
        tuple(said for said in tabulation.warnings if "missing from the response" not in said),
    )


def _has_zeros(corpus: Corpus) -> bool:
    return corpus.tokens is not None and corpus.tokens.empty is not None


def _entities(corpus: Corpus, side: EntityColumns, groups: list[str]) -> ShardEntities:
    return ShardEntities(_names(corpus, side.source, groups), side.size)


def _names(corpus: Corpus, entities: IntArray, groups: list[str]) -> list[EntityName]:
    names = corpus.entities.names
    if names is None:
        raise UsageError(
            "entities without ids cannot be linked across documents",
            remedy="Give a file with entity ids.",
        )
    owners = corpus.entities.document[entities].tolist()
    return [
        (groups[owner], name)
        for owner, name in zip(owners, names.take(entities).tolist(), strict=True)
    ]


def joined_counts(parts: Sequence[ShardCells], request: Request) -> Counts:
    """The counts of all shards, entities of one name being one."""
    groups = tuple(dict.fromkeys(chain.from_iterable(part.groups for part in parts)))
    place = {name: number for number, name in enumerate(groups)}
    key, rows = _joined_side([part.key for part in parts], place)
    response, columns = _joined_side([part.response for part in parts], place)
    cells = _joined_cells(parts, rows, columns, len(response))
    if request.settings.singletons == "drop":
        key, response, cells = _without_singletons(key, response, cells)
    within = np.zeros((3, len(groups)))
    for group, *links in chain.from_iterable(part.within for part in parts):
        within[:, place[group]] += links
    table = Table(groups, key, response, cells, (within[0], within[1], within[2]))
    tally = Tally()
    for part in parts:
        tally += part.tally
    return Counts(
        request,
        CorpusStatistics(
            groups, {name: count_cells(one, table) for name, one in request.needed.items()}
        ),
        (),
        tally,
        _fingerprint(parts),
        tuple(dict.fromkeys(chain.from_iterable(part.warnings for part in parts))),
    )


def _joined_side(
    parts: Sequence[ShardEntities], groups: dict[str, int]
) -> tuple[EntityColumns, list[IntArray]]:
    """The entities of all shards, and for each shard which of them its entities are."""
    number: dict[EntityName, int] = {}
    places = [
        np.array([number.setdefault(name, len(number)) for name in part.names], np.int64)
        for part in parts
    ]
    size = np.zeros(len(number), np.int64)
    for part, place in zip(parts, places, strict=True):
        np.add.at(size, place, part.size)
    owner = np.array([groups[group] for group, _ in number], np.int64)
    return EntityColumns(owner, size, np.full(len(size), -1)), places


def _joined_cells(
    parts: Sequence[ShardCells], rows: list[IntArray], columns: list[IntArray], width: int
) -> Cells:
    nothing = np.zeros(0, np.int64)
    key = np.concatenate([row[p.cells[0]] for p, row in zip(parts, rows, strict=True)] + [nothing])
    response = np.concatenate(
        [column[p.cells[1]] for p, column in zip(parts, columns, strict=True)] + [nothing]
    )
    count = np.concatenate([part.cells[2] for part in parts] + [nothing])
    codes, cell = np.unique(key * max(width, 1) + response, return_inverse=True)
    total = np.zeros(len(codes), np.int64)
    np.add.at(total, cell, count)
    ours, theirs = np.divmod(codes, max(width, 1))
    return Cells(ours, theirs, total, np.zeros(len(codes), np.int64))


def _without_singletons(
    key: EntityColumns, response: EntityColumns, cells: Cells
) -> tuple[EntityColumns, EntityColumns, Cells]:
    """The table without entities of one mention, on both sides.

    Equal mentions match whatever else there is, so dropping afterwards is dropping before.
    """
    kept = (key.size[cells.key] > 1) & (response.size[cells.response] > 1)
    sides, places = [], []
    for side in (key, response):
        several = side.size > 1
        sides.append(
            EntityColumns(side.document[several], side.size[several], side.source[several])
        )
        places.append(np.cumsum(several) - 1)
    ours, theirs = places[0][cells.key[kept]], places[1][cells.response[kept]]
    return sides[0], sides[1], Cells(ours, theirs, cells.count[kept], cells.document[kept])


def _fingerprint(parts: Sequence[ShardCells]) -> Fingerprint:
    number: dict[EntityName, int] = {}
    places = [number.setdefault(name, len(number)) for part in parts for name in part.code_names]
    sums = np.zeros(len(number), np.uint64)
    np.add.at(sums, np.array(places, np.int64), np.concatenate([part.codes for part in parts]))
    return Fingerprint.of_entities(
        sum(part.documents for part in parts), sum(part.mentions for part in parts), sums
    )
