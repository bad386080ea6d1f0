"""xCoRe on several documents: their words in one record, and entities that reach across them.

The smallest valid line::

    {"tokens": [["Anna", "slept"], ["She", "woke"]],
     "clusters_token_offsets": [[[0, 0, 0], [1, 0, 0]]]}

A mention is ``[document, first, last]``, all counted from 0, the last token included. A cluster has
the same name in all its documents, so that ``--scope corpus`` makes one entity of it. xCoRe itself
puts a further list around the tokens of each document; lists of sentences are read as well. What it
writes for one document is Maverick's.
"""

from __future__ import annotations

from typing import Any

from corefine.errors import FormatError
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.dialects import dialect_format
from corefine.formats.jsonlines.json_records import Record, made_record

_CLUSTERS = "clusters_token_offsets"
_NAMES = ("doc_key", "doc_id", "id")


def plain(record: Record, number: int, stem: str) -> list[Record]:
    """A record for each of the documents."""
    from corefine.formats.text.json_values import CLUSTERS

    documents = _documents(record)
    lengths = [sum(map(len, sentences)) for sentences in documents]
    clusters = record.decode(_CLUSTERS, CLUSTERS[3])
    parts: list[dict[int, list[tuple[int, int]]]] = [{} for _ in documents]
    for name, cluster in enumerate(clusters):
        for place, (document, first, last) in enumerate(cluster):
            mention = f"{_CLUSTERS}[{name}][{place}] is {[document, first, last]}"
            if document >= len(documents):
                record.refuse(
                    f"{mention}, but there are only {len(documents)} documents",
                    "Mentions are [document, first, last] from 0, end inclusive.",
                )
            if not first <= last < lengths[document]:
                record.refuse(
                    f"{mention}, but the document has {lengths[document]} tokens",
                    "Mentions are [document, first, last], end inclusive.",
                )
            parts[document].setdefault(name, []).append((first, last))
    names = _names(record, len(documents))
    return [
        made_record(
            record,
            {
                **({"id": names[place]} if names else {}),
                "sentences": sentences,
                _CLUSTERS: list(part.values()),
                "names": [f"{number}.{name}" for name in part],
            },
        )
        for place, (sentences, part) in enumerate(zip(documents, parts, strict=True))
    ]


def _documents(record: Record) -> list[list[list[str]]]:
    """The sentences of each document: one, unless they are lists of words themselves."""
    try:
        deep: list[list[list[str]]] = record.decode("tokens", list[list[list[str]]])
        return deep
    except FormatError:
        flat: list[list[str]] = record.decode("tokens", list[list[str]])
        return [[words] for words in flat]


def _names(record: Record, count: int) -> list[str]:
    """The names of the documents, where the record has some: a list, or one for them all."""
    key = record.first(_NAMES)
    if not record.has(key):
        return []
    given: Any = record.decode(key, str | int | list[str | int])
    if not isinstance(given, list):
        return [f"{given}/{place}" for place in range(count)]
    if len(given) != count:
        record.refuse(
            f"{key} has {len(given)} names for {count} documents", "Give one per document."
        )
    return [str(name) for name in given]


XCORE = dialect_format(
    Dialect(
        "xcore",
        clusters=(_CLUSTERS,),
        words=("sentences",),
        inclusive=True,
        names=("id",),
        named=False,
        plain=plain,
        entity_names="names",
    ),
    "xCoRe: JSON, several documents per record and cross-document entities",
    lambda keys: 0.95 if {_CLUSTERS, "tokens[["} <= keys else 0.0,
    None,
)
