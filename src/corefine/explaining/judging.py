"""Judgements of entities and documents: the sheet that judges fill in, and their correlation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from corefine.comparing.judgements import Correlation, Items, JudgementsLike
from corefine.corpus.arrays import FloatArray
from corefine.corpus.corpus import Corpus
from corefine.errors import Location, UsageError, choose
from corefine.metrics.base import ratio
from corefine.metrics.registry import resolve
from corefine.output.grid import Column, Grid, Value
from corefine.scoring.breakdowns import Genres
from corefine.scoring.count import count_table
from corefine.scoring.resampling import F1, Panel

if TYPE_CHECKING:
    from corefine.explaining.entities import Entity, EntityTable

LEVELS = ("entity", "document")
KEPT, BALANCE = "information", "information F1"
BETWEEN = " ¦ "
"""Between the mentions of an entity in a sheet."""


def correlate(table: EntityTable, judgements: JudgementsLike, level: str) -> Correlation:
    """Correlate the metrics of a table with judgements of its entities or documents."""
    choose("level", level, LEVELS)
    if level == "document":
        return _documents(table, judgements)
    values = {name: table.pairs.defined_f1(name) for name in table.metrics}
    kept = ratio(table.information_found, table.information)
    values[KEPT] = np.where(table.information > 0, kept, np.nan)
    values[BALANCE] = table.information_f1
    remedy = "Name an entity by its id or by the words of its first mention."
    items = Items("entity", _named(table), "the key", remedy)
    return Correlation.of(_labels(table), values, judgements, items)


def _documents(table: EntityTable, judgements: JudgementsLike) -> Correlation:
    """Correlate the scores of whole documents, as ``score`` computes them."""
    if table.request is None:
        raise UsageError(
            "documents are judged beside the scores of corefine.entities",
            remedy="Use corefine.entities(key, response).correlation(judgements, 'document').",
        )
    request = replace(table.request, metrics=resolve(",".join(table.metrics)))
    panel = Panel.of({"": count_table(table.table, request).scores()})
    f1 = panel.document_scores()[0, :, :, F1]
    names = panel.documents
    values = {name: f1[:, column] for column, name in enumerate(panel.names)}
    documents = [table.matching.key.documents.index(name) for name in names]
    values[KEPT] = _by_document(table, table.information_found, table.information)[documents]
    numbers = {(name,): [number] for number, name in enumerate(names)}
    items = Items("document", numbers, "the key", f"Its documents: {', '.join(names[:5])}, ….")
    return Correlation.of(names, values, judgements, items)


def _by_document(table: EntityTable, part: FloatArray, whole: FloatArray) -> FloatArray:
    """Share of summed information by document; NaN without information."""
    count = len(table.matching.key.documents)
    document = table.table.key.document
    parts, wholes = (
        np.bincount(document, one, minlength=count).astype(np.float64) for one in (part, whole)
    )
    return np.where(wholes > 0, ratio(parts, wholes), np.nan)


def _named(table: EntityTable) -> dict[tuple[str, str], list[int]]:
    """The numbers of entities by document, or without it, and by id or first mention."""
    names: dict[tuple[str, str], list[int]] = {}
    for entity in table:
        first = min(entity.key_mentions, key=lambda one: table.mention_turns[one])
        for text in dict.fromkeys((entity.name, table.matching.key.text_of(first))):
            for document in dict.fromkeys(("", entity.document)):
                names.setdefault((document, text), []).append(entity.number)
    return names


def _labels(table: EntityTable) -> list[str]:
    """A label of each entity: its document if there are several, its id, and its words."""
    several = len(table.matching.key.documents) > 1
    parts = ((entity.document if several else "", entity.name, entity.text) for entity in table)
    return [" ".join(dict.fromkeys(filter(None, one))) for one in parts]


def drawn_texts(table: EntityTable, draw: str, seed: int = 0) -> list[int]:
    """Random documents of each genre: ``1,5`` is one of at most five sentences (Holen 2013).

    The genre is the beginning of the document's id.
    """
    tokens = table.matching.key.tokens
    if not re.fullmatch(r"[1-9][0-9]{0,5},[1-9][0-9]{0,5}", draw):
        raise UsageError(
            f"texts cannot be drawn by {draw!r}",
            remedy="Give the number of texts per genre and the most sentences of a text: 1,5.",
        )
    if tokens is None or not len(tokens.sentences):
        raise UsageError(
            "texts cannot be drawn by their length: the key has no sentences",
            remedy="Use a key with sentences, or leave out --draw.",
        )
    texts, longest = map(int, draw.split(","))
    sentences = np.diff(np.searchsorted(tokens.sentences, tokens.offsets))
    by_genre: dict[str, list[int]] = {}
    for number, genre in enumerate(Genres().of_documents(table.matching.key.documents)):
        if 0 < sentences[number] <= longest:
            by_genre.setdefault(genre, []).append(number)
    if not by_genre:
        raise UsageError(f"no text of the key has at most {longest:,} sentences")
    chance = np.random.Generator(np.random.PCG64(seed))
    drawn = (chance.permutation(by_genre[genre])[:texts].tolist() for genre in sorted(by_genre))
    return sorted(number for numbers in drawn for number in numbers)


def worksheet_grid(
    table: EntityTable, level: str = "entity", seed: int = 0, draw: str | None = None
) -> Grid:
    """The sheet for judges: texts of key and response in random order, without scores."""
    choose("level", level, LEVELS)
    matched = table.matching
    documents = matched.key.documents
    texts_drawn = range(len(documents)) if draw is None else drawn_texts(table, draw, seed)

    def texts(corpus: Corpus, mentions: tuple[int, ...]) -> str:
        return BETWEEN.join(map(corpus.text_of, mentions))

    judged: dict[str, Callable[[Entity], Value]] = {
        "document": lambda one: one.document,
        "entity": lambda one: one.name,
        "key": lambda one: texts(matched.key, one.key_mentions),
        "response": lambda one: texts(matched.response, one.response_mentions),
    }
    rows: list[tuple[Value, ...]] = [(documents[number],) for number in texts_drawn]
    if level == "entity":
        wanted = set(texts_drawn)
        shown = (entity for entity in table if entity.document_number in wanted)
        rows = [tuple(value(entity) for value in judged.values()) for entity in shown]
    names = (*(judged if level == "entity" else ("document",)), "judge", "rank", "comment")
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(rows)).tolist()
    sheet = [(*rows[number], "", "", "") for number in order]
    notes = (
        (
            "Rank each row by how well the response keeps what the key says: 1 is best, equal ones "
            "share a rank. Or rename the column rank to score, where more is better."
        ),
    )
    return Grid(tuple(map(Column, names)), sheet, "Judgements", notes)


def write_worksheet(
    table: EntityTable,
    path: str | os.PathLike[str],
    level: str = "entity",
    seed: int = 0,
    draw: str | None = None,
) -> None:
    """Write the sheet as CSV, or as a page that can be printed."""
    from corefine.output.html import grid_block
    from corefine.output.saving import write_atomically

    grid = worksheet_grid(table, level, seed, draw)
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix == ".csv":
        write_atomically(path, grid.to_csv())
    elif suffix in (".html", ".htm"):
        style = "body{font:1rem sans-serif}td,th{border:1px solid;padding:.4em;text-align:left}"
        page = (
            '<!doctype html><html><head><meta charset="utf-8"><title>Judgements</title>'
            f"<style>{style}</style></head><body>{grid_block(grid)}</body></html>"
        )
        write_atomically(path, page)
    else:
        raise UsageError(
            "a worksheet is written as .csv or .html", Location(os.fspath(path)), "Rename it."
        )
