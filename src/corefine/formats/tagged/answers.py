"""Answers: what a model wrote for each document, found in files and freed of chatter."""

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

from corefine.errors import FormatError, Location
from corefine.formats.input.sources import Source
from corefine.formats.registry import LONGEST_OPENING
from corefine.formats.tagged.atoms import Vocabulary, atoms_of_text, atoms_of_words
from corefine.formats.tagged.dialects import Dialect, dialect_of

Record = dict[str, Any]
NAMES = ("doc_id", "doc_key", "document", "document_id", "custom_id", "id")
"""Keys that name the document of a record."""
OUTPUTS = (
    "output", "response", "answer", "completion", "prediction", "generated_text", "model_output",
    "result", "outputs", "choices", "message", "content", "text",
)  # fmt: skip
"""Keys under which the answer stands, the first that is there."""
_INSIDE = ("body", *OUTPUTS)
"""Keys under which it stands inside of that, as in the batches of OpenAI and Anthropic."""
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
_DEEPEST = 8
_CANDIDATES = 20
"""So many parts of an answer are compared with the source, the longest ones."""
_ENDINGS = (".gz", ".txt", ".md", ".xml", ".out", ".tagged", ".answer")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one document; its text is None if it is missing."""

    text: str | None
    source: str


def find_answers(sources: Sequence[Source], documents: Sequence[str]) -> dict[str, Answer]:
    """The answers by document: records with ids, files named after documents, or one a line."""
    found: dict[str, Answer] = {}
    names = {_file_name(name): name for name in documents} | {name: name for name in documents}
    for source in sources:
        for name, answer, where in _answers_of(source, documents, len(sources) > 1):
            known = names.get(name)
            if known is None:
                raise FormatError(
                    f"there is no document {name!r} in the key",
                    where,
                    f"Name answers after the key's documents, such as {documents[0]!r}."
                    if documents
                    else "The key has no documents.",
                )
            if known in found:
                raise FormatError(
                    f"document {known!r} is answered twice", where, "Keep one of the answers."
                )
            found[known] = answer
    return found


def _answers_of(
    source: Source, documents: Sequence[str], several: bool
) -> Iterator[tuple[str, Answer, Location]]:
    stem = PurePath(source.name).name
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    own = any(stem in (name, _file_name(name)) for name in documents)
    if is_records(source.head()) and not (own and not _names_documents(source)):
        yield from _records_of(source, documents)
        return
    data = source.read_all(LONGEST_OPENING)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("invalid UTF-8", source.where(), "Convert the file to UTF-8.") from None
    if not several and (by_name := _by_name(text, documents)) is not None:
        yield from ((name, Answer(one, source.name), source.where()) for name, one in by_name)
        return
    if several:
        yield stem, Answer(text, source.name), source.where()
        return
    if len(documents) == 1:
        yield documents[0], Answer(text, source.name), source.where()
        return
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != len(documents):
        lines = [line for line in lines if line.strip()]
    if len(lines) == len(documents):
        for number, (name, line) in enumerate(zip(documents, lines, strict=True), 1):
            yield name, Answer(line, source.name), source.where(number)
    elif own:
        yield stem, Answer(text, source.name), source.where()
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


def _by_name(text: str, documents: Sequence[str]) -> list[tuple[str, str | None]] | None:
    """The answers of one JSON object that has them by document; None for everything else."""
    if text.lstrip()[:1] != "{":
        return None
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    known = {*documents, *map(_file_name, documents)}
    if not value or not all(one is None or isinstance(one, str) for one in value.values()):
        return None
    return list(value.items()) if known.intersection(value) else None


def _records_of(source: Source, documents: Sequence[str]) -> Iterator[tuple[str, Answer, Location]]:
    from corefine.formats.jsonlines.records import read_records

    records = list(read_records(source, Record))
    named = [_name_of(record) for record, _ in records]
    if not any(named) and len(records) != len(documents):
        raise FormatError(
            f"{len(records):,} answers without ids for {len(documents):,} documents",
            source.where(),
            'Give every line a document id: {"doc_id": …, "output": …}.',
        )
    for number, ((record, line), name) in enumerate(zip(records, named, strict=True)):
        where = source.where(line)
        if not name and any(named):
            raise FormatError("the document id is missing", where, 'Add it: "doc_id".')
        yield name or documents[number], Answer(output_of(record), source.name), where


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
    opening = head.removeprefix(b"\xef\xbb\xbf").lstrip()[: 1 << 20]
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


def _file_name(document: str) -> str:
    """File name for a document whose name has slashes."""
    return re.sub(r"[/\\]", "_", document)


def without_chatter(answer: str, words: Sequence[str], dialect: Dialect | None) -> str:
    """The part of an answer that is the text: out of fences, JSON and thoughts.

    Of all candidates with tags (of all, if none has any) it is the one that shares most with
    the words of the source, and has least besides.
    """
    plain = _without_thoughts(answer)
    inner = dict.fromkeys(_unwrapped(plain))
    inner = dict.fromkeys(sorted(inner, key=len, reverse=True)[:_CANDIDATES])
    candidates = list(dict.fromkeys([answer, plain, *inner]))
    if len(candidates) == 1:
        return answer
    vocabulary = Vocabulary()
    wanted = Counter(atoms_of_words(words, vocabulary).codes.tolist())

    def worth(candidate: str) -> tuple[bool, float]:
        found = dialect or dialect_of(candidate)
        marked = None if found is None else found.parse(candidate)
        text, cuts = (candidate, []) if marked is None else (marked.text, marked.cuts)
        counts = Counter(atoms_of_text(text, cuts, vocabulary, False).codes.tolist())
        shared = (counts & wanted).total()
        tagged = marked is not None and bool(marked.spans)
        return tagged, shared - (counts.total() - shared) / 4

    return max(candidates, key=worth)


def _without_thoughts(answer: str) -> str:
    """An answer without a model's thoughts, the beginning of which may be missing."""
    first = _THOUGHT.search(answer)
    if first is None:
        return answer
    return _THOUGHTS.sub("", answer[first.end() :] if first["end"] else answer)


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


def _from_json(text: str) -> Iterator[str]:
    """Strings of a JSON value that a text is or contains, complete or truncated."""
    decoder = json.JSONDecoder(strict=False)
    places = [found.start() for found in islice(_JSON.finditer(text), _PLACES)]
    for place in ([0] if text[:1] == '"' else []) + places:
        try:
            value, _ = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        yield from _strings(value, _DEEPEST)
    cut = _CUT_JSON.fullmatch(text)
    if cut is not None:
        try:
            yield str(json.loads(f'"{cut[1]}"', strict=False))
        except ValueError:
            return


def _strings(value: object, depth: int) -> Iterator[str]:
    """The strings in a JSON value, and those of a list as one text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth:
        for one in value.values():
            yield from _strings(one, depth - 1)
    elif isinstance(value, list) and depth:
        for one in value:
            yield from _strings(one, depth - 1)
        columns: dict[str, list[str]] = {}
        for one in value:
            cells = one if isinstance(one, Mapping) else {"": one}
            for key, cell in cells.items():
                if isinstance(cell, str):
                    columns.setdefault(key, []).append(cell)
        yield from ("\n".join(cells) for cells in columns.values())
