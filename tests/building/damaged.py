"""Damaged files, and the laws of their repair."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import corefine
from corefine.curating.parsing import parser_of
from corefine.errors import CorefineError
from tests.building.planted import clean, conll, conllu, jsonlines, labels, records, ua

FORMATS = {"conllu": "conllu", "conll": "conll", "ua": "ua", "labels": "csv", "e2e": "jsonl"}
"""Formats and the suffixes of their files."""
SIGNS = "()|[]-1/2e,<:_"
_COLUMNS = {"conllu": 9, "ua": 10}
_ARRAY = re.compile(rb'"clusters": \[.*\]\}')


def damaged(format: str, rng: random.Random) -> bytes:
    """A file with some faults, and some letters of its annotation changed."""
    text = clean(rng)
    for words in (words for document in text for words in document):
        id = f"e{rng.randrange(1, 14)}"
        if rng.random() < 0.2:
            words[7].brackets.append(f"({id}-person-1-1")
        if rng.random() < 0.2:
            words[0].brackets.insert(0, f"{id})")
        if rng.random() < 0.1:
            words[2].brackets += [f"{id})", f"({id}-person-1-1"]
        if rng.random() < 0.1:
            words[3].brackets *= 2
        if rng.random() < 0.1:
            rng.choice(words).brackets = []
        if rng.random() < 0.1:
            words[4].brackets.reverse()
    writers = {"conllu": conllu, "conll": conll, "ua": ua}
    if format in writers:
        content = writers[format](text)
    elif format == "labels":
        rows = labels(clean(rng)).splitlines()
        rows[1:] = rng.choices(rows[1:], k=len(rows))
        content = "\n".join([*rows, ""])
    else:
        found = records(clean(rng))
        for record in found:
            clusters: Any = record["clusters"]
            for _ in range(rng.randrange(4)):
                one = rng.choice(clusters)
                one += rng.choices(one, k=rng.randrange(3)) if one else []
                clusters.insert(rng.randrange(len(clusters) + 1), [])
        content = jsonlines(found)
    lines = content.split("\n")
    for _ in range(rng.randrange(4) if format in ("conllu", "conll", "ua") else 0):
        row = rng.randrange(len(lines))
        cell = re.search(r"[^\s=]*$", lines[row])
        if (cell and "(" in cell[0]) or (cell and ")" in cell[0]):
            place = cell.start() + rng.randrange(len(cell[0]))
            sign = rng.choice(("", rng.choice(SIGNS), lines[row][place] * 2))
            lines[row] = lines[row][:place] + sign + lines[row][place + 1 :]
    end = rng.choice(("\n", "\n", "\r\n"))
    mark = b"\xef\xbb\xbf" if rng.random() < 0.1 and format != "e2e" else b""
    data = mark + end.join(lines).encode()
    return data.removesuffix(end.encode()) if rng.random() < 0.2 else data


def repaired(path: Path, format: str, data: bytes, scope: str | None) -> list[str]:
    """Repair a file and check the laws; the codes of what was repaired."""
    path.write_bytes(data)
    found = corefine.repair(path, format=format, scope=scope)
    assert found.before == data
    log = Counter(one.code for one in found.log)
    again = path.with_name(f"again{path.suffix}")
    again.write_bytes(found.after)
    assert corefine.repair(again, format=format, scope=scope).log == ()
    assert outside(format, found.before) == outside(format, found.after)
    if not log:
        assert found.after == data
    before, after = (entities(format, content) for content in (found.before, found.after))
    added = after - before
    assert before <= after, before - after
    assert len(added) <= log["CU201"] + log["CU202"]
    same_when_read(path, again, format)
    if scope == "document":
        assert not any(one.code == "CU303" for one in found.checked.findings)
    return list(log.elements())


def outside(format: str, content: bytes) -> list[bytes]:
    """What a repair never changes: all but brackets, repeated rows and cluster arrays."""
    if format == "e2e":
        return [_ARRAY.sub(b"", line) for line in content.split(b"\n")]
    if format == "labels":
        rows = [row.rpartition(b",")[0] for row in content.split(b"\n") if row.strip()]
        return list(dict.fromkeys(rows))
    lines = []
    for line in content.split(b"\n"):
        cells = re.split(rb"(\t)" if format != "conll" else rb"( +)", line.rstrip(b"\r"))
        place = 2 * _COLUMNS.get(format, 11)
        if not line.startswith(b"#") and len(cells) > place:
            cells[place] = b""
            if format == "ua" and len(cells) > place + 2:
                cells[place + 2] = b""
        lines.append(b"".join(cells) + line[len(line.rstrip(b"\r")) :])
    return lines


def entities(format: str, content: bytes) -> set[Any]:
    """Pairs of a mention and the words that its entity has in common with it, by document."""
    parser = parser_of(format)
    assert parser is not None
    found = set()
    for number, document in enumerate(parser(content)):
        for mentions in document.entities().values():
            found |= {(number, one.key) for one in mentions}
    return found


def same_when_read(before: Path, after: Path, format: str) -> None:
    """A file that can be read has the same entities and relations after its repair."""
    try:
        first = corefine.read(before, format)
    except CorefineError:
        return
    second = corefine.read(after, format)
    for one, other in zip(first, second, strict=True):
        names = [
            {str(id): frozenset(_places(mentions)) for id, mentions in document.entities.items()}
            for document in (one, other)
        ]
        assert set(names[0].values()) == set(names[1].values())
        relations = [
            Counter(
                (r.kind, r.label, called.get(str(r.source)), called.get(str(r.target)))
                for r in dict.fromkeys(document.relations)
            )
            for document, called in zip((one, other), names, strict=True)
        ]
        assert set(relations[0]) == set(relations[1])


def _places(mentions: list[Any]) -> list[Any]:
    return [tuple(one.spans) if one.spans else one.name for one in mentions]


def run(folder: Path, seeds: range) -> Counter[str]:
    """Damage and repair a file per seed; how often each rule was repaired."""
    repairs: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        format = rng.choice(list(FORMATS))
        scope = rng.choice((None, None, "document", "corpus"))
        path = folder / f"x.{FORMATS[format]}"
        try:
            repairs.update(repaired(path, format, damaged(format, rng), scope))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, {format}, scope {scope}") from error
    return repairs
