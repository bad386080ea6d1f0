"""The list of what the papers describe: the command that does each item, and its status."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from docs.making import markdown

PAPERS = {
    "C": "Chen & Ng 2013",
    "H": "Holen 2013",
    "L": "Moosavi & Strube 2016",
    "P": "Kaczmarek & Marcińczuk 2015",
    "M": "MCORES",
}
"""The paper of an item by the first letter of its id."""
STATUSES = ("works", "in part", "missing", "not doable")


class Item(NamedTuple):
    """A metric, parameter, experiment, table, claim, procedure or system of a paper."""

    id: str
    where: str
    what: str
    command: str
    status: str
    reason: str


def all_items() -> list[Item]:
    """All items, in the order of their ids."""
    with (Path(__file__).parent / "items.csv").open(encoding="utf-8", newline="") as file:
        return [Item(**row) for row in csv.DictReader(file)]


def items_summary() -> str:
    """The number of items by paper and status."""
    counts = Counter((item.id[0], item.status) for item in all_items())
    rows = [
        (title, *(counts[letter, status] for status in STATUSES))
        for letter, title in PAPERS.items()
    ]
    totals = (sum(counts[letter, status] for letter in PAPERS) for status in STATUSES)
    return markdown(("paper", *STATUSES), [*rows, ("all", *totals)])


def items_table() -> str:
    """One row per item; the reason stands behind the status of what does not work."""
    rows = [
        (
            item.id,
            item.where,
            item.what.replace("|", "\\|"),
            f"`{item.command}`" if item.status in ("works", "in part") else "",
            f"{item.status}: {item.reason}" if item.reason else item.status,
        )
        for item in all_items()
    ]
    return markdown(("id", "where", "what", "command", "status"), rows, left=5)


REGIONS = {"items-summary": items_summary, "items": items_table}
