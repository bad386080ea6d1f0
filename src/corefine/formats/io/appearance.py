"""Descriptions of files in unknown formats: what they look like, and what is missing."""

from __future__ import annotations

import json
import re
from collections import Counter

_LFS = b"version https://git-lfs"
_COLUMN_NAMES = re.compile(rb"^#[ \t]*global\.columns[ \t]*=[ \t]*(.*)", re.MULTILINE)
_CONLLU = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
_SACR = re.compile(r"\{[\w-]+:[\w-]+=\S|\{M?[0-9]+ ")
"""A mention of SACR, with its chain and properties."""
_ENTITY = frozenset(("entity", "entity_id", "cluster", "cluster_id", "label"))


def unknown_columns(head: bytes) -> str:
    """Columns of CoNLL-U Plus that no known format has; empty for other files."""
    found = _COLUMN_NAMES.search(head)
    names = found[1].decode("utf-8", "replace").split() if found else []
    return "" if "IDENTITY" in names or names == _CONLLU.split() else " ".join(names)


def appearance(head: bytes) -> str:
    """A description of a file with these first bytes.

    >>> appearance(b"Dokument,Ausdruck,Figur\\nd,Anna,1\\n")
    'a table without an entity column; its columns are Dokument, Ausdruck, Figur'
    """
    if head.startswith(_LFS):
        return "a git-lfs pointer instead of the file itself (run git lfs pull)"
    if head.startswith((b"%PDF", b"\x89PNG", b"PK", b"\xd0\xcf")) or b"\0" in head[:1024]:
        return "binary data"
    text = head.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if columns := unknown_columns(head):
        return f"CoNLL-U Plus without a column IDENTITY; its columns are {columns[:200]}"
    if _SACR.search(text[:2000]) and not text.startswith(('{"', "[")):
        return "SACR, which is not supported"
    if text.startswith(("{", "[")):
        return _json(text)
    if text.startswith("<"):
        tag = re.search(r"<([A-Za-z_][\w:.-]*)", text)
        kind = "HTML" if re.match(r"<!doctype html|<html", text, re.IGNORECASE) else "XML"
        return f"{kind} with the root element <{tag[1]}>" if tag else "XML without an element"
    return _lines(text)


def _json(text: str) -> str:
    """A description of the first record."""
    try:
        record, _ = json.JSONDecoder().raw_decode(re.sub(r"\[\s*(?=\{)", "", text, count=1))
    except (ValueError, RecursionError):
        cut = text.count("{") > text.count("}") or text.count("[") > text.count("]")
        return "JSON that ends in the middle, or is malformed" if cut else "malformed JSON"
    if not isinstance(record, dict):
        return "JSON without records"
    keys = ", ".join(map(str, record))[:200] or "none"
    return f"JSON records without known clusters; their keys are {keys}"


def _lines(text: str) -> str:
    rows = [line for line in text.split("\n")[:100] if line.strip() and not line.startswith("#")]
    if not rows:
        return "a text with comments only"
    for delimiter, name in (("\t", "tab-separated"), (",", "comma-separated"), (";", "table")):
        widths = Counter(row.count(delimiter) for row in rows[:-1] or rows)
        width, times = widths.most_common(1)[0]
        if not width or times < len(rows) / 2:
            continue
        header = [cell.strip().strip('"') for cell in rows[0].split(delimiter)]
        if all(re.fullmatch(r"[^\W\d][\w .-]*", cell) for cell in header):
            missing = "a mention" if _ENTITY.intersection(map(str.lower, header)) else "an entity"
            return f"a table without {missing} column; its columns are {', '.join(header)[:200]}"
        return (
            f"{name} lines of {width + 1} columns without coreference brackets in the last one, "
            f"such as {rows[0].split(delimiter)[-1][:40]!r}"
        )
    return f"plain text without annotations, such as {rows[0][:60]!r}"
