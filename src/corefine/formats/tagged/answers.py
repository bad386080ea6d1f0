"""Answers: what a model wrote for each document, found in files and freed of chatter."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from corefine.errors import FormatError, Location
from corefine.formats.input.sources import Source
from corefine.formats.jsonlines.json_records import Record, batches
from corefine.formats.registry import LONGEST_OPENING
from corefine.formats.tagged.atoms import Vocabulary, atoms_of_text

NAMES = ("doc_id", "doc_key", "document", "id")
"""Keys that name the document of a record."""
OUTPUTS = (
    "output", "response", "answer", "completion", "prediction", "generated_text", "text",
)  # fmt: skip
"""Keys under which the answer stands, the first that is there."""
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_ENDINGS = (".gz", ".txt", ".md", ".xml", ".out", ".tagged")


@dataclass(frozen=True, slots=True)
class Answer:
    """What was written for one document; None where there is nothing."""

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
    if is_records(source.head()):
        yield from _records_of(source, documents)
        return
    data = source.read_all(LONGEST_OPENING)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("invalid UTF-8", source.where(), "Convert the file to UTF-8.") from None
    stem = PurePath(source.name).name
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
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
    elif any(stem in (name, _file_name(name)) for name in documents):
        yield stem, Answer(text, source.name), source.where()
    else:
        raise FormatError(
            f"{len(lines):,} lines for {len(documents):,} documents: cannot tell which answer "
            "belongs to which document",
            source.where(),
            'Write JSON lines {"doc_id": …, "output": …}, one file per document, or one '
            "document per line.",
        )


def _records_of(source: Source, documents: Sequence[str]) -> Iterator[tuple[str, Answer, Location]]:
    records = [record for batch in batches(source) for record in batch]
    named = [_name_of(record) for record in records]
    if not any(named) and len(records) != len(documents):
        raise FormatError(
            f"{len(records):,} answers without ids for {len(documents):,} documents",
            source.where(),
            'Give every line a document id: {"doc_id": …, "output": …}.',
        )
    for number, (record, name) in enumerate(zip(records, named, strict=True)):
        if not name and any(named):
            record.refuse("the document id is missing", 'Add it: "doc_id".')
        output = record.first(OUTPUTS)
        text = record.decode(output, str) if record.has(output) else None
        yield name or documents[number], Answer(text, source.name), record.where


def _name_of(record: Record) -> str:
    key = record.first(NAMES)
    return str(record.decode(key, str | int)) if record.has(key) else ""


def is_records(head: bytes) -> bool:
    """Whether a file that begins like this has records of answers on its lines."""
    opening = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not opening.startswith(b"{"):
        return False
    keys = re.findall(rb'"([A-Za-z_]+)"\s*:', opening[: 1 << 20].partition(b"\n")[0])
    return bool(set(OUTPUTS).intersection(key.decode() for key in keys))


def _file_name(document: str) -> str:
    """How a file is called after a document whose name is no name of a file."""
    return re.sub(r"[/\\]", "_", document)


def without_chatter(answer: str, words: Sequence[str]) -> str:
    """The part of an answer that is the text: out of fences, JSON strings and thoughts.

    Of all candidates it is the one that shares most with the words of the source, and has least
    besides.
    """
    plain = _THOUGHTS.sub("", answer)
    candidates = list(dict.fromkeys([answer, plain, *_unwrapped(plain)]))
    if len(candidates) == 1:
        return answer
    vocabulary = Vocabulary()
    wanted = _atom_counts(" ".join(words), vocabulary)

    def worth(candidate: str) -> float:
        counts = _atom_counts(candidate, vocabulary)
        shared = (counts & wanted).total()
        return shared - (counts.total() - shared) / 4

    return max(candidates, key=worth)


def _atom_counts(text: str, vocabulary: Vocabulary) -> Counter[int]:
    return Counter(atoms_of_text(text, (), vocabulary, False).codes.tolist())


def _unwrapped(text: str) -> Iterator[str]:
    """What is inside the fences of an answer, and inside JSON."""
    fenced = [found.group(1) for found in _FENCE.finditer(text)]
    yield from fenced
    if len(fenced) > 1:
        yield "\n".join(fenced)
    for piece in (text, *fenced):
        yield from _from_json(piece.strip())


def _from_json(text: str) -> Iterator[str]:
    if text[:1] not in ('"', "{", "[") or text[-1:] not in ('"', "}", "]"):
        return
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, Mapping):
        texts = [item for item in value.values() if isinstance(item, str)]
        yield from (value[key] for key in OUTPUTS if isinstance(value.get(key), str))
        if len(texts) == 1:
            yield texts[0]
    elif isinstance(value, str):
        yield value
