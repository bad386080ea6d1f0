"""Plain readings of records of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from tests.building import conll_reference
from tests.fuzzing.readings.plain import Files, Plain, UnclearError, arranged, one, text_of


def _number(digits: str) -> int:
    """A whole number; Python reads none of thousands of digits, and none of these is a place."""
    return int(digits) if len(digits) < 100 else 10**100


def records(files: Files) -> list[dict[str, Any]]:
    """The records of lines, or of one array."""
    text = text_of(one(files)).strip()
    if text.startswith("["):
        found = json.loads(text, parse_int=_number)
    else:
        try:
            found = [
                json.loads(line, parse_int=_number) for line in text.split("\n") if line.strip()
            ]
        except ValueError:
            found = [json.loads(text, parse_int=_number)]
    if not all(isinstance(record, dict) for record in found):
        raise UnclearError("other values")
    return list(found)


def name_in(record: dict[str, Any], number: int, *keys: str) -> str:
    for key in keys:
        if key in record:
            if not isinstance(record[key], str | int) or record[key] in ("", None):
                raise UnclearError("a name that is none")
            return str(record[key])
    return f"x:{number}"


def by_tokens(
    clusters: Iterable[str], names: Iterable[str], behind: int = 0, in_sentences: bool = False
) -> Callable[[Files], Plain]:
    """Records with clusters of ``[first, last]``, or of ``[sentence, first, last]``."""
    keys, called = tuple(clusters), tuple(names)

    def read(files: Files) -> Plain:
        found: Plain = {}
        for number, record in enumerate(records(files), 1):
            name = name_in(record, number, *called)
            if name in found or "part_id" in record:
                raise UnclearError("a document twice")
            if any(key.endswith("subtoken_map") for key in record):
                raise UnclearError("pieces of words")
            given = next((record[key] for key in keys if key in record), None)
            if given is None:
                raise UnclearError("no clusters")
            first = [0]
            for sentence in record["sentences"] if in_sentences else ():
                first.append(first[-1] + len(sentence))
            spans = []
            for cluster in given:
                entity = []
                for span in cluster:
                    *sentence, start, stop = span
                    base = first[sentence[0]] if in_sentences else 0
                    if in_sentences != bool(sentence) or not 0 <= start <= stop - behind:
                        raise conll_reference.RefusedError("no span")
                    entity.append((base + start, base + stop - behind))
                spans.append(entity)
            found[name] = arranged(spans)
        return found

    return read


def fastcoref(files: Files) -> Plain:
    """Characters, the end behind the last; null for what the tool found no place for."""
    found: Plain = {}
    for number, record in enumerate(records(files), 1):
        if not isinstance(record.get("text"), str) or record["text"].split() == []:
            raise UnclearError("no text")
        if set(record) != {"text", "clusters"}:
            raise UnclearError("other keys")
        spans = [[tuple(s) for s in cluster if s is not None] for cluster in record["clusters"]]
        text = record["text"]
        if any(text[start:stop] != text[start:stop].strip() for c in spans for start, stop in c):
            raise UnclearError("blanks at the ends of mentions")
        found[f"x:{number}"] = arranged(spans)
    return found


def coref_data(files: Files) -> Plain:
    found: Plain = {}
    for number, record in enumerate(records(files), 1):
        first = [0]
        for sentence in record["sentences"]:
            first.append(first[-1] + len(sentence["tokens"]))
        found[name_in(record, number, "id")] = arranged(
            [(first[s] + low, first[s] + high) for s, low, high in chain]
            for chain in record["coref_chains"]
        )
    return found


def corenlp(files: Files) -> Plain:
    found: Plain = {}
    for number, record in enumerate(records(files), 1):
        first = [0]
        for sentence in record["sentences"]:
            first.append(first[-1] + len(sentence["tokens"]))
        if "corefs" not in record or "docId" not in record:
            raise UnclearError("no chains, or no name")
        name = name_in(record, number, "docId")
        if not re.fullmatch(r"[\w:-]+", name):
            raise UnclearError("a name that is a file's")
        found[name] = arranged(
            [
                (
                    first[mention["sentNum"] - 1] + mention["startIndex"] - 1,
                    first[mention["sentNum"] - 1] + mention["endIndex"] - 2,
                )
                for mention in chain
            ]
            for chain in record["corefs"].values()
        )
    return found


def xcore(files: Files) -> Plain:
    found: Plain = {}
    number = 0
    for record in records(files):
        if set(record) != {"tokens", "clusters_token_offsets"}:
            raise UnclearError("other keys")
        entities: list[list[list[tuple[int, int]]]] = [[] for _ in record["tokens"]]
        for cluster in record["clusters_token_offsets"]:
            by_document: dict[int, list[tuple[int, int]]] = {}
            for document, low, high in cluster:
                by_document.setdefault(document, []).append((low, high))
            for document, spans in by_document.items():
                entities[document].append(spans)
        for document in entities:
            number += 1
            found[f"x:{number}"] = arranged(document)
    return found
