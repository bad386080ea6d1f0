"""Damaged files, and the laws of their repair."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import corefine
from corefine.curating.parsing import parser_of
from corefine.errors import CorefineError
from tests.building.anaphora_documents import HEADERS, MAKERS

FORMATS = {"conllu": "conllu", "conll": "conll", "ua": "ua", "labels": "csv", "e2e": "jsonl"}
"""Formats and the suffixes of their files."""
SIGNS = "()|[]-1/2e,<:_"
COLUMNS = {"conll": -1, "conllu": 9, "ua": 10}
"""The column of brackets."""
BRACKETS = {
    "conll": ("({}", "{})"),
    "conllu": ("(e{}-x-1-", "e{})"),
    "ua": ("(EntityID={0}|MarkableID=x{0}", ")"),
}
"""Opening and closing brackets of an entity."""
_ARRAY = re.compile(rb'"clusters": ?\[.*\]\}')


def damaged(format: str, rng: random.Random) -> bytes:
    """A file with some faults, and some letters of its annotation changed."""
    if format == "labels":
        rows = [f"d{rng.randrange(2)},{rng.randrange(20)},e{rng.randrange(5)}" for _ in range(20)]
        lines = ["document,mention,entity", *rows, ""]
    elif format == "e2e":
        lines = [json.dumps(_record(f"d{number}", rng)) for number in range(2)] + [""]
    else:
        lines = HEADERS[format].split("\n")[:-1]
        for name in ("d1", "d2"):
            made = MAKERS[format](name, rng.randrange(10**6)).split("\n")[:-1]
            lines += [_with_faults(line, format, rng) for line in made]
        lines.append("")
    end = rng.choice(("\n", "\n", "\r\n"))
    mark = b"\xef\xbb\xbf" if rng.random() < 0.1 and format != "e2e" else b""
    data = mark + end.join(lines).encode()
    return data.removesuffix(end.encode()) if rng.random() < 0.2 else data


def _record(name: str, rng: random.Random) -> dict[str, Any]:
    """A document whose clusters repeat mentions or have none."""
    spans = [[start, rng.randint(start, 9)] for start in range(9)]
    clusters = [rng.choices(spans, k=rng.randrange(4)) for _ in range(5)]
    return {"doc_key": name, "sentences": [["word"] * 10], "clusters": clusters}


def _with_faults(line: str, format: str, rng: random.Random) -> str:
    """The line of a word, often with other brackets, and seldom with another letter."""
    cells = line.split(" " if format == "conll" else "\t")
    if line.startswith("#") or len(cells) < 10 or rng.random() < 0.8:
        return line
    cell = cells[COLUMNS[format]]
    before, known, value = cell.rpartition("Entity=") if format == "conllu" else ("", "", cell)
    value = "" if value in ("_", "-") else value
    brackets = re.findall(r"\([^()]*\)?|[^()]*\)", value.replace("|(", "("))
    opening, closing = (one.format(rng.randrange(6)) for one in BRACKETS[format])
    match rng.randrange(6):
        case 0:
            brackets.append(opening)
        case 1:
            brackets.insert(0, closing)
        case 2:
            brackets += brackets or [opening + ")"]
        case 3:
            brackets.reverse()
        case 4:
            brackets = brackets[1:]
        case _ if value:
            place = rng.randrange(len(value))
            sign = rng.choice(("", rng.choice(SIGNS), value[place] * 2))
            brackets = [value[:place] + sign + value[place + 1 :]]
    value = ("|" if format == "conll" else "").join(brackets)
    if format == "conllu":
        known = value and "Entity="
        before = before.removesuffix("_")
    cells[COLUMNS[format]] = f"{before}{known}{value}" or ("-" if format == "conll" else "_")
    return (" " if format == "conll" else "\t").join(cells)


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
        place = 2 * COLUMNS[format] if format != "conll" else 22
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
