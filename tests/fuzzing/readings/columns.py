"""Plain readings of formats in columns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from corefine.formats.registry import BEGIN
from tests.building import conll_reference, conllu_reference
from tests.fuzzing.readings.plain import Files, Plain, UnclearError, arranged, one, text_of


def conll(files: Files) -> object:
    if BEGIN.search(one(files)) is None:
        raise UnclearError("the plain reader wants a line that begins a document")
    return conll_reference.plainly_read(one(files))


def conllu(files: Files) -> object:
    return conllu_reference.plainly_read(one(files), "x")


def in_brackets(cells: Iterable[str]) -> list[Any]:
    """Mentions of one document from its cells of brackets."""
    entities: dict[str, list[tuple[int, int]]] = {}
    stacks: dict[str, list[int]] = {}
    for token, cell in enumerate(cells):
        for opening, entity, closing in re.findall(r"(\(?)([^()|]+)(\)?)", cell):
            stack = stacks.setdefault(entity, [])
            if opening:
                stack.append(token)
            if closing:
                entities.setdefault(entity, []).append((stack.pop(), token))
    if any(stacks.values()):
        raise conll_reference.RefusedError("never closed")
    return arranged(entities.values())


def last_column(files: Files, skipped: str) -> Plain:
    """Brackets in the last of columns that tabs divide, in documents that are begun and ended."""
    documents: dict[str, list[str]] = {}
    cells: list[str] | None = None
    for line in text_of(one(files)).split("\n"):
        if line.lower().startswith("#begin document "):
            name = line[16:].strip()
            if not re.fullmatch(r"[\w.-]+", name):
                raise UnclearError("a name")
            cells = documents.setdefault(name, [])
        elif line.startswith("#end document"):
            cells = None
        elif re.search(r"[\x00-\x08\x0b-\x1f]", line) or line.startswith("#"):
            raise UnclearError("comments and control characters")
        elif line.strip():
            row = line.split("\t")
            if cells is None or " " in line or row[-1] == "":
                raise UnclearError("no cell")
            if not re.fullmatch(skipped, row[0]):
                if row[-1] not in ("-", "_", "*") and not conll_reference.is_bracket_cell(row[-1]):
                    raise UnclearError("no bracket")
                cells.append(row[-1])
    return {name: in_brackets(found) for name, found in documents.items()}


def semeval(files: Files) -> Plain:
    return last_column(files, r"(?!)")


def conll_ud(files: Files) -> Plain:
    return last_column(files, r"[1-9][0-9]*-[1-9][0-9]*")


def universal_anaphora(files: Files) -> Plain:
    """The column IDENTITY: ``(EntityID=…|…`` opens, ``)`` closes what opened last."""
    documents: dict[str, dict[str, list[tuple[int, int]]]] = {}
    open_ones: list[tuple[str, int]] = []
    name, token, place, width = "", 0, -1, 0
    marks = re.findall(r"\(EntityID=[^|]*\|MarkableID=(\w*)", text_of(one(files)))
    if len(set(marks)) < len(marks):
        raise UnclearError("parts of a discontinuous mention")
    for line in text_of(one(files)).split("\n"):
        if found := re.fullmatch(r"# global\.columns = (.*)", line):
            names = found[1].split(" ")
            if place >= 0 or names.count("IDENTITY") != 1:
                raise UnclearError("another header")
            place, width = names.index("IDENTITY"), len(names)
        elif found := re.fullmatch(r"# newdoc id = ([\w.-]+)", line):
            if open_ones or found[1] in documents:
                raise conll_reference.RefusedError("never closed")
            name, token = found[1], 0
            documents[name] = {}
        elif line.startswith("#"):
            raise UnclearError("another comment")
        elif line:
            cells = line.split("\t")
            if not name or len(cells) != width or not re.fullmatch(r"[0-9]+", cells[0]):
                raise UnclearError("another line")
            if not re.fullmatch(r"_|(\([^()]*\)?|\))+", cells[place]):
                raise UnclearError("another cell")
            for bracket in re.findall(r"\([^()]*|\)", cells[place] if cells[place] != "_" else ""):
                if bracket == ")":
                    entity, start = open_ones.pop()
                    documents[name].setdefault(entity, []).append((start, token))
                    continue
                fields = [field.split("=") for field in bracket[1:].split("|")]
                keys = [field[0] for field in fields]
                known = {"EntityID", "MarkableID", "Min", "ElementOf", "SemType"}
                if any(len(f) != 2 for f in fields) or not {"EntityID"} <= set(keys) <= known:
                    raise UnclearError("other fields")
                ids = dict(fields)
                again = [other for other in open_ones if other[0] == ids["EntityID"]]
                if again or not re.fullmatch(r"\w+(-Pseudo)?", ids["EntityID"]):
                    raise UnclearError("another id")
                open_ones.append((ids["EntityID"], token))
            token += 1
    if open_ones or not documents:
        raise conll_reference.RefusedError("never closed")
    return {
        name: arranged(
            spans for entity, spans in entities.items() if not entity.endswith("-Pseudo")
        )
        for name, entities in documents.items()
    }
