"""What all plain readings share: what they give, and how they say that they do not know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from corefine.corpus.corpus import Corpus

Files = Mapping[str, bytes]
Plain = dict[str, list[Any]]


class UnclearError(Exception):
    """The plain reading does not know what this file says."""


def arranged(entities: Iterable[Iterable[Any]]) -> list[Any]:
    """Entities in one order, whatever the order of the file; empty ones are none."""
    return sorted((sorted(entity, key=repr) for entity in map(list, entities) if entity), key=repr)


def of_tokens(corpus: Corpus) -> Plain:
    """Mentions as first and last token."""
    return {name: arranged(entities) for name, entities in corpus.to_dict().items()}


def of_characters(corpus: Corpus) -> Plain:
    """Mentions as first character and the one behind the last."""
    tokens, mentions = corpus.tokens, corpus.mentions
    assert tokens is not None
    assert tokens.text is not None
    found: dict[str, dict[int, list[tuple[int, int]]]] = {name: {} for name in corpus.documents}
    for row in range(len(mentions)):
        number = int(mentions.document[row])
        first = int(tokens.offsets[number] + mentions.start[row])
        last = int(tokens.offsets[number] + mentions.stop[row]) - 1
        place = (int(tokens.text.begins[first]), int(tokens.text.ends[last]))
        of_document = found[corpus.documents[number]]
        of_document.setdefault(int(mentions.entity[row]), []).append(place)
    return {name: arranged(entities.values()) for name, entities in found.items()}


def one(files: Files) -> bytes:
    """The file that is read."""
    return list(files.values())[-1]


def text_of(data: bytes) -> str:
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    if "\r" in text:
        raise UnclearError("carriage returns")
    return text


def joined(links: Iterable[tuple[str, str]], ids: Iterable[str]) -> list[set[str]]:
    """What links join, directly or through others; the others are alone."""
    groups = [{each} for each in ids]
    for link in links:
        touched = [group for group in groups if group & set(link)]
        groups = [group for group in groups if group not in touched] + [set().union(*touched)]
    return groups
