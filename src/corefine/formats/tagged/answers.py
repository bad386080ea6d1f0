"""Answers of language models per document, found in files and extracted from surrounding text."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import Any

from corefine.errors import FormatError
from corefine.formats.input.lines import read_text
from corefine.formats.input.sources import Source
from corefine.formats.tagged.alignment import Vocabulary, atoms_of_text, atoms_of_words
from corefine.formats.tagged.dialects import Dialect, dialect_of

Record = dict[str, Any]
NAMES = ("doc_id", "doc_key", "document", "document_id", "custom_id", "id")
"""Keys that name the document of a record."""
OUTPUTS = (
    "output", "response", "answer", "completion", "prediction", "generated_text", "model_output",
    "result", "outputs", "choices", "message", "content", "text",
)  # fmt: skip
"""Keys of the answer, in order of precedence."""
_INSIDE = ("body", *OUTPUTS)
"""Keys inside of that, as in the batches of OpenAI and Anthropic."""
_ENDINGS = (".gz", ".txt", ".md", ".xml", ".out", ".tagged", ".answer")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one document; its text is None if it is missing."""

    text: str | None
    source: str


Named = tuple[str, str | None, int | None]
"""Name of a document, its answer, and the line."""


def find_answers(sources: Sequence[Source], documents: Sequence[str]) -> dict[str, Answer]:
    """The answers by document: records with ids, files named after documents, or one per line."""
    found: dict[str, Answer] = {}
    names = {_file_name(name): name for name in documents} | {name: name for name in documents}
    for source in sources:
        for name, text, line in _answers_of(source, documents, names, len(sources) > 1):
            known = names.get(name)
            if known is None or known in found:
                problem = "is not in the key" if known is None else "is answered twice"
                example = f", such as {documents[0]!r}" if documents else ""
                raise FormatError(
                    f"document {name!r} {problem}",
                    source.where(line),
                    f"Give one answer per document of the key{example}.",
                )
            found[known] = Answer(text, source.name)
    return found


def _file_name(document: str) -> str:
    """File name for a document whose name has slashes."""
    return re.sub(r"[/\\]", "_", document)


def _answers_of(
    source: Source, documents: Sequence[str], names: Mapping[str, str], several: bool
) -> Iterator[Named]:
    stem = PurePath(source.name).name
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    if is_records(source.head()) and (stem not in names or _names_documents(source)):
        yield from _records_of(source, documents)
        return
    text = read_text(source).removeprefix("\ufeff")
    if several:
        yield stem, text, None
        return
    by_name = _json_value(text) if text.lstrip().startswith("{") else None
    if (
        isinstance(by_name, dict)
        and not names.keys().isdisjoint(by_name)
        and all(one is None or isinstance(one, str) for one in by_name.values())
    ):
        yield from ((name, one, None) for name, one in by_name.items())
        return
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != len(documents):
        lines = [line for line in lines if line.strip()]
    if len(documents) == 1:
        yield documents[0], text, None
    elif len(lines) == len(documents):
        numbers = range(1, len(lines) + 1)
        yield from zip(documents, lines, numbers, strict=True)
    elif stem in names:
        yield stem, text, None
    else:
        raise FormatError(
            f"{len(lines):,} lines for {len(documents):,} documents: cannot tell which answer "
            "belongs to which document",
            source.where(),
            'Write JSON lines {"doc_id": …, "output": …}, one file per document, or one '
            "document per line.",
        )


def _names_documents(source: Source) -> bool:
    """True if the records of a file name documents; other JSON is an answer itself."""
    from corefine.formats.jsonlines.records import read_records

    try:
        return any(_name_of(record) for record, _ in read_records(source, Record))
    except FormatError:
        return False


def _records_of(source: Source, documents: Sequence[str]) -> Iterator[Named]:
    from corefine.formats.jsonlines.records import read_records

    records = list(read_records(source, Record))
    named = [_name_of(record) for record, _ in records]
    if not any(named) and len(records) == len(documents):
        named = list(documents)
    for (record, line), name in zip(records, named, strict=True):
        if not name:
            raise FormatError(
                f"the document id is missing, in one of {len(records):,} answers for "
                f"{len(documents):,} documents",
                source.where(line),
                'Give every record a document id: {"doc_id": …, "output": …}.',
            )
        yield name, output_of(record), line


def output_of(record: Record) -> str | None:
    """The answer of a record at any depth; None if it has none."""
    output = next((record[key] for key in OUTPUTS if record.get(key) is not None), None)
    return _inside(output, _DEEPEST)


def _inside(value: object, depth: int) -> str | None:
    if isinstance(value, str) or not depth:
        return value if isinstance(value, str) else None
    if isinstance(value, Mapping):
        kept = (value[key] for key in _INSIDE if value.get(key) is not None)
        return next((text for one in kept if (text := _inside(one, depth - 1)) is not None), None)
    if isinstance(value, list):
        texts = [text for one in value if (text := _inside(one, depth - 1)) is not None]
        return "".join(texts) if texts else None
    return None


