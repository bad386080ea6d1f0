"""Plain readings of records of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from tests.building import conll_reference
from tests.fuzzing.readings.plain import (
    Files,
    Plain,
    UnclearError,
    arranged,
    joined,
    one,
    text_of,
)


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


def label_studio(files: Files) -> Plain:
    """Labels by characters, and relations between them that mean coreference."""
    found: Plain = {}
    for record in records(files):
        if not isinstance(record.get("id"), int) or set(record) != {"id", "data", "annotations"}:
            raise UnclearError("another record")
        # The data are named as the labelling configuration likes; "text" is only the usual name.
        (text,) = record["data"].values() if len(record["data"]) == 1 else [record["data"]["text"]]
        if len(record["annotations"]) != 1 or set(record["annotations"][0]) != {"result"}:
            raise UnclearError("several annotators")
        spans, links = {}, []
        for result in record["annotations"][0]["result"]:
            if result.get("type") == "labels" and set(result) == {"id", "type", "value"}:
                span = result["value"]["start"], result["value"]["end"]
                if text[span[0] : span[1]].strip() != text[span[0] : span[1]]:
                    raise UnclearError("blanks at the ends of mentions")
                if result["id"] in spans or set(result["value"]) != {"start", "end", "labels"}:
                    raise UnclearError("an id twice")
                spans[result["id"]] = span
            elif result.get("type") == "relation" and result.get("labels") == ["coref"]:
                links.append((result["from_id"], result["to_id"]))
            else:
                raise UnclearError("another result")
        if len(set(spans.values())) < len(spans):
            raise UnclearError("a span twice")
        found[str(record["id"])] = arranged(
            [spans[each] for each in group] for group in joined(links, spans)
        )
    return found


def cas_json(files: Files) -> Plain:
    """Links by characters, each with the next one of its chain, and the words they hold."""
    (record,) = records(files)
    if set(record) != {"%FEATURE_STRUCTURES"}:
        raise UnclearError("other keys")
    spans, following, firsts, texts = {}, {}, [], []
    known = {"uima.cas.Sofa", "x.CoreferenceLink", "x.CoreferenceChain"}
    fields = {"%ID", "%TYPE", "@sofa", "begin", "end", "@next", "@first", "sofaString"}
    for each in record["%FEATURE_STRUCTURES"]:
        if each["%TYPE"] not in known or not set(each) <= fields or each["%ID"] in spans:
            raise UnclearError("another structure")
        if each["%TYPE"] == "uima.cas.Sofa":
            texts.append(each["sofaString"])
        elif each["%TYPE"] == "x.CoreferenceLink":
            spans[each["%ID"]] = each["begin"], each["end"]
            following[each["%ID"]] = each.get("@next")
        else:
            firsts.append(each["@first"])
    chains = _chains(texts, spans, following, firsts)
    if not re.fullmatch(r"[A-Za-z .]*", texts[0]):
        raise UnclearError("other words")
    words = list(re.finditer(r"\w+|[^\w\s]", texts[0]))
    starts = {word.start(): number for number, word in enumerate(words)}
    ends = {word.end(): number for number, word in enumerate(words)}
    if any(low not in starts or high not in ends for chain in chains for low, high in chain):
        raise UnclearError("parts of words")
    return {"x": arranged([(starts[low], ends[high]) for low, high in chain] for chain in chains)}


def _chains(
    texts: list[str],
    spans: dict[Any, tuple[int, int]],
    following: dict[Any, Any],
    firsts: list[Any],
) -> list[list[tuple[int, int]]]:
    if len(texts) != 1:
        raise UnclearError("several texts")
    chains = []
    for first in firsts:
        chain, link = [], first
        while link is not None:
            chain.append(spans[link])
            link = following.pop(link)
        chains.append(chain)
    used = [span for chain in chains for span in chain]
    if following or len(set(used)) < len(used):
        raise UnclearError("links outside of chains, or twice")
    if any(texts[0][low:high] != texts[0][low:high].strip() for low, high in used):
        raise UnclearError("blanks at the ends of mentions")
    return chains