def _name_of(record: Record) -> str:
    name = next((record[key] for key in NAMES if record.get(key) is not None), "")
    return str(name) if isinstance(name, str | int) else ""


def is_records(head: bytes) -> bool:
    """True if a file that begins like this has records of answers, on lines or in an array."""
    opening = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if over_lines(opening):
        opening = opening.removeprefix(b"[").lstrip()
    else:
        opening = opening.partition(b"\n")[0]
    if not opening.startswith(b"{"):
        return False
    keys = re.findall(rb'"([A-Za-z_]+)"\s*:', opening)
    return bool(set(OUTPUTS).intersection(key.decode() for key in keys))


def over_lines(head: bytes) -> bool:
    """True if JSON that begins like this is an array, or an object over several lines."""
    return re.match(rb"(?:\xef\xbb\xbf)?\s*(?:\[|\{\s*\n)", head) is not None


# --- text around an answer ------------------------------------------------------------------------

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"<(?P<end>/?)think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(
    r"^[ \t]*(?P<fence>```|~~~)[^\n`]*\n(.*?)(?:^[ \t]*(?P=fence)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_JSON = re.compile(r'\[\s*["{]|\{\s*"')
_CUT_JSON = re.compile(
    r'(?:\{\s*"[^"\\]{0,80}"\s*:\s*|\[\s*)?"([^"\\]*(?:\\.[^"\\]*)*)(?:\\(?:u\w{0,3})?)?', re.DOTALL
)
"""A JSON string that is never closed, perhaps the first value of an object or array."""
_ESCAPED = re.compile(r"\\([\[\](){}_#|<>*])")
_PLACES = 5
"""Number of positions in an answer at which JSON is searched."""
_CANDIDATES = 20
"""Number of parts of an answer that are compared with the source, the longest ones."""


def without_chatter(answer: str, words: Sequence[str], dialect: Dialect | None) -> str:
    """The part of an answer that is the text, without fences, JSON and thoughts.

    Of all candidates with tags (of all, if none has any) it is the one that shares most with
    the words of the source, and has least besides.
    """
    first = _THOUGHT.search(answer)
    plain = answer
    if first is not None:  # the beginning of the thoughts may be missing
        plain = _THOUGHTS.sub("", answer[first.end() :] if first["end"] else answer)
    inner = sorted(dict.fromkeys(_unwrapped(plain)), key=len, reverse=True)[:_CANDIDATES]
    candidates = list(dict.fromkeys([answer, plain, *inner]))
    if len(candidates) == 1:
        return answer
    vocabulary = Vocabulary()
    wanted = Counter(atoms_of_words(words, vocabulary).codes)

    def quality(candidate: str) -> tuple[bool, float]:
        found = dialect or dialect_of(candidate)
        marked = None if found is None else found.parse(candidate)
        text, cuts = (candidate, []) if marked is None else (marked.text, marked.cuts)
        counts = Counter(atoms_of_text(text, cuts, vocabulary, False).codes)
        shared = (counts & wanted).total()
        tagged = marked is not None and bool(marked.spans)
        return tagged, shared - (counts.total() - shared) / 4

    return max(candidates, key=quality)


def _unwrapped(text: str) -> Iterator[str]:
    """Content of fences and of JSON in an answer."""
    fenced = [found.group(2) for found in _FENCE.finditer(text)]
    yield from fenced
    if len(fenced) > 1:
        yield "\n".join(fenced)
    for piece in (text, *fenced):
        yield from _from_json(piece.strip())
        if "&lt;" in piece:
            yield html.unescape(piece)
        if "\\" in piece:
            yield _ESCAPED.sub(r"\1", piece)


def _json_value(text: str, place: int | None = None) -> object:
    """The JSON value of a text, or at a place of it; None if it is malformed."""
    try:
        decoder = json.JSONDecoder(strict=False)
        return decoder.decode(text) if place is None else decoder.raw_decode(text, place)[0]
    except (ValueError, RecursionError):
        return None


def _from_json(text: str) -> Iterator[str]:
    """Strings of a JSON value that a text is or contains, complete or truncated."""
    places = [found.start() for found in islice(_JSON.finditer(text), _PLACES)]
    for place in ([0] if text[:1] == '"' else []) + places:
        yield from _strings(_json_value(text, place), _DEEPEST)
    cut = _CUT_JSON.fullmatch(text)
    value = _json_value(f'"{cut[1]}"') if cut is not None else None
    if value is not None:
        yield str(value)


def _strings(value: object, depth: int) -> Iterator[str]:
    """The strings in a JSON value, and those of a list as one text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth:
        for one in value.values():
            yield from _strings(one, depth - 1)
    elif isinstance(value, list) and depth:
        columns: dict[str, list[str]] = {}
        for one in value:
            yield from _strings(one, depth - 1)
            for key, cell in one.items() if isinstance(one, Mapping) else [("", one)]:
                if isinstance(cell, str):
                    columns.setdefault(key, []).append(cell)
        yield from ("\n".join(cells) for cells in columns.values())
